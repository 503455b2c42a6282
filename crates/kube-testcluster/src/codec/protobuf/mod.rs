//! Kubernetes' protobuf encoding, driven by the table of types.

mod decode;
mod encode;

pub(crate) use self::decode::decode;
pub(crate) use self::encode::{encode, event};

/// The first bytes of every body.
const MAGIC: &[u8] = b"k8s\0";

/// Whether a body has the envelope, whatever its Content-Type.
pub(crate) fn is(body: &[u8]) -> bool {
    body.starts_with(MAGIC)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_comes_back_as_it_went_out() {
        let pod = json!({
            "kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": "a", "labels": {"k": "v"}, "creationTimestamp": "2023-05-01T10:00:00Z", "generation": 3},
            "spec": {
                "containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}},
                    "livenessProbe": {"httpGet": {"port": 80, "path": "/"}}}],
                "volumes": [{"name": "v", "emptyDir": {}}],
                "terminationGracePeriodSeconds": 30, "hostNetwork": true, "priority": -5,
            },
        });
        assert_eq!(decode(&encode(&pod), "Pod", "v1").unwrap(), pod);
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        let bytes = encode(&json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}));
        assert!(decode(b"{}", "Pod", "v1").is_err());
        assert_eq!(decode(&bytes[..bytes.len() - 9], "Pod", "v1").unwrap_err(), "unexpected EOF");
    }

    #[test]
    fn an_envelope_is_refused_in_the_words_of_upstream() {
        let envelope = |bytes: &[u8]| decode(&[MAGIC, bytes].concat(), "Pod", "v1").unwrap_err();
        assert_eq!(decode(b"", "Pod", "v1").unwrap_err(), "empty data");
        assert_eq!(envelope(b""), "empty body");
        assert_eq!(envelope(b"\x08"), "proto: wrong wireType = 0 for field TypeMeta");
        assert_eq!(envelope(b"\x15"), "proto: wrong wireType = 5 for field Raw");
        assert_eq!(envelope(b"\x0a\x02\x10\x01"), "proto: wrong wireType = 0 for field Kind");
        assert_eq!(envelope(b"\x2d123"), "unexpected EOF");
        assert_eq!(envelope(&[0xff; 11]), "proto: integer overflow");
        assert!(
            decode(&[MAGIC, b"\x2d1234\x29\0\0\0\0\0\0\0\0"].concat(), "Pod", "v1").is_ok(),
            "unknown fields are skipped"
        );
    }
}
