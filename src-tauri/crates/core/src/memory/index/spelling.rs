//! Slips of the pen: which indexed term somebody meant who typed a word that no memory holds.

use rusqlite::{Connection, named_params};

use crate::memory::index::terms::stem;
use crate::store::StoreError;

/// Shorter words have too many neighbours to guess.
const SHORTEST: usize = 5;
/// Words of this length may have two slips.
const LONG: usize = 8;
/// The beginning that is taken as typed right; it bounds how much of the vocabulary is read.
const SURE: usize = 3;

/// The term that a folded word most likely stands for: within one slip of it, two for a long word; the nearest, and of those
/// the one that most memories hold. `None` for what is no plain word, or is like nothing.
///
/// It reads all terms with the same beginning, so it is for words that the index does not hold.
pub fn meant(conn: &Connection, word: &str) -> Result<Option<String>, StoreError> {
    if word.len() < SHORTEST || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(None);
    }
    let typed = stem(word);
    let allowed = if word.len() >= LONG { 2 } else { 1 };
    let beginning = &typed[..SURE.min(typed.len())];
    let mut statement = conn
        .prepare_cached("SELECT term, doc FROM passages_vocabulary WHERE term >= :from AND term < :to ORDER BY term")?;
    let mut rows = statement.query(named_params! { ":from": beginning, ":to": format!("{beginning}\u{7f}") })?;
    let mut best: Option<(usize, i64, String)> = None;
    while let Some(row) = rows.next()? {
        let term: String = row.get("term")?;
        let near = term.len() + 1 >= SHORTEST && term.bytes().all(|b| b.is_ascii_lowercase());
        let Some(slips) = near.then(|| slips(typed.as_bytes(), term.as_bytes(), allowed)).flatten() else { continue };
        let held: i64 = row.get("doc")?;
        if best.as_ref().is_none_or(|(least, most, _)| (slips, -held) < (*least, -*most)) {
            best = Some((slips, held, term));
        }
    }
    Ok(best.map(|(_, _, term)| term))
}

/// How many letters were left out, added, mistyped or swapped with the next; `None` for more than `most`.
fn slips(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let width = b.len() + 1;
    let (mut before, mut last, mut row) = (vec![0; width], (0..width).collect::<Vec<_>>(), vec![0; width]);
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..width {
            let is_same = a[i - 1] == b[j - 1];
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + usize::from(!is_same));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        if row.iter().all(|slips| *slips > most) {
            return None;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[b.len()]).filter(|slips| *slips <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::Memory;

    #[test]
    fn a_slip_of_the_pen_leads_to_the_word_that_was_meant() {
        let mut memory = Memory::new();
        memory.message("The restaurant in the harbour has a lovely garden");
        memory.message("A garden by the harbour");
        memory.message("The warden keeps the gorden of box hors");
        for (typed, meant) in [
            ("restaruant", Some("restaur")),
            ("restarant", Some("restaur")),
            ("harbuor", Some("harbour")),
            ("gardn", Some("garden")),
            ("gardeen", Some("garden")),
            ("harbours", Some("harbour")),
            ("horse", None),
            ("elephant", None),
            ("garden2", None),
            ("花园花园花园", None),
        ] {
            assert_eq!(super::meant(&memory.conn, typed).unwrap().as_deref(), meant, "{typed}");
        }
    }

    #[test]
    fn slips_are_counted_as_people_make_them() {
        let count = |a: &str, b: &str| slips(a.as_bytes(), b.as_bytes(), 2);
        assert_eq!(
            [count("abc", "abc"), count("abc", "acb"), count("abc", "abcd"), count("abcd", "axyz"), count("", "abc")],
            [Some(0), Some(1), Some(1), None, None]
        );
    }
}
