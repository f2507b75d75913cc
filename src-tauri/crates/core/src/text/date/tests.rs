use super::*;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn relative_days_become_dates() {
    // A Monday.
    let today = day("2026-03-02");
    for (said, expected) in [
        ("tomorrow", "2026-03-03"),
        ("tomorrow at 9", "2026-03-03 at 9"),
        ("the day after tomorrow", "2026-03-04"),
        ("in two weeks", "2026-03-16"),
        ("in a month", "2026-04"),
        ("3 days ago", "2026-02-27"),
        ("a week from now", "2026-03-09"),
        ("this Friday", "2026-03-06"),
        ("next Friday", "2026-03-13"),
        ("last Friday", "2026-02-27"),
        ("next week", "the week of 2026-03-09"),
        ("next month", "2026-04"),
        ("next year", "2027"),
        ("dentist tomorrow, then lunch", "dentist 2026-03-03, then lunch"),
        ("morgen", "2026-03-03"),
        ("in zwei Wochen", "2026-03-16"),
        ("dans trois jours", "2026-03-05"),
        ("明天开会", "2026-03-03开会"),
        ("下周五开会", "2026-03-13开会"),
        ("三天后", "2026-03-05"),
        ("一百五十天后", "一百五十天后"),
        ("10000天后", "10000天后"),
        ("来週", "the week of 2026-03-09"),
        ("来週の金曜日", "2026-03-13"),
        ("내년 봄", "2027 봄"),
        ("heute Morgen", "2026-03-02"),
        ("last night", "2026-03-01"),
        ("amanhã", "2026-03-03"),
        ("il y a deux jours", "2026-02-28"),
        ("daqui a 3 dias", "2026-03-05"),
        ("через 2 недели", "2026-03-16"),
        ("in a couple of days", "2026-03-04"),
        ("the end of the month", "2026-03-31"),
        ("in 15 minutes", "in 15 minutes"),
        ("2026-03-10, not tomorrow", "2026-03-10, not tomorrow"),
        ("Mondays", "Mondays"),
        ("in Berlin", "in Berlin"),
    ] {
        assert_eq!(absolute(said, today, Weekdays::AreHabits), expected);
    }
}

#[test]
fn a_weekday_is_a_date_for_an_appointment_and_not_for_a_habit() {
    let today = day("2026-03-02");
    assert_eq!(absolute("Friday", today, Weekdays::AreDates), "Friday 2026-03-06");
    assert_eq!(absolute("Friday", today, Weekdays::AreHabits), "Friday");
    assert_eq!(absolute("monday", today, Weekdays::AreDates), "Monday 2026-03-02");
}

#[test]
fn the_days_of_a_text_are_found() {
    let today = day("2026-03-02");
    assert!(mentioned("My flight is on Friday.", today).contains(&"2026-03-06".to_owned()));
    assert!(mentioned("It's due March 3rd, I think", today).contains(&"2026-03-03".to_owned()));
    assert!(mentioned("am 14. Mai 2027", today).contains(&"2027-05-14".to_owned()));
    assert_eq!(mentioned("The weather is lovely", today), Vec::<String>::new());
}

#[test]
fn dates_are_written_as_people_write_them() {
    assert_eq!(for_people("Friday 2026-03-06 at 9"), "Friday 6 March 2026 at 9");
    assert_eq!(for_people("order 12026-03-069"), "order 12026-03-069");
    assert_eq!(last_iso_date("2026-03-06 to 2026-03-09"), Some(day("2026-03-09")));
    assert_eq!(day_key("May 14th, 1990").as_deref(), Some("1990-05-14"));
    assert_eq!(day_key("14. Mai").as_deref(), Some("--05-14"));
    assert_eq!(day_key("Friday 2026-03-06").as_deref(), Some("2026-03-06"));
    assert_eq!(day_key("14 Mayfield"), None);
    assert!(begins_with_spoken_date("6 March 2026"));
    assert!(!begins_with_spoken_date("6 eggs"));
}
