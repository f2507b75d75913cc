//! What a model wants remembered, read from the JSON that it writes. Reading is tolerant of form and strict about
//! content; whether a fact is kept is for the gate to say.

use serde_json::Value;

/// The most facts of one answer that are considered; the rest is refused.
const MOST_FACTS: usize = 32;

/// The longest subject, relation and topic, in characters.
const LONGEST_NAME: usize = 120;

/// The longest value, in characters.
const LONGEST_VALUE: usize = 500;

/// The longest note of an episode, in characters; of a longer one the beginning is kept.
const LONGEST_NOTE: usize = 500;

/// What a model wants remembered of one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryOps {
    /// The facts that can be read, in its order; at most 32.
    pub facts: Vec<ProposedFact>,
    /// What the turn was about.
    pub episode_note: Option<String>,
    /// How many facts were refused: incomplete, of the wrong type, too long, or too many.
    pub refused: usize,
    /// Whether anything was not as it should be.
    pub invalid: bool,
}

/// A fact as a model proposes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedFact {
    /// Whom or what it is about.
    pub subject: String,
    /// The relation in words.
    pub relation: String,
    /// The value in words.
    pub value: String,
    /// 0 to 1, where the model says.
    pub confidence: Option<f64>,
    /// What it does to what is known, where the model says.
    pub kind: Option<ChangeHint>,
    /// What it is about, where the model says: "health".
    pub topic: Option<String>,
}

/// What a proposed fact does to what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeHint {
    /// It comes beside what is known.
    Add,
    /// What was known was true and is no longer.
    Change,
    /// What was known never was true.
    Correct,
}

/// One block of an answer, as it was cut out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpsBlock {
    /// What stood in it.
    pub json: String,
    /// Whether it came to its end.
    pub whole: bool,
}

/// Reads all the blocks of an answer. One that cannot be read gives nothing and takes nothing from the others.
pub fn read_blocks(blocks: &[OpsBlock]) -> MemoryOps {
    let mut ops = MemoryOps::default();
    for block in blocks {
        match serde_json::from_str(&block.json) {
            Ok(value) if block.whole => ops.take(&value),
            _ => ops.invalid = true,
        }
    }
    ops
}

/// Reads a reply that should be nothing but JSON. Words and fences around it are passed by.
pub fn parse(reply: &str) -> MemoryOps {
    let mut ops = MemoryOps::default();
    match first_object(reply) {
        Some(value) => ops.take(&value),
        None => ops.invalid = true,
    }
    ops
}

/// The first object or list of objects in a text.
fn first_object(text: &str) -> Option<Value> {
    /// A reply in which the JSON does not begin at one of these is none.
    const PLACES: usize = 32;
    let places = text.match_indices(['{', '[']).take(PLACES);
    places.map(|(at, _)| &text[at..]).find_map(|rest| {
        let value: Value = serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()?;
        let is_list = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_object));
        (value.is_object() || is_list(&value)).then_some(value)
    })
}

impl MemoryOps {
    /// Adds what a value holds: an object with `facts` and `episode_note`, or the list of facts alone.
    fn take(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                fields.get("facts").into_iter().for_each(|facts| self.take_facts(facts));
                fields.get("episode_note").into_iter().for_each(|note| self.take_note(note));
            }
            Value::Array(_) => self.take_facts(value),
            _ => self.invalid = true,
        }
    }

    fn take_facts(&mut self, facts: &Value) {
        match facts {
            Value::Array(facts) => facts.iter().for_each(|fact| self.take_fact(fact)),
            Value::Null => {}
            _ => self.invalid = true,
        }
    }

    /// A list of values is one fact for each of them.
    fn take_fact(&mut self, fact: &Value) {
        match fact.get("value") {
            Some(Value::Array(values)) if !values.is_empty() => {
                values.iter().for_each(|value| self.keep(read_fact(fact, value)));
            }
            value => self.keep(value.and_then(|value| read_fact(fact, value))),
        }
    }

    fn keep(&mut self, fact: Option<ProposedFact>) {
        match fact {
            Some(fact) if self.facts.len() < MOST_FACTS => self.facts.push(fact),
            _ => {
                self.refused += 1;
                self.invalid = true;
            }
        }
    }

    fn take_note(&mut self, note: &Value) {
        match note {
            Value::String(text) if text.trim().is_empty() => {}
            Value::String(text) => self.add_note(text.trim()),
            Value::Null => {}
            _ => self.invalid = true,
        }
    }

    /// Two blocks may have two notes.
    fn add_note(&mut self, text: &str) {
        let note = match self.episode_note.take() {
            Some(first) if first != text => format!("{first}; {text}"),
            _ => text.to_owned(),
        };
        self.episode_note = Some(note.chars().take(LONGEST_NOTE).collect());
    }
}

fn read_fact(fact: &Value, value: &Value) -> Option<ProposedFact> {
    let field = |name: &str| text(fact.get(name)?, LONGEST_NAME);
    Some(ProposedFact {
        subject: field("subject")?,
        relation: field("relation")?,
        value: text(value, LONGEST_VALUE)?,
        confidence: fact.get("confidence").and_then(confidence),
        kind: fact.get("kind").and_then(Value::as_str).and_then(hint),
        topic: field("topic"),
    })
}

/// A text, a number or a truth value, as text; nothing where it is empty or too long.
fn text(value: &Value, longest: usize) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty() && text.chars().count() <= longest).then_some(text)
}

fn confidence(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (0.0..=1.0).contains(&number).then_some(number)
}

