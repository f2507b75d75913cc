//! What a person types, as questions to the text indexes. It is text and never query syntax: everything that reaches FTS5
//! stands in quotation marks.

use crate::memory::index::{OwnerKind, terms as indexed};
use crate::text;

/// Which index a look-up goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Index {
    /// Stemmed words, and pieces of unspaced scripts.
    Words,
    /// Three or more characters in a row, as they stand.
    Substrings,
}

/// One thing that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As it was typed.
    pub typed: String,
    /// Where to look it up, and as which FTS5 expression. Any of them counts.
    pub lookups: Vec<(Index, String)>,
    /// What a hit must contain, folded, where the index knows less than that ("C#" is indexed as "c").
    pub must_contain: Option<String>,
    /// What it is in the question.
    pub kind: Kind,
}

/// What a term is in its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word.
    Word,
    /// Written as a name: it says more.
    Name,
    /// Several words and signs as they stand: finding them so says much, not finding them so says nothing.
    Literal,
}

/// The terms of a question, without stop words. Where it has nothing else, what was typed is looked for as it stands, so
/// that "don't" finds "don't". Empty for a question that asks for nothing.
pub fn terms(question: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let chunks = chunks(question);
    for (at, chunk) in chunks.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chunks[before]);
        for term in terms_of_chunk(chunk, before) {
            if terms.iter().all(|known| known.lookups != term.lookups) {
                terms.push(term);
            }
        }
    }
    terms.truncate(MOST_TERMS);
    if terms.is_empty() { literal(question).into_iter().collect() } else { terms }
}

/// More words than this do not make a question clearer.
const MOST_TERMS: usize = 24;

fn terms_of_chunk(chunk: &str, before: Option<&str>) -> Vec<Term> {
    let words = text::split(chunk);
    let has_signs = chunk.chars().any(|c| !c.is_alphanumeric() && c != '\'' && c != '’');
    let mut terms = Vec::new();
    if has_signs && chunk.chars().count() >= 3 {
        terms.extend(literal(chunk));
    } else if has_signs && let [word] = words.as_slice() {
        let lookups = vec![(Index::Words, all_terms(chunk).unwrap_or_else(|| quoted(word)))];
        return vec![Term { typed: chunk.into(), lookups, must_contain: Some(text::fold(chunk)), kind: Kind::Name }];
    }
    for word in &words {
        terms.extend(terms_of_word(word, before, has_signs));
    }
    terms
}

fn terms_of_word(word: &str, before: Option<&str>, among_signs: bool) -> Vec<Term> {
    let folded = text::fold(word);
    if word.chars().any(text::is_unspaced) {
        let pieces = text::pieces(&folded);
        let telling: Vec<&String> = pieces.iter().filter(|piece| !text::is_stop_word(piece)).collect();
        return telling.into_iter().filter_map(|piece| plain(piece, Kind::Word)).collect();
    }
    let big = word.chars().next().is_some_and(char::is_uppercase);
    // "box A": one big letter is a name, together with the word before it; alone it would be an article.
    if let Some(before) = before
        && big
        && word.chars().count() == 1
        && word != "I"
        && !among_signs
    {
        let whole = format!("{before} {word}");
        let lookups = all_terms(&whole).map(|expression| (Index::Words, expression)).into_iter().collect();
        return vec![Term {
            typed: word.to_owned(),
            lookups,
            must_contain: Some(text::fold(&whole)),
            kind: Kind::Name,
        }];
    }
    let is_short = word.chars().count() == 1 && !word.chars().all(char::is_numeric);
    if is_short || text::is_stop_word(&folded) {
        return Vec::new();
    }
    let Some(mut term) = plain(word, if big && before.is_some() { Kind::Name } else { Kind::Word }) else {
        return Vec::new();
    };
    if !word.is_ascii() && folded.chars().count() >= 3 && !folded.is_ascii() {
        // Prefixes that are written together with the word (Hebrew, Arabic) hide it from the index of words.
        term.lookups.push((Index::Substrings, quoted(word)));
    }
    vec![term]
}

fn plain(word: &str, kind: Kind) -> Option<Term> {
    let lookups = vec![(Index::Words, all_terms(word)?)];
    Some(Term { typed: word.to_owned(), lookups, must_contain: None, kind })
}

/// All that a text is indexed by; none where that is nothing.
fn all_terms(typed: &str) -> Option<String> {
    let parts: Vec<String> = indexed::terms(typed).iter().map(|term| quoted(term)).collect();
    (!parts.is_empty()).then(|| parts.join(" AND "))
}

fn literal(typed: &str) -> Option<Term> {
    let typed = typed.trim();
    (typed.chars().count() >= 3).then(|| Term {
        typed: typed.to_owned(),
        lookups: vec![(Index::Substrings, quoted(typed))],
        must_contain: None,
        kind: Kind::Literal,
    })
}

/// The pieces between spaces, without the punctuation of the sentence around them.
fn chunks(question: &str) -> Vec<&str> {
    let outer = |c: char| {
        matches!(
            c,
            '?' | '!'
                | '.'
                | ','
                | ';'
                | ':'
                | '"'
                | '\''
                | '“'
                | '”'
                | '‘'
                | '’'
                | '('
                | ')'
                | '['
                | ']'
                | '…'
                | '*'
                | '？'
                | '！'
                | '。'
                | '，'
                | '、'
                | '「'
                | '」'
                | '¿'
                | '¡'
        )
    };
    question.split_whitespace().map(|chunk| chunk.trim_matches(outer)).filter(|chunk| !chunk.is_empty()).collect()
}

/// A string as FTS5 takes it for one phrase, whatever is in it.
pub(in crate::memory) fn quoted(typed: &str) -> String {
    let plain: String = typed.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", plain.replace('"', "\"\""))
}

