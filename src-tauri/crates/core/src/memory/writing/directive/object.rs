//! What an order is about: which words of the message.

use std::ops::Range;

use super::OrderKind;
use super::message::{Message, Sighting};
use super::tokens::Break;

/// A name has no more words, a topic neither.
const NAME_WORDS: usize = 4;
const TOPIC_WORDS: usize = 8;

impl Message<'_> {
    /// The words that an order is about. `None` where it is no order after all.
    pub(super) fn object_of(&self, order: &Sighting) -> Option<Range<usize>> {
        match order.kind {
            OrderKind::Remember => self.remembered(order),
            OrderKind::Forget => self.forgotten(order),
            OrderKind::DontStore => Some(self.covered(order)),
            OrderKind::Seal | OrderKind::MaybeSeal => self.topic(order),
            OrderKind::CallMe => self.name(order),
            OrderKind::Instruction => self.instruction(order),
        }
    }

    fn remembered(&self, order: &Sighting) -> Option<Range<usize>> {
        let Some((_, end)) = order.object else { return self.pointed_at(order) };
        let mut object = self.said_behind(order)?;
        if end.is_none() && order.is_anchored && !order.is_asked && self.asks(object.clone()) {
            // "Remember the day we met?" asks; "Remember that she comes on Friday, what shall I cook?" orders and asks.
            let comma = object.clone().skip(1).rev().find(|at| self.tokens[*at].before == Break::Comma)?;
            object.end = comma;
        }
        let is_meant = !self.book.not_meant.are(self.tokens, &object)
            && self.book.not_a_fact.starting(self.tokens, object.start).is_none()
            && !self.names_a_work(order, object.clone());
        is_meant.then_some(object)
    }

    /// What stands behind the order: to the end of the sentence, or of the paragraph where a colon and a new line begin it.
    fn said_behind(&self, order: &Sighting) -> Option<Range<usize>> {
        let (start, end) = order.object?;
        let first = self.tokens.get(start)?;
        let is_new_sentence = first.before == Break::Sentence;
        if is_new_sentence && !self.signs_before(start).contains([':', '：']) {
            return None;
        }
        let end =
            end.unwrap_or_else(|| if is_new_sentence { self.paragraph_end(start) } else { self.sentence(start).end });
        let end = (start + 1..end).find(|at| self.breaks_at(*at)).unwrap_or(end);
        let object = self.without_trails(self.without_leads(start..end));
        (!object.is_empty()).then_some(object)
    }

    fn breaks_at(&self, at: usize) -> bool {
        !self.tokens[at].is_quoted && self.book.breaks.starting(self.tokens, at).is_some()
    }

    /// What "remember that" points at: what stands before it in the sentence; else behind a colon or comma; else the sentence before.
    fn pointed_at(&self, order: &Sighting) -> Option<Range<usize>> {
        let sentence = self.sentence(order.core.start);
        let follows = order.core.end..sentence.end;
        if self.signs_before(order.core.end).contains([':', '：']) && order.core.end < self.tokens.len() {
            let end = if follows.is_empty() { self.paragraph_end(order.core.end) } else { follows.end };
            return Some(self.without_trails(order.core.end..end)).filter(|object| !object.is_empty());
        }
        let before = self.before(order);
        if !before.is_empty() && !self.book.not_meant.are(self.tokens, &before) {
            return Some(before);
        }
        let follows = self.without_trails(self.without_leads(follows));
        if follows.len() > 2 && self.tokens[order.core.end].before != Break::None {
            return Some(follows);
        }
        let earlier = sentence.start.checked_sub(1).map(|last| self.without_trails(self.sentence(last)));
        let later = (sentence.end < self.tokens.len()).then(|| self.sentence(sentence.end));
        let is_told = |object: &Range<usize>| !object.is_empty() && !self.asks(object.clone());
        earlier.into_iter().chain(later).find(is_told)
    }

    fn forgotten(&self, order: &Sighting) -> Option<Range<usize>> {
        let object = match order.object {
            Some(_) => self.clause_behind(order)?,
            None => self.before(order),
        };
        let sentence = self.sentence(order.core.start);
        let next = sentence.end..(sentence.end + 2).min(self.tokens.len());
        let changes_subject =
            self.book.changed.any_in(self.tokens, sentence.clone()) || self.book.changed.any_in(self.tokens, next);
        let is_meant = !object.is_empty()
            && !changes_subject
            && !self.book.not_meant.are(self.tokens, &object)
            && (order.is_asked || !self.asks(sentence));
        is_meant.then_some(object)
    }

    /// "This part": its sentence, or what stands behind the colon; else the whole message.
    fn covered(&self, order: &Sighting) -> Range<usize> {
        let sentence = self.sentence(order.core.start);
        if !self.book.part.any_in(self.tokens, order.core.start..sentence.end) {
            return 0..self.tokens.len();
        }
        let is_colon = |at: &usize| self.signs_before(*at).contains([':', '：']);
        match (order.core.end..=sentence.end).find(|at| *at < self.tokens.len() && is_colon(at)) {
            Some(colon) => colon..self.paragraph_end(colon),
            None => sentence,
        }
    }

    fn topic(&self, order: &Sighting) -> Option<Range<usize>> {
        let object = match order.object {
            Some(_) => self.clause_behind(order)?,
            None => self.before(order),
        };
        let mut topic = object;
        while let Some(start) = self.book.mine.starting(self.tokens, topic.start).filter(|start| *start < topic.end) {
            topic.start = start;
        }
        let words: usize = self.tokens[topic.clone()].iter().map(|token| token.weight).sum();
        let is_topic = !topic.is_empty() && words <= 3 * TOPIC_WORDS && !self.book.not_meant.are(self.tokens, &topic);
        is_topic.then_some(topic)
    }

    fn name(&self, order: &Sighting) -> Option<Range<usize>> {
        let object = match order.object {
            Some(_) => self.clause_behind(order)?,
            None => self.before(order),
        };
        let words: usize = self.tokens[object.clone()].iter().map(|token| token.weight).sum();
        let is_name = !object.is_empty()
            && words <= 3 * NAME_WORDS
            && self.book.not_a_name.starting(self.tokens, object.start).is_none()
            && !self.book.not_meant.are(self.tokens, &object)
            && (order.is_asked || !self.asks(object.clone()));
        is_name.then_some(object)
    }

    fn instruction(&self, order: &Sighting) -> Option<Range<usize>> {
        let sentence = self.sentence(order.core.start);
        (order.is_asked || !self.asks(sentence.clone())).then_some(sentence)
    }

    /// What stands before the order in its sentence.
    fn before(&self, order: &Sighting) -> Range<usize> {
        self.without_trails(self.without_leads(self.sentence(order.core.start).start..order.start))
    }

    /// What stands behind the order in its clause.
    fn clause_behind(&self, order: &Sighting) -> Option<Range<usize>> {
        let (start, end) = order.object?;
        let start = self.without_leads(start..self.sentence(start).end).start;
        if self.tokens.get(start)?.before == Break::Sentence && start >= order.core.end {
            return None;
        }
        let end = end.unwrap_or(self.sentence(start).end);
        let end =
            (start + 1..end).find(|at| self.tokens[*at].before != Break::None || self.breaks_at(*at)).unwrap_or(end);
        let object = self.without_trails(start..end);
        (!object.is_empty()).then_some(object)
    }

    /// Whether the sentence of some words ends with a question mark.
    fn asks(&self, places: Range<usize>) -> bool {
        let end = self.sentence(places.end.saturating_sub(1)).end;
        self.signs_before(end).contains(['?', '？', '؟'])
    }

    fn paragraph_end(&self, start: usize) -> usize {
        (start + 1..self.tokens.len())
            .find(|at| {
                let signs = self.signs_before(*at);
                signs.matches('\n').count() > 1
            })
            .unwrap_or(self.tokens.len())
    }

    fn without_leads(&self, mut places: Range<usize>) -> Range<usize> {
        while let Some(start) = [&self.book.leads, &self.book.polite]
            .iter()
            .find_map(|phrases| phrases.starting(self.tokens, places.start))
            .filter(|start| *start <= places.end && !places.is_empty())
        {
            places.start = start;
        }
        places
    }

    pub(super) fn without_trails(&self, mut places: Range<usize>) -> Range<usize> {
        while let Some(end) =
            self.book.trails.ending(self.tokens, places.end).filter(|end| *end >= places.start && !places.is_empty())
        {
            places.end = end;
        }
        places
    }

    /// "Remember the Titans", "Remember Me is a film": a bare verb and a name of capitals.
    fn names_a_work(&self, order: &Sighting, object: Range<usize>) -> bool {
        if order.core.len() > 1 || order.core.end < object.start || self.signs_before(object.start).contains(':') {
            return false;
        }
        let is_capital = |at: &usize| self.said[self.tokens[*at].range.clone()].starts_with(char::is_uppercase);
        let name = object.clone().skip_while(|at| !is_capital(at)).take_while(is_capital).last();
        let Some(last) = name.filter(|_| object.clone().take(2).any(|at| is_capital(&at))) else { return false };
        let is_many = self.tokens[last].word.ends_with('s') && !is_capital(&object.start);
        last + 1 == object.end
            || self.book.works.any_in(self.tokens, last + 1..object.end)
            || is_many && self.book.singular.starting(self.tokens, last + 1).is_some()
    }
}
