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
        assert_eq!(decode(&encode(&pod), "Pod").unwrap(), pod);
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        let bytes = encode(&json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}));
        assert!(decode(b"{}", "Pod").is_err());
        assert!(decode(&bytes[..bytes.len() - 9], "Pod").is_err());
    }
}
