//! Listers.

use std::sync::Arc;

use kube_informers::cache::{
    ApiError, GroupResource, Indexer, Lister, list_all, list_all_by_namespace, meta_namespace_index, meta_namespace_key,
};
use kube_informers::selector::LabelSelector;
use serde_json::{Value, json};

use super::errors::api;
use super::object::TestObject;
use super::vectors::{Step, Subject, replay};

struct Listers {
    indexer: Arc<Indexer<TestObject>>,
    lister: Lister<TestObject>,
}

fn listers(config: &Value) -> Listers {
    let mut indexer = Indexer::new(meta_namespace_key::<TestObject>);
    if config["namespace_index"] == true {
        indexer = indexer.index("namespace", meta_namespace_index).unwrap();
    }
    for object in config["objects"].as_array().unwrap() {
        indexer.add(TestObject::read(object)).unwrap();
    }
    let text = |name: &str| config[name].as_str().unwrap().to_owned();
    let indexer = Arc::new(indexer);
    let lister = Lister::new(indexer.clone(), GroupResource { group: text("group"), resource: text("resource") });
    Listers { indexer, lister }
}

impl Subject for Listers {
    fn step(&mut self, step: &Step) -> Value {
        let selector = || match step.get("selector") {
            Value::Null => LabelSelector::nothing(),
            text => text.as_str().unwrap().parse().unwrap(),
        };
        match step.op() {
            "list_all" => list(list_all(&self.indexer, &selector())),
            "list_all_by_namespace" => list(list_all_by_namespace(&self.indexer, step.str("namespace"), &selector())),
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
