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
///
/// Processors can count bits in one step, but not all that Atlas runs on. Adding the words three at a time, bit by bit, and
/// the counts byte by byte, is as fast on all of them.
pub(super) fn differing<const WORDS: usize>(a: &[u64; WORDS], b: &[u64; WORDS]) -> u16 {
    let word = |place: usize| if place < WORDS { a[place] ^ b[place] } else { 0 };
    let mut counts = 0;
    for place in (0..WORDS).step_by(3) {
        let (x, y, z) = (word(place), word(place + 1), word(place + 2));
        let (ones, twos) = (x ^ y ^ z, (x & y) | ((x ^ y) & z));
        counts += bits_in_bytes(ones) + 2 * bits_in_bytes(twos);
    }
    sum_of_bytes(counts)
}

/// How many bits are set in each byte, in that byte.
fn bits_in_bytes(word: u64) -> u64 {
    let pairs = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// The sum of the eight bytes, which may be more than a byte holds.
fn sum_of_bytes(bytes: u64) -> u16 {
    let pairs = (bytes & 0x00ff_00ff_00ff_00ff) + ((bytes >> 8) & 0x00ff_00ff_00ff_00ff);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, the same in each run.
    fn noise<const WORDS: usize>(seed: u64) -> [u64; WORDS] {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        std::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        })
    }

    fn counted<const WORDS: usize>(a: &[u64; WORDS], b: &[u64; WORDS]) -> u32 {
        a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    #[test]
    fn differing_places_are_counted_exactly() {
        for seed in 0..500 {
            let (a, b) = (noise::<6>(seed), noise::<6>(seed + 1_000));
            assert_eq!(u32::from(differing(&a, &b)), counted(&a, &b));
            let (a, b) = (noise::<4>(seed), noise::<4>(seed + 1_000));
            assert_eq!(u32::from(differing(&a, &b)), counted(&a, &b));
        }
        assert_eq!([differing(&[0; 6], &[!0; 6]), differing(&[0; 4], &[!0; 4])], [384, 256]);
    }

    #[test]
    fn signs_that_do_not_differ_are_one_direction_and_half_of_them_a_right_angle() {
        let similar = Similarity::<6>::all();
        assert_eq!([0, 96, 192, 384].map(|n| (similar.at(n) * 1000.0).round()), [1000.0, 707.0, 0.0, -1000.0]);
    }
}
