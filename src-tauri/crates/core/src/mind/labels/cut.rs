//! Cuts a message into pieces of one statement each, by signs and a few joining words. Each is a part of the message as it stands.

use std::ops::Range;

use super::words::{self, Folded, Lists, is_word};
use crate::text::lexicon;

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// Which sentence it belongs to.
    pub sentence: usize,
    /// It stands in quotation marks, or was pasted.
    pub is_quoted: bool,
    /// It looks like program text.
    pub is_code: bool,
    /// A bracket opens before it.
    pub is_bracketed: bool,
    /// Its sentence ends in a question mark.
    pub asks: bool,
    /// It is the last of its sentence.
    pub is_last: bool,
}

/// The characters of a message and where they stand.
struct Chars {
    chars: Vec<char>,
    at: Vec<usize>,
}

impl Chars {
    fn of(text: &str) -> Self {
        let (mut at, chars): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
        at.push(text.len());
        Self { chars, at }
    }

    fn text(&self, range: &Range<usize>) -> String {
        self.chars[range.clone()].iter().collect()
    }

    fn get(&self, at: usize) -> Option<char> {
        self.chars.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.get(at.checked_sub(1)?)
    }

    /// How many characters from here on fit.
    fn run(&self, at: usize, fits: impl Fn(char) -> bool) -> usize {
        self.chars.iter().skip(at).take_while(|c| fits(**c)).count()
    }

    fn starts_with(&self, at: usize, sign: &str) -> bool {
        sign.chars().enumerate().all(|(n, c)| self.get(at + n) == Some(c))
    }
}

/// The pieces of a message, in order.
pub(super) fn cut(text: &str, lists: &Lists) -> Vec<Piece> {
    let chars = Chars::of(text);
    let quoted = quoted(&chars);
    let is_inside = |at: &usize| quoted.iter().any(|quoted| quoted.start < *at && *at < quoted.end);
    let ends: Vec<usize> = sentence_ends(&chars).into_iter().filter(|at| !is_inside(at)).collect();
    let mut pieces = Vec::new();
    for (number, sentence) in spans(&chars, &(0..chars.chars.len()), ends).into_iter().enumerate() {
        let words = chars.text(&sentence);
        let borders = quoted.iter().flat_map(|quoted| [quoted.start, quoted.end]);
        let ends = clause_ends(&chars, &sentence).into_iter().chain(joins(&words, lists, sentence.start));
        let ends = ends.filter(|at| !is_inside(at)).chain(borders).collect();
        let (asks, is_code) = (asks(&words), is_code(&chars, &sentence));
        let first = pieces.len();
        for span in spans(&chars, &sentence, ends) {
            let Some(core) = core(&chars, &span) else { continue };
            pieces.push(Piece {
                sentence: number,
                is_quoted: quoted.iter().any(|quoted| quoted.start <= core.start && core.end <= quoted.end),
                is_code,
                is_bracketed: opens_bracket(&chars, span.start, core.start),
                asks,
                is_last: false,
                range: chars.at[core.start]..chars.at[core.end],
            });
        }
        if let Some(last) = pieces[first..].last_mut() {
            last.is_last = true;
        }
    }
    pieces
}

/// The parts between the ends, without white space around them.
fn spans(chars: &Chars, whole: &Range<usize>, mut ends: Vec<usize>) -> Vec<Range<usize>> {
    ends.retain(|end| whole.start < *end && *end < whole.end);
    ends.push(whole.end);
    ends.sort_unstable();
    ends.dedup();
    let mut start = whole.start;
    let parts = ends.into_iter().map(|end| std::mem::replace(&mut start, end)..end);
    parts.map(|part| trimmed(chars, part, char::is_whitespace)).filter(|part| !part.is_empty()).collect()
}

fn trimmed(chars: &Chars, part: Range<usize>, is_away: impl Fn(char) -> bool) -> Range<usize> {
    let start = part.start + chars.chars[part.clone()].iter().take_while(|c| is_away(**c)).count();
    let end = part.end - chars.chars[start..part.end].iter().rev().take_while(|c| is_away(**c)).count();
    start..end
}

