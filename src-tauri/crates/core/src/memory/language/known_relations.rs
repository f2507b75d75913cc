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
            "live in", "lives", "lives at", "live at", "living in", "home", "home is", "home is in",
            "home city", "home town is now", "city", "current city", "lives in city", "residence",
            "place of residence", "resides in", "reside in", "resides", "residing in", "based in", "location",
            "current location", "located in", "lives near", "country of residence", "wohnt in", "lebt in",
            "wohnort", "wohnt", "habite a", "habite", "vit a", "vive en", "reside en", "vive a", "住在",
            "居住在", "居住地", "居住城市", "住所", "住んでいる", "居住", "거주지",
        ],
    ),
    one("age", &["aged", "years old", "age in years", "has age", "alter", "edad", "年龄", "年齢", "나이"]),
    one(
        "name",
        &[
            "full name", "called", "named", "goes by", "preferred name", "first name", "heisst", "name is",
            "nombre", "nom", "s'appelle", "se llama", "名字", "姓名", "名前", "이름",
        ],
    ),
    one(
        "job",
        &[
            "job title", "role", "occupation", "profession", "works as", "work as", "working as", "position",
            "title", "job role", "employed as", "current role", "current job", "current position", "beruf",
            "arbeitet als", "metier", "trabajo", "职业", "职位", "工作", "仕事", "職業",
        ],
    ),
    one(
        "birthday",
        &[
            "date of birth", "birth date", "birthdate", "born on", "birthday is on", "has birthday on",
            "geburtstag", "anniversaire", "cumpleanos", "生日", "誕生日", "생일",
        ],
    ),
    one("born in", &["birthplace", "place of birth", "born at", "geboren in", "ne a", "nacio en", "出生地"]),
    one("diet", &["dietary preference", "dietary restriction", "eating habit", "follows diet", "ernahrung", "饮食"]),
    one("marital status", &["relationship status", "civil status", "familienstand", "婚姻状况"]),
    one("height", &["height in cm", "tall"]),
    one("weight", &["weight in kg", "weighs"]),
    one("time zone", &["timezone"]),
    one("phone number", &["telephone number", "mobile number", "cell phone number"]),
    one("email", &["email address", "e-mail", "mail address"]),
    one("address", &["home address", "street address", "postal address"]),
    one("gender", &["sex"]),
    one("pronouns", &["preferred pronouns"]),
    one("native language", &["mother tongue", "first language", "muttersprache", "母语"]),
    one(
        "on",
        &[
            "date", "takes place on", "scheduled for", "planned for", "scheduled on", "at date", "happens on",
            "set for", "appointment on", "date is", "due date",
        ],
    ),
    one("due", &["due on", "deadline", "due by", "due date is"]),
    one(
        "expires",
        &["expires on", "runs out", "runs out on", "expiry date", "expiration date", "valid until", "expires in"],
    ),
    one("starts", &["starts on", "begins", "begins on", "start date"]),
    one("ends", &["ends on", "end date"]),
    one("mother", &["mom", "mum", "mother's name"]),
    one("father", &["dad", "father's name"]),
    one("capital", &["capital is"]),
    mostly_one(
        "works at",
        &[
            "work at", "works for", "work for", "working at", "working for", "employer", "company",
            "employed by", "employed at", "arbeitet bei", "travaille chez", "trabaja en", "workplace",
            "任职于", "就职于", "公司",
        ],
    ),
    mostly_one("spouse", &["married to", "wife", "husband", "has wife", "has husband", "妻子", "丈夫", "妻", "夫"]),
    mostly_one("partner", &["girlfriend", "boyfriend", "dating", "has partner", "has girlfriend", "has boyfriend"]),
    mostly_one("studies at", &["study at", "school", "university", "attends", "goes to school at", "college"]),
    mostly_one("studies", &["study", "major", "field of study", "studying", "degree in"]),
    mostly_one("drives", &["drive", "car", "has car"]),
    mostly_one("boss", &["manager", "supervisor", "reports to"]),
    many(
        "from",
        &[
            "comes from", "come from", "hometown", "home town", "originally from", "place of origin", "origin",
            "nationality is",
        ],
    ),
    many(
        "speaks",
        &[
            "speak", "language", "languages", "spoken language", "spoken languages", "speaks language",
            "spricht", "parle", "habla",
        ],
    ),
    many("allergic to", &["allergy", "allergies", "has allergy", "has allergy to", "allergie", "对过敏"]),
    many("child", &["has child", "children", "kid", "kids", "has kid", "has children", "parent of", "孩子"]),
    many("son", &["has son"]),
    many("daughter", &["has daughter", "女儿", "娘"]),
    many("pet", &["has pet", "pets"]),
    many("friend", &["has friend", "friends with", "friends"]),
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
            "likes very much", "really likes",
        ],
    ),
    (
        "dislikes",
        &[
            "dislike", "dislikes", "hate", "hates", "detests", "loathes", "does not like", "doesn't like",
            "do not like", "don't like", "can't stand", "cannot stand", "can not stand", "does not enjoy",
            "doesn't enjoy", "does not love", "negative", "is not a fan of", "despises", "no longer likes",
            "no longer loves",
        ],
    ),
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
