//! The base address of a server, from what a person types or pastes.

use reqwest::Url;

use super::http::is_loopback;

/// What people paste after the base address.
const ENDPOINTS: [&str; 5] = ["/chat/completions", "/completions", "/models", "/embeddings", "/responses"];

/// Why a text is no base address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// There is nothing in it.
    #[error("Type the address of the server, such as http://localhost:8080/v1.")]
    Empty,
    /// It begins with something other than `http://` or `https://`.
    #[error("The address must begin with http:// or https://.")]
    Scheme,
    /// It holds a user name or a password.
    #[error("The address must not hold a user name or password. Put the key into its own field.")]
    Credentials,
    /// It names no server, or cannot be read.
    #[error("This is not an address. One looks like http://localhost:8080/v1.")]
    Invalid,
}

impl AddressError {
    /// A stable code to switch on.
    pub fn code(self) -> &'static str {
        match self {
            Self::Empty => "address_empty",
            Self::Scheme => "address_scheme",
            Self::Credentials => "address_credentials",
            Self::Invalid => "address_invalid",
        }
    }

    /// Whether the same address may be right another time.
    pub fn is_retryable(self) -> bool {
        match self {
            Self::Empty | Self::Scheme | Self::Credentials | Self::Invalid => false,
        }
    }
}

/// Makes a base address of what somebody typed: adds the scheme (`http` for servers on this computer or in the local
/// network, else `https`) and `/v1` where no path was typed, and takes away a trailing slash, a pasted
/// `/chat/completions`, a query and a fragment.
///
/// # Errors
/// Where it is none; the message says what to type.
pub fn normalize(typed: &str) -> Result<String, AddressError> {
    let typed = typed.trim();
    let mut url = parse(typed)?;
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    let base = ENDPOINTS.iter().find_map(|endpoint| path.strip_suffix(endpoint));
    match base {
        Some(base) => url.set_path(base.trim_end_matches('/')),
        None if path.is_empty() => url.set_path("/v1"),
        None => url.set_path(&path),
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Reads an address, with or without its scheme.
pub(super) fn parse(typed: &str) -> Result<Url, AddressError> {
    if typed.is_empty() {
        return Err(AddressError::Empty);
    }
    if typed.contains(char::is_whitespace) {
        return Err(AddressError::Invalid);
    }
    let url = match typed.split_once("://") {
        Some(_) => Url::parse(typed),
        None => Url::parse(&format!("https://{typed}")),
    };
    let mut url = url.map_err(|_| AddressError::Invalid)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Scheme);
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(AddressError::Invalid);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::Credentials);
    }
    if !typed.contains("://") && is_local(&url) {
        url.set_scheme("http").map_err(|()| AddressError::Invalid)?;
    }
    Ok(url)
}

/// Whether the server is on this computer or in the local network, where hardly anything speaks https.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let private = match host.parse::<std::net::Ipv4Addr>() {
        Ok(ip) => ip.is_private() || ip.is_link_local(),
        Err(_) => host.ends_with(".local") || host.ends_with(".lan") || !host.contains(['.', ':']),
    };
    private || is_loopback(url)
}

/// Whether a key would travel unencrypted over a network: plain `http` to another computer.
pub fn sends_key_in_clear(base_url: &str) -> bool {
    parse(base_url).is_ok_and(|url| url.scheme() == "http" && !is_loopback(&url))
}

/// Whether an address is this computer's own.
pub fn is_here(base_url: &str) -> bool {
    parse(base_url).is_ok_and(|url| is_loopback(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_becomes_a_base_address() {
        let typed = [
            ("localhost:11434", "http://localhost:11434/v1"),
            ("  http://localhost:1234/v1/ ", "http://localhost:1234/v1"),
            ("127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
            ("[::1]:8080", "http://[::1]:8080/v1"),
            ("192.168.1.5:8000/v1", "http://192.168.1.5:8000/v1"),
            ("nas.local:8000", "http://nas.local:8000/v1"),
            ("workstation:8000", "http://workstation:8000/v1"),
            ("api.example.com", "https://api.example.com/v1"),
            ("api.example.com/openai/v1/models", "https://api.example.com/openai/v1"),
            ("https://api.example.com/chat/completions", "https://api.example.com"),
            ("https://API.Example.com/v1?x=1#y", "https://api.example.com/v1"),
            ("http://api.example.com/v1", "http://api.example.com/v1"),
            ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1"),
        ];
        for (typed, expected) in typed {
            assert_eq!(normalize(typed).as_deref(), Ok(expected), "{typed}");
        }
    }

    #[test]
    fn a_base_address_stays_as_it_is() {
        for base in ["http://localhost:11434/v1", "https://openrouter.ai/api/v1", "http://[::1]:8080/v1"] {
            assert_eq!(normalize(base).as_deref(), Ok(base));
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        let typed = [
            ("", AddressError::Empty),
            ("  ", AddressError::Empty),
            ("ftp://example.com", AddressError::Scheme),
            ("file:///etc/passwd", AddressError::Scheme),
            ("https://", AddressError::Invalid),
            ("my server", AddressError::Invalid),
            ("http://localhost:99999", AddressError::Invalid),
            ("https://me:secret@example.com", AddressError::Credentials),
        ];
        for (typed, expected) in typed {
            assert_eq!(normalize(typed), Err(expected), "{typed:?}");
        }
    }

    #[test]
    fn a_key_is_in_clear_only_over_plain_http_to_another_computer() {
        assert!(sends_key_in_clear("http://192.168.1.5:8000/v1"));
        assert!(!sends_key_in_clear("http://localhost:8000/v1"));
        assert!(!sends_key_in_clear("https://openrouter.ai/api/v1"));
    }
}
