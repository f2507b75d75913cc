//! The words of the calendar in the languages people use: days, weekdays, months, feasts, units and numbers. All folded.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::shift;
use crate::text;

/// Words that mean one day whatever stands around them, by how many days it lies ahead. The longer stand first.
#[rustfmt::skip]
pub(super) const DAYS: &[(&str, i64)] = &[
    ("heute in acht tagen", 7), ("heute in einer woche", 7), ("heute in vierzehn tagen", 14), ("heute in zwei wochen", 14),
    ("morgen in acht tagen", 8), ("dans huit jours", 7), ("dans quinze jours", 14), ("the day after tomorrow", 2), ("day after tomorrow", 2),
    ("the day before yesterday", -2), ("day before yesterday", -2), ("tomorrow week", 8), ("today week", 7), ("pasado manana", 2), ("antes de ayer", -2),
    ("depois de amanha", 2), ("l'altro ieri", -2), ("avant hier", -2), ("obur gun", 2), ("evvelsi gun", -2), ("evvelki gun", -2), ("بعد غد", 2), ("اول امس", -2),
    ("this morning", 0), ("this afternoon", 0), ("this evening", 0), ("last night", -1), ("heute morgen", 0), ("heute fruh", 0), ("heute abend", 0),
    ("gestern abend", -1), ("morgen fruh", 1), ("morgen abend", 1), ("ngay mai", 1), ("ngay kia", 2), ("hom nay", 0), ("hom qua", -1), ("i morgen", 1),
    ("i morgon", 1), ("i dag", 0), ("i gar", -1), ("hari ini", 0),
    ("today", 0), ("tonight", 0), ("tomorrow", 1), ("yesterday", -1), ("heute", 0), ("morgen", 1), ("ubermorgen", 2), ("gestern", -1), ("vorgestern", -2),
    ("aujourd'hui", 0), ("demain", 1), ("apres-demain", 2), ("hier", -1), ("avant-hier", -2), ("hoy", 0), ("manana", 1), ("ayer", -1), ("anteayer", -2),
    ("amanha", 1), ("hoje", 0), ("ontem", -1), ("anteontem", -2), ("domani", 1), ("dopodomani", 2), ("oggi", 0), ("stasera", 0), ("ieri", -1),
    ("overmorgen", 2), ("vandaag", 0), ("vanavond", 0), ("gisteren", -1), ("eergisteren", -2), ("завтра", 1), ("послезавтра", 2), ("сегодня", 0), ("вчера", -1),
    ("позавчера", -2), ("завтра", 1), ("післязавтра", 2), ("сьогодні", 0), ("вчора", -1), ("jutro", 1), ("pojutrze", 2), ("dzis", 0), ("dzisiaj", 0),
    ("wczoraj", -1), ("przedwczoraj", -2), ("yarın", 1), ("bugun", 0), ("dun", -1), ("غدا", 1), ("اليوم", 0), ("امس", -1), ("آج", 0), ("आज", 0), ("מחר", 1),
    ("מחרתיים", 2), ("היום", 0), ("אתמול", -1), ("αυριο", 1), ("μεθαυριο", 2), ("σημερα", 0), ("χθες", -1), ("besok", 1), ("lusa", 2), ("kemarin", -1),
];

/// A stretch of time that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text) enum Unit {
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

impl Unit {
    pub(super) fn shift(self, day: NaiveDate, by: i64) -> Option<NaiveDate> {
        let months = |count: i64| {
            let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
            if count < 0 { day.checked_sub_months(months) } else { day.checked_add_months(months) }
        };
        match self {
            Self::Day => shift(day, by),
            Self::Week => shift(day, by.checked_mul(7)?),
            Self::Fortnight => shift(day, by.checked_mul(14)?),
            Self::Month => months(by),
            Self::Year => months(by.checked_mul(12)?),
        }
    }
}

#[rustfmt::skip]
const UNITS: &[(Unit, &[&str])] = &[
    (Unit::Day, &[
        "day", "days", "tag", "tage", "tagen", "jour", "jours", "dia", "dias", "giorno", "giorni", "dag", "dagen", "день", "дня", "днеи", "dni", "dzien",
        "gun", "दिन", "يوم", "ايام", "يومين", "ngay",
    ]),
    (Unit::Week, &[
        "week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas", "settimana", "settimane", "weken", "неделя", "неделю", "недели",
        "неделе", "недель", "tydzien", "tygodnie", "tygodni", "tygodniu", "hafta", "हफ्ते", "सप्ताह", "اسبوع", "اسابيع", "اسبوعين", "الاسبوع", "tuan",
    ]),
    (Unit::Fortnight, &["fortnight", "fortnights", "quinzaine", "quincena", "quinzena"]),
    (Unit::Month, &[
        "month", "months", "monat", "monats", "monaten", "monate", "mois", "mes", "meses", "mese", "mesi", "maand", "maanden", "месяц", "месяца", "месяце",
        "месяцев", "miesiac", "miesiace", "miesiacu", "miesiecy", "ay", "महीने", "شهر", "اشهر", "شهرين", "الشهر", "thang",
    ]),
    (Unit::Year, &[
        "year", "years", "jahr", "jahres", "jahren", "jahre", "an", "ans", "annee", "ano", "anos", "anno", "anni", "jaar", "год", "года", "году", "лет", "rok",
        "roku", "lata", "lat", "yıl", "sene", "साल", "سنة", "سنوات", "سنتين", "السنة", "العام", "nam",
    ]),
];

