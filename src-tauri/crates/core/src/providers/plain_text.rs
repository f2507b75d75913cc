//! What servers say, as plain text for people.

/// Elements whose content is not for reading.
const UNREADABLE: [&str; 4] = ["script", "style", "head", "template"];

/// The readable text of what may be HTML: without tags, comments, scripts and control characters, with white space
/// collapsed, and cut to a number of characters. It holds no `<` and no `>`, so it is no markup wherever it is put.
pub(crate) fn plain_text(text: &str, longest: usize) -> String {
    let visible = if looks_like_markup(text) { without_tags(text) } else { text.to_owned() };
    let mut plain = String::new();
    let mut gap = false;
    let mut length = 0;
    for c in visible.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = !plain.is_empty();
            continue;
        }
        if length + usize::from(gap) >= longest {
            plain.push('…');
            break;
        }
        if std::mem::take(&mut gap) {
            plain.push(' ');
            length += 1;
        }
        plain.push(match c {
            '<' => '‹',
            '>' => '›',
            other => other,
        });
        length += 1;
    }
    plain
}

/// Whether there is a tag in it: `a < b` has none.
fn looks_like_markup(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| tag_name(&text[at + 1..]).is_some())
}

/// The name of the tag that begins after a `<`; `!` for a comment or a document type.
fn tag_name(after: &str) -> Option<&str> {
    if after.starts_with('!') || after.starts_with('?') {
        return Some("!");
    }
    let name = after.strip_prefix('/').unwrap_or(after);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| &name[..end])
}

fn without_tags(text: &str) -> String {
    let mut visible = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        visible.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let Some(name) = tag_name(after) else {
            visible.push('<');
            rest = after;
            continue;
        };
        visible.push(' ');
        rest = if after.starts_with("!--") { skip_past(after, "-->") } else { skip_past(after, ">") };
        let unreadable = UNREADABLE.iter().find(|unreadable| name.eq_ignore_ascii_case(unreadable));
        if let Some(unreadable) = unreadable.filter(|_| !after.starts_with('/')) {
            rest = skip_element(rest, unreadable);
        }
    }
    visible.push_str(rest);
    let entities = [("&nbsp;", " "), ("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    entities.iter().fold(visible, |text, (entity, character)| text.replace(entity, character))
}

fn skip_past<'a>(text: &'a str, end: &str) -> &'a str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

/// What follows the closing tag of an element; nothing where it is never closed.
fn skip_element<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        let after = &rest[at + 1..];
        if tag_name(after).is_some_and(|closed| closed.eq_ignore_ascii_case(name)) {
            return skip_past(after, ">");
        }
        rest = after;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_its_words() {
        let page = "<!DOCTYPE html>\n<html><head><title>x</title><style>a{}</style></head><body>\
                    <h1>502 Bad&nbsp;Gateway</h1><!-- a > b --><SCRIPT>alert('</h1>')</SCRIPT><p>nginx &amp; co</p>";
        assert_eq!(plain_text(page, 500), "502 Bad Gateway nginx & co");
    }

    #[test]
    fn nothing_that_comes_out_is_markup() {
        let attempts =
            ["a < b > c", "&lt;script&gt;", "<b", "<<script>alert(1)", "<p>&lt;b&gt;</p>", "<", "<script>x", "x<!--"];
        for attempt in attempts {
            let plain = plain_text(attempt, 500);
            assert!(!plain.contains(['<', '>']), "{attempt:?} became {plain:?}");
        }
        assert_eq!(plain_text("a < b", 500), "a ‹ b");
    }

    #[test]
    fn white_space_and_control_characters_are_one_space() {
        assert_eq!(plain_text("  a\r\n\t b\u{7}\u{1b}[1mc ", 500), "a b [1mc");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(plain_text("héllo wörld", 5), "héllo…");
        assert_eq!(plain_text("héllo wörld", 6), "héllo…");
        assert_eq!(plain_text("héllo", 5), "héllo");
    }
}
