//! The address of a webhook and the CA by which its certificate is verified. Both admission webhooks and the conversion
//! webhooks of custom resources have such a configuration. Upstream: `ClientConfig` in
//! `k8s.io/apiserver/pkg/util/webhook/client.go`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::value::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    pub endpoint: Endpoint,
    /// CA certificates in PEM; empty if the configuration names none.
    pub ca_bundle: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Url(String),
    Service { namespace: String, name: String, path: String, port: u16 },
}

impl ClientConfig {
    /// Reads a validated `WebhookClientConfig`.
    pub(crate) fn of(config: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let service = &config["service"];
        let endpoint = if service.is_object() {
            let port = service["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or(443);
            let (namespace, name) = (text(&service["namespace"]), text(&service["name"]));
            Endpoint::Service { namespace, name, path: text(&service["path"]), port }
        } else {
            Endpoint::Url(text(&config["url"]))
        };
        let ca_bundle = STANDARD.decode(text(&config["caBundle"])).unwrap_or_default();
        Self { endpoint, ca_bundle }
    }
}
