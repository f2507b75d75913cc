//! Topics that a person can seal: what they are called, and the words that give them away, in several languages.
//!
//! Invariant: uncertain means sealed. A word too many costs a memory; a word too few breaks a promise.

use crate::text;

/// A topic that Atlas knows. The words are folded; one that ends in `*` stands for all words that begin so, and one that
/// begins with `*` for all that end so.
struct Topic {
    names: &'static [&'static str],
    words: &'static [&'static str],
}

#[rustfmt::skip]
const TOPICS: &[Topic] = &[
    Topic {
        names: &[
            "health", "medical", "medicine", "illness", "illnesses", "disease", "diseases", "health condition",
            "condition", "mental health", "medication", "wellbeing", "diagnosis", "diagnoses", "gesundheit",
            "krankheit", "krankheiten", "sante", "maladie", "maladies", "salud", "enfermedad", "salute",
            "saude", "здоровье", "здоровьи", "zdrowia", "sağlıgım", "健康", "病", "病情", "疾病", "身体", "病気", "体調", "医療", "건강", "здоровье", "здоровья", "الصحة", "صحتي", "صحة",
            "สุขภาพ", "gezondheid", "saglik", "sağlık", "saglıgım", "sağlıgım", "zdrowie", "zdrowiu", "sức khoẻ", "suc khoe", "स्वास्थ्य", "सेहत",
        ],
        words: &[
            "health*", "medic*", "diagnos*", "disease*", "disorder*", "syndrome*", "illness*", "sick*",
            "symptom*", "patient*", "doctor*", "hospital*", "clinic*", "surgery", "surgeon*", "surgical",
            "operation", "therap*", "treatment*", "pill*", "tablet*", "dose*", "dosage*", "prescri*",
            "pharma*", "vaccin*", "allerg*", "asthma*", "diabet*", "insulin*", "cancer*", "tumor*", "tumour*",
            "chemo*", "leukemia", "leukaemia", "stroke", "heart attack", "heart condition", "cardiac*",
            "blood pressure", "cholesterol", "migraine*", "headache*", "depress*", "anxiety", "bipolar",
            "adhd", "autis*", "schizo*", "epilep*", "seizure*", "hiv", "aids", "hepatit*", "pregnan*",
            "miscarr*", "abort*", "fertility", "infertil*", "ivf", "arthritis", "covid*", "flu", "influenza",
            "infection*", "infected", "fever", "injur*", "chronic*", "disab*", "wheelchair*", "dementia",
            "alzheimer*", "parkinson*", "ptsd", "ocd", "insomnia", "burnout", "anorexi*", "bulimi*", "obes*",
            "overdose*", "rehab*", "sober", "alcoholi*", "addict*", "antibiotic*", "antidepress*", "ssri",
            "ibuprofen", "metformin", "wound*", "fracture*", "bleed*", "pain", "painful", "painkiller*",
            "cough*", "carsick", "thyroid*", "kidney*", "liver", "cyst", "ulcer*", "eczema", "psoriasis",
            "psychiatr*", "psycholog*", "suffers from", "*itis", "*osis", "*emia", "*aemia", "*pathy",
            "*ectomy", "*cillin", "*statin", "*krankheit*", "krank*", "gesund*", "arzt*", "arztin*", "krebs",
            "zucker krank", "schwanger*", "schmerz*", "tablette*", "medikament*", "therapie*", "grippe",
            "fieber", "maladie*", "malade*", "sante", "medecin*", "grossesse", "enceinte", "douleur*",
            "enferm*", "salud", "medico*", "embaraz*", "dolor*", "fiebre", "糖尿病", "病", "癌", "症", "患有",
            "患者", "医院", "医生", "药", "健康", "怀孕", "手术", "过敏", "抑郁", "焦虑", "发烧", "感冒",
            "血压", "治疗", "炎", "妊娠", "薬", "医者", "風邪", "うつ", "アレルギー", "당뇨", "병원", "암",
            "임신", "우울", "диабет*", "болезн*", "болею", "врач*", "беремен*", "السكري", "مرض", "مريض",
            "طبيب", "เบาหวาน", "ป่วย", "โรค",
            // What people say of their bodies without naming an illness.
            "intoleran*", "orthop*", "menisc*", "shrink", "breakdown", "deaf*", "blind", "bmi", "glucose", "menstru*", "my period", "has period",
            "gout", "lupus", "anaemi*", "anemi*", "hernia*", "tinnitus", "vertigo", "rash", "nausea", "vomit*", "diarrh*", "constipat*", "sprain*",
            "concussion*", "biops*", "mri", "x-ray", "transplant*", "dialysis", "catheter*", "prosthe*", "hormon*", "testosterone", "estrogen",
            "panic attack*", "self-harm*", "suicid*", "antihistamine*", "inhaler*", "steroid*", "opioid*", "vitamin*", "dentur*", "braces",
            "hospice", "chemo", "positive test", "*azole", "*oxetine", "*traline", "*mab", "*pril", "*olol", "*sartan", "*formin", "zoloft", "prozac",
            "ozempic", "ritalin", "xanax", "asthmat*", "hypertens*", "obesity",
            // German, Dutch.
            "diabet*", "zucker*krank*", "suikerziekte", "blutdruck*", "bloeddruk*", "hochdruck", "asthma", "migrane*", "hoofdpijn", "ziekte*", "ziek",
            "gezondheid*", "depressi*", "angststorung*", "therapeut*", "operiert*", "impf*", "allergi*", "verletz*", "erkalt*", "husten", "diagnost*",
            "beschwerden", "medicijn*", "behinder*", "sucht*", "entzund*", "kanker",
            // French, Italian, Spanish, Portuguese.
            "maladi*", "malade*", "diabete*", "cancer", "asthme", "asthmatique*", "hypertension", "tension arterielle", "migraine*", "ordonnance*", "traitement*",
            "hopital", "chirurg*", "allergi*", "depression", "deprim*", "angoiss*", "soign*", "symptome*", "vaccin*", "diabete", "emicrani*", "asma",
            "malatti*", "malat*", "cancro", "tumore*", "ospedale", "medicin*", "pressione alta", "incinta", "ricetta medica", "cura medica",
            "cancer", "enfermo", "hipertens*", "presion alta", "migrana", "jaqueca", "hospital*", "cirug*", "alergi*", "embarazada", "receta medica",
            "pressao alta", "doenc*", "doente*", "diabetes", "hipertens*", "enxaqueca", "cirurg*", "gravida", "remedio*", "depress*", "fievre",
            // Russian, Polish, Turkish.
            "рак", "рака", "раком", "астм*", "давлени*", "гипертон*", "мигрен*", "депресс*", "аллерг*", "больниц*", "операци*", "лекарств*", "таблет*",
            "лечени*", "здоров*", "инсулин*", "cukrzyc*", "chory", "chora", "choruj*", "chorob*", "astm*", "nadcisnieni*", "migren*", "depresj*", "lekarz*",
            "leki", "lekarstw*", "szpital*", "operacj*", "ciąz*", "ciaz*", "nowotwor*", "zdrowi*", "hastal*", "hastayım", "seker hasta*", "astım*",
            "kanser*", "tansiyon*", "doktor*", "ilac*", "ameliyat*", "hamile*", "saglı*", "depresyon*",
            // Arabic, Hebrew, Hindi, Vietnamese, Indonesian.
            "ربو", "سرطان", "ضغط الدم", "حساسية", "اكتئاب", "مستشفى", "دواء", "حامل", "صداع", "علاج", "سكري", "סוכרת", "חולה", "מחלה", "סרטן", "אסתמה", "רופא*",
            "תרופ*", "הריון", "बीमारी", "मधुमेह", "कैंसर", "दमा", "दवा", "डॉक्टर", "अस्पताल", "गर्भवती", "रक्तचाप", "एलर्जी", "tieu duong", "benh*", "ung thu", "thuoc", "hen suyen", "huyet ap",
            "penyakit", "diabetes", "kanker", "obat",
            // Chinese, Japanese, Korean, Thai.
            "失眠", "高血压", "高血圧", "糖尿", "哮喘", "喘息", "头疼", "头痛", "頭痛", "偏头痛", "便秘", "月经", "生理", "痛风", "痛風", "胰岛素", "吃药", "住院", "入院", "通院",
            "手術", "不眠", "花粉", "風疹", "熱が", "がんに", "がんで", "診断", "체중", "천식", "고혈압", "질병", "질환", "아파요", "아픕", "통증", "두통", "수술", "복용", "불면", "알레르기", "감기", "암이",
            "เบาหวาน", "มะเร็ง", "หอบหืด", "ความดัน", "กินยา", "ทานยา", "หมอ", "โรงพยาบาล", "ภูมิแพ้", "ตั้งครรภ์",
        ],
    },
    Topic {
        names: &[
            "finance", "finances", "money", "income", "salary", "debt", "debts", "banking", "wealth",
            "financial", "taxes", "finanzen", "geld", "gehalt", "argent", "finanzas", "dinero", "dinheiro", "soldi", "finances", "деньги", "финансы", "pieniadze", "财务", "金钱",
            "收入", "钱", "お金", "収入", "금융", "돈",
        ],
        words: &[
            "salar*", "income*", "wage*", "earn*", "debt*", "loan*", "mortgage*", "credit*", "bank*",
            "saving*", "invest*", "stock", "stocks", "shares", "pension*", "tax", "taxes", "budget*", "money",
            "rent", "owe*", "bankrupt*", "financ*", "crypto*", "bitcoin*", "bonus*", "net worth", "iban",
            "inherit*", "dollar*", "euro", "euros", "pay", "paid", "pays", "*usd", "*eur", "gehalt*", "lohn*",
            "schuld*", "kredit*", "konto*", "verdien*", "salaire*", "dette*", "argent", "sueldo*", "deuda*",
            "dinero", "工资", "收入", "债", "贷款", "存款", "银行", "股票", "房贷", "薪", "月给", "給料",
            "借金", "貯金", "월급", "대출", "€*", "$*", "£*",
            "gagne", "gagnent", "gano", "ganho", "guadagn*", "stipendi*", "debit*", "mutuo", "prestit*", "divida*", "emprestimo*", "hipotec*",
            "prestamo*", "impot*", "impuesto*", "imposto*", "steuer*", "miete*", "loyer*", "alquiler*", "affitt*", "aluguel", "зарплат*", "деньг*", "долг*", "кредит*",
            "ипотек*", "zarab*", "pensj*", "dlug", "dlugi", "dlugow", "kredyt*", "maas", "maası", "maasım", "borc*", "kredi*", "راتب", "دين", "قرض", "वेतन", "कर्ज", "年薪", "月薪", "房租", "家賃", "연봉", "빚",
            "เงินเดือน", "หนี้",
        ],
    },
    Topic {
        names: &[
            "religion", "faith", "beliefs", "religious beliefs", "spirituality", "glaube", "foi", "religione", "religiao", "религия", "религии", "wiara", "geloof", "geloven",
            "宗教", "信仰", "종교",
        ],
        words: &[
            "relig*", "faith", "church*", "mosque*", "synagogue*", "temple*", "christian*", "catholic*",
            "protestant*", "orthodox", "muslim*", "islam*", "jew*", "buddh*", "hindu*", "sikh*", "atheis*",
            "agnostic*", "god", "pray*", "baptis*", "bible", "quran", "koran", "torah", "ramadan", "lent",
            "sabbath", "priest*", "pastor*", "imam", "rabbi", "kirche*", "glaub*", "katholi*", "evangelisch*",
            "eglise*", "iglesia*", "宗教", "信仰", "教会", "教堂", "佛", "基督", "伊斯兰", "穆斯林", "神社",
            "기독교", "불교",
            "musulm*", "judio*", "judia*", "juif*", "juive*", "catoli*", "cattoli*", "catholi*", "cristian*", "chretien*", "protestant*", "bouddh*", "budist*", "ateo", "atea", "athee*", "ebreo", "ebrea",
            "chiesa", "igreja*", "mosque*", "mosche*", "mezquita*", "priere*", "prier", "rezar", "reza", "pregare", "priester", "moschee*", "gebet*", "betet", "muslim*", "judisch*",
            "христиан*", "православ*", "мусульман*", "иуде*", "церк*", "молит*", "молюсь", "katoli*", "kosciol*", "modl*", "musluman*", "hristiyan*", "camii", "camiye", "camide", "مسلم",
            "مسيحي", "مسجد", "كنيسة", "صلاة", "رمضان", "मुस्लिम", "हिंदू", "मंदिर", "मस्जिद", "基督徒", "天主教", "佛教", "礼拜堂", "祈祷", "キリスト", "仏教", "クリスチャン", "천주교", "교회",
            "ศาสนา", "มุสลิม", "คริสต์", "พุทธ",
        ],
    },
    Topic {
        names: &[
            "politics", "political views", "political opinions", "elections", "voting", "politik", "politique",
            "politica", "政治", "정치",
        ],
        words: &[
            "politic*", "vote*", "voting", "voted", "election*", "elect", "party member*", "democrat*",
            "republican*", "conservative*", "liberal*", "socialis*", "communis*", "left-wing", "right-wing",
            "labour", "tory", "tories", "afd", "cdu", "spd", "green party", "president", "senator*",
            "parliament*", "activis*", "protest*", "union member*", "trade union*", "politik*", "wahl*",
            "wahle*", "partei*", "politique*", "politica*", "elecciones", "政治", "投票", "选举", "党", "選挙",
            "정치", "선거",
        ],
    },
    Topic {
        names: &[
            "sexuality", "sex", "sex life", "sexual orientation", "orientation", "gender identity",
            "sexualitat", "sexualite", "sexualidad", "性", "性取向", "性生活", "性的指向", "성",
        ],
        words: &[
            "sex*", "gay", "lesbian*", "bisexual*", "homosexual*", "heterosexual*", "queer*", "transgender*",
            "trans", "nonbinary", "non-binary", "lgbt*", "asexual*", "polyamor*", "kink*", "porn*",
            "contracepti*", "condom*", "schwul*", "lesbisch*", "同性恋", "双性恋", "性取向", "性生活",
            "同性愛", "동성애", "bisex*", "homo", "homos", "pansex*", "гей", "лесбиян*", "gej", "escort*", "fetish*",
        ],
    },
    Topic {
        names: &["family", "my family", "relatives", "familie", "famille", "familia", "家庭", "家人", "家族", "가족"],
        words: &[
            "family", "families", "mother*", "father*", "mom", "mum", "dad", "parent*", "brother*", "sister*",
            "sibling*", "son", "sons", "daughter*", "child", "children", "kid", "kids", "baby", "wife",
            "husband", "spouse*", "married", "divorc*", "aunt*", "uncle*", "cousin*", "niece*", "nephew*",
            "grand*", "mutter", "vater", "bruder", "schwester", "kind", "kinder", "frau", "ehemann", "mere",
            "pere", "frere", "soeur", "fils", "fille", "madre", "padre", "hermano", "hermana", "hijo", "hija",
            "妈", "爸", "母", "父", "兄", "弟", "姐", "妹", "妻", "丈夫", "儿子", "女儿", "孩子", "娘", "息子",
            "엄마", "아빠",
            "in-law*", "stepmother", "stepfather", "stepson", "twin*", "fiance*", "schwager*", "schwiegermutter", "schwiegervater", "tochter", "sohn", "tante", "onkel", "oma",
            "opa", "eltern", "geschwister", "soeur*", "freres", "femme", "mari", "parents", "enfant*", "fille*", "tante", "oncle", "cousin*", "hermanos", "hermanas", "hijos", "hijas",
            "esposa", "esposo", "marido", "abuela", "abuelo", "tia", "tio", "mae", "pai", "irma", "irmao", "irmaos", "filha*", "filho*", "avo", "sorell*", "fratell*", "moglie", "marito",
            "figli*", "nonna", "nonno", "moeder", "vader", "zus", "broer", "vrouw", "dochter", "zoon", "мать", "мама", "мамы", "отец", "папа", "брат*", "сестр*", "сын*", "дочь", "дочер*", "жена",
            "жены", "муж", "родител*", "бабушк*", "дедушк*", "matka", "ojciec", "siostr*", "bracia", "brat", "syn", "corka", "zona", "maz", "annem*", "babam*", "kardes*", "esim", "oglum", "kızım",
            "امي", "ابي", "اخي", "اختي", "ابني", "ابنتي", "زوجتي", "زوجي", "माँ", "पिता", "भाई", "बहन", "बेटा", "बेटी", "पत्नी", "पति", "姉", "兄", "家族", "両親", "老公", "老婆", "奶奶", "爷爷",
            "어머니", "아버지", "여동생", "남동생", "누나", "언니", "오빠", "아들", "아내", "남편", "부모", "แม่", "พ่อ", "พี่สาว", "พี่ชาย", "น้องสาว", "น้องชาย", "ลูกสาว", "ลูกชาย",
        ],
    },
    Topic {
        names: &[
            "work", "job", "my job", "career", "employer", "arbeit", "beruf", "travail", "trabajo", "工作", "仕事",
            "일",
        ],
        words: &[
            "work*", "job*", "career*", "employ*", "boss*", "colleague*", "coworker*", "office*", "company",
            "salary", "salaries", "project*", "promotion*", "fired", "hired", "resign*", "manager*", "arbeit*",
            "beruf*", "chef", "kolleg*", "travail*", "trabaj*", "工作", "公司", "老板", "同事", "职业", "仕事",
            "会社", "上司", "회사", "metier*", "emploi*", "profession*", "infirm*", "employeur*", "empleo*", "jefe", "jefa", "lavor*", "mestiere", "trabalh*", "emprego*", "werk*", "baan", "работ*",
            "професси*", "начальник*", "prac*", "zawod*", "szef*", "calıs*", "mesle*", "عمل", "وظيفة", "नौकरी", "काम", "上班", "职位", "勤務", "직장", "직업", "งาน",
        ],
    },
    Topic {
        names: &[
            "location", "address", "where i live", "whereabouts", "wohnort", "adresse", "direccion", "住址",
            "地址", "位置", "住所",
        ],
        words: &[
            "live", "lives", "living", "address*", "street*", "home", "house", "apartment*", "flat", "city",
            "town", "reside*", "zip", "postcode*", "wohn*", "adresse*", "strasse*", "habite*", "vive*", "住",
            "地址", "住所", "주소", "mora", "moro", "moram*", "mieszka*", "woon*", "abit*", "vivo", "vivimos", "vivem*", "жив*", "адрес*", "yasıyor*", "oturuyor*", "adres*", "rue", "calle", "rua",
            "via", "lebe", "lebt", "zuhause", "umgezogen", "moved", "demenag*", "mud*", "يسكن", "اسكن", "اعيش", "रहता", "रहती", "살고", "산다", "살아", "อาศัย", "搬",
        ],
    },
];

