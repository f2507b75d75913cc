//! Whether an answer says that the one who speaks is a human.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::human_words::{ITSELF, TONGUES};
use super::sentence::Sentence;
use super::stance::{self, Clause, Signs};
use crate::text;

/// A sign, and what may follow it.
struct Claim {
    sign: Vec<String>,
    /// As it stands, for scripts without spaces; empty otherwise.
    unspaced: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    /// A noun that may go on; the language's place in the table.
    Bare(usize),
    Life,
    Denial,
}

/// All claims: found by their first word, and those of scripts without spaces.
struct Claims {
    by_first: HashMap<String, Vec<Claim>>,
    unspaced: Vec<Claim>,
}

static CLAIMS: LazyLock<Claims> = LazyLock::new(|| {
    let mut claims = Claims { by_first: HashMap::new(), unspaced: Vec::new() };
    for (at, tongue) in TONGUES.iter().enumerate() {
        let kinds = [
            (tongue.denies, Kind::Denial),
            (tongue.claims, Kind::Whole),
            (tongue.bare, Kind::Bare(at)),
            (tongue.lives, Kind::Life),
        ];
        for (written, kind) in kinds.into_iter().flat_map(|(signs, kind)| signs.iter().map(move |sign| (sign, kind))) {
            let claim = claim(written, kind);
            match claim.sign.first().cloned() {
                Some(first) => claims.by_first.entry(first).or_default().push(claim),
                None => claims.unspaced.push(claim),
            }
        }
    }
    claims
});

static ITS_NAMES: LazyLock<Signs> = LazyLock::new(|| Signs::of(ITSELF));

fn claim(written: &str, kind: Kind) -> Claim {
    let is_unspaced = written.chars().any(text::is_unspaced);
    Claim {
        sign: if is_unspaced { Vec::new() } else { stance::sign(written) },
        unspaced: if is_unspaced { text::fold(written) } else { String::new() },
        kind,
    }
}

/// Whether a sentence says that its speaker is a human, and means it.
pub(super) fn claims_it(sentence: &Sentence) -> bool {
    if sentence.is_foreign || sentence.is_question {
        return false;
    }
    let makes = |clause: &Clause| {
        let by_word = clause.words.iter().filter_map(|word| CLAIMS.by_first.get(word)).flatten();
        let unspaced = if clause.folded.chars().any(text::is_unspaced) { &CLAIMS.unspaced[..] } else { &[] };
        by_word.chain(unspaced).any(|claim| is_made(claim, clause, sentence))
    };
    stance::clauses(sentence).iter().any(makes)
}

fn is_made(claim: &Claim, clause: &Clause, sentence: &Sentence) -> bool {
    let Some(said) = said(claim, clause) else { return false };
    match claim.kind {
        // The sign is a denial itself: only what is supposed or reported is not meant.
        Kind::Denial => !said.around.is_supposed() && !said.is_refused,
        Kind::Whole => said.around.is_meant() && !said.is_made_by,
        Kind::Bare(tongue) => {
            let may_follow = |word: &String| TONGUES[tongue].followed_by.contains(&word.as_str());
            said.around.is_meant() && said.next.as_ref().is_none_or(may_follow) && !said.is_made_by
        }
        Kind::Life => said.around.is_meant() && !ITS_NAMES.are_in(&sentence.folded, &sentence.words),
    }
}

/// A claim in its clause.
struct Said {
    /// The clause without the claim.
    around: Clause,
    next: Option<String>,
    /// "I never said that I am not a robot": a denial stands before it.
    is_refused: bool,
    /// "我是人类创造的": it goes on with who made it.
    is_made_by: bool,
}

fn said(claim: &Claim, clause: &Clause) -> Option<Said> {
    if claim.unspaced.is_empty() {
        let (start, end) = stance::place(&clause.words, &claim.sign)?;
        let refuses = |word: &String| {
            matches!(word.as_str(), "never" | "not" | "t" | "won" | "nie" | "nicht" | "jamais" | "nunca")
        };
        return Some(Said {
            around: clause.without(start, end),
            next: clause.words.get(end).cloned(),
            is_refused: clause.words[..start].iter().any(refuses),
            is_made_by: false,
        });
    }
    let at = clause.folded.find(&claim.unspaced)?;
    let rest = clause.folded[at + claim.unspaced.len()..].trim_start();
    let goes_on = ["创", "創", "制造", "製造", "开发", "開發", "设计", "設計", "训练", "訓練", "的", "が作", "によ"];
    Some(Said {
        around: clause.without_text(&claim.unspaced),
        next: None,
        is_refused: false,
        is_made_by: goes_on.iter().any(|sign| rest.starts_with(sign)),
    })
}