/// The condition of a search box: every word must be there, as it stands or in another form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// SQL with named parameters.
    pub condition: String,
    /// The parameters.
    pub params: Vec<(String, String)>,
}

/// A searchable table: its name, and the column whose text is searched.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// The table; its indexes are named after it.
    pub name: &'static str,
    /// The column.
    pub column: &'static str,
    /// What its rows are to the index of words.
    pub kind: OwnerKind,
}

impl Filter {
    /// `None` for an empty search: all rows.
    pub fn new(search: &str, table: Table) -> Option<Self> {
        let chunks: Vec<&str> = search.split_whitespace().collect();
        if chunks.is_empty() {
            return None;
        }
        let (as_it_stands, mut params) = substrings(&chunks, table);
        let mut condition = as_it_stands;
        if let Some(words) = all_words(search) {
            params.push((":words".into(), words));
            let (first, last) = table.kind.range();
            let mut in_any_form = format!(
                "id IN (SELECT p.owner_id FROM passages_fts i CROSS JOIN passages p ON p.id = i.rowid
                        WHERE passages_fts MATCH :words AND i.rowid BETWEEN {} AND {})",
                first.0, last.0
            );
            // Words that are not indexed have one form.
            let words = text::split(search).into_iter().filter(|word| indexed::is_passed_by(&text::fold(word)));
            for (at, word) in words.enumerate() {
                in_any_form.push_str(&format!(" AND {} LIKE :small{at} ESCAPE '\\'", table.column));
                params.push((format!(":small{at}"), like(&word)));
            }
            condition = format!("({condition} OR ({in_any_form}))");
        }
        Some(Self { condition, params })
    }
}

fn substrings(chunks: &[&str], table: Table) -> (String, Vec<(String, String)>) {
    let (long, short): (Vec<&str>, Vec<&str>) = chunks.iter().partition(|chunk| chunk.chars().count() >= 3);
    let (mut parts, mut params) = (Vec::new(), Vec::new());
    if !long.is_empty() {
        parts.push(format!("id IN (SELECT rowid FROM {0}_trigram WHERE {0}_trigram MATCH :substrings)", table.name));
        params.push((":substrings".into(), long.iter().map(|chunk| quoted(chunk)).collect::<Vec<_>>().join(" AND ")));
    }
    for (at, chunk) in short.iter().enumerate() {
        parts.push(format!("{} LIKE :short{at} ESCAPE '\\'", table.column));
        params.push((format!(":short{at}"), like(chunk)));
    }
    (format!("({})", parts.join(" AND ")), params)
}

/// A LIKE pattern that finds a text anywhere, whatever signs are in it.
pub fn like(typed: &str) -> String {
    format!("%{}%", typed.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"))
}

/// All words in any form, the last one perhaps not typed to its end. `None` where there is no word.
fn all_words(search: &str) -> Option<String> {
    let mut parts: Vec<String> = indexed::terms(search).iter().map(|term| quoted(term)).collect();
    let unfinished = text::split(search).pop().map(|word| text::fold(&word)).filter(|word| {
        word.chars().count() >= 2 && !word.chars().any(text::is_unspaced) && !indexed::is_passed_by(word)
    });
    if let Some(word) = unfinished
        && let Some(last) = parts.last_mut()
        && *last == quoted(&indexed::stem(&word))
    {
        *last = format!("({last} OR {} *)", quoted(&word));
    }
    (!parts.is_empty()).then(|| parts.join(" AND "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(question: &str) -> Vec<String> {
        terms(question).into_iter().map(|term| term.typed).collect()
    }

    #[test]
    fn a_question_is_the_words_that_matter() {
        assert_eq!(typed("Where do I live?"), ["live"]);
        assert_eq!(typed("what is box A?"), ["box", "A"]);
        assert_eq!(typed("What is my dog called?"), ["dog", "called"]);
        assert_eq!(typed(""), Vec::<String>::new());
    }

    #[test]
    fn signs_are_looked_for_as_they_stand() {
        assert_eq!(typed("C++"), ["C++"]);
        assert_eq!(typed("what about #123?"), ["#123", "123"]);
        assert_eq!(typed("50%"), ["50%", "50"]);
        assert_eq!(typed("a@b.example"), ["a@b.example", "example"]);
        assert_eq!(typed("NEAR(shelf"), ["NEAR(shelf", "shelf"]);
        assert_eq!(typed("(3) shelf*"), ["3", "shelf"]);
        assert_eq!(typed("C#"), ["C#"]);
        assert_eq!(typed("don't"), ["don't"]);
        assert_eq!(typed("the of and to"), ["the of and to"]);
    }

    #[test]
    fn unspaced_scripts_are_looked_for_in_pieces() {
        assert_eq!(typed("怀孕"), ["怀孕"]);
        assert_eq!(typed("葵"), ["葵"]);
        assert_eq!(typed("GitHub备份"), ["GitHub", "备份"]);
        assert_eq!(typed("娘の名前"), ["娘の", "の名", "名前"]);
    }

    #[test]
    fn nothing_that_is_typed_leaves_its_quotation_marks() {
        for question in ["\"odd\" AND NEAR(", "a\"b c*d", "x\0y\"", "-col:val ^first", "'); DROP TABLE facts"] {
            for (_, expression) in terms(question).into_iter().flat_map(|term| term.lookups) {
                let inner = &expression[1..expression.len() - 1];
                assert!(!inner.replace("\"\"", "").contains('"') && !inner.contains('\0'), "{expression}");
            }
        }
        assert_eq!(like("50%_\\"), "%50\\%\\_\\\\%");
    }
}
