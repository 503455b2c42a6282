//! Replays client-go's recordings of label and field selectors.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use kube_informers::selector::{BadSelector, FieldSelector, LabelSelector, escape_field_value, unescape_field_value};
use serde_json::{Value, json};

use super::errors::other;
use super::replay::{Step, Subject, replay};

type Set = BTreeMap<String, String>;

struct Selectors {
    label_sets: Vec<Set>,
    field_sets: Vec<Set>,
}

fn subject(config: &Value) -> Selectors {
    let sets =
        |name: &str| serde_json::from_value::<Option<Vec<Set>>>(config[name].clone()).unwrap().unwrap_or_default();
    Selectors { label_sets: sets("label_sets"), field_sets: sets("field_sets") }
}

impl Selectors {
    fn labels(&self, selector: Result<LabelSelector, BadSelector>) -> Value {
        let selector = match selector {
            Ok(selector) => selector,
            Err(error) => return json!({"err": other(&error)}),
        };
        let requirements = selector.requirements().iter().map(|requirement| {
            let mut values = requirement.values().to_vec();
            values.sort_unstable();
            json!({"key": requirement.key(), "operator": requirement.operator().as_str(), "values": values})
        });
        json!({
            "err": null,
            "string": selector.to_string(),
            "empty": selector.is_everything(),
            "requirements": requirements.collect::<Vec<_>>(),
            "matches": self.label_sets.iter().map(|set| selector.matches(set)).collect::<Vec<_>>(),
        })
    }

    fn fields(&self, selector: Result<FieldSelector, BadSelector>) -> Value {
        let selector = match selector {
            Ok(selector) => selector,
            Err(error) => return json!({"err": other(&error)}),
        };
        let requirements = selector.requirements().iter().map(|requirement| {
            json!({
                "field": requirement.field,
                "operator": requirement.operator.as_str(),
                "value": requirement.value,
            })
        });
        let matches = |set: &Set| selector.matches(|field| set.get(field).map_or("", String::as_str));
        json!({
            "err": null,
            "string": selector.to_string(),
            "empty": selector.is_everything(),
            "requirements": requirements.collect::<Vec<_>>(),
            "matches": self.field_sets.iter().map(matches).collect::<Vec<_>>(),
        })
    }
}

impl Subject for Selectors {
    fn step(&mut self, step: &Step) -> Value {
        match step.op() {
            "label_parse" => self.labels(step.str("selector").parse()),
            "label_selector" => {
                let selector = step.get("label_selector").clone();
                let selector: Option<v1::LabelSelector> = serde_json::from_value(selector).unwrap();
                self.labels(selector.as_ref().try_into())
            }
            "field_parse" => self.fields(step.str("selector").parse()),
            "field_escape" => escape_field_value(step.str("value")).into(),
            "field_unescape" => match unescape_field_value(step.str("value")) {
                Ok(value) => json!({"value": value, "err": null}),
                Err(error) => json!({"value": "", "err": other(&error)}),
            },
            op => panic!("unknown op {op}"),
        }
    }
}

#[test]
fn selectors() {
    replay("selectors.jsonl", subject);
}
