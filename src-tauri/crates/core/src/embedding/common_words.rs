//! How much a word tells: next to nothing where it stands in every other sentence.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The words that English conversations repeat most, the commonest first.
const COMMONEST: &str = "\
    the i to and a you it of that in is my for me was on we have be so this with just are but not do they like \
    at can all get what about know if there or how out up from one he go time as some had when good an really \
    will them she would think been your did more too no see now our her love well by make want then were their \
    going could who here also his lot has got much don him day us new work back need any great sure people thing \
    way over something being which only other things than these right even because where very first after into \
    feel help every yeah off still two let thanks made keep best take down thank always life hey why little last \
    nice year sounds week come does hope family fun home looking look ever said am around before find try should \
    next most never many might today started give friends years real big anything haven those maybe old long \
    getting hear while bit better through its again everything working someone place trying doing both same own \
    another say having went since kind";

/// How often the commonest word is said; the n-th is said about an n-th as often (Zipf's law).
const SHARE_OF_THE_COMMONEST: f32 = 0.08;
/// The place of all words that are not in the list.
const PLACE_OF_OTHERS: f32 = 600.0;
/// A word that is said as often as this tells half as much as one that nobody says.
const HALF: f32 = 1e-3;

static PLACES: LazyLock<HashMap<&str, f32>> =
    LazyLock::new(|| COMMONEST.split(' ').zip(1_u16..).map(|(word, place)| (word, f32::from(place))).collect());

/// The weight of a word in lower case, 0 to 1.
pub(super) fn weight(word: &str) -> f32 {
    let place = PLACES.get(word).copied().unwrap_or(PLACE_OF_OTHERS);
    HALF / (HALF + SHARE_OF_THE_COMMONEST / place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_everybody_says_weighs_next_to_nothing() {
        assert!(weight("the") < 0.02);
        assert!(weight("the") < weight("think") && weight("think") < weight("beekeeper"));
        assert!(weight("beekeeper") > 0.85);
        assert_eq!(PLACES.len(), COMMONEST.split(' ').count(), "each word stands once");
        assert!((PLACES.len() as f32) < PLACE_OF_OTHERS);
    }
}
