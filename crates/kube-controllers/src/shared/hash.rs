//! Hashes a pod template. The hash is part of the names and labels of the objects made from the template, so a
//! controller finds the objects of a template again, and two templates do not share a name.

use serde_json::Value;

/// Returns the hash of a template. `collisions` counts how often another template had the resulting name; each count
/// gives another hash. The hash differs from upstream's hash, because upstream hashes Go's own print of the template.
/// Upstream: `ComputeHash`, `SafeEncodeString`.
pub(crate) fn hash(template: &Value, collisions: Option<i64>) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let text = format!("{template}{}", collisions.map(|count| count.to_string()).unwrap_or_default());
    // FNV-1a with 32 bits, as upstream.
    let fnv = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let hash = text.bytes().fold(2_166_136_261, fnv).to_string();
    hash.bytes().map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()])).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hash_depends_on_the_template_and_on_the_collisions() {
        let (one, other) = (json!({"spec": {"a": 1}}), json!({"spec": {"a": 2}}));
        assert_eq!(hash(&one, None), hash(&one.clone(), None));
        assert_ne!(hash(&one, None), hash(&other, None));
        assert_ne!(hash(&one, None), hash(&one, Some(1)));
    }
}
