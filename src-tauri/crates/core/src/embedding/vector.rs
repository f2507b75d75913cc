//! Vectors as they are kept: eight bits a dimension to measure with, one bit a dimension to scan.

/// How many 64-bit words the signs of a [`StaticVector`](super::StaticVector) fill.
pub const BITS_STATIC: usize = 4;
/// How many 64-bit words the signs of a [`TransformerVector`](super::TransformerVector) fill.
pub const BITS_TRANSFORMER: usize = 6;

/// A unit vector in eight bits a dimension. A cosine of two of them is within about a hundredth of the exact one.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// The dimensions, as the bytes that the database keeps.
    bytes: Vec<u8>,
    /// What a step of one is worth, so that the whole has length one.
    step: f32,
}

impl Quantized {
    /// Rounds a vector. `None` for the zero vector: a text without a word that the model knows has no direction.
    pub fn of(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        if !(largest.is_finite() && largest > 0.0) {
            return None;
        }
        let scale = 127.0 / largest;
        Self::from_bytes(vector.iter().map(|x| ((x * scale).round() as i8).cast_unsigned()).collect())
    }

    /// The vector that these bytes are. `None` where they are all zero.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let squares: i32 = bytes.iter().map(|byte| i32::from(byte.cast_signed()).pow(2)).sum();
        (squares > 0).then(|| Self { step: 1.0 / (squares as f32).sqrt(), bytes })
    }

    /// The bytes to keep.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The cosine with a vector of the same model, -1 to 1.
    pub fn cosine(&self, other: &Self) -> f32 {
        self.products(&other.bytes).0 as f32 * self.step * other.step
    }

    /// The cosine with a vector as the database keeps it. `None` where that is no vector of the same length.
    pub fn cosine_with(&self, bytes: &[u8]) -> Option<f32> {
        let (dot, squares) = self.products(bytes);
        (bytes.len() == self.bytes.len() && squares > 0).then(|| dot as f32 * self.step / (squares as f32).sqrt())
    }

    /// The scalar product with these bytes, and theirs with themselves.
    fn products(&self, bytes: &[u8]) -> (i32, i32) {
        self.bytes.iter().zip(bytes).fold((0, 0), |(dot, squares), (a, b)| {
            let (a, b) = (i32::from(a.cast_signed()), i32::from(b.cast_signed()));
            (dot + a * b, squares + b * b)
        })
    }

    /// The signs of the dimensions, 64 in each word.
    pub fn signs<const WORDS: usize>(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        for (place, byte) in self.bytes.iter().enumerate().take(WORDS * 64) {
            words[place / 64] |= u64::from(byte.cast_signed() > 0) << (place % 64);
        }
        words
    }
}

/// The scalar product. For unit vectors it is the cosine.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Sums side by side, so that the compiler may use wide registers.
    let mut sums = [0.0_f32; 16];
    let (a, b) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a.zip(b) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += x * y;
        }
    }
    rest + sums.iter().sum::<f32>()
}

/// Makes the length one; the zero vector stays.
pub(super) fn normalize(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
