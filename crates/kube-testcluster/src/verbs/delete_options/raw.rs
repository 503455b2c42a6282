//! DeleteOptions as they were sent, in the query or in the body, and the checks of their combinations.

use serde::Deserialize;

use super::{PropagationPolicy, UNREADABLE};
use crate::http::body::{self, Format};
use crate::http::query::Query;
use crate::http::scheme::refusal_as_options;
use crate::http::status::ApiError;
use crate::http::type_meta::TypeMeta;
use kube_machinery::codec::protobuf;
use kube_machinery::codec::schema;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;

/// The options as they were sent, before validation.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RawOptions {
    pub(super) grace_period_seconds: Option<i64>,
    pub(super) preconditions: Option<Preconditions>,
    propagation_policy: Option<String>,
    pub(super) orphan_dependents: Option<bool>,
    pub(super) dry_run: Vec<String>,
    ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Preconditions {
    pub(super) uid: Option<String>,
    pub(super) resource_version: Option<String>,
}

impl RawOptions {
    /// Reads the options from the query. Upstream: `Convert_url_Values_To_v1_DeleteOptions`.
    pub(super) fn of_query(query: &Query) -> Result<Self, ApiError> {
        let text = |name: &str| query.get(name).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
        let preconditions = Preconditions { uid: text("uid"), resource_version: text("resourceVersion") };
        let has_preconditions = preconditions.uid.is_some() || preconditions.resource_version.is_some();
        Ok(Self {
            grace_period_seconds: query.integer("gracePeriodSeconds")?,
            preconditions: has_preconditions.then_some(preconditions),
            propagation_policy: query.get("propagationPolicy").map(ToOwned::to_owned),
            orphan_dependents: query.flag("orphanDependents"),
            dry_run: query.all("dryRun").into_iter().map(ToOwned::to_owned).collect(),
            ignore_store_read_error_with_cluster_breaking_potential: query
                .flag("ignoreStoreReadErrorWithClusterBreakingPotential"),
        })
    }

    pub(super) fn of_body(format: Format, body: &[u8]) -> Result<Self, ApiError> {
        let format = if protobuf::is(body) { Format::Protobuf } else { format };
        let read =
            format.read(body, "DeleteOptions", "v1").and_then(|json| TypeMeta::of(&json).map(|meta| (json, meta)));
        let (json, meta) = read.map_err(ApiError::bad_request)?;
        if meta.api_version.ends_with('/') {
            return Err(ApiError::bad_request(body::no_version(body)));
        }
        if !matches!(meta.kind.as_str(), "" | "DeleteOptions") {
            let version = if meta.api_version.is_empty() { "meta.k8s.io/v1" } else { &meta.api_version };
            return Err(ApiError::bad_request(refusal_as_options(version, &meta.kind, json)));
        }
        let options = schema::decode("DeleteOptions", json).map_err(ApiError::bad_request)?;
        kube_machinery::value::from_value::<Self>(options.value)
            .map_err(|error| ApiError::bad_request(error.to_string()))
    }

    pub(super) fn deletes_unreadable(&self) -> bool {
        self.ignore_store_read_error_with_cluster_breaking_potential == Some(true)
    }

    /// Returns causes for options that cannot be combined with the deletion of undecodable objects. Upstream:
    /// `ValidateIgnoreStoreReadError`.
    pub(super) fn contradictions(&self) -> Causes {
        if !self.deletes_unreadable() {
            return Causes::new();
        }
        let written = [
            (self.propagation_policy.is_some(), "propagationPolicy"),
            (self.orphan_dependents.is_some(), "orphanDependents"),
            (self.grace_period_seconds.is_some(), "gracePeriodSeconds"),
            (self.preconditions.is_some(), "preconditions"),
        ];
        let written = written.into_iter().filter(|(is_set, _)| *is_set);
        written
            .map(|(_, field)| Cause::invalid_as(UNREADABLE, "true", &format!("cannot be set together with .{field}")))
            .collect()
    }

    pub(super) fn policy(&self) -> (Option<PropagationPolicy>, Causes) {
        const FIELD: &str = "propagationPolicy";
        let mut causes = Causes::new();
        let requested = self.propagation_policy.as_deref();
        if let (Some(policy), Some(_)) = (requested, self.orphan_dependents) {
            let both = "orphanDependents and deletionPropagation cannot be both set";
            causes.push(Cause::invalid(FIELD, policy, both));
        }
        let policy = match (requested, self.orphan_dependents) {
            (None, None) => None,
            (None, Some(orphan)) => {
                Some(if orphan { PropagationPolicy::Orphan } else { PropagationPolicy::Background })
            }
            (Some("Background"), _) => Some(PropagationPolicy::Background),
            (Some("Foreground"), _) => Some(PropagationPolicy::Foreground),
            (Some("Orphan"), _) => Some(PropagationPolicy::Orphan),
            (Some(other), _) => {
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                causes.push(Cause::unsupported(FIELD, &format!("{other:?}"), &supported));
                None
            }
        };
        (policy, causes)
    }
}