/// A piece without the signs around it; nothing where it has no letter and no digit.
fn core(chars: &Chars, span: &Range<usize>) -> Option<Range<usize>> {
    const AROUND: &str = " \t\n,;:،、，；：()（）-–—.!?…。！？؟।\"'“”„«»「」";
    let core = trimmed(chars, span.clone(), |c| AROUND.contains(c) || is_picture(c));
    chars.chars[core.clone()].iter().any(|c| is_word(*c)).then_some(core)
}

fn opens_bracket(chars: &Chars, span: usize, core: usize) -> bool {
    let before = &chars.chars[span.saturating_sub(2)..core];
    before.iter().rev().take_while(|c| !is_word(**c)).any(|c| matches!(c, '(' | '（'))
}

fn asks(sentence: &str) -> bool {
    sentence.chars().rev().take_while(|c| !is_word(*c)).any(|c| matches!(c, '?' | '？' | '؟'))
}

/// Signs that prose has not.
fn is_code(chars: &Chars, sentence: &Range<usize>) -> bool {
    /// One of them may stand in prose.
    const FEW: usize = 1;
    let (mut at, mut signs) = (sentence.start, 0);
    while at < sentence.end {
        let c = chars.chars[at];
        let longer = [");", "::", "->", "SELECT ", "FROM "].into_iter().find(|sign| chars.starts_with(at, sign));
        let is_call = is_word(c) && chars.get(at + 1) == Some('(');
        let length = match longer {
            _ if "{}<>=[]_|\\$".contains(c) => 1,
            _ if is_call => 2,
            Some(sign) => sign.len(),
            None => 0,
        };
        signs += usize::from(length > 0);
        at += length.max(1);
    }
    let words = &chars.chars[sentence.clone()];
    let is_arrow = !words.iter().any(|c| is_word(*c)) && words.iter().any(|c| "<>=".contains(*c));
    signs > FEW && !is_arrow
}

/// Quotation marks, by how they open and close.
const QUOTES: [(char, char); 11] = [
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
    ('『', '』'),
    ('"', '"'),
    ('‘', '’'),
    ('\'', '\''),
    ('`', '`'),
];
/// The longest quotation, in characters.
const LONGEST_QUOTE: usize = 600;
/// Fewer words in quotation marks are a name or an emphasis.
const FEWEST_QUOTED: f64 = 3.0;

/// What somebody else wrote: quotations of some length, fenced blocks, and what stands below a line that ends in a colon.
fn quoted(chars: &Chars) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    spans.extend(pasted(chars).map(|start| start..chars.chars.len()));
    spans.extend(fences(chars));
    for (open, close) in QUOTES {
        let mut at = 0;
        while at < chars.chars.len() {
            let Some(end) = quotation(chars, at, open, close) else {
                at += 1;
                continue;
            };
            let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let is_apostrophe = match open {
                '\'' => touches(chars.before(at)) || touches(chars.get(end)),
                '‘' => touches(chars.get(end)),
                _ => false,
            };
            if !is_apostrophe && words::count(&chars.text(&(at + 1..end - 1))) >= FEWEST_QUOTED {
                spans.push(at..end);
            }
            at = end;
        }
    }
    spans
}

/// The end of the quotation that begins at a character.
fn quotation(chars: &Chars, at: usize, open: char, close: char) -> Option<usize> {
    if chars.get(at) != Some(open) {
        return None;
    }
    let inner = chars.run(at + 1, |c| c != '\n').min(LONGEST_QUOTE + 1);
    // At least two characters stand between the marks.
    (at + 3..=at + inner).find(|end| chars.get(*end) == Some(close)).map(|end| end + 1)
}

/// Where a block begins that stands below a line that ends in a colon and an empty line.
fn pasted(chars: &Chars) -> Option<usize> {
    (0..chars.chars.len()).filter(|at| matches!(chars.chars[*at], ':' | '：')).find_map(|at| {
        let line_end = at + 1 + chars.run(at + 1, |c| c == ' ' || c == '\t');
        let space = line_end..line_end + chars.run(line_end, char::is_whitespace);
        let breaks: Vec<usize> = space.filter(|at| chars.chars[*at] == '\n').collect();
        (breaks.len() >= 2 && breaks[0] == line_end).then(|| breaks[breaks.len() - 1] + 1)
    })
}