pub(super) fn unit(word: &str) -> Option<Unit> {
    UNITS.iter().find(|(_, names)| names.contains(&word)).map(|(unit, _)| *unit)
}

/// Whether a word of a unit says itself that it is two of them, as in Arabic.
pub(super) fn is_two(word: &str) -> bool {
    matches!(word, "يومين" | "اسبوعين" | "شهرين" | "سنتين")
}

pub(super) fn is_dutch_unit(word: &str) -> bool {
    matches!(word, "dag" | "dagen" | "weken" | "maand" | "maanden" | "jaar")
}

#[rustfmt::skip]
const NUMBERS: &[(i64, &[&str])] = &[
    (1, &["a", "an", "einem", "einer", "un", "une", "una", "um", "uma", "een", "один", "одну", "jeden", "bir", "एक"]),
    (2, &["due", "dois", "duas", "twee", "два", "две", "dwa", "dwie", "iki", "दो", "hai"]),
    (3, &["tre", "drie", "три", "trzy", "uc", "तीन", "ثلاثة", "ba"]),
    (4, &["quattro", "quatro", "четыре", "cztery", "dort", "चार", "اربعة"]),
    (5, &["cinque", "cinco", "vijf", "пять", "piec", "bes", "पाँच", "خمسة"]),
    (6, &["sei", "zes", "шесть", "szesc", "altı", "छह", "ستة"]),
    (7, &["sette", "sete", "zeven", "семь", "siedem", "yedi", "सात", "سبعة"]),
    (8, &["otto", "oito", "восемь", "osiem", "sekiz", "आठ", "ثمانية"]),
    (9, &["nove", "negen", "девять", "dziewiec", "dokuz", "नौ", "تسعة"]),
    (10, &["dieci", "dez", "tien", "десять", "dziesiec", "दस", "عشرة"]),
    (13, &["dreizehn", "treize", "trece"]),
    (14, &["vierzehn", "quatorze", "catorce", "quattordici", "veertien"]),
    (15, &["funfzehn", "quinze", "quince", "quindici", "vijftien"]),
];

pub(super) fn number(word: &str) -> Option<i64> {
    if let Some((count, _)) = NUMBERS.iter().find(|(_, words)| words.contains(&word)) {
        return Some(*count);
    }
    text::digits(word).parse().ok().filter(|count| (0..=1000).contains(count))
}

/// "the 15th": the number of a day.
pub(super) fn ordinal(word: &str) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th", "er", "o", "ª", "º"].iter().find_map(|end| word.strip_suffix(end))?;
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

#[rustfmt::skip]
const WEEKDAYS: [(Weekday, &[&str]); 7] = [
    (Weekday::Mon, &["monday", "montag", "lundi", "lunes", "segunda", "segunda-feira", "lunedi", "maandag", "понедельник", "poniedzialek", "pazartesi", "الاثنين", "सोमवार"]),
    (Weekday::Tue, &["tuesday", "dienstag", "mardi", "martes", "terca", "terca-feira", "martedi", "dinsdag", "вторник", "wtorek", "salı", "الثلاثاء", "मंगलवार"]),
    (Weekday::Wed, &["wednesday", "mittwoch", "mercredi", "miercoles", "quarta", "quarta-feira", "mercoledi", "woensdag", "среду", "среда", "sroda", "srode", "carsamba", "الاربعاء", "बुधवार"]),
    (Weekday::Thu, &["thursday", "donnerstag", "jeudi", "jueves", "quinta", "quinta-feira", "giovedi", "donderdag", "четверг", "czwartek", "persembe", "الخميس", "गुरुवार"]),
    (Weekday::Fri, &["friday", "freitag", "vendredi", "viernes", "sexta", "sexta-feira", "venerdi", "vrijdag", "пятницу", "пятница", "piatek", "cuma", "الجمعة", "शुक्रवार"]),
    (Weekday::Sat, &["saturday", "samstag", "sonnabend", "samedi", "sabado", "sabato", "zaterdag", "суббота", "субботу", "sobota", "sobote", "cumartesi", "السبت", "शनिवार"]),
    (Weekday::Sun, &["sunday", "sonntag", "dimanche", "domingo", "domenica", "zondag", "воскресенье", "niedziela", "niedziele", "pazar", "الاحد", "रविवार"]),
];

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(_, names)| names.contains(&word)).map(|(day, _)| *day)
}

