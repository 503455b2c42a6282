//! Tests admission plugins that run in the test's own process (`ClusterBuilder::admit`).

use std::sync::{Arc, Mutex};

use kube::core::Status;
use kube_testcluster::{AdmissionRequest, Cluster, Operation};
use serde_json::json;

use crate::support::api::{Api, PODS, pod, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Starts a cluster with a plugin that records the requests to one resource. Returns the cluster and the record.
fn noted(only: &'static str) -> (Cluster, Arc<Mutex<Vec<AdmissionRequest>>>) {
    let seen: Arc<Mutex<Vec<AdmissionRequest>>> = Arc::default();
    let notes = seen.clone();
    let cluster = quiet().admit(move |request: &mut AdmissionRequest| {
        if request.resource == only {
            notes.lock().unwrap().push(request.clone());
        }
        Ok(())
    });
    (cluster.start(), seen)
}

#[tokio::test(start_paused = true)]
async fn a_plugin_sees_every_write_with_the_old_and_the_new_object() {
    let (cluster, seen) = noted("configmaps");
    let api = Api::new(&cluster);
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "m"}, "data": {"a": "1"}})).await.status, 201);
    let merged = api.merge(&format!("{MAPS}/m"), &json!({"data": {"a": "2"}})).await;
    assert_eq!(merged.status, 200);
    assert_eq!(api.delete(&format!("{MAPS}/m")).await.status, 200);
    let seen = seen.lock().unwrap();
    let [create, update, delete] = seen.as_slice() else { panic!("{seen:?}") };
    let operations = [create, update, delete].map(|request| (request.operation, request.name.as_str()));
    assert_eq!(operations, [(Operation::Create, "m"), (Operation::Update, "m"), (Operation::Delete, "m")]);
    assert_eq!(
        (create.kind.as_str(), create.namespace.as_str(), create.version.as_str()),
        ("ConfigMap", "default", "v1")
    );
    assert!(create.old_object.is_none() && delete.object.is_none());
    let (new, old) = (update.object.as_ref().unwrap(), update.old_object.as_ref().unwrap());
    assert_eq!((&new["data"]["a"], &old["data"]["a"], &new["kind"]), (&json!("2"), &json!("1"), &json!("ConfigMap")));
    assert_eq!(create.user.name, "system:anonymous");
}

#[tokio::test(start_paused = true)]
async fn a_plugin_may_change_the_object_and_the_result_is_validated() {
    let cluster = quiet().admit(|request: &mut AdmissionRequest| {
        if let Some(object) = request.object.as_mut().filter(|_| request.operation == Operation::Create) {
            let wrong = request.name == "wrong";
            object["metadata"]["labels"]["seen"] = json!(if wrong { "no label value!" } else { "yes" });
        }
        Ok(())
    });
    let cluster = cluster.start();
    let api = Api::new(&cluster);
    let made = api.post(MAPS, &json!({"metadata": {"name": "m"}})).await;
    assert_eq!(made.body["metadata"]["labels"], json!({"seen": "yes"}));
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "wrong"}})).await.status, 422);
}

#[tokio::test(start_paused = true)]
async fn a_plugin_may_refuse_a_write_with_its_own_status() {
    let cluster = quiet().admit(|request: &mut AdmissionRequest| match request.operation {
        Operation::Delete => Err(Status::failure("it stays", "Forbidden").with_code(403).boxed()),
        _ => Ok(()),
    });
    let cluster = cluster.start();
    let api = Api::new(&cluster);
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "m"}})).await.status, 201);
    for path in [format!("{MAPS}/m"), MAPS.to_owned()] {
        let refused = api.delete(&path).await;
        assert_eq!((refused.status, &refused.body["message"]), (403, &json!("it stays")));
        assert_eq!(refused.body["reason"], "Forbidden");
    }
    assert_eq!(api.get(&format!("{MAPS}/m")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_plugin_sees_an_eviction_as_the_creation_of_an_eviction() {
    let (cluster, seen) = noted("pods");
    let api = Api::new(&cluster);
    assert_eq!(api.post(PODS, &pod("a", &json!({}))).await.status, 201);
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}});
    assert_eq!(api.post(&format!("{PODS}/a/eviction"), &eviction).await.status, 201);
    let seen = seen.lock().unwrap();
    let evicted = seen.iter().find(|request| request.subresource == "eviction").unwrap();
    assert_eq!((evicted.operation, evicted.kind.as_str(), evicted.name.as_str()), (Operation::Create, "Eviction", "a"));
    assert!(
        seen.iter().all(|request| request.operation != Operation::Delete),
        "the plugin sees an eviction, not a deletion"
    );
}
