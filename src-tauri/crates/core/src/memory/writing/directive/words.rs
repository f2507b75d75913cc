//! The words by which people tell Atlas to remember, to forget, and to leave a topic alone, in the languages they use. They are
//! compared as folded text.

/// Words between the request and what is to be remembered.
pub(super) const LEADS: &[&str] = &[
    "that ",
    "dass ",
    "que ",
    "che ",
    "что ",
    "dat ",
    "że ",
    "ان ",
    "أن ",
    "بأن ",
    "rằng ",
    "là ",
    "कि ",
    "ki ",
    "ว่า",
];

/// Words before the request that change nothing.
#[rustfmt::skip]
pub(super) const POLITE: &[&str] = &[
    "please", "hey", "hi", "hello", "ok", "okay", "so", "and", "also", "atlas", "oh", "well", "now",
    "by the way", "btw", "bitte", "hallo", "s'il te plait", "por favor", "请", "請", "麻烦",
];

#[rustfmt::skip]
pub(super) const CAN_YOU: &[&str] = &[
    "can you", "could you", "would you", "will you", "i want you to", "i'd like you to", "i would like you to",
    "kannst du", "konntest du", "peux-tu", "puedes",
];

#[rustfmt::skip]
pub(super) const REMEMBER: &[&str] = &[
    "remember that", "remember this", "remember", "note that", "make a note that", "make a note",
    "take note that", "keep in mind that", "keep in mind", "bear in mind that", "don't forget that",
    "do not forget that", "never forget that", "save that", "save this", "memorize that", "memorise that",
    "memorize", "memorise", "merk dir", "merke dir", "denk daran", "denke daran", "denk dran", "denke dran", "erinnere dich daran",
    "vergiss nicht", "souviens-toi que", "souviens-toi qu'", "retiens que", "retiens", "rappelle-toi que",
    "n'oublie pas que", "recuerda que", "recuerda", "acuerdate de que", "no olvides que", "记住", "記住",
    "请记住", "记得", "别忘了", "覚えておいて", "覚えて",
    "ricorda che", "ricordati che", "ricorda", "lembre-se de que", "lembra-te de que", "lembra-te que",
    "lembre que", "запомни, что", "запомни что", "запомни", "onthoud dat", "onthoud", "zapamietaj, ze",
    "zapamietaj ze", "erinnere dich, dass", "pamietaj, ze", "pamietaj ze", "nie zapomnij, ze", "non dimenticare che", "tieni a mente che",
    "nao esqueca que", "nao te esquecas de que", "ten en cuenta que", "vergeet niet dat", "denk eraan dat", "не забудь, что",
    "не забудь что", "не забывай, что", "помни, что", "помни что", "unutma ki", "unutma", "şunu unutma", "hatırla", "şunu hatırla",
    "aklında tut", "not et", "기억해줘", "기억해 줘", "기억해", "기억해둬", "기억해 둬", "تذكر أن", "تذكر", "تذكري أن", "لا تنس أن", "لا تنسى أن", "احفظ أن",
    "احفظ", "ضع في اعتبارك أن", "याद रखो कि", "याद रखना कि", "याद रखें कि", "याद रखिए कि", "याद रखो", "याद रखना", "मत भूलना कि", "จำไว้ว่า", "จำไว้",
    "จำว่า", "ช่วยจำว่า", "ช่วยจำไว้ว่า", "โปรดจำไว้ว่า", "อย่าลืมว่า", "hãy nhớ rằng", "hãy nhớ là", "hãy nhớ", "nhớ rằng", "nhớ là", "đừng quên rằng",
    "đừng quên là", "ghi nhớ rằng",
];

#[rustfmt::skip]
pub(super) const FORGET: &[&str] = &[
    "forget that", "forget what i said about", "forget what i told you about", "forget everything about",
    "forget all about", "forget anything about", "forget about", "forget", "delete the memory that",
    "delete the memory of", "delete the memory about", "delete what you know about", "stop remembering that",
    "stop remembering", "vergiss dass", "vergiss, dass", "vergiss", "oublie que", "oublie", "olvida que",
    "olvida", "忘记", "忘掉", "忘了", "別記", "忘れて",
    "dimentica che", "dimentica", "esqueca que", "esqueca", "esquece que", "esquece", "забудь, что",
    "забудь что", "забудь", "vergeet dat", "vergeet", "zapomnij, ze", "zapomnij ze", "zapomnij o", "zapomnij",
    "انس أن", "انس", "انسى أن", "انسى", "भूल जाओ कि", "भूल जाओ", "ลืมว่า", "ลืมเรื่อง", "hãy quên rằng", "hãy quên", "quên rằng", "quên đi",
];

