//! Nine copies of one thing never crowd out a second thing.

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

/// A fact stands for the short message that it came from, at the better place of both. Best first, before and after.
pub(in crate::memory) fn facts_for_messages(found: &mut Vec<Found>) {
    /// A longer message says more than the fact that was taken from it.
    const SHORT: f32 = 30.0;
    let mut at = 0;
    while at < found.len() {
        let MemoryRef::Message(message) = found[at].item.memory else {
            at += 1;
            continue;
        };
        let is_short = found[at].words <= SHORT;
        let fact = found.iter().position(|other| is_short && other.sources.contains(&message));
        match fact {
            Some(fact) if fact > at => {
                let mut fact = found.remove(fact);
                fact.item.score = found[at].item.score;
                found[at] = fact;
                at += 1;
            }
            Some(_) => {
                found.remove(at);
            }
            None => at += 1,
        }
    }
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

/// Whether two memories hold nearly the same terms. Both lists ascend.
fn is_same(a: &Found, b: &Found) -> bool {
    let (a, b) = (&a.fingerprint, &b.fingerprint);
    let (mut left, mut right, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(left), b.get(right)) {
        common += usize::from(x == y);
        left += usize::from(x <= y);
        right += usize::from(y <= x);
    }
    common > 0 && common as f32 >= SAME * (a.len() + b.len() - common) as f32
}
