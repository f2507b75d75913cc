//! The question to the model: one word for each piece, and what it would have answered else.

use serde_json::{Map, Value, json};

use crate::providers::reply::Reply;
use crate::providers::{ChatMessage, ChatRequest, ChatRole, JsonSchema, TokenChoices};

/// What a piece can be.
const LABELS: [&str; 5] = ["fact", "other", "request", "unreal", "talk"];
/// The labels of what tells something of the person or of theirs.
const STATING: [&str; 2] = ["fact", "other"];

/// How many other tokens are asked for at each place: the most that all servers give.
const ALTERNATIVES: u8 = 15;

const SYSTEM: &str = "\
You sort what a person wrote to an assistant. The message is cut into numbered pieces. Give each piece one word.
fact: something true about the writer: job, home, age, health, habits, things, plans, appointments, tastes
other: something true about the writer's family, friends, colleagues or animals
request: a question, or an order to the assistant
unreal: imagined, wished, a story, a joke, or words of another person
talk: greeting, thanks, comment, feeling";

/// Examples: the pieces of a message, each with its label.
const EXAMPLES: [&[(&str, &str)]; 9] = [
    &[
        ("I moved to Leeds in May", "fact"),
        ("my sister Ada is a nurse", "other"),
        ("if I were rich I'd buy a boat", "unreal"),
        ("thanks a lot", "talk"),
        ("what should I cook tonight", "request"),
    ],
    &[
        ("soy enfermera en Quito", "fact"),
        ("mi tío no come carne", "other"),
        ("qué calor hace hoy", "talk"),
        ("recomiéndame un libro", "request"),
    ],
    &[
        ("ich habe kein Auto", "fact"),
        ("stell dir vor", "unreal"),
        ("ich wäre Kapitän", "unreal"),
        ("am Montag um 9 Zahnarzt", "fact"),
        ("schreib mir eine Mail", "request"),
    ],
    &[("我在杭州当厨师", "fact"), ("我妹妹十二岁", "other"), ("谢谢你", "talk"), ("帮我写一首诗", "request")],
    &[
        ("got a new puppy yesterday", "fact"),
        ("called Momo", "fact"),
        ("so that's that", "talk"),
        ("my mum is thrilled", "other"),
        ("not sure yet", "talk"),
    ],
    &[
        ("annem emekli öğretmen", "other"),
        ("Konya'da yaşıyor", "other"),
        ("ben vejetaryenim", "fact"),
        ("neyse", "talk"),
    ],
    &[
        ("я живу в Перми", "fact"),
        ("честно говоря", "talk"),
        ("у брата двое детей", "other"),
        ("завтра в 10 экзамен", "fact"),
    ],
    &[
        ("rent is 700", "fact"),
        ("due on the 3rd", "fact"),
        ("which is fine", "talk"),
        ("we share with two nurses", "fact"),
        ("and one of them sings", "other"),
        ("just kidding", "unreal"),
    ],
    &[
        ("je ne travaille plus chez Orange", "fact"),
        ("bref", "talk"),
        ("mes parents habitent à Lille", "other"),
        ("c'est la vie", "talk"),
    ],
];

/// The request for the pieces of one message.
///
/// Invariant: all before the last message is the same every time, so that a server reads it once.
pub(super) fn request(model: &str, pieces: &[&str]) -> ChatRequest {
    /// What one label costs at most, and what is around them.
    const TOKENS: (u32, u32) = (12, 8);
    let mut messages = vec![message(ChatRole::System, SYSTEM.to_owned())];
    for example in EXAMPLES {
        messages.push(message(ChatRole::User, numbered(example.iter().map(|(piece, _)| *piece))));
        messages.push(message(ChatRole::Assistant, answer(example)));
    }
    messages.push(message(ChatRole::User, numbered(pieces.iter().copied())));
    let count = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    ChatRequest {
        model: model.to_owned(),
        messages,
        temperature: Some(0.0),
        max_tokens: Some(count.saturating_mul(TOKENS.0).saturating_add(TOKENS.1)),
        schema: Some(JsonSchema { name: "labels", schema: schema(pieces.len()) }),
        logprobs: Some(ALTERNATIVES),
    }
}

fn message(role: ChatRole, content: String) -> ChatMessage {
    ChatMessage { role, content }
}

fn numbered<'a>(pieces: impl Iterator<Item = &'a str>) -> String {
    let lines: Vec<String> = pieces.enumerate().map(|(n, piece)| format!("{}: {piece}", n + 1)).collect();
    lines.join("\n")
}

fn answer(example: &[(&str, &str)]) -> String {
    let labels: Vec<String> =
        example.iter().enumerate().map(|(n, (_, label))| format!("\"{}\":\"{label}\"", n + 1)).collect();
    format!("{{{}}}", labels.join(","))
}

fn schema(pieces: usize) -> Value {
    let keys: Vec<String> = (1..=pieces).map(|n| n.to_string()).collect();
    let properties: Map<String, Value> = keys.iter().map(|key| (key.clone(), json!({ "enum": LABELS }))).collect();
    json!({ "type": "object", "properties": properties, "required": keys, "additionalProperties": false })
}

