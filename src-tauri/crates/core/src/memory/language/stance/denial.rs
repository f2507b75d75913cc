//! What a clause denies: "I quit Acme", "I don't speak French", "bei Acme arbeite ich nicht mehr".

use super::clause::{self, Clause};
use super::words::{NO_DENIAL, NOT, NOT_BEFORE_VERBS, OVER, OVER_AT_THE_END};
use super::{About, Stance};
use crate::memory::fact::FactDraft;
use crate::memory::language::relation;
use crate::text;

/// A sign of denial before the value and nothing between them but words of the relation, or one that ends the clause.
pub(super) fn of(clause: &Clause, about: &About<'_>) -> Option<Stance> {
    if clause::has_any(&clause.words, &NO_DENIAL) {
        return None;
    }
    if clause.is_unspaced {
        return of_unspaced(&clause.folded, &about.phrase);
    }
    let denied = is_spanish(clause, about) || NOT.iter().any(|sign| denies(clause, sign, about));
    let ends = OVER_AT_THE_END.iter().any(|sign| {
        let rest = clause.words.len().checked_sub(sign.len());
        rest.is_some_and(|rest| rest >= clause.after && clause.words.ends_with(sign))
    });
    let is_over = is_french(clause, about)
        || OVER.iter().any(|sign| denies(clause, sign, about))
        || ends && (denied || clause.says_only(about));
    if is_over { Some(Stance::Over) } else { denied.then_some(Stance::Not) }
}

fn denies(clause: &Clause, sign: &[String], about: &About<'_>) -> bool {
    let reaches = |at: usize| clause.words[at + sign.len()..clause.at].iter().all(|word| about.is_own(word));
    clause::places(clause.before(), sign).any(reaches) && !about.says(sign)
}

/// "Je ne travaille plus chez Acme".
fn is_french(clause: &Clause, about: &About<'_>) -> bool {
    clause.before().iter().any(|word| matches!(word.as_str(), "ne" | "n"))
        && denies(clause, &["plus".to_owned()], about)
}

/// "No vivo en Roma", and not "trabalho no Google".
fn is_spanish(clause: &Clause, about: &About<'_>) -> bool {
    let before_verb = |at: usize| clause.words[at + 1..clause.at].iter().any(|word| !text::is_stop_word(word));
    NOT_BEFORE_VERBS.iter().any(|no| denies(clause, no, about) && clause::places(clause.before(), no).any(before_verb))
}

/// Whether a fact itself says that something is not so.
pub(super) fn is_denial(draft: &FactDraft) -> bool {
    const NO: &[&str] =
        &["no", "not", "never", "without", "kein", "keine", "nicht", "pas", "sin", "non", "nao", "не", "non"];
    let relation = relation::relation_words(&draft.relation);
    let value = text::fold(&draft.value);
    relation::is_negative(&relation)
        || relation::ended(&relation).is_some()
        || relation.split(' ').any(|word| NO.contains(&word) || word.ends_with("n't"))
        || value.split(' ').next().is_some_and(|first| NO.contains(&first))
        || ["不", "没", "없", "않", "ない"].iter().any(|no| draft.relation.contains(no))
}

/// Chinese, Japanese, Korean and Thai say it by words of their own, around what they name or at the end.
fn of_unspaced(folded: &str, phrase: &str) -> Option<Stance> {
    #[rustfmt::skip]
    const OVER: &[&str] = &[
        "不再", "已经不", "戒了", "辞职", "离开了", "卖了", "卖掉", "分手", "もう違", "辞め", "やめた", "やめまし", "売った", "売りまし", "더 이상", "그만뒀", "그만두었", "팔았", "ไม่ได้อีก",
    ];
    /// Words with a sign of denial in them that deny nothing.
    #[rustfmt::skip]
    const NO_DENIAL: &[&str] = &[
        "不但", "不仅", "不只", "不过", "不錯", "不错", "不久", "差不多", "不同", "对不起", "不知道", "不得不", "要不", "不然", "不管", "不止", "不用", "没错", "没关系", "没想到", "没问题",
        "違いない", "しかない", "忘れ",
    ];
    let plain = NO_DENIAL.iter().fold(folded.to_owned(), |plain, word| plain.replace(word, ""));
    let plain = plain.trim_end_matches(['。', '!', '！', '.', ' ']);
    let before = plain.split(phrase.trim()).next().unwrap_or(plain);
    let no = ["不", "没", "ไม่"].iter().any(|sign| before.contains(sign) && !phrase.contains(sign));
    let ends_with_no = [
        "ません",
        "ない",
        "ないです",
        "なかった",
        "지 않아",
        "지 않아요",
        "지 않습니다",
        "없어요",
        "아니야",
        "아니에요",
    ]
    .iter()
    .any(|end| plain.ends_with(end));
    let is_over = OVER.iter().any(|sign| plain.contains(sign))
        || no && plain.ends_with('了')
        || ends_with_no && plain.contains("もう");
    if is_over {
        return Some(Stance::Over);
    }
    (no || ends_with_no || plain.contains("じゃない") || plain.contains("ではない")).then_some(Stance::Not)
}
