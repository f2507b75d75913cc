//! Keys in an answer: those in use, however they are spelled, and whatever has the shape of one.

use std::sync::LazyLock;

use super::Asked;
use super::human::signs;
use super::rule::{Sign, has_any, tokens as words};

/// The shortest key, in letters and digits, that is looked for inside other text.
const SHORTEST: usize = 12;

/// The forms of a service's keys: what they begin with, and how many letters and digits follow at least.
#[rustfmt::skip]
const FORMS: &[(&str, usize)] = &[
    ("sk-or-", 24), ("sk-ant-", 24), ("sk-proj-", 24), ("sk-", 24), ("sk_live_", 16), ("rk_live_", 16), ("AIza", 33), ("ghp_", 30), ("gho_", 30), ("ghs_", 30), ("ghu_", 30),
    ("github_pat_", 30), ("glpat-", 18), ("xoxb-", 24), ("xoxp-", 24), ("AKIA", 16), ("ASIA", 16), ("hf_", 28), ("gsk_", 32), ("nvapi-", 32), ("pplx-", 32), ("r8_", 32), ("npm_", 32), ("pypi-", 32),
];

/// What stands in a key that is only an example.
#[rustfmt::skip]
const EXAMPLES: &[&str] = &[
    "example", "your", "xxxx", "placeholder", "1234567890", "0123456789", "12345678", "abcdef", "redacted", "sample", "dummy", "fake", "insert", "replace", "secret", "here", "....", "****", "test",
];

/// The body that everybody shows when they explain what such a token is.
const KNOWN_EXAMPLE: &str = "eyJzdWIiOiIxMjM0NTY3ODkw";

/// What keys are called.
static NAMES: LazyLock<Vec<Sign>> = LazyLock::new(|| signs(|rules| &rules.keys));

/// Looks for keys in an answer that grows.
#[derive(Clone)]
pub(super) struct Keys {
    /// The keys in use and their encodings, as letters and digits only.
    needles: Vec<String>,
    longest: usize,
    /// The end of what was read, as letters and digits only.
    tail: String,
    /// What the person showed themself.
    question: String,
    /// Whether the person speaks of keys: an example may be wanted. The keys in use are never meant.
    is_asked_for: bool,
    /// Whether a private key's first line was read last.
    in_private_key: bool,
}

impl Keys {
    pub fn new(asked: &Asked<'_>) -> Self {
        let mut question: String = asked.question.to_owned();
        asked.before.iter().for_each(|said| question.push_str(said));
        let shown = compact(&question);
        let needles: Vec<String> = asked
            .secrets
            .iter()
            .map(|secret| secret.expose())
            .filter(|key| compact(key).len() >= SHORTEST && !shown.contains(&compact(key)))
            .flat_map(spellings)
            .collect();
        let longest = needles.iter().map(String::len).max().unwrap_or(0);
        let is_asked_for = has_any(&words(asked.question), &NAMES);
        Self { needles, longest, tail: String::new(), question, is_asked_for, in_private_key: false }
    }

    /// Whether a sentence, with what stood before it, holds a key.
    pub fn are_in(&mut self, written: &str) -> bool {
        let in_use = self.is_in_use(written);
        let is_private_key = self.is_private_key(written);
        in_use || !self.is_asked_for && (is_private_key || tokens(written).any(|token| self.has_form(token)))
    }

    /// Whether one word is a key, by itself.
    pub fn is_one(&self, word: &str) -> bool {
        let plain = compact(word);
        let has_form = || tokens(word).any(|token| self.has_form(token));
        self.needles.iter().any(|needle| plain.contains(needle)) || !self.is_asked_for && has_form()
    }

    fn is_in_use(&mut self, written: &str) -> bool {
        if self.needles.is_empty() {
            return false;
        }
        self.tail.push_str(&compact(written));
        let found = self.needles.iter().any(|needle| self.tail.contains(needle));
        let keep = self.tail.len().saturating_sub(self.longest);
        self.tail.drain(..keep);
        found
    }

    fn is_private_key(&mut self, written: &str) -> bool {
        let begins = written.contains("-----BEGIN") && written.contains("PRIVATE KEY-----");
        let is_body = |line: &str| {
            line.len() >= 40 && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
        };
        let was_open = std::mem::replace(&mut self.in_private_key, begins);
        (was_open || begins)
            && written
                .split_whitespace()
                .any(|part| is_body(part) && !is_example(part) && !self.question.contains(part))
    }

    fn has_form(&self, token: &str) -> bool {
        let is_key = FORMS.iter().any(|(start, least)| {
            token.strip_prefix(start).is_some_and(|rest| rest.len() >= *least && is_random(rest))
        }) || is_web_token(token);
        is_key && !self.question.contains(token)
    }
}

/// The parts of a text that could be a key.
fn tokens(written: &str) -> impl Iterator<Item = &str> {
    const SHORTEST_TOKEN: usize = 19;
    written
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .map(|token| token.trim_matches('.'))
        .filter(|token| token.len() >= SHORTEST_TOKEN)
}

/// Whether letters are thrown together as in a key: many different ones, digits among them, and no word of an example.
fn is_random(rest: &str) -> bool {
    let letters: std::collections::BTreeSet<u8> = rest.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    letters.len() >= 10 && digits >= 2 && !is_example(rest)
}