pub(in crate::text) fn month(word: &str) -> Option<u32> {
    #[rustfmt::skip]
    const MONTHS: [&[&str]; 12] = [
        &["january", "jan", "januar", "janvier", "enero", "janeiro", "gennaio", "januari", "января", "январе", "январь", "stycznia"],
        &["february", "feb", "februar", "fevrier", "febrero", "fevereiro", "febbraio", "februari", "февраля", "феврале", "февраль", "lutego", "subat"],
        &["march", "mar", "marz", "mars", "marzo", "marco", "maart", "марта", "марте", "март"],
        &["april", "apr", "avril", "abril", "aprile", "апреля", "апреле", "апрель", "kwietnia"],
        &["may", "mai", "mayo", "maio", "maggio", "мая", "мае", "маи", "mayıs"],
        &["june", "jun", "juni", "juin", "junio", "junho", "giugno", "июня", "июне", "июнь", "czerwca", "haziran"],
        &["july", "jul", "juli", "juillet", "julio", "julho", "luglio", "июля", "июле", "июль", "lipca", "temmuz"],
        &["august", "aug", "aout", "agosto", "augustus", "августа", "августе", "август", "sierpnia", "agustos"],
        &["september", "sep", "sept", "septembre", "septiembre", "setembro", "settembre", "сентября", "сентябре", "сентябрь", "wrzesnia", "eylul"],
        &["october", "oct", "oktober", "octobre", "octubre", "outubro", "ottobre", "октября", "октябре", "октябрь", "pazdziernika"],
        &["november", "nov", "novembre", "noviembre", "novembro", "ноября", "ноябре", "ноябрь", "listopada", "kasım"],
        &["december", "dec", "dezember", "decembre", "diciembre", "dezembro", "dicembre", "декабря", "декабре", "декабрь", "grudnia", "aralık"],
    ];
    MONTHS.iter().position(|names| names.contains(&word)).and_then(|at| u32::try_from(at + 1).ok())
}

/// A feast that begins here, with how many words name it: the next one, seen from a day.
pub(super) fn feast(words: &[String], today: NaiveDate) -> Option<(usize, NaiveDate)> {
    #[rustfmt::skip]
    const FEASTS: &[(&str, u32, u32)] = &[
        ("christmas eve", 12, 24), ("heiligabend", 12, 24), ("nochebuena", 12, 24), ("christmas day", 12, 25), ("christmas", 12, 25), ("xmas", 12, 25),
        ("weihnachten", 12, 25), ("noel", 12, 25), ("navidad", 12, 25), ("natale", 12, 25), ("natal", 12, 25), ("boxing day", 12, 26),
        ("new year's eve", 12, 31), ("silvester", 12, 31), ("nochevieja", 12, 31), ("capodanno", 1, 1), ("new year's day", 1, 1), ("new year's", 1, 1),
        ("neujahr", 1, 1), ("nouvel an", 1, 1), ("halloween", 10, 31), ("valentine's day", 2, 14), ("valentinstag", 2, 14), ("independence day", 7, 4),
        ("st patrick's day", 3, 17),
    ];
    const EASTER: &[&str] = &["easter", "ostern", "paques", "pascua", "pasqua", "pascoa"];
    if words.first().is_some_and(|word| EASTER.contains(&word.as_str())) {
        let monday = words.get(1).is_some_and(|word| word == "monday");
        let of = |year| shift(easter(year)?, i64::from(monday));
        let next = of(today.year()).filter(|day| *day >= today).or_else(|| of(today.year() + 1))?;
        return Some((1 + usize::from(monday || words.get(1).is_some_and(|word| word == "sunday")), next));
    }
    let (name, month, day) = FEASTS.iter().find(|(name, _, _)| super::starts_with(words, name))?;
    Some((name.split(' ').count(), next_on(today, *month, *day)?))
}

/// The next such day of the calendar, today or later.
pub(super) fn next_on(today: NaiveDate, month: u32, day: u32) -> Option<NaiveDate> {
    let on = |year| NaiveDate::from_ymd_opt(year, month, day);
    (today.year()..=today.year() + 4).filter_map(on).find(|day| *day >= today)
}

/// The last such day of the calendar, today or before.
pub(super) fn last_on(today: NaiveDate, month: u32, day: u32) -> Option<NaiveDate> {
    let on = |year| NaiveDate::from_ymd_opt(year, month, day);
    (today.year() - 4..=today.year()).rev().filter_map(on).find(|day| *day <= today)
}

/// Easter Sunday of the Gregorian calendar, by Gauss.
fn easter(year: i32) -> Option<NaiveDate> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let (month, day) = ((h + l - 7 * m + 114) / 31, (h + l - 7 * m + 114) % 31);
    NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, 1)?.checked_add_days(Days::new(u64::try_from(day).ok()?))
}
