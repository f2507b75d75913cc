//! A draft in the words of what was really said, where a model turned them round: "I quit Acme" is no "works at Acme". Pure.

use crate::memory::fact::FactDraft;
use crate::memory::language::{
    relation::{self, Key},
    verb::{self, Person, Tense},
};

/// It has ended.
pub(super) fn over(draft: &FactDraft, key: &Key) -> FactDraft {
    match opinion(draft, key, "no longer likes") {
        Some(opinion) => opinion,
        None => FactDraft { relation: relation::end_of(&draft.relation), ..draft.clone() },
    }
}

/// It is not so; `None` where the relation has no negative that people would say.
pub(super) fn not(draft: &FactDraft, key: &Key) -> Option<FactDraft> {
    opinion(draft, key, "doesn't like").or_else(|| {
        let (first, rest) = draft.relation.split_once(' ').unwrap_or((&draft.relation, ""));
        let base = verb::base(first).filter(|base| *base != "have")?;
        Some(FactDraft { relation: format!("doesn't {base} {rest}").trim_end().to_owned(), ..draft.clone() })
    })
}

/// It was so once; `None` where the relation has no past.
pub(super) fn once(draft: &FactDraft) -> Option<FactDraft> {
    let first = draft.relation.split(' ').next()?;
    verb::base(first).or(Some(first).filter(|first| matches!(*first, "is" | "are")))?;
    let relation = verb::conjugate(&draft.relation, Person::They, Tense::Past)?;
    Some(FactDraft { relation, ..draft.clone() })
}

/// Of an opinion the thing is the value.
fn opinion(draft: &FactDraft, key: &Key, relation: &str) -> Option<FactDraft> {
    let thing = key.relation.strip_prefix("opinion of ")?;
    let value = draft.relation.split_once(" of ").map_or(draft.value.as_str(), |(_, said)| said);
    let value = if value.is_empty() { thing } else { value };
    Some(FactDraft { subject: draft.subject.clone(), relation: relation.to_owned(), value: value.to_owned() })
}
