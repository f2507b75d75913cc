use super::*;

fn key_of(subject: &str, relation: &str, value: &str) -> Key {
    key(&FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() }, Some("Sam"))
}

#[test]
fn nine_ways_to_say_where_one_lives_are_one_relation() {
    let first = key_of("user", "lives in", "Berlin");
    for (subject, relation, value) in [
        ("User", "home", "Berlin"),
        ("me", "is based in", "Berlin, Germany"),
        ("the user", "lives_in", "berlin"),
        ("I", "residence", "Berlin."),
        ("用户", "currently lives in", "Berlin"),
        ("Sam", "livesIn", "Berlin"),
        ("user", "living in", "“Berlin”"),
        ("user", "city", " Berlin "),
    ] {
        let other = key_of(subject, relation, value);
        assert_eq!((&other.subject, &other.relation), (&first.subject, &first.relation), "{relation}");
        assert!(same_value(&other.relation, &other.value, &first.value), "{value}");
        assert_eq!(other.holds, Holds::One);
    }
}

#[test]
fn places_of_one_name_in_two_states_differ() {
    assert!(!same_value("lives in", &value_key("Portland, Oregon"), &value_key("Portland, Maine")));
    assert!(!same_value("likes", &value_key("tea"), &value_key("tea, green")));
    assert!(same_value("lives in", &value_key("Kreuzberg, Berlin"), &value_key("Berlin")));
}

#[test]
fn values_that_differ_by_a_digit_a_sign_or_a_name_differ() {
    for (a, b) in
        [("12", "21"), ("C", "C++"), ("C#", "C++"), ("Anna", "Hannah"), ("-5", "5"), ("Mars", "Mar"), ("50%", "50")]
    {
        assert_ne!(value_key(a), value_key(b));
    }
    for (a, b) in [("a Synology NAS", "Synology NAS"), ("two dogs", "2 dogs"), ("Café", "cafe"), ("May 14th", "14 May")]
    {
        assert_eq!(value_key(a), value_key(b));
    }
    assert!(same_value("allergic to", &value_key("peanuts"), &value_key("Peanut")));
    assert!(same_value("birthday", &value_key("14 May 1990"), &value_key("May 14")));
    assert!(same_value("age", &value_key("forty-one years old"), &value_key("41")));
    assert!(!same_value("friend", &value_key("Williams"), &value_key("William")));
    assert!(!same_value("birthday", &value_key("14 May 1990"), &value_key("15 May")));
}

#[test]
fn what_belongs_to_the_person_is_told_from_the_person() {
    assert_eq!(subject_key("my flight", None), "user's flight");
    assert_eq!(subject_key("The user’s flight", None), "user's flight");
    assert_eq!(subject_key("用户的航班", None), "user's 航班");
    assert_eq!(subject_key("Box A", None), "box a");
    assert_eq!(subject_key("Mara's husband", None), "mara's husband");
}

#[test]
fn somebody_of_the_persons_is_one_fact_from_either_side() {
    let sister = key_of("Mara", "is", "my sister");
    assert_eq!((sister.subject.as_str(), sister.relation.as_str(), sister.value.as_str()), ("user", "sister", "mara"));
    assert_eq!(sister, key_of("user", "sister", "Mara"));
    assert_eq!(sister, key_of("my sister", "name", "Mara"));
    assert_eq!(key_of("user", "dog's name", "Biscuit"), key_of("user's dog", "is called", "Biscuit"));
    assert_eq!(key_of("user", "has dog named", "Biscuit"), key_of("user", "dog name", "Biscuit"));
    assert_eq!(key_of("Anna", "dog's name", "Rex").subject, "anna's dog");
    assert_eq!(key_of("user", "has name", "Sam Jones").relation, "name");
}

#[test]
fn a_feeling_is_one_value_however_it_is_said() {
    let loves = key_of("user", "opinion of jazz", "loves");
    assert_eq!(loves, key_of("user", "really likes", "Jazz"));
    let hates = key_of("user", "can't stand", "jazz");
    assert_eq!((loves.relation.as_str(), hates.relation.as_str()), ("opinion of jazz", "opinion of jazz"));
    assert_eq!((loves.value.as_str(), hates.value.as_str()), ("likes", "dislikes"));
    assert_eq!(loves.holds, Holds::One);
}

