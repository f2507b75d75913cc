//! What was asked for on the command line.

/// What the person wants of this start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// To talk.
    Chat(Arguments),
    /// To know how.
    Help,
    /// To know which version it is.
    Version,
}

/// How to talk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    /// Another server than the one in the settings.
    pub base_url: Option<String>,
    /// Another model than the one in the settings.
    pub model: Option<String>,
}

impl Arguments {
    /// Reads the arguments that stand after the program's name.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Wish, String> {
        let mut parsed = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let mut value = |name: &str| {
                value
                    .clone()
                    .or_else(|| arguments.next())
                    .filter(|value| !value.trim().is_empty())
                    .ok_or_else(|| format!("{name} needs a value."))
            };
            match name.as_str() {
                "--help" | "-h" => return Ok(Wish::Help),
                "--version" | "-V" => return Ok(Wish::Version),
                "--base-url" => parsed.base_url = Some(value("--base-url")?),
                "--model" => parsed.model = Some(value("--model")?),
                other => return Err(format!("Atlas does not know the argument {other}.")),
            }
        }
        if parsed.base_url.is_some() && parsed.model.is_none() {
            return Err("--base-url needs --model beside it: which model shall answer?".to_owned());
        }
        Ok(Wish::Chat(parsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Wish, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_ways_to_write_a_value_are_understood() {
        let expected = Ok(Wish::Chat(Arguments {
            base_url: Some("http://localhost:1/v1".to_owned()),
            model: Some("m".to_owned()),
        }));
        assert_eq!(parse("--base-url http://localhost:1/v1 --model m"), expected);
        assert_eq!(parse("--base-url=http://localhost:1/v1 --model=m"), expected);
        assert_eq!(parse(""), Ok(Wish::Chat(Arguments::default())));
    }

    #[test]
    fn help_and_version_win_over_the_rest() {
        assert_eq!(parse("--model m --help"), Ok(Wish::Help));
        assert_eq!(parse("-V"), Ok(Wish::Version));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(parse("--model"), Err("--model needs a value.".to_owned()));
        assert!(parse("--base-url http://localhost:1/v1").is_err());
        assert!(parse("--colour red").is_err());
        assert!(parse("hello").is_err());
    }
}
