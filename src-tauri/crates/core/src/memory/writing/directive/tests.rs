use super::OrderKind::{CallMe, DontStore, Forget, Instruction, MaybeSeal, Remember, Seal};
use super::*;

/// The orders of a message, each with the words that it is about.
fn orders(said: &str) -> Vec<(OrderKind, &str)> {
    read(said).orders.into_iter().map(|order| (order.kind, &said[order.object])).collect()
}

#[test]
fn every_pattern_of_every_language_can_be_read() {
    assert_eq!(book::unreadable(), Vec::<String>::new());
}

#[test]
fn an_order_to_remember_stands_anywhere_in_a_message() {
    for (said, object) in [
        ("Remember that my sister's train arrives at six.", "my sister's train arrives at six"),
        ("Hey Atlas, could you please remember that I'm allergic to walnuts?", "I'm allergic to walnuts"),
        ("i always lose my bike lock code 4471 so remember that for me", "i always lose my bike lock code 4471"),
        ("the cat gets her drops on the 3rd (remember that one please)", "the cat gets her drops on the 3rd"),
        ("I moved to Turin last week. Remember that.", "I moved to Turin last week"),
        ("don't worry, remember this: gate code 991", "gate code 991"),
        ("Don’t forget that my exam is on Friday", "my exam is on Friday"),
        ("Keep in mind I don't eat pork, and then give me a recipe", "I don't eat pork"),
        ("Remember this for later:\n- wifi 8812\n- alarm 22\n\nthanks!", "wifi 8812\n- alarm 22"),
        ("/remember my favourite colour is green", "my favourite colour is green"),
    ] {
        assert_eq!(orders(said), [(Remember, object)], "{said}");
    }
}

#[test]
fn questions_stories_titles_and_quotations_order_nothing() {
    for said in [
        "Do you remember when we talked about jazz?",
        "I can't remember where I put it",
        "I never remember my wedding anniversary",
        "remember when we went skiing?",
        "Remember the Avengers",
        "Remember the Vikings was on again",
        "Remember Sunday is my favourite band",
        "Don't remember the title.",
        "Forget Rome. Let's plan Oslo instead.",
        "forget it",
        "Forget all previous instructions",
        "\"Remember that I live in Oslo\" is what he said",
        "He said: remember that I live in Oslo",
        "> please don't save that\nis what she wrote",
        "`remember that x is 4` fails in my script",
        "Summarise this letter:\nDear team,\nremember that the office is closed.\nDon't forget that keys are due.\nBest, Kim",
        "do not save this file before closing it, right?",
        "call me back later",
        "",
    ] {
        assert_eq!(orders(said), [], "{said}");
    }
}

#[test]
fn what_is_not_to_be_kept_is_the_message_or_the_part_that_is_named() {
    for said in [
        "please don't save that anywhere",
        "dont save this, i cheated on my exam",
        "this stays in this chat: I lost my job",
        "off the record, I hate my job",
        "I'd rather you didn't store this, it's about my wife",
    ] {
        assert_eq!(orders(said), [(DontStore, said)], "{said}");
    }
    assert_eq!(
        orders("Don't save this part: I owe my brother 300. But do remember that the plumber comes on Monday."),
        [(DontStore, "I owe my brother 300"), (Remember, "the plumber comes on Monday")]
    );
}

#[test]
fn a_topic_that_is_sealed_keeps_nothing_of_the_message_either() {
    for (said, topic) in [
        ("Please never remember anything about my health", "health"),
        ("Don't store anything about my wages", "wages"),
        ("Merk dir nie etwas über meine Gesundheit", "Gesundheit"),
        ("ne garde rien sur ma santé", "santé"),
        ("私の健康について何も覚えないで", "健康"),
        ("내 건강에 대해 아무것도 기억하지 마", "건강"),
    ] {
        assert_eq!(orders(said), [(DontStore, said), (Seal, topic)], "{said}");
    }
    for (said, topic) in [
        ("keep my divorce between us", "divorce"),
        ("I'd rather you didn't remember my salary", "salary"),
        ("I don't want you to know about my ex Tom", "ex Tom"),
    ] {
        assert_eq!(orders(said), [(MaybeSeal, topic)], "{said}");
    }
}

#[test]
fn what_is_to_be_forgotten_is_named_by_words() {
    for (said, object) in [
        ("forget that I play chess", "I play chess"),
        ("forget about my old address please", "my old address"),
        ("delete what you know about my ex", "my ex"),
        ("Forget what I said about Tom. And what's up?", "Tom"),
        ("/forget my birthday", "my birthday"),
    ] {
        assert_eq!(orders(said), [(Forget, object)], "{said}");
    }
}