fn fences(chars: &Chars) -> Vec<Range<usize>> {
    const FENCE: &str = "```";
    let (mut spans, mut at) = (Vec::new(), 0);
    let find = |from: usize| (from..chars.chars.len()).find(|at| chars.starts_with(*at, FENCE));
    while let Some(start) = find(at) {
        at = find(start + FENCE.len()).map_or(chars.chars.len(), |end| end + FENCE.len());
        spans.push(start..at);
    }
    spans
}

/// Pictures, and what joins and colours them.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'
        | '\u{fe0f}' | '\u{200d}')
}

fn sentence_ends(chars: &Chars) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    while at < chars.chars.len() {
        match stop(chars, at) {
            Some(end) => {
                if !(end == at + 1 && chars.chars[at] == '.' && shortens(chars, at)) {
                    ends.push(end);
                }
                at = end;
            }
            None => at += 1,
        }
    }
    let is_last = |at: &usize| chars.get(at + 1).is_none_or(|next| !is_picture(next));
    ends.extend((0..chars.chars.len()).filter(|at| is_picture(chars.chars[*at]) && is_last(at)).map(|at| at + 1));
    ends
}

/// The end of the stop that stands at a character: full stops, lines, and faces made of signs.
fn stop(chars: &Chars, at: usize) -> Option<usize> {
    let stops = chars.run(at, |c| ".!?…。！？؟।".contains(c));
    if stops > 0 {
        let end = at + stops + chars.run(at + stops, |c| "\"'”’»)」".contains(c));
        if chars.get(end).is_none_or(|c| c.is_whitespace() || c.is_alphabetic()) {
            return Some(end);
        }
    }
    // The stops of other scripts need nothing behind them.
    let wide = chars.run(at, |c| "。！？؟।".contains(c));
    let lines = chars.run(at, |c| c == '\n');
    if wide + lines > 0 {
        return Some(at + wide.max(lines));
    }
    let is_space = |at: usize| chars.get(at).is_none_or(char::is_whitespace);
    let eyes = chars.get(at).is_some_and(char::is_whitespace) && matches!(chars.get(at + 1), Some(':' | ';'));
    let mouth = at + 2 + usize::from(chars.get(at + 2) == Some('-'));
    (eyes && matches!(chars.get(mouth), Some(')' | '(' | 'D' | 'P')) && is_space(mouth + 1)).then_some(mouth + 1)
}

/// Whether a full stop stands inside a number or word, or behind an abbreviation or initial.
fn shortens(chars: &Chars, at: usize) -> bool {
    let length = chars.chars[..at].iter().rev().take_while(|c| is_word(**c)).count();
    let word = chars.text(&(at - length..at)).to_lowercase();
    chars.get(at + 1).is_some_and(char::is_alphanumeric)
        || (length == 1 && !word.starts_with(char::is_numeric))
        || lexicon::all().any(|lexicon| lexicon.abbreviations.contains(&word))
}

fn clause_ends(chars: &Chars, sentence: &Range<usize>) -> Vec<usize> {
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
    let mut ends = Vec::new();
    for at in sentence.clone() {
        let (before, after) = (chars.before(at).filter(|_| at > sentence.start), chars.get(at + 1));
        match chars.chars[at] {
            ',' if is_digit(before) && is_digit(after) => {}
            ':' | '：' if is_digit(after) => {}
            '(' | '（' => ends.push(at),
            ',' | ';' | '；' | ':' | '：' | '،' | '、' | '，' | '؛' | ')' | '）' | '—' => ends.push(at + 1),
            '-' | '–' if is_space(before) => {
                let dashes = chars.run(at, |c| "-–—".contains(c));
                ends.extend(is_space(chars.get(at + dashes)).then_some(at + dashes));
            }
            '=' if is_space(before) && is_space(after) => ends.push(at + 1),
            _ => {}
        }
    }
    ends
}

/// Joining words before which somebody new begins to act, or where one side denies and the other does not.
fn joins(sentence: &str, lists: &Lists, start: usize) -> Vec<usize> {
    if lists.words.unspaced {
        return Vec::new();
    }
    let folded = Folded::of(sentence);
    let chars = folded.chars();
    let in_sentence = |at: usize| start + sentence[..folded.byte(at)].chars().count();
    let cuts = |range: &Range<usize>| divides(&folded, range, lists) || begins_anew(chars, range.end, lists);
    lists.join.all(&folded).into_iter().filter(cuts).map(|range| in_sentence(range.start)).collect()
}