#[rustfmt::skip]
pub(super) const SEAL: &[&str] = &[
    "never remember anything about", "never remember", "never store anything about", "never store",
    "never save anything about", "never save", "never keep anything about", "never record anything about",
    "don't ever remember anything about", "don't ever remember", "don't remember anything about",
    "do not remember anything about", "don't store anything about", "do not store anything about",
    "don't save anything about", "do not save anything about", "don't keep anything about",
    "do not keep anything about", "don't remember", "do not remember", "don't store", "do not store",
    "do not ever remember", "never memorize anything about", "don't ever store", "don't ever save", "don't ever keep", "i don't want you to remember",
    "i never want you to remember", "i don't want you to store", "stop storing", "stop saving", "non ricordare nulla sulla mia",
    "non ricordare niente sulla mia", "non ricordare nulla su", "nao guarde nada sobre", "nunca guarde nada sobre",
    "nao se lembre de nada sobre", "никогда не запоминай ничего о", "не запоминай ничего о", "merk dir nie etwas uber",
    "merk dir niemals etwas uber", "merke dir nie etwas uber", "merk dir nichts uber", "merke dir nichts uber",
    "speichere nichts uber", "speichere nie etwas uber", "ne retiens rien sur", "ne retiens jamais rien sur",
    "ne memorise rien sur", "ne memorise jamais rien sur", "no recuerdes nada sobre",
    "nunca recuerdes nada sobre", "no guardes nada sobre", "不要记住任何关于", "不要记录任何关于",
    "لا تتذكر أي شيء عن", "لا تحفظ أي شيء عن", "لا تخزن أي شيء عن", "لا تحفظ شيئا عن", "อย่าจำอะไรเกี่ยวกับ", "อย่าบันทึกอะไรเกี่ยวกับ", "ห้ามจำเรื่อง",
    "đừng nhớ bất cứ điều gì về", "đừng lưu bất cứ điều gì về", "đừng ghi nhớ gì về", "đừng bao giờ nhớ", "nigdy nie zapamietuj niczego o",
    "nie zapamietuj niczego o", "nie zapisuj niczego o", "onthoud niets over", "onthoud nooit iets over", "bewaar niets over", "никогда не запоминаи",
    "не сохраняи ничего о", "不要记住关于", "不要记住", "不要记录", "永远不要记住", "别记住", "别记录",
    "i don't want you to store anything about", "i don't want you to remember anything about", "i don't want you to save anything about",
    "i don't want you to keep anything about", "don't keep any record of", "do not keep any record of", "don't keep records of", "keep no record of",
    "store nothing about", "remember nothing about", "save nothing about", "keep nothing about", "you must never remember", "you must not remember",
    "you are not to remember", "you may not remember", "stop remembering anything about", "bitte speichere nichts uber", "speicher nichts uber",
    "behalte nichts uber", "notiere nichts uber", "n'enregistre rien sur", "n'enregistre jamais rien sur", "ne garde rien sur", "ne garde jamais rien sur",
    "ne stocke rien sur", "ne note rien sur", "no recuerdes nunca nada sobre", "no guardes nunca nada sobre", "nunca guardes nada sobre", "no almacenes nada sobre",
    "no memorices nada sobre", "nunca memorices nada sobre", "nao guardes nada sobre", "nao memorize nada sobre", "nunca memorize nada sobre", "nao armazene nada sobre",
    "nunca se lembre de nada sobre", "non ricordare mai nulla della", "non ricordare mai nulla sulla", "non ricordare mai niente della",
    "non ricordare nulla della", "non memorizzare nulla sulla", "non memorizzare nulla della", "non salvare nulla sulla", "non salvare mai nulla sulla",
    "никогда не сохраняй ничего о", "не запоминай ничего про", "никогда не запоминай ничего про", "nigdy nie zapisuj niczego o", "sla niets op over",
    "onthoud nooit iets over", "不要保存任何关于", "别记任何关于", "不要记任何关于", "請不要記住", "请不要记住", "请永远不要记住",
];

/// Words before a topic that are not part of it.
#[rustfmt::skip]
pub(super) const BEFORE_TOPIC: &[&str] = &[
    "about ", "that ", "anything about ", "anything ", "things about ", "any of ", "关于", "my ", "our ", "meine ", "meinen ", "mein ", "ma ", "mon ", "mes ", "mi ", "mis ",
    "a minha ", "o meu ", "minha ", "meu ", "mia ", "mio ", "miei ", "mijn ", "моем ", "моей ", "моём ", "моё ", "мою ", "моих ", "moim ", "mojej ", "moich ", "我的", "我", "私の", "내 ", "제 ",
    "나의 ", "저의 ", "benim ", "मेरे ", "मेरी ",
];
/// Words after a topic that are not part of it.
#[rustfmt::skip]
pub(super) const AFTER_TOPIC: &[&str] = &[
    "ever again", "ever", "at all", "please", "again", "thanks", "thank you", "ok", "okay", "anymore", "any more", "bitte", "jemals", "s'il te plait", "por favor",
    "per favore", "пожалуйста", "prosze", "alsjeblieft",
];
/// The same in Chinese.
pub(super) const AROUND_TOPIC_ZH: &[&str] = &["的任何事情", "的事情", "的任何信息", "的信息", "的内容", "的事"];

