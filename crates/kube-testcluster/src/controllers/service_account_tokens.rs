//! The tokens controller: puts a token into each Secret of the type `kubernetes.io/service-account-token`, and deletes
//! the Secret if its service account does not exist. The housekeeping queue calls it for such Secrets and after the
//! deletion of an account. Upstream: `pkg/controller/serviceaccount/tokens_controller.go`.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::housekeeping::{is_deleting, is_gone_or_changed};
use crate::admission::Gate;
use crate::auth::legacy_token;
use crate::http::status::ApiError;
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

/// Returns the name of the account of a Secret.
pub(super) fn account_of(secret: &Arc<Object>) -> Option<String> {
    annotation(&secret.open().ok()?.value, NAME).map(ToOwned::to_owned)
}

fn annotation<'a>(secret: &'a Value, key: &str) -> Option<&'a str> {
    secret["metadata"]["annotations"][key].as_str().filter(|text| !text.is_empty())
}

/// Completes a Secret, or deletes it if its account does not exist. Upstream: `syncSecret`, `generateTokenIfNeeded`.
pub(crate) async fn fill(store: &Store, key: &Key) -> Result<(), ApiError> {
    let Some(secret) = store.get(SECRETS, key).filter(|secret| has_token(secret)) else { return Ok(()) };
    let opened = secret.open()?;
    let Some(name) = annotation(&opened.value, NAME) else { return Ok(()) };
    let account = store.get(SERVICE_ACCOUNTS, &Key::new(key.namespace(), name));
    let is_it = |account: &Arc<Object>| annotation(&opened.value, UID).is_none_or(|uid| uid == account.summary.uid());
    let Some(account) = account.filter(is_it) else { return delete(store, &secret).await };
    let account = account.open()?;
    let completed = |current: &Opened| {
        let completed = completed(store, &current.value, &account);
        let by = |secret| Next::Put(written_by(Component::CONTROLLERS, store, current, None, secret));
        Ok::<_, ApiError>(completed.map_or(Next::Keep, by))
    };
    match store.update(SECRETS, key, Commit::Really, completed).await {
        Err(error) if !is_gone_or_changed(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Returns the Secret with everything that it lacks, or `None` if it is complete.
fn completed(store: &Store, secret: &Value, account: &Opened) -> Option<Value> {
    let is_empty = |key: &str| secret["data"][key].as_str().is_none_or(str::is_empty);
    let root_ca = root_ca(store).map(|certificate| json!(STANDARD.encode(certificate)));
    let needs_ca = root_ca.as_ref().is_some_and(|certificate| secret["data"]["ca.crt"] != *certificate);
    let (needs_namespace, needs_token) = (is_empty("namespace"), is_empty("token"));
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
    let secrets = everything(store, SECRETS, &Filter { fields, ..Filter::default() }).objects;
    for secret in secrets.iter().filter(|secret| secret.key.namespace() == account.namespace()) {
        let value = &secret.open()?.value;
        let is_its = annotation(value, NAME) == Some(account.name());
        if is_its && annotation(value, UID).is_none_or(|theirs| theirs == uid) {
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

/// Removes the reference to a deleted Secret from its account. Upstream: `removeSecretReference`.
pub(crate) async fn forget(store: &Store, account: &Key, secret: &str) -> Result<(), ApiError> {
    let without = |current: &Opened| {
        let before = current.value["secrets"].as_array().map_or(&[][..], Array::as_slice);
        let kept: Vec<Value> = before.iter().filter(|reference| reference["name"] != secret).cloned().collect();
        if kept.len() == before.len() || current.summary.is_deleting {
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
