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

/// What a text says, as "2026-03-05T09:00" or "2026-03", separated by spaces. It is said on Monday, 2 March 2026, at nine.
fn read(said: &str) -> String {
    let said_at = DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").unwrap();
    let stamp = |found: Found| {
        let time = found.time.map_or_else(String::new, |time| time.format("T%H:%M").to_string());
        found.day.iso() + &time
    };
    find(said, said_at).into_iter().map(stamp).collect::<Vec<_>>().join(" ")
}

fn all_read(cases: &[(&str, &str)]) {
    let wrong: Vec<_> = cases
        .iter()
        .map(|(said, expected)| (*said, read(said), *expected))
        .filter(|(_, got, expected)| got != expected)
        .collect();
    assert_eq!(wrong, []);
}

#[test]
fn english_is_read() {
    all_read(&[
        ("My bike gets its service tomorrow at half past three", "2026-03-03T15:30"),
        ("choir starts on Thursday at quarter to eight", "2026-03-05T07:45"),
        ("the boiler man is coming in two weeks", "2026-03-16"),
        ("we painted the fence on Saturday", "2026-02-28"),
        ("I gave up sugar three months ago", "2025-12"),
        ("our lease ends at the end of June", "2026-06"),
        ("flight on the 19th at 6:40am", "2026-03-19T06:40"),
        ("the fair is on 4 April from 10", "2026-04-04T10:00"),
        ("pottery every Wednesday at 7", ""),
        ("I may sit in the sun and read", ""),
        ("the 3rd floor is being cleaned", ""),
        ("half marathon on September 20th, 2026", "2026-09-20"),
        ("I've been vegan since November", "2025-11"),
        ("rehearsal next Sunday at noon", "2026-03-15T12:00"),
        ("the shop opens in 2027", "2027"),
        ("She arrives at 9 pm tomorrow.", "2026-03-03T21:00"),
        ("meet me wed 2-3", "2026-03-04T14:00"),
    ]);
}

#[test]
fn german_and_dutch_are_read() {
    all_read(&[
        ("Die Lesung ist übermorgen um halb acht", "2026-03-04T07:30"),
        ("Am Freitagabend um 8 koche ich für alle", "2026-03-06T20:00"),
        ("Wir sind vor drei Jahren nach Ulm gezogen", "2023"),
        ("In zwei Monaten beginnt mein Praktikum", "2026-05"),
        ("Am 17. April habe ich Prüfung", "2026-04-17"),
        ("jeden Dienstag gehe ich schwimmen", ""),
        ("Die Hochzeit ist am Samstag in einer Woche", "2026-03-14"),
        ("am 9.5.2026 um 14:30 Uhr", "2026-05-09T14:30"),
        ("nächste Woche Mittwoch kommt der Klempner", "2026-03-11"),
        ("morgen früh um 7 Uhr", "2026-03-03T07:00"),
        ("volgende week donderdag om half tien naar de kapper", "2026-03-12T09:30"),
        ("morgenavond om 8 uur eten we samen", "2026-03-03T20:00"),
        ("drie maanden geleden ben ik gestopt met roken", "2025-12"),
        ("op 21 maart is de opening", "2026-03-21"),
        ("elke maandag heb ik koor", ""),
    ]);
}

#[test]
fn romance_languages_are_read() {
    all_read(&[
        ("El jueves a las siete y media tengo ensayo", "2026-03-05T07:30"),
        ("mañana a las 5 de la tarde viene el fontanero", "2026-03-03T17:00"),
        ("dentro de tres semanas me operan la rodilla", "2026-03-23"),
        ("el 12 de abril es la boda de mi prima", "2026-04-12"),
        ("hace dos años dejé el tabaco", "2024"),
        ("los martes juego al pádel", ""),
        ("la semana que viene empiezo el curso", "2026-03-09"),
        ("jeudi à 18h30 j'ai un entretien", "2026-03-05T18:30"),
        ("dans quinze jours on part en Crète", "2026-03-16"),
        ("la semaine prochaine je suis en congé", "2026-03-09"),
        ("le 14 avril à 9 heures", "2026-04-14T09:00"),
        ("il y a trois mois j'ai adopté un chien", "2025-12"),
        ("tous les lundis je nage", ""),
        ("le spectacle est demain soir à 8 heures et demie", "2026-03-03T20:30"),
        ("na quinta-feira às 15h tenho dentista", "2026-03-05T15:00"),
        ("depois de amanhã às 9 e meia", "2026-03-04T09:30"),
        ("há dois meses comecei a nadar", "2026-01"),
        ("no dia 20 de maio é o casamento", "2026-05-20"),
        ("semana que vem eu viajo", "2026-03-09"),
        ("toda sexta eu danço", ""),
        ("giovedì alle nove e mezza ho il colloquio", "2026-03-05T09:30"),
        ("tra due settimane arriva mio fratello", "2026-03-16"),
        ("l'8 aprile alle 17 c'è la recita", "2026-04-08T17:00"),
        ("tre mesi fa ho cambiato casa", "2025-12"),
        ("ogni mercoledì faccio yoga", ""),
        ("la settimana prossima sono a Torino", "2026-03-09"),
    ]);
}

