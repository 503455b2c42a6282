//! Parses the query of a create, an update, a patch or an apply: `dryRun`, `fieldManager`, `fieldValidation` and
//! `force`. Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use super::field_validation::Strictness;
use super::query::Query;
use super::status::ApiError;
use crate::store::Commit;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::conventions::quote::is_printable;
use kube_machinery::value::{Map, json};

/// `CreateOptions`, `UpdateOptions` or `PatchOptions`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) commit: Commit,
    pub(crate) strictness: Strictness,
}

impl WriteOptions {
    pub(crate) fn of_create(query: &Query) -> Result<Self, ApiError> {
        Self::read(query, "CreateOptions", Causes::new())
    }

    pub(crate) fn of_update(query: &Query) -> Result<Self, ApiError> {
        Self::read(query, "UpdateOptions", Causes::new())
    }

    pub(crate) fn of_patch(query: &Query) -> Result<Self, ApiError> {
        let force = query.flag("force").map(|_| Cause::forbidden("force", "may not be specified for non-apply patch"));
        Self::read(query, "PatchOptions", force.into_iter().collect())
    }

    /// Parses the options of a server-side apply, which must name its field manager.
    pub(crate) fn of_apply(query: &Query) -> Result<Self, ApiError> {
        let named = query.get("fieldManager").is_some_and(|manager| !manager.is_empty());
        let missing = (!named).then(|| Cause::required("fieldManager", "is required for apply patch"));
        Self::read(query, "PatchOptions", missing.into_iter().collect())
    }

    fn read(query: &Query, kind: &'static str, mut causes: Causes) -> Result<Self, ApiError> {
        let dry_run = query.all("dryRun");
        let validation = query.get("fieldValidation").unwrap_or_default();
        causes.extend(field_manager(query.get("fieldManager").unwrap_or_default()));
        causes.extend(unknown_dry_run(&dry_run));
        let strictness = Strictness::of(validation);
        if strictness.is_none() {
            let supported = ["", "Ignore", "Strict", "Warn"];
            causes.push(Cause::unsupported("fieldValidation", &format!("{validation:?}"), &supported));
        }
        match strictness {
            Some(strictness) if causes.is_empty() => Ok(Self { commit: commit(&dry_run), strictness }),
            _ => Err(ApiError::invalid_options(kind, causes)),
        }
    }
}

/// Returns the options of a create, an update or a patch as an object, for admission webhooks and policies.
pub(crate) fn fields(query: &Query) -> Map {
    let mut fields = Map::new();
    let dry_run = query.all("dryRun");
    if !dry_run.is_empty() {
        fields.insert("dryRun".into(), json!(dry_run));
    }
    for name in ["fieldManager", "fieldValidation"] {
        if let Some(text) = query.get(name).filter(|text| !text.is_empty()) {
            fields.insert(name.into(), json!(text));
        }
    }
    fields
}

pub(crate) fn unknown_dry_run(values: &[&str]) -> Option<Cause> {
    let known = values.iter().all(|value| *value == "All");
    (!known).then(|| Cause::unsupported("dryRun", &json!(values).to_string(), &["All"]))
}

pub(crate) fn commit(dry_run: &[&str]) -> Commit {
    if dry_run.is_empty() { Commit::Really } else { Commit::Pretend }
}

/// The longest name of a field manager, in bytes.
pub(crate) const LONGEST_MANAGER: usize = 128;

fn field_manager(name: &str) -> Causes {
    let mut causes = Causes::new();
    if name.len() > LONGEST_MANAGER {
        causes.push(Cause::too_long("fieldManager", LONGEST_MANAGER));
    }
    for (at, c) in name.char_indices().filter(|(_, c)| !is_printable(*c)) {
        let detail = format!("invalid character U+{:04X} (at position {at})", u32::from(c));
        causes.push(Cause::invalid("fieldManager", name, &detail));
    }
    causes
}
