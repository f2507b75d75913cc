//! A message in which orders are looked for.

use std::ops::Range;

use super::book::{BOOKS, Book};
use super::pattern::Found;
use super::tokens::{Break, Token, tokens};
use super::{Order, OrderKind};

/// A message as words, read as one language.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    pub said: &'a str,
    pub tokens: &'a [Token],
    pub book: &'static Book,
}

/// A pattern that stands in a message, before it is known what it is about.
#[derive(Debug, Clone)]
pub(super) struct Sighting {
    pub kind: OrderKind,
    /// The words of the pattern.
    pub core: Range<usize>,
    /// See [`Found::object`].
    pub object: Option<(usize, Option<usize>)>,
    /// Where the polite words before it begin.
    pub start: usize,
    /// Whether it is put as a question ("can you …?").
    pub is_asked: bool,
    /// Whether it counts as an order only where a clause begins.
    pub is_anchored: bool,
}

/// Where polite words before an order begin, and whether they ask.
struct LeadIn {
    start: usize,
    is_asked: bool,
}

/// The orders of a message, in whatever language they are.
pub(super) fn orders(said: &str) -> Vec<Order> {
    let mut tokens = tokens(said);
    let pasted = pasted(said);
    for token in tokens.iter_mut().filter(|token| pasted.contains(&token.range.start)) {
        token.is_quoted = true;
    }
    let readings: Vec<Message<'_>> = BOOKS.iter().map(|book| Message { said, tokens: &tokens, book }).collect();
    let mut found: Vec<Reading<'_>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let sightings = readings.iter().flat_map(|message| {
            message.sightings(at).map(|(sighting, object)| Reading { message: *message, sighting, object })
        });
        let best = sightings.max_by_key(|reading| (reading.sighting.core.end, reading.sighting.kind as u8));
        at = best.as_ref().map_or(at, |reading| reading.sighting.core.end - 1) + 1;
        found.extend(best);
    }
    settled(&found)
}

/// An order that was found.
struct Reading<'a> {
    message: Message<'a>,
    sighting: Sighting,
    object: Range<usize>,
}

