//! Replays client-go's recordings of the listers.

use std::sync::Arc;

use kube_informers::cache::{
    ApiError, GroupResource, Indexer, Lister, Reader, meta_namespace_index, meta_namespace_key,
};
use kube_informers::selector::LabelSelector;
use serde_json::{Value, json};

use super::errors::api;
use super::object::TestObject;
use super::replay::{Step, Subject, replay};

struct Listers {
    reader: Reader<TestObject>,
    lister: Lister<TestObject>,
}

fn listers(config: &Value) -> Listers {
    let indexer = Indexer::new(meta_namespace_key::<TestObject>);
    if config["namespace_index"] == true {
        indexer.index("namespace", meta_namespace_index).unwrap();
    }
    for object in config["objects"].as_array().unwrap() {
        indexer.add(TestObject::read(object)).unwrap();
    }
    let text = |name: &str| config[name].as_str().unwrap().to_owned();
    let lister = Lister::new(indexer.reader(), GroupResource { group: text("group"), resource: text("resource") });
    Listers { reader: indexer.reader(), lister }
}

impl Subject for Listers {
    fn step(&mut self, step: &Step) -> Value {
        let selector = || match step.get("selector") {
            Value::Null => LabelSelector::nothing(),
            text => text.as_str().unwrap().parse().unwrap(),
        };
        match step.op() {
            "list_all" => list(self.reader.select(&selector())),
            "list_all_by_namespace" => list(self.reader.select_in(step.str("namespace"), &selector())),
            "generic_list" => list(self.lister.list(&selector())),
            "generic_namespace_list" => list(self.lister.namespace(step.str("namespace")).list(&selector())),
            "generic_get" => one(self.lister.get(step.str("name"))),
            "generic_namespace_get" => one(self.lister.namespace(step.str("namespace")).get(step.str("name"))),
            op => panic!("unknown op {op}"),
        }
    }
}

fn one(found: Result<Arc<TestObject>, ApiError>) -> Value {
    match found {
        Ok(object) => list(vec![object]),
        Err(error) => json!({"err": api(&error), "keys": []}),
    }
}

fn list(found: Vec<Arc<TestObject>>) -> Value {
    let mut keys: Vec<_> = found.iter().map(|object| meta_namespace_key(&**object)).collect();
    keys.sort_unstable();
    json!({"err": null, "keys": keys})
}

#[test]
fn lister() {
    replay("lister.jsonl", listers);
}
