//! Whom a piece of a message is about, by its words.

use super::words::{Folded, Lists, is_word};
use crate::memory::relation::USER;

/// How a piece says whom it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Not at all.
    Unsaid,
    /// By a word for oneself.
    First,
    /// By a word for somebody who was named before.
    Pronoun,
    /// By naming them.
    Person,
    /// By going on about whom the clause before was about.
    Carried,
}

/// A piece without the joining words at its front.
pub(super) fn lead<'a>(text: &'a str, lists: &Lists) -> &'a str {
    /// The most of them: "and then because".
    const MOST: usize = 3;
    let mut text = text;
    if lists.words.unspaced {
        return text;
    }
    for _ in 0..MOST {
        let folded = Folded::of(text);
        match lists.join.at(folded.chars(), 0).map(|end| folded.byte(end)) {
            Some(end) if end < text.len() => text = text[end..].trim_start_matches([' ', ',']),
            _ => break,
        }
    }
    text
}

/// Whom a piece is about, and how it says so. Nobody where a word stands for somebody and nobody was named (`known`).
pub(super) fn about(piece: &str, lists: &Lists, known: Option<&str>) -> (Option<String>, How) {
    let text = lead(piece, lists);
    let folded = Folded::of(text);
    let first = lists.first.find(&folded).map(|at| (folded.byte(at.start), How::First));
    let third = lists.third.find(&folded).map(|at| (folded.byte(at.start), How::Pronoun));
    let person = person(text, &folded, lists);
    let named = person.as_ref().map(|range| (range.start, How::Person));
    // Of what begins at the same place the name counts most.
    let earliest = [named, first, third].into_iter().flatten().min_by_key(|(at, _)| *at);
    match earliest.map(|(_, how)| how) {
        Some(How::Person) => {
            let words = person.map(|range| text[range].trim_matches([' ', ',', '(']).to_owned());
            (words, How::Person)
        }
        Some(How::Pronoun) => (known.map(str::to_owned), How::Pronoun),
        Some(how) => (Some(USER.to_owned()), how),
        None => (Some(USER.to_owned()), How::Unsaid),
    }
}

type Span = std::ops::Range<usize>;

/// The words that name a person or animal of the writer's, in bytes: "my sister Ada", "Mum", "my landlady Ines".
fn person(text: &str, folded: &Folded, lists: &Lists) -> Option<Span> {
    let found = |list: &super::words::Phrases, is_role| {
        list.all(folded).into_iter().map(move |at| (at.start, at.end, is_role)).collect::<Vec<_>>()
    };
    let mut words = found(&lists.person, false);
    words.extend(found(&lists.role, true));
    words.sort_unstable();
    let bytes = |(start, end, is_role)| (folded.byte(start)..folded.byte(end), is_role);
    words
        .into_iter()
        .map(bytes)
        .find_map(|(at, is_role)| phrase(text, at, is_role, lists))
        .or_else(|| introduced(text, lists))
}

/// The whole phrase around a word for a person, where it names one of the writer's.
fn phrase(text: &str, at: Span, is_role: bool, lists: &Lists) -> Option<Span> {
    let Owned { span, is_owned } =
        if lists.words.unspaced { owned_unspaced(text, at, lists) } else { owned(text, at, lists) };
    if is_owned {
        return Some(span);
    }
    let rest = Folded::of(text[span.end..].trim_start());
    // "I am a teacher" names nobody else; a bare noun counts at the front only, and not where it only addresses somebody.
    let names = !is_role && is_at_front(&text[..span.start]) && lists.first.at(rest.chars(), 0).is_none();
    names.then_some(span)
}

/// Nothing, or one short word.
fn is_at_front(before: &str) -> bool {
    const SHORT: usize = 4;
    let word = before.trim_end();
    before.is_empty()
        || (word.len() < before.len() && (1..=SHORT).contains(&word.chars().count()) && word.chars().all(is_word))
}

/// Words for a person, with what makes them the writer's.
struct Owned {
    span: Span,
    is_owned: bool,
}

/// "my", at most one word before the person, and a name behind.
fn owned(text: &str, at: Span, lists: &Lists) -> Owned {
    let before = Folded::of(&text[..at.start]);
    let is_near = |end: usize| text[before.byte(end)..at.start].split_whitespace().count() <= 1;
    let mine = lists.mine.all(&before).into_iter().rfind(|mine| is_near(mine.end));
    let start = mine.as_ref().map_or(at.start, |mine| before.byte(mine.start));
    let rest = &text[at.end..];
    let gap = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == '(').len();
    let front = Folded::of(text[..start].trim_end());
    let follows_article = lists.article.all(&front).into_iter().any(|article| article.end == front.chars().len());
    let name = name(&rest[gap..]).filter(|_| !follows_article);
    Owned {
        span: start..name.map_or(at.end, |name| at.end + gap + name.len()),
        is_owned: mine.is_some() || lists.words.owned || name.is_some(),
    }
}

/// The same without spaces: "I" before the person, and what marks whom a clause is about behind.
fn owned_unspaced(text: &str, at: Span, lists: &Lists) -> Owned {
    let words = lists.words;
    let mut before = &text[..at.start];
    while let Some(shorter) = words.owner_end.iter().find_map(|end| before.strip_suffix(end.as_str())) {
        before = shorter;
    }
    let mine = words.owner.iter().find_map(|owner| before.strip_suffix(owner.as_str())).map(str::len);
    let start = mine.unwrap_or(at.start);
    let topic = words.topic.iter().filter_map(|topic| text[at.end..].find(topic.as_str())).min();
    match topic {
        Some(topic) => {
            let is_behind_another = words.case.iter().any(|case| text[..at.start].contains(case.as_str()));
            Owned { span: if is_behind_another { start } else { 0 }..at.end + topic, is_owned: true }
        }
        None => Owned { span: start..at.end, is_owned: mine.is_some() },
    }
}

/// "my landlady Ines": a word that no list has, between "my" and a name.
fn introduced(text: &str, lists: &Lists) -> Option<Span> {
    if lists.words.unspaced {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let three = words.windows(3).find(|three| {
        three[0].chars().next_back().is_some_and(is_word)
            && three[1].chars().all(|c| is_word(c) || c == '-')
            && name(three[2]).is_some()
    })?;
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let start = place(three[0]);
    let is_noun = !lists.words.capital_nouns || !three[1].starts_with(char::is_lowercase);
    let is_mine = lists.mine.at(Folded::of(&text[start..]).chars(), 0).is_some();
    (is_noun && is_mine).then(|| start..place(three[2]) + name(three[2]).map_or(0, str::len))
}

/// The capitalised word that begins a text.
fn name(text: &str) -> Option<&str> {
    text.starts_with(char::is_uppercase).then(|| {
        let is_part = |c: char| is_word(c) || matches!(c, '\'' | '’' | '-');
        &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
    })
}

/// The name at the front of a piece, or behind one short word.
pub(super) fn name_at_front(text: &str) -> Option<&str> {
    /// "so Ada", "et Ada".
    const SHORT: usize = 3;
    let behind = text
        .split_once(char::is_whitespace)
        .filter(|(word, _)| (1..=SHORT).contains(&word.chars().count()) && word.chars().all(is_word));
    behind.and_then(|(_, rest)| name(rest.trim_start())).or_else(|| name(text))
}

/// The capitalised words of a phrase.
pub(super) fn capitalised(phrase: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| is_word(c) || matches!(c, '\'' | '’' | '-');
    let words = phrase.split(move |c| !is_part(c));
    words.filter(|word| word.starts_with(char::is_uppercase)).map(str::to_owned)
}
