//! What the person tells Atlas itself to do: "Remember that …", "Forget that …", "Never keep anything about …", "Call me …",
//! "From now on answer in German". It is read by code, so that it works with any model.
//!
//! An order may stand anywhere in a message; a quotation, a question ("Do you remember …?"), a story or a figure of speech is none.
//! The phrasings are data, a file a language ([`crate::text::lexicon`]); [`pattern`] says how they are written.

use std::ops::Range;

mod book;
mod message;
mod object;
mod pattern;
#[cfg(test)]
mod tests;
mod tokens;

/// The orders of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Orders {
    /// In the order of the message.
    pub orders: Vec<Order>,
}

/// What is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderKind {
    /// To remember what the object says.
    Remember,
    /// To forget what the object names; see [`crate::memory::find::named`].
    Forget,
    /// To keep nothing of what the object covers.
    DontStore,
    /// Never to keep anything on the topic.
    Seal,
    /// Perhaps the same: the person wants something kept private, and only they can say how it is meant.
    MaybeSeal,
    /// To call the person by a name.
    CallMe,
    /// How to answer from now on.
    Instruction,
}

/// An order, as ranges of bytes of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What is ordered.
    pub kind: OrderKind,
    /// The whole order.
    pub range: Range<usize>,
    /// What it is about, in the person's words.
    pub object: Range<usize>,
}

/// Reads the orders of a message.
pub fn read(said: &str) -> Orders {
    if let Some(order) = command(said) {
        return Orders { orders: vec![order] };
    }
    Orders { orders: message::orders(said) }
}

impl Orders {
    /// Whether there is one of a kind.
    pub fn has(&self, kind: OrderKind) -> bool {
        self.orders.iter().any(|order| order.kind == kind)
    }

    /// The message without what must teach nothing: the orders to forget or to keep nothing, and what these cover.
    pub fn rest(&self, said: &str) -> String {
        let mut rest = said.to_owned();
        for order in self.orders.iter().rev().filter(|order| order.kind != OrderKind::Remember) {
            let covered = order.range.start.min(order.object.start)..order.range.end.max(order.object.end);
            let (start, end) = (covered.start.min(rest.len()), covered.end.min(rest.len()));
            rest.replace_range(start..end, "");
        }
        rest.trim().to_owned()
    }
}

/// "/remember …" and "/forget …".
fn command(said: &str) -> Option<Order> {
    let start = said.len() - said.trim_start().len();
    let end = said.trim_end().len();
    let (kind, name) = [(OrderKind::Remember, "/remember"), (OrderKind::Forget, "/forget")]
        .into_iter()
        .find(|(_, name)| said[start..].starts_with(name))?;
    let rest = &said[start + name.len()..];
    let object = end - rest.trim().len()..end;
    (rest.starts_with(char::is_whitespace) && !object.is_empty()).then_some(Order { kind, range: start..end, object })
}