#[test]
fn slavic_languages_are_read() {
    all_read(&[
        ("w czwartek o 18 mam próbę chóru", "2026-03-05T18:00"),
        ("za dwa tygodnie lecę do Oslo", "2026-03-16"),
        ("15 kwietnia jest ślub siostry", "2026-04-15"),
        ("pięć lat temu kupiłam rower", "2021"),
        ("w przyszłym tygodniu mam urlop", "2026-03-09"),
        ("co środę chodzę na basen", ""),
        ("в четверг в 7 вечера у меня концерт", "2026-03-05T19:00"),
        ("через две недели переезжаем", "2026-03-16"),
        ("15 апреля экзамен по вождению", "2026-04-15"),
        ("три года назад я бросил курить", "2023"),
        ("на следующей неделе отпуск", "2026-03-09"),
        ("каждый вторник бассейн", ""),
        ("завтра в половине десятого придёт мастер", "2026-03-03T09:30"),
        ("у четвер о 18:30 репетиція", "2026-03-05T18:30"),
        ("через два тижні їду до Львова", "2026-03-16"),
        ("20 квітня день народження сестри", "2026-04-20"),
        ("два роки тому я переїхала", "2024"),
        ("наступного тижня відпустка", "2026-03-09"),
        ("кожну суботу біжу парком", ""),
    ]);
}

#[test]
fn turkish_arabic_and_hindi_are_read() {
    all_read(&[
        ("perşembe günü saat 3'te dişçi randevum var", "2026-03-05T15:00"),
        ("iki hafta sonra taşınıyoruz", "2026-03-16"),
        ("12 Nisan'da ablamın düğünü var", "2026-04-12"),
        ("üç yıl önce sigarayı bıraktım", "2023"),
        ("gelecek hafta tatildeyim", "2026-03-09"),
        ("her salı yüzmeye gidiyorum", ""),
        ("yarın akşam 8 buçukta tiyatro", "2026-03-03T20:30"),
        ("يوم الخميس الساعة ٦ مساء عندي حفلة", "2026-03-05T18:00"),
        ("بعد أسبوعين نسافر إلى عمان", "2026-03-16"),
        ("١٥ أبريل زفاف أختي", "2026-04-15"),
        ("قبل ثلاث سنوات تركت التدخين", "2023"),
        ("الأسبوع القادم عندي إجازة", "2026-03-09"),
        ("كل ثلاثاء أسبح", ""),
        ("غدا الساعة التاسعة والنصف", "2026-03-03T09:30"),
        ("गुरुवार को शाम 6 बजे कार्यक्रम है", "2026-03-05T18:00"),
        ("दो हफ्ते बाद हम जयपुर जाएंगे", "2026-03-16"),
        ("15 अप्रैल को बहन की शादी है", "2026-04-15"),
        ("तीन साल पहले मैंने सिगरेट छोड़ी थी", "2023"),
        ("अगले हफ्ते छुट्टी है", "2026-03-09"),
        ("हर मंगलवार मैं तैरती हूँ", ""),
        ("कल सुबह साढ़े नौ बजे मीटिंग है", "2026-03-03T09:30"),
        ("कल हम मेले में गए थे", "2026-03-01"),
        ("kal shaam 7 baje natak hai", "2026-03-03T19:00"),
        ("agle hafte chutti hai", "2026-03-09"),
    ]);
}

