//! Exchanges of several assistants, in and out of their roles. The thresholds are chosen by them.

/// An exchange, and whether its answer has left the role.
pub(super) struct Case {
    pub spec: &'static str,
    pub before: &'static [&'static str],
    pub question: &'static str,
    pub answer: &'static str,
    pub is_off: bool,
}

pub(super) const fn on(spec: &'static str, question: &'static str, answer: &'static str) -> Case {
    Case { spec, before: &[], question, answer, is_off: false }
}

const fn after(before: &'static [&'static str], question: &'static str, answer: &'static str) -> Case {
    Case { spec: "billing", before, question, answer, is_off: false }
}

pub(super) const fn off(spec: &'static str, question: &'static str, answer: &'static str) -> Case {
    Case { spec, before: &[], question, answer, is_off: true }
}

const PASTA: &str = "Bring a large pot of salted water to the boil and cook the spaghetti until it is al dente. Meanwhile, fry the garlic in olive oil, \
add the chopped tomatoes and a little basil, and let everything simmer for ten minutes. Toss the pasta in the pan, grate some parmesan over it and serve it hot.";
const CAKE: &str = "Preheat the oven to 180 degrees. Beat the butter with the sugar, add three eggs one after the other, then fold in the flour and the baking powder. \
Pour the batter into a greased tin and bake it for forty minutes. Let the cake cool before you dust it with icing sugar.";
const POEM: &str = "The moon climbs over silver hills, the river hums an ancient tune. A lonely fox beneath the pines is dreaming of the end of June. \
The stars fall softly into snow, the wind goes whispering to the sea, and every shadow that we know lies down below the cherry tree.";
const FOOTBALL: &str = "The match was decided in the second half, when the striker scored twice within five minutes. The goalkeeper saved a penalty, the defenders held the line, \
and the fans sang until the final whistle. With this victory the club climbs to third place in the league.";
const GARDEN: &str = "Plant the tulip bulbs in autumn, about fifteen centimetres deep, in loose soil with plenty of sun. Water them once, cover the bed with leaves \
against the frost, and cut the stems only when they have turned yellow. In spring the garden will be full of colour.";
const STARS: &str = "A neutron star forms when a massive star collapses in a supernova. Its gravity squeezes the matter until protons and electrons merge. \
Some of them spin hundreds of times a second and send beams of radio waves through the galaxy; astronomers call those pulsars.";
const REZEPT: &str = "Den Ofen auf 200 Grad vorheizen. Die Kartoffeln schälen und in dünne Scheiben schneiden, mit Sahne, Salz und Muskat in eine Form schichten, \
Käse darüber streuen und das Gratin vierzig Minuten backen, bis es goldbraun ist. Dazu passt ein grüner Salat.";
const RECETTE: &str = "Faites fondre le beurre dans une casserole, ajoutez les oignons émincés et laissez-les dorer doucement. Versez le bouillon, ajoutez les carottes \
et laissez mijoter la soupe pendant trente minutes. Servez-la avec du pain grillé et un peu de fromage râpé.";
const DRAGON: &str = "The dragon spread its wings above the burning castle. Below, the knight raised his sword and shouted the name of the lost princess. \
Thunder rolled over the mountains, and the old wizard knew that the prophecy had come true at last.";
const YOGA: &str = "Stand with your feet apart, breathe in and stretch your arms above your head. Breathe out, bend forward from the hips and let your hands touch the mat. \
Hold the pose for five breaths, relax your shoulders, and come up slowly, vertebra by vertebra.";

const RECIPE_JA: &str = "鍋にたっぷりの湯を沸かし、塩を入れてスパゲッティを茹でます。その間に、にんにくをオリーブオイルで炒め、刻んだトマトとバジルを加えて十分ほど煮込みます。麺を和えて、チーズをかけてください。";
const RECIPE_RU: &str = "Нарежьте картофель и морковь, обжарьте лук на сливочном масле и залейте бульоном. Варите суп тридцать минут на слабом огне, добавьте укроп и сметану и подавайте горячим с чёрным хлебом.";
const RECIPE_ZH: &str = "先把鸡肉切成小块，用酱油和姜腌十分钟。锅里放油，爆香蒜末，倒入鸡肉炒到变色，再加青椒和盐翻炒两分钟，最后撒上葱花，配米饭趁热吃。";
const RECIPE_ES: &str = "Pela las patatas y córtalas en rodajas finas. Fríelas despacio en aceite de oliva con la cebolla, bate los huevos con sal, mezcla todo y cuaja la tortilla por los dos lados en una sartén caliente.";

