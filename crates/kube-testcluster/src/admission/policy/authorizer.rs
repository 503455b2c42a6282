//! The CEL variable `authorizer`, with which the expressions of policies and match conditions check permissions of the
//! request's user, as in `authorizer.group('apps').resource('deployments').check('create').allowed()`. Each call in
//! such a chain returns a new [`AuthorizerObject`]. Upstream: `k8s.io/apiserver/pkg/cel/library/authz.go`.

use std::sync::Arc;

use super::super::Attributes;
use crate::plugins::authorization::{self, Authorize, Decision, ResourceAttributes};
use kube_machinery::codec::expression::interpreter::{Error, Meter, Outcome};
use kube_machinery::codec::expression::{Object, Value};
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::{is_label, is_subdomain};

/// The CEL cost of a check, as upstream. It is high because a check may be slow: one expression may cost 1,000,000, so
/// it can make only two checks.
const OF_A_CHECK: u64 = 350_000;

/// The user whose permissions are checked, and the authorizer that checks them.
#[derive(Clone, Debug)]
struct Principal {
    user: Arc<User>,
    /// `None` if everything is allowed.
    authorizer: Option<Arc<dyn Authorize>>,
}

/// The CEL objects of this library.
#[derive(Clone, Debug)]
enum AuthorizerObject {
    /// `authorizer`, or `authorizer.serviceAccount(…)`.
    Authorizer(Principal),
    /// `authorizer.path(…)`.
    Path(Principal, String),
    /// `authorizer.group(…)`.
    Group(Principal, String),
    /// `….resource(…)`, with the parts that further calls have set.
    Resource(Principal, ResourceAttributes),
    /// `….check(…)`.
    Decision(Decision),
}

/// Returns the value of `authorizer`.
pub(super) fn of_user(attributes: &Attributes<'_>) -> Value {
    Value::object(AuthorizerObject::Authorizer(principal(attributes)))
}

/// Returns the value of `authorizer.requestResource`.
pub(super) fn of_request(attributes: &Attributes<'_>) -> Value {
    let resource = ResourceAttributes {
        verb: String::new(),
        group: attributes.request.served.group().to_owned(),
        namespace: attributes.namespace().to_owned(),
        resource: attributes.request.served.plural().to_owned(),
        subresource: attributes.subresource().to_owned(),
        name: attributes.name().to_owned(),
    };
    Value::object(AuthorizerObject::Resource(principal(attributes), resource))
}

fn principal(attributes: &Attributes<'_>) -> Principal {
    let authorizer = attributes.request.store.authorizer.get().cloned();
    Principal { user: attributes.request.user.clone(), authorizer }
}

impl Principal {
    fn check(&self, attributes: &authorization::Attributes) -> Value {
        let decided = self.authorizer.as_ref().map(|authorizer| authorizer.authorize(&self.user, attributes));
        Value::object(AuthorizerObject::Decision(decided.unwrap_or(Decision { allowed: true, reason: String::new() })))
    }

    fn service_account(&self, namespace: &str, name: &str) -> Outcome {
        if !is_subdomain(name) {
            return Err(Error::Failed("Invalid service account name".to_owned()));
        }
        if !is_label(namespace) {
            return Err(Error::Failed("Invalid service account namespace".to_owned()));
        }
        let groups = ["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
        let user = Arc::new(User::new(format!("system:serviceaccount:{namespace}:{name}"), groups));
        Ok(Value::object(AuthorizerObject::Authorizer(Self { user, authorizer: self.authorizer.clone() })))
    }
}

impl Object for AuthorizerObject {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Authorizer(_) => "kubernetes.authorization.Authorizer",
            Self::Path(..) => "kubernetes.authorization.PathCheck",
            Self::Group(..) => "kubernetes.authorization.GroupCheck",
            Self::Resource(..) => "kubernetes.authorization.ResourceCheck",
            Self::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        Some(std::ptr::addr_eq(self, other))
    }

    fn call(&self, meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        let texts = args.iter().map(|arg| match arg {
            Value::String(text) => Some(text.as_ref()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect::<Option<_>>()?;
        let text = |text: &str| Ok(Value::text(text));
        let charged = |check: &dyn Fn() -> Value| meter.charge(OF_A_CHECK).map(|()| check());
        Some(match (self, name, texts.as_slice()) {
            (Self::Authorizer(principal), "path", [path]) => {
                named("path", path).map(|path| Value::object(Self::Path(principal.clone(), path)))
            }
            (Self::Authorizer(principal), "group", [group]) => {
                Ok(Value::object(Self::Group(principal.clone(), (*group).to_owned())))
            }
            (Self::Authorizer(principal), "serviceAccount", [namespace, name]) => {
                principal.service_account(namespace, name)
            }
            (Self::Group(principal, group), "resource", [resource]) => named("resource", resource).map(|resource| {
                let attributes = ResourceAttributes { group: group.clone(), resource, ..ResourceAttributes::default() };
                Value::object(Self::Resource(principal.clone(), attributes))
            }),
            (Self::Path(principal, path), "check", [verb]) => charged(&|| {
                principal.check(&authorization::Attributes::Path { verb: (*verb).to_owned(), path: path.clone() })
            }),
            (Self::Resource(principal, attributes), "check", [verb]) => charged(&|| {
                let attributes = ResourceAttributes { verb: (*verb).to_owned(), ..attributes.clone() };
                principal.check(&authorization::Attributes::Resource(attributes))
            }),
            (Self::Resource(principal, attributes), part, [value]) => {
                let attributes = with_part(attributes.clone(), part, (*value).to_owned())?;
                Ok(Value::object(Self::Resource(principal.clone(), attributes)))
            }
            (Self::Decision(decision), "allowed", []) => Ok(Value::Bool(decision.allowed)),
            (Self::Decision(decision), "reason", []) => text(&decision.reason),
            // A decision of RBAC has no error: as upstream, its reason names the roles that cannot be found.
            (Self::Decision(_), "errored", []) => Ok(Value::Bool(false)),
            (Self::Decision(_), "error", []) => text(""),
            _ => return None,
        })
    }
}

/// Refuses an empty argument.
fn named(what: &str, value: &str) -> Result<String, Error> {
    if value.trim().is_empty() { Err(Error::Failed(format!("{what} must not be empty"))) } else { Ok(value.to_owned()) }
}

/// Sets a part of a resource check. Selectors are ignored, because RBAC ignores them.
fn with_part(mut attributes: ResourceAttributes, part: &str, value: String) -> Option<ResourceAttributes> {
    match part {
        "subresource" => attributes.subresource = value,
        "namespace" => attributes.namespace = value,
        "name" => attributes.name = value,
        "fieldSelector" | "labelSelector" => {}
        _ => return None,
    }
    Some(attributes)
}
