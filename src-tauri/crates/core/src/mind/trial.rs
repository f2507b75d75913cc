//! Whether a model can write down what a message tells: a few probe messages, asked as the second call asks.

use super::extraction;
use crate::memory::writing::annotation::Stance;
use crate::memory::writing::ops::MemoryOps;
use crate::providers::{Provider, ProviderError};

/// A message, and what is to be read in it.
struct Probe {
    said: &'static str,
    /// A word of the value, and how it is meant; nothing where the message tells nothing.
    told: Option<(&'static str, Stance)>,
}

/// How many of the probes a model reads right that can write down structure.
pub const ENOUGH: u32 = 5;

const PROBES: [Probe; 6] = [
    Probe { said: "I work as a plumber down at the docks.", told: Some(("plumber", Stance::States)) },
    Probe { said: "My brother Hugo doesn't drink coffee at all.", told: Some(("coffee", Stance::Denies)) },
    Probe { said: "If I won the lottery I would buy a lighthouse.", told: None },
    Probe { said: "Seit Oktober wohne ich wieder in Bremen.", told: Some(("Bremen", Stance::States)) },
    Probe { said: "¿Me recomiendas una película corta para esta noche?", told: None },
    Probe { said: "Je ne mange pas de champignons.", told: Some(("champignons", Stance::Denies)) },
];

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// How many messages were read right.
    pub right: u32,
    /// How many there were.
    pub of: u32,
}

/// Asks a model about every probe message, one after the other.
pub async fn run(provider: &dyn Provider, model: &str) -> Result<Score, ProviderError> {
    let mut score = Score { right: 0, of: 0 };
    for probe in &PROBES {
        let ops = extraction::ask(provider, &extraction::request(model, probe.said)).await?;
        score.right += u32::from(is_right(probe, &ops));
        score.of += 1;
    }
    Ok(score)
}

/// Whether what the message tells was noted with its value and meaning; where it tells nothing, whether nothing was.
fn is_right(probe: &Probe, ops: &MemoryOps) -> bool {
    let mut told = ops.facts.iter().filter(|fact| fact.stance.is_some_and(Stance::is_told));
    match probe.told {
        Some((value, stance)) => told.any(|fact| fact.value.contains(value) && fact.stance == Some(stance)),
        None => !ops.invalid && told.next().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::writing::ops;

    fn right(probe: usize, value: &str, stance: &str) -> bool {
        let fact =
            serde_json::json!({"about": "user", "relation": "is", "value": value, "quote": value, "stance": stance});
        is_right(&PROBES[probe], &ops::parse(&serde_json::json!({"facts": [fact]}).to_string()))
    }

    #[test]
    fn a_message_is_read_right_by_value_and_stance() {
        assert_eq!(
            [right(0, "a plumber", "states"), right(0, "a plumber", "denies"), right(0, "the docks", "states")],
            [true, false, false]
        );
        assert!(right(1, "coffee", "denies"));
        assert_eq!([right(2, "a lighthouse", "supposes"), right(2, "a lighthouse", "states")], [true, false]);
    }

    #[test]
    fn where_nothing_is_told_an_empty_list_is_right_and_chatter_is_not() {
        let read = |reply: &str| is_right(&PROBES[4], &ops::parse(reply));
        assert_eq!([read(r#"{"facts":[]}"#), read("Sure! How about a comedy?")], [true, false]);
    }
}