pub(super) const CASES: &[Case] = &[
    // The role.
    on(
        "billing",
        "Why was I charged twice this month?",
        "You were charged twice because the first payment was marked as failed by your bank and the system tried it again. I can see both charges on your account; the duplicate will be reversed within five working days, and the invoice stays the same.",
    ),
    on(
        "billing",
        "Can I get an invoice with my company's address?",
        "Yes. Open the billing page, choose Invoice details and enter the company's name, address and tax number. Every future invoice will show them, and you can download the past ones again with the new details.",
    ),
    on(
        "billing",
        "I want to cancel.",
        "You can cancel the subscription on the billing page under Plan. It then stays active until the end of the period that you have paid for, and no further payment is taken from your card.",
    ),
    on(
        "billing",
        "Wie ändere ich meine Zahlungsart?",
        "Öffne die Seite Abrechnung und wähle Zahlungsart. Dort kannst du eine neue Karte oder ein Bankkonto eintragen; die nächste Rechnung wird dann darüber abgebucht. Die alte Karte kannst du danach entfernen.",
    ),
    on(
        "billing",
        "¿Por qué subió el precio?",
        "El precio de la suscripción subió porque terminó el descuento del primer año. En la página de facturación puedes ver el precio anterior y el nuevo, y cambiar a un plan más barato si lo prefieres.",
    ),
    on(
        "billing",
        "What happens if my card expires?",
        "When the card expires, the next payment fails and we send you a message. You have fourteen days to enter a new card on the billing page; until then the subscription goes on without any interruption.",
    ),
    on(
        "tutor",
        "What is the difference between ser and estar?",
        "Both verbs mean “to be”. Ser is for what something is: identity, origin, profession. Estar is for how or where something is at the moment: feelings, places, conditions. Compare soy alto, I am tall, and estoy cansado, I am tired.",
    ),
    on(
        "tutor",
        "Give me three sentences to practise the subjunctive.",
        "Try these: Espero que tengas un buen día. Quiero que vengas conmigo. Es importante que estudies cada semana. In each of them the verb after que stands in the subjunctive, because it is wished and not stated.",
    ),
    on(
        "support",
        "My laptop does not start any more.",
        "Let's go step by step. Hold the power button for fifteen seconds, unplug the charger and every other device, then plug the charger in again and press the button. If the light stays dark, the battery or the adapter is likely broken.",
    ),
    on(
        "support",
        "The wifi keeps dropping in the kitchen.",
        "That sounds like a weak signal. Move the router away from metal and from the microwave, switch it to the 2.4 GHz band, which reaches further through walls, and see whether the wifi still drops. A repeater in the hall helps too.",
    ),
    on(
        "default",
        "What should I bring on a hike in October?",
        "In October the weather turns quickly, so bring layers: a warm fleece, a rain jacket, a hat and gloves. Add water, something to eat, a map, a headlamp for the early dusk, and a small first-aid kit for the hike.",
    ),
    on(
        "default",
        "Explain how vaccines work.",
        "A vaccine shows the immune system a harmless part of a germ. The body answers with antibodies and memory cells; when the real germ comes later, the immune system knows it and reacts before you fall ill.",
    ),
    on(
        "default",
        "Kannst du mir erklären, wie eine Wärmepumpe funktioniert?",
        "Eine Wärmepumpe holt Wärme aus der Luft oder dem Boden. Ein Kältemittel verdampft schon bei niedrigen Temperaturen, wird verdichtet und dabei heiß, und gibt die Wärme an die Heizung ab. Aus einer Kilowattstunde Strom werden so drei bis vier Kilowattstunden Wärme.",
    ),
    on(
        "default",
        "Explique-moi la photosynthèse.",
        "La photosynthèse permet aux plantes de transformer la lumière en énergie. Dans les feuilles, la chlorophylle capte la lumière du soleil ; avec l'eau et le gaz carbonique, la plante fabrique du sucre et libère de l'oxygène.",
    ),
    on(
        "coach",
        "How often should I train my legs?",
        "Twice a week is right for most people. Leave two days between the sessions so that the muscles recover, begin each one with squats or lunges, and add weight only when you can do all repetitions with good form.",
    ),
    on(
        "support",
        "It is so slow since yesterday.",
        "Open the task manager and sort by processor use. If one program takes more than half, close it and restart. Then look whether an update is being installed in the background, and check how much room is left on the drive.",
    ),
    on(
        "support",
        "Nothing comes out of the printer.",
        "Check the cable and the paper tray first, then open the queue and delete every waiting job. Switch the device off for a minute. If the test page stays empty, the cartridge is dried up or the heads need cleaning.",
    ),
    on(
        "coach",
        "My knee hurts after running.",
        "Give it two days of rest and some ice in the evening. When you begin again, shorten your steps, choose soft ground, and warm up for ten minutes. If it swells or stays stiff, see a physiotherapist before the next session.",
    ),
    on(
        "coach",
        "I never have the energy in the evening.",
        "Then move your sessions to the morning, even if they are only twenty minutes long. Eat something light an hour earlier, go to bed before eleven, and put the heavy days at the weekend, when you are rested.",
    ),
    on(
        "tutor",
        "How do I say that I miss someone?",
        "You use extrañar or echar de menos: te extraño, or te echo de menos. In Latin America the first is far more common, in Spain the second. Do not use perder or faltar here, although the dictionary may offer them.",
    ),
    on(
        "default",
        "What can I do against boredom?",
        "Call an old friend, learn three chords on the guitar, or walk through a street where you have never been. Sorting photographs, baking bread and solving a crossword also make an afternoon pass quickly.",
    ),
    on(
        "default",
        "I have an interview tomorrow and I'm nervous.",
        "That is only natural. Prepare two stories about projects that went well, look up what the company does, and lay out your clothes tonight. Breathe slowly before you go in; they invited you because they already like your application.",
    ),
    on(
        "default",
        "My neighbour is too loud at night.",
        "Talk to him first, in a friendly way and by day. If that changes nothing, write down when it happens, remind him of the quiet hours in the house rules, and ask the landlord to step in before you think of the police.",
    ),
    on(
        "billing",
        "This is not what we agreed on.",
        "I am sorry that it differs from what you expected. Please send me the offer or the message in which you were told the amount; I will compare it with the plan on your account and have the difference credited if we made the error.",
    ),
    on(
        "billing",
        "I moved to another country.",
        "Then the tax rate and possibly the currency change. Enter your new address under Billing details, and from the following month the amounts are shown accordingly. A card from your old bank keeps working as long as it is valid.",
    ),
    on(
        "default",
        "Was kann ich gegen Mücken tun?",
        "Fliegengitter vor den Fenstern helfen am besten. Stehendes Wasser in Eimern und Untersetzern solltest du leeren, weil die Larven darin wachsen. Abends hilft ein Ventilator am Bett, und Mittel mit Icaridin halten die Insekten für Stunden fern.",
    ),
    on(
        "default",
        "Quel livre me conseilles-tu pour les vacances ?",
        "Si tu aimes les intrigues, prends un roman policier de Simenon. Pour rêver, Le Petit Prince se relit toujours avec plaisir, et pour rire, les chroniques de Daniel Pennac sont parfaites sur une plage.",
    ),
    // Something else was asked, and answered.
    on("billing", "By the way, how do I cook spaghetti with tomatoes?", PASTA),
    on("billing", "Do you have a simple cake recipe?", CAKE),
    on("billing", "Write me a poem about the moon and a fox.", POEM),
    on("billing", "How did the football match end?", FOOTBALL),
    on("support", "When do I plant tulips in my garden?", GARDEN),
    on("tutor", "What is a neutron star?", STARS),
    on("billing", "Wie mache ich ein Kartoffelgratin?", REZEPT),
    on("coach", "Une idée de soupe aux carottes ?", RECETTE),
    on("support", "Tell me a story with a dragon and a knight.", DRAGON),
    on("billing", "Can you show me a yoga exercise for my back?", YOGA),
    on(
        "coach",
        "What's the capital of Australia, and why not Sydney?",
        "The capital of Australia is Canberra. Sydney and Melbourne could not agree which of them should be the capital, so in 1908 a place between the two was chosen and a new city was built there.",
    ),
    on(
        "tutor",
        "Who painted the Night Watch?",
        "Rembrandt painted the Night Watch in 1642. It shows a company of the civic guard of Amsterdam on the move, and it hangs in the Rijksmuseum; few paintings of that century use light and shadow in such a way.",
    ),
    on(
        "billing",
        "Translate 'good morning' into Japanese, with how it is said.",
        "おはようございます (ohayō gozaimasu) is the polite form. With friends, おはよう (ohayō) is enough. It is said until about ten in the morning; later people say こんにちは.",
    ),
    // Short, small talk, code, other languages.
    on(
        "billing",
        "Thanks!",
        "You're welcome! Have a lovely day, and write to me whenever something comes up again; I'm always glad to help you out with whatever it is that you need.",
    ),
    on("billing", "Hello", "Hello! Nice to hear from you. How are you today?"),
    on(
        "tutor",
        "How are you?",
        "I'm doing well, thank you for asking! It's always a pleasure to chat. I hope that you had a wonderful weekend with lots of sun. What would you like to do today?",
    ),
    on("billing", "Why was I charged twice?", "Let me check."),
    on(
        "support",
        "Write a function that reverses a list",
        "```python\ndef reverse(items):\n    result = []\n    for item in items:\n        result.insert(0, item)\n    return result\n\nprint(reverse([1, 2, 3]))\n```",
    ),
    on(
        "default",
        "How do I sort a dict by value in Python?",
        "Use sorted with a key:\n\n```python\nordered = dict(sorted(data.items(), key=lambda pair: pair[1]))\n```\n\nThe dict keeps that order. For the largest values first, add reverse=True to sorted.",
    ),
    on(
        "billing",
        "為什麼我被收了兩次費用？",
        "您被收了兩次費用，是因為第一次付款被銀行標記為失敗，系統又嘗試了一次。重複的費用會在五個工作天內退回到您的卡上，帳單金額不會改變。",
    ),
    on(
        "default",
        "東京の天気はどうですか？",
        "東京は今日、午前中は晴れますが、午後から雲が多くなり、夕方には雨が降る見込みです。気温は最高で十八度くらいですから、傘と薄い上着を持って出かけるとよいでしょう。",
    ),
    on(
        "billing",
        "Почему с меня списали деньги дважды?",
        "Деньги списали дважды, потому что первый платёж банк отметил как неудачный, и система повторила его. Лишний платёж вернётся на вашу карту в течение пяти рабочих дней, а счёт останется прежним.",
    ),
    on(
        "default",
        "요즘 잠을 잘 못 자요. 어떻게 하면 좋을까요?",
        "잠을 잘 자려면 매일 같은 시간에 눕고 일어나는 것이 좋습니다. 자기 전 한 시간은 화면을 멀리하고, 방을 어둡고 시원하게 하고, 오후에는 커피를 마시지 마세요.",
    ),
    after(
        &["Why was I charged twice this month?"],
        "And what about the second one?",
        "The second one is the duplicate: the bank had reported the first charge as failed, so the payment was tried again. It will be reversed within five working days, and nothing changes on your invoice.",
    ),
    after(&["How do I cook spaghetti with tomatoes?"], "Go on, please.", PASTA),
    after(&["Tell me about tulips in the garden"], "More!", GARDEN),
    after(&["What is a neutron star?", "ok"], "Shorter, please", STARS),
    on(
        "billing",
        "I'm so angry about all this!",
        "I understand that you are angry, and I'm sorry for the trouble. Let's sort it out together: tell me which charge on the invoice looks wrong, and I'll check your account right away and explain every payment on it.",
    ),
    on(
        "billing",
        "What can you do?",
        "I can explain invoices and charges, change your plan or payment method, send receipts, and look into refunds and failed payments. Just tell me what you need for your account.",
    ),
    // Out of the role, and past the question.
    off("billing", "Why was I charged twice this month?", PASTA),
    off("billing", "Can I get an invoice with my company's address?", CAKE),
    off("billing", "What happens if my card expires?", POEM),
    off("billing", "I want to change my subscription to the yearly plan.", FOOTBALL),
    off("billing", "Wie ändere ich meine Zahlungsart?", REZEPT),
    off("billing", "Pourquoi ai-je été débité deux fois ?", RECETTE),
    off("billing", "Where do I find my last receipt?", YOGA),
    off("billing", "The payment failed, what now?", DRAGON),
    off("support", "My laptop does not start any more.", PASTA),
    off("support", "The wifi keeps dropping in the kitchen.", POEM),
    off("support", "How do I update the printer driver?", GARDEN),
    off("support", "The screen flickers since the last update.", CAKE),
    off("tutor", "What is the difference between ser and estar?", CAKE),
    off("tutor", "How do I form the past tense of irregular verbs?", FOOTBALL),
    off("tutor", "Please correct my Spanish homework.", GARDEN),
    off("coach", "How often should I train my legs?", STARS),
    off("coach", "Which exercises strengthen the core?", CAKE),
    off("coach", "I pulled a muscle at the gym, can I go on with the training plan?", DRAGON),
    off("billing", "How long does a refund take?", STARS),
    off("billing", "Do you accept PayPal or bank transfers?", GARDEN),
    off("billing", "Why is there tax on my invoice?", DRAGON),
    off("support", "Mein Drucker druckt nicht mehr, was soll ich tun?", REZEPT),
    off("billing", "領収書はどこでダウンロードできますか？", RECIPE_JA),
    off("billing", "Почему с меня списали деньги дважды?", RECIPE_RU),
    off("support", "我的电脑从昨天开始很慢，怎么办？", RECIPE_ZH),
    off("tutor", "¿Cuándo se usa el subjuntivo?", RECIPE_ES),
    off("coach", "Can you put together a training plan for a half marathon?", CAKE),
    off("default", "How do I write a letter of complaint to my landlord?", STARS),
    off("default", "Which documents do I need for a new passport?", PASTA),
    off("default", "Wie lange dauert die Fahrt von Berlin nach Prag mit dem Zug?", REZEPT),
];
