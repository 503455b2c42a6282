//! Validates the spec of a Job; CronJobs share the rules for their job template. In an indexed Job each pod has a
//! number, the completion index, which tells the pod its part of the work. Upstream: `ValidateJobCreate`,
//! `ValidateJobUpdate` in `pkg/apis/batch/validation/validation.go`.

use super::job_policies::{failure_policy, success_policy};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::label_selector;
use crate::kinds::core::pod;
use crate::kinds::fields::{invalid, not_negative, text};
use crate::kinds::names;
use crate::value::{Value, json};

pub(super) const INDEXED: &str = "Indexed";
/// The limit of `parallelism` and `maxFailedIndexes` of an indexed Job.
const MOST_PARALLEL: i64 = 100_000;
/// An indexed Job with more completions has stricter limits, if it has a backoff limit per index.
const MANY_COMPLETIONS: i64 = 100_000;
/// The stricter limit of `parallelism` and `maxFailedIndexes`.
const MOST_WITH_MANY: i64 = 10_000;

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes = Causes::new();
    match old {
        None => {
            causes.extend(generated_selector(new));
            causes.extend(with_selector(spec));
        }
        Some(old) => {
            causes.extend(with_selector(spec));
            causes.extend(changes(spec, old));
        }
    }
    causes.extend(name_of_indexed(new));
    causes
}

/// Checks that the generated labels and selector are present and name this Job. Skipped for a manual or a missing
/// selector. Upstream: `validateGeneratedSelector`.
fn generated_selector(job: &Value) -> Causes {
    let (spec, metadata) = (&job["spec"], &job["metadata"]);
    if spec["manualSelector"] == true || spec["selector"].is_null() {
        return Causes::new();
    }
    let (uid, name) = (text(metadata, "uid"), text(metadata, "name"));
    let expected = [
        ("controller-uid", uid),
        ("job-name", name),
        ("batch.kubernetes.io/controller-uid", uid),
        ("batch.kubernetes.io/job-name", name),
    ];
    let labels = &spec["template"]["metadata"]["labels"];
    let mut causes = Causes::new();
    for (key, value) in expected {
        let (at, why) = (format_args!("spec.template.metadata.labels[{key}]"), format!("must be '{value}'"));
        match labels[key].as_str() {
            None => causes.push(Cause::required(at, &why)),
            Some(found) if found != value => causes.push(Cause::invalid_json(at, labels, &why)),
            Some(_) => {}
        }
    }
    let find = |key: &str| expected.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
    if label_selector::read(&spec["selector"]).is_ok_and(|selector| !selector.matches_values(find)) {
        causes.push(Cause::invalid_as(
            "spec.selector",
            &label_selector::shown(&spec["selector"]),
            "`selector` not auto-generated",
        ));
    }
    causes
}

/// Upstream: `ValidateJobSpec`.
fn with_selector(spec: &Value) -> Causes {
    let (mut causes, selector) = (without_selector(spec, &"spec"), &spec["selector"]);
    if selector.is_null() {
        causes.push(Cause::required("spec.selector", ""));
    } else {
        causes.extend(pod::label_selector(selector, &"spec.selector"));
    }
    let labels = &spec["template"]["metadata"]["labels"];
    if label_selector::read(selector).is_ok_and(|read| !read.matches_values(|key| labels[key].as_str())) {
        let why = "`selector` does not match template `labels`";
        causes.push(Cause::invalid_json("spec.template.metadata.labels", labels, why));
    }
    causes
}

