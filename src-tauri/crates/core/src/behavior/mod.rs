//! The behavioural spec: who the agent is, and the prompt that is rendered from it.

pub mod conduct;
pub mod drift;
pub mod lint;
pub mod prompt;
pub mod second_look;
pub mod spec;
pub mod validate;
pub mod versions;

pub use prompt::{BehaviorPreview, preview, render};
pub use spec::BehaviorSpec;
pub use validate::{Severity, SpecProblem, validate};