fn hint(word: &str) -> Option<ChangeHint> {
    match word.trim().to_ascii_lowercase().as_str() {
        "add" => Some(ChangeHint::Add),
        "change" => Some(ChangeHint::Change),
        "correct" => Some(ChangeHint::Correct),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> MemoryOps {
        read_blocks(&[OpsBlock { json: value.to_string(), whole: true }])
    }

    fn fact(subject: &str, relation: &str, value: &str) -> ProposedFact {
        let text = str::to_owned;
        ProposedFact {
            subject: text(subject),
            relation: text(relation),
            value: text(value),
            confidence: None,
            kind: None,
            topic: None,
        }
    }

    fn proposal(value: Value) -> Value {
        json!({"subject": "user", "relation": "likes", "value": value})
    }

    #[test]
    fn a_block_gives_its_facts_and_its_note() {
        let ops = read(json!({
            "facts": [{"subject": " user ", "relation": "lives in", "value": "Tokyo", "confidence": 0.9, "kind": "Change", "topic": "home"}],
            "episode_note": " where they live ",
        }));
        let expected = ProposedFact {
            confidence: Some(0.9),
            kind: Some(ChangeHint::Change),
            topic: Some("home".into()),
            ..fact("user", "lives in", "Tokyo")
        };
        assert_eq!(
            ops,
            MemoryOps {
                facts: vec![expected],
                episode_note: Some("where they live".into()),
                refused: 0,
                invalid: false
            }
        );
    }

    #[test]
    fn numbers_and_truths_become_text_and_a_list_one_fact_for_each_element() {
        let ops = read(json!({"facts": [proposal(json!(41)), proposal(json!(true)), proposal(json!(["tea", 7]))]}));
        let values: Vec<_> = ops.facts.iter().map(|fact| fact.value.as_str()).collect();
        assert_eq!((values, ops.refused, ops.invalid), (vec!["41", "true", "tea", "7"], 0, false));
    }

    #[test]
    fn what_is_incomplete_or_of_the_wrong_type_is_refused_and_counted() {
        let odd = [
            json!("x"),
            json!(null),
            json!({"subject": "user"}),
            json!({"subject": "", "relation": "is", "value": "x"}),
            json!({"subject": "user", "relation": [], "value": "x"}),
            proposal(json!(null)),
            proposal(json!([])),
            proposal(json!({})),
            proposal(json!(["", "good"])),
            proposal(json!("x".repeat(501))),
        ];
        let ops = read(json!({"facts": odd}));
        assert_eq!(
            ops,
            MemoryOps { facts: vec![fact("user", "likes", "good")], episode_note: None, refused: 10, invalid: true }
        );
    }

    #[test]
    fn hints_that_make_no_sense_are_left_out() {
        let odd = json!({"subject": "user", "relation": "likes", "value": "tea", "confidence": 7, "kind": "maybe", "topic": []});
        assert_eq!(read(json!({"facts": [odd]})).facts, [fact("user", "likes", "tea")]);
        let words = json!({"subject": "user", "relation": "likes", "value": "tea", "confidence": "0.5"});
        assert_eq!(read(json!({"facts": [words]})).facts[0].confidence, Some(0.5));
    }

    #[test]
    fn a_note_of_the_wrong_type_is_dropped_and_an_empty_one_is_none() {
        assert_eq!(read(json!({"episode_note": 7})), MemoryOps { invalid: true, ..MemoryOps::default() });
        assert_eq!(read(json!({"episode_note": " "})), MemoryOps::default());
        let long = read(json!({"episode_note": "é".repeat(501)}));
        assert_eq!(long.episode_note.map(|note| note.chars().count()), Some(LONGEST_NOTE));
    }

    #[test]
    fn of_a_flood_the_first_are_considered_and_the_rest_is_counted() {
        let flood: Vec<_> = (0..2000).map(|n| proposal(json!(format!("thing {n}")))).collect();
        let ops = read(json!({"facts": flood}));
        assert_eq!((ops.facts.len(), ops.refused, ops.invalid), (32, 1968, true));
    }

    #[test]
    fn each_block_counts_for_itself() {
        let block = |json: &str, whole| OpsBlock { json: json.into(), whole };
        let ops = read_blocks(&[
            block(r#"{"facts":[{"subject":"user","relation":"likes","value":"tea"}],"episode_note":"a"}"#, true),
            block(r#"{"facts":[{"subject":"user","relation":"likes","value":"rain"}],"episode_no"#, false),
            block("{nonsense}", true),
            block(r#"{"episode_note":"b"}"#, true),
        ]);
        assert_eq!(
            ops,
            MemoryOps {
                facts: vec![fact("user", "likes", "tea")],
                episode_note: Some("a; b".into()),
                refused: 0,
                invalid: true
            }
        );
        assert_eq!(read_blocks(&[]), MemoryOps::default());
    }

    #[test]
    fn a_reply_may_have_words_and_fences_around_its_json() {
        let expected = MemoryOps { facts: vec![fact("user", "likes", "tea")], ..MemoryOps::default() };
        let json = r#"{"facts":[{"subject":"user","relation":"likes","value":"tea"}]}"#;
        for reply in [
            json.to_owned(),
            format!("```json\n{json}\n```"),
            format!("Here it is {{so}}: {json} Anything else?"),
            format!("MEMORY_OPS: {json}"),
            r#"[{"subject":"user","relation":"likes","value":"tea"}]"#.to_owned(),
        ] {
            assert_eq!(parse(&reply), expected, "{reply}");
        }
    }

    #[test]
    fn a_reply_without_json_is_invalid() {
        for reply in ["", "none", "{\"facts\":[", "[1, 2]", "7"] {
            assert_eq!(parse(reply), MemoryOps { invalid: true, ..MemoryOps::default() }, "{reply}");
        }
    }
}
