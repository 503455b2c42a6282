//! FNV-1a, a hash that is the same in every process, unlike that of Rust's `HashMap`. Use it only where a collision
//! gives an attacker nothing.

pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