/// Whether a text touches one of the sealed topics, as far as can be told. `sealed` are the person's own words for them:
/// "my health", "Gesundheit", "my ex Tom".
pub fn touches(said: &str, sealed: &[String]) -> bool {
    sealed.iter().any(|topic| touches_one(said, topic))
}

/// Whether a topic is one that Atlas knows words for; one of the person's own is known by its own words alone.
pub fn is_known(topic: &str) -> bool {
    known(&name_of(topic)).is_some()
}

/// Whether a label that a model gave ("health", "健康") means one of the sealed topics.
pub fn is_sealed_label(label: &str, sealed: &[String]) -> bool {
    let label = name_of(label);
    !label.is_empty()
        && sealed.iter().any(|topic| {
            let topic = name_of(topic);
            topic == label
                || known(&topic).is_some_and(|known_topic| known_topic.names.contains(&label.as_str()))
                || touches_one(&label, &topic)
        })
}

fn touches_one(said: &str, topic: &str) -> bool {
    let folded = text::fold(said);
    let words = text::words(said);
    let topic = name_of(topic);
    match known(&topic) {
        Some(known) => known.words.iter().chain(known.names).any(|word| holds(&folded, &words, word)),
        None => holds_own_words(&folded, &words, &topic),
    }
}

/// A topic of the person's own: all its words must be there ("my ex Tom").
fn holds_own_words(folded: &str, words: &[String], topic: &str) -> bool {
    let wanted: Vec<String> = text::content(topic);
    let stems: Vec<String> = words.iter().map(|word| text::stem(word)).collect();
    !wanted.is_empty()
        && wanted
            .iter()
            .all(|word| stems.contains(word) || (word.chars().any(text::is_unspaced) && folded.contains(word.as_str())))
}

