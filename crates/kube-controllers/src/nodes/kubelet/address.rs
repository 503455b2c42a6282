//! The addresses of pods: the n-th pod has the n-th address.

use std::net::Ipv4Addr;

/// Returns the address of the n-th pod. The first addresses are those of 10.244.0.0/16, the usual pod network of test
/// clusters. The first 16 million pods have different addresses.
pub(super) fn ip(n: u32) -> String {
    let [_, b, c, d] = n.to_be_bytes();
    format!("10.{}.{c}.{d}", b.wrapping_add(244))
}

/// Returns the number of the pod with this address: the inverse of [`ip`]. `None` for an address of another network.
pub(super) fn number(ip: &str) -> Option<u32> {
    let [first, b, c, d] = ip.parse::<Ipv4Addr>().ok()?.octets();
    (first == 10).then(|| u32::from_be_bytes([0, b.wrapping_sub(244), c, d]))
}

#[cfg(test)]
mod tests {
    use super::{ip, number};

    #[test]
    fn pods_beyond_the_first_65_thousand_have_addresses_of_their_own() {
        assert_eq!(ip(1), "10.244.0.1");
        assert!([1, 255, 65_536, 786_431, (1 << 24) - 1].iter().all(|n| number(&ip(*n)) == Some(*n)));
        let blocks: std::collections::BTreeSet<String> = (0..256).map(|block| ip(block << 16)).collect();
        assert_eq!(blocks.len(), 256);
    }
}