/// Whether of the two sides of a joining word, up to the next comma, one denies and the other does not.
fn divides(folded: &Folded, join: &Range<usize>, lists: &Lists) -> bool {
    /// A side of fewer words says nothing.
    const FEWEST: f64 = 2.0;
    let chars = folded.chars();
    let is_comma = |c: &char| ",;:،؛()".contains(*c);
    let left = chars[..join.start].iter().rposition(is_comma).map_or(0, |at| at + 1);
    let right = chars[join.end..].iter().position(is_comma).map_or(chars.len(), |at| join.end + at + 1);
    let side = |range: Range<usize>| chars[range].iter().collect::<String>();
    let sides = [side(left..join.start), side(join.end..right)];
    let denies = |side: &String| lists.negation.stands_in(&Folded::of(side));
    denies(&sides[0]) != denies(&sides[1]) && sides.iter().all(|side| words::count(side) >= FEWEST)
}

fn begins_anew(chars: &[char], end: usize, lists: &Lists) -> bool {
    let rest: Vec<char> = chars[end..].iter().copied().skip_while(|c| c.is_whitespace()).collect();
    rest.first().is_some_and(|c| is_word(*c))
        && [&lists.first, &lists.third, &lists.mine, &lists.asking, &lists.request, &lists.supposed]
            .iter()
            .any(|list| list.at(&rest, 0).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        cut(text, words::of_text(text)).into_iter().map(|piece| &text[piece.range]).collect()
    }

    #[test]
    fn sentences_clauses_and_joining_words_cut_and_numbers_and_abbreviations_do_not() {
        assert_eq!(
            pieces(
                "Dr. Vogel moved us to 9.20, because I was late (again)! The tram costs 2,50 now 🎉 my bike is broken"
            ),
            [
                "Dr. Vogel moved us to 9.20",
                "because I was late",
                "again",
                "The tram costs 2,50 now",
                "my bike is broken"
            ]
        );
        assert_eq!(pieces("I keep bees and my neighbour keeps geese"), ["I keep bees", "and my neighbour keeps geese"]);
        assert_eq!(pieces("we paint walls but never any ceilings"), ["we paint walls", "but never any ceilings"]);
    }

    #[test]
    fn every_script_is_cut_by_its_own_signs() {
        assert_eq!(pieces("私は庭師です。猫が二匹います！"), ["私は庭師です", "猫が二匹います"]);
        assert_eq!(pieces("我养蜜蜂，我弟弟怕它们；真的。"), ["我养蜜蜂", "我弟弟怕它们", "真的"]);
        assert_eq!(pieces("أعمل بستانيا، وعندي ثلاث دجاجات؟ نعم"), ["أعمل بستانيا", "وعندي ثلاث دجاجات", "نعم"]);
        assert_eq!(pieces("मैं माली हूँ। मेरा घर पहाड़ पर है।"), ["मैं माली हूँ", "मेरा घर पहाड़ पर है"]);
    }

    #[test]
    fn what_somebody_else_wrote_is_one_piece_and_marked() {
        let text = "she wrote \"I sell my boat, all of it\" to me";
        let quoted: Vec<_> = cut(text, words::of_text(text)).into_iter().map(|piece| piece.is_quoted).collect();
        assert_eq!(
            (pieces(text), quoted),
            (vec!["she wrote", "I sell my boat, all of it", "to me"], vec![false, true, false])
        );
        let pasted = "look at this:\n\nI am the king of bees";
        let quoted: Vec<_> = cut(pasted, words::of_text(pasted)).into_iter().map(|piece| piece.is_quoted).collect();
        assert_eq!(quoted, [false, true]);
    }

    #[test]
    fn program_text_and_questions_are_seen() {
        let marks = |text: &str| {
            let last = cut(text, words::of_text(text)).pop().unwrap();
            (last.is_code, last.asks, last.is_last)
        };
        assert_eq!(marks("let bees = hive(3);"), (true, false, true));
        assert_eq!(marks("are there bees?"), (false, true, true));
        assert_eq!(marks("bees = honey"), (false, false, true));
    }
}
