//! Validates an update of a Job's status: counts of pods, conditions, times and indexes must agree with each other.
//! Most rules apply only to what an update changes, so that an already inconsistent status can still be updated.
//! Upstream: `ValidateJobUpdateStatus` in `pkg/apis/batch/validation/validation.go`, `getStatusValidationOptions` in
//! `pkg/registry/batch/job/strategy.go`.

use std::collections::HashSet;

use super::job_policies::number_of_indexes;
use super::job_spec::{INDEXED, job_is};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, not_negative, number, text};
use crate::value::{Value, json};

const CONDITIONS: &str = "status.conditions";

/// An update of a Job's status: the Job's spec, the new status and the old one.
struct Change<'a> {
    spec: &'a Value,
    new: &'a Value,
    old: &'a Value,
}

/// The causes are in upstream's order. So some of the functions also have rules that their names do not mention.
pub(super) fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    let old = old.map_or(&Value::Null, |old| &old["status"]);
    let change = Change { spec: &new["spec"], new: &new["status"], old };
    let mut causes = change.validate_counts();
    causes.extend(change.validate_conditions());
    causes.extend(change.validate_times());
    causes.extend(change.validate_finished());
    causes.extend(change.validate_indexes());
    causes.extend(change.validate_success());
    causes.extend(change.validate_transitions());
    causes
}

