//! The models that Atlas offers to download: general models to talk to, under a free licence, each by a fixed address and
//! with the sum of its file.

use serde::Serialize;
use ts_rs::TS;

/// A model that can be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CatalogueModel {
    /// What it is asked for by.
    pub id: &'static str,
    /// Its name, for people.
    pub name: &'static str,
    /// What it is good for. One sentence for people.
    pub good_for: &'static str,
    /// The file that it becomes.
    pub file: &'static str,
    /// Where it is.
    pub url: &'static str,
    /// How long the file is, in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The file's SHA-256, in hexadecimal digits.
    pub sha256: &'static str,
    /// Its licence, by its SPDX name.
    pub licence: &'static str,
    /// How much memory a computer should have for it, in bytes.
    #[ts(type = "number")]
    pub memory: u64,
}

/// All of them. The first is what the set-up brings.
pub const CATALOGUE: &[CatalogueModel] = &[
    CatalogueModel {
        id: "qwen2.5-1.5b",
        name: "Qwen2.5 1.5B Instruct",
        good_for: "A small model for everyday questions; it runs on nearly every computer.",
        file: "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        url: "https://huggingface.co/Qwen/Qwen2.5-1.5B-Instruct-GGUF/resolve/91cad51170dc346986eccefdc2dd33a9da36ead9/qwen2.5-1.5b-instruct-q4_k_m.gguf",
        bytes: 1_117_320_736,
        sha256: "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence: "Apache-2.0",
        memory: 4_000_000_000,
    },
    CatalogueModel {
        id: "qwen2.5-0.5b",
        name: "Qwen2.5 0.5B Instruct",
        good_for: "The smallest one: quick on an old computer, and often wrong.",
        file: "qwen2.5-0.5b-instruct-q4_k_m.gguf",
        url: "https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct-GGUF/resolve/9217f5db79a29953eb74d5343926648285ec7e67/qwen2.5-0.5b-instruct-q4_k_m.gguf",
        bytes: 491_400_032,
        sha256: "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
        licence: "Apache-2.0",
        memory: 2_000_000_000,
    },
    CatalogueModel {
        id: "qwen3-4b",
        name: "Qwen3 4B",
        good_for: "Better answers in many languages; it thinks before it answers, which takes time.",
        file: "Qwen3-4B-Q4_K_M.gguf",
        url: "https://huggingface.co/Qwen/Qwen3-4B-GGUF/resolve/bc640142c66e1fdd12af0bd68f40445458f3869b/Qwen3-4B-Q4_K_M.gguf",
        bytes: 2_497_280_256,
        sha256: "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        licence: "Apache-2.0",
        memory: 8_000_000_000,
    },
    CatalogueModel {
        id: "qwen3-8b",
        name: "Qwen3 8B",
        good_for: "The best answers here, for a strong computer; it thinks before it answers.",
        file: "Qwen3-8B-Q4_K_M.gguf",
        url: "https://huggingface.co/Qwen/Qwen3-8B-GGUF/resolve/7c41481f57cb95916b40956ab2f0b139b296d974/Qwen3-8B-Q4_K_M.gguf",
        bytes: 5_027_783_488,
        sha256: "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
        licence: "Apache-2.0",
        memory: 12_000_000_000,
    },
];

/// The model of an id.
pub fn find(id: &str) -> Option<&'static CatalogueModel> {
    CATALOGUE.iter().find(|model| model.id == id)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_model_has_a_fixed_address_a_sum_and_a_free_licence() {
        for model in CATALOGUE {
            assert!(model.url.starts_with("https://") && model.url.ends_with(model.file), "{}", model.id);
            assert!(!model.url.contains("/main/"), "{} could change", model.id);
            assert_eq!(model.sha256.len(), 64, "{}", model.id);
            assert!(model.sha256.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')), "{}", model.id);
            assert_eq!(model.licence, "Apache-2.0", "{}", model.id);
            assert!(model.memory > model.bytes, "{}", model.id);
            assert_eq!(find(model.id), Some(model), "no two have one id");
        }
    }

    #[test]
    fn the_first_is_the_one_that_the_set_up_brings() {
        let set_up = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.ci");
        let read = |name: &str| std::fs::read_to_string(set_up.join(name)).unwrap();
        assert!(read("pins").contains(&format!("{}  {}", CATALOGUE[0].sha256, CATALOGUE[0].file)));
        assert!(read("models").contains(CATALOGUE[0].url.trim_end_matches(CATALOGUE[0].file)));
    }
}
