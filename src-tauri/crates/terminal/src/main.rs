//! Atlas in a terminal: the same core as the window, and no window.
//!
//! Answers go to standard output, everything else (prompt, healing, failures, what was remembered) to standard
//! error, so that a script gets answers and nothing else. The exit code is 0 when every message was answered, 1 when
//! one was not, 2 for wrong arguments, 3 when Atlas could not be opened, 143 when it was asked to end.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use atlas_core::assistant::{Assistant, Parts};
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::{self, AGENT, Home};
use atlas_core::keychain::SystemKeychain;
use atlas_core::providers::Reach;
use atlas_core::supervisor::EngineConfig;

use crate::arguments::{Arguments, Wish};
use crate::chat::{Chat, Outcome};
use crate::screen::Screen;

mod arguments;
mod chat;
mod input;
mod model;
mod screen;

const HELP: &str = "\
Atlas in a terminal.

Usage: atlas-terminal [--base-url URL --model ID]

  --base-url URL  talk to the OpenAI-compatible server at this address, for this session
  --model ID      with this model, for this session
  --help          print this
  --version       print the version

Type a message and Enter. /help lists the commands, /quit saves and ends; so do Ctrl+C and the end of input.
Ctrl+C during an answer stops the answer. Without options, the model set in Atlas's settings answers.
";

fn main() -> ExitCode {
    let wish = match Arguments::parse(std::env::args().skip(1)) {
        Ok(wish) => wish,
        Err(error) => {
            eprintln!("{error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let arguments = match wish {
        Wish::Help => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Wish::Version => {
            println!("atlas-terminal {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Wish::Chat(arguments) => arguments,
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("Atlas could not start: {error}");
            return ExitCode::from(3);
        }
    };
    runtime.block_on(talk(arguments))
}

/// One session, from opening to closing.
async fn talk(arguments: Arguments) -> ExitCode {
    let mut screen = Screen::new(io::stdout(), io::stderr(), io::stdin().is_terminal() && io::stderr().is_terminal());
    let signals = match input::signals() {
        Ok(signals) => signals,
        Err(error) => {
            screen.note(&format!("Atlas cannot hear Ctrl+C here: {error}"));
            return ExitCode::from(3);
        }
    };
    let assistant = match open().await {
        Ok(assistant) => assistant,
        Err(message) => {
            screen.note(&message);
            return ExitCode::from(3);
        }
    };
    let outcome = match model::choose(&assistant, &arguments, &mut screen).await {
        Ok(()) => Chat::new(Arc::clone(&assistant), screen, input::lines(), signals).run().await,
        Err(error) => {
            screen.note(&error.message);
            Outcome::NotAnswered
        }
    };
    assistant.close().await;
    match outcome {
        Outcome::Answered => ExitCode::SUCCESS,
        Outcome::NotAnswered => ExitCode::from(1),
        Outcome::Terminated => ExitCode::from(143),
    }
}

async fn open() -> Result<Arc<Assistant>, String> {
    let home = Home::of_this_user()
        .ok_or("Atlas found no folder for its data. Set the environment variable ATLAS_HOME to a folder of yours.")?;
    let parts = Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(SystemKeychain::default()),
        engine: EngineConfig::default(),
        embedding: Models::in_folder(home::embedding_models(None)),
        reach: Reach::default(),
    };
    Assistant::open(home, AGENT, parts).await.map_err(|error| error.view().message)
}