impl Change<'_> {
    /// Returns true if the new status has the condition.
    fn is(&self, kind: &str) -> bool {
        job_is(self.new, kind)
    }

    /// Returns true if the old status has the condition.
    fn was(&self, kind: &str) -> bool {
        job_is(self.old, kind)
    }

    fn is_finished(&self) -> bool {
        self.is("Complete") || self.is("Failed")
    }

    /// Returns true if the update sets or removes the condition.
    fn turns(&self, kind: &str) -> bool {
        self.is(kind) != self.was(kind)
    }

    /// Returns true if the Job ends with this update (or, wrongly, starts again).
    fn ends(&self) -> bool {
        self.is_finished() != (self.was("Complete") || self.was("Failed"))
    }

    fn changes(&self, field: &str) -> bool {
        self.new[field] != self.old[field]
    }

    /// Returns a cause that shows the new value of a field; 0 for an absent one, as upstream prints Go's zero value.
    fn wrong(&self, field: &str, why: &str) -> Cause {
        let value = if self.new[field].is_null() { json!(0) } else { self.new[field].clone() };
        Cause::invalid_json(format_args!("status.{field}"), &value, why)
    }

    fn validate_counts(&self) -> Causes {
        let fields = ["active", "succeeded", "failed", "ready", "terminating"];
        let mut causes: Causes = fields.iter().filter_map(|field| not_negative(self.new, field, &"status")).collect();
        let mut seen = HashSet::new();
        for part in ["succeeded", "failed"] {
            for (i, uid) in items(&self.new["uncountedTerminatedPods"], part).iter().enumerate() {
                let (uid, at) =
                    (uid.as_str().unwrap_or_default(), format_args!("status.uncountedTerminatedPods.{part}[{i}]"));
                if uid.is_empty() {
                    causes.push(Cause::invalid(at, uid, "must not be empty"));
                } else if !seen.insert(uid) {
                    causes.push(Cause::duplicate(at, uid));
                }
            }
        }
        causes
    }

    fn validate_conditions(&self) -> Causes {
        let complete = self.is("Complete");
        let mut causes = Causes::new();
        if complete && self.is("Failed") && (self.turns("Complete") || self.turns("Failed")) {
            causes.push(Cause::invalid_alone(CONDITIONS, "cannot set Complete=True and Failed=true conditions"));
        }
        if complete && self.is("FailureTarget") && (self.turns("Complete") || self.turns("FailureTarget")) {
            causes.push(Cause::invalid_alone(CONDITIONS, "cannot set Complete=True and FailureTarget=true conditions"));
        }
        causes
    }

    fn validate_times(&self) -> Causes {
        const AT: &str = "status.completionTime";
        let (start, end) = (&self.new["startTime"], &self.new["completionTime"]);
        let mut causes = Causes::new();
        if self.turns("Complete") || self.changes("completionTime") {
            if !end.is_null() && !self.is("Complete") {
                let why = "cannot set completionTime when there is no Complete=True condition";
                causes.push(Cause::invalid_json(AT, end, why));
            }
            if end.is_null() && self.is("Complete") {
                causes.push(Cause::required(AT, "completionTime is required for Complete jobs"));
            }
        }
        let changed = self.changes("startTime") || self.changes("completionTime");
        if let (true, Some(start), Some(end_at)) = (changed, start.as_str(), end.as_str())
            && end_at < start
        {
            causes.push(Cause::invalid_json(AT, end, "must be equal to or after `startTime`"));
        }
        if self.is("Failed") && !self.is("FailureTarget") && (self.turns("Failed") || self.changes("failedIndexes")) {
            let why = "cannot set Failed=True condition without the FailureTarget=true condition";
            causes.push(Cause::invalid_alone(CONDITIONS, why));
        }
        let succeeds = self.turns("Complete") || self.turns("SuccessCriteriaMet");
        if self.is("Complete") && !self.is("SuccessCriteriaMet") && succeeds {
            let why = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition";
            causes.push(Cause::invalid_alone(CONDITIONS, why));
        }
        causes
    }

    fn validate_finished(&self) -> Causes {
        let mut causes = Causes::new();
        if !self.is_finished() {
            return causes;
        }
        if number(self.new, "active") > 0 && (self.ends() || self.changes("active")) {
            causes.push(self.wrong("active", "active>0 is invalid for finished job"));
        }
        let without_pods = self.spec["suspend"] == true && self.spec["completions"] == 0;
        if self.new["startTime"].is_null() && (self.ends() || self.changes("startTime")) && !without_pods {
            causes.push(Cause::required("status.startTime", "startTime is required for finished job"));
        }
        let uncounted = &self.new["uncountedTerminatedPods"];
        let some = !items(uncounted, "succeeded").is_empty() || !items(uncounted, "failed").is_empty();
        if some && (self.ends() || self.changes("uncountedTerminatedPods")) {
            let shown = format!(r#"{{"Succeeded":{},"Failed":{}}}"#, uncounted["succeeded"], uncounted["failed"]);
            causes.push(Cause::invalid_as("status.uncountedTerminatedPods", &shown, "must be empty for finished job"));
        }
        causes
    }

    fn validate_indexes(&self) -> Causes {
        let mut causes = Causes::new();
        let completed = text(self.new, "completedIndexes");
        let is_indexed = self.spec["completionMode"] == INDEXED;
        if self.changes("completedIndexes") {
            let completions = self.spec["completions"].as_i64();
            if let Some(Err(why)) = completions.map(|completions| number_of_indexes(completed, completions)) {
                causes.push(self.wrong("completedIndexes", &format!("error parsing completedIndexes: {why}")));
            }
            if !completed.is_empty() && !is_indexed {
                let why = "cannot set non-empty completedIndexes when non-indexed completion mode";
                causes.push(self.wrong("completedIndexes", why));
            }
        }
        let failed = !self.new["failedIndexes"].is_null() && self.changes("failedIndexes");
        if failed && self.spec["backoffLimitPerIndex"].is_null() {
            let why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
            causes.push(self.wrong("failedIndexes", why));
        }
        causes
    }

    fn validate_success(&self) -> Causes {
        let mut causes = Causes::new();
        let (terminating, ready) = (number(self.new, "terminating"), number(self.new, "ready"));
        if terminating > 0 && self.is_finished() && (self.ends() || self.changes("terminating")) {
            causes.push(self.wrong("terminating", "terminating>0 is invalid for finished job"));
        }
        let is_more = !self.new["ready"].is_null() && ready > number(self.new, "active");
        if is_more && (self.changes("ready") || self.changes("active")) {
            causes.push(self.wrong("ready", "cannot set more ready pods than active"));
        }
        let mut alone =
            |is_wrong: bool, why: &str| causes.extend(is_wrong.then(|| Cause::invalid_alone(CONDITIONS, why)));
        let met = self.is("SuccessCriteriaMet");
        alone(met && self.is("Failed"), "cannot set SuccessCriteriaMet=True and Failed=true conditions");
        alone(met && self.is("FailureTarget"), "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
        let by_policy = self.spec["successPolicy"].is_object() && self.is("Complete");
        alone(by_policy && !met, "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
        causes
    }

    /// Checks that terminal conditions stay true, counters do not decrease, and recorded times do not change. Upstream:
    /// `ValidateJobStatusUpdate`.
    fn validate_transitions(&self) -> Causes {
        let mut causes = Causes::new();
        for kind in ["Failed", "Complete", "FailureTarget"] {
            if self.was(kind) && !self.is(kind) {
                let why = format!("cannot disable the terminal {kind}=True condition");
                causes.push(Cause::invalid_alone(CONDITIONS, &why));
            }
        }
        // An indexed Job that is scaled down together with its completions loses succeeded pods.
        let elastic = self.spec["completionMode"] == INDEXED && self.spec["completions"] == self.spec["parallelism"];
        for field in ["failed", "succeeded"] {
            let free = field == "succeeded" && elastic;
            if number(self.new, field) < number(self.old, field) && !free {
                causes.push(self.wrong(field, &format!("cannot decrease the {field} counter")));
            }
        }
        let ended = !self.new["completionTime"].is_null() && !self.old["completionTime"].is_null();
        if ended && self.changes("completionTime") {
            causes.push(self.wrong("completionTime", "field is immutable"));
        }
        let resumes = self.was("Suspended") && !self.is("Suspended");
        let started = !self.old["startTime"].is_null() && self.changes("startTime");
        if started && self.spec["suspend"] != true && !resumes {
            let why = "field is immutable for unsuspended job once set";
            causes.push(Cause::invalid_json("status.startTime", &self.new["startTime"], why));
        }
        let (was_met, met) = (self.was("SuccessCriteriaMet"), self.is("SuccessCriteriaMet"));
        if was_met && !met {
            causes.push(Cause::invalid_alone(CONDITIONS, "cannot disable the SuccessCriteriaMet=True condition"));
        }
        if self.was("Complete") && !was_met && met {
            let why = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
            causes.push(Cause::invalid_alone(CONDITIONS, why));
        }
        causes
    }
}