/// How likely each of `pieces` pieces tells something, 0 to 1, as the reply has it. `None` where nothing can be read of it.
pub(super) fn chances(reply: &Reply, pieces: usize) -> Option<Vec<f64>> {
    let chances = from_tokens(&reply.tokens);
    if chances.len() == pieces { Some(chances) } else { from_labels(&reply.text, pieces) }
}

/// What the model might have said, at the first token of each label. A server tells it before it holds the model to the schema, so
/// that the labels' shares are taken.
fn from_tokens(tokens: &[TokenChoices]) -> Vec<f64> {
    /// What every label has at least.
    const LEAST: f64 = 1e-6;
    let (mut before, mut chances) = (String::new(), Vec::new());
    for token in tokens {
        if ends_before_a_label(&before) {
            let mut shares = [LEAST; LABELS.len()];
            for (word, logprob) in &token.choices {
                let mut meant =
                    (0..LABELS.len()).filter(|label| !word.is_empty() && LABELS[*label].starts_with(word.as_str()));
                if let (Some(label), None) = (meant.next(), meant.next()) {
                    shares[label] += logprob.exp();
                }
            }
            let stating: f64 =
                LABELS.iter().zip(shares).filter(|(label, _)| STATING.contains(label)).map(|(_, share)| share).sum();
            chances.push(stating / shares.iter().sum::<f64>());
        }
        before.push_str(&token.token);
    }
    chances
}

/// Whether a text ends in a number as a key, and the quotation mark of its value: `"12":"`.
fn ends_before_a_label(text: &str) -> bool {
    let key = text.strip_suffix('"').and_then(|rest| rest.trim_end().strip_suffix(':'));
    let Some(number) = key.and_then(|rest| rest.trim_end().strip_suffix('"')) else { return false };
    let before = number.trim_end_matches(|c: char| c.is_ascii_digit());
    before.len() < number.len() && before.ends_with('"')
}

/// The labels alone, from a server that tells no more.
fn from_labels(text: &str, pieces: usize) -> Option<Vec<f64>> {
    const STATED: f64 = 0.9;
    let json = text.get(text.find('{')?..=text.rfind('}')?)?;
    let labels: Map<String, Value> = serde_json::from_str(json).ok()?;
    let states =
        |n: usize| labels.get(&n.to_string()).and_then(Value::as_str).is_some_and(|label| STATING.contains(&label));
    Some((1..=pieces).map(|n| if states(n) { STATED } else { 1.0 - STATED }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, choices: &[(&str, f64)]) -> TokenChoices {
        let choices = choices.iter().map(|(word, share)| ((*word).to_owned(), share.ln())).collect();
        TokenChoices { token: text.to_owned(), choices }
    }

    #[test]
    fn the_request_numbers_the_pieces_and_forces_a_label_for_each() {
        let asked = request("small", &["I keep bees", "hello"]);
        assert_eq!(asked.messages.last(), Some(&message(ChatRole::User, "1: I keep bees\n2: hello".to_owned())));
        assert_eq!(asked.messages[8].content, r#"{"1":"fact","2":"other","3":"talk","4":"request"}"#);
        assert_eq!((asked.messages.len(), asked.max_tokens, asked.logprobs), (20, Some(32), Some(15)));
        let schema = asked.schema.map(|schema| schema.schema);
        let label = json!({"enum": ["fact", "other", "request", "unreal", "talk"]});
        let expected = json!({
            "type": "object",
            "properties": {"1": label, "2": label},
            "required": ["1", "2"],
            "additionalProperties": false,
        });
        assert_eq!(schema, Some(expected));
    }

    #[test]
    fn what_the_model_might_have_said_counts_and_not_only_what_it_said() {
        let tokens = vec![
            token("{\"", &[]),
            token("1", &[]),
            token("\":\"", &[]),
            token("talk", &[("talk", 0.5), ("fa", 0.2), ("oth", 0.1), ("I", 0.2)]),
            token("\",\"2\":\"", &[]),
            token("fact", &[("fact", 1.0)]),
            token("\"}", &[]),
        ];
        let reply = Reply { text: r#"{"1":"talk","2":"fact"}"#.to_owned(), tokens, ..Reply::default() };
        let rounded: Option<Vec<f64>> =
            chances(&reply, 2).map(|chances| chances.iter().map(|chance| (chance * 1000.0).round() / 1000.0).collect());
        assert_eq!(rounded, Some(vec![0.375, 1.0]));
    }

    #[test]
    fn where_a_server_tells_no_more_the_label_alone_counts() {
        let reply = |text: &str| Reply { text: text.to_owned(), ..Reply::default() };
        let read =
            |text: &str| chances(&reply(text), 3).map(|all| all.iter().map(|chance| *chance > 0.5).collect::<Vec<_>>());
        assert_eq!(read(r#"{"1":"other","2":"talk","3":"fact"}"#), Some(vec![true, false, true]));
        assert_eq!(read("```json\n{\"1\": \"fact\"}\n```"), Some(vec![true, false, false]));
        assert_eq!(read("I cannot do that."), None);
    }
}
