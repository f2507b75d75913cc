use super::*;

/// A block with one fact, as a model writes it.
const BLOCK: &str =
    r#"MEMORY_OPS: {"facts":[{"subject":"user","relation":"lives in","value":"Tokyo"}],"episode_note":"home"}"#;

fn split(pieces: &[&str]) -> (String, MemoryOps) {
    let mut splitter = OpsSplitter::default();
    let mut shown: String = pieces.iter().map(|piece| splitter.push(piece)).collect();
    let (rest, ops) = splitter.finish();
    shown.push_str(&rest);
    (shown, ops)
}

/// Splits an answer whole, at every place once, and character by character: always with the same outcome.
fn split_everywhere(answer: &str) -> (String, MemoryOps) {
    let whole = split(&[answer]);
    for (at, _) in answer.char_indices() {
        let (head, tail) = answer.split_at(at);
        assert_eq!(split(&[head, tail]), whole, "split at {at}: {answer:?}");
    }
    let characters: Vec<String> = answer.chars().map(String::from).collect();
    let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
    assert_eq!(split(&characters), whole, "character by character: {answer:?}");
    whole
}

/// What is seen of an answer, how many facts are taken from it, and whether something in it was invalid.
fn outcome(answer: &str) -> (String, usize, bool) {
    let (shown, ops) = split_everywhere(answer);
    (shown, ops.facts.len(), ops.invalid)
}

fn seen(text: &str, facts: usize, invalid: bool) -> (String, usize, bool) {
    (text.to_owned(), facts, invalid)
}

#[test]
fn a_block_at_the_end_is_split_off() {
    assert_eq!(outcome(&format!("Noted!\n\n{BLOCK}")), seen("Noted!", 1, false));
    assert_eq!(outcome(&format!("Noted!\n{BLOCK}\n")), seen("Noted!", 1, false));
    assert_eq!(outcome(BLOCK), seen("", 1, false));
}

#[test]
fn text_after_a_block_goes_on_after_a_blank_line() {
    assert_eq!(outcome(&format!("A\n{BLOCK}\nB")), seen("A\n\nB", 1, false));
    assert_eq!(outcome(&format!("A\n\n{BLOCK}\n\n\nB\n")), seen("A\n\nB", 1, false));
    assert_eq!(outcome(&format!("{BLOCK}\n\nB")), seen("B", 1, false));
    assert_eq!(outcome(&format!("A\n{BLOCK} B")), seen("A\nB", 1, false));
    assert_eq!(outcome(&format!("A\n{BLOCK}\n\n  - b")), seen("A\n\n  - b", 1, false));
}

#[test]
fn two_blocks_both_count_and_neither_shows() {
    assert_eq!(outcome(&format!("A\n{BLOCK}\n\nB\n{BLOCK}")), seen("A\n\nB", 2, false));
    assert_eq!(outcome(&format!("A\n{BLOCK}\n{BLOCK}\nB")), seen("A\n\nB", 2, false));
    assert_eq!(outcome(&format!("A\n{BLOCK} {BLOCK}")), seen("A", 2, false));
}

#[test]
fn a_code_fence_around_a_block_goes_with_it() {
    let pretty = "MEMORY_OPS: {\n  \"facts\": [\n    {\n      \"subject\": \"user\",\n      \"relation\": \"likes\",\n      \
                  \"value\": \"tea\"\n    }\n  ]\n}";
    assert_eq!(outcome(&format!("Noted!\n```json\n{pretty}\n```\nMore?")), seen("Noted!\n\nMore?", 1, false));
    assert_eq!(outcome(&format!("Noted!\n```\n{BLOCK}\n```")), seen("Noted!", 1, false));
    assert_eq!(outcome(&format!("~~~~\n{BLOCK}\n~~~~\nB")), seen("B", 1, false));
    assert_eq!(outcome(&format!("A\n```\n{BLOCK}\n{BLOCK}\n```\nB")), seen("A\n\nB", 2, false));
    let fenced_json = BLOCK.replace("MEMORY_OPS: ", "MEMORY_OPS:\n```json\n");
    assert_eq!(outcome(&format!("A\n{fenced_json}\n```\n\nB")), seen("A\n\nB", 1, false));
}

#[test]
fn a_fence_that_is_not_closed_or_holds_more_loses_no_text() {
    assert_eq!(outcome(&format!("```json\n{BLOCK}\nAnything else?")), seen("Anything else?", 1, false));
    assert_eq!(outcome(&format!("A\n```\n{BLOCK}\nprint(1)\n```\nB")), seen("A\n\nprint(1)\n\nB", 1, false));
}

