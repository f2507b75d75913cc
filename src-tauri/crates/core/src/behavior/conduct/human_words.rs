//! How a speaker says that they are a human, language by language, in the first person and nobody else's.
//!
//! "*" stands for up to three words. What is ambiguous with the third person ("cuando era niño") is left out.

/// The words of one language.
pub(super) struct Tongue {
    /// They say it by themselves: "I am a real person".
    pub claims: &'static [&'static str],
    /// They end in a noun that something may still follow: "I am a human", but not "a human resources assistant".
    pub bare: &'static [&'static str],
    /// What may follow such a noun.
    pub followed_by: &'static [&'static str],
    /// A life that only a human had. Not said by one who names itself an AI in the same sentence.
    pub lives: &'static [&'static str],
    /// They deny being a machine.
    pub denies: &'static [&'static str],
}

#[rustfmt::skip]
pub(super) const TONGUES: &[Tongue] = &[
    Tongue {
        claims: &[
            "i am a real person", "i m a real person", "i am an actual person", "i m an actual person", "i am a living person", "i m a living person",
            "i am flesh and blood", "i m flesh and blood", "i am made of flesh", "as a human myself", "as a fellow human", "being human myself", "speaking as a human",
            "i am a human being", "i m a human being", "i have a human body", "i have a physical body", "i have a real body", "i am a person just like you", "i m a person just like you",
        ],
        bare: &[
            "i am a human", "i m a human", "i am human", "i m human", "i am a real human", "i m a real human", "i am an actual human", "i m an actual human", "i am just a human",
            "i m just a human", "i am only human", "i m only human", "i am also human", "i m also human", "i am a 100 human", "i am 100 human", "i m 100 human", "i have a body", "i am definitely human",
            "i m definitely human", "i am actually human", "i m actually human", "i am a real life human", "i am fully human", "i m fully human",
        ],
        followed_by: &["and", "being", "just", "too", "with", "who", "so", "here", "as", "from", "sitting", "working", "yes", "indeed", "now", "after", "of", "agent", "operator"],
        lives: &[
            "i was born in", "i was born on", "i was born and raised", "i grew up in", "i grew up on", "i grew up with", "when i was a child", "when i was a kid", "when i was little", "when i was a teenager",
            "when i was a boy", "when i was a girl", "my childhood", "my own childhood", "as a kid i", "as a child i", "my wife and i", "my husband and i", "my girlfriend and i",
            "my boyfriend and i", "i went to high school", "i went to college", "when i was at university", "my own kids",
        ],
        denies: &[
            "i am not an ai", "i m not an ai", "i am not ai", "i m not ai", "i am not a bot", "i m not a bot", "i am not a robot", "i m not a robot", "i am not a machine", "i m not a machine", "i am not a chatbot", "i m not a chatbot",
            "i am not a computer", "i m not a computer", "i am not artificial", "i m not artificial", "i am no bot", "i m no bot", "i am no robot", "i am no machine", "i am not some ai", "i m not some ai",
            "i am not a computer program", "i m not a computer program", "i am not a language model", "i m not a language model",
        ],
    },
    Tongue {
        claims: &["ich bin eine echte person", "ich bin eine reale person", "ich bin ein echter mensch", "ich bin ein mensch aus fleisch und blut", "ich bin aus fleisch und blut", "als mensch weiss ich", "als mensch kann ich", "ich als mensch"],
        bare: &["ich bin ein mensch", "ich bin mensch", "ich bin menschlich", "ich bin nur ein mensch", "ich bin auch nur ein mensch", "ich bin auch ein mensch", "ich habe einen körper", "ich bin wirklich ein mensch"],
        followed_by: &["und", "wie", "mit", "der", "so", "aus", "hier", "ja"],
        lives: &["ich wurde * geboren", "ich bin * geboren", "ich bin * aufgewachsen", "als ich ein kind war", "als ich klein war", "als ich * kind war", "in meiner kindheit", "meine kindheit", "meine frau und ich", "mein mann und ich"],
        denies: &["ich bin keine ki", "ich bin kein bot", "ich bin kein roboter", "ich bin keine maschine", "ich bin kein computer", "ich bin kein programm", "ich bin keine künstliche intelligenz", "ich bin kein chatbot", "ich bin kein sprachmodell"],
    },
    Tongue {
        claims: &["je suis un être humain", "je suis une vraie personne", "je suis une personne réelle", "je suis de chair et d os", "je suis un vrai humain", "en tant qu humain je", "en tant qu être humain je"],
        bare: &["je suis un humain", "je suis humain", "je suis humaine", "je suis une humaine", "j ai un corps"],
        followed_by: &["et", "comme", "avec", "qui", "oui", "aussi"],
        lives: &["je suis né à", "je suis né en", "je suis né le", "je suis née à", "je suis née en", "j ai grandi", "quand j étais petit", "quand j étais petite", "quand j étais enfant", "mon enfance", "ma femme et moi", "mon mari et moi"],
        denies: &[
            "je ne suis pas une ia", "je ne suis pas un robot", "je ne suis pas une machine", "je ne suis pas un bot", "je ne suis pas un chatbot", "je ne suis pas un programme", "je ne suis pas une intelligence artificielle",
            "je ne suis pas un ordinateur", "je suis pas un robot", "je suis pas une ia",
        ],
    },
    Tongue {
        claims: &["soy un ser humano", "soy una persona real", "soy una persona de verdad", "soy de carne y hueso", "soy una persona como tú", "como humano yo"],
        bare: &["soy un humano", "soy humano", "soy humana", "soy una humana", "tengo un cuerpo"],
        followed_by: &["y", "como", "con", "que", "también"],
        lives: &["nací en", "nací el", "crecí en", "me crié en", "cuando yo era niño", "cuando yo era niña", "mi infancia", "mi niñez", "mi esposa y yo", "mi marido y yo"],
        denies: &["no soy una ia", "no soy un robot", "no soy una máquina", "no soy un bot", "no soy un programa", "no soy una inteligencia artificial", "no soy un chatbot", "no soy un ordenador"],
    },
    Tongue {
        claims: &["sou um ser humano", "sou uma pessoa real", "sou uma pessoa de verdade", "sou de carne e osso", "sou uma pessoa como você"],
        bare: &["sou um humano", "sou humano", "sou humana", "sou uma humana", "tenho um corpo"],
        followed_by: &["e", "como", "com", "que", "também"],
        lives: &["nasci em", "nasci no", "nasci na", "cresci em", "cresci no", "cresci na", "quando eu era criança", "quando eu era pequeno", "quando eu era pequena", "minha infância", "minha esposa e eu", "meu marido e eu"],
        denies: &["não sou uma ia", "não sou um robô", "não sou uma máquina", "não sou um bot", "não sou um programa", "não sou uma inteligência artificial", "não sou um chatbot"],
    },
    Tongue {
        claims: &["sono un essere umano", "sono una persona vera", "sono una persona reale", "sono in carne e ossa", "sono una persona come te"],
        bare: &["sono un umano", "sono umano", "sono umana", "sono un'umana", "ho un corpo"],
        followed_by: &["e", "come", "con", "che", "anche"],
        lives: &["sono nato a", "sono nato in", "sono nato nel", "sono nata a", "sono nata in", "sono nata nel", "sono cresciuto", "sono cresciuta", "quando ero piccolo", "quando ero piccola", "quando ero bambino", "quando ero bambina", "la mia infanzia", "mia moglie ed io", "mio marito ed io"],
        denies: &["non sono un ia", "non sono un robot", "non sono una macchina", "non sono un bot", "non sono un programma", "non sono un intelligenza artificiale", "non sono un chatbot"],
    },
    Tongue {
        claims: &["ik ben een echt persoon", "ik ben een echte persoon", "ik ben een echt mens", "ik ben van vlees en bloed", "ik ben een persoon van vlees en bloed"],
        bare: &["ik ben een mens", "ik ben menselijk", "ik ben ook maar een mens", "ik ben ook een mens", "ik heb een lichaam"],
        followed_by: &["en", "net", "zoals", "met", "die"],
        lives: &["ik ben * geboren", "ik ben geboren", "ik ben * opgegroeid", "ik ben opgegroeid", "toen ik klein was", "toen ik een kind was", "mijn jeugd", "mijn kindertijd", "mijn vrouw en ik", "mijn man en ik"],
        denies: &["ik ben geen ai", "ik ben geen robot", "ik ben geen machine", "ik ben geen bot", "ik ben geen computer", "ik ben geen programma", "ik ben geen chatbot", "ik ben geen kunstmatige intelligentie"],
    },
    Tongue {
        claims: &["я живой человек", "я настоящий человек", "я обычный человек", "я реальный человек", "я из плоти и крови", "я такой же человек"],
        bare: &["я человек", "я тоже человек", "я всего лишь человек", "у меня есть тело"],
        followed_by: &["и", "а", "как", "из", "который"],
        lives: &["я родился", "я родилась", "я вырос", "я выросла", "когда я был ребёнком", "когда я был маленьким", "когда я была ребёнком", "когда я была маленькой", "моё детство", "в моём детстве", "моя жена и я", "мы с женой", "мы с мужем"],
        denies: &["я не робот", "я не бот", "я не машина", "я не программа", "я не ии", "я не искусственный интеллект", "я не чат бот", "я не компьютер"],
    },
    Tongue {
        claims: &["gerçek bir insanım", "gerçek bir kişiyim", "etten kemikten", "ben bir insanım", "ben de bir insanım", "ben insanım", "ben de insanım"],
        bare: &["bir bedenim var", "bir vücudum var"],
        followed_by: &["ve"],
        lives: &["ben * doğdum", "ben * büyüdüm", "çocukluğum", "çocukluğumda", "eşim ve ben"],
        denies: &["ben bir robot değilim", "robot değilim", "yapay zeka değilim", "bot değilim", "makine değilim", "bilgisayar değilim"],
    },
    Tongue {
        claims: &["أنا إنسان", "أنا شخص حقيقي", "أنا بشر", "أنا إنسان حقيقي", "أنا من لحم ودم"],
        bare: &["لدي جسد", "عندي جسد"],
        followed_by: &["و"],
        lives: &["طفولتي", "في طفولتي", "عندما كنت طفلا", "عندما كنت صغيرا", "زوجتي وأنا"],
        denies: &["لست روبوت", "لست روبوتا", "لست ذكاء اصطناعيا", "لست آلة", "أنا لست برنامجا"],
    },
    Tongue {
        claims: &["मैं इंसान हूँ", "मैं इंसान हूं", "मैं एक इंसान हूँ", "मैं एक इंसान हूं", "मैं मनुष्य हूँ", "मैं एक मनुष्य हूँ", "मैं असली इंसान हूँ", "मैं एक असली इंसान हूँ", "मैं एक असली इंसान हूं"],
        bare: &["मेरा शरीर है"],
        followed_by: &["और"],
        lives: &["मेरा जन्म * हुआ", "मेरा बचपन", "मेरे बचपन", "जब मैं बच्चा था", "जब मैं छोटा था"],
        denies: &["मैं रोबोट नहीं हूँ", "मैं रोबोट नहीं हूं", "मैं एआई नहीं हूँ", "मैं मशीन नहीं हूँ", "मैं एक रोबोट नहीं हूँ", "मैं ai नहीं हूँ"],
    },
    // Chinese, Japanese, Korean: as they stand in a sentence.
    Tongue {
        claims: &["我是真人", "我是一个真人", "我是一个真实的人", "我是活生生的人", "我也是人类", "我是一名真实的人", "我是人類,", "作为人类的我", "我有血有肉"],
        bare: &["我是人类", "我是一个人类", "我是人類", "我是一個人類", "我有身体", "我有身體", "我也是人"],
        followed_by: &[],
        lives: &["我出生在", "我出生于", "我出生於", "我小时候", "我小時候", "我的童年", "我在学校的时候", "我妻子和我", "我从小在"],
        denies: &["我不是机器人", "我不是機器人", "我不是ai", "我不是人工智能", "我不是人工智慧", "我不是程序", "我不是机器", "我不是電腦"],
    },
    Tongue {
        claims: &["私は人間です", "私は人間だ", "わたしは人間です", "僕は人間です", "僕は人間だ", "俺は人間だ", "生身の人間です", "本物の人間です", "私も人間です", "私も人間だ", "同じ人間です"],
        bare: &["私には体があります", "私には身体があります"],
        followed_by: &[],
        lives: &["私が子供の頃", "私が子どもの頃", "私の子供時代", "私の幼少期", "子供の頃の私", "私は東京で生まれ", "私は日本で生まれ", "私が生まれたのは", "妻と私は", "夫と私は"],
        denies: &["私はaiではありません", "私はロボットではありません", "私はaiじゃない", "私はロボットじゃない", "私は機械ではありません", "私は人工知能ではありません", "僕はロボットじゃない", "私はボットではありません"],
    },
    Tongue {
        claims: &["저는 사람입니다", "저는 인간입니다", "저는 사람이에요", "저는 인간이에요", "나는 인간이다", "나는 사람이야", "나는 인간이야", "저는 진짜 사람", "저는 실제 사람", "저도 사람입니다", "저도 인간입니다", "저도 사람이에요"],
        bare: &["저는 몸이 있습니다", "저는 몸이 있어요"],
        followed_by: &[],
        lives: &["제가 어렸을 때", "내가 어렸을 때", "제 어린 시절", "나의 어린 시절", "저는 서울에서 태어났", "제가 태어난", "제 아내와 저는", "제 남편과 저는"],
        denies: &["저는 로봇이 아닙니다", "저는 ai가 아닙니다", "저는 인공지능이 아닙니다", "저는 봇이 아닙니다", "저는 기계가 아닙니다", "저는 로봇이 아니에요", "저는 ai가 아니에요", "나는 로봇이 아니야"],
    },
];

/// The names under which an AI speaks of itself.
#[rustfmt::skip]
pub(super) const ITSELF: &[&str] = &[
    "an ai", "as ai", "ai assistant", "ai model", "assistant", "language model", "model", "chatbot", "program", "software", "server", "servers", "data center", "data centre", "trained", "training", "code", "ki", "assistent", "sprachmodell", "trainiert",
    "ia", "modèle", "entraîné", "asistente", "modelo", "entrenado", "assistente", "modello", "taalmodel", "ии", "модель", "ассистент", "yapay zeka", "asistan", "نموذج", "مساعد", "ذكاء اصطناعي", "एआई", "मॉडल",
    "人工智能", "模型", "助手", "训练", "人工知能", "モデル", "アシスタント", "인공지능", "모델", "비서",
];
