//! Kubernetes' protobuf encoding (`application/vnd.kubernetes.protobuf`), by the field numbers in the table of Go
//! types. A body is an envelope: the bytes `k8s\0`, and a message with the kind, the version and the encoded object.

mod decode;
mod encode;

pub use self::decode::decode;
pub use self::encode::{encode, event};

/// The first bytes of every protobuf body.
const MAGIC: &[u8] = b"k8s\0";

/// Returns true if a body has the protobuf envelope, whatever its Content-Type says.
pub fn is(body: &[u8]) -> bool {
    body.starts_with(MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::varint;
    use crate::value::json;

    #[test]
    fn an_object_survives_encoding_and_decoding() {
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
    fn a_list_has_items_of_its_own_group() {
        // The core group has another type of this name.
        let claim = json!({"metadata": {"name": "a"}, "spec": {"devices": {"requests": [{"name": "r"}]}}});
        let list = json!({
            "kind": "ResourceClaimList", "apiVersion": "resource.k8s.io/v1",
            "metadata": {"resourceVersion": "1"}, "items": [claim],
        });
        let back = decode(&encode(&list), "ResourceClaimList", "resource.k8s.io/v1").unwrap();
        assert_eq!(back["items"][0]["metadata"]["name"], "a");
        assert_eq!(back["items"][0]["spec"]["devices"]["requests"][0]["name"], "r");
    }

    #[test]
    fn a_schema_survives_encoding_and_decoding() {
        let schema = json!({
            "type": "object", "maximum": 1.5, "minimum": -3, "default": {"a": [1]}, "enum": [1, null, "x"],
            "properties": {
                "list": {"type": "array", "items": {"type": "string"}, "additionalItems": false},
                "each": {"items": [{"type": "string"}, {}], "additionalProperties": true},
                "map": {"additionalProperties": {"x-kubernetes-preserve-unknown-fields": true}},
            },
            "dependencies": {"a": ["b"], "c": {"type": "string"}},
        });
        let crd = json!({
            "kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
            "metadata": {"name": "a"},
            "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]},
        });
        let back = decode(&encode(&crd), "CustomResourceDefinition", "apiextensions.k8s.io/v1").unwrap();
        assert_eq!(back["spec"]["versions"], crd["spec"]["versions"]);
    }

    #[test]
    fn a_message_that_nests_too_deep_is_refused() {
        let field = |number: u8, message: &[u8]| {
            let mut out = vec![number << 3 | 2];
            varint::write(&mut out, message.len() as u64);
            [out, message.to_vec()].concat()
        };
        // Each schema is the `not` (field 28) of the schema around it.
        let not = |inner: Vec<u8>| [vec![0xe2, 0x01], field(0, &inner)[1..].to_vec()].concat();
        let deep = (0..2_000).fold(Vec::new(), |inner, _| not(inner));
        let schema = field(4, &field(1, &deep));
        let message = field(2, &field(7, &schema));
        let body = [MAGIC, &field(2, &message)].concat();
        let refused = decode(&body, "CustomResourceDefinition", "apiextensions.k8s.io/v1").unwrap_err();
        assert_eq!(refused, crate::codec::depth::TOO_DEEP);
    }

    #[test]
    fn lists_in_a_map_are_wrapped_in_messages() {
        let request = json!({
            "kind": "CertificateSigningRequest", "apiVersion": "certificates.k8s.io/v1",
            "spec": {"extra": {"a": ["b", "c"], "d": []}},
        });
        let bytes = encode(&request);
        let entry = b"\x32\x0b\x0a\x01a\x12\x06\x0a\x01b\x0a\x01c"; // spec.extra: key a, and a message with two items
        assert!(bytes.windows(entry.len()).any(|window| window == entry), "{bytes:?}");
        assert_eq!(decode(&bytes, "CertificateSigningRequest", "certificates.k8s.io/v1").unwrap(), request);
    }

    #[test]
    fn a_truncated_message_is_refused() {
        let bytes = encode(&json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}));
        assert!(decode(b"{}", "Pod", "v1").is_err());
        assert_eq!(decode(&bytes[..bytes.len() - 9], "Pod", "v1").unwrap_err(), "unexpected EOF");
    }

    #[test]
    fn a_malformed_envelope_gets_upstreams_message() {
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
