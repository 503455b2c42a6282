//! The Job kind, which runs pods until a number of them has succeeded. Upstream: `pkg/apis/batch`,
//! `pkg/registry/batch/job/strategy.go`.

use super::{job_spec, job_status};
use crate::conventions::edit::{empty, list, object, object_field, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{number, text};
use crate::kinds::resource::{Change, Dependents, Generation, ResourceRow, Strategy, Subresource};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "batch",
    plural: "jobs",
    singular: "job",
    kind: "Job",
    storage_hash: "mudhfqk/qZY=",
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    strategy: Strategy {
        dependents: Dependents::Orphaned,
        warning_of_orphans: Some(WARNING_OF_ORPHANS),
        ..Strategy::USUAL
    },
    fields: &[("status.successful", "status.succeeded", "0")],
    defaults: set_defaults,
    prepare,
    validate: job_spec::validate,
    validate_status: job_status::validate_status,
    columns: columns::jobs::JOBS,
    warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `deleteOptionWarnings` in `pkg/registry/batch/job/storage/storage.go`.
const WARNING_OF_ORPHANS: &str = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to \
                                  remove them or set propagationPolicy=Orphan to suppress this warning";

/// Upstream: `SetDefaults_Job`.
fn set_defaults(job: &mut Value) {
    set_default(job, "spec", empty());
    spec_defaults(&mut job["spec"]);
    labels_of_template(job);
    set_default(job, "status", empty());
}

/// Copies the template's labels to a Job that has none.
fn labels_of_template(job: &mut Value) {
    let labels = job["spec"]["template"]["metadata"]["labels"].clone();
    let has_own = job["metadata"]["labels"].as_object().is_some_and(|own| !own.is_empty());
    if labels.is_object() && !has_own {
        job["metadata"]["labels"] = labels;
    }
}

/// Sets the defaults that Jobs share with the job templates of CronJobs.
pub(super) fn template_defaults(spec: &mut Value) {
    let template = object(spec).entry("template").or_insert_with(empty);
    set_default(template, "metadata", empty());
    set_default(template, "spec", empty());
    pod::defaults::pod_spec(&mut template["spec"]);
    let Some(policy) = object_field(spec, "podFailurePolicy") else { return };
    for rule in list(policy, "rules") {
        for pattern in list(rule, "onPodConditions") {
            if text(pattern, "status").is_empty() {
                pattern["status"] = json!("True");
            }
        }
    }
}

fn spec_defaults(spec: &mut Value) {
    template_defaults(spec);
    if spec["completions"].is_null() && spec["parallelism"].is_null() {
        spec["completions"] = json!(1);
    }
    set_default(spec, "parallelism", json!(1));
    // With a limit for each index, the Job as a whole has none.
    let limit = if spec["backoffLimitPerIndex"].is_null() { 6 } else { i32::MAX };
    set_default(spec, "backoffLimit", json!(limit));
    set_default(spec, "completionMode", json!("NonIndexed"));
    set_default(spec, "suspend", json!(false));
    let replaced = if spec["podFailurePolicy"].is_null() { "TerminatingOrFailed" } else { "Failed" };
    set_default(spec, "podReplacementPolicy", json!(replaced));
    set_default(spec, "manualSelector", json!(false));
}

/// Removes the fields of features that are off, and generates the selector of a new Job. Upstream: `PrepareForCreate`,
/// `PrepareForUpdate`.
fn prepare(job: &mut Value, change: &Change<'_>) {
    if change.subresource.is_none() {
        drop_scheduling(&mut job["spec"]);
    }
    pod::disabled_fields::prepare_template(job, change);
    generate_selector(job, change);
}

/// Removes the scheduling of the pods as a group, which needs the feature gate `WorkloadWithJob`. Upstream:
/// `DropDisabledFields` in `pkg/api/job/util.go`.
pub(super) fn drop_scheduling(spec: &mut Value) {
    if !spec["scheduling"].is_null() {
        object(spec).remove("scheduling");
    }
}

/// Gives a new Job a selector that matches its own pods only, unless its selector is manual. Upstream:
/// `generateSelectorIfNeeded`.
fn generate_selector(job: &mut Value, change: &Change<'_>) {
    if change.old.is_some() || job["spec"]["manualSelector"] == true {
        return;
    }
    let (name, uid) = (job["metadata"]["name"].clone(), job["metadata"]["uid"].clone());
    let spec = &mut job["spec"];
    set_default(&mut spec["template"]["metadata"], "labels", empty());
    for (label, value) in [
        ("job-name", &name),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("batch.kubernetes.io/controller-uid", &uid),
    ] {
        set_default(&mut spec["template"]["metadata"]["labels"], label, value.clone());
    }
    set_default(spec, "selector", empty());
    set_default(&mut spec["selector"], "matchLabels", empty());
    set_default(&mut spec["selector"]["matchLabels"], "batch.kubernetes.io/controller-uid", uid);
    labels_of_template(job); // again, as upstream applies the defaults once more when it reads the object from storage
}

/// Upstream: `WarningsOnCreate`, `WarningsOnUpdate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = match old {
        None => pod::warnings::no_label(new, "Pod names and hostnames"),
        Some(old) if old["metadata"]["generation"] == new["metadata"]["generation"] => return Vec::new(),
        Some(_) => Vec::new(),
    };
    warnings.extend(spec_warnings(&new["spec"], "spec"));
    warnings
}

/// The numbers of completions and of parallel pods above which the status may lose track of failed indexes.
const MOST_COMPLETIONS: i64 = 100_000;
const MOST_PARALLEL: i64 = 10_000;

/// Upstream: `WarningsForJobSpec`.
pub(super) fn spec_warnings(spec: &Value, at: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let is_indexed = text(spec, "completionMode") == "Indexed";
    if is_indexed && number(spec, "completions") > MOST_COMPLETIONS && number(spec, "parallelism") > MOST_PARALLEL {
        let why = "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, \
            Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
        warnings.push(format!("{at}: {why}"));
    }
    warnings.extend(pod::warnings::of_template(&spec["template"], &format_args!("{at}.template")));
    warnings
}
