//! Validates a container's probes, by which the kubelet finds out if the container is alive and ready, and its
//! lifecycle hooks, which run after its start and before its end. Upstream: `validateProbe`, `validateHandler` in
//! `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, not_negative, one_of, port_fault, port_name, required, text};
use crate::kinds::names;
use crate::value::Value;

const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
/// The handlers of probes.
const HANDLERS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "grpc"];
/// The handlers of lifecycle hooks.
const HOOKS: [&str; 4] = ["exec", "httpGet", "tcpSocket", "sleep"];

pub(super) fn probes(container: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for field in PROBES.into_iter().filter(|field| container[*field].is_object()) {
        let (probe, path) = (&container[field], format_args!("{at}.{field}"));
        causes.extend(handler(probe, &HANDLERS, None, &path));
        for number in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
        {
            causes.extend(not_negative(probe, number, &path));
        }
        let grace = &probe["terminationGracePeriodSeconds"];
        let at_grace = format_args!("{path}.terminationGracePeriodSeconds");
        if grace.as_i64().is_some_and(|seconds| seconds <= 0) {
            causes.push(Cause::invalid_json(at_grace, grace, "must be greater than 0"));
        }
        if field == "readinessProbe" && !grace.is_null() {
            causes.push(Cause::invalid_json(at_grace, grace, "must not be set for readinessProbes"));
        }
        let threshold = &probe["successThreshold"];
        if field != "readinessProbe" && threshold.as_i64().is_some_and(|threshold| threshold != 1) {
            causes.push(Cause::invalid_json(format_args!("{path}.successThreshold"), threshold, "must be 1"));
        }
    }
    causes
}

/// Refuses probes and hooks of an init container that is no sidecar.
pub(super) fn no_probes_or_hooks(container: &Value, at: At<'_>) -> Causes {
    let fields = ["lifecycle"].into_iter().chain(PROBES).filter(|field| container[*field].is_object());
    let detail = "may not be set for init containers without restartPolicy=Always";
    fields.map(|field| Cause::forbidden(format_args!("{at}.{field}"), detail)).collect()
}

/// Upstream: `validateLifecycle`.
pub(super) fn hooks(container: &Value, spec: &Value, at: At<'_>) -> Causes {
    let (lifecycle, grace) = (&container["lifecycle"], spec["terminationGracePeriodSeconds"].as_i64());
    let given = ["postStart", "preStop"].into_iter().filter(|field| lifecycle[*field].is_object());
    given.flat_map(|field| handler(&lifecycle[field], &HOOKS, grace, &format_args!("{at}.lifecycle.{field}"))).collect()
}

/// Validates the handler of a probe or hook: exactly one of `kinds`. `grace` is the termination grace period in
/// seconds, the upper limit of a `sleep`. Upstream: `validateHandler`.
fn handler(handler: &Value, kinds: &[&'static str], grace: Option<i64>, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    let given: Vec<&str> = kinds.iter().copied().filter(|kind| handler[*kind].is_object()).collect();
    for (n, kind) in given.iter().enumerate() {
        let (action, path) = (&handler[*kind], format_args!("{at}.{kind}"));
        if n > 0 {
            causes.push(Cause::forbidden(path, "may not specify more than 1 handler type"));
            continue;
        }
        match *kind {
            "exec" => causes.extend(required(action, "command", &path)),
            "httpGet" => causes.extend(http_get(action, &path)),
            "sleep" => causes.extend(sleep(&action["seconds"], grace, &path)),
            _ => causes.extend(port(&action["port"], &path)),
        }
    }
    if given.is_empty() {
        causes.push(Cause::required(at, "must specify a handler type"));
    }
    causes
}

/// Upstream: `validateHTTPGetAction`.
fn http_get(action: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(action, "path", at));
    causes.extend(port(&action["port"], at));
    causes.extend(one_of(text(action, "scheme"), &["HTTP", "HTTPS"], &format_args!("{at}.scheme")));
    for header in items(action, "httpHeaders") {
        let name = text(header, "name");
        causes.extend(names::header(name).map(|why| Cause::invalid(format_args!("{at}.httpHeaders"), name, why)));
    }
    causes
}

/// Checks that a hook does not sleep longer than the grace period. Probes have no grace period here, and cannot sleep.
/// Upstream: `validateSleepAction`.
fn sleep(seconds: &Value, grace: Option<i64>, at: At<'_>) -> Option<Cause> {
    let (grace, number) = (grace?, seconds.as_i64().unwrap_or_default());
    let why = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
    (!(0..=grace).contains(&number)).then(|| Cause::invalid_as(at, &number.to_string(), &why))
}

fn port(port: &Value, at: At<'_>) -> Causes {
    let path = format_args!("{at}.port");
    match port.as_str() {
        Some(name) => port_name(name).iter().map(|why| Cause::invalid(path, name, why)).collect(),
        None => port_fault(port, &path).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// From the cases of upstream's `TestValidateProbe`, `TestValidateHandler` and `TestValidateContainers`
    /// (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn a_probe_has_one_handler_and_valid_times() {
        let sentences = |field: &str, probe: Value| {
            probes(&json!({field: probe}), &"c").iter().map(Cause::sentence).collect::<Vec<_>>()
        };
        let get =
            |path: &str, port: Value, scheme: &str| json!({"httpGet": {"path": path, "port": port, "scheme": scheme}});
        for good in
            [get("/", json!(80), "HTTP"), get("/", json!("web"), "HTTPS"), json!({"exec": {"command": ["echo"]}})]
        {
            assert_eq!(sentences("livenessProbe", good.clone()), [""; 0], "{good}");
        }
        assert_eq!(
            sentences("livenessProbe", json!({})),
            ["c.livenessProbe: Required value: must specify a handler type"]
        );
        assert_eq!(
            sentences("startupProbe", json!({"exec": {}, "tcpSocket": {"port": 80}})),
            [
                "c.startupProbe.exec.command: Required value",
                "c.startupProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
            ]
        );
        assert_eq!(
            sentences("readinessProbe", get("", json!(0), "FTP")),
            [
                "c.readinessProbe.httpGet.path: Required value",
                "c.readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "c.readinessProbe.httpGet.scheme: Unsupported value: \"FTP\": supported values: \"HTTP\", \"HTTPS\"",
            ]
        );
        let odd = json!({"exec": {"command": ["x"]}, "periodSeconds": -1, "successThreshold": 2, "terminationGracePeriodSeconds": 0});
        assert_eq!(
            sentences("livenessProbe", odd),
            [
                "c.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
                "c.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
                "c.livenessProbe.successThreshold: Invalid value: 2: must be 1",
            ]
        );
    }
}
