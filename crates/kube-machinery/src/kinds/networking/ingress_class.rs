//! The IngressClass kind, which names the controller that implements the Ingresses of a class. Upstream:
//! `pkg/apis/networking`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::kinds::columns;
use crate::kinds::fields::{invalid, one_of, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names;
use crate::kinds::resource::{Generation, ResourceRow, Scope};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "networking.k8s.io",
    plural: "ingressclasses",
    singular: "ingressclass",
    kind: "IngressClass",
    storage_hash: "l/iqIbDgFyQ=",
    scope: Scope::Cluster,
    generation: Generation::Counted,
    defaults: set_defaults,
    validate,
    columns: columns::networking::CLASSES,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_IngressClass`.
fn set_defaults(class: &mut Value) {
    let parameters = object_field(class, "spec").and_then(|spec| object_field(spec, "parameters"));
    if let Some(parameters) = parameters.filter(|parameters| parameters["scope"].is_null()) {
        parameters["scope"] = json!("Cluster");
    }
}

const LONGEST_CONTROLLER: usize = 250;
const PATH: &str = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

/// Upstream: `ValidateIngressClass`, `ValidateIngressClassUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    const AT: &str = "spec.controller";
    let (spec, controller) = (&new["spec"], text(&new["spec"], "controller"));
    let mut causes = Causes::new();
    if old.is_some_and(|old| old["spec"]["controller"] != spec["controller"]) {
        causes.push(Cause::invalid(AT, controller, "field is immutable"));
    }
    if controller.len() > LONGEST_CONTROLLER {
        causes.push(Cause::too_long(AT, LONGEST_CONTROLLER));
    }
    causes.extend(prefixed_path(controller, &AT));
    if spec["parameters"].is_object() {
        causes.extend(parameters(&spec["parameters"], &"spec.parameters"));
    }
    causes
}

/// Validates a path such as `example.com/name`. Upstream: `IsDomainPrefixedPath`.
fn prefixed_path(text: &str, at: At<'_>) -> Causes {
    let (host, path) = match text.split_once('/') {
        _ if text.is_empty() => return Causes::from([Cause::required(at, "")]),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => (host, path),
        _ => {
            let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            return Causes::from([Cause::invalid(at, text, why)]);
        }
    };
    let mut causes = invalid(at, host, names::subdomain(host));
    if !path.chars().all(|c| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c)) {
        causes.push(Cause::invalid(at, path, PATH));
    }
    causes
}

/// Validates the reference to an object with parameters for the controller. Upstream:
/// `validateIngressClassParametersReference`.
fn parameters(reference: &Value, at: At<'_>) -> Causes {
    let (namespace, at_namespace) = (&reference["namespace"], format_args!("{at}.namespace"));
    let mut causes = super::validate_reference(reference, at);
    match (text(reference, "scope"), namespace.as_str()) {
        ("Namespace", None) => {
            causes.push(Cause::required(at_namespace, "`parameters.scope` is set to 'Namespace'"));
        }
        ("Namespace", Some(name)) => causes.extend(invalid(&at_namespace, name, names::label(name))),
        ("Cluster", None) => {}
        ("Cluster", Some(_)) => causes.push(Cause::forbidden(at_namespace, "`parameters.scope` is set to 'Cluster'")),
        (other, _) => causes.extend(one_of(other, &["Cluster", "Namespace"], &format_args!("{at}.scope"))),
    }
    causes
}
