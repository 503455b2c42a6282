//! The kinds of the group `admissionregistration.k8s.io`: webhook configurations and admission policies. They configure
//! admission, the step of a write in which webhooks and policies may change or refuse the object. A module named after
//! a kind has the kind's row in the table of kinds (`served`). The other modules validate parts of these objects, and
//! read the objects into the types that the server's admission uses.

mod conditions;
mod configuration;
mod expressions;
mod match_resources;
mod matching;
pub(super) mod mutating_webhook_configuration;
mod policy;
#[cfg(feature = "cel")]
mod policy_expressions;
#[cfg(feature = "cel")]
mod program;
mod rules;
pub(super) mod validating_admission_policy;
pub(super) mod validating_admission_policy_binding;
pub(super) mod validating_webhook_configuration;
mod webhook;
mod webhooks;

pub use self::configuration::AdmissionConfiguration;
pub use self::match_resources::{MatchResources, NamedRule};
pub use self::matching::{RequestAttributes, Rule};
pub use self::policy::{Action, Binding, NotFound, ParamKind, ParamRef, Policy, PolicyHook};
#[cfg(feature = "cel")]
pub use self::policy_expressions::{Expressions, Validation};
#[cfg(feature = "cel")]
pub use self::program::Program;
pub use self::webhook::{Condition, FailurePolicy, MatchPolicy, Reinvocation, SideEffects, Webhook};

use crate::conventions::cause::Cause;
use crate::conventions::edit::{empty, list, object_field, set_default};
use crate::kinds::fields::text;
use crate::value::{Value, json};

/// Sets the defaults that validating and mutating webhooks share. Upstream: `SetDefaults_ValidatingWebhook`,
/// `SetDefaults_Rule`, `SetDefaults_ServiceReference`.
fn set_webhook_defaults(configuration: &mut Value) {
    for webhook in list(configuration, "webhooks") {
        for (field, value) in [
            ("failurePolicy", json!("Fail")),
            ("matchPolicy", json!("Equivalent")),
            ("namespaceSelector", empty()),
            ("objectSelector", empty()),
            ("timeoutSeconds", json!(10)),
        ] {
            set_default(webhook, field, value);
        }
        list(webhook, "rules").for_each(|rule| set_default(rule, "scope", json!("*")));
        if let Some(service) = object_field(webhook, "clientConfig").and_then(|config| object_field(config, "service"))
        {
            set_default(service, "port", json!(443));
        }
    }
}

/// The end of the names that are reserved for configurations in files of the API server.
const STATIC: &str = ".static.k8s.io";
const RESERVED: &str = "names ending with \".static.k8s.io\" are reserved for static manifest-based configurations and \
    cannot be managed via the API";

/// Refuses a new object with a reserved name. Upstream: `ValidateStaticSuffix`.
fn static_suffix(new: &Value, old: Option<&Value>) -> Option<Cause> {
    let name = text(&new["metadata"], "name");
    (old.is_none() && name.ends_with(STATIC)).then(|| Cause::invalid("metadata.name", name, RESERVED))
}

/// Warns of the update of an object with a reserved name. Upstream: `WarningsForStaticSuffix`.
fn static_suffix_warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let is_reserved = old.is_some() && text(&new["metadata"], "name").ends_with(STATIC);
    is_reserved.then(|| format!("metadata.name: {RESERVED}")).into_iter().collect()
}
