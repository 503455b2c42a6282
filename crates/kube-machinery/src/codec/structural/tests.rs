//! Compares the validation of custom resources with upstream's recorded results in `fixtures/customresources`, which
//! `peers/validation/customresource` writes.

use std::fs;
use std::path::Path;

use super::{Structural, embedded, list_type, validate};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::value::{Value, json};

/// Reads all recorded cases, from `CUSTOMRESOURCES_DIR` if it is set.
fn cases() -> Vec<Value> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/customresources");
    let folder = std::env::var_os("CUSTOMRESOURCES_DIR").map_or(own, Into::into);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    texts
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>())
        .collect()
}

/// Returns the causes in the form of the recordings: sorted, since Go's maps have no order.
fn sorted(causes: &[Cause]) -> Vec<Value> {
    let mut causes: Vec<Value> = causes.iter().map(|cause| crate::value::to_value(cause).unwrap()).collect();
    causes.sort_by_cached_key(|cause| {
        ["field", "message", "reason"].map(|part| cause[part].as_str().unwrap_or_default().to_owned())
    });
    causes
}

/// Compares the causes of all cases. `part` names upstream's causes in a case, `ours` computes those of this program.
fn compare(part: &str, ours: impl Fn(&Structural, &Value, &str) -> Causes) {
    let (mut equal, mut different) = (0, Vec::new());
    for case in cases() {
        let schema: Structural = crate::value::from_value(case["schema"].clone()).unwrap();
        let upstream = case[part].as_array().cloned().unwrap_or_default();
        let ours = sorted(&ours(&schema, &case, case["at"].as_str().unwrap_or_default()));
        if upstream == ours {
            equal += 1;
        } else {
            let missing: Vec<_> = upstream.iter().filter(|cause| !ours.contains(cause)).collect();
            let extra: Vec<_> = ours.iter().filter(|cause| !upstream.contains(cause)).collect();
            different.push(format!(
                "{}\nonly upstream: {}\nonly here: {}\n",
                case["schema"],
                json!(missing),
                json!(extra)
            ));
        }
    }
    let first = different.iter().take(5).cloned().collect::<String>();
    assert!(different.is_empty(), "{equal} of {part} are equal, {} are not, such as\n{first}", different.len());
    assert!(equal > 0);
}

#[test]
fn schemas_give_the_causes_of_upstream() {
    compare("causes", |schema, case, at| match case.get("old") {
        Some(old) => validate::validate_update(schema, &case["new"], old, at),
        None => validate::validate(schema, &case["new"], at),
    });
}

#[test]
fn duplicates_in_lists_give_the_causes_of_upstream() {
    compare("lists", |schema, case, at| list_type::validate(schema, &case["new"], at));
}

#[test]
fn embedded_resources_give_the_causes_of_upstream() {
    compare("embedded", |schema, case, at| embedded::validate(schema, &case["new"], at, &|_| Causes::new()));
}

#[cfg(feature = "cel")]
#[test]
fn cel_rules_give_the_causes_of_upstream() {
    compare("rules", |schema, case, at| super::rules::validate(schema, &case["new"], case.get("old"), at).causes);
}

#[cfg(feature = "cel")]
#[test]
fn cel_rules_about_unchanged_values_give_the_warnings_of_upstream() {
    let mut warned = 0;
    for case in cases().iter().filter(|case| case.get("old").is_some()) {
        let schema: Structural = crate::value::from_value(case["schema"].clone()).unwrap();
        let at = case["at"].as_str().unwrap_or_default();
        let mut ours = super::rules::validate(&schema, &case["new"], case.get("old"), at).warnings;
        ours.sort();
        let upstream = case["warnings"].as_array().cloned().unwrap_or_default();
        assert_eq!(json!(ours), Value::from(upstream), "{case}");
        warned += ours.len();
    }
    assert!(warned > 50, "{warned}");
}
