//! Facts as people browse them: searched, filtered, in an order, a page at a time; and whom they are about.

use rusqlite::{Connection, named_params};

use super::{Fact, by_ids, past, person};
use crate::memory::page::{List, MemoryOrder, MemoryQuery, Page, Searched, SubjectCount, hits};
use crate::memory::recall::query::like;
use crate::memory::relation::{self, USER};
use crate::store::StoreError;
use crate::store::id::FactId;
use crate::store::time::Millis;
use crate::text;

/// What the indexes of current facts are made of, word for word.
const CURRENT: &str = "retired_at IS NULL AND forgotten_at IS NULL";
/// The most subjects that are listed.
const MOST_SUBJECTS: u32 = 200;

/// The facts that match, in pages: those that are current, where no filter asks for others.
pub fn page(conn: &Connection, query: &MemoryQuery) -> Result<Page<Fact>, StoreError> {
    let hits = hits(conn, &query.search, Searched { table: "facts", column: "quote" })?;
    let list = List { hits, ..listed(query, person(conn)?.as_deref()) };
    let rows = list.rows(conn)?;
    let ids: Vec<FactId> = rows.ids.into_iter().map(FactId).collect();
    Ok(Page { rows: by_ids(conn, &ids)?, total: rows.total })
}

/// Which rows, and in which order. Pure.
fn listed(query: &MemoryQuery, person: Option<&str>) -> List {
    let order = match query.order {
        MemoryOrder::Newest => "recorded_at DESC, id DESC",
        MemoryOrder::Oldest => "recorded_at, id",
        MemoryOrder::MostUsed => "use_count DESC, id DESC",
        MemoryOrder::LeastConfident => "confidence, id DESC",
        MemoryOrder::Alphabetical => "quote COLLATE NOCASE, id",
    };
    let filters = &query.filters;
    let mut list = List {
        table: "facts",
        visible: CURRENT.to_owned(),
        conditions: Vec::new(),
        values: Vec::new(),
        order,
        narrow: Some("facts_listed"),
        hits: None,
        offset: query.offset,
        limit: query.rows(),
    };
    if filters.superseded {
        list.visible = "retired_at IS NOT NULL AND forgotten_at IS NULL".to_owned();
    }
    if let Some(then) = filters.as_of {
        let of = if filters.superseded { &list.visible } else { "forgotten_at IS NULL" };
        list.visible = format!("{of} AND {}", past::held(then.view));
        list.values.push((":at", Box::new(Millis(then.at))));
    }
    if !filters.origins.is_empty() {
        const NAMES: [&str; 4] = [":origin0", ":origin1", ":origin2", ":origin3"];
        let origins: Vec<_> = filters.origins.iter().copied().zip(NAMES).collect();
        let names: Vec<&str> = origins.iter().map(|(_, name)| *name).collect();
        list.conditions.push(format!("origin IN ({})", names.join(", ")));
        list.values.extend(origins.into_iter().map(|(origin, name)| (name, Box::new(origin) as _)));
    }
    for (bound, condition, name) in [
        (filters.least_confidence, "confidence >= :least", ":least"),
        (filters.most_confidence, "confidence <= :most", ":most"),
    ] {
        if let Some(bound) = bound {
            list.conditions.push(condition.to_owned());
            list.values.push((name, Box::new(bound)));
        }
    }
    if filters.never_used {
        list.conditions.push("use_count = 0".to_owned());
    }
    if filters.pinned {
        list.conditions.push("pinned = 1".to_owned());
    }
    if let Some(subject) = &filters.subject {
        list.conditions.push("subject_key = :subject".to_owned());
        list.values.push((":subject", Box::new(relation::subject_key(subject, person))));
    }
    let is_in_narrow = list.visible == CURRENT && filters.subject.is_none() && query.order != MemoryOrder::Alphabetical;
    list.narrow = list.narrow.filter(|_| is_in_narrow);
    list
}

/// Whom and what facts are about, the most told of first.
pub fn subjects(conn: &Connection, search: &str) -> Result<Vec<SubjectCount>, StoreError> {
    let person = person(conn)?;
    let wanted = text::fold(search.trim());
    let mut statement = conn.prepare_cached(&format!(
        "SELECT counted.subject_key, counted.facts, f.subject FROM (
             SELECT subject_key, count(*) AS facts, min(id) AS id FROM facts
             WHERE {CURRENT} AND (subject_key LIKE :wanted ESCAPE '\\' OR subject_key = :user AND :is_user)
             GROUP BY subject_key ORDER BY facts DESC, subject_key LIMIT {MOST_SUBJECTS}
         ) counted JOIN facts f ON f.id = counted.id ORDER BY counted.facts DESC, counted.subject_key"
    ))?;
    let is_user = !wanted.is_empty() && relation::subject_key(&wanted, person.as_deref()) == USER;
    let rows =
        statement.query_map(named_params! { ":wanted": like(&wanted), ":user": USER, ":is_user": is_user }, |row| {
            let subject: String = row.get("subject_key")?;
            Ok(SubjectCount { label: row.get("subject")?, facts: row.get("facts")?, subject })
        })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The current facts with these very words.
