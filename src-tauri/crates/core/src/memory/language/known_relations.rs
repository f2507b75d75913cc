//! The relations that Atlas knows: their synonyms, how many values each holds, and the feelings that exclude each other.
//!
//! Invariant: this is the one place that says which relations hold one value.

/// How many values a relation holds at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// One: a new value takes the place of the old one.
    One,
    /// Mostly one: a sentence with "now" or "new" is enough to replace it, but nothing less.
    MostlyOne,
    /// Any number.
    Many,
}

/// A relation with the words that mean the same.
pub(in crate::memory) struct Relation {
    pub key: &'static str,
    pub holds: Holds,
    pub words: &'static [&'static str],
}

const fn one(key: &'static str, words: &'static [&'static str]) -> Relation {
    Relation { key, holds: Holds::One, words }
}

const fn mostly_one(key: &'static str, words: &'static [&'static str]) -> Relation {
    Relation { key, holds: Holds::MostlyOne, words }
}

const fn many(key: &'static str, words: &'static [&'static str]) -> Relation {
    Relation { key, holds: Holds::Many, words }
}

/// The one place that knows synonyms and which relations hold one value. Words are written as [`crate::memory::language::relation::relation_words`] leaves
/// them: lower case, without articles and without adverbs such as "currently".
#[rustfmt::skip]
pub(in crate::memory) const RELATIONS: &[Relation] = &[
    one(
        "lives in",
        &[
            "live in", "lives", "lives at", "live at", "living in", "home", "home is", "home is in", "home city", "home town is", "city",
            "lives in city", "residence", "place of residence", "resides in", "reside in", "resides", "residing in", "based in", "location",
            "located in", "lives near", "country of residence", "wohnt in", "lebt in", "wohnort", "wohnt", "habite", "vit", "vive en",
            "reside en", "vive", "住在", "居住在", "居住地", "居住城市", "住所", "住んでいる", "居住", "거주지", "moved to", "relocated to", "has moved to",
            "moved into", "settled in", "dwells in", "hometown", "zog nach", "umgezogen nach", "wohne in", "lebe in", "lebt", "wohnsitz",
            "zuhause in", "zu hause in", "stadt", "demenage", "domicile", "ville", "reside", "se mudo", "vivo en", "ciudad", "mora em",
            "moro em", "vive em", "vivo em", "reside em", "mudou-se para", "mudou se para", "cidade", "abita", "vivo", "residenza",
            "woont in", "живет в", "живу в", "住", "现居", "现住", "家在", "定居", "搬到", "搬到了", "住む", "在住", "引っ越した", "引越し先", "사는 곳", "살고 있다", "에 산다",
            "거주", "현 거주지", "yasıyor", "oturuyor", "ikamet", "mieszka w", "mieszka", "zamieszkaly w", "يسكن في", "يعيش في", "السكن",
            "रहता है", "रहती है", "शहर", "อาศัยอยู่", "อยู่ที่", "ที่อยู่", "song o", "город", "miasto", "sehir", "도시", "都市",
            "miejsce zamieszkania",
        ],
    ),
    one("age", &[
        "aged", "years old", "age in years", "has age", "alter", "edad", "年龄", "年齢", "나이", "idade", "anos", "eta", "leeftijd", "возраст",
        "有岁", "turned", "turns", "лет", "wiek", "yas", "yası", "عمر", "العمر", "उम्र", "อายุ",
    ]),
    one(
        "name",
        &[
            "full name", "called", "named", "goes by", "preferred name", "first name", "heisst", "name is", "nombre", "nom", "s'appelle",
            "se llama", "名字", "姓名", "名前", "이름", "nome", "me llamo", "se chama", "chama-se", "vorname", "prenom", "name", "имя", "名は", "名",
            "이름은", "isim", "ismi", "imie", "اسم", "الاسم", "नाम", "ชื่อ",
        ],
    ),
    one(
        "job",
        &[
            "job title", "role", "occupation", "profession", "works as", "work as", "working as", "position", "title", "job role",
            "employed as", "job", "beruf", "arbeitet als", "metier", "trabajo", "职业", "职位", "工作", "仕事", "職業", "job as", "has job as",
            "job is", "works professionally as", "work is", "profession is", "arbeite als", "ist beruflich", "ist tatig als", "tatig als",
            "berufsbezeichnung", "emploi", "travaille comme", "travaille en tant que", "poste", "ocupacion", "profesion", "puesto",
            "trabaja como", "trabaja de", "profissao", "ocupacao", "cargo", "emprego", "trabalha como", "professione", "lavora come",
            "beroep", "werkt als", "профессия", "работает", "从事", "当", "从业", "職種", "직업", "일", "하는 일", "career", "does for living",
            "works in profession", "trade", "zawod", "meslek", "مهنة", "पेशा", "อาชีพ",
        ],
    ),
    one(
        "birthday",
        &[
            "date of birth", "dob", "bday", "born", "birth date", "birthdate", "born on", "birthday is on", "has birthday on", "geburtstag", "anniversaire",
            "cumpleanos", "生日", "誕生日", "생일", "geburtsdatum", "geboren am", "date de naissance", "ne le", "nee le", "fecha de nacimiento",
            "nacio el", "data de nascimento", "aniversario", "nasceu em", "data di nascita", "compleanno", "verjaardag", "день рождения",
            "出生日期", "生年月日", "생년월일",
        ],
    ),
    one("born in", &["birthplace", "place of birth", "born at", "geboren in", "ne", "nacio en", "出生地"]),
    one("diet", &[
        "dietary preference", "dietary restriction", "eating habit", "follows diet", "ernahrung", "饮食", "eating style",
        "ernahrungsweise", "ernahrt sich", "regime", "regime alimentaire", "dieta", "alimentacion", "alimentacao", "alimentazione",
        "диета", "питание", "食事", "식단",
    ]),
    one("marital status", &["relationship status", "civil status", "familienstand", "婚姻状况"]),
    one("height", &["height in cm", "tall"]),
    one("weight", &["weight in kg", "weighs"]),
    one("time zone", &["timezone"]),
    one("phone number", &["telephone number", "mobile number", "cell phone number"]),
    one("email", &["email address", "e mail", "mail address"]),
    one("address", &["home address", "street address", "postal address"]),
    one("gender", &["sex"]),
    one("pronouns", &["preferred pronouns"]),
    one("native language", &["mother tongue", "first language", "muttersprache", "母语"]),
    one(
        "on",
        &[
            "date", "takes place on", "scheduled for", "planned for", "scheduled on", "at date", "happens on", "set for", "appointment on",
            "date is", "due date", "takes place in", "happens in", "planned in", "day", "weekday", "at time", "datum", "ist am", "am",
            "findet statt am", "findet statt", "termin", "fecha", "es el", "data", "e no dia", "dia", "jour", "lieu le", "tarih", "tarihi",
            "дата", "день", "termin to", "التاريخ", "تاريخ", "الموعد", "तारीख", "日期", "日子", "时间", "曜日", "日付", "日時", "日程", "날짜", "요일", "일시",
            "วันที่", "ngay",
        ],
    ),
    one("due", &[
        "due on", "due in", "due at", "deadline", "due by", "due date is", "fallig", "fallig am", "frist", "echeance", "vence", "plazo",
        "prazo", "scade", "срок", "期限", "截止", "截止日期", "마감", "기한", "กำหนด",
    ]),
    one(
        "expires",
        &[
            "expires on", "runs out", "runs out on", "expiry date", "expiration date", "valid until", "expires in", "lauft ab",
            "lauft ab am", "gultig bis", "expire", "expire le", "caduca", "expira", "истекает", "wygasa", "过期", "到期", "失效", "만료",
        ],
    ),
    one("starts", &[
        "starts on", "starts in", "begins", "begins on", "begins in", "start date", "beginnt", "beginnt am", "fangt", "commence",
        "commence le", "empieza", "comienza", "comeca", "inizia", "начинается", "zaczyna sie", "开始", "始まる", "開始", "시작", "시작일", "เริ่ม",
    ]),
    one("ends", &[
        "ends on", "ends in", "end date", "endet", "endet am", "finit", "se termine", "termina", "acaba", "finisce", "заканчивается",
        "konczy sie", "结束", "終わる", "종료",
    ]),
    one("mother", &["mom", "mum", "mother's name", "mutter", "mere", "madre", "mae", "мать", "妈妈", "母亲", "母", "어머니", "엄마"]),
    one("father", &["dad", "father's name", "vater", "pere", "padre", "pai", "отец", "爸爸", "父亲", "父", "아버지", "아빠"]),
    one("capital", &["capital is"]),
    mostly_one(
        "works at",
        &[
            "work at", "works for", "work for", "working at", "working for", "employer", "company", "employed by", "employed at",
            "arbeitet bei", "travaille chez", "trabaja en", "workplace", "任职于", "就职于", "公司", "arbeitet fur", "arbeitgeber", "firma",
            "travaille pour", "employeur", "entreprise", "trabaja para", "empleador", "empresa", "trabalha em", "trabalha na", "trabalha no",
            "trabalha para", "lavora per", "lavora presso", "werkt bij", "работает в", "工作于", "供职于", "在职于", "勤務先", "会社", "勤め先", "직장", "회사",
            "다니는 회사", "has job at", "job at", "employer name", "has position at", "pracuje w", "pracodawca", "calısıyor", "isveren", "工作单位",
            "单位", "上班", "在上班", "lavora in", "lavora", "trabalha", "werkgever", "место работы", "يعمل في", "कंपनी",
        ],
    ),
    mostly_one("spouse", &[
        "married to", "wife", "husband", "has wife", "has husband", "妻子", "丈夫", "妻", "夫", "esposa", "esposo", "marido", "mujer",
        "mulher", "femme", "mari", "epouse", "ehefrau", "ehemann", "verheiratet mit", "casado con", "casada con", "casado com",
        "casada com", "marie", "marie avec", "moglie", "marito", "жена", "муж", "老婆", "老公", "太太", "奥さん", "旦那", "아내", "남편",
    ]),
    mostly_one("partner", &[
        "girlfriend", "boyfriend", "dating", "has partner", "has girlfriend", "has boyfriend", "namorada", "namorado", "novia", "novio",
        "fidanzata", "fidanzato", "女朋友", "男朋友", "彼女", "彼氏", "여자친구", "남자친구", "lebensgefahrtin", "lebensgefahrte",
    ]),
    mostly_one("studies at", &[
        "study at", "school", "university", "attends", "goes to school at", "college", "student at", "enrolled at",
        "goes to university at", "schule", "universitat", "studiert", "ecole", "universite", "escuela", "escola", "universidad",
        "universidade", "scuola", "universita", "школа", "университет", "szkola", "okul", "学校", "大学", "학교", "대학교",
    ]),
    mostly_one("studies", &["study", "major", "field of study", "studying", "degree in"]),
    mostly_one("drives", &[
        "drive", "car", "has car", "vehicle", "car model", "owns car", "car is", "driving", "drives car", "auto", "fahrt", "fahre",
        "voiture", "conduit", "coche", "conduce", "carro", "dirige", "macchina", "guida", "машина", "ездит на", "samochod", "araba",
        "arabası", "车", "座驾", "汽车", "開车", "車", "愛車", "차", "자동차", "سيارة", "गाड़ी", "รถ",
    ]),
    mostly_one("boss", &[
        "manager", "supervisor", "reports to", "chef", "chefin", "patron", "jefe", "jefa", "chefe", "capo", "начальник", "老板", "上司",
        "상사",
    ]),
    many(
        "from",
        &[
            "comes from", "come from", "hometown", "home town", "originally from", "place of origin", "origin", "nationality is",
            "kommt aus", "vient de", "es de", "de origen", "vem de", "viene da", "komt uit", "来自", "出身", "출신",
        ],
    ),
    many(
        "speaks",
        &[
            "speak", "language", "languages", "spoken language", "spoken languages", "speaks language", "spricht", "parle", "habla",
            "sprache", "sprachen", "langue", "langues", "idioma", "idiomas", "lingua", "fala", "parla", "spreekt", "говорит на", "会说", "说",
            "讲", "语言", "話す", "言語", "언어", "구사하는 언어", "fluent in", "knows language", "can speak", "speaks fluently", "language spoken",
            "languages spoken", "knows how to speak", "mowi po", "konusuyor", "konusur", "говорит", "говорит по", "会讲", "话せる", "話せる",
            "يتحدث", "बोलता है", "พูด",
        ],
    ),
    many("allergic to", &[
        "allergy", "allergies", "has allergy", "has allergy to", "allergie", "对过敏", "allergisch gegen", "allergique", "allergique aux",
        "alergico", "alergica", "alergia", "alergias", "allergia", "allergico", "аллергия на", "过敏", "对…过敏", "アレルギー", "알레르기",
        "suffers from allergy to", "allergic against", "has allergies to", "has allergy against", "uczulony na", "alerjisi", "alerji",
        "حساسية", "حساسية من", "एलर्जी", "แพ้", "allergisch voor",
    ]),
    many("child", &[
        "has child", "children", "kid", "kids", "has kid", "has children", "parent of", "孩子", "kind", "kinder", "enfant", "enfants",
        "hijos", "filhos", "figli", "дети", "子供", "자녀",
    ]),
    many("son", &["has son", "sohn", "fils", "hijo", "filho", "figlio", "сын", "zoon", "儿子", "息子", "아들"]),
    many("daughter", &["has daughter", "女儿", "娘", "tochter", "fille", "hija", "filha", "figlia", "дочь", "dochter", "딸"]),
    many("pet", &["has pet", "pets"]),
    many("sister", &[
        "has sister", "sisters", "schwester", "soeur", "hermana", "irma", "sorella", "zus", "сестра", "siostra", "姐姐", "姉", "언니", "누나",
        "أخت", "बहन",
    ]),
    many("brother", &[
        "has brother", "brothers", "bruder", "frere", "hermano", "irmao", "fratello", "broer", "брат", "哥哥", "兄", "오빠", "형", "أخ", "भाई",
    ]),
    many("dog", &[
        "has dog", "dogs", "hund", "chien", "chienne", "perro", "perra", "cachorro", "cane", "hond", "собака", "pies", "kopek", "狗", "犬",
        "강아지", "개", "كلب", "कुत्ता", "หมา",
    ]),
    many("cat", &[
        "has cat", "cats", "katze", "kater", "chat", "chatte", "gato", "gata", "gatto", "gatta", "kat", "кошка", "кот", "kot", "kedi",
        "猫", "고양이", "قطة", "बिल्ली", "แมว",
    ]),
    mostly_one("phone", &[
        "phone model", "mobile", "mobile phone", "cell phone", "cellphone", "smartphone", "handy", "telephone", "telefono", "movil",
        "celular", "телефон", "telefon", "手机", "携帯", "スマホ", "휴대폰", "핸드폰",
    ]),
    many("friend", &[
        "has friend", "friends with", "friends", "freund", "freundin", "ami", "amie", "amigo", "amiga", "amico", "amica", "друг",
        "подруга", "朋友", "友達", "친구",
    ]),
    many("hobby", &["hobbies", "has hobby", "hobby is", "interest", "interests"]),
    many("interested in", &["has interest in"]),
    many("is", &[]),
];

/// Relations of these endings hold one value, whatever stands before: "shoe size", "wifi password".
#[rustfmt::skip]
pub(in crate::memory) const ONE_VALUE_ENDINGS: &[&str] = &[
    "size", "password", "number", "name", "birthday", "address", "date", "deadline", "colour", "color",
    "nickname", "time zone", "email",
];

/// Feelings about a thing, each with the key of its kind. Two kinds about one thing exclude each other.
#[rustfmt::skip]
pub(in crate::memory) const FEELINGS: &[(&str, &[&str])] = &[
    (
        "likes",
        &[
            "like", "likes", "liked", "love", "loves", "enjoy", "enjoys", "adore", "adores", "is fond of",
            "fond of", "is a fan of", "fan of", "is into", "positive", "likes it", "loves it",
            "likes very much", "really likes", "mag", "liebt", "liebe", "gern", "aime", "aime bien", "adore", "gusta", "le gusta",
            "me gusta", "encanta", "le encanta", "gosta de", "gosto de", "ama", "adora", "喜欢", "喜歡", "爱", "热爱", "好き",
            "が好き", "大好き", "좋아한다", "좋아하다", "좋아함", "нравится", "любит",
        ],
    ),
    (
        "dislikes",
        &[
            "dislike", "dislikes", "hate", "hates", "detests", "loathes", "does not like", "doesn't like",
            "do not like", "don't like", "can't stand", "cannot stand", "can not stand", "does not enjoy",
            "doesn't enjoy", "does not love", "negative", "is not a fan of", "despises", "no longer likes",
            "no longer loves", "mag nicht", "mag kein", "hasst", "hasse", "verabscheut", "n'aime pas", "deteste", "odia", "odio",
            "no le gusta", "no me gusta", "nao gosta de", "odeia", "讨厌", "討厭", "不喜欢", "不喜歡", "嫌い", "大嫌い", "싫어한다",
            "싫어하다", "싫어함", "не любит", "ненавидит",
        ],
    ),
];

/// How people eat: what they "are" or "eat" then is their diet.
pub(in crate::memory) const DIETS: &[&str] = &[
    "vegetarian",
    "vegan",
    "pescatarian",
    "pescetarian",
    "flexitarian",
    "omnivore",
    "kosher",
    "halal",
    "vegetarisch",
    "vegetarier",
    "vegetarierin",
    "vegetarien",
    "vegetarienne",
    "vegetariano",
    "vegetariana",
    "vegano",
    "vegana",
    "вегетарианец",
    "веган",
    "素食",
    "素食者",
    "ベジタリアン",
    "채식주의자",
];

/// Who can be somebody's: of them things are said, and they have names.
#[rustfmt::skip]
pub(in crate::memory) const BEINGS: &[&str] = &[
    "sister", "brother", "mother", "father", "mom", "mum", "dad", "son", "daughter", "wife", "husband",
    "partner", "girlfriend", "boyfriend", "friend", "aunt", "uncle", "cousin", "niece", "nephew",
    "grandmother", "grandfather", "grandma", "grandpa", "boss", "manager", "colleague", "neighbour",
    "neighbor", "dog", "cat", "pet", "horse", "rabbit", "hamster", "child", "kid", "baby", "doctor", "dentist",
    "teacher",
];