/// As ranges of bytes; an order ends where the next one begins, and what seals a topic keeps nothing of the message too.
fn settled(found: &[Reading<'_>]) -> Vec<Order> {
    let mut orders: Vec<Order> = Vec::new();
    for (nth, Reading { message, sighting, object }) in found.iter().enumerate() {
        let mut object = object.clone();
        if let Some(next) = found.get(nth + 1).map(|next| next.sighting.start)
            && object.start < next
            && next < object.end
            && sighting.core.end <= object.start
        {
            object = message.without_trails(object.start..next);
        }
        let core = message.bytes(sighting.start..sighting.core.end);
        let object = message.bytes(object);
        let range = match sighting.kind {
            OrderKind::DontStore => core.clone(),
            _ => core.start.min(object.start)..core.end.max(object.end),
        };
        let is_kept_out = found.iter().any(|other| other.sighting.kind == OrderKind::DontStore);
        if sighting.kind == OrderKind::Seal && !is_kept_out {
            let object = message.bytes(0..message.tokens.len());
            orders.push(Order { kind: OrderKind::DontStore, range: core, object });
        }
        orders.push(Order { kind: sighting.kind, range, object });
    }
    orders
}

impl Message<'_> {
    /// The orders that begin at a word, with the words that they are about.
    fn sightings(&self, at: usize) -> impl Iterator<Item = (Sighting, Range<usize>)> {
        let is_open = !self.tokens[at].is_quoted;
        let found = is_open.then(|| self.book.found(self.tokens, at)).into_iter().flatten();
        found.filter_map(move |(kind, pattern, found)| {
            let sighting = self.sighting(kind, at, found, pattern.is_anchored)?;
            let object = self.object_of(&sighting)?;
            Some((sighting, object))
        })
    }

    fn sighting(&self, kind: OrderKind, at: usize, found: Found, is_anchored: bool) -> Option<Sighting> {
        let lead_in = self.lead_in(at);
        let begins = lead_in.start < at || self.begins_clause(at);
        if is_anchored && !begins || self.is_reported(lead_in.start) {
            return None;
        }
        Some(Sighting {
            kind,
            core: at..found.end,
            object: found.object,
            start: lead_in.start,
            is_asked: lead_in.is_asked,
            is_anchored,
        })
    }

    /// The polite words and requests before a word.
    fn lead_in(&self, at: usize) -> LeadIn {
        let (mut start, mut is_asked) = (at, false);
        while start > self.sentence(at).start {
            let asked = self.book.asked.ending(self.tokens, start);
            match asked.or_else(|| self.book.polite.ending(self.tokens, start)) {
                Some(before) => {
                    start = before;
                    is_asked |= asked.is_some();
                }
                None => break,
            }
        }
        LeadIn { start: start.max(self.sentence(at).start), is_asked }
    }

    fn begins_clause(&self, at: usize) -> bool {
        self.tokens[at].before != Break::None
    }

    /// "He said: remember that …".
    fn is_reported(&self, start: usize) -> bool {
        self.tokens[start].before != Break::Sentence && self.book.says.ending(self.tokens, start).is_some()
    }

    /// The words of the sentence that a word stands in.
    pub(super) fn sentence(&self, at: usize) -> Range<usize> {
        let is_first = |token: &Token| token.before == Break::Sentence;
        let at = at.min(self.tokens.len().saturating_sub(1));
        let start = (0..=at).rev().find(|nth| is_first(&self.tokens[*nth])).unwrap_or(0);
        let end = (at + 1..self.tokens.len()).find(|nth| is_first(&self.tokens[*nth])).unwrap_or(self.tokens.len());
        start..end
    }

    /// The signs between a word and the one before.
    pub(super) fn signs_before(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.tokens[before].range.end);
        &self.said[from..self.tokens.get(at).map_or(self.said.len(), |token| token.range.start)]
    }

    /// The bytes of some words, with the signs that belong to them: "€50", "C++", a quotation.
    fn bytes(&self, places: Range<usize>) -> Range<usize> {
        let (Some(first), Some(last)) = (self.tokens.get(places.start), self.tokens.get(places.end.wrapping_sub(1)))
        else {
            return 0..0;
        };
        let is_outside = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    ',' | '.'
                        | ';'
                        | ':'
                        | '!'
                        | '?'
                        | '('
                        | ')'
                        | '['
                        | ']'
                        | '…'
                        | '、'
                        | '。'
                        | '，'
                        | '：'
                        | '！'
                        | '？'
                        | '؟'
                        | '،'
                        | '।'
                        | '–'
                        | '—'
                        | '-'
                        | '*'
                )
        };
        let before = self.signs_before(places.start);
        let before = before.rsplit(is_outside).next().map_or(0, str::len);
        let after = self.signs_before(places.end);
        let after = after.split(is_outside).next().map_or(0, str::len);
        let after =
            if places.end < self.tokens.len() && self.signs_before(places.end).len() == after { 0 } else { after };
        first.range.start - before..last.range.end + after
    }
}

/// A text that somebody else wrote: behind a line that ends with a colon, several lines. A short last paragraph is the person's again.
fn pasted(said: &str) -> Range<usize> {
    const FEWEST_CHARS: usize = 200;
    const LONGEST_REMARK: usize = 200;
    let Some(colon) = said.find(":\n").or_else(|| said.find(":\r\n")) else { return 0..0 };
    let text = &said[colon + 1..];
    if text.trim().lines().count() < 3 && text.len() < FEWEST_CHARS {
        return 0..0;
    }
    let remark =
        text.trim_end().rfind("\n\n").filter(|at| !text[..*at].trim().is_empty() && text.len() - at <= LONGEST_REMARK);
    colon + 1..colon + 1 + remark.unwrap_or(text.len())
}