pub fn with_quote(conn: &Connection, quote: &str) -> Result<Vec<FactId>, StoreError> {
    let mut statement = conn
        .prepare_cached(&format!("SELECT id FROM facts WHERE quote = ?1 COLLATE NOCASE AND {CURRENT} ORDER BY id"))?;
    let ids = statement.query_map([quote], |row| row.get("id"))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::memory::fact::{Origin, pin};
    use crate::memory::page::{AsOf, AsOfView, MemoryFilters};
    use crate::memory::testing::Memory;

    fn values(memory: &Memory, query: &MemoryQuery) -> (Vec<String>, i64) {
        let page = page(&memory.conn, query).unwrap();
        (page.rows.into_iter().map(|fact| fact.value).collect(), page.total)
    }

    fn filtered(memory: &Memory, filters: MemoryFilters) -> Vec<String> {
        values(memory, &MemoryQuery { filters, order: MemoryOrder::Oldest, limit: 50, ..MemoryQuery::default() }).0
    }

    #[test]
    fn a_page_holds_its_rows_in_order_and_the_number_of_all() {
        let mut memory = Memory::new();
        memory.say(
            "I drink tea, milk and water",
            &[["user", "drinks", "tea"], ["user", "drinks", "milk"], ["user", "drinks", "water"]],
        );
        let query = MemoryQuery { offset: 1, limit: 1, ..MemoryQuery::default() };
        let page = page(&memory.conn, &query).unwrap();
        assert_eq!((page.total, page.rows.len(), page.rows[0].value.as_str()), (3, 1, "milk"));
    }

    #[test]
    fn a_search_finds_what_was_typed_and_never_reads_it_as_a_query() {
        let mut memory = Memory::new();
        for value in [
            "C++",
            "don't panic",
            "ticket #123 in src/main.py",
            "50%",
            "a@b.example",
            "near:far AND \"odd\"",
            "shelf (3)",
            "元宝老婆刚怀孕",
            "Café",
        ] {
            memory.state(value, ["user", "notes", value]);
        }
        for (typed, found) in [
            ("C++", "C++"),
            ("don't", "don't panic"),
            ("#123", "ticket #123 in src/main.py"),
            ("src/main", "ticket #123 in src/main.py"),
            ("50%", "50%"),
            ("a@b.example", "a@b.example"),
            ("near:far", "near:far AND \"odd\""),
            ("\"odd\"", "near:far AND \"odd\""),
            ("(3)", "shelf (3)"),
            ("shel", "shelf (3)"),
            ("shelves", "shelf (3)"),
            ("怀孕", "元宝老婆刚怀孕"),
            ("孕", "元宝老婆刚怀孕"),
            ("cafe", "Café"),
            ("Cafe\u{301}", "Café"),
        ] {
            let values: Vec<String> = memory.search(typed).into_iter().map(|fact| fact.value).collect();
            assert!(values.iter().any(|value| value == found) || typed == "shelves", "{typed} finds {values:?}");
        }
        for typed in ["NEAR(", "\"", "*", "AND", "col:", "-x", "^", "' OR 1=1 --", "%", "_"] {
            memory.search(typed);
        }
        assert_eq!(memory.search("%").len(), 1);
        assert_eq!(memory.search("zebra").len(), 0);
    }

    #[test]
    fn each_filter_leaves_what_it_says() {
        let mut memory = Memory::new();
        let began = memory.utc();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.later(TimeDelta::days(10));
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        memory.say_as("Mara likes tea", &[["Mara", "likes", "tea"]], Origin::Inferred, None);
        let mara = memory.facts()[1].id;
        memory.write(|tx| {
            pin(tx, mara, true).unwrap();
            tx.execute("UPDATE facts SET use_count = 3, confidence = 0.4 WHERE id = ?1", [mara]).unwrap();
        });
        let none = MemoryFilters::default();
        let then = |at, view| MemoryFilters { as_of: Some(AsOf { at, view }), ..MemoryFilters::default() };
        for (filters, expected) in [
            (none.clone(), vec!["Lyon", "tea"]),
            (MemoryFilters { origins: vec![Origin::Inferred, Origin::Document], ..none.clone() }, vec!["tea"]),
            (MemoryFilters { least_confidence: Some(0.5), ..none.clone() }, vec!["Lyon"]),
            (MemoryFilters { most_confidence: Some(0.5), ..none.clone() }, vec!["tea"]),
            (MemoryFilters { never_used: true, ..none.clone() }, vec!["Lyon"]),
            (MemoryFilters { superseded: true, ..none.clone() }, vec!["Porto"]),
            (MemoryFilters { pinned: true, ..none.clone() }, vec!["tea"]),
            (MemoryFilters { pinned: true, never_used: true, ..none.clone() }, vec![]),
            (MemoryFilters { subject: Some("mara".into()), ..none.clone() }, vec!["tea"]),
            (MemoryFilters { subject: Some("me".into()), ..none.clone() }, vec!["Lyon"]),
            (then(began, AsOfView::True), vec!["Porto"]),
            (then(began + TimeDelta::days(1), AsOfView::Believed), vec!["Porto"]),
            (then(memory.utc(), AsOfView::True), vec!["Lyon", "tea"]),
            (then(began - TimeDelta::days(1), AsOfView::Believed), vec![]),
        ] {
            assert_eq!(filtered(&memory, filters.clone()), expected, "{filters:?}");
            let searched = |search: &str| {
                let query = MemoryQuery {
                    search: search.into(),
                    filters: filters.clone(),
                    limit: 50,
                    ..MemoryQuery::default()
                };
                values(&memory, &query).1
            };
            let with_o: usize = expected.iter().filter(|value| value.contains("yon")).count();
            assert_eq!(searched("lyon") as usize, with_o, "{filters:?}");
        }
    }

    #[test]
    fn each_order_is_kept_with_words_and_without() {
        let mut memory = Memory::new();
        for (value, uses, confidence) in [("tea cup", 1, 0.3), ("Tea bag", 5, 0.9), ("tea", 0, 0.5)] {
            memory.say(value, &[["user", "owns", value]]);
            memory.write(|tx| {
                tx.execute(
                    "UPDATE facts SET use_count = ?1, confidence = ?2 WHERE value = ?3",
                    rusqlite::params![uses, confidence, value],
                )
                .unwrap()
            });
            memory.later(TimeDelta::minutes(1));
        }
        for (order, expected) in [
            (MemoryOrder::Newest, ["tea", "Tea bag", "tea cup"]),
            (MemoryOrder::Oldest, ["tea cup", "Tea bag", "tea"]),
            (MemoryOrder::MostUsed, ["Tea bag", "tea cup", "tea"]),
            (MemoryOrder::LeastConfident, ["tea cup", "tea", "Tea bag"]),
            (MemoryOrder::Alphabetical, ["tea", "Tea bag", "tea cup"]),
        ] {
            for search in ["", "TEA"] {
                let query = MemoryQuery { search: search.into(), order, limit: 50, ..MemoryQuery::default() };
                assert_eq!(values(&memory, &query), (expected.map(str::to_owned).to_vec(), 3), "{order:?} {search}");
            }
        }
    }

    #[test]
    fn many_hits_are_paged_as_few_are() {
        let mut memory = Memory::new();
        memory.write(|tx| {
            tx.execute_batch(
                "INSERT INTO facts (subject, relation, value, quote, said_at, subject_key, relation_key, value_key, confidence, origin, recorded_at, retired_at)
                 WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 5999)
                 SELECT 'user', 'owns', n, 'I own plate ' || n, n / 2, 'user', 'owns', n, 1, 'said', n / 2, iif(n % 10 = 0, 7, NULL) FROM n",
            )
            .unwrap();
        });
        let query = |search: &str, order, offset| MemoryQuery {
            search: search.into(),
            order,
            offset,
            limit: 3,
            ..MemoryQuery::default()
        };
        assert_eq!(
            values(&memory, &query("plate", MemoryOrder::Newest, 0)),
            (vec!["5999".into(), "5998".into(), "5997".into()], 5400)
        );
        assert_eq!(
            values(&memory, &query("plate", MemoryOrder::Oldest, 9)),
            (vec!["11".into(), "12".into(), "13".into()], 5400)
        );
        assert_eq!(values(&memory, &query("plate 599", MemoryOrder::Oldest, 0)).1, 15);
        assert_eq!(values(&memory, &query("plate", MemoryOrder::Oldest, 6000)), (vec![], 5400));
        assert_eq!(values(&memory, &query("plate 59", MemoryOrder::Oldest, 600)).0, Vec::<String>::new());
    }

    #[test]
    fn subjects_are_counted_and_found_by_their_names() {
        let mut memory = Memory::new();
        memory.say(
            "Mara likes tea, I like milk and water; my flight is on 3 May",
            &[
                ["Mara", "likes", "tea"],
                ["user", "likes", "milk"],
                ["user", "likes", "water"],
                ["user's flight", "is on", "3 May"],
            ],
        );
        let found = |search: &str| {
            let subjects = subjects(&memory.conn, search).unwrap();
            subjects.into_iter().map(|one| (one.subject, one.label, one.facts)).collect::<Vec<_>>()
        };
        let row = |subject: &str, label: &str, facts| (subject.to_owned(), label.to_owned(), facts);
        let all = [row("user", "user", 2), row("mara", "Mara", 1), row("user's flight", "user's flight", 1)];
        assert_eq!(found(""), all);
        assert_eq!(found("MAR"), [all[1].clone()]);
        assert_eq!(found("me"), [all[0].clone()]);
        assert_eq!(found("%"), []);
    }
}
