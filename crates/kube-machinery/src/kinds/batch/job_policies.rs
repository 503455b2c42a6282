//! Validates `podFailurePolicy`, which says what a failed pod means for the Job, by exit code or condition, and
//! `successPolicy`, which says which indexes must succeed. Upstream: `validatePodFailurePolicy`,
//! `validateSuccessPolicy` in `pkg/apis/batch/validation/validation.go`.

use std::collections::HashSet;

use super::job_spec::INDEXED;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, invalid, items, not_negative, text};
use crate::kinds::names;
use crate::value::Value;

/// The largest number of rules, and of conditions in a rule.
const MOST_RULES: usize = 20;
/// The largest number of exit codes in a rule.
const MOST_CODES: usize = 255;
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];

/// Returns a cause if the word is missing, or none of `words`.
fn validate_word(parent: &Value, field: &str, words: &[&str], at: At<'_>) -> Option<Cause> {
    let at = format_args!("{at}.{field}");
    match text(parent, field) {
        "" => {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            Some(Cause::required(at, &format!("valid values: [{}]", words.join(" "))))
        }
        word if words.contains(&word) => None,
        word => Some(Cause::unsupported_text(at, word, words)),
    }
}

pub(super) fn failure_policy(spec: &Value, at: At<'_>) -> Causes {
    let rules = items(&spec["podFailurePolicy"], "rules");
    let mut causes = Causes::new();
    if rules.len() > MOST_RULES {
        causes.push(Cause::too_many(format_args!("{at}.rules"), rules.len(), MOST_RULES));
    }
    for (at, rule) in each(&spec["podFailurePolicy"], "rules", at) {
        causes.extend(failure_rule(spec, rule, &at));
    }
    causes
}

