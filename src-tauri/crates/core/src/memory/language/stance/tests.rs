use super::*;

fn stance(said: &str, [subject, relation, value]: [&str; 3]) -> Stance {
    let draft = FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() };
    of(said, "", &draft, &relation::key(&draft, None))
}

#[test]
fn what_is_said_is_stated() {
    for (said, fact) in [
        ("I live in Rome now.", ["user", "lives in", "Rome"]),
        ("I've lived in Rome since May.", ["user", "lives in", "Rome"]),
        ("I finally moved to Rome!", ["user", "moved to", "Rome"]),
        ("Don't forget I live in Rome", ["user", "lives in", "Rome"]),
        ("Not only do I live in Rome, I love it.", ["user", "lives in", "Rome"]),
        ("If you need me: I live in Rome.", ["user", "lives in", "Rome"]),
        ("My sister and I live in Oslo.", ["user", "lives in", "Oslo"]),
        ("My wife works at Acme, and I work at Globex.", ["user", "works at", "Globex"]),
        ("My boss Ana just quit", ["user", "boss", "Ana"]),
        ("My dog is called Rex.", ["user", "dog", "Rex"]),
        ("I don't like Spanish food, and I speak Spanish.", ["user", "speaks", "Spanish"]),
        ("I want a dog", ["user", "wants", "a dog"]),
        ("I'm thinking of moving to Rome", ["user", "is thinking of moving to", "Rome"]),
        ("I don't eat meat", ["user", "doesn't eat", "meat"]),
        ("I can't stand jazz any more", ["user", "hates", "jazz"]),
        ("Tom speaks Polish.", ["Tom", "speaks", "Polish"]),
        ("Acme pays my salary", ["user", "works at", "Acme"]),
        ("Rome is home now", ["user", "home", "Rome"]),
        ("My motto is \"less is more\".", ["user", "motto", "less is more"]),
        ("The weather is lovely", ["user", "lives in", "Rome"]),
        ("我搬到罗马了", ["user", "住在", "罗马"]),
        ("我女儿叫朵朵", ["user", "女儿", "朵朵"]),
    ] {
        assert_eq!(stance(said, fact), Stance::Stated, "{said}");
    }
}

#[test]
fn what_is_taken_back_is_over_or_not_so() {
    for (said, fact) in [
        ("I no longer work at Acme.", ["user", "works at", "Acme"]),
        ("I quit Acme last week.", ["user", "works at", "Acme"]),
        ("I'm not vegetarian anymore.", ["user", "diet", "vegetarian"]),
        ("I stopped taking ramipril.", ["user", "takes", "ramipril"]),
        ("We sold the Volvo.", ["user", "drives", "Volvo"]),
        ("I used to live in Rome.", ["user", "lives in", "Rome"]),
        ("Ich arbeite nicht mehr bei Acme.", ["user", "arbeitet bei", "Acme"]),
        ("Ya no trabajo en Acme.", ["user", "trabaja en", "Acme"]),
        ("我不在Acme工作了", ["user", "公司", "Acme"]),
        ("I don't like jazz any more.", ["user", "likes", "jazz"]),
    ] {
        assert_eq!(stance(said, fact), Stance::Over, "{said}");
    }
    for (said, fact) in [
        ("I don't speak French.", ["user", "speaks", "French"]),
        ("I have never been to Peru.", ["user", "has been to", "Peru"]),
        ("I'm not allergic to nuts.", ["user", "is allergic to", "nuts"]),
    ] {
        assert_eq!(stance(said, fact), Stance::Not, "{said}");
    }
}

#[test]
fn what_once_was_is_told_from_what_is() {
    for (said, fact) in [
        ("Back in 2019 I lived in Rome.", ["user", "lives in", "Rome"]),
        ("I was a nurse.", ["user", "job", "nurse"]),
        ("I drove a Volvo.", ["user", "drives", "Volvo"]),
        ("Habe früher in Rom gewohnt.", ["user", "wohnt in", "Rom"]),
        ("我以前住在罗马", ["user", "住在", "罗马"]),
    ] {
        assert_eq!(stance(said, fact), Stance::Once, "{said}");
    }
}

#[test]
fn what_is_supposed_or_said_of_others_is_not_said_of_the_person() {
    for (said, fact) in [
        ("If I lived in Rome I'd eat pizza.", ["user", "lives in", "Rome"]),
        ("I wish I lived in Rome.", ["user", "lives in", "Rome"]),
        ("I might buy a Volvo", ["user", "drives", "Volvo"]),
        ("I live in Rome. Just kidding!", ["user", "lives in", "Rome"]),
        ("I'm in Rome this week.", ["user", "lives in", "Rome"]),
        ("如果我住在罗马就好了", ["user", "住在", "罗马"]),
        ("My sister lives in Oslo.", ["user", "lives in", "Oslo"]),
        ("She works at Globex.", ["user", "works at", "Globex"]),
        ("Tom speaks Polish and drives a Fiat.", ["user", "drives", "Fiat"]),
        ("Ida hates jazz.", ["user", "opinion of jazz", "hates"]),
        ("Tom told me: \"I live in Rome\"", ["user", "lives in", "Rome"]),
        ("Meine Mutter wohnt in Köln.", ["user", "wohnt in", "Köln"]),
        ("我妹妹住在上海", ["user", "住在", "上海"]),
    ] {
        assert_eq!(stance(said, fact), Stance::Unsaid, "{said}");
    }
}

#[test]
fn what_a_message_does_not_name_stands_as_it_was_said_before() {
    let draft = FactDraft { subject: "user".into(), relation: "lives in".into(), value: "Rome".into() };
    let key = relation::key(&draft, None);
    assert_eq!(of("yes", "I wish I lived in Rome.", &draft, &key), Stance::Unsaid);
    assert_eq!(of("yes", "I live in Rome.", &draft, &key), Stance::Stated);
    assert_eq!(of("I quit Acme; I live in Rome", "I wish I lived in Rome.", &draft, &key), Stance::Stated);
}
