//! An answer without any model: what is remembered about the question, as it is, and said to be no more than that.

use crate::healing::Failure;
use crate::memory::recall::RecalledItem;

/// How many memories it tells.
const MOST: usize = 6;

/// The answer. `relevant` is what recall found for the question, best first; there is something in it.
pub(super) fn answer(failure: &Failure, relevant: &[RecalledItem]) -> String {
    let lines: Vec<String> =
        relevant.iter().take(MOST).map(|item| format!("- {} ({})", item.sentence, item.day)).collect();
    format!(
        "{} No model could be asked, so this is only what I remember about it:\n\n{}",
        failure.trigger_sentence(),
        lines.join("\n")
    )
}
