//! Replays client-go's recordings of the indexer.

use std::sync::Arc;

use kube_informers::cache::{
    Deletion, Error, IndexFn, IndexValues, Indexer, Snapshot, Transaction, meta_namespace_index,
};
use serde_json::{Value, json};

use super::delta_fifo::{objects, tombstone};
use super::errors;
use super::object::{TestObject, key, whole};
use super::replay::{Step, Subject, replay};
use super::transformers::transformer;

fn index_function(name: &str) -> IndexFn<TestObject> {
    match name {
        "namespace" => Arc::new(|object| whole(object).map(meta_namespace_index).unwrap_or_default()),
        "app" => Arc::new(|object| label(object, "app").into_iter().flat_map(split).collect()),
        "node" => Arc::new(|object| label(object, "node").unwrap_or_default().into()),
        "value" => Arc::new(|object| value(object, "none").into()),
        "failing" => {
            Arc::new(|object| if go_error("failing", object).is_some() { IndexValues::default() } else { "ok".into() })
        }
        unknown => panic!("unknown index function {unknown}"),
    }
}

fn split(app: &str) -> Vec<String> {
    if app.is_empty() { Vec::new() } else { app.split(',').map(str::to_owned).collect() }
}

fn label<'a>(object: &'a TestObject, name: &str) -> Option<&'a str> {
    match object {
        TestObject::Raw { .. } => None,
        TestObject::Whole(fields) => fields.labels.get(name).map(String::as_str),
    }
}

fn value<'a>(object: &'a TestObject, without_fields: &'a str) -> &'a str {
    match object {
        TestObject::Raw { .. } => without_fields,
        TestObject::Whole(fields) => &fields.value,
    }
}

/// Returns the error of Go's index function of this name, if it fails for the object. In this library index functions
/// never fail; they return no value instead.
fn go_error(index: &str, object: &TestObject) -> Option<String> {
    match (index, object) {
        ("failing", TestObject::Whole(fields)) if fields.value == "bad" => {
            Some(format!("index function failed: {}", fields.name))
        }
        ("namespace", object) => whole(object).err().map(|error| error.to_string()),
        _ => None,
    }
}

fn functions(names: &Value) -> Vec<(String, IndexFn<TestObject>)> {
    let names = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    names.map(|name| (name.to_owned(), index_function(name))).collect()
}

struct IndexerSubject(Indexer<TestObject>);

fn indexer(config: &Value) -> IndexerSubject {
    let mut indexer = Indexer::new(key);
    if let Some(transform) = transformer(&config["transformer"]) {
        indexer = indexer.transformer(transform);
    }
    indexer.add_indexers(functions(&config["indexers"])).unwrap();
    IndexerSubject(indexer)
}

fn done(result: Result<(), Error>) -> Value {
    json!({"err": result.err().map(|error| errors::store(&error))})
}

fn sorted(snapshot: &Snapshot<TestObject>) -> Value {
    let mut objects: Vec<_> = snapshot.iter().cloned().collect();
    objects.sort_by_key(|object| key(object).unwrap());
    json!(objects)
}

fn found(result: Result<Snapshot<TestObject>, Error>) -> Value {
    match result {
        Ok(snapshot) => json!({"err": null, "list": sorted(&snapshot)}),
        Err(error) => json!({"err": errors::store(&error)}),
    }
}

fn one(result: Result<Option<Arc<TestObject>>, Error>) -> Value {
    match result {
        Ok(object) => json!({"exists": object.is_some(), "obj": object, "err": null}),
        Err(error) => json!({"exists": false, "obj": null, "err": errors::store(&error)}),
    }
}

impl Subject for IndexerSubject {
    fn step(&mut self, step: &Step) -> Value {
        let indexer = &self.0;
        let object = || TestObject::read(step.get("obj"));
        match step.op() {
            "add" => done(indexer.add(object())),
            "update" => done(indexer.update(object())),
            "delete" => done(indexer.delete(object())),
            "delete_tombstone" => done(indexer.delete(tombstone(step))),
            "replace" => done(indexer.replace(objects(step.get("list")), step.str("resourceVersion"))),
            "get" => one(indexer.get(&object())),
            "get_by_key" => one(Ok(indexer.get_by_key(step.str("key")))),
            "list" => sorted(&indexer.list()),
            "list_keys" => {
                let mut keys = indexer.list_keys();
                keys.sort_unstable();
                json!(keys)
            }
            "index" => self.index(step.str("index"), &object()),
            "by_index" => found(indexer.by_index(step.str("index"), step.str("value"))),
            "index_keys" => match indexer.index_keys(step.str("index"), step.str("value")) {
                Ok(keys) => json!({"err": null, "list": keys}),
                Err(error) => json!({"err": errors::store(&error)}),
            },
            "list_index_func_values" => json!(indexer.list_index_func_values(step.str("index"))),
            "add_indexers" => done(indexer.add_indexers(functions(step.get("names")))),
            "get_indexers" => json!(indexer.indexers()),
            "last_rv" => json!(indexer.last_resource_version()),
            "bookmark" => {
                indexer.bookmark(step.str("resourceVersion"));
                json!({})
            }
            "transaction" => done(indexer.transaction(transactions(step))),
            "add_panics" => self.add_panics(&object()),
            op => panic!("unknown op {op}"),
        }
    }
}

impl IndexerSubject {
    fn index(&self, index: &str, object: &TestObject) -> Value {
        let found = found(self.0.matching(index, object));
        match go_error(index, object) {
            Some(error) if found["err"].is_null() => {
                assert_eq!(found["list"], json!([]), "an object without an index value matches no object");
                json!({"err": errors::other(&error)})
            }
            _ => found,
        }
    }

    /// Checks that an add on which Go panics stores the object here, under no value of the failing index. Returns Go's
    /// panic.
    fn add_panics(&self, object: &TestObject) -> Value {
        let key = key(object).unwrap();
        self.0.add(object.clone()).unwrap();
        assert!(self.0.get_by_key(&key).is_some_and(|stored| *stored == *object));
        assert!(!self.0.index_keys("failing", "ok").unwrap().contains(&key));
        let error = go_error("failing", object).unwrap();
        json!({"panic": format!("unable to calculate an index entry for key {key:?} on index \"failing\": {error}")})
    }
}

fn transactions(step: &Step) -> Vec<Transaction<TestObject>> {
    let read = |transaction: &Value| {
        let object = Arc::new(TestObject::read(&transaction["obj"]));
        match transaction["type"].as_str().unwrap() {
            "Add" | "Update" => Transaction::Put(object),
            "Delete" => Transaction::Delete(Deletion::Final(object)),
            unknown => panic!("unknown transaction {unknown}"),
        }
    };
    step.get("txns").as_array().unwrap().iter().map(read).collect()
}

#[test]
fn indexers() {
    replay("indexer.jsonl", indexer);
}