#[test]
fn scripts_without_spaces_are_read() {
    all_read(&[
        ("周四晚上七点有音乐会", "2026-03-05T19:00"),
        ("两周后我们搬家", "2026-03-16"),
        ("4月15号是姐姐的婚礼", "2026-04-15"),
        ("三年前我戒了烟", "2023"),
        ("下个月我去成都", "2026-04"),
        ("每周二我去游泳", ""),
        ("明天上午九点半开会", "2026-03-03T09:30"),
        ("木曜日の午後3時に歯医者", "2026-03-05T15:00"),
        ("二週間後に引っ越します", "2026-03-16"),
        ("4月15日は姉の結婚式です", "2026-04-15"),
        ("三年前にたばこをやめた", "2023"),
        ("来月は京都に行く", "2026-04"),
        ("毎週火曜日は水泳", ""),
        ("明日の朝9時半に会議", "2026-03-03T09:30"),
        ("목요일 오후 3시에 치과 예약", "2026-03-05T15:00"),
        ("2주 뒤에 이사해요", "2026-03-16"),
        ("4월 15일은 언니 결혼식", "2026-04-15"),
        ("3년 전에 담배를 끊었어요", "2023"),
        ("다음 주 금요일에 시험이 있어", "2026-03-13"),
        ("매주 화요일은 수영", ""),
        ("내일 아침 9시 반에 회의", "2026-03-03T09:30"),
        ("วันพฤหัสบดีบ่าย 3 โมงมีนัดหมอฟัน", "2026-03-05T15:00"),
        ("อีก 2 สัปดาห์จะย้ายบ้าน", "2026-03-16"),
        ("วันที่ 15 เมษายน งานแต่งพี่สาว", "2026-04-15"),
        ("3 ปีที่แล้วเลิกบุหรี่", "2023"),
        ("สัปดาห์หน้าลาพักร้อน", "2026-03-09"),
        ("ทุกวันอังคารไปว่ายน้ำ", ""),
        ("พรุ่งนี้เช้า 9 โมงครึ่งประชุม", "2026-03-03T09:30"),
    ]);
}

#[test]
fn the_end_of_a_month_or_a_year_is_its_last_day() {
    all_read(&[
        ("the rent is due at the end of the month", "2026-03-31"),
        ("die Miete ist am Monatsende fällig", "2026-03-31"),
        ("pago a fin de mes", "2026-03-31"),
        ("kira ay sonu ödenecek", "2026-03-31"),
        ("月底交水费", "2026-03-31"),
        ("年底要搬走", "2026-12-31"),
        ("月末に支払います", "2026-03-31"),
        ("年末に帰ります", "2026-12-31"),
        ("월말에 결제해요", "2026-03-31"),
    ]);
}

#[test]
fn digits_are_read_where_they_are_a_day() {
    all_read(&[
        ("2026-05-09", "2026-05-09"),
        ("bis 9.5. bitte melden", "2026-05-09"),
        ("version 3.5 costs 1/2 of it, 24/7", ""),
        ("due 31/12/2026", "2026-12-31"),
        ("call 555-12-34", ""),
        ("in 2026-04", "2026-04"),
    ]);
}

#[test]
fn a_day_is_counted_from_the_zone_of_who_says_it_and_from_midnight() {
    let said_at = DateTime::parse_from_rfc3339("2026-03-03T00:20:00+09:00").unwrap();
    let found = find("The parade is today at 11, the party tomorrow", said_at);
    let expected = [
        Found { range: 14..25, day: Day::Date(day("2026-03-03")), time: NaiveTime::from_hms_opt(11, 0, 0) },
        Found { range: 37..45, day: Day::Date(day("2026-03-04")), time: None },
    ];
    assert_eq!(found, expected);
    assert_eq!(iso_or("tomorrow", said_at), "2026-03-04");
    assert_eq!(iso_or("one of these days", said_at), "one of these days");
}

#[test]
fn who_knows_whether_it_has_been_says_so() {
    let said_at = DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").unwrap();
    let on =
        |tendency| find_as("Friday", said_at, tendency).into_iter().map(|found| found.day.iso()).collect::<Vec<_>>();
    assert_eq!(
        [Tendency::Future, Tendency::Past, Tendency::Habit].map(on),
        [vec!["2026-03-06".to_owned()], vec!["2026-02-27".to_owned()], vec![]]
    );
}

#[test]
fn every_calendar_is_whole_and_each_of_its_words_is_folded_and_stands_once() {
    for language in Language::all() {
        let (code, dates) = (language.code(), &lexicon::of(language).dates);
        assert_eq!((dates.weekdays.len(), dates.months.len()), (7, 12), "{code}");
        let lists = [&dates.weekdays, &dates.months, &dates.seasons].into_iter().map(|lists| lists.iter().collect());
        let days =
            [dates.days.values().collect::<Vec<_>>(), dates.which.values().collect(), dates.units.values().collect()];
        let more = [dates.parts.values().collect(), dates.feasts.values().collect(), dates.ordinals.values().collect()];
        for lists in lists.chain(days).chain(more) {
            let words: Vec<&String> = lists.into_iter().flatten().collect();
            for word in &words {
                assert_eq!(**word, text::fold(word), "{code}");
                assert_eq!(words.iter().filter(|other| *other == word).count(), 1, "{code} {word}");
            }
        }
        assert!(dates.months.iter().chain(&dates.weekdays).all(|names| !names.is_empty()), "{code}");
        assert!(
            [-1, 0, 1].iter().all(|day| dates.days.contains_key(day) || dates.either.contains_key(&day.abs())),
            "{code}"
        );
        let written: usize = dates.patterns.values().map(Vec::len).sum();
        assert_eq!(Reader::of(language).patterns.len(), written, "{code}: each pattern has known slots");
    }
}
