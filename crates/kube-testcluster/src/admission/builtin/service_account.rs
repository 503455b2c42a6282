//! The plugin `ServiceAccount`: gives each pod a service account, and refuses one that does not exist. Unlike upstream,
//! it adds no volume with a token.

use std::time::Duration;

use super::{WriteAttributes, name_of};
use crate::http::status::ApiError;
use crate::store::object::Key;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{PODS, SERVICE_ACCOUNTS};
use kube_machinery::value::{Value, json};

/// The service account of pods that name none. Upstream: `DefaultServiceAccountName`.
pub(crate) const DEFAULT_ACCOUNT: &str = "default";

/// The number of attempts to find the default account, and the pause between them. A controller may be about to create
/// the account. Upstream: `getServiceAccount`.
const TRIES: usize = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// The annotation of a mirror pod, the API object of a static pod, which a kubelet has read from a file. Such a pod has
/// no service account.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Sets the account of a new pod, and takes over the account's image pull secrets. Without controllers, there are no
/// service accounts.
pub(super) async fn admit(write: &WriteAttributes<'_>, pod: &mut Value) -> Result<(), ApiError> {
    let store = write.store;
    if !store.settings.makes_accounts() || !pod["metadata"]["annotations"][MIRROR].is_null() {
        return Ok(());
    }
    let namespace = write.namespace.unwrap_or_default();
    let name = name_of(&pod["metadata"]);
    let spec = object(&mut pod["spec"]);
    let named = ["serviceAccountName", "serviceAccount"]; // the second is the deprecated name of the first
    let given = named.iter().filter_map(|field| spec.get(field)?.as_str()).find(|name| !name.is_empty());
    let account = given.unwrap_or(DEFAULT_ACCOUNT).to_owned();
    for field in named {
        spec.insert(field.into(), json!(account));
    }
    let key = Key::new(Some(namespace), &account);
    let tries = if account == DEFAULT_ACCOUNT { TRIES } else { 1 };
    for n in 0..tries {
        if n > 0 {
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
        let Some(found) = store.get(SERVICE_ACCOUNTS, &key) else { continue };
        let opened = found.open()?;
        let secrets = &opened.value["imagePullSecrets"];
        let has_own = spec.get("imagePullSecrets").and_then(Value::as_array).is_some_and(|own| !own.is_empty());
        if secrets.is_array() && !has_own {
            spec.insert("imagePullSecrets".into(), secrets.clone());
        }
        return Ok(());
    }
    let why = format!("error looking up service account {namespace}/{account}: serviceaccount {account:?} not found");
    Err(ApiError::forbidden(PODS, &name, &why))
}
