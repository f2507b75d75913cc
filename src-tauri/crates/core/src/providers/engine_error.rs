//! What can go wrong with the built-in engine, as facts.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why the built-in engine does not run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// There is no `llama-server` on this computer.
    #[error("the local engine is not installed")]
    NotInstalled,
    /// There is no model file for it.
    #[error("there is no model file for the local engine")]
    NoModel,
    /// It ended before it was ready.
    #[error("the local engine ended while it was starting")]
    WillNotStart {
        /// The last lines that it wrote, at most 20.
        log: Vec<String>,
        /// What they tell.
        diagnosis: Option<Diagnosis>,
    },
    /// It was ready, and then ended by itself.
    #[error("the local engine ended")]
    Exited {
        /// The last lines that it wrote, at most 20.
        log: Vec<String>,
        /// What they tell.
        diagnosis: Option<Diagnosis>,
    },
    /// The system ended it because the memory was full.
    #[error("the local engine was ended because the memory was full")]
    KilledForMemory {
        /// The last lines that it wrote, at most 20.
        log: Vec<String>,
    },
    /// It still loads its model; or it was stopped meanwhile.
    #[error("the local engine did not get ready in time")]
    NotReady,
    /// It ran and did not answer any more, so it was ended.
    #[error("the local engine did not answer any more")]
    Unhealthy,
    /// It crashed again and again, and is left alone for a while.
    #[error("the local engine crashes again and again")]
    Flapping {
        /// When it is started again.
        until: DateTime<Utc>,
        /// The last lines that it wrote, at most 20.
        log: Vec<String>,
        /// What they tell.
        diagnosis: Option<Diagnosis>,
    },
    /// It crashed a moment ago, and rests before its next start.
    #[error("the local engine rests before its next start")]
    Resting {
        /// When it is started again.
        until: DateTime<Utc>,
    },
}

impl EngineError {
    /// The last lines that it wrote, where they tell something of this error.
    pub fn log(&self) -> &[String] {
        match self {
            Self::WillNotStart { log, .. }
            | Self::Exited { log, .. }
            | Self::KilledForMemory { log }
            | Self::Flapping { log, .. } => log,
            Self::NotInstalled | Self::NoModel | Self::NotReady | Self::Unhealthy | Self::Resting { .. } => &[],
        }
    }

    /// What is wrong, where that is known.
    pub fn diagnosis(&self) -> Option<Diagnosis> {
        match self {
            Self::WillNotStart { diagnosis, .. }
            | Self::Exited { diagnosis, .. }
            | Self::Flapping { diagnosis, .. } => *diagnosis,
            Self::KilledForMemory { .. } => Some(Diagnosis::OutOfMemory),
            Self::NotInstalled | Self::NoModel | Self::NotReady | Self::Unhealthy | Self::Resting { .. } => None,
        }
    }
}

/// What is wrong with the built-in engine, as its last lines and its end tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Diagnosis {
    /// The model's file is damaged, or not whole.
    ModelDamaged,
    /// This engine does not know the model's kind.
    ModelUnsupported,
    /// The model's file cannot be read.
    ModelUnreadable,
    /// The memory is not enough.
    OutOfMemory,
    /// Another program has the port.
    PortTaken,
    /// A library that it needs is not there.
    LibraryMissing,
    /// It was built for another processor.
    IllegalInstruction,
    /// The graphics card or its driver failed.
    Graphics,
    /// It does not know how Atlas starts it.
    OtherVersion,
    /// Something outside ended it.
    EndedFromOutside,
}

impl Diagnosis {
    /// What is wrong. One sentence for people.
    pub fn what(self) -> &'static str {
        match self {
            Self::ModelDamaged => "The model's file is damaged or not whole.",
            Self::ModelUnsupported => "The local engine does not know this kind of model.",
            Self::ModelUnreadable => "The model's file cannot be read.",
            Self::OutOfMemory => "This computer has too little free memory for the model.",
            Self::PortTaken => "Another program took the port of the local engine.",
            Self::LibraryMissing => "The local engine needs a library that this computer does not have.",
            Self::IllegalInstruction => "The local engine was built for another kind of processor.",
            Self::Graphics => "The graphics card or its driver failed.",
            Self::OtherVersion => "The local engine is of a version that Atlas cannot start.",
            Self::EndedFromOutside => "Another program, or the system, ended the local engine.",
        }
    }

    /// Whether another model would do: with this one it will not go better.
    pub fn is_about_the_model(self) -> bool {
        match self {
            Self::ModelDamaged | Self::ModelUnsupported | Self::ModelUnreadable => true,
            Self::OutOfMemory
            | Self::PortTaken
            | Self::LibraryMissing
            | Self::IllegalInstruction
            | Self::Graphics
            | Self::OtherVersion
            | Self::EndedFromOutside => false,
        }
    }

    /// What to do now. One or two sentences for people.
    pub fn advice(self) -> &'static str {
        match self {
            Self::ModelDamaged => "Remove the model and download it again.",
            Self::ModelUnsupported => "Choose another model, or install a newer llama-server.",
            Self::ModelUnreadable => "Check that the file is there and that you may read it, or choose another model.",
            Self::OutOfMemory => {
                "Close other programs, choose a smaller model, or set a smaller context size for the engine."
            }
            Self::PortTaken => "Start the engine again: it takes another port then.",
            Self::LibraryMissing => "Install llama-server again, or name another one with ATLAS_ENGINE.",
            Self::IllegalInstruction => "Install a llama-server that was built for this computer.",
            Self::Graphics => {
                "Update the graphics driver, or use a llama-server that computes without the graphics card."
            }
            Self::OtherVersion => "Install a newer llama-server, or name another one with ATLAS_ENGINE.",
            Self::EndedFromOutside => "Start the engine again. If it happens again, look for a program that ends it.",
        }
    }
}
