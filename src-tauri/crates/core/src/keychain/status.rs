//! What may be known of a key: never the key.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Secret;

/// What may be known of a key: never the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export)]
pub enum KeyStatus {
    /// The service wants none.
    NotNeeded,
    /// There is none.
    Missing,
    /// There is one.
    Present {
        /// Its last four characters; fewer for a short key, never more than a quarter of it.
        last4: String,
        /// Where it is.
        place: KeyPlace,
    },
    /// The keychain cannot be asked.
    Unavailable {
        /// Why, and what to do, for people.
        message: String,
    },
}

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum KeyPlace {
    /// In the system's keychain.
    Keychain,
    /// In memory, until Atlas is closed.
    Session,
    /// In the environment variable that belongs to the service.
    Environment,
}

/// Whether a key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum KeepKey {
    /// In the system's keychain.
    InKeychain,
    /// In memory, until Atlas is closed.
    ThisSession,
}

/// What a person may see of a key to know it again: at most its last four characters, never more than a quarter.
pub(super) fn last4(key: &Secret) -> String {
    let length = key.expose().chars().count();
    key.expose().chars().skip(length - (length / 4).min(4)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_a_quarter_of_a_key_is_shown() {
        let shown = |key: &str| last4(&Secret::new(key).unwrap());
        assert_eq!(shown("sk-or-v1-0123456789abcdef"), "cdef");
        assert_eq!(shown("12345678"), "78");
        assert_eq!(shown("abc"), "");
        assert_eq!(shown("ключключ"), "юч");
    }
}
