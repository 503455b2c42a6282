//! The publisher of the root certificate: keeps the config map `kube-root-ca.crt` in each namespace. On a real cluster,
//! pods mount it to verify the API server. Upstream: `pkg/controller/certificates/rootcacertpublisher`.

use super::housekeeping::is_deleting;
use crate::http::status::ApiError;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::create::create_own;
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::kinds::{CONFIG_MAPS, NAMESPACES};
use kube_machinery::value::{Value, json};

pub(crate) const ROOT_CA: &str = "kube-root-ca.crt";

const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as \
    the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/// Returns the config map of a namespace. Its bundle is empty, because pods are only simulated, and none of
/// them verifies a certificate.
pub(crate) fn root_ca(namespace: &str) -> Value {
    json!({
        "metadata": {
            "name": ROOT_CA, "namespace": namespace, "annotations": {"kubernetes.io/description": DESCRIPTION},
        },
        "data": {"ca.crt": ""},
    })
}

/// Creates the config map in a namespace, or restores it after a change. Does nothing if the namespace is being
/// deleted.
pub(super) async fn publish(store: &Store, namespace: &str) -> Result<(), ApiError> {
    if store.get(NAMESPACES, &Key::new(None, namespace)).is_none_or(|stored| is_deleting(&stored)) {
        return Ok(());
    }
    let (wanted, key) = (root_ca(namespace), Key::new(Some(namespace), ROOT_CA));
    if store.get(CONFIG_MAPS, &key).is_none() {
        return match create_own(Component::CONTROLLERS, store, CONFIG_MAPS, Some(namespace), wanted).await {
            Err(error) if !error.is_already_exists() => Err(error),
            _ => Ok(()),
        };
    }
    let restored = |current: &Opened| {
        let description = "/metadata/annotations/kubernetes.io~1description";
        let mut value = current.value.clone();
        if value["data"] == wanted["data"] && value.pointer(description).is_some() {
            return Ok::<_, ApiError>(Next::Keep);
        }
        value["data"] = wanted["data"].clone();
        value["metadata"]["annotations"] = wanted["metadata"]["annotations"].clone();
        Ok(Next::Put(written_by(Component::CONTROLLERS, store, current, None, value)))
    };
    store.update(CONFIG_MAPS, &key, Commit::Really, restored).await.map(drop)
}
