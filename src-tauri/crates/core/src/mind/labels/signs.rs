//! What code alone can say of the pieces of a message: why none is kept of some, what speaks for the others, and whom each is about.

use std::collections::HashSet;
use std::ops::Range;

use super::cut::{self, Piece};
use super::who::{self, How};
use super::words::{self, Folded, Lists};
use crate::memory::relation::USER;

/// Why no memory is made of a piece, whatever a model says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Veto {
    /// The person wants nothing of the message kept.
    Secret,
    /// It belongs to a role or a story.
    Scene,
    /// Somebody else's words.
    Quoted,
    /// Program text.
    Code,
    /// A question.
    Question,
    /// Something to be done.
    Request,
    /// About the assistant.
    You,
    /// Only supposed.
    Supposed,
    /// About somebody who was not named.
    Nobody,
}

/// A piece of a message, read by its signs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// Which sentence it belongs to.
    pub sentence: usize,
    /// Whom it is about: `user`, or the words that name them.
    pub about: String,
    /// Why it is not kept.
    pub veto: Option<Veto>,
    /// It denies something.
    pub denies: bool,
    /// How many words it has.
    pub words: f64,
    /// The points of its signs.
    pub points: f64,
}

/// Reads the pieces of a message.
///
/// `before` is what the person said earlier in the conversation: it may name whom they speak of now.
pub(super) fn read(text: &str, before: &[String], lists: &Lists) -> Vec<Read> {
    let mut known = Known::default();
    for said in before {
        for piece in cut::cut(said, lists) {
            let (about, how) = who::about(&said[piece.range], lists, known.last.as_deref());
            known.note(about.as_deref(), how);
        }
    }
    let pieces = cut::cut(text, lists);
    let stands =
        |list: &words::Phrases| pieces.iter().any(|piece| list.stands_in(&Folded::of(&text[piece.range.clone()])));
    let whole = match (stands(&lists.secret), stands(&lists.scene)) {
        (true, _) => Some(Veto::Secret),
        (_, true) => Some(Veto::Scene),
        _ => None,
    };
    let mut read = Vec::new();
    let mut carried: Option<Carried> = None;
    for piece in &pieces {
        let words = &text[piece.range.clone()];
        let (about, how) = known.about(words, piece, lists, carried.as_ref());
        known.note(about.as_deref(), how);
        if !piece.is_bracketed {
            carried = Some(Carried { sentence: piece.sentence, about: about.clone(), how });
        }
        let veto = whole.or_else(|| veto(piece, words, lists)).or(about.is_none().then_some(Veto::Nobody));
        read.push(read_piece(piece, words, about, veto, lists));
    }
    suppose_sentences(text, &mut read, lists);
    count_questions_before(&mut read);
    read
}

/// Where one clause supposes, the whole sentence does.
fn suppose_sentences(text: &str, read: &mut [Read], lists: &Lists) {
    let supposes = |piece: &&Read| lists.supposed.stands_in(&Folded::of(&text[piece.range.clone()]));
    let unreal: HashSet<usize> = read.iter().filter(supposes).map(|piece| piece.sentence).collect();
    for piece in read.iter_mut().filter(|piece| piece.veto.is_none() && unreal.contains(&piece.sentence)) {
        piece.veto = Some(Veto::Supposed);
    }
}

/// What stands behind a question or a request explains it more often than it tells something.
fn count_questions_before(read: &mut [Read]) {
    let mut asked = false;
    for piece in read {
        piece.points += if asked { points::AFTER_QUESTION } else { 0.0 };
        asked |= matches!(piece.veto, Some(Veto::Question | Veto::Request));
    }
}

/// The points of the signs: log-odds, fitted on messages of many languages and rounded.
mod points {
    /// Always.
    pub const BASE: f64 = -1.0;
    /// A word for oneself begins it.
    pub const FIRST_AT_HEAD: f64 = 0.75;
    /// A word for oneself stands further on.
    pub const FIRST_LATER: f64 = 0.25;
    /// It has a digit.
    pub const DIGITS: f64 = 1.5;
    /// A name stands inside.
    pub const CAPITALS: f64 = 1.25;
    /// It says what somebody likes or not.
    pub const TASTE: f64 = 0.5;
    /// It is short.
    pub const SHORT: f64 = -0.75;
    /// A question or request stands before it.
    pub const AFTER_QUESTION: f64 = -1.25;
}

fn read_piece(piece: &Piece, words: &str, about: Option<String>, veto: Option<Veto>, lists: &Lists) -> Read {
    /// Fewer words are a short piece.
    const SHORT: f64 = 3.0;
    /// In characters: where a word for oneself begins a piece.
    const HEAD: usize = 3;
    let folded = Folded::of(words);
    let head = Folded::of(who::lead(words, lists));
    let count = words::count(words);
    let signs = [
        (true, points::BASE),
        (lists.first.find(&head).is_some_and(|at| at.start <= HEAD), points::FIRST_AT_HEAD),
        (lists.first.find(&head).is_some_and(|at| at.start > HEAD), points::FIRST_LATER),
        (words.chars().any(char::is_numeric), points::DIGITS),
        (has_name_inside(words), points::CAPITALS),
        (lists.taste.stands_in(&folded), points::TASTE),
        (count < SHORT, points::SHORT),
    ];
    Read {
        range: piece.range.clone(),
        sentence: piece.sentence,
        about: about.unwrap_or_else(|| USER.to_owned()),
        veto,
        denies: lists.negation.stands_in(&folded),
        words: count,
        points: signs.iter().filter(|(holds, _)| *holds).map(|(_, points)| points).sum(),
    }
}

