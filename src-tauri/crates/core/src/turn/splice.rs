//! Joins the rest of an answer to what came of it before it was cut. Models do not always go on where they stopped: some say
//! the last words again, some begin anew.

/// How much of the rest is looked at before it is decided where it joins, in bytes: a sentence or two.
const LOOK: usize = 240;
/// So many bytes in common are no accident.
const ENOUGH: usize = 24;
/// The shortest repetition of the last words that counts, in bytes.
const SHORTEST_OVERLAP: usize = 8;

/// The seam between a part and its rest.
#[derive(Debug)]
pub struct Splice {
    kept: String,
    /// What came of the rest and is not passed on yet.
    held: String,
    joint: Joint,
}

#[derive(Debug, PartialEq)]
enum Joint {
    /// Nothing is decided.
    Open,
    /// The model began anew; so many bytes are left that stand there already.
    SaysAgain,
    /// What comes is new.
    Made,
}

/// What a piece of the rest adds.
#[derive(Debug, PartialEq, Eq)]
pub enum Joined {
    /// More text; it may be empty.
    More(String),
    /// The model began anew and says something else: this stands in the place of all that came.
    Instead(String),
}

impl Splice {
    /// The rest of `kept` is to come.
    pub fn after(kept: &str) -> Self {
        Self { kept: kept.to_owned(), held: String::new(), joint: Joint::Open }
    }

    /// Takes a piece of the rest.
    pub fn push(&mut self, piece: &str) -> Joined {
        if self.joint == Joint::Made {
            return Joined::More(piece.to_owned());
        }
        self.held.push_str(piece);
        self.decide(false)
    }

    /// What is still held when the rest has ended.
    pub fn finish(&mut self) -> Joined {
        match self.joint {
            Joint::Made => Joined::More(String::new()),
            Joint::Open | Joint::SaysAgain => self.decide(true),
        }
    }

    fn decide(&mut self, is_end: bool) -> Joined {
        let again = self.held.trim_start();
        let said = self.kept.trim_start();
        let common = common_prefix(said, again);
        if common == said.len() {
            // It has said all of it again; what follows is new.
            let rest = again[common..].to_owned();
            return self.made(Joined::More(rest));
        }
        if common == again.len() {
            // So far it says nothing new: it may have begun anew, or only share its first words.
            return match is_end {
                true if common >= ENOUGH.min(said.len()) => self.made(Joined::More(String::new())),
                true => self.overlapping(),
                false => {
                    self.joint = if common >= ENOUGH { Joint::SaysAgain } else { Joint::Open };
                    Joined::More(String::new())
                }
            };
        }
        if common >= ENOUGH {
            let instead = again.to_owned();
            return self.made(Joined::Instead(instead));
        }
        if is_end || self.held.len() >= LOOK { self.overlapping() } else { Joined::More(String::new()) }
    }

    /// It goes on, perhaps with the last words said again.
    fn overlapping(&mut self) -> Joined {
        let repeated = self
            .held
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .rfind(|end| *end >= SHORTEST_OVERLAP && self.kept.ends_with(&self.held[..*end]))
            .unwrap_or(0);
        let rest = self.held[repeated..].to_owned();
        self.made(Joined::More(rest))
    }

    fn made(&mut self, joined: Joined) -> Joined {
        self.joint = Joint::Made;
        self.held.clear();
        joined
    }
}

/// How many bytes two texts begin with in common.
fn common_prefix(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = "Lisbon has seven hills, and the trams climb most of them. Begin in";

    /// The whole answer after the rest came in pieces of some size.
    fn whole(rest: &str, size: usize) -> String {
        let mut splice = Splice::after(KEPT);
        let mut text = KEPT.to_owned();
        let chars: Vec<char> = rest.chars().collect();
        let mut take = |joined| match joined {
            Joined::More(more) => text.push_str(&more),
            Joined::Instead(other) => text = other,
        };
        for piece in chars.chunks(size) {
            take(splice.push(&piece.iter().collect::<String>()));
        }
        take(splice.finish());
        text
    }

    #[test]
    fn the_rest_joins_what_came_however_the_model_goes_on() {
        let expected = format!("{KEPT} Alfama. É bonito, 東京.");
        let cases = [
            " Alfama. É bonito, 東京.".to_owned(),
            "the trams climb most of them. Begin in Alfama. É bonito, 東京.".to_owned(),
            format!("{KEPT} Alfama. É bonito, 東京."),
            format!("\n{KEPT} Alfama. É bonito, 東京."),
        ];
        for (rest, size) in cases.iter().flat_map(|rest| [1, 3, 1000].map(|size| (rest, size))) {
            assert_eq!(whole(rest, size), expected, "{rest} by {size}");
        }
    }

    #[test]
    fn a_part_that_is_said_again_and_cut_again_adds_nothing() {
        for rest in [KEPT, &KEPT[..30], ""] {
            assert_eq!(whole(rest, 4), KEPT, "{rest}");
        }
    }

    #[test]
    fn another_answer_takes_the_place_of_the_part() {
        let other = "Lisbon has seven hills, and you can walk.";
        assert_eq!(whole(other, 5), other);
    }

    #[test]
    fn a_long_rest_is_not_held_back() {
        let mut splice = Splice::after(KEPT);
        let long = "x".repeat(LOOK);
        assert_eq!(splice.push(&long), Joined::More(long));
        assert_eq!(splice.push("y"), Joined::More("y".to_owned()));
    }
}
