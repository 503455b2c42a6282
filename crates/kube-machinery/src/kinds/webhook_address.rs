//! Validates the address of a webhook, a URL or a service, for admission webhooks and for the conversion webhooks of
//! definitions. Upstream: `k8s.io/apiserver/pkg/util/webhook/validation.go`.

use super::fields::text;
use super::names;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_url;
use crate::value::Value;

const FORM: &str = "; desired format: https://host[/path]";

/// Validates the `url` or the `service` of a client configuration.
pub(super) fn validate(config: &Value, at: At<'_>) -> Causes {
    match (config["url"].as_str(), config["service"].is_object()) {
        (Some(address), false) => validate_url(address, &format_args!("{at}.url")),
        (None, true) => validate_service(&config["service"], &format_args!("{at}.service")),
        _ => Causes::from([Cause::required(at, "exactly one of url or service is required")]),
    }
}

/// Upstream: `ValidateWebhookURL`.
fn validate_url(address: &str, at: At<'_>) -> Causes {
    let url = match go_url::parse(address) {
        Ok(url) => url,
        Err(why) => return Causes::from([Cause::required(at, &format!("url must be a valid URL: {why}{FORM}"))]),
    };
    let (user, fragment) = (url.user.as_deref().unwrap_or_default(), url.fragment());
    [
        (url.scheme != "https", &*url.scheme, format!("'https' is the only allowed URL scheme{FORM}")),
        (url.host.is_empty(), &url.host, format!("host must be specified{FORM}")),
        (url.user.is_some(), user, "user information is not permitted in the URL".to_owned()),
        (!fragment.is_empty(), &fragment, "fragments are not permitted in the URL".to_owned()),
        (!url.query.is_empty(), &url.query, "query parameters are not permitted in the URL".to_owned()),
    ]
    .into_iter()
    .filter(|(wrong, ..)| *wrong)
    .map(|(_, value, why)| Cause::invalid(at, value, &why))
    .collect()
}

/// Validates the service of a webhook. A missing namespace gives a cause about `name`, and a missing name one about
/// `namespace`, because upstream swaps the two. Upstream: `ValidateWebhookService`.
fn validate_service(service: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (field, named) in [("namespace", "name"), ("name", "namespace")] {
        if text(service, field).is_empty() {
            causes.push(Cause::required(format_args!("{at}.{named}"), ""));
        }
    }
    let port = service["port"].as_i64().unwrap_or_default();
    if !(1..=65_535).contains(&port) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(Cause::invalid_as(format_args!("{at}.port"), &port.to_string(), why));
    }
    causes.extend(validate_path(text(service, "path"), &format_args!("{at}.path")));
    causes
}

fn validate_path(path: &str, at: At<'_>) -> Causes {
    let empty = |i: usize| Cause::invalid(at, path, &format!("segment[{i}] may not be empty"));
    match path {
        "" | "/" => return Causes::new(),
        "//" => return Causes::from([empty(0)]),
        _ => {}
    }
    let mut causes = Causes::new();
    if !path.starts_with('/') {
        causes.push(Cause::invalid(at, path, "must start with a '/'"));
    }
    // As upstream, the first character is skipped even if it is not a slash.
    let rest: String = path.chars().skip(1).collect();
    for (i, step) in rest.strip_suffix('/').unwrap_or(&rest).split('/').enumerate() {
        if step.is_empty() {
            causes.push(empty(i));
        } else {
            let whys = names::subdomain(step).into_iter().map(|why| format!("segment[{i}]: {why}"));
            causes.extend(whys.map(|why| Cause::invalid(at, path, &why)));
        }
    }
    causes
}
