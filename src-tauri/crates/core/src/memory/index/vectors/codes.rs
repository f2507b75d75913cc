//! The signs of vectors: one bit a dimension. How many signs differ grows with the angle between two vectors.

/// The cosine that so many differing signs stand for, most likely: signs differ with the angle.
pub(super) struct Similarity<const WORDS: usize>(Vec<f32>);

impl<const WORDS: usize> Similarity<WORDS> {
    /// For all numbers of differing signs at once.
    pub fn all() -> Self {
        Self((0..=WORDS as u16 * 64).map(Self::of).collect())
    }

    /// For one number.
    pub fn of(differing: u16) -> f32 {
        (std::f32::consts::PI * f32::from(differing) / (WORDS * 64) as f32).cos()
    }

    /// The same, looked up.
    pub fn at(&self, differing: u16) -> f32 {
        self.0[usize::from(differing)]
    }
}

/// In how many places two codes differ.
pub(super) fn differing<const WORDS: usize>(a: &[u64; WORDS], b: &[u64; WORDS]) -> u16 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as u16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_places_are_counted() {
        assert_eq!(
            [differing(&[0; 6], &[!0; 6]), differing(&[0; 4], &[!0; 4]), differing(&[5, 0], &[4, 2])],
            [384, 256, 2]
        );
    }

    #[test]
    fn signs_that_do_not_differ_are_one_direction_and_half_of_them_a_right_angle() {
        let similar = Similarity::<6>::all();
        assert_eq!([0, 96, 192, 384].map(|n| (similar.at(n) * 1000.0).round()), [1000.0, 707.0, 0.0, -1000.0]);
    }
}
