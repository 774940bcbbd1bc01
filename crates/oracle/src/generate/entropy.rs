//! Choices from bytes: when they run out, every choice is the first.

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Entropy<'a> {
    bytes: &'a [u8],
}

impl<'a> Entropy<'a> {
    /// Choices made by these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// A number below `n`, for 1 ≤ n ≤ 256.
    pub fn below(&mut self, n: usize) -> usize {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        usize::from(*first) % n
    }

    /// A multiple of 1/4 between -8 and 8, zero first.
    pub fn dyadic(&mut self) -> f64 {
        let steps = self.below(65) as f64;
        // 0, 1/4, -1/4, 1/2, -1/2, …: small bytes give small numbers.
        let size = (steps / 2.0).ceil() / 4.0;
        if steps % 2.0 == 1.0 { size } else { -size + 0.0 }
    }

    /// A number that is no round one, between -2 and 2.
    pub fn uneven(&mut self) -> f64 {
        let high = self.below(256) as f64;
        let low = self.below(256) as f64;
        (high * 256.0 + low + 0.3) / 16384.0 - 2.0
    }
}

/// Bytes from a number: the same number always gives the same bytes.
pub fn bytes_of_seed(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bytes.extend((z ^ (z >> 31)).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}
