//! Whom a turn asks: the model that the person chose, and the ones that they named for the case that it fails.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::healing::FailureKind;
use crate::providers::Provider;
use crate::providers::preset::{Endpoint, Preset};
use crate::settings::{MemoryWriting, ModelChoice, Settings};

/// A model that can be asked, or why it cannot.
#[derive(Clone)]
pub struct Target {
    /// The service, or why there is none.
    pub provider: Result<Arc<dyn Provider>, FailureKind>,
    /// What people call it; empty before the first set-up.
    pub name: String,
    /// Where it is.
    pub endpoint: Option<Endpoint>,
    /// The model's id.
    pub model: String,
}

/// Finds a service: it may ask the keychain, which takes a while, so it is done when it is wanted.
pub type FindTarget = Arc<dyn Fn(ModelChoice) -> BoxFuture<'static, Target> + Send + Sync>;

impl Target {
    /// Whether the built-in engine answers.
    pub fn is_built_in(&self) -> bool {
        self.endpoint.as_ref().is_some_and(|endpoint| endpoint.preset == Preset::BuiltIn)
    }

    /// Whether its model is of those that run on people's own computers: small and slow as a rule.
    pub fn is_small(&self) -> bool {
        self.endpoint.as_ref().is_some_and(|endpoint| endpoint.preset.runs_here())
    }

    /// Whether it can be reached without a network.
    pub fn runs_here(&self) -> bool {
        self.endpoint.as_ref().is_some_and(Endpoint::is_here)
    }

    /// It as the person chose it; none before the first set-up.
    pub fn choice(&self) -> Option<ModelChoice> {
        let endpoint = self.endpoint.clone()?;
        Some(ModelChoice { endpoint, model: self.model.clone() })
    }

    /// How facts get from its answers into memory.
    pub fn memory_writing(&self, settings: &Settings) -> MemoryWriting {
        settings.memory_writing_with(self.endpoint.as_ref(), &self.model)
    }
}

/// What a turn may ask instead of what it asks first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Alternatives {
    /// Another model of the same service.
    pub model: Option<ModelChoice>,
    /// A model of another service.
    pub provider: Option<ModelChoice>,
}

impl Alternatives {
    /// The ones that the person named.
    pub fn of(settings: &Settings) -> Self {
        let other_model = settings.fallback_model.as_ref().filter(|model| **model != settings.model);
        let model = other_model
            .zip(settings.endpoint.as_ref())
            .map(|(model, endpoint)| ModelChoice { endpoint: endpoint.clone(), model: model.clone() });
        let provider = settings.fallback.clone().filter(|choice| Some(&choice.endpoint) != settings.endpoint.as_ref());
        Self { model, provider }
    }
}

/// A choice as people call it: "gemma at OpenRouter".
pub fn name_of(choice: &ModelChoice) -> String {
    match choice.endpoint.preset {
        Preset::BuiltIn => "the built-in model".to_owned(),
        _ => format!("{} at {}", choice.model, choice.endpoint.display_name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(preset: Preset, model: &str) -> ModelChoice {
        ModelChoice { endpoint: preset.endpoint(), model: model.to_owned() }
    }

    #[test]
    fn what_is_asked_already_is_no_alternative() {
        let settings = Settings {
            endpoint: Some(Preset::OpenRouter.endpoint()),
            model: "a".into(),
            fallback_model: Some("a".into()),
            fallback: Some(choice(Preset::OpenRouter, "b")),
            ..Settings::default()
        };
        assert_eq!(Alternatives::of(&settings), Alternatives::default());
        let settings = Settings {
            fallback_model: Some("b".into()),
            fallback: Some(choice(Preset::BuiltIn, "c.gguf")),
            ..settings
        };
        let expected = Alternatives {
            model: Some(choice(Preset::OpenRouter, "b")),
            provider: Some(choice(Preset::BuiltIn, "c.gguf")),
        };
        assert_eq!(Alternatives::of(&settings), expected);
        let nowhere = Settings { endpoint: None, ..settings };
        assert_eq!(Alternatives::of(&nowhere).model, None);
    }

    #[test]
    fn an_alternative_is_called_by_model_and_service() {
        assert_eq!(name_of(&choice(Preset::OpenRouter, "gemma")), "gemma at OpenRouter");
        assert_eq!(name_of(&choice(Preset::BuiltIn, "x.gguf")), "the built-in model");
    }
}
