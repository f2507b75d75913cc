//! Words by which a question speaks of somebody: one data file a language, of one shape. A question is short, and its language
//! is not known: the words of all languages count.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// The words of a language, folded; of all languages once they are read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::memory) struct Asking {
    /// "I", "me".
    #[serde(rename = "self")]
    pub oneself: HashSet<String>,
    /// "my".
    pub mine: HashSet<String>,
    /// "we", "our".
    pub we: HashSet<String>,
    /// "you": the assistant is spoken to.
    pub you: HashSet<String>,
    /// "can": before "you", it asks for something to be done, and not for what was said.
    pub can: HashSet<String>,
    /// "called": what follows is no name of a thing.
    pub called: HashSet<String>,
    /// "everything": what stands beside "what do you know about me" and asks for nothing else, as far as it is no stop word.
    pub common: HashSet<String>,
    /// "talk", "happened": beside a time they say nothing more.
    pub talk: HashSet<String>,
}

impl Asking {
    fn add(&mut self, other: Self) {
        self.oneself.extend(other.oneself);
        self.mine.extend(other.mine);
        self.we.extend(other.we);
        self.you.extend(other.you);
        self.can.extend(other.can);
        self.common.extend(other.common);
        self.called.extend(other.called);
        self.talk.extend(other.talk);
    }
}

macro_rules! files {
    ($($code:literal),*) => {
        [$(include_str!(concat!($code, ".json"))),*]
    };
}

/// The words of all languages.
pub(in crate::memory) static ASKING: LazyLock<Asking> = LazyLock::new(|| {
    let mut all = Asking::default();
    for json in files!("en", "de", "es", "fr", "it", "pt", "nl", "pl", "tr", "ru", "uk", "zh", "ja", "ko") {
        all.add(serde_json::from_str(json).expect("a test reads every file"));
    }
    all
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read() {
        assert!(ASKING.you.contains("you") && ASKING.mine.contains("meine"));
    }
}