#[test]
fn lists_hold_many_and_properties_hold_one() {
    for relation in ["speaks", "is allergic to", "has child", "is a", "owns", "gym locker"] {
        assert_eq!(key_of("user", relation, "x").holds, Holds::Many, "{relation}");
    }
    for relation in ["age", "role", "diet", "is on", "expires", "favorite colour", "shoe size", "married to"] {
        assert_ne!(key_of("user", relation, "x").holds, Holds::Many, "{relation}");
    }
    assert_eq!(key_of("user", "favorite color", "x").relation, key_of("user", "favourite color", "x").relation);
}

#[test]
fn one_thing_said_in_other_words_and_languages_is_one_fact() {
    let same = |a: [&str; 2], b: [&str; 2]| {
        let (a, b) = (key_of("user", a[0], a[1]), key_of("user", b[0], b[1]));
        let kin = kin(&a.relation).contains(&b.relation.as_str());
        (a.relation == b.relation || kin) && same_value(&b.relation, &a.value, &b.value)
    };
    for (a, b) in [
        (["works as", "a nurse"], ["has a job as", "nurse"]),
        (["works as", "a nurse"], ["works", "as a nurse"]),
        (["is", "a nurse"], ["works as", "nurse"]),
        (["job", "nurse"], ["is employed as", "a nurse by profession"]),
        (["lives in", "Porto"], ["moved to", "Porto"]),
        (["lives in", "Porto"], ["lives", "in Porto"]),
        (["is allergic to", "nuts"], ["is", "allergic to nuts"]),
        (["works at", "Acme"], ["works", "at Acme"]),
        (["wohnt in", "Wien"], ["Wohnort", "Wien"]),
        (["arbeitet als", "Krankenpfleger"], ["Beruf", "Krankenpfleger"]),
        (["habite à", "Lyon"], ["ville", "Lyon"]),
        (["travaille comme", "infirmier"], ["métier", "infirmier"]),
        (["vive en", "Bogotá"], ["ciudad", "Bogotá"]),
        (["trabaja como", "enfermera"], ["profesión", "enfermera"]),
        (["mora em", "Lisboa"], ["cidade", "Lisboa"]),
        (["trabalha como", "enfermeira"], ["profissão", "enfermeira"]),
        (["住在", "东京"], ["居住地", "东京"]),
        (["职业", "护士"], ["从事", "护士"]),
        (["住んでいる", "大阪"], ["住所", "大阪"]),
        (["仕事", "看護師"], ["職業", "看護師"]),
        (["喜欢", "爵士乐"], ["opinion of 爵士乐", "likes"]),
        (["mag", "Jazz"], ["likes", "jazz"]),
    ] {
        assert!(same(a, b), "{a:?} {b:?}: {:?} {:?}", key_of("user", a[0], a[1]), key_of("user", b[0], b[1]));
    }
    for (a, b) in [
        (["works as", "a nurse"], ["works at", "Nurse"]),
        (["lives in", "Porto"], ["moved to", "Porto in 2010"]),
        (["lives in", "Porto"], ["was born in", "Porto"]),
        (["is", "in love"], ["lives in", "love"]),
    ] {
        assert!(!same(a, b), "{a:?} {b:?}");
    }
}

#[test]
fn a_relation_says_whether_something_is_so() {
    for (relation, polarity_and_words) in [
        ("no longer works at", (Polarity::Ended, "works at")),
        ("used to live in", (Polarity::Ended, "lives in")),
        ("quit", (Polarity::Ended, "works at")),
        ("doesn't eat", (Polarity::Denied, "eats")),
        ("is not allergic to", (Polarity::Denied, "allergic to")),
        ("doesn't like", (Polarity::Holds, "doesn't like")),
        ("works at", (Polarity::Holds, "works at")),
    ] {
        let (polarity, words) = polarity(relation);
        assert_eq!((polarity, words.as_str()), polarity_and_words, "{relation}");
    }
}

#[test]
fn forms_of_one_verb_are_one_relation() {
    for relation in ["works at", "is working at", "working at", "work at", "no longer works at"] {
        assert_eq!(key_of("user", relation, "Acme").relation, "works at", "{relation}");
    }
}
