//! What a procedure is learned for: a kind of failure, where it happened, and how far the turn had come.

use super::super::failure::{Failure, Phase};
use super::super::remedy::Remedy;

/// Stands between the parts of a stored key; no name has it.
const BETWEEN: char = '\u{1f}';

/// A failure without its passing facts: what two failures have in common that the same remedy may help for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The kind with its sub-kind: [`FailureKind::signature_code`](super::super::failure::FailureKind::signature_code).
    pub code: String,
    /// The provider's name; empty where none was involved.
    pub provider: String,
    /// The model's id; empty where none was involved.
    pub model: String,
    /// How far the turn had come.
    pub phase: Phase,
}

impl Signature {
    /// A failure's signature.
    pub fn of(failure: &Failure) -> Self {
        Self {
            code: failure.kind.signature_code().to_owned(),
            provider: failure.provider.clone(),
            model: failure.model.clone(),
            phase: failure.phase,
        }
    }

    /// The key under which the tries of a remedy for it are counted.
    pub fn key(&self, remedy: Remedy) -> String {
        let parts = [&self.code, &self.provider, &self.model, self.phase.code(), remedy.code()];
        parts.map(|part| part.replace(BETWEEN, " ")).join(&BETWEEN.to_string())
    }

    /// The signature in a key. A key of an older Atlas has no phase: it was written while asking. `None` for what is no key.
    pub fn of_key(key: &str) -> Option<Self> {
        let (code, provider, model, phase) = match key.split(BETWEEN).collect::<Vec<_>>()[..] {
            [code, provider, model, phase, _remedy] => {
                (code, provider, model, Phase::ALL.into_iter().find(|known| known.code() == phase)?)
            }
            [code, provider, model, _remedy] => (code, provider, model, Phase::Asking),
            _ => return None,
        };
        Some(Self { code: code.into(), provider: provider.into(), model: model.into(), phase })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::healing::FailureKind;
    use crate::providers::NetworkKind;

    #[test]
    fn a_key_is_read_back_as_the_signature_that_made_it() {
        let failure = Failure {
            kind: FailureKind::Network { kind: NetworkKind::Dns },
            provider: "OpenRouter".into(),
            model: "a/b".into(),
            phase: Phase::Answering,
        };
        let signature = Signature::of(&failure);
        let key = signature.key(Remedy::SwitchModel);
        assert_eq!(key, "network_dns\u{1f}OpenRouter\u{1f}a/b\u{1f}answering\u{1f}switch_model");
        assert_eq!(Signature::of_key(&key), Some(signature));
    }

    #[test]
    fn a_key_from_before_there_were_phases_was_written_while_asking() {
        let expected =
            Signature { code: "rate_limit".into(), provider: "P".into(), model: "m".into(), phase: Phase::Asking };
        assert_eq!(Signature::of_key("rate_limit\u{1f}P\u{1f}m\u{1f}wait_and_retry"), Some(expected));
        assert_eq!(Signature::of_key("a key that somebody else made"), None);
        assert_eq!(Signature::of_key("rate_limit\u{1f}P\u{1f}m\u{1f}dreaming\u{1f}wait"), None);
    }
}