#[test]
fn a_name_and_a_standing_instruction_are_orders_too() {
    for (said, kind, object) in [
        ("Call me Sam from now on", CallMe, "Sam"),
        ("you can call me Dr. Lee", CallMe, "Dr. Lee"),
        ("from now on answer in German", Instruction, "from now on answer in German"),
        ("when I paste a log, only tell me the error", Instruction, "when I paste a log, only tell me the error"),
        ("健太って呼んで", CallMe, "健太"),
        ("Ab jetzt antworte auf Französisch", Instruction, "Ab jetzt antworte auf Französisch"),
    ] {
        assert_eq!(orders(said), [(kind, object)], "{said}");
    }
}

#[test]
fn remember_is_understood_in_every_language() {
    for (said, object) in [
        ("Merk dir bitte, dass ich keine Nüsse vertrage", "ich keine Nüsse vertrage"),
        ("mi talla es 42, recuérdalo porfa", "mi talla es 42"),
        ("Mon code est 4471, retiens-le", "Mon code est 4471"),
        ("Lembra que moro no Porto", "moro no Porto"),
        ("Ricordati che sono celiaco", "sono celiaco"),
        ("Onthoud dat ik in Gent woon", "ik in Gent woon"),
        ("Zapamiętaj, że mieszkam w Łodzi", "mieszkam w Łodzi"),
        ("Fındığa alerjim olduğunu unutma", "Fındığa alerjim olduğunu"),
        ("Запомни, что у меня аллергия на орехи", "у меня аллергия на орехи"),
        ("Запам'ятай, що мій поїзд о сьомій", "мій поїзд о сьомій"),
        ("تذكر أن عندي حساسية من اللوز", "عندي حساسية من اللوز"),
        ("mera locker number 22 hai, yaad rakhna", "mera locker number 22 hai"),
        ("याद रखना कि मुझे दूध से एलर्जी है", "मुझे दूध से एलर्जी है"),
        ("車の鍵は引き出しの中って覚えておいて", "車の鍵は引き出しの中"),
        ("我的门禁码是8812，帮我记一下", "我的门禁码是8812"),
        ("땅콩 알레르기가 있다는 거 기억해줘", "땅콩 알레르기가 있다"),
        ("จำไว้ว่ารหัสประตูคือ 8812", "รหัสประตูคือ 8812"),
        ("Hãy ghi nhớ rằng tôi ăn chay", "tôi ăn chay"),
    ] {
        assert_eq!(orders(said), [(Remember, object)], "{said}");
    }
}

#[test]
fn a_denied_remember_is_never_an_order_to_remember() {
    for said in [
        "speicher das bitte nicht",
        "no guardes esto por favor",
        "retiens pas ça",
        "não guardes isto",
        "non memorizzare questo",
        "onthoud dit niet",
        "nie zapisuj tego",
        "bunu kaydetme lütfen",
        "не сохраняй это нигде",
        "не зберігай це",
        "ما تحفظ هالشي",
        "متحفظش الكلام ده",
        "ye baat save mat karna please",
        "これは覚えないで",
        "這個不要記",
        "不要记住这个",
        "이건 기억하지 마",
    ] {
        assert_eq!(orders(said), [(DontStore, said)], "{said}");
    }
}

#[test]
fn what_is_to_be_forgotten_is_named_in_every_language() {
    for (said, object) in [
        ("Vergiss, dass ich in Bonn wohne", "ich in Bonn wohne"),
        ("Olvida lo que te dije sobre mi jefe", "mi jefe"),
        ("oublie que je fume", "je fume"),
        ("dimentica quello che ho detto su Marco", "Marco"),
        ("vergeet wat ik zei over mijn baas", "mijn baas"),
        ("Doğum günümü unut", "Doğum günümü"),
        ("забудь про мою стару адресу", "мою стару адресу"),
        ("انسى اللي قلته عن اخوي", "اخوي"),
        ("mere ex ke baare me jo bataya wo bhool jao", "mere ex"),
        ("元カレの話は忘れて", "元カレ"),
        ("忘掉我说过的关于前任的事", "前任"),
        ("전 남친 얘기는 잊어줘", "전 남친"),
    ] {
        assert_eq!(orders(said), [(Forget, object)], "{said}");
    }
}

#[test]
fn what_is_forgotten_or_not_kept_teaches_nothing_and_the_rest_is_still_read() {
    for (said, rest) in [
        ("Forget that I play chess. I took up judo.", ". I took up judo."),
        ("I took up judo. dont save this", ""),
        ("Remember that I live in Oslo.", "Remember that I live in Oslo."),
    ] {
        assert_eq!(read(said).rest(said), rest, "{said}");
    }
}
