//! What a sentence says of somebody else, though a model took it for the person's own: "My sister lives in Oslo", "she works at
//! Globex", "Tom speaks Polish", and what stands between quotation marks.

use super::clause::Clause;
use super::words::{ALONE, KIN, KIN_UNSPACED, MYSELF, THEIRS, WHOSE};
use super::{About, is_about_me};
use crate::memory::language::known_relations::{BEINGS, FEELINGS};
use crate::memory::language::{relation, verb};
use crate::text;

/// Whether somebody else is the subject of a clause, or speaks it.
pub(super) fn say_it(clause: &Clause, sentence: &str, about: &About<'_>) -> bool {
    if !is_about_me(about.key) {
        return false;
    }
    if is_quoted(sentence, about) {
        return true;
    }
    if clause.is_unspaced && clause.written.chars().any(text::is_unspaced) {
        return is_of_kin_unspaced(&clause.folded, about);
    }
    let before = clause.before();
    if joins_in(sentence) {
        return false;
    }
    !clause.words.iter().any(|word| MYSELF.contains(&word.as_str()))
        && (is_of_kin(before, about) || is_of_a_name(&clause.written, before, about))
}

/// "My brother hates jazz but I love it", "… and so do I": the person says it of themself as well, without naming it again.
fn joins_in(sentence: &str) -> bool {
    const AGAIN: &[&str] =
        &["it", "them", "there", "too", "so", "same", "neither", "auch", "aussi", "tambien", "tambem", "anche"];
    let words = text::words(sentence);
    let me = words.iter().position(|word| MYSELF.contains(&word.as_str()));
    me.is_some_and(|me| words[me.saturating_sub(2)..].iter().take(6).any(|word| AGAIN.contains(&word.as_str())))
}

/// "He", "my sister", "the neighbours": somebody who is not the person stands where the clause begins, and is or does it.
fn is_of_kin(before: &[String], about: &About<'_>) -> bool {
    const THEY: &[&str] = &["he", "she", "they", "er", "elle", "ella", "ele", "ela", "он", "она"];
    let is_kin = |word: &str| {
        let one = word.strip_suffix('s').unwrap_or(word);
        [word, one].iter().any(|word| BEINGS.contains(word) || KIN.contains(word))
    };
    let whose = before.iter().take_while(|word| WHOSE.contains(&word.as_str())).count();
    let who = match before.first().map(String::as_str) {
        Some(first) if THEY.contains(&first) || ALONE.contains(&first) => Some(0),
        // "My twin sisters": a word may stand between.
        _ => (1..=whose + 1).filter(|_| whose > 0).find(|at| before.get(*at).is_some_and(|word| is_kin(word))),
    };
    let Some(who) = who.filter(|who| !about.says(&before[*who..=*who])) else { return false };
    let are_many = before[who].ends_with('s') || matches!(before[who].as_str(), "children" | "parents" | "they");
    let does = |word: &String| {
        THEIRS.contains(&word.as_str())
            || (about.is_own(word) && !text::is_stop_word(word))
            || (are_many && verb::base(word).is_some_and(|base| base == word))
    };
    before[who + 1..].iter().take(4).any(does)
}

/// "Tom speaks Polish": a name, and the relation's own verb as it is said of others.
fn is_of_a_name(written: &str, before: &[String], about: &About<'_>) -> bool {
    let verbs: Vec<&str> = if about.key.relation.starts_with("opinion of ") {
        FEELINGS.iter().flat_map(|(_, words)| *words).copied().collect()
    } else {
        relation::synonyms(about.key).iter().copied().chain([about.key.relation.as_str()]).collect()
    };
    let is_of_others = |word: &str| {
        verb::base(word).is_some_and(|base| base != word)
            && verbs.iter().filter_map(|words| words.split(' ').next()).any(|own| own == word)
    };
    let name = written.split_whitespace().find(|word| word.starts_with(char::is_uppercase));
    let Some(name) = name.map(text::fold) else { return false };
    let Some(at) = before.iter().position(|word| *word == name) else { return false };
    let is_third = |word: &String| verb::base(word).is_some_and(|base| base != word);
    before[at + 1..].iter().take(3).any(is_third) && before[at + 1..].iter().any(|word| is_of_others(word))
}

/// "我妹妹住在上海", "姉は東京に住んでいます".
fn is_of_kin_unspaced(folded: &str, about: &About<'_>) -> bool {
    let start = ["我的", "我", "私の", "내 ", "제 ", "우리 "]
        .iter()
        .find_map(|mine| folded.strip_prefix(mine))
        .unwrap_or(folded);
    KIN_UNSPACED.iter().any(|kin| {
        start.strip_prefix(kin).is_some_and(|rest| {
            let own = format!("{} {}", about.draft.relation, about.draft.value);
            let me = ["和我", "跟我", "と私", "과 나", "와 나", "랑 나"].iter().any(|with| rest.starts_with(with));
            !me && !own.contains(kin)
        })
    })
}

/// Whether the fact is named only between quotation marks, in what is more than a name.
fn is_quoted(sentence: &str, about: &About<'_>) -> bool {
    let mut rest = sentence.to_owned();
    let mut quoted = String::new();
    for (open, close) in [('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('"', '"')] {
        while let Some(from) = rest.find(open)
            && let Some(length) = rest[from + open.len_utf8()..].find(close)
        {
            let inner = from + open.len_utf8()..from + open.len_utf8() + length;
            quoted.push_str(&rest[inner.clone()]);
            quoted.push('\n');
            rest.replace_range(from..inner.end + close.len_utf8(), " ");
        }
    }
    let holds = |said: &str| {
        let words = super::stems(said);
        about.named.iter().all(|named| words.contains(named)) || text::fold(said).contains(about.phrase.trim())
    };
    let is_more = text::words(&quoted).len() >= text::words(&about.phrase).len() + 2;
    !quoted.is_empty() && is_more && holds(&quoted) && !holds(&rest)
}