/// A capital letter behind a space, with another letter behind it.
fn has_name_inside(words: &str) -> bool {
    let chars: Vec<char> = words.chars().collect();
    chars.windows(3).any(|three| three[0].is_whitespace() && three[1].is_uppercase() && words::is_word(three[2]))
}

fn veto(piece: &Piece, words: &str, lists: &Lists) -> Option<Veto> {
    let folded = Folded::of(words);
    let head = Folded::of(who::lead(words, lists));
    let asking = match lists.words.asks_anywhere {
        true => lists.asking.stands_in(&folded),
        false => lists.asking.at(head.chars(), 0).is_some(),
    };
    if piece.is_quoted {
        return Some(Veto::Quoted);
    }
    if piece.is_code {
        return Some(Veto::Code);
    }
    if asking || (piece.asks && piece.is_last) {
        return Some(Veto::Question);
    }
    let first = lists.first.find(&folded);
    let is_order = lists.request.find(&folded).is_some_and(|asked| {
        !(lists.words.subject_first && first.as_ref().is_some_and(|first| first.end <= asked.start))
    });
    if is_order {
        return Some(Veto::Request);
    }
    let second = lists.second.find(&folded).is_some_and(|second| {
        let others = [&lists.first, &lists.third, &lists.person];
        !others.iter().any(|list| list.find(&folded).is_some_and(|at| at.start < second.start))
    });
    if second {
        return Some(Veto::You);
    }
    lists.supposed.stands_in(&folded).then_some(Veto::Supposed)
}

/// Whom the clause before was about.
struct Carried {
    sentence: usize,
    about: Option<String>,
    how: How,
}

/// Who was named so far.
#[derive(Default)]
struct Known {
    /// The words that named somebody last.
    last: Option<String>,
    /// All names.
    names: HashSet<String>,
}

impl Known {
    fn note(&mut self, about: Option<&str>, how: How) {
        let Some(about) = about.filter(|_| how == How::Person) else { return };
        self.last = Some(about.to_owned());
        self.names.extend(who::capitalised(about));
    }

    /// Whom a piece is about: by its own words, by a name that was said before, or as the clause before it.
    fn about(&self, words: &str, piece: &Piece, lists: &Lists, carried: Option<&Carried>) -> (Option<String>, How) {
        let (about, how) = who::about(words, lists, self.last.as_deref());
        if how != How::Unsaid {
            return (about, how);
        }
        if let Some(name) = who::name_at_front(who::lead(words, lists)).filter(|name| self.names.contains(*name)) {
            return (Some(name.to_owned()), How::Person);
        }
        match carried {
            Some(before)
                if before.sentence == piece.sentence
                    && before.how != How::Unsaid
                    && before.about.as_deref() != Some(USER) =>
            {
                (before.about.clone(), How::Carried)
            }
            _ => (about, how),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str, before: &[&str]) -> Vec<Read> {
        let before: Vec<String> = before.iter().map(|said| (*said).to_owned()).collect();
        read(text, &before, words::of_text(text))
    }

    fn vetoes(text: &str) -> Vec<Option<Veto>> {
        read_all(text, &[]).into_iter().map(|piece| piece.veto).collect()
    }

    fn abouts(text: &str, before: &[&str]) -> Vec<String> {
        read_all(text, before).into_iter().map(|piece| piece.about).collect()
    }

    #[test]
    fn what_is_asked_supposed_or_played_is_no_memory() {
        assert_eq!(vetoes("I keep bees. What do they eat?"), [None, Some(Veto::Question)]);
        assert_eq!(vetoes("My hives are blue, write me a label"), [None, Some(Veto::Request)]);
        assert_eq!(vetoes("if I had a barn, I would keep goats"), [Some(Veto::Supposed); 2]);
        assert_eq!(vetoes("pretend that we are pirates. I have a ship"), [Some(Veto::Scene); 2]);
        assert_eq!(vetoes("she keeps a goat in the barn"), [Some(Veto::Nobody)]);
    }

    #[test]
    fn a_piece_is_about_the_person_or_about_whom_it_names_or_goes_on_about() {
        assert_eq!(abouts("my brother Otis has a boat, sails it daily", &[]), ["my brother Otis", "my brother Otis"]);
        assert_eq!(abouts("I have a boat, and he hates it", &["my brother Otis called"]), ["user", "my brother Otis"]);
        assert_eq!(abouts("Otis sold the boat", &["my brother Otis called"]), ["Otis"]);
        assert_eq!(abouts("I am a teacher", &[]), ["user"]);
        assert_eq!(abouts("我弟弟养了三只鸡", &[]), ["我弟弟"]);
        assert_eq!(abouts("mein Nachbar Anton züchtet Hühner auf dem Dach", &[]), ["mein Nachbar Anton"]);
    }

    #[test]
    fn signs_give_points() {
        let points = |text: &str| read_all(text, &[]).into_iter().map(|piece| piece.points).collect::<Vec<_>>();
        assert_eq!(points("I keep 9 hives near Selby"), [-1.0 + 0.75 + 1.5 + 1.25]);
        assert_eq!(points("lovely weather today"), [-1.0]);
        assert_eq!(points("how are bees kept? the shed is green"), [-1.0, -1.0 - 1.25]);
    }
}
