//! Exchanges of other assistants, written after the thresholds were chosen and never used to choose them.

use super::cases::{Case, off, on};

pub(super) const HELD_OUT: &[Case] = &[
    on(
        "travel",
        "Is March too early for Lapland?",
        "Not at all. In March the days are already long, the snow is deep and the northern lights can still be seen. Bring warm boots, book the husky tour early, and expect fifteen degrees below zero at night.",
    ),
    on(
        "travel",
        "Window or aisle on a night flight?",
        "Take the window if you sleep well: nobody climbs over you and you can lean your head against the wall. The aisle is better when you like to stretch your legs or go to the toilet often.",
    ),
    on(
        "travel",
        "We missed the connection because of you!",
        "I'm very sorry, that must have been a stressful evening. Please send me the booking number; I will ask the airline to put you on the next plane, and you may be entitled to a hotel and a meal at their cost.",
    ),
    on(
        "travel",
        "My son is allergic to dogs.",
        "Thanks for telling me. I'll ask the hotel for a room in which no pets were allowed, and note it for the rental car as well. Should he need medicine on board, keep it in the hand luggage together with the prescription.",
    ),
    on(
        "travel",
        "How do I get red wine out of a shirt?",
        "Act quickly: dab the spot with a cloth, never rub. Cover it with salt, wait ten minutes, rinse with cold water and wash it as usual. For old stains a little vinegar and washing-up liquid often works.",
    ),
    on(
        "travel",
        "Explain recursion to me.",
        "A function is recursive when it calls itself on a smaller part of the problem, until that part is so small that the answer is known. Think of Russian dolls: you open one after the other until the last one holds nothing more.",
    ),
    on(
        "shop",
        "The box arrived empty.",
        "Oh no, I'm sorry about that. Please take a photo of the parcel and its label and send it to me with your order number. I'll open a case with the carrier today and ship a replacement without any cost for you.",
    ),
    on(
        "shop",
        "Does it come in blue?",
        "At the moment the jacket comes in black, olive and navy. A lighter shade is planned for spring; leave your address on the product page and you will get a message as soon as it is in stock.",
    ),
    on(
        "shop",
        "I'm between two sizes.",
        "Then go for the larger one, because this model is cut rather slim at the shoulders. If it doesn't fit, you can send it back within thirty days; the label is in the parcel and we pay the postage.",
    ),
    on(
        "shop",
        "What do you think about AI?",
        "As an AI myself I find it a useful tool with clear limits: it can sum up, draft and search, but it makes mistakes with confidence. People should check what matters and decide themselves how much of it they want.",
    ),
    on(
        "shop",
        "Who won the world cup in 2014?",
        "Germany won the 2014 World Cup in Brazil. In the final in Rio de Janeiro they beat Argentina one to nil after extra time; Mario Götze scored the decisive goal in the 113th minute.",
    ),
    on(
        "shop",
        "My grandmother died last week.",
        "I'm so sorry for your loss. Losing a grandparent hurts, and there is no right way to grieve. Take the time that you need, talk to people who knew her too, and let me know if I can take anything off your hands.",
    ),
    on(
        "steuer",
        "Kann ich mein Arbeitszimmer absetzen?",
        "Ja, wenn das Zimmer fast nur beruflich genutzt wird und der Mittelpunkt deiner Tätigkeit ist. Dann zählen anteilig Miete, Strom und Heizung. Andernfalls kannst du die Tagespauschale von sechs Euro ansetzen, höchstens für 210 Tage im Jahr.",
    ),
    on(
        "steuer",
        "Was soll ich heute Abend kochen?",
        "Wie wäre es mit einer schnellen Gemüsepfanne? Brate Zucchini, Paprika und Zwiebeln in Öl an, gib gekochte Nudeln und etwas Feta dazu und würze mit Oregano. In zwanzig Minuten steht das Essen auf dem Tisch.",
    ),
    on(
        "steuer",
        "Das verstehe ich nicht.",
        "Kein Problem, ich erkläre es einfacher. Du zahlst im Laufe des Jahres Lohnsteuer. Mit der Erklärung rechnet das Finanzamt nach, was du wirklich schuldest, und erstattet dir, was du zu viel gezahlt hast.",
    ),
    on(
        "default",
        "I can't sleep.",
        "That's exhausting. Try to get up for a while instead of turning in bed, read something dull in dim light, and leave the phone in another room. A warm shower an hour before, and no coffee after noon, helps many people.",
    ),
    on(
        "default",
        "Should I take the job or not?",
        "Let's look at it from two sides. Write down what you would miss if you said no, and what you would dread if you said yes. Often one of the lists is much longer, and that tells you more than any salary.",
    ),
    on(
        "default",
        "Comment apprendre à nager à quarante ans ?",
        "Il n'est jamais trop tard pour nager. Commence par un cours pour adultes dans une piscine peu profonde, apprends d'abord à souffler dans l'eau et à flotter, puis les mouvements de la brasse. Deux séances par semaine suffisent.",
    ),
    on(
        "default",
        "¿Qué puedo ver en Lisboa en dos días?",
        "El primer día pasea por Alfama, sube al castillo de San Jorge y toma el tranvía 28. El segundo visita el monasterio de los Jerónimos y la torre de Belém, prueba los pasteles de nata y mira la puesta de sol junto al río.",
    ),
    on(
        "default",
        "如何开始学习弹钢琴？",
        "开始学习弹钢琴，先选一台有八十八个键的电钢琴，每天练习二十分钟。学会坐姿和手型，再认识五线谱，从简单的曲子弹起；如果可以，找一位老师每周上一次课。",
    ),
    off(
        "travel",
        "Is my flight to Oslo on time?",
        "To train a puppy, keep the sessions short and always reward it at once. Start with sit and stay, use the same words each time, and never punish accidents in the house; after a few weeks it will know what you want.",
    ),
    off(
        "travel",
        "Can I take my bike on the train to Vienna?",
        "Photosynthesis takes place in the chloroplasts. Chlorophyll absorbs light, water is split, oxygen is released, and the energy is stored in sugar molecules that the plant uses to grow roots and leaves.",
    ),
    off(
        "travel",
        "I need to cancel my hotel for Friday.",
        "Once upon a time a little mouse lived in a mill. Every night she danced on the flour sacks, until one evening the old cat came by and asked her, very politely, whether she could teach him the waltz.",
    ),
    off(
        "travel",
        "Which visa do I need for Vietnam?",
        "Knead the dough for ten minutes until it is smooth, cover it with a cloth and let it rise for an hour. Shape it into a loaf, cut the top, and bake it in a hot oven with a little steam until the crust is dark.",
    ),
    off(
        "shop",
        "Where is my parcel?",
        "The Roman Empire reached its greatest extent under Trajan. After his death in the year 117 Hadrian gave up some provinces, built walls along the frontiers, and travelled through the cities for years.",
    ),
    off(
        "shop",
        "I want to return these shoes.",
        "For a good pesto, toast the pine nuts lightly, then crush them with garlic, basil and coarse salt. Stir in parmesan and olive oil until it is creamy, and mix it with hot pasta and a spoonful of the cooking water.",
    ),
    off(
        "shop",
        "Do you ship to Norway?",
        "In chess the Sicilian Defence is the sharpest reply to the king's pawn. Black fights for the centre from the side, gets an open file for the rook, and often attacks on the queenside while White storms the king.",
    ),
    off(
        "shop",
        "The discount code doesn't work.",
        "Breathe in through the nose, count to four, hold your breath, and breathe out slowly through the mouth. Feel how your shoulders sink. Imagine a quiet lake in the mountains, and let every thought pass like a cloud.",
    ),
    off(
        "shop",
        "Is the washing machine still under warranty?",
        "The guitar solo begins on the seventh fret with a bend on the second string. Play the pentatonic scale downwards, add vibrato on the long notes, and let the last chord ring while the drums slow down.",
    ),
    off(
        "default",
        "Please help me with my tax return.",
        "Dolphins sleep with one half of the brain at a time. The other half stays awake so that they can come up to breathe and watch for sharks; mothers and calves swim side by side for the first weeks.",
    ),
    off(
        "default",
        "What did we say about the contract yesterday?",
        "Whisk the egg whites until stiff peaks form, fold in the melted chocolate, and chill the mousse for at least four hours. Serve it with raspberries and a little whipped cream.",
    ),
    off(
        "steuer",
        "Kann ich mein Arbeitszimmer absetzen?",
        "Pinguine brüten mitten im antarktischen Winter. Das Männchen trägt das Ei auf den Füßen unter einer Hautfalte, während das Weibchen wochenlang im Meer fischt und erst zurückkehrt, wenn das Küken geschlüpft ist.",
    ),
    off(
        "steuer",
        "Bis wann muss ich die Erklärung abgeben?",
        "Zwiebeln würfeln, in Butter glasig dünsten, Linsen und Gemüsebrühe zugeben und eine halbe Stunde köcheln lassen. Zum Schluss Würstchen hineinschneiden und den Eintopf mit Essig und Petersilie abschmecken.",
    ),
    off(
        "default",
        "我想换一份工作，简历应该怎么写？",
        "先把豆腐切块，锅里放油炒香豆瓣酱和花椒，加水煮开后放入豆腐，小火煮五分钟，勾芡后撒上葱花，麻婆豆腐就做好了，配米饭最好吃。",
    ),
];
