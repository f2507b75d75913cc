//! What is kept of a message: its pieces by the points of their signs and the model's word, neighbours joined into one quote.

use std::ops::Range;

use super::signs::Read;
use crate::memory::relation::SAID;
use crate::memory::writing::annotation::{Annotation, Change, Stance};

/// How much the model's log-odds count beside the signs.
const MODEL: f64 = 0.6;
/// From here on a piece is kept; where precision stops rising.
const KEEP: f64 = 0.3;
/// From here on it may wait in Review.
const REVIEW: f64 = 0.0;
/// A short rest of a kept clause goes with it from here on.
const JOIN: f64 = -2.0;
/// Longer pieces are no rest, in words.
const SHORT_REST: f64 = 4.0;
/// How sure the model can make of a piece at most.
const SUREST: f64 = 0.99;

/// How sure a kept piece is.
const KEPT: f64 = 0.8;
/// How sure a piece is that waits in Review: less than the gate lets through.
const DOUBTED: f64 = 0.4;

/// What is kept or waits.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    range: Range<usize>,
    sentence: usize,
    about: String,
    denies: bool,
    score: f64,
    waits: bool,
}

/// The annotations of a message: what is kept, in order, and at most one doubtful piece, which waits in Review.
///
/// `chances` tells of each piece without a veto, in order, how likely it tells something.
pub(super) fn decide(text: &str, pieces: &[Read], chances: &[f64]) -> Vec<Annotation> {
    let mut chances = chances.iter();
    let mut items: Vec<Item> = Vec::new();
    // Whether the last item may take in the next piece.
    let mut is_open = false;
    for piece in pieces {
        let chance = if piece.veto.is_none() { chances.next() } else { None };
        let Some(chance) = chance else {
            is_open = false;
            continue;
        };
        let score = score(piece, *chance);
        if let Some(run) = items.last_mut().filter(|run| is_open && goes_with(run, piece, score)) {
            run.range.end = piece.range.end;
            continue;
        }
        is_open = score >= KEEP;
        if score >= REVIEW {
            items.push(item(piece, score));
        }
    }
    let doubtful = items.iter().enumerate().filter(|(_, item)| item.waits);
    let likeliest = doubtful.max_by(|(_, one), (_, other)| one.score.total_cmp(&other.score)).map(|(at, _)| at);
    let stays = |at: usize, item: &Item| !item.waits || likeliest == Some(at);
    items
        .into_iter()
        .enumerate()
        .filter(|(at, item)| stays(*at, item))
        .map(|(_, item)| annotation(text, item))
        .collect()
}

fn score(piece: &Read, chance: f64) -> f64 {
    let chance = chance.clamp(1.0 - SUREST, SUREST);
    piece.points + MODEL * (chance / (1.0 - chance)).ln()
}

/// Whether a piece says more of what the kept one before it says.
fn goes_with(run: &Item, piece: &Read, score: f64) -> bool {
    let is_same = run.sentence == piece.sentence && run.about == piece.about && run.denies == piece.denies;
    let is_rest = piece.words <= SHORT_REST && !piece.denies && score >= JOIN;
    is_same && (score >= REVIEW || is_rest)
}

fn item(piece: &Read, score: f64) -> Item {
    Item {
        range: piece.range.clone(),
        sentence: piece.sentence,
        about: piece.about.clone(),
        denies: piece.denies,
        score,
        waits: score < KEEP,
    }
}

fn annotation(text: &str, item: Item) -> Annotation {
    let words = text[item.range].to_owned();
    Annotation {
        about: item.about,
        relation: SAID.to_owned(),
        value: words.clone(),
        quote: Some(words),
        stance: Some(if item.denies { Stance::Denies } else { Stance::States }),
        change: Some(Change::None),
        confidence: Some(if item.waits { DOUBTED } else { KEPT }),
        ..Annotation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "I keep bees, near Selby, never goats. Rain again";

    fn piece(words: &str, points: f64) -> Read {
        let start = TEXT.find(words).unwrap();
        Read {
            range: start..start + words.len(),
            sentence: usize::from(words == "Rain again"),
            about: "user".to_owned(),
            veto: None,
            denies: words.starts_with("never"),
            words: 2.0,
            points,
        }
    }

    fn decided(pieces: &[Read], chances: &[f64]) -> Vec<(String, Option<Stance>, Option<f64>)> {
        let annotations = decide(TEXT, pieces, chances);
        annotations.into_iter().map(|said| (said.value, said.stance, said.confidence)).collect()
    }

    #[test]
    fn signs_and_the_models_word_decide_together() {
        let pieces = [piece("I keep bees", -0.25), piece("Rain again", -1.75)];
        assert_eq!(decided(&pieces, &[0.9, 0.9]), [("I keep bees".to_owned(), Some(Stance::States), Some(0.8))]);
        assert_eq!(decided(&pieces, &[0.1, 0.99]), [("Rain again".to_owned(), Some(Stance::States), Some(0.8))]);
        assert_eq!(decided(&pieces, &[0.1, 0.1]), []);
    }

    #[test]
    fn neighbours_that_say_the_same_way_of_the_same_are_one_quote() {
        let pieces = [piece("I keep bees", 1.0), piece("near Selby", -0.5), piece("never goats", 1.0)];
        assert_eq!(
            decided(&pieces, &[0.5; 3]),
            [
                ("I keep bees, near Selby".to_owned(), Some(Stance::States), Some(0.8)),
                ("never goats".to_owned(), Some(Stance::Denies), Some(0.8)),
            ]
        );
    }

    #[test]
    fn of_what_is_doubtful_one_piece_waits_in_review() {
        let pieces = [piece("I keep bees", 0.1), piece("never goats", 0.2), piece("Rain again", 0.0)];
        assert_eq!(decided(&pieces, &[0.5; 3]), [("never goats".to_owned(), Some(Stance::Denies), Some(0.4))]);
    }
}