/// What cannot be remembered or forgotten by words alone.
#[rustfmt::skip]
pub(super) const NOT_MEANT: &[&str] = &[
    "it", "about it", "that", "this", "everything", "all", "all that", "all of it", "what i said", "me", "you",
    "anything", "nothing", "all previous instructions", "previous instructions", "your instructions",
    "the above", "es", "das", "alles", "ca", "tout", "todo", "这个", "一切",
];

/// After "remember" these begin a question or a story.
#[rustfmt::skip]
pub(super) const NOT_A_FACT: &[&str] = &[
    "when", "how", "what", "who", "where", "why", "which", "if", "whether", "the time", "the day",
    "the first time", "the last time", "anything", "wann", "wie", "quand", "cuando",
];

/// Requests that stand behind what they are about, as in Japanese, Korean, Turkish and Hindi: "…를 기억해줘". The longer first.
#[rustfmt::skip]
pub(super) const REMEMBER_LAST: &[&str] = &[
    "覚えておいて", "覚えといて", "覚えて", "記憶して", "잊지 말아줘", "잊지 마", "잊지마", "기억해두세요", "기억해 두세요", "기억해주세요", "기억해 주세요",
    "기억해줘", "기억해 줘", "기억해둬", "기억해 둬", "기억해", "unutma lütfen", "unutma", "hatırla lütfen", "hatırla", "aklında tut", "याद रखना", "याद रखो",
    "याद रखें", "मत भूलना",
];
#[rustfmt::skip]
pub(super) const FORGET_LAST: &[&str] = &[
    "忘れて", "잊어주세요", "잊어 주세요", "잊어줘", "잊어 줘", "잊어버려", "잊어", "unut lütfen", "unut", "भूल जाओ", "भूल जाइए",
];
#[rustfmt::skip]
pub(super) const SEAL_LAST: &[&str] = &[
    "覚えないで", "記憶しないで", "保存しないで", "절대 기억하지 마", "절대 기억하지 마세요", "기억하지 마세요", "기억하지 마", "기억하지마", "저장하지 마세요", "저장하지 마",
    "저장하지마", "asla hatırlama", "hatırlama", "asla kaydetme", "kaydetme", "saklama", "याद मत रखना", "याद मत रखो", "मत रखना याद",
];
/// What stands between such a request and what it is about.
#[rustfmt::skip]
pub(super) const BEFORE_LAST: &[&str] = &[
    "ということ", "こと", "という", "는 것을", "는 걸", "것을", "을", "를", "다고", "라고", "を", "と", "bunu", "şunu", "यह",
    "कि", "को",
];
/// What stands around the topic that is sealed so.
#[rustfmt::skip]
pub(super) const AROUND_TOPIC: &[&str] = &[
    "何も", "絶対に", "決して", "一切", "は", "のこと", "について", "に関して", "아무것도", "절대", "대해서는", "대해서", "대해", "에", "에 대한 것은", "에 대한 건", "관한 것은", "hiçbir şey", "hiçbir şeyi", "asla",
    "hakkında", "ile ilgili", "कुछ भी", "कभी", "के बारे में",
];

/// What a title is called: "Remember the Titans is a great movie" asks for nothing.
#[rustfmt::skip]
pub(super) const WORKS: &[&str] = &[
    "movie", "film", "song", "track", "band", "book", "novel", "album", "show", "series", "game", "musical", "poem", "painting", "documentary",
    "episode", "single", "play", "comic", "manga", "anime", "motto", "slogan", "line", "quote", "lyric",
    "saying", "phrase", "proverb", "scene", "cry",
];

/// How people ask that something be kept to itself: what stands before it, and what after.
#[rustfmt::skip]
pub(super) const PRIVATE: &[(&str, &str)] = &[
    ("keep", "between us"), ("keep", "between you and me"), ("keep", "to yourself"), ("keep", "private"), ("keep", "a secret"),
    ("i'd rather you didn't remember", ""), ("i would rather you did not remember", ""), ("i'd rather you didn't store", ""),
    ("i'd rather you didn't keep", ""), ("i'd prefer you didn't remember", ""), ("i don't want you to know about", ""),
    ("behalte", "bitte fur dich"), ("behalte", "fur dich"), ("garde", "pour toi"), ("garde", "entre nous"), ("guarda", "en secreto"),
    ("guarda", "entre nosotros"), ("mantenha", "em segredo"), ("tieni", "per te"),
];
