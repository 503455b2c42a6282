//! Replays client-go's recordings of the key functions.
//!
//! Two of Go's arguments have no counterpart here, because a key function takes only objects. A tombstone given to
//! `MetaNamespaceKeyFunc` is replayed as an object without metadata, and an `ExplicitKey` as a tombstone with that key.

use kube_informers::cache::{
    BoxError, Deletion, ObjectName, deletion_key, deletion_name, meta_namespace_index, object_to_name,
};
use serde_json::{Value, json};

use super::errors::other;
use super::object::{TestObject, deletion, key as object_key, whole};
use super::replay::{Step, Subject, replay};

struct Keys;

impl Subject for Keys {
    fn step(&mut self, step: &Step) -> Value {
        let obj = || TestObject::read(step.get("obj"));
        match step.op() {
            "split_meta_namespace_key" | "parse_object_name" => name(step.str("key").parse().map_err(BoxError::from)),
            "object_to_name" => name(whole(&obj()).map(object_to_name).map_err(BoxError::from)),
            "deletion_handling_object_to_name" => {
                let deletion = deletion(step.get("obj"));
                name(checked(&deletion).and_then(|()| Ok(deletion_name(&deletion)?)))
            }
            "object_name_string" => {
                name(Ok(ObjectName { namespace: step.str("namespace").into(), name: step.str("name").into() }))
            }
            "meta_namespace_key" => key(object_key(&obj()).map_err(BoxError::from)),
            "meta_namespace_key_of_tombstone" => {
                key(object_key(&TestObject::Raw { raw: "tombstone".into() }).map_err(BoxError::from))
            }
            "deletion_handling_key" => {
                let deletion = deletion(step.get("obj"));
                key(checked(&deletion).map(|()| deletion_key(&deletion)))
            }
            "explicit_key" => {
                let explicit = Deletion::FinalStateUnknown { key: step.str("key").into(), last_known: None };
                key(Ok(deletion_key::<TestObject>(&explicit)))
            }
            "meta_namespace_index" => match whole(&obj()) {
                Ok(object) => json!({"values": *meta_namespace_index(object), "err": null}),
                Err(error) => json!({"values": [""], "err": other(&error)}), // Go returns both
            },
            op => panic!("unknown op {op}"),
        }
    }
}

/// Fails for the final state of an object without metadata, which has no key.
fn checked(deletion: &Deletion<TestObject>) -> Result<(), BoxError> {
    if let Deletion::Final(object) = deletion {
        whole(object)?;
    }
    Ok(())
}

fn key(key: Result<String, BoxError>) -> Value {
    match key {
        Ok(key) => json!({"key": key, "err": null}),
        Err(error) => json!({"key": "", "err": other(&error)}),
    }
}

fn name(name: Result<ObjectName, BoxError>) -> Value {
    match name {
        Ok(name) => {
            json!({"namespace": name.namespace, "name": name.name, "string": name.to_string(), "err": null})
        }
        Err(error) => json!({"namespace": "", "name": "", "string": "", "err": other(&error)}),
    }
}

#[test]
fn keys() {
    replay("keys.jsonl", |_| Keys);
}
