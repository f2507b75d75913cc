//! How many tokens a text is, about.

/// An estimate of the tokens of a text, without any model's tokenizer: four characters of Latin and other
/// alphabets to a token, one token to each character of Chinese, Japanese and Korean.
///
/// Real tokenizers differ by a third either way. Good for budgets and for telling people an order of size; not
/// for filling a context to the brim.
pub fn estimate_tokens(text: &str) -> u64 {
    let (dense, other) = text
        .chars()
        .fold((0_u64, 0_u64), |(dense, other), c| if is_dense(c) { (dense + 1, other) } else { (dense, other + 1) });
    dense + other.div_ceil(4)
}

/// The fewest tokens that any tokenizer makes of a text: some make one of seven Latin characters, or of two ideographs.
pub fn fewest_tokens(text: &str) -> u64 {
    let dense = text.chars().filter(|c| is_dense(*c)).count() as u64;
    let other = text.chars().count() as u64 - dense;
    dense / 2 + other / 7
}

/// Whether a character is about a token by itself: ideographs, kana, hangul, and emoji.
fn is_dense(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11FF | 0x2E80..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xF900..=0xFAFF
        | 0xFF00..=0xFFEF | 0x1F000..=0x1FAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_latin_characters_and_one_ideograph_are_a_token_each() {
        let cases = [
            ("", 0),
            ("a", 1),
            ("tree", 1),
            ("trees", 2),
            ("東京", 2),
            ("こんにちは", 5),
            ("안녕", 2),
            ("I ♥ 東京", 3),
        ];
        for (text, tokens) in cases {
            assert_eq!(estimate_tokens(text), tokens, "{text:?}");
        }
    }
}
