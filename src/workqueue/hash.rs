//! Hash: a quick seeded hash for the short keys that queues hold.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Hashes with multiplications, under a seed that differs from queue to queue. Keys that collide in one queue are not
/// known to collide in another, so nobody can prepare them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seeded(u64, u64);

impl Default for Seeded {
    fn default() -> Self {
        let random = RandomState::new();
        Self(random.hash_one(0_u8), random.hash_one(1_u8) | 1)
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding { state: self.0, secret: self.1 }
    }
}

/// Multiplies to 128 bits and folds the halves together, eight bytes at a time.
pub(super) struct Folding {
    state: u64,
    secret: u64,
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15; // 2^64 divided by the golden ratio

impl Folding {
    #[inline]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.secret ^ ODD);
        self.state = (product as u64) ^ ((product >> 64) as u64);
        self.secret = self.secret.rotate_left(23);
    }
}

impl Hasher for Folding {
    #[inline]
    fn write(&mut self, mut bytes: &[u8]) {
        self.state ^= bytes.len() as u64;
        while let Some((word, rest)) = bytes.split_first_chunk() {
            self.fold(u64::from_le_bytes(*word));
            bytes = rest;
        }
        if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            self.fold(u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32);
        } else if let [first, .., last] = bytes {
            self.fold(u64::from_le_bytes([*first, bytes[1], *last, 0, 0, 0, 0, 0]));
        } else if let [only] = bytes {
            self.fold(u64::from(*only));
        }
    }

    /// Ends every text, so it only has to make a difference; `finish` mixes it in.
    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.state = self.state.rotate_left(8) ^ u64::from(byte);
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.fold(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.fold(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.fold(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        let product = u128::from(self.state) * u128::from(ODD);
        (product as u64) ^ ((product >> 64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn different_keys_hash_differently() {
        let hash = Seeded::default();
        let hashes: HashSet<_> = (0..100_000).map(|n| hash.hash_one(format!("default/pod-{n}"))).collect();
        assert!(hashes.len() > 99_990, "{}", hashes.len());
        let low: HashSet<_> = hashes.iter().map(|hash| hash & 0xffff).collect();
        assert!(low.len() > 50_000, "{}", low.len()); // of 65,536, as a random function has
        let high: HashSet<_> = hashes.iter().map(|hash| hash >> 57).collect();
        assert_eq!(high.len(), 128);
    }

    #[test]
    fn the_length_counts() {
        let hash = Seeded::default();
        assert_ne!(hash.hash_one("a"), hash.hash_one("a\0"));
    }
}
