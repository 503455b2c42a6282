//! The URL of a webhook, and the network address behind it. A configuration names either a URL, or a Service of the
//! cluster; the address of a Service is read from its stored Endpoints. Upstream: `hookClientConfig` in
//! `util/webhook/client.go`, and `ResolveEndpoint` in `util/proxy/proxy.go`.

use std::time::Duration;

use super::TimeoutParameter;
use crate::store::Store;
use crate::store::object::Key;
use kube_machinery::kinds::client_config::{ClientConfig, Endpoint};
use kube_machinery::kinds::{ENDPOINTS, SERVICES};
use kube_machinery::value::Value;

/// The URL of a webhook, in parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WebhookUrl {
    /// The host and, if the URL has one, the port.
    pub(super) authority: String,
    /// The host alone, which the webhook's certificate must be valid for.
    pub(super) host: String,
    port: u16,
    path: String,
}

impl WebhookUrl {
    pub(super) fn of(config: &ClientConfig) -> Self {
        match &config.endpoint {
            Endpoint::Service { namespace, name, path, port } => {
                let host = format!("{name}.{namespace}.svc");
                Self { authority: format!("{host}:{port}"), host, port: *port, path: absolute(path) }
            }
            Endpoint::Url(url) => {
                let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                let port_at = authority.rfind(':').filter(|colon| !authority[*colon..].contains(']'));
                let (host, port) =
                    port_at.map_or((authority, ""), |colon| (&authority[..colon], &authority[colon + 1..]));
                let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
                let port = port.parse().unwrap_or(443);
                Self { authority: authority.to_owned(), host, port, path: absolute(path) }
            }
        }
    }

    /// Returns the path, and the query if the timeout is sent.
    pub(super) fn target(&self, timeout: Duration, timeout_parameter: TimeoutParameter) -> String {
        match timeout_parameter {
            TimeoutParameter::Sent => format!("{}?timeout={}s", self.path, timeout.as_secs()),
            TimeoutParameter::NotSent => self.path.clone(),
        }
    }

    /// Returns the whole URL for a target: a path with its parameters.
    pub(super) fn url(&self, target: &str) -> String {
        format!("https://{}{target}", self.authority)
    }

    /// Returns the host and the port to connect to; for a service, those of [`endpoint`].
    pub(super) fn resolve(&self, store: &Store, config: &ClientConfig) -> Result<String, String> {
        match &config.endpoint {
            Endpoint::Url(_) => Ok(with_port(&self.host, self.port)),
            Endpoint::Service { namespace, name, port, .. } => endpoint(store, namespace, name, *port),
        }
    }
}

/// Cleans a path as Go's `path.Join("/", …)` does.
fn absolute(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Joins a host and a port. An IPv6 address gets brackets.
fn with_port(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Returns the address of a service's first endpoint; for a service of type `ExternalName`, its external name.
fn endpoint(store: &Store, namespace: &str, name: &str, port: u16) -> Result<String, String> {
    let key = Key::new(Some(namespace), name);
    let open = |row| store.get(row, &key).and_then(|object| object.open().ok());
    let Some(service) = open(SERVICES) else { return Err(format!("service {name:?} not found")) };
    let spec = &service.value["spec"];
    if spec["type"] == "ExternalName" {
        return Ok(with_port(spec["externalName"].as_str().unwrap_or_default(), port));
    }
    let ports = spec["ports"].as_array().into_iter().flatten();
    let Some(service_port) = ports.into_iter().find(|one| one["port"] == port) else {
        return Err(format!("no service port {port} found for service {name:?}"));
    };
    let none = || format!("no endpoints available for service {name:?}");
    let endpoints = open(ENDPOINTS).ok_or_else(none)?;
    let subsets = endpoints.value["subsets"].as_array().into_iter().flatten();
    subsets.into_iter().find_map(|subset| address(subset, service_port)).ok_or_else(none)
}

/// Returns the first address of a subset of endpoints, with the subset's port for this port of the service.
fn address(subset: &Value, service_port: &Value) -> Option<String> {
    let name = service_port["name"].as_str().unwrap_or_default();
    let port = subset["ports"].as_array()?.iter().find(|port| port["name"].as_str().unwrap_or_default() == name)?;
    let port = u16::try_from(port["port"].as_u64()?).ok()?;
    Some(with_port(subset["addresses"].get(0)?["ip"].as_str()?, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook_url(url: &str) -> WebhookUrl {
        WebhookUrl::of(&ClientConfig { endpoint: Endpoint::Url(url.into()), ca_bundle: Vec::new() })
    }

    #[test]
    fn the_url_of_a_call_is_built_as_upstream_builds_it() {
        let url = |webhook: &WebhookUrl| webhook.url(&webhook.target(Duration::from_secs(10), TimeoutParameter::Sent));
        assert_eq!(url(&webhook_url("https://127.0.0.1:9443/mutate")), "https://127.0.0.1:9443/mutate?timeout=10s");
        assert_eq!(url(&webhook_url("https://a.b")), "https://a.b/?timeout=10s");
        assert_eq!(url(&webhook_url("https://a.b//c/./d/../e/")), "https://a.b/c/e?timeout=10s");
        let v6 = webhook_url("https://[::1]:8443/x");
        assert_eq!((v6.host.as_str(), v6.port), ("::1", 8443));
        assert_eq!((webhook_url("https://[::1]/x").port, with_port("::1", 443)), (443, "[::1]:443".to_owned()));
        let endpoint = Endpoint::Service { namespace: "ns".into(), name: "svc".into(), path: "go".into(), port: 443 };
        let service = WebhookUrl::of(&ClientConfig { endpoint, ca_bundle: Vec::new() });
        assert_eq!(url(&service), "https://svc.ns.svc:443/go?timeout=10s");
    }
}
