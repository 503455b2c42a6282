//! An evaluator computes how much of a quota the objects of one resource use. Upstream: the interface `Evaluator`, and
//! `objectCountEvaluator` in `generic/evaluator.go`.

use jiff::Timestamp;

use super::check_request::Request;
use super::resources::{are_equal, mask, one};
use super::{claims, pods, scope, services};
use crate::kinds::core::pod::amounts::{Amounts, amounts_of};
use crate::kinds::resource::Subresource;
use crate::value::Value;

/// Computes how much of a quota the objects of one resource use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Evaluator {
    Pods,
    Services,
    Claims,
    /// Counts the objects of any other resource. Has the names under which they are counted: `count/RESOURCE.GROUP`,
    /// and for some core resources also the older name, such as `secrets`.
    Objects(Vec<String>),
}

/// The facts that decide which quotas an object uses, and how much of them. If they change, the quotas must be
/// calculated again.
#[derive(Clone, Debug)]
pub struct Footprint {
    used: Amounts,
    /// The changeable facts that the scopes of quotas look at.
    scopes: Vec<String>,
}

impl PartialEq for Footprint {
    fn eq(&self, other: &Self) -> bool {
        are_equal(&self.used, &other.used) && self.scopes == other.scopes
    }
}

/// The core resources that have an older name for their count. Upstream: `legacyObjectCountAliases`.
pub(super) const ALIASES: [&str; 4] = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];

impl Evaluator {
    /// Returns the evaluator of a resource; `None` if quotas ignore the resource.
    pub fn of(group: &str, plural: &str) -> Option<Self> {
        match (group, plural) {
            ("" | "events.k8s.io", "events") => None,
            ("", "pods") => Some(Self::Pods),
            ("", "services") => Some(Self::Services),
            ("", "persistentvolumeclaims") => Some(Self::Claims),
            ("", plural) if ALIASES.contains(&plural) => {
                Some(Self::Objects(vec![format!("count/{plural}"), plural.to_owned()]))
            }
            ("", plural) => Some(Self::Objects(vec![format!("count/{plural}")])),
            (group, plural) => Some(Self::Objects(vec![format!("count/{plural}.{group}")])),
        }
    }

    /// Returns true if a request can change what the object uses. Upstream: `Handles`.
    pub(super) fn handles(&self, request: &Request<'_>) -> bool {
        match (self, request.subresource, request.old) {
            // Objects are only counted, so only a creation matters.
            (Self::Objects(_), subresource, old) => subresource.is_none() && old.is_none(),
            // An update of a pod matters if the pod gets or loses a time limit, because the scope `Terminating` depends
            // on it.
            (Self::Pods, None, Some(old)) => pods::is_terminating(old) != pods::is_terminating(request.object),
            (Self::Pods, Some(subresource), old) => subresource == Subresource::Resize && old.is_some(),
            (Self::Claims, Some(Subresource::Status), Some(old)) => claims::requires_replenish(old, request.object),
            (_, subresource, _) => subresource.is_none(),
        }
    }

    /// Returns true if the resource name in a quota limits these objects. Upstream: `MatchingResources`.
    pub fn tracks(&self, name: &str) -> bool {
        match self {
            Self::Pods => pods::tracks(name),
            Self::Services => services::tracks(name),
            Self::Claims => claims::tracks(name),
            Self::Objects(names) => names.iter().any(|one| one == name),
        }
    }

    /// Returns true if an object is in all scopes of a quota. A quota without scopes is for all objects.
    pub(super) fn is_in_scopes(&self, quota: &Value, object: &Value) -> bool {
        scope::requirements(quota).all(|requirement| match self {
            Self::Pods => pods::meets(object, &requirement),
            Self::Claims => claims::meets(object, &requirement),
            Self::Services | Self::Objects(_) => false,
        })
    }

    /// Returns true if the quota limits the object. Only the limits in its status count. Upstream: `Matches`.
    pub(super) fn matches(&self, quota: &Value, object: &Value) -> bool {
        let mut hard = quota["status"]["hard"].as_object().into_iter().flatten();
        hard.any(|(name, _)| self.tracks(name)) && self.is_in_scopes(quota, object)
    }

    /// Returns the limits of a quota that this evaluator tracks.
    pub(super) fn limits(&self, quota: &Value) -> Amounts {
        mask(&amounts_of(&quota["status"]["hard"]), |name| self.tracks(name))
    }

    /// Returns a message with the required resources that an object does not set, for a quota with these limits. Only
    /// pods have such a rule. Upstream: `Constraints`.
    pub(super) fn unmet_constraints(&self, limits: &Amounts, object: &Value) -> Option<String> {
        match self {
            Self::Pods => pods::unmet_constraints(limits, object),
            _ => None,
        }
    }

    /// Returns the amounts that an object uses. A pod that should be gone at the time `now` uses nothing but its object
    /// count.
    pub(super) fn usage(&self, object: &Value, now: Timestamp) -> Amounts {
        match self {
            Self::Pods => pods::usage(object, now),
            Self::Services => services::usage(object),
            Self::Claims => claims::usage(object),
            Self::Objects(names) => names.iter().map(|name| (name.clone(), one())).collect(),
        }
    }

    pub fn footprint(&self, object: &Value) -> Footprint {
        let scopes = match self {
            Self::Pods => vec![pods::is_terminating(object).to_string()],
            Self::Claims => claims::attributes_classes(object).into_iter().map(ToOwned::to_owned).collect(),
            Self::Services | Self::Objects(_) => Vec::new(),
        };
        // At the earliest time no pod counts as gone, so a footprint does not change by the passing of time alone.
        Footprint { used: self.usage(object, Timestamp::MIN), scopes }
    }
}
