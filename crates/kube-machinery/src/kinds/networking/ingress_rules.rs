//! Validation of the spec of an Ingress: the rules that route a host and a path to a backend, the default backend, and
//! the TLS hosts. Upstream: `ValidateIngressSpec` in `pkg/apis/networking/validation/validation.go`.

use crate::conventions::addresses;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, invalid, items, number, port_fault, port_name, required, text};
use crate::kinds::names;
use crate::value::Value;

/// Validates the spec except for its class.
pub(super) fn spec(spec: &Value) -> Causes {
    let (mut causes, rules) = (Causes::new(), items(spec, "rules"));
    if rules.is_empty() && spec["defaultBackend"].is_null() {
        let why = "either `defaultBackend` or `rules` must be specified";
        causes.push(Cause::invalid_json("spec", &spec["rules"], why));
    }
    if !spec["defaultBackend"].is_null() {
        causes.extend(backend(&spec["defaultBackend"], &"spec.defaultBackend"));
    }
    causes.extend(each(spec, "rules", &"spec").flat_map(|(at, rule)| validate_rule(rule, &at)));
    causes.extend(each(spec, "tls", &"spec").flat_map(|(at, tls)| validate_tls(tls, &at)));
    causes
}

fn validate_rule(rule: &Value, at: At<'_>) -> Causes {
    let (mut causes, host, at_host) = (Causes::new(), text(rule, "host"), format_args!("{at}.host"));
    if !host.is_empty() {
        causes.extend(no_address(host, &at_host));
        causes.extend(invalid(&at_host, host, host_messages(host)));
    }
    let http = &rule["http"];
    if http.is_object() {
        let at = format_args!("{at}.http");
        causes.extend(required(http, "paths", &at));
        if http["paths"].is_null() {
            return causes;
        }
        causes.extend(each(http, "paths", &at).flat_map(|(at, path)| validate_http_path(path, &at)));
    }
    causes
}

/// Returns the messages about an invalid host name. It may begin with a wildcard: `*.example.com`.
fn host_messages(host: &str) -> Vec<String> {
    if host.contains('*') { names::wildcard(host) } else { names::subdomain(host) }
}

/// Checks that the host is not an IP address.
pub(super) fn no_address(host: &str, at: At<'_>) -> Option<Cause> {
    let is_address = addresses::parse_sloppy(host).is_some();
    is_address.then(|| Cause::invalid(at, host, "must be a DNS name, not an IP address"))
}

/// Upstream: `validateHTTPIngressPath`.
fn validate_http_path(path: &Value, at: At<'_>) -> Causes {
    const KINDS: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
    let (mut causes, url_path, at_path) = (Causes::new(), text(path, "path"), format_args!("{at}.path"));
    let wrong = |why: String| Cause::invalid(at_path, url_path, &why);
    let absolute = || (!url_path.starts_with('/')).then(|| wrong("must be an absolute path".to_owned()));
    match path["pathType"].as_str() {
        None => return Causes::from([Cause::required(format_args!("{at}.pathType"), "pathType must be specified")]),
        Some("Exact" | "Prefix") => {
            causes.extend(absolute());
            let parts = ["//", "/./", "/../", "%2f", "%2F"].into_iter().filter(|part| url_path.contains(part));
            causes.extend(parts.map(|part| wrong(format!("must not contain '{part}'"))));
            let ends = ["/..", "/."].into_iter().filter(|end| url_path.ends_with(end));
            causes.extend(ends.map(|end| wrong(format!("cannot end with '{end}'"))));
        }
        Some("ImplementationSpecific") if url_path.is_empty() => {}
        Some("ImplementationSpecific") => causes.extend(absolute()),
        Some(other) => causes.push(Cause::unsupported_text(format_args!("{at}.pathType"), other, &KINDS)),
    }
    causes.extend(backend(&path["backend"], &format_args!("{at}.backend")));
    causes
}

/// Validates a backend: either a Service or a reference to an object of any kind. Upstream: `validateIngressBackend`.
fn backend(backend: &Value, at: At<'_>) -> Causes {
    let (resource, service) = (&backend["resource"], &backend["service"]);
    match (resource.is_null(), service.is_null()) {
        (false, false) => Causes::from([Cause::invalid(at, "", "cannot set both resource and service backends")]),
        (false, true) => super::validate_reference(resource, &format_args!("{at}.resource")),
        (true, false) => service_backend(service, at),
        (true, true) => Causes::from([Cause::invalid(at, "", "resource or service backend is required")]),
    }
}

fn service_backend(service: &Value, at: At<'_>) -> Causes {
    let (name, port, at_name) = (text(service, "name"), &service["port"], format_args!("{at}.service.name"));
    let mut causes = match name {
        "" => Causes::from([Cause::required(at_name, "")]),
        name => invalid(&at_name, name, names::label(name)),
    };
    match (text(port, "name"), number(port, "number")) {
        ("", 0) => causes.push(Cause::required(at, "port name or number is required")),
        ("", _) => causes.extend(port_fault(&port["number"], &format_args!("{at}.service.port.number"))),
        (name, 0) => causes.extend(invalid(&format_args!("{at}.service.port.name"), name, port_name(name))),
        _ => causes.push(Cause::invalid(at, "", "cannot set both port name & port number")),
    }
    causes
}

/// Upstream: `validateIngressTLS`.
fn validate_tls(tls: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, host) in items(tls, "hosts").iter().enumerate() {
        let host = host.as_str().unwrap_or_default();
        causes.extend(invalid(&format_args!("{at}.hosts[{i}]"), host, host_messages(host)));
    }
    let secret = text(tls, "secretName");
    let messages = if secret.is_empty() { Vec::new() } else { names::subdomain(secret) };
    causes.extend(invalid(&format_args!("{at}.secretName"), secret, messages));
    causes
}
