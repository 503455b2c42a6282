//! Compares the judgements about pods, and the policies that labels choose, with those that upstream recorded in
//! `fixtures/podsecurity`, which `peers/validation/podsecurity` writes.

use std::fs;
use std::path::Path;

use super::{Level, LevelVersion, Policy, Version, details, reasons, violations};
use crate::value::Value;

/// Reads all lines, from the file in `POD_SECURITY` if it is set.
fn lines() -> Vec<Value> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/podsecurity/judgements.jsonl");
    let text = fs::read_to_string(std::env::var_os("POD_SECURITY").map_or(own, Into::into)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a recorded list of violations as a text: the reasons, with their details or without.
fn recorded(line: &Value, state: &Value, with_details: bool) -> String {
    let violation = |index: &Value| {
        let index = usize::try_from(index.as_u64().unwrap()).unwrap();
        let [reason, detail] = [0, 1].map(|part| line["violations"][index][part].as_str().unwrap());
        if with_details { format!("{reason} ({detail})") } else { reason.to_owned() }
    };
    state.as_array().unwrap().iter().map(violation).collect::<Vec<_>>().join(", ")
}

#[test]
fn pods_violate_what_upstream_says_in_every_version() {
    let mut judged = 0;
    for line in lines().iter().filter(|line| line.get("pod").is_some()) {
        let (metadata, spec) = (&line["pod"]["metadata"], &line["pod"]["spec"]);
        let states = line["states"].as_array().unwrap();
        // The first and the last version of each state.
        let since = states.iter().map(|state| state["since"].as_u64().unwrap());
        let minors = since.flat_map(|since| [since.saturating_sub(1), since]);
        for version in minors.map(Version::Minor).chain([Version::Minor(40), Version::Latest]) {
            let since = |state: &&Value| Version::Minor(state["since"].as_u64().unwrap()) <= version;
            let state = states.iter().rev().find(since).unwrap();
            for (level, field) in [(Level::Baseline, "baseline"), (Level::Restricted, "restricted")] {
                let found = violations(LevelVersion { level, version }, metadata, spec);
                assert_eq!(details(&found), recorded(line, &state[field], true), "{version:?} {}", line["pod"]);
                assert_eq!(reasons(&found), recorded(line, &state[field], false));
                judged += usize::from(!found.is_empty());
            }
            assert!(violations(LevelVersion { level: Level::Privileged, version }, metadata, spec).is_empty());
        }
    }
    assert!(judged > 0);
}

#[test]
fn labels_choose_the_policy_that_upstream_chooses() {
    let lines = lines();
    let chosen: Vec<&Value> = lines.iter().filter(|line| line.get("labels").is_some()).collect();
    assert!(!chosen.is_empty());
    for line in chosen {
        let (policy, causes) = Policy::of_labels(|label| line["labels"][label].as_str());
        let causes: Vec<Value> = causes.iter().map(|cause| cause.sentence().into()).collect();
        let ours = (policy.enforce.to_string(), policy.warn.to_string(), causes);
        let theirs = ["enforce", "warn"].map(|mode| line[mode].as_str().unwrap().to_owned());
        let theirs = (theirs[0].clone(), theirs[1].clone(), line["causes"].as_array().unwrap().to_vec());
        assert_eq!(ours, theirs, "{line}");
    }
}
