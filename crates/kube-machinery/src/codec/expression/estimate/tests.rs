//! Compares the estimated costs of rules with those that upstream recorded in `fixtures/costs`, which
//! `peers/validation/costs` writes.

use std::fs;
use std::path::Path;

use super::{Declared, cost};
use crate::codec::expression::checker::{Type, check};
use crate::value::Value;

/// Reads all cases, from `COSTS_DIR` if it is set.
fn cases() -> Vec<Value> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/costs");
    let folder = std::env::var_os("COSTS_DIR").map_or(own, Into::into);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    texts.flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>()).collect()
}

#[test]
fn rules_cost_what_upstream_estimates() {
    let (mut equal, mut different) = (0, Vec::new());
    // The lines of `definitions.jsonl` have no `rules`; `custom_resource_definition/cel_context.rs` replays them.
    for case in cases().into_iter().filter(|case| case.get("rules").is_some()) {
        let (schema, is_resource) = (&case["schema"], case["resource"] == true);
        let declared = Declared::of(schema, is_resource).unwrap();
        assert_eq!(Some(declared.most_in_a_request()), case["cardinality"].as_u64(), "{schema}");
        let subject = Type::of(schema, is_resource).unwrap();
        for rule in case["rules"].as_array().unwrap() {
            let variables = vec![("self".to_owned(), subject.clone()), ("oldSelf".to_owned(), subject.clone())];
            let ours = match check(rule["rule"].as_str().unwrap(), variables.clone()) {
                Ok(checked) => cost(&checked.expression, &variables, &declared).to_string(),
                Err(why) => why,
            };
            if Some(ours.as_str()) == rule["cost"].as_u64().map(|cost| cost.to_string()).as_deref() {
                equal += 1;
            } else {
                different.push(format!("{}\n{}: upstream {}, here {ours}\n", schema, rule["rule"], rule["cost"]));
            }
        }
    }
    different.sort_by_key(String::len);
    let first = different.iter().take(8).cloned().collect::<String>();
    assert!(different.is_empty(), "{equal} costs are equal, {} are not, such as\n{first}", different.len());
    assert!(equal > 0);
}