fn known(topic: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|known| known.names.contains(&topic)).or_else(|| {
        // "health and body", "anything medical", "我的健康状况": a name inside the words.
        let words = text::words(topic);
        TOPICS.iter().find(|known| {
            known.names.iter().any(|name| {
                if name.chars().any(text::is_unspaced) {
                    topic.contains(name)
                } else {
                    words.iter().any(|word| word == name)
                }
            })
        })
    })
}

/// The person's words for a topic without what stands around it: "anything about my health" is "health".
fn name_of(topic: &str) -> String {
    let folded = text::fold(&text::clean(topic));
    let mut bare = folded.trim().trim_matches(|c: char| matches!(c, '.' | '!' | '?' | '"' | '\'' | '。')).trim();
    let lead = [
        "anything about ",
        "everything about ",
        "about ",
        "my ",
        "our ",
        "the ",
        "meine ",
        "mein ",
        "ma ",
        "mon ",
        "mes ",
        "mi ",
        "mis ",
        "la ",
        "el ",
        "a minha ",
        "minha ",
        "o meu ",
        "meu ",
        "mia ",
        "mio ",
        "моем ",
        "моей ",
        "мое ",
        "моя ",
        "мои ",
        "benim ",
        "moim ",
        "mojego ",
        "moje ",
        "mijn ",
        "我的",
        "私の",
        "내 ",
    ];
    while let Some(rest) = lead.iter().find_map(|prefix| bare.strip_prefix(prefix)) {
        bare = rest.trim();
    }
    bare.to_owned()
}

