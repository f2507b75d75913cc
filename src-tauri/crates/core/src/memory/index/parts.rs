//! Long texts in parts that are short enough to be found by.

/// The longest passage, in characters; longer messages are several.
pub const LONGEST: usize = 600;

/// A text in parts that are short enough, cut after a sentence or a word where there is one.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text.trim());
    std::iter::from_fn(move || {
        let now = rest?;
        let Some((end, _)) = now.char_indices().nth(LONGEST) else {
            rest = None;
            return Some(now);
        };
        let (part, after) = now.split_at(cut(&now[..end]));
        rest = Some(after.trim_start()).filter(|after| !after.is_empty());
        Some(part.trim_end())
    })
}

/// Where to cut a text that is as long as a part may be: not before its half.
fn cut(text: &str) -> usize {
    let half = text.len() / 2;
    let after_sentence = text
        .char_indices()
        .rev()
        .take_while(|(at, _)| *at > half)
        .find(|(at, c)| {
            let end = at + c.len_utf8();
            matches!(c, '\n' | '。' | '！' | '？')
                || (matches!(c, '.' | '!' | '?') && text[end..].starts_with(char::is_whitespace))
        })
        .map(|(at, c)| at + c.len_utf8());
    after_sentence.or_else(|| text.rfind(char::is_whitespace).filter(|at| *at > half)).unwrap_or(text.len())
}
