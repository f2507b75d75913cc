//! The signs of vectors, in memory: one bit a dimension, all looked at for each question.
//!
//! How many signs differ grows with the angle between two vectors; the nearest few hundred by it hold nearly all of the
//! nearest by cosine.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::memory::index::PassageId;

/// The codes of passages; `WORDS` times 64 dimensions.
#[derive(Default)]
pub struct Codes<const WORDS: usize> {
    passages: Vec<PassageId>,
    bits: Vec<[u64; WORDS]>,
}

impl<const WORDS: usize> Codes<WORDS> {
    /// Adds a code; the passage has none yet.
    pub fn push(&mut self, passage: PassageId, code: [u64; WORDS]) {
        self.passages.push(passage);
        self.bits.push(code);
    }

    /// Takes codes out; nothing of them is left in memory.
    pub fn remove(&mut self, gone: &HashSet<PassageId>) {
        let (Some(first), Some(last)) = (gone.iter().min(), gone.iter().max()) else { return };
        let mut place = 0;
        while let Some(passage) = self.passages.get(place).copied() {
            // New passages have the highest numbers, so most old ones are out of range and need no lookup.
            if (*first..=*last).contains(&passage) && gone.contains(&passage) {
                self.passages.swap_remove(place);
                self.bits.swap_remove(place);
                // The vector keeps its room; what stood last in it is overwritten.
                if let Some(spare) = self.bits.spare_capacity_mut().first_mut() {
                    spare.write([0; WORDS]);
                }
            } else {
                place += 1;
            }
        }
    }

    /// The passages whose codes differ from this one in the fewest places, the nearest first, with in how many.
    pub fn nearest(&self, code: &[u64; WORDS], most: usize) -> Vec<(PassageId, u32)> {
        let mut distances = vec![0_u16; self.bits.len()];
        for (distance, bits) in distances.iter_mut().zip(&self.bits) {
            *distance = differing(code, bits);
        }
        let farthest = farthest_of_nearest(&distances, WORDS * 64, most);
        let mut nearest: Vec<(PassageId, u32)> = distances
            .iter()
            .zip(&self.passages)
            .filter(|(distance, _)| **distance <= farthest)
            .map(|(distance, passage)| (*passage, u32::from(*distance)))
            .collect();
        nearest.sort_unstable_by_key(|(passage, distance)| (*distance, Reverse(*passage)));
        nearest.truncate(most);
        nearest
    }
}

/// The distance within which so many lie, found by counting how many lie at each.
fn farthest_of_nearest(distances: &[u16], dimensions: usize, most: usize) -> u16 {
    let mut counts = vec![0_usize; dimensions + 1];
    for distance in distances {
        counts[usize::from(*distance)] += 1;
    }
    let mut within = 0;
    let found = counts.iter().position(|count| {
        within += count;
        within >= most
    });
    found.unwrap_or(dimensions) as u16
}

/// In how many places two codes differ.
///
/// Processors can count bits in one step, but not all that Atlas runs on. Adding the words three at a time, bit by bit, and
/// the counts byte by byte, is as fast on all of them.
fn differing<const WORDS: usize>(a: &[u64; WORDS], b: &[u64; WORDS]) -> u16 {
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
    fn the_nearest_are_those_of_a_full_sort() {
        let all: Vec<_> = (0..3_000).map(|n| (PassageId(n), noise::<6>(n.unsigned_abs()))).collect();
        let mut codes = Codes::default();
        all.iter().for_each(|(passage, code)| codes.push(*passage, *code));
        let question = noise::<6>(77);
        let mut expected: Vec<_> = all.iter().map(|(id, code)| (*id, counted(code, &question))).collect();
        expected.sort_by_key(|(passage, distance)| (*distance, Reverse(*passage)));
        for most in [0, 1, 400, 3_000, 5_000] {
            assert_eq!(codes.nearest(&question, most), expected[..most.min(3_000)], "{most}");
        }
        assert_eq!(codes.nearest(&question, 1), [(PassageId(77), 0)]);
    }

    #[test]
    fn what_was_taken_out_is_not_found_again() {
        let mut codes = Codes::default();
        (0..100).for_each(|n| codes.push(PassageId(n), noise::<4>(n.unsigned_abs())));
        codes.remove(&(10..20).chain(90..200).map(PassageId).collect());
        let mut left: Vec<i64> = codes.nearest(&[0; 4], 1_000).into_iter().map(|(passage, _)| passage.0).collect();
        left.sort_unstable();
        assert_eq!(left, (0..10).chain(20..90).collect::<Vec<_>>());
    }
}
