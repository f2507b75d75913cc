//! Whose key it is: the name under which the keychain has it.

use reqwest::Url;

use crate::providers::preset::{Endpoint, Preset};

/// What stands before the host of a server that Atlas has no name for.
const CUSTOM: &str = "custom:";

/// A service that a key belongs to.
///
/// Invariant: a key that was given for one server is never found for another. So a preset's own name stands only for
/// its own address; at any other address it is a custom server, named by host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Account(String);

impl Account {
    /// The account of a service. None for the built-in engine, which has no key, and where the address is none.
    pub fn of(endpoint: &Endpoint) -> Option<Self> {
        let id = id(endpoint.preset);
        if endpoint.preset == Preset::BuiltIn {
            return None;
        }
        let server = server(&endpoint.base_url)?;
        match id {
            Some(id) if server_of(endpoint.preset).as_ref() == Some(&server) => Some(Self(id.to_owned())),
            _ => Some(Self(format!("{CUSTOM}{server}"))),
        }
    }

    /// The account with a name that the keychain gave.
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Its name in the keychain.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What people call it: "OpenRouter", "models.example.com:8080".
    pub fn display_name(&self) -> &str {
        let preset = self.preset().map(Preset::name);
        preset.unwrap_or_else(|| self.0.strip_prefix(CUSTOM).unwrap_or(&self.0))
    }

    /// The environment variable that its key may be in.
    pub(super) fn variable(&self) -> Option<&'static str> {
        self.preset()?.key_variable()
    }

    fn preset(&self) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| id(*preset) == Some(self.as_str()))
    }
}

/// A preset's name in the keychain. Never change one: keys are found by it.
fn id(preset: Preset) -> Option<&'static str> {
    match preset {
        Preset::OpenRouter => Some("openrouter"),
        Preset::OpenAi => Some("openai"),
        Preset::Ollama => Some("ollama"),
        Preset::LmStudio => Some("lmstudio"),
        Preset::LlamaCpp => Some("llamacpp"),
        Preset::BuiltIn | Preset::Custom => None,
    }
}

fn server_of(preset: Preset) -> Option<String> {
    server(preset.base_url())
}

/// Host and port; the port is left out where it is the scheme's own.
fn server(base_url: &str) -> Option<String> {
    let custom = Endpoint { preset: Preset::Custom, base_url: base_url.to_owned() };
    let url = Url::parse(&custom.normalized().ok()?.base_url).ok()?;
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(preset: Preset, base_url: &str) -> Option<String> {
        Account::of(&Endpoint { preset, base_url: base_url.into() }).map(|account| account.0)
    }

    #[test]
    fn a_known_service_at_its_own_address_has_its_own_name() {
        assert_eq!(account(Preset::OpenRouter, "https://openrouter.ai/api/v1").as_deref(), Some("openrouter"));
        assert_eq!(account(Preset::Ollama, "http://localhost:11434/v1").as_deref(), Some("ollama"));
    }

    #[test]
    fn a_known_service_at_another_address_does_not_get_the_known_ones_key() {
        let elsewhere = account(Preset::OpenRouter, "http://127.0.0.1:4000/v1");
        assert_eq!(elsewhere.as_deref(), Some("custom:127.0.0.1:4000"));
    }

    #[test]
    fn a_custom_server_is_named_by_host_and_port_alone() {
        let path = account(Preset::Custom, "https://models.example.com/team/v1");
        assert_eq!(path.as_deref(), Some("custom:models.example.com"));
        assert_eq!(
            account(Preset::Custom, "https://models.example.com:8443/v1").as_deref(),
            Some("custom:models.example.com:8443")
        );
        assert_eq!(account(Preset::Custom, "not an address"), None);
    }

    #[test]
    fn the_built_in_engine_has_no_key() {
        assert_eq!(account(Preset::BuiltIn, ""), None);
    }

    #[test]
    fn people_see_the_services_name_or_the_host() {
        let names = ["openrouter", "openai", "custom:models.example.com"].map(Account::named);
        let shown: Vec<_> = names.iter().map(Account::display_name).collect();
        assert_eq!(shown, ["OpenRouter", "OpenAI", "models.example.com"]);
    }
}