fn failure_rule(spec: &Value, rule: &Value, at: At<'_>) -> Causes {
    let mut causes: Causes = match text(rule, "action") {
        "FailIndex" if spec["backoffLimitPerIndex"].is_null() => Causes::from([Cause::invalid(
            format_args!("{at}.action"),
            "FailIndex",
            "requires the backoffLimitPerIndex to be set",
        )]),
        _ => validate_word(rule, "action", &ACTIONS, at).into_iter().collect(),
    };
    let (codes, conditions) = (&rule["onExitCodes"], items(rule, "onPodConditions"));
    if codes.is_object() {
        causes.extend(exit_codes(spec, codes, &format_args!("{at}.onExitCodes")));
    }
    if conditions.len() > MOST_RULES {
        causes.push(Cause::too_many(format_args!("{at}.onPodConditions"), conditions.len(), MOST_RULES));
    }
    for (at, pattern) in each(rule, "onPodConditions", at) {
        let kind = text(pattern, "type");
        causes.extend(invalid(&format_args!("{at}.type"), kind, names::label_key(kind)));
        causes.extend(validate_word(pattern, "status", &["False", "True", "Unknown"], &at));
    }
    let why = match (codes.is_object(), conditions.is_empty()) {
        (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return causes,
    };
    causes.push(Cause::invalid_alone(at, why));
    causes
}

fn exit_codes(spec: &Value, codes: &Value, at: At<'_>) -> Causes {
    let mut causes: Causes = validate_word(codes, "operator", &["In", "NotIn"], at).into_iter().collect();
    if let Some(name) = codes["containerName"].as_str() {
        let template = &spec["template"]["spec"];
        let mut all = items(template, "containers").iter().chain(items(template, "initContainers"));
        if !all.any(|container| text(container, "name") == name) {
            let why = "must be one of the container or initContainer names in the pod template";
            causes.push(Cause::invalid(format_args!("{at}.containerName"), name, why));
        }
    }
    let (values, at_values) = (items(codes, "values"), format_args!("{at}.values"));
    if values.is_empty() {
        causes.push(Cause::invalid_json(at_values, &codes["values"], "at least one value is required"));
    } else if values.len() > MOST_CODES {
        causes.push(Cause::too_many(at_values, values.len(), MOST_CODES));
    }
    let mut seen = HashSet::new();
    for (at, code) in each(codes, "values", at) {
        if codes["operator"] == "In" && code.as_i64() == Some(0) {
            causes.push(Cause::invalid_json(at, code, "must not be 0 for the In operator"));
        }
        if !seen.insert(code.as_i64()) {
            causes.push(Cause::duplicate_json(at, code));
        }
    }
    if !values.is_sorted_by_key(Value::as_i64) {
        causes.push(Cause::invalid_json(at_values, &codes["values"], "must be ordered"));
    }
    causes
}

pub(super) fn success_policy(spec: &Value, at: At<'_>) -> Causes {
    let policy = &spec["successPolicy"];
    if spec["completionMode"] != INDEXED {
        return Causes::from([Cause::invalid_json(at, policy, "requires indexed completion mode")]);
    }
    let (rules, at_rules) = (items(policy, "rules"), format_args!("{at}.rules"));
    let mut causes = Causes::new();
    if rules.is_empty() {
        let why = "at least one rules must be specified when the successPolicy is specified";
        causes.push(Cause::required(at_rules, why));
    }
    if rules.len() > MOST_RULES {
        causes.push(Cause::too_many(at_rules, rules.len(), MOST_RULES));
    }
    let completions = spec["completions"].as_i64().unwrap_or_default();
    for (at, rule) in each(policy, "rules", at) {
        causes.extend(success_rule(rule, completions, &at));
    }
    causes
}

fn success_rule(rule: &Value, completions: i64, at: At<'_>) -> Causes {
    let (count, indexes) = (rule["succeededCount"].as_i64(), rule["succeededIndexes"].as_str());
    let at_count = format_args!("{at}.succeededCount");
    let mut causes = Causes::new();
    if count.is_none() && indexes.is_none() {
        let why = "at least one of succeededCount or succeededIndexes must be specified";
        causes.push(Cause::required(at, why));
    }
    let mut total = 0;
    if let Some(indexes) = indexes {
        match number_of_indexes(indexes, completions) {
            Ok(number) => total = number,
            Err(why) => {
                let why = format!("error parsing succeededIndexes: {why}");
                causes.push(Cause::invalid(format_args!("{at}.succeededIndexes"), indexes, &why));
            }
        }
    }
    causes.extend(not_negative(rule, "succeededCount", at));
    let mut at_most = |most: i64, of: &str| {
        if count.is_some_and(|count| count > most) {
            let why = format!("must be less than or equal to {most} ({of})");
            causes.push(Cause::invalid_json(at_count, &rule["succeededCount"], &why));
        }
    };
    at_most(completions, "the number of specified completions");
    if indexes.is_some() {
        at_most(total, "the number of indexes in the specified succeededIndexes field");
    }
    causes
}

/// Returns the number of indexes in a text such as `0,2-4`. Each index must be below `completions`. Upstream:
/// `validateIndexesFormat`.
pub(super) fn number_of_indexes(text: &str, completions: i64) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let (mut last, mut total) = (None, 0);
    for part in text.split(',') {
        let (first, end) = interval(part, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!("non-increasing order, previous: {last}, current: {first}"));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// Parses an index such as `2`, or an interval such as `2-4`, into its first and last index.
fn interval(text: &str, completions: i64) -> Result<(i64, i64), String> {
    let limits: Vec<&str> = text.split('-').collect();
    let index = |limit: &str| {
        let index: i64 = limit.parse().map_err(|_| format!("cannot convert string to integer for index: {limit:?}"))?;
        if index >= completions { Err(format!("too large index: {limit:?}")) } else { Ok(index) }
    };
    match limits[..] {
        [only] => index(only).map(|index| (index, index)),
        [first, end] => match (index(first)?, index(end)?) {
            (first, end) if first >= end => Err(format!("non-increasing order, previous: {first}, current: {end}")),
            both => Ok(both),
        },
        _ => Err(format!(
            "the fragment {text:?} violates the requirement that an index interval can have at most two parts separated by '-'"
        )),
    }
}