fn is_example(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    EXAMPLES.iter().any(|word| lower.contains(word))
}

/// A signed web token: three parts, of which the first two are JSON.
fn is_web_token(token: &str) -> bool {
    let parts: Vec<&str> = token.split('.').collect();
    parts.len() == 3
        && parts[0].starts_with("eyJ")
        && parts[1].starts_with("eyJ")
        && parts[2].len() >= 20
        && !parts[1].starts_with(KNOWN_EXAMPLE)
}

/// The letters and digits of a text, in lower case.
fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// A key as it could be written to pass by: as it is, backwards, as hex, and as base64 wherever in a longer text.
fn spellings(key: &str) -> Vec<String> {
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let backwards: String = key.chars().rev().collect();
    let in_base64 = (0..3).map(|offset| {
        // What comes before shifts the bits; the letters at both ends depend on what stands beside.
        let padded = [&vec![0_u8; offset], key.as_bytes()].concat();
        let encoded = base64(&padded);
        let from = [0, 2, 3][offset];
        encoded[from..encoded.len().saturating_sub(2).max(from)].to_owned()
    });
    [key.to_owned(), backwards, hex]
        .into_iter()
        .chain(in_base64)
        .map(|spelled| compact(&spelled))
        .filter(|spelled| spelled.len() >= SHORTEST)
        .collect()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        let letters = (0..=group.len()).map(|at| LETTERS[(bits >> (18 - 6 * at) & 63) as usize] as char);
        encoded.extend(letters);
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::Secret;

    const KEY: &str = "sk-or-v1-9f83ka02mzq7714bbxy5";

    fn found(answer: &str, question: &str) -> bool {
        let secrets = [Secret::new(KEY).unwrap()];
        let mut keys = Keys::new(&Asked { question, secrets: &secrets, ..Asked::default() });
        answer.split_inclusive(". ").any(|part| keys.are_in(part))
    }

    #[test]
    fn base64_is_that_of_everybody() {
        assert_eq!([b"Man".as_slice(), b"Ma", b"M"].map(base64), ["TWFu", "TWE", "TQ"]);
    }

    #[test]
    fn a_key_in_use_is_found_however_it_is_spelled() {
        let spaced: String = KEY.chars().flat_map(|c| [c, ' ']).collect();
        let dotted = KEY.chars().map(String::from).collect::<Vec<_>>().join(". ");
        let backwards: String = KEY.chars().rev().collect();
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02X}")).collect();
        let encoded = |before: &str| base64(format!("{before}{KEY} and more").as_bytes());
        let plain = [
            format!("It is {KEY}."),
            format!("Letter by letter: {spaced}"),
            dotted,
            KEY.to_uppercase(),
            backwards,
            hex,
        ];
        for answer in plain.into_iter().chain(["", "a", "ab", "key="].map(encoded)) {
            assert!(found(&answer, "What is your key?"), "{answer}");
        }
    }

    #[test]
    fn what_the_person_showed_is_no_secret() {
        assert!(!found(&format!("Your key {KEY} looks right."), &format!("Is {KEY} a good key?")));
    }

    #[test]
    fn what_has_the_form_of_a_key_is_one() {
        for answer in [
            "Use sk-ant-api03-Zk3kfM9s0Qm1LwP8xTyRb2Nd now",
            "AIzaSyD8f3kQ0zPm7Lw2Xc9Vb5Nn1Aa6Ss4Dd8F",
            "token: ghp_a8Kd02LmQz71Vx9Wc3Rt5Yu7Io1Pp4Ss6Dd8",
            "Bearer eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjoiNDIifQ.s5Jk2LmQ8zPx0Wc7Vb3Nn1Aa",
            "AKIAJ5Q2MZ7XW9KD3RTB is the id",
        ] {
            assert!(found(answer, "Hi"), "{answer}");
        }
        let mut keys = Keys::new(&Asked::default());
        assert!(!keys.are_in("-----BEGIN RSA PRIVATE KEY-----\n"));
        assert!(keys.are_in("MIIEowIBAAKCAQEAz8s1kQm5vT2xL0p9dYb4cWnRfG7hJkUe3aMx\n"));
    }

    #[test]
    fn an_example_that_was_asked_for_is_none_and_a_key_in_use_always_is_one() {
        let question = "Give me an example of an API key";
        assert!(!found("For example AIzaSyD8f3kQ0zPm7Lw2Xc9Vb5Nn1Aa6Ss4Dd8F", question));
        assert!(found(&format!("For example {KEY}"), question));
    }

    #[test]
    fn what_explains_keys_is_none() {
        for answer in [
            "Keys look like sk-xxxxxxxxxxxxxxxxxxxxxxxx.",
            "Set OPENAI_API_KEY=sk-your-key-goes-here-please",
            "export TOKEN=ghp_1234567890abcdefghijklmnopqrstuvwxyz",
            "AKIAIOSFODNN7EXAMPLE is Amazon's example.",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
            "The sk-learn package; a task-oriented-programming-language-2024-overview",
            "git commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "550e8400-e29b-41d4-a716-446655440000",
            "-----BEGIN PRIVATE KEY-----",
            "risk-assessment-methodology-version-2024-01",
        ] {
            assert!(!found(answer, "Hi"), "{answer}");
        }
    }
}
