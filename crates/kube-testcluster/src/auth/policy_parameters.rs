//! Checks that a user who writes a ValidatingAdmissionPolicy or its binding may read its parameters (the objects that
//! the policy's expressions see). Otherwise the user could reveal their content by the messages of the policy.
//! Upstream: `authz.go` of `pkg/registry/admissionregistration/validatingadmissionpolicy` and
//! `validatingadmissionpolicybinding`.

use super::access::Caller;
use super::attributes::{Attributes, ResourceAttributes};
use super::authorization::is_privileged;
use crate::plugins::authorization::Authorize;
use crate::store::Store;
use crate::store::object::Key;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::admission::ParamKind;
use kube_machinery::kinds::{ADMISSION_POLICIES, Resource};
use kube_machinery::value::Value;

/// Returns the cause of a 422 (an entry of its `details.causes`) if the write changes which parameters are read, and
/// the caller may not read them. The cluster's own writes have no caller.
pub(crate) fn cause(
    store: &Store,
    caller: Option<&Caller>,
    resource: &Resource,
    new: &Value,
    old: Option<&Value>,
) -> Option<Cause> {
    let is_of_admission = resource.configures_admission();
    let caller = caller.filter(|caller| is_of_admission && !is_privileged(&caller.user))?;
    let is_new =
        |fields: &[&str]| !old.is_some_and(|old| fields.iter().all(|field| old["spec"][*field] == new["spec"][*field]));
    match resource.kind() {
        "ValidatingAdmissionPolicy" if is_new(&["paramKind"]) => caller.cause_in_policy(store, &new["spec"]),
        "ValidatingAdmissionPolicyBinding" if is_new(&["paramRef", "policyName"]) => {
            caller.cause_in_binding(store, &new["spec"])
        }
        _ => None,
    }
}

impl Caller {
    /// Checks a policy: the user must be able to read all objects of its `paramKind`.
    fn cause_in_policy(&self, store: &Store, spec: &Value) -> Option<Cause> {
        let kind = ParamKind::of(&spec["paramKind"])?;
        let attributes = ParamRead { verb: "get", name: "*", namespace: "*" };
        if self.may_read(store, Some(&kind), &attributes) {
            return None;
        }
        let ParamKind { kind, api_version } = kind;
        let why = format!(
            "user {} must have \"get\" permission on all objects of the referenced paramKind (kind={kind}, apiVersion={api_version})",
            shown(&self.user)
        );
        Some(Cause::forbidden("spec.paramKind", &why))
    }

    /// Checks a binding: the user must be able to read the objects that its `paramRef` refers to.
    fn cause_in_binding(&self, store: &Store, spec: &Value) -> Option<Cause> {
        let text = |value: &'_ Value| value.as_str().unwrap_or_default().to_owned();
        let reference = spec["paramRef"].as_object()?;
        let field_text = |field: &str| reference.get(field).map(text).unwrap_or_default();
        let (name, namespace, policy_name) = (field_text("name"), field_text("namespace"), text(&spec["policyName"]));
        let policy = store.get(ADMISSION_POLICIES, &Key::new(None, &policy_name)).and_then(|policy| policy.open().ok());
        let kind = policy.as_ref().and_then(|policy| ParamKind::of(&policy.value["spec"]["paramKind"]));
        let verb = if name.is_empty() { "list" } else { "get" };
        if self.may_read(store, kind.as_ref(), &ParamRead { verb, name: &name, namespace: &namespace }) {
            return None;
        }
        let user = shown(&self.user);
        // Without a known kind, the user needs the right to read everything. The message explains that.
        let least = format!(
            "to determine minimum required permissions and user {user} does not have \"{verb}\" permission for all groups, versions and resources"
        );
        let why = match (&policy, &kind) {
            (None, _) => format!("unable to get policy {policy_name} {least}"),
            (Some(_), Some(kind)) if kind.row(&store.catalog()).is_none() => {
                format!(
                    "unable to resolve paramKind &ParamKind{{APIVersion:{},Kind:{},}} {least}",
                    kind.api_version, kind.kind
                )
            }
            _ => format!("user {user} does not have \"{verb}\" permission on the object referenced by paramRef"),
        };
        Some(Cause::forbidden("spec.paramRef", &why))
    }

    fn may_read(&self, store: &Store, kind: Option<&ParamKind>, attributes: &ParamRead<'_>) -> bool {
        let catalog = store.catalog();
        let row = kind.and_then(|kind| kind.row(&catalog));
        let group = kind.map_or("*", |kind| kind.group_version().0);
        let attributes = ResourceAttributes {
            verb: attributes.verb.to_owned(),
            group: group.to_owned(),
            namespace: attributes.namespace.to_owned(),
            resource: row.map_or("*", |row| row.plural()).to_owned(),
            subresource: String::new(),
            name: attributes.name.to_owned(),
        };
        self.authorizer.authorize(&self.user, &Attributes::Resource(attributes)).allowed
    }
}

/// The read that the user must have the right to.
struct ParamRead<'a> {
    verb: &'static str,
    name: &'a str,
    namespace: &'a str,
}

/// Formats a user as Go prints it.
fn shown(user: &User) -> String {
    let extra = user.extra.iter().map(|(key, values)| format!("{key}:[{}]", values.join(" "))).collect::<Vec<_>>();
    format!("&{{{} {} [{}] map[{}]}}", user.name, user.uid, user.groups.join(" "), extra.join(" "))
}
