//! One thing is told once, and nine copies of it never crowd out a second thing.

use crate::memory::history::change::MemoryRef;
use crate::memory::recall::RecalledItem;
use crate::store::id::MessageId;

/// Two texts whose terms overlap so much are one thing said twice.
const SAME: f32 = 0.8;
/// So many copies of one thing are told; the others come after everything else.
const COPIES: usize = 2;

/// A memory on its way into the answer.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Found {
    /// As it will be told.
    pub item: RecalledItem,
    /// Its terms as numbers, ascending.
    pub fingerprint: Vec<u64>,
    /// The messages that it came from.
    pub sources: Vec<MessageId>,
    /// How many words it has.
    pub words: f32,
}

/// Tells each thing once. A quote, the message that holds it, a note of it and an answer that repeats it are one thing: the shorter
/// of two goes where the other one holds it, and a fact stands for the short message that it came from. Best first, before and after;
/// what stays has the better place of both.
pub(in crate::memory) fn once(found: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        match kept.iter().position(|other| is_one_thing(other, &one)) {
            Some(at) if tells_more(&one, &kept[at]) => {
                let score = kept[at].item.score;
                kept[at] = Found { item: RecalledItem { score, ..one.item }, ..one };
            }
            Some(_) => {}
            None => kept.push(one),
        }
    }
    kept
}

/// A longer message says more than the fact that was taken from it.
const SHORT: f32 = 30.0;
/// So much of the shorter text stands in the longer one, where both are one thing.
const HELD: f32 = 0.9;
/// Fewer terms are held by too many texts.
const FEWEST_TERMS: usize = 3;

fn is_one_thing(a: &Found, b: &Found) -> bool {
    let common = common(&a.fingerprint, &b.fingerprint);
    let fewer = a.fingerprint.len().min(b.fingerprint.len());
    let is_held = common as f32 >= HELD * fewer as f32 && fewer > 0;
    let from_one = a.sources.iter().any(|source| b.sources.contains(source)) || is_source(a, b) || is_source(b, a);
    // What came from one message in one wording is one thing however short it is; other texts must have something in common.
    let stands_for = |message: &Found, fact: &Found| {
        is_source(message, fact) && message.words <= SHORT && 2 * common >= message.fingerprint.len()
    };
    from_one && is_held
        || stands_for(a, b)
        || stands_for(b, a)
        || is_held && fewer >= FEWEST_TERMS && a.fingerprint.len().max(b.fingerprint.len()) <= 2 * fewer
}

/// Whether the first is a message that the second came from.
fn is_source(message: &Found, of: &Found) -> bool {
    matches!(message.item.memory, MemoryRef::Message(id) if of.sources.contains(&id))
}

/// Whether the first is to be told rather than the second: the person's own words of a short message, all of a longer one.
fn tells_more(one: &Found, other: &Found) -> bool {
    match (one.item.memory, other.item.memory) {
        (MemoryRef::Fact(_), MemoryRef::Message(_)) => other.words <= SHORT,
        (MemoryRef::Message(_), MemoryRef::Fact(_)) => one.words > SHORT,
        (MemoryRef::Fact(_), MemoryRef::Episode(_)) => true,
        _ => false,
    }
}

/// How many terms two lists have in common. Both ascend.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut left, mut right, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(left), b.get(right)) {
        common += usize::from(x == y);
        left += usize::from(x <= y);
        right += usize::from(y <= x);
    }
    common
}

/// Moves further copies of what stands before them to the end. Best first, before and after.
pub(in crate::memory) fn spread(found: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Found> = Vec::with_capacity(found.len());
    let mut copies = Vec::new();
    for one in found {
        if kept.iter().filter(|other| is_same(other, &one)).count() >= COPIES {
            copies.push(one)
        } else {
            kept.push(one)
        }
    }
    kept.extend(copies);
    kept
}

/// Whether two memories hold nearly the same terms.
fn is_same(a: &Found, b: &Found) -> bool {
    let common = common(&a.fingerprint, &b.fingerprint);
    common > 0 && common as f32 >= SAME * (a.fingerprint.len() + b.fingerprint.len() - common) as f32
}
