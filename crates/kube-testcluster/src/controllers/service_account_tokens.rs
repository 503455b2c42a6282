//! The tokens controller: puts a token into each Secret of the type `kubernetes.io/service-account-token`, and deletes
//! the Secret if its service account does not exist. The housekeeping queue calls it for such Secrets and after the
//! deletion of an account. Upstream: `pkg/controller/serviceaccount/tokens_controller.go`.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

#[cfg(feature = "tls")]
use super::housekeeping::{Housekeeping, WorkItem};
use super::housekeeping::{is_deleting, is_gone_or_changed};
use crate::admission::Gate;
use crate::auth::legacy_token;
use crate::auth::service_account::is_outdated;
use crate::http::status::ApiError;
#[cfg(feature = "tls")]
use crate::settings::Controllers;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::remove;
use crate::verbs::delete_options::DeleteOptions;
use crate::verbs::list::everything;
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::edit::{empty, set_default};
use kube_machinery::kinds::field_selector::Fields;
use kube_machinery::kinds::{SECRETS, SERVICE_ACCOUNTS};
use kube_machinery::value::{Array, Value, json};

const TYPE: &str = "kubernetes.io/service-account-token";

/// The annotations with the name and the uid of the account of a Secret.
const NAME: &str = "kubernetes.io/service-account.name";
const UID: &str = "kubernetes.io/service-account.uid";

const USER: &str = "system:serviceaccount:kube-system:tokens-controller";

/// Returns true if a Secret is for the token of a service account.
pub(super) fn has_token(secret: &Object) -> bool {
    let place = SECRETS.fields().position(|(field, ..)| field == "type");
    secret.resource == SECRETS && place.and_then(|place| secret.summary.field(place)) == Some(TYPE)
}

/// Returns the name of the account of a Secret, and its uid unless the Secret was never completed.
pub(super) fn account_of(secret: &Arc<Object>) -> Option<(String, Option<String>)> {
    let opened = secret.open().ok()?;
    let [name, uid] = [NAME, UID].map(|key| annotation(&opened.value, key).map(ToOwned::to_owned));
    Some((name?, uid))
}

fn annotation<'a>(secret: &'a Value, key: &str) -> Option<&'a str> {
    secret["metadata"]["annotations"][key].as_str().filter(|text| !text.is_empty())
}

/// Returns true if a Secret is for this account. Upstream: `IsServiceAccountToken`.
fn is_for(secret: &Value, account: &Key, uid: &str) -> bool {
    annotation(secret, NAME) == Some(account.name()) && annotation(secret, UID).is_none_or(|own| own == uid)
}

/// Queues the completion of every Secret with a token, because the cluster has got an authority or a key.
#[cfg(feature = "tls")]
pub(crate) fn fill_all(store: &Store, housekeeping: &Housekeeping) {
    if housekeeping.fills_tokens() && store.settings.controllers != Controllers::None {
        let secrets =
            Fields::parse(&format!("type={TYPE}"), SECRETS).map(|fields| Filter { fields, ..Filter::default() });
        let secrets = secrets.map(|filter| everything(store, SECRETS, &filter).objects).unwrap_or_default();
        secrets.iter().for_each(|secret| housekeeping.add(WorkItem::FillToken(secret.key.clone())));
    }
}

/// Completes a Secret, or deletes it if its account does not exist. Upstream: `syncSecret`.
pub(crate) async fn fill(store: &Store, key: &Key) -> Result<(), ApiError> {
    let Some(secret) = store.get(SECRETS, key).filter(|secret| has_token(secret)) else { return Ok(()) };
    let opened = secret.open()?;
    let Some(name) = annotation(&opened.value, NAME) else { return Ok(()) };
    let account = store.get(SERVICE_ACCOUNTS, &Key::new(key.namespace(), name));
    let is_it = |account: &Arc<Object>| is_for(&opened.value, &account.key, account.summary.uid());
    let Some(account) = account.filter(is_it) else { return delete(store, &secret).await };
    complete(store, &secret, &account).await
}

