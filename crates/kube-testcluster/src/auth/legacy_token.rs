//! The tokens of service accounts in Secrets. They do not expire, but a token is invalid once its Secret is deleted.
//! Upstream: `pkg/serviceaccount/legacy.go`, whose label `kubernetes.io/legacy-token-last-used` is not written here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::service_account::{ISSUER, signed};
use crate::store::Store;
use crate::store::object::{Key, Opened};
use kube_machinery::kinds::{SECRETS, SERVICE_ACCOUNTS};
use kube_machinery::value::{Value, json};

/// The issuer of these tokens. Upstream: `LegacyIssuer`.
pub(super) const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";

const NAMESPACE: &str = "kubernetes.io/serviceaccount/namespace";
const SECRET: &str = "kubernetes.io/serviceaccount/secret.name";
const ACCOUNT: &str = "kubernetes.io/serviceaccount/service-account.name";
const UID: &str = "kubernetes.io/serviceaccount/service-account.uid";

/// The label of a Secret whose token is revoked. Upstream: `InvalidSinceLabelKey`.
const INVALID_SINCE: &str = "kubernetes.io/legacy-token-invalid-since";

/// Returns a token of an account for a Secret. Upstream: `LegacyClaims`.
pub(crate) fn issue(store: &Store, account: &Opened, secret: &str) -> String {
    let (namespace, name) = (account.key.namespace().unwrap_or_default(), account.key.name());
    signed(
        store,
        &json!({
            "iss": LEGACY_ISSUER, NAMESPACE: namespace, SECRET: secret, ACCOUNT: name,
            UID: account.value["metadata"]["uid"], "sub": format!("system:serviceaccount:{namespace}:{name}"),
        }),
    )
}

/// Returns the claims in the form that other tokens have, if the Secret still has this token and does not revoke it,
/// and the account still exists. Upstream: `legacyValidator.Validate`.
pub(super) fn validated(store: &Store, token: &str, claims: &Value) -> Option<Value> {
    let text = |claim: &str| claims[claim].as_str().filter(|text| !text.is_empty());
    let (namespace, name, uid) = (text(NAMESPACE)?, text(ACCOUNT)?, text(UID)?);
    let secret = store.get(SECRETS, &Key::new(Some(namespace), text(SECRET)?)).filter(|it| !it.summary.is_deleting)?;
    let account = store.get(SERVICE_ACCOUNTS, &Key::new(Some(namespace), name)).filter(|it| !it.summary.is_deleting)?;
    let has_token = secret.open().ok()?.value["data"]["token"] == STANDARD.encode(token);
    let is_revoked = secret.summary.label(INVALID_SINCE).is_some_and(|since| !since.is_empty());
    let own = json!({"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}});
    (has_token && !is_revoked && account.summary.uid() == uid)
        .then(|| json!({"aud": [ISSUER], "sub": claims["sub"], "kubernetes.io": own}))
}
