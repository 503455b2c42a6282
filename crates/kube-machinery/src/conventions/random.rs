//! The random decisions of the API server, such as uids. [`Random`] derives them from one seed, so that a run with the
//! same seed gives the same objects.

use std::time::Duration;

/// The generators of uids, name suffixes and watch durations. They are separate, so that drawing from one does not
/// change the others.
#[derive(Debug)]
pub struct Random {
    uids: fastrand::Rng,
    suffixes: fastrand::Rng,
    durations: fastrand::Rng,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        let generator = |stream: u64| fastrand::Rng::with_seed(mix(seed ^ mix(stream)));
        Self { uids: generator(1), suffixes: generator(2), durations: generator(3) }
    }

    /// Returns a UUID of version 4.
    pub fn uid(&mut self) -> String {
        let n = (self.uids.u128(..) & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
        let hex = format!("{n:032x}");
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// Returns the five characters after a generateName; without vowels, so that they form no words.
    pub fn suffix(&mut self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        // Draws a u64, because a usize of 32 bits would be drawn differently: a seed gives the same names on every
        // platform.
        (0..5).map(|_| char::from(LETTERS[self.suffixes.u64(..LETTERS.len() as u64) as usize])).collect()
    }

    /// Returns the duration of a watch without timeoutSeconds: 30 to 60 minutes.
    pub fn watch_duration(&mut self) -> Duration {
        Duration::from_secs(30 * 60).mul_f64(1.0 + self.durations.f64())
    }
}

/// Returns the sort key of an object in a list from the watch cache of a server up to 1.26. The order of such a list is
/// random upstream; here the seed decides it.
pub fn cache_position(seed: u64, key: &str) -> u64 {
    hash(seed, key)
}

/// Returns 64 hexadecimal digits that are derived from a text, for container ids and the like.
pub fn digest(text: &str) -> String {
    let mut generator = fastrand::Rng::with_seed(hash(0, text));
    (0..4).map(|_| format!("{:016x}", generator.u64(..))).collect()
}

/// Returns the FNV-1a hash of a text, which begins with the seed and is mixed at the end.
fn hash(seed: u64, text: &str) -> u64 {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    mix(text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ mix(seed), fnv))
}

/// Mixes the bits of a seed with the finalizer of splitmix64, in which every bit of the input changes about half the
/// bits of the output.
fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_is_a_version_4_uuid_that_depends_on_the_seed() {
        let uid = Random::new(7).uid();
        assert_eq!(uid.len(), 36);
        assert_eq!(&uid[14..15], "4");
        assert!("89ab".contains(&uid[19..20]));
        assert_eq!(uid, Random::new(7).uid());
        assert_ne!(uid, Random::new(8).uid());
    }
}
