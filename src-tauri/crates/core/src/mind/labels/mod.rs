//! Memory writing for the smallest models: code cuts a message into pieces, the model gives each one word, code decides.
//!
//! A model of a few billion parameters cannot write down structure, and answers a single yes or no by chance; but how likely
//! it finds that a piece tells something ranks the pieces well, beside signs that code sees in every language. Each memory is a
//! part of the message as it stands.

mod ask;
mod cut;
mod decide;
mod signs;
mod who;
mod words;

use signs::{Read, Veto};

use crate::memory::writing::ops::MemoryOps;
use crate::providers::reply::{self, Reply};
use crate::providers::{ChatRequest, Provider, ProviderError};

/// The longest message that is read, in characters; of a longer one the beginning.
const LONGEST: usize = 4_000;

/// A message in pieces, ready to be asked about.
pub struct Pieces {
    text: String,
    pieces: Vec<Read>,
}

impl Pieces {
    /// Cuts a message. `before` is what the person said earlier in the conversation, oldest first.
    pub fn of(text: &str, before: &[String]) -> Self {
        let text: String = text.chars().take(LONGEST).collect();
        let mut pieces = signs::read(&text, before, words::of_text(&text));
        if pieces.iter().any(|piece| matches!(piece.veto, Some(Veto::Secret | Veto::Scene))) {
            pieces.clear();
        }
        Self { text, pieces }
    }

    /// The pieces that a model is to label; none where code alone knows that nothing is told.
    fn open(&self) -> Vec<&str> {
        let open = self.pieces.iter().filter(|piece| piece.veto.is_none());
        open.map(|piece| &self.text[piece.range.clone()]).collect()
    }
}

/// The request for a message; none where there is nothing to ask.
pub fn request(model: &str, pieces: &Pieces) -> Option<ChatRequest> {
    let open = pieces.open();
    (!open.is_empty()).then(|| ask::request(model, &open))
}

/// What a message tells, by a model's reply.
pub fn annotations(pieces: &Pieces, reply: &Reply) -> MemoryOps {
    match ask::chances(reply, pieces.open().len()) {
        Some(chances) => {
            MemoryOps { facts: decide::decide(&pieces.text, &pieces.pieces, &chances), ..MemoryOps::default() }
        }
        None => MemoryOps { invalid: true, ..MemoryOps::default() },
    }
}

/// Makes the call, where there is something to ask.
pub async fn ask(provider: &dyn Provider, model: &str, pieces: &Pieces) -> Result<MemoryOps, ProviderError> {
    match request(model, pieces) {
        Some(request) => Ok(annotations(pieces, &reply::whole(provider, &request).await?)),
        None => Ok(MemoryOps::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::writing::annotation::Stance;

    fn labelled(text: &str, labels: &str) -> Vec<(String, String, Option<Stance>)> {
        let reply = Reply { text: labels.to_owned(), ..Reply::default() };
        let facts = annotations(&Pieces::of(text, &[]), &reply).facts;
        facts.into_iter().map(|said| (said.about, said.value, said.stance)).collect()
    }

    fn said(about: &str, value: &str, stance: Stance) -> (String, String, Option<Stance>) {
        (about.to_owned(), value.to_owned(), Some(stance))
    }

    #[test]
    fn a_message_is_labelled_piece_by_piece_and_kept_in_its_own_words() {
        let text = "I keep 9 hives near Selby. My brother Otis doesn't eat honey! What do bees eat?";
        let asked = request("small", &Pieces::of(text, &[])).unwrap();
        assert_eq!(
            asked.messages.last().map(|message| message.content.as_str()),
            Some("1: I keep 9 hives near Selby\n2: My brother Otis doesn't eat honey")
        );
        assert_eq!(
            labelled(text, r#"{"1":"fact","2":"other"}"#),
            [
                said("user", "I keep 9 hives near Selby", Stance::States),
                said("My brother Otis", "My brother Otis doesn't eat honey", Stance::Denies),
            ]
        );
        assert_eq!(labelled("lovely weather today", r#"{"1":"talk"}"#), []);
    }

    #[test]
    fn where_code_knows_that_nothing_is_told_no_model_is_asked() {
        for text in ["What do bees eat?", "", "👋", "pretend that I own a castle"] {
            assert_eq!(request("small", &Pieces::of(text, &[])), None, "{text}");
        }
    }

    #[test]
    fn a_reply_that_cannot_be_read_takes_nothing() {
        let ops = annotations(&Pieces::of("I keep bees", &[]), &Reply::default());
        assert_eq!(ops, MemoryOps { invalid: true, ..MemoryOps::default() });
    }
}