#[test]
fn what_models_put_around_the_marker_goes_with_it() {
    assert_eq!(outcome(&BLOCK.replace("MEMORY_OPS:", "**MEMORY_OPS:**")), seen("", 1, false));
    assert_eq!(outcome(&format!("A\n{}}}", BLOCK.replace("MEMORY_OPS:", "### Memory_Ops :\n"))), seen("A", 1, false));
    assert_eq!(outcome(&format!("A\n{}`", BLOCK.replace(": {", ": `{"))), seen("A", 1, false));
    assert_eq!(outcome("A\nMEMORY_OPS: none"), seen("A", 0, false));
    assert_eq!(outcome("A\nMEMORY_OPS: null\nB"), seen("A\n\nB", 0, false));
    assert_eq!(outcome("A\r\nMEMORY_OPS: {}\r\nB"), seen("A\n\nB", 0, false));
}

#[test]
fn the_word_in_a_sentence_or_in_code_is_text() {
    for text in [
        "The word `MEMORY_OPS:` marks what I store.",
        "I write MEMORY_OPS: {\"facts\": []} at the end.",
        "`MEMORY_OPS: {}` is empty.",
        "MEMORY_OPS: is a marker.",
        "MEMORY_OPS is a word.\nMEMORY_OPS: so it is",
        "> MEMORY_OPS: {}",
        "An example:\n```json\n{\"a\": 1}\nMEMORY_OPS: {\"facts\": []}\n```\nDone.",
        "~~~\nx\n```\nMEMORY_OPS: {}\n~~~",
    ] {
        assert_eq!(outcome(text), seen(text, 0, false));
    }
}

#[test]
fn a_block_that_was_cut_shows_nothing_and_gives_nothing() {
    for (at, _) in BLOCK.char_indices().skip("MEMORY_".len()) {
        let cut = &BLOCK[..at];
        assert_eq!(outcome(&format!("Noted!\n{cut}")), seen("Noted!", 0, true), "{cut:?}");
        assert_eq!(outcome(&format!("Noted!\n```json\n{cut}")), seen("Noted!", 0, true), "{cut:?}");
    }
    assert_eq!(outcome("M"), seen("M", 0, false));
}

#[test]
fn the_answer_goes_on_after_a_block_that_was_cut() {
    let cut = r#"MEMORY_OPS: {"facts":[{"subject":"user","relation":"lives in""#;
    assert_eq!(outcome(&format!("A\n{cut}\n\nAnything else?")), seen("A\n\nAnything else?", 0, true));
    assert_eq!(outcome(&format!("A\n```json\n{cut}\n```\nB")), seen("A\n\nB", 0, true));
    assert_eq!(outcome(&format!("A\n{cut}\n{BLOCK}\nB")), seen("A\n\nB", 1, true));
    assert_eq!(outcome("A\nMEMORY_OPS: {nonsense}\nB"), seen("A\n\nB", 0, true));
}

#[test]
fn code_and_blank_lines_of_the_answer_stay_as_they_are() {
    for text in [
        "```python\ndef a(): ...\n\n\n\ndef b(): ...\n```\nDone.",
        "A\n\n\n\nB",
        "- one\n- two\n\n---\n\n    code",
        "**bold** and `code`\n* * *\n# Title",
        "```\n\n\ncode",
        "你好🦀\n\né",
    ] {
        assert_eq!(outcome(text), seen(text, 0, false));
    }
}

#[test]
fn white_space_at_the_end_is_not_shown() {
    assert_eq!(outcome("A \n\n"), seen("A", 0, false));
    assert_eq!(outcome("  A"), seen("  A", 0, false));
    assert_eq!(outcome(" \n"), seen("", 0, false));
}

#[test]
fn ordinary_text_flows_at_once() {
    let mut splitter = OpsSplitter::default();
    let shown: Vec<String> = ["Hello", " wor", "ld. ", "More\n", "Me", "n\n```r", "ust\nlet", " x;\n"]
        .map(|piece| splitter.push(piece))
        .into();
    assert_eq!(shown, ["Hello", " wor", "ld.", " More", "", "\nMen", "\n```rust\nlet", " x;"]);
}

#[test]
fn a_flood_is_passed_by_quickly() {
    let facts: Vec<String> =
        (0..2000).map(|n| format!(r#"{{"subject":"user","relation":"likes","value":"thing {n}"}}"#)).collect();
    let answer = format!("Ok.\nMEMORY_OPS: {{\"facts\": [{}]}}", facts.join(", "));
    let characters: Vec<String> = answer.chars().map(String::from).collect();
    let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
    let (shown, ops) = split(&characters);
    assert_eq!((shown.as_str(), ops.facts.len(), ops.refused, ops.invalid), ("Ok.", 32, 1968, true));
}
