//! Which addresses are asked without a person looking: encrypted ones, and this computer's own.

use reqwest::Url;

use crate::providers::http::is_loopback;

/// Why an address is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsafe {
    /// It is none.
    BadAddress,
    /// It is not encrypted.
    NotEncrypted,
}

/// An address that is encrypted, or this computer's own; without a name and password in it.
pub(super) fn safe(address: &str) -> Result<Url, Unsafe> {
    let url = Url::parse(address.trim()).map_err(|_| Unsafe::BadAddress)?;
    if url.host_str().is_none() || !url.username().is_empty() || url.password().is_some() {
        return Err(Unsafe::BadAddress);
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(Unsafe::NotEncrypted),
        _ => Err(Unsafe::BadAddress),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_line_is_for_this_computer_alone() {
        for good in ["https://example.com/a", " http://127.0.0.1:8080/a ", "http://localhost"] {
            assert!(safe(good).is_ok(), "{good}");
        }
        assert_eq!(safe("http://example.com/a"), Err(Unsafe::NotEncrypted));
        for bad in ["", "example.com", "ftp://example.com", "file:///etc/hosts", "https://name:word@example.com"] {
            assert_eq!(safe(bad), Err(Unsafe::BadAddress), "{bad}");
        }
    }
}
