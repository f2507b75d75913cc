//! Slash commands: answered by code, shown and not stored.

use super::view::{CommandReply, MemoryQuery};
use super::{Assistant, Error};
use crate::memory::fact::Fact;
use crate::memory::history::change::MemoryChange;
use crate::memory::relation::{Polarity, SAID};
use crate::turn::memorize;

/// How many rows a command shows; the Memory page has them all.
const SHOWN: u32 = 30;

const HELP: &str = "\
- `/facts` what Atlas knows, newest first
- `/memories` what was talked about lately
- `/procedures` what Atlas learned from failures, and how well it helps
- `/remember` and a sentence: Atlas keeps it, whatever the model
- `/help` this list

In a conversation, “Remember that …” and “Forget that …” work too.";

/// A slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Command {
    Facts,
    Memories,
    Procedures,
    Remember(String),
    Help,
    Unknown(String),
}

/// Reads a command; `None` where the text is none. A path such as `/etc/hosts` is not a command.
fn read(text: &str) -> Option<Command> {
    let text = text.trim();
    let (name, rest) = text.strip_prefix('/')?.split_once(char::is_whitespace).unwrap_or((&text[1..], ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    Some(match name.to_ascii_lowercase().as_str() {
        "facts" => Command::Facts,
        "memories" => Command::Memories,
        "procedures" => Command::Procedures,
        "remember" => Command::Remember(rest.trim().to_owned()),
        "help" => Command::Help,
        other => Command::Unknown(other.to_owned()),
    })
}

impl Assistant {
    /// Answers a slash command; `None` where the text is none.
    pub async fn run_command(&self, text: &str) -> Result<Option<CommandReply>, Error> {
        let Some(command) = read(text) else { return Ok(None) };
        let reply = match command {
            Command::Facts => plain(self.facts_reply().await?),
            Command::Memories => plain(self.memories_reply().await?),
            Command::Procedures => plain(self.procedures_reply().await?),
            Command::Remember(what) => self.remember_reply(&what).await?,
            Command::Help => plain(HELP.to_owned()),
            Command::Unknown(name) => plain(format!("There is no command `/{name}`.\n\n{HELP}")),
        };
        Ok(Some(reply))
    }

    async fn facts_reply(&self) -> Result<String, Error> {
        let page = self.facts(newest(SHOWN)).await?;
        let lines = page.rows.iter().map(fact_line);
        Ok(listing(
            "Facts",
            page.total,
            lines,
            "Nothing yet. Tell Atlas something about you, or type `/remember` and a sentence.",
        ))
    }

    async fn memories_reply(&self) -> Result<String, Error> {
        let page = self.episodes(newest(SHOWN)).await?;
        let lines =
            page.rows.iter().map(|episode| format!("{}: {}", episode.at.format("%-d %B %Y"), escape(&episode.text)));
        Ok(listing("Episodes", page.total, lines, "Nothing yet. What you talk about will be noted here."))
    }

    async fn procedures_reply(&self) -> Result<String, Error> {
        let page = self.procedures(newest(SHOWN)).await?;
        let lines = page.rows.iter().map(|procedure| {
            format!(
                "{} → {} (helped {} of {} times)",
                escape(&procedure.trigger),
                escape(&procedure.strategy),
                procedure.successes,
                procedure.successes + procedure.failures
            )
        });
        Ok(listing("Procedures", page.total, lines, "Nothing yet. When something fails, what helped is kept here."))
    }

    async fn remember_reply(&self, what: &str) -> Result<CommandReply, Error> {
        if what.is_empty() {
            return Ok(plain("Type what to remember after it: `/remember I am allergic to nuts`".to_owned()));
        }
        let spec = self.behavior_in_force().spec.clone();
        let changes = match memorize::remember(&self.store, what, &spec, self.clock.as_ref()).await? {
            Ok(changes) if changes.is_empty() => return Ok(plain("Known already.".to_owned())),
            Ok(changes) => changes,
            Err(refused) => return Ok(plain(format!("Atlas does not keep this. {}", refused.message()))),
        };
        let changed: Vec<String> = changes.iter().map(|change: &MemoryChange| change.sentence.clone()).collect();
        let text =
            changed.iter().map(|sentence| format!("Remembered: {}", escape(sentence))).collect::<Vec<_>>().join("\n\n");
        self.tell_memory_changed(changes);
        Ok(CommandReply { text, changed })
    }
}

/// "I live in Porto (2 March 2026; user, lives in: Porto)": the words, and the structure over them.
fn fact_line(fact: &Fact) -> String {
    let day = fact.said_at.format("%-d %B %Y");
    let label = match (fact.relation.as_str(), fact.polarity) {
        (SAID, _) => String::new(),
        (relation, Polarity::Holds) => format!("; {}, {relation}: {}", fact.subject, fact.value),
        (relation, Polarity::Denied) => format!("; {}, not {relation}: {}", fact.subject, fact.value),
        (relation, Polarity::Ended) => format!("; {}, no longer {relation}: {}", fact.subject, fact.value),
    };
    escape(&format!("{} ({day}{label})", fact.quote))
}

fn newest(limit: u32) -> MemoryQuery {
    MemoryQuery { limit, ..MemoryQuery::default() }
}

fn plain(text: String) -> CommandReply {
    CommandReply { text, changed: Vec::new() }
}

fn listing(title: &str, total: i64, lines: impl Iterator<Item = String>, empty: &str) -> String {
    if total == 0 {
        return empty.to_owned();
    }
    let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
    let rest = total - lines.len() as i64;
    let more = if rest > 0 { format!("\n\n… and {rest} more on the Memory page.") } else { String::new() };
    format!("**{title} ({total})**\n\n{}{more}", lines.join("\n"))
}

/// A memory is untrusted text: no markup of it takes effect, and it stays on its line.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => escaped.push(' '),
            c if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ':' | ';' | '\'' | '"' | '?' | '/' | '%') => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_slash_and_a_word_and_nothing_else_is() {
        assert_eq!(read(" /Remember  I live in Porto "), Some(Command::Remember("I live in Porto".to_owned())));
        assert_eq!(read("/facts"), Some(Command::Facts));
        assert_eq!(read("/dance"), Some(Command::Unknown("dance".to_owned())));
        for text in ["/etc/hosts", "/", "facts", "// comment", "/ facts", "say /facts"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn no_markup_of_a_memory_takes_effect() {
        assert_eq!(escape("a *b* [c](d)\n# e <i>"), "a \\*b\\* \\[c\\]\\(d\\) \\# e \\<i\\>");
    }
}
