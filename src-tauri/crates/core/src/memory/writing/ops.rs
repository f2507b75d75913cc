//! What a model wants remembered, read from the JSON that it writes. Reading is tolerant of form and strict about
//! content; whether a fact is kept is for the gate to say.

use serde_json::Value;

use super::annotation::{self, Annotation};

/// The most facts of one answer that are considered; the rest is refused.
const MOST_FACTS: usize = 32;

/// The longest note of an episode, in characters; of a longer one the beginning is kept.
const LONGEST_NOTE: usize = 500;

/// What a model wants remembered of one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryOps {
    /// What the message tells, as far as it can be read, in the model's order; at most 32.
    pub facts: Vec<Annotation>,
    /// What the turn was about.
    pub note: Option<String>,
    /// What the person wants of every answer from now on.
    pub instruction: Option<String>,
    /// How many annotations were refused: incomplete, of the wrong type, too long, or too many.
    pub refused: usize,
    /// Whether anything was not as it should be.
    pub invalid: bool,
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
    /// Adds what a value holds: an object with `facts`, `note` and `instruction`, or the list of facts alone.
    fn take(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                fields.get("facts").into_iter().for_each(|facts| self.take_facts(facts));
                // The note's older name is still written by models that learned it.
                let note = fields.get("note").or_else(|| fields.get("episode_note"));
                note.into_iter().for_each(|note| self.take_note(note));
                let instruction = fields.get("instruction").and_then(|said| annotation::text(said, LONGEST_NOTE));
                self.instruction = instruction.or(self.instruction.take());
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
                values.iter().for_each(|value| self.keep(Annotation::read(fact, value)));
            }
            value => self.keep(value.and_then(|value| Annotation::read(fact, value))),
        }
    }

    fn keep(&mut self, fact: Option<Annotation>) {
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
        let note = match self.note.take() {
            Some(first) if first != text => format!("{first}; {text}"),
            _ => text.to_owned(),
        };
        self.note = Some(note.chars().take(LONGEST_NOTE).collect());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::memory::writing::annotation::{Change, Stance};

    fn read(value: Value) -> MemoryOps {
        read_blocks(&[OpsBlock { json: value.to_string(), whole: true }])
    }

    fn fact(about: &str, relation: &str, value: &str) -> Annotation {
        Annotation { about: about.into(), relation: relation.into(), value: value.into(), ..Annotation::default() }
    }

    fn proposal(value: Value) -> Value {
        json!({"subject": "user", "relation": "likes", "value": value})
    }

    #[test]
    fn a_block_gives_its_annotations_its_note_and_an_instruction() {
        let ops = read(json!({
            "facts": [{
                "about": " user ", "relation": "lives in", "value": "Tokyo", "quote": "I moved to Tokyo in May", "stance": "States",
                "change": "new", "when": "in May", "topic": "location", "confidence": 0.9,
            }],
            "note": " where they live ", "instruction": "answer in German",
        }));
        let expected = Annotation {
            quote: Some("I moved to Tokyo in May".into()),
            stance: Some(Stance::States),
            change: Some(Change::New),
            when: Some("in May".into()),
            topic: Some("location".into()),
            confidence: Some(0.9),
            ..fact("user", "lives in", "Tokyo")
        };
        let whole = MemoryOps {
            facts: vec![expected],
            note: Some("where they live".into()),
            instruction: Some("answer in German".into()),
            ..MemoryOps::default()
        };
        assert_eq!(ops, whole);
    }

    #[test]
    fn the_older_names_of_the_parts_are_read_too() {
        let ops = read(json!({
            "facts": [{"subject": "user", "relation": "lives in", "value": "Tokyo", "kind": "Change"}],
            "episode_note": "where they live",
        }));
        let expected = Annotation { change: Some(Change::New), ..fact("user", "lives in", "Tokyo") };
        assert_eq!((ops.facts, ops.note.as_deref()), (vec![expected], Some("where they live")));
    }

    #[test]
    fn who_points_at_words_and_says_no_more_means_that_they_are_so() {
        let ops =
            read(json!({"facts": [{"about": "user", "relation": "likes", "value": "tea", "quote": "I like tea"}]}));
        assert_eq!(ops.facts[0].stance, Some(Stance::States));
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
            MemoryOps {
                facts: vec![fact("user", "likes", "good")],
                refused: 10,
                invalid: true,
                ..MemoryOps::default()
            }
        );
    }

    #[test]
    fn hints_that_make_no_sense_are_left_out() {
        let odd = json!({"subject": "user", "relation": "likes", "value": "tea", "confidence": 7, "change": "maybe", "stance": 7, "topic": []});
        assert_eq!(read(json!({"facts": [odd]})).facts, [fact("user", "likes", "tea")]);
        let words = json!({"subject": "user", "relation": "likes", "value": "tea", "confidence": "0.5"});
        assert_eq!(read(json!({"facts": [words]})).facts[0].confidence, Some(0.5));
    }

    #[test]
    fn a_note_of_the_wrong_type_is_dropped_and_an_empty_one_is_none() {
        assert_eq!(read(json!({"episode_note": 7})), MemoryOps { invalid: true, ..MemoryOps::default() });
        assert_eq!(read(json!({"episode_note": " "})), MemoryOps::default());
        let long = read(json!({"episode_note": "é".repeat(501)}));
        assert_eq!(long.note.map(|note| note.chars().count()), Some(LONGEST_NOTE));
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
                note: Some("a; b".into()),
                invalid: true,
                ..MemoryOps::default()
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
