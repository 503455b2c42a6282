//! The CronJob kind, which creates a Job at the times of a schedule. Upstream: `pkg/apis/batch`,
//! `pkg/registry/batch/cronjob/strategy.go`.

use super::job;
use super::job::template_defaults;
use super::job_spec::without_selector;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::cron;
use crate::conventions::edit::{empty, set_default};
use crate::conventions::label_selector;
use crate::conventions::time_zone::time_zone;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{not_negative, one_of, text};
use crate::kinds::metadata::FinalizerRule;
use crate::kinds::resource::{Change, Generation, ResourceRow, Subresource};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "batch",
    plural: "cronjobs",
    singular: "cronjob",
    kind: "CronJob",
    storage_hash: "sd5LIXh4Fjs=",
    short_names: &["cj"],
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    defaults: set_defaults,
    prepare,
    validate,
    columns: columns::jobs::CRON_JOBS,
    finalizer_rule: FinalizerRule::QualifiedButInStatus,
    warnings,
    ..ResourceRow::USUAL
};

/// The longest name of a CronJob. The controller appends 11 characters, `-` and the scheduled minute, and the result
/// must be a valid Job name of at most 63 characters.
const LONGEST_NAME: usize = 52;

/// Upstream: `SetDefaults_CronJob`.
fn set_defaults(job: &mut Value) {
    set_default(job, "spec", empty());
    let spec = &mut job["spec"];
    if text(spec, "concurrencyPolicy").is_empty() {
        spec["concurrencyPolicy"] = json!("Allow");
    }
    set_default(spec, "suspend", json!(false));
    set_default(spec, "successfulJobsHistoryLimit", json!(3));
    set_default(spec, "failedJobsHistoryLimit", json!(1));
    set_default(spec, "jobTemplate", empty());
    set_default(&mut spec["jobTemplate"], "metadata", empty());
    set_default(&mut spec["jobTemplate"], "spec", empty());
    template_defaults(&mut spec["jobTemplate"]["spec"]);
    set_default(job, "status", empty());
}

/// Upstream: `ValidateCronJobCreate`, `ValidateCronJobUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (spec, name) = (&new["spec"], text(&new["metadata"], "name"));
    let old_spec = old.map(|old| &old["spec"]);
    let mut causes = schedule(spec, old_spec);
    causes.extend(not_negative(spec, "startingDeadlineSeconds", &"spec"));
    if old_spec.is_none_or(|old| old["timeZone"] != spec["timeZone"]) {
        causes.extend(spec["timeZone"].as_str().map_or_else(Causes::new, validate_time_zone));
    }
    let policies = ["Allow", "Forbid", "Replace"];
    causes.extend(one_of(text(spec, "concurrencyPolicy"), &policies, &"spec.concurrencyPolicy"));
    causes.extend(template(&spec["jobTemplate"]["spec"]));
    for limit in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        causes.extend(not_negative(spec, limit, &"spec"));
    }
    if old.is_none() && name.len() > LONGEST_NAME {
        causes.push(Cause::invalid("metadata.name", name, "must be no more than 52 characters"));
    }
    causes
}

/// Upstream: `validateScheduleFormat`.
fn schedule(spec: &Value, old: Option<&Value>) -> Causes {
    const AT: &str = "spec.schedule";
    let schedule = text(spec, "schedule");
    if schedule.is_empty() {
        return Causes::new();
    }
    let mut causes = Causes::new();
    if let Err(why) = cron::parse(schedule) {
        causes.push(Cause::invalid(AT, schedule, &why));
    }
    let had_zone = old.is_some_and(|old| text(old, "schedule").contains("TZ"));
    if schedule.contains("TZ") && !had_zone {
        let why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        causes.push(Cause::invalid(AT, schedule, why));
    } else if schedule.contains("TZ") && spec["timeZone"].is_string() {
        let why = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
        causes.push(Cause::invalid(AT, schedule, why));
    }
    causes
}

/// Validates the name of an IANA time zone. Upstream: `validateTimeZone`.
fn validate_time_zone(name: &str) -> Causes {
    let wrong = |why: &str| Cause::invalid("spec.timeZone", name, why);
    let unknown = || wrong(&format!("unknown time zone {name}"));
    if name.is_empty() {
        return Causes::from([wrong("timeZone must be nil or non-empty string")]);
    }
    // The form of a part of an IANA name. Upstream: `validTimeZoneCharacters`.
    let is_word = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || ".-_+".contains(c));
    let fits = |part: &str| (1..=14).contains(&part.len()) && !part.starts_with('-') && is_word(part);
    if !name.split('/').all(|part| fits(part) && part != "." && part != "..") {
        return Causes::from([unknown()]);
    }
    let mut causes = Causes::new();
    if name.eq_ignore_ascii_case("local") {
        let why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        causes.push(wrong(why));
    }
    // Go accepts `Local` as a time zone.
    if name != "Local" && time_zone(name).is_none() {
        causes.push(unknown());
    }
    causes
}

/// Validates the job template, which cannot choose the selector of the Jobs. Upstream: `ValidateJobTemplateSpec`.
fn template(spec: &Value) -> Causes {
    const AT: &str = "spec.jobTemplate.spec";
    let mut causes = without_selector(spec, &AT);
    if !spec["selector"].is_null() {
        let why = "`selector` will be auto-generated";
        causes.push(Cause::invalid_as(format_args!("{AT}.selector"), &label_selector::shown(&spec["selector"]), why));
    }
    if spec["manualSelector"] == true {
        causes.push(Cause::unsupported(format_args!("{AT}.manualSelector"), "true", &["nil", "false"]));
    }
    causes
}

/// Removes the fields of features that are off. Upstream: `PrepareForCreate`, `PrepareForUpdate`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    let spec = &new["spec"]["jobTemplate"]["spec"];
    let has_any = !spec["scheduling"].is_null() || pod::disabled_fields::has_disabled_fields(&spec["template"]);
    if change.subresource.is_none() && has_any {
        let spec = &mut new["spec"]["jobTemplate"]["spec"];
        job::drop_scheduling(spec);
        pod::disabled_fields::drop_disabled_fields(&mut spec["template"]);
    }
}

/// Upstream: `WarningsOnCreate`, `WarningsOnUpdate`, of which only the second warns of a time zone in the schedule.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings.extend(pod::warnings::no_label(new, "Pod names and hostnames"));
    }
    if old.is_none_or(|old| old["metadata"]["generation"] != new["metadata"]["generation"]) {
        warnings.extend(job::spec_warnings(&new["spec"]["jobTemplate"]["spec"], "spec.jobTemplate.spec"));
    }
    if old.is_some() && text(&new["spec"], "schedule").contains("TZ") {
        let page = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
        warnings.push(format!(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see {page} for more details"
        ));
    }
    warnings
}
