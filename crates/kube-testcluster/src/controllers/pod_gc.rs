//! The collection of pods whose node no longer exists. Upstream: `gcOrphaned` in `pkg/controller/podgc`.

use std::time::Duration;

use serde_json::{Value, json};

use super::chores::is_over;
use crate::http::status::ApiError;
use crate::kinds::field_selector::Fields;
use crate::kinds::{NODES, PODS};
use crate::machinery::conditions;
use crate::machinery::fill::object;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::remove;
use crate::verbs::delete_options::DeleteOptions;
use crate::verbs::list::everything;

/// How long a node may be missing before its pods are deleted.
pub(super) const QUARANTINE: Duration = Duration::from_secs(40);

/// Marks the pods of a node that does not exist as failed, and deletes them.
pub(crate) async fn collect_orphans(store: &Store, node: &str) -> Result<(), ApiError> {
    if store.get(NODES, &Key::new(None, node)).is_some() {
        return Ok(());
    }
    let fields = Fields::parse(&format!("spec.nodeName={node}"), PODS).map_err(ApiError::internal)?;
    for pod in everything(store, PODS, &Filter { fields, ..Filter::default() }).objects {
        let now = store.clock.now();
        let failed = store.update(PODS, &pod.key, Commit::Really, |current: &Opened| {
            if current.summary.uid != pod.summary.uid {
                return Ok::<_, ApiError>(Next::Keep);
            }
            Ok(failed(&current.value, &now).map_or(Next::Keep, Next::Put))
        });
        match failed.await {
            Err(error) if is_over(&error) => continue,
            failed => failed?,
        };
        match remove(store, PODS, &pod.key, &DeleteOptions::at_once(pod.summary.uid.to_string())).await {
            Err(error) if !is_over(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The pod in the phase `Failed`; `None` if it has ended already.
fn failed(pod: &Value, now: &str) -> Option<Value> {
    if matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed")) {
        return None;
    }
    let mut pod = pod.clone();
    object(&mut pod["status"]).insert("phase".to_owned(), json!("Failed"));
    let target = json!({
        "type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC", "message": "PodGC: node no longer exists",
    });
    conditions::update(&mut pod, target, now);
    Some(pod)
}