/// Validates all of the spec but the selector, which the job template of a CronJob does not have. Upstream:
/// `validateJobSpec`.
pub(super) fn without_selector(spec: &Value, at: At<'_>) -> Causes {
    const COUNTS: [&str; 7] = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    let mut causes: Causes = COUNTS.iter().filter_map(|field| not_negative(spec, field, at)).collect();
    if !spec["maxFailedIndexes"].is_null() && spec["backoffLimitPerIndex"].is_null() {
        causes.push(Cause::required(format_args!("{at}.backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
    }
    causes.extend(manager(spec, at));
    causes.extend(completion_mode(spec, at));
    if spec["podFailurePolicy"].is_object() {
        causes.extend(failure_policy(spec, &format_args!("{at}.podFailurePolicy")));
    }
    if spec["successPolicy"].is_object() {
        causes.extend(success_policy(spec, &format_args!("{at}.successPolicy")));
    }
    causes.extend(replacement(spec, at));
    causes.extend(pod::validation::template(&spec["template"], &format_args!("{at}.template")));
    causes.extend(restarts(spec, &format_args!("{at}.template.spec.restartPolicy")));
    causes
}

/// Validates `managedBy`, the name of the controller that runs the Job instead of the built-in one.
fn manager(spec: &Value, at: At<'_>) -> Causes {
    const LONGEST: usize = 63;
    const PATH: &str = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
    let Some(manager) = spec["managedBy"].as_str() else { return Causes::new() };
    let at = format_args!("{at}.managedBy");
    let mut causes = Causes::new();
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
    match manager.split_once('/') {
        _ if manager.is_empty() => causes.push(Cause::required(at, "")),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            causes.extend(invalid(&at, host, names::subdomain(host)));
            if !path.chars().all(is_path) {
                let why = format!("Invalid path (regex used for validation is '{PATH}')");
                causes.push(Cause::invalid(at, path, &why));
            }
        }
        _ => causes.push(Cause::invalid(at, manager, "must be a domain-prefixed path (such as \"acme.io/foo\")")),
    }
    if manager.len() > LONGEST {
        causes.push(Cause::too_long(at, LONGEST));
    }
    causes
}

fn completion_mode(spec: &Value, at: At<'_>) -> Causes {
    let mode = text(spec, "completionMode");
    let wrong = |field: &str, why: &str| Cause::invalid_json(format_args!("{at}.{field}"), &spec[field], why);
    match mode {
        INDEXED => return validate_indexed(spec, at),
        "" | "NonIndexed" => {}
        other => {
            return Causes::from([Cause::unsupported_text(
                format_args!("{at}.completionMode"),
                other,
                &["NonIndexed", INDEXED],
            )]);
        }
    }
    let of_indexed = ["backoffLimitPerIndex", "maxFailedIndexes"].into_iter().filter(|field| !spec[field].is_null());
    of_indexed.map(|field| wrong(field, "requires indexed completion mode")).collect()
}

fn validate_indexed(spec: &Value, at: At<'_>) -> Causes {
    let count = |field: &str| spec[field].as_i64();
    let at_most = |field: &str, most: i64, why: &str| {
        let is_more = count(field).is_some_and(|count| count > most);
        let why = format!("must be less than or equal to {why}");
        is_more.then(|| Cause::invalid_json(format_args!("{at}.{field}"), &spec[field], &why))
    };
    let mut causes = Causes::new();
    if count("completions").is_none() {
        causes.push(Cause::required(format_args!("{at}.completions"), "when completion mode is Indexed"));
    }
    causes.extend(at_most("parallelism", MOST_PARALLEL, "100000 when completion mode is Indexed"));
    causes.extend(at_most("maxFailedIndexes", count("completions").unwrap_or(i64::MAX), "completions"));
    causes.extend(at_most("maxFailedIndexes", MOST_PARALLEL, "100000"));
    if count("completions").is_some_and(|count| count > MANY_COMPLETIONS) && count("backoffLimitPerIndex").is_some() {
        let why = "10000 when completions are above 100000 and used with backoff limit per index";
        if count("maxFailedIndexes").is_none() {
            let why = "must be specified when completions is above 100000";
            causes.push(Cause::required(format_args!("{at}.maxFailedIndexes"), why));
        }
        causes.extend(at_most("parallelism", MOST_WITH_MANY, why));
        causes.extend(at_most("maxFailedIndexes", MOST_WITH_MANY, why));
    }
    causes
}

/// Upstream: `validatePodReplacementPolicy`.
fn replacement(spec: &Value, at: At<'_>) -> Option<Cause> {
    let words: &[&str] =
        if spec["podFailurePolicy"].is_null() { &["Failed", "TerminatingOrFailed"] } else { &["Failed"] };
    let policy = spec["podReplacementPolicy"].as_str()?;
    let is_known = words.contains(&policy);
    (!is_known).then(|| Cause::unsupported_text(format_args!("{at}.podReplacementPolicy"), policy, words))
}

/// Checks that pods of the Job can end: `restartPolicy` must not be `Always`.
fn restarts(spec: &Value, at: At<'_>) -> Option<Cause> {
    match text(&spec["template"]["spec"], "restartPolicy") {
        "Always" | "" => Some(Cause::required(at, "valid values: \"OnFailure\", \"Never\"")),
        "OnFailure" if spec["podFailurePolicy"].is_object() => {
            let why = "only \"Never\" is supported when podFailurePolicy is specified";
            Some(Cause::invalid(at, "OnFailure", why))
        }
        "OnFailure" | "Never" => None,
        other => Some(Cause::unsupported_text(at, other, &["OnFailure", "Never"])),
    }
}

/// Upstream: `ValidateJobSpecUpdate`.
fn changes(spec: &Value, old: &Value) -> Causes {
    let before = &old["spec"];
    let immutable = |field: &str| {
        let changes = spec[field] != before[field];
        changes.then(|| Cause::invalid_json(format_args!("spec.{field}"), &spec[field], "field is immutable"))
    };
    let selector = (spec["selector"] != before["selector"])
        .then(|| Cause::invalid_as("spec.selector", &label_selector::shown(&spec["selector"]), "field is immutable"));
    let mut causes: Causes = completions(spec, before).into_iter().collect();
    causes.extend(selector);
    causes.extend(template(spec, old));
    for field in ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] {
        causes.extend(immutable(field));
    }
    causes
}

/// Checks that `completions` does not change. An indexed Job can change it together with `parallelism` (elastic Job).
fn completions(spec: &Value, before: &Value) -> Option<Cause> {
    let completions = &spec["completions"];
    if *completions == before["completions"] {
        return None;
    }
    let why = match text(spec, "completionMode") {
        INDEXED if completions.is_null() || *completions == spec["parallelism"] => return None,
        INDEXED => "can only be modified in tandem with spec.parallelism",
        _ => "field is immutable",
    };
    Some(Cause::invalid_json("spec.completions", completions, why))
}

/// Checks that the template does not change. If the old Job is suspended, is not running and has no active pods, its
/// scheduling fields, labels, annotations and container resources may change. Upstream: `validatePodTemplateUpdate`.
fn template(spec: &Value, old: &Value) -> Option<Cause> {
    let (new, mut before) = (&spec["template"], old["spec"]["template"].clone());
    let status = &old["status"];
    let stopped = status["startTime"].is_null() || job_is(status, "Suspended");
    let idle = status["active"].as_i64().unwrap_or_default() == 0;
    // The fields that may change get their new values in `before`. A difference that remains is refused.
    let at = if old["spec"]["suspend"] == true && stopped && idle {
        for field in ["nodeSelector", "tolerations", "schedulingGates"] {
            before["spec"][field] = new["spec"][field].clone();
        }
        before["spec"]["affinity"]["nodeAffinity"] = new["spec"]["affinity"]["nodeAffinity"].clone();
        for field in ["labels", "annotations"] {
            before["metadata"][field] = new["metadata"][field].clone();
        }
        copy_resources(&mut before, new);
        "spec.template.spec"
    } else {
        "spec.template"
    };
    let changes = without_nulls(&before) != without_nulls(new);
    changes.then(|| Cause::invalid_json(at, new, "field is immutable"))
}

/// Gives the containers in `before` the resources that those with the same index and name have in `new`.
fn copy_resources(before: &mut Value, new: &Value) {
    for field in ["containers", "initContainers"] {
        let theirs = new["spec"][field].as_array().cloned().unwrap_or_default();
        let own = before["spec"][field].as_array_mut().into_iter().flatten();
        for (own, their) in own.zip(&theirs).filter(|(own, their)| own["name"] == their["name"]) {
            own["resources"] = their["resources"].clone();
        }
    }
}

/// Returns the value without fields that are null or an empty object, so that an absent field equals an empty one.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let fields = map.iter().map(|(key, value)| (key.clone(), without_nulls(value)));
            Value::Object(fields.filter(|(_, value)| !value.is_null() && *value != json!({})).collect())
        }
        other => other.clone(),
    }
}

/// Returns true if the status has a condition of this type with status `True`.
pub(super) fn job_is(status: &Value, kind: &str) -> bool {
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    conditions.any(|condition| condition["type"] == kind && condition["status"] == "True")
}

/// Checks that the longest host name of an indexed Job, `<name>-<last index>`, is a valid DNS label. Upstream:
/// `validateNameAllowsCompletions`.
fn name_of_indexed(job: &Value) -> Option<Cause> {
    let spec = &job["spec"];
    let last = spec["completions"].as_i64().filter(|count| *count > 0 && spec["completionMode"] == INDEXED)? - 1;
    let name = text(&job["metadata"], "name");
    let host = format!("{name}-{last}");
    let why = format!("will not able to create pod with invalid DNS label: {host}");
    (!names::label(&host).is_empty()).then(|| Cause::invalid("metadata.name", name, &why))
}