/// Completes a Secret, unless another Secret has taken its name meanwhile, or it belongs to another account now.
/// Upstream: `generateTokenIfNeeded`.
async fn complete(store: &Store, secret: &Object, account: &Arc<Object>) -> Result<(), ApiError> {
    let (uid, account) = (account.summary.uid(), account.open()?);
    let completed = |current: &Opened| {
        let is_same = current.summary.uid() == secret.summary.uid() && is_for(&current.value, &account.key, uid);
        let completed = if is_same { completed(store, &current.value, &account) } else { None };
        let by = |secret| Next::Put(written_by(Component::CONTROLLERS, store, current, None, secret));
        Ok::<_, ApiError>(completed.map_or(Next::Keep, by))
    };
    match store.update(SECRETS, &secret.key, Commit::Really, completed).await {
        Err(error) if !is_gone_or_changed(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Returns the Secret with everything that it lacks, or `None` if it is complete.
fn completed(store: &Store, secret: &Value, account: &Opened) -> Option<Value> {
    let is_empty = |key: &str| secret["data"][key].as_str().is_none_or(str::is_empty);
    let root_ca = root_ca(store).map(|certificate| json!(STANDARD.encode(certificate)));
    let needs_ca = root_ca.as_ref().is_some_and(|certificate| secret["data"]["ca.crt"] != *certificate);
    let (needs_namespace, needs_token) =
        (is_empty("namespace"), is_empty("token") || has_outdated_token(store, secret));
    if !(needs_ca || needs_namespace || needs_token) || secret["immutable"] == true {
        return None;
    }
    let mut completed = secret.clone();
    set_default(&mut completed, "data", empty());
    if let Some(certificate) = root_ca.filter(|_| needs_ca) {
        completed["data"]["ca.crt"] = certificate;
    }
    let metadata = &secret["metadata"];
    if needs_namespace {
        completed["data"]["namespace"] = json!(STANDARD.encode(metadata["namespace"].as_str().unwrap_or_default()));
    }
    if needs_token {
        let token = legacy_token::issue(store, account, metadata["name"].as_str().unwrap_or_default());
        completed["data"]["token"] = json!(STANDARD.encode(token));
    }
    completed["metadata"]["annotations"][NAME] = json!(account.key.name());
    completed["metadata"]["annotations"][UID] = account.value["metadata"]["uid"].clone();
    Some(completed)
}

/// Returns true if the Secret has a token of this server that the present key refuses. A token of a user stays, as
/// upstream.
fn has_outdated_token(store: &Store, secret: &Value) -> bool {
    let token = secret["data"]["token"].as_str().and_then(|token| STANDARD.decode(token).ok());
    token.and_then(|token| String::from_utf8(token).ok()).is_some_and(|token| is_outdated(store, &token))
}

/// Returns the certificate of the authority that signs for the cluster, if a listener with TLS has one.
#[cfg(feature = "tls")]
fn root_ca(store: &Store) -> Option<&str> {
    store.root_ca.get().map(String::as_str)
}

#[cfg(not(feature = "tls"))]
fn root_ca(_: &Store) -> Option<&str> {
    None
}

/// Deletes the tokens of an account that no longer exists. Upstream: `deleteTokens`.
pub(crate) async fn delete_all(store: &Store, account: &Key, uid: &str) -> Result<(), ApiError> {
    let fields = Fields::parse(&format!("type={TYPE}"), SECRETS).map_err(ApiError::internal)?;
    let namespace = account.namespace().map(ToOwned::to_owned);
    for secret in &everything(store, SECRETS, &Filter { namespace, fields, ..Filter::default() }).objects {
        if is_for(&secret.open()?.value, account, uid) {
            delete(store, secret).await?;
        }
    }
    Ok(())
}

async fn delete(store: &Store, secret: &Object) -> Result<(), ApiError> {
    let gate = Gate::of_component(store, SECRETS, &secret.key, USER);
    let options = DeleteOptions::at_once(secret.summary.uid().to_owned());
    match remove(store, SECRETS, &secret.key, &options, &gate).await {
        Err(error) if !is_gone_or_changed(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Removes the reference to a deleted Secret from its account, which had this uid if one is given. Upstream:
/// `removeSecretReference`.
pub(crate) async fn forget(store: &Store, account: &Key, uid: Option<&str>, secret: &str) -> Result<(), ApiError> {
    let without = |current: &Opened| {
        let is_another = uid.is_some_and(|uid| uid != current.summary.uid());
        let before = current.value["secrets"].as_array().map_or(&[][..], Array::as_slice);
        let kept: Vec<Value> = before.iter().filter(|reference| reference["name"] != secret).cloned().collect();
        if is_another || kept.len() == before.len() || current.summary.is_deleting {
            return Ok::<_, ApiError>(Next::Keep);
        }
        let mut account = current.value.clone();
        account["secrets"] = Value::Array(kept.into());
        Ok(Next::Put(written_by(Component::CONTROLLERS, store, current, None, account)))
    };
    if store.get(SERVICE_ACCOUNTS, account).is_none_or(|account| is_deleting(&account)) {
        return Ok(());
    }
    match store.update(SERVICE_ACCOUNTS, account, Commit::Really, without).await {
        Err(error) if !is_gone_or_changed(&error) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
    use kube::api::{Api, DeleteParams, PostParams};
    use kube_machinery::value::from_value;

    use super::*;
    use crate::verbs::page::VISITED;
    use crate::{Admission, Cluster, Controllers};

    fn cluster() -> Cluster {
        Cluster::builder().admission(Admission::Kube).controllers(Controllers::None).nodes(0).start()
    }

    async fn account(cluster: &Cluster, name: &str) -> Arc<Object> {
        let account: ServiceAccount = from_value(json!({"metadata": {"name": name}})).unwrap();
        let api: Api<ServiceAccount> = Api::default_namespaced(cluster.client("default"));
        api.create(&PostParams::default(), &account).await.unwrap();
        cluster.store.get(SERVICE_ACCOUNTS, &Key::new(Some("default"), name)).unwrap()
    }

    async fn secret(cluster: &Cluster, namespace: &str, name: &str, account: &str) -> Arc<Object> {
        let metadata = json!({"name": name, "annotations": {NAME: account}});
        let secret: Secret = from_value(json!({"type": TYPE, "metadata": metadata})).unwrap();
        let api: Api<Secret> = Api::default_namespaced(cluster.client(namespace));
        api.create(&PostParams::default(), &secret).await.unwrap();
        cluster.store.get(SECRETS, &Key::new(Some(namespace), name)).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_secret_is_not_completed_if_it_is_another_one_meanwhile_or_for_another_account() {
        let cluster = cluster();
        let (one, other) = (account(&cluster, "one").await, account(&cluster, "other").await);
        let earlier = secret(&cluster, "default", "a", "one").await;
        let api: Api<Secret> = Api::default_namespaced(cluster.client("default"));
        api.delete("a", &DeleteParams::default()).await.unwrap();
        let later = secret(&cluster, "default", "a", "one").await;
        for (secret, account, has_data) in [(&earlier, &one, false), (&later, &other, false), (&later, &one, true)] {
            complete(&cluster.store, secret, account).await.unwrap();
            assert_eq!(api.get("a").await.unwrap().data.is_some(), has_data);
        }
        cluster.shutdown().await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_an_account_does_not_visit_the_secrets_of_other_namespaces() {
        let cluster = cluster();
        for n in 0..20 {
            secret(&cluster, "kube-public", &format!("s{n}"), "one").await;
        }
        secret(&cluster, "default", "a", "one").await;
        let before = VISITED.get();
        delete_all(&cluster.store, &Key::new(Some("default"), "one"), "a uid").await.unwrap();
        assert!(VISITED.get() - before < 10);
        let count = |namespace: &'static str| {
            let api: Api<Secret> = Api::default_namespaced(cluster.client(namespace));
            async move { api.list(&Default::default()).await.unwrap().items.len() }
        };
        assert_eq!((count("default").await, count("kube-public").await), (0, 20));
        cluster.shutdown().await;
    }
}