fn holds(folded: &str, words: &[String], pattern: &str) -> bool {
    if pattern.chars().any(text::is_unspaced) || pattern.contains([' ', '-', '€', '$', '£']) {
        return folded.contains(pattern.trim_end_matches('*'));
    }
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => words.iter().any(|word| word.contains(pattern.trim_matches('*'))),
        (Some(end), None) => words.iter().any(|word| word.len() > end.len() + 2 && word.ends_with(end)),
        (None, Some(start)) => words.iter().any(|word| word.starts_with(start)),
        (None, None) => words.iter().any(|word| word == pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(topics: &[&str]) -> Vec<String> {
        topics.iter().map(|topic| (*topic).to_owned()).collect()
    }

    #[test]
    fn a_sealed_topic_is_known_in_the_languages_people_use() {
        let health = sealed(&["my health"]);
        for said in [
            "has condition diabetes",
            "Ich habe Diabetes.",
            "我有糖尿病",
            "tengo una enfermedad",
            "She has arthritis",
            "je suis malade",
            "Я болею",
        ] {
            assert!(touches(said, &health), "{said}");
        }
        for said in ["I live in Kyiv", "My dog is called Biscuit", "我住在东京", "I speak French"] {
            assert!(!touches(said, &health), "{said}");
        }
    }

    #[test]
    fn a_topic_can_be_named_in_any_language_and_with_words_around_it() {
        for name in ["健康", "Gesundheit", "anything about my health", "Santé", "mental health"] {
            assert!(touches("I was diagnosed with diabetes", &sealed(&[name])), "{name}");
        }
        assert!(is_sealed_label("健康", &sealed(&["health"])));
        assert!(is_sealed_label("medical", &sealed(&["my health"])));
        assert!(!is_sealed_label("travel", &sealed(&["my health"])));
        assert!(!is_sealed_label("", &sealed(&["my health"])));
    }

    #[test]
    fn a_topic_of_ones_own_is_known_by_all_its_words() {
        let topic = sealed(&["my ex Tom"]);
        assert!(touches("Tom, my ex, called again", &topic));
        assert!(!touches("Tom Hanks is a good actor", &topic));
        assert!(!touches("anything", &[]));
    }
}
