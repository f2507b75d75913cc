//! The services that Atlas knows by name, and any other by its address.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::address::{self, AddressError};

/// A service that Atlas knows by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Preset {
    /// The built-in engine: `llama-server` as a child of Atlas. No account.
    BuiltIn,
    /// openrouter.ai.
    OpenRouter,
    /// OpenAI itself.
    OpenAi,
    /// Ollama on this computer.
    Ollama,
    /// LM Studio on this computer.
    LmStudio,
    /// A llama.cpp server on this computer that somebody else started.
    LlamaCpp,
    /// Any other OpenAI-compatible server.
    Custom,
}

/// Where to send requests: a service and its base address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Endpoint {
    /// Which service.
    pub preset: Preset,
    /// The base address, up to and with `/v1`; empty for the built-in engine.
    pub base_url: String,
}

/// A preset as the settings page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PresetView {
    /// Which one.
    pub preset: Preset,
    /// What people call it.
    pub name: String,
    /// Its usual base address; empty where there is none.
    pub base_url: String,
    /// Whether it wants a key.
    pub key: KeyNeed,
    /// The model to begin with; empty where the list must tell.
    pub default_model: String,
    /// Where a person gets a key, where there is such a page.
    pub key_page: Option<String>,
}

/// Whether a service wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum KeyNeed {
    /// Nothing works without.
    Required,
    /// Some of them do.
    Optional,
    /// Never.
    None,
}

impl Preset {
    /// All of them, in the order in which people see them.
    pub const ALL: [Self; 7] =
        [Self::BuiltIn, Self::OpenRouter, Self::OpenAi, Self::Ollama, Self::LmStudio, Self::LlamaCpp, Self::Custom];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "Built-in model",
            Self::OpenRouter => "OpenRouter",
            Self::OpenAi => "OpenAI",
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp server",
            Self::Custom => "Another server",
        }
    }

    /// Its usual base address; empty where there is none.
    pub fn base_url(self) -> &'static str {
        match self {
            Self::BuiltIn | Self::Custom => "",
            Self::OpenRouter => "https://openrouter.ai/api/v1",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://localhost:11434/v1",
            Self::LmStudio => "http://localhost:1234/v1",
            Self::LlamaCpp => "http://localhost:8080/v1",
        }
    }

    /// Whether its models run on this computer, which makes them small and slow as a rule.
    pub fn runs_here(self) -> bool {
        match self {
            Self::BuiltIn | Self::Ollama | Self::LmStudio | Self::LlamaCpp => true,
            Self::OpenRouter | Self::OpenAi | Self::Custom => false,
        }
    }

    /// Whether it wants a key.
    pub fn key_need(self) -> KeyNeed {
        match self {
            Self::BuiltIn => KeyNeed::None,
            Self::OpenRouter | Self::OpenAi => KeyNeed::Required,
            // People put a key in front of these when they share them in a network.
            Self::Ollama | Self::LmStudio | Self::LlamaCpp | Self::Custom => KeyNeed::Optional,
        }
    }

    /// The environment variable that its key is usually in, where there is one.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenRouter => Some("OPENROUTER_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::BuiltIn | Self::Ollama | Self::LmStudio | Self::LlamaCpp | Self::Custom => None,
        }
    }

    /// The model to begin with; empty where the list must tell.
    fn default_model(self) -> &'static str {
        match self {
            Self::OpenRouter => "anthropic/claude-haiku-4.5",
            Self::OpenAi => "gpt-4.1-mini",
            Self::BuiltIn | Self::Ollama | Self::LmStudio | Self::LlamaCpp | Self::Custom => "",
        }
    }

    /// Where a person gets a key.
    fn key_page(self) -> Option<&'static str> {
        match self {
            Self::OpenRouter => Some("https://openrouter.ai/keys"),
            Self::OpenAi => Some("https://platform.openai.com/api-keys"),
            Self::BuiltIn | Self::Ollama | Self::LmStudio | Self::LlamaCpp | Self::Custom => None,
        }
    }

    /// It, as the settings page shows it.
    pub fn view(self) -> PresetView {
        PresetView {
            preset: self,
            name: self.name().to_owned(),
            base_url: self.base_url().to_owned(),
            key: self.key_need(),
            default_model: self.default_model().to_owned(),
            key_page: self.key_page().map(str::to_owned),
        }
    }

    /// Its usual address.
    pub fn endpoint(self) -> Endpoint {
        Endpoint { preset: self, base_url: self.base_url().to_owned() }
    }
}

impl Endpoint {
    /// What people call it: the service's name, or the server's for a server of their own.
    pub fn display_name(&self) -> String {
        let host = || {
            let url = address::parse(&self.base_url).ok()?;
            let host = url.host_str()?;
            Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
        };
        match self.preset {
            Preset::Custom => host().unwrap_or_else(|| self.preset.name().to_owned()),
            named => named.name().to_owned(),
        }
    }

    /// The same with its address normalised; the built-in engine has none.
    ///
    /// # Errors
    /// Where the address is none; the message says what to type.
    pub fn normalized(&self) -> Result<Self, AddressError> {
        let base_url = match self.preset {
            Preset::BuiltIn => String::new(),
            _ => address::normalize(&self.base_url)?,
        };
        Ok(Self { preset: self.preset, base_url })
    }

    /// Whether it can be reached without a network: it runs on this computer.
    pub fn is_here(&self) -> bool {
        self.preset.runs_here() || address::is_here(&self.base_url)
    }

    /// Whether a key would travel unencrypted over a network.
    pub fn sends_key_in_clear(&self) -> bool {
        address::sends_key_in_clear(&self.base_url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_an_address_that_is_normal_already() {
        for preset in Preset::ALL {
            let endpoint = preset.endpoint();
            if preset == Preset::Custom {
                assert_eq!(endpoint.normalized(), Err(AddressError::Empty));
            } else {
                assert_eq!(endpoint.normalized(), Ok(endpoint));
            }
        }
    }

    #[test]
    fn open_router_comes_with_a_model_and_a_page_for_the_key() {
        assert_eq!(
            Preset::OpenRouter.view(),
            PresetView {
                preset: Preset::OpenRouter,
                name: "OpenRouter".into(),
                base_url: "https://openrouter.ai/api/v1".into(),
                key: KeyNeed::Required,
                default_model: "anthropic/claude-haiku-4.5".into(),
                key_page: Some("https://openrouter.ai/keys".into()),
            }
        );
    }

    #[test]
    fn a_server_of_ones_own_is_called_by_its_host() {
        let named = |preset, base_url: &str| Endpoint { preset, base_url: base_url.into() }.display_name();
        assert_eq!(named(Preset::Custom, "https://models.example.com/v1"), "models.example.com");
        assert_eq!(named(Preset::Custom, ""), "Another server");
        assert_eq!(named(Preset::Ollama, "http://192.168.1.5:11434/v1"), "Ollama");
    }
}
