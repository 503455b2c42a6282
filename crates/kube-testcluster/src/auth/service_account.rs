//! Issues and verifies the tokens of service accounts, with which pods authenticate to the API server. A TokenRequest
//! issues one; authentication and TokenReview verify it. Upstream: `pkg/serviceaccount`.
//!
//! A token is a JWT with upstream's claims. On a cluster with a TLS listener, its signature is an HMAC. Without one,
//! every client may act as administrator anyway, so the signature is only a checksum.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;

use super::legacy_token::{self, LEGACY_ISSUER};
use crate::store::Store;
use crate::store::object::{Key, Opened};
use kube_machinery::conventions::random;
use kube_machinery::conventions::user::{AUTHENTICATED, User};
use kube_machinery::kinds::{NODES, PODS, SECRETS, SERVICE_ACCOUNTS};
use kube_machinery::value::{Value, json};

/// The issuer of the tokens, and their default audience.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The algorithm of a token with a signature.
const SIGNED: &str = "HS256";

/// Returns a token that is valid for `lasts` seconds. `bound` is the claim about the object that the token is bound to:
/// the token is invalid once that object is removed.
pub(crate) fn issue(
    store: &Store,
    account: &Opened,
    bound: Option<(String, Value)>,
    audiences: &Value,
    lasts: i64,
) -> String {
    let (namespace, name) = (account.key.namespace().unwrap_or_default(), account.key.name());
    let uid = &account.value["metadata"]["uid"];
    let now = store.clock.time().as_second();
    let mut own = json!({"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}});
    if let Some((field, claim)) = bound {
        own[field] = claim;
    }
    let claims = json!({
        "aud": audiences, "exp": now.saturating_add(lasts), "iat": now, "iss": ISSUER,
        "jti": store.random().uid(), "kubernetes.io": own, "nbf": now,
        "sub": format!("system:serviceaccount:{namespace}:{name}"),
    });
    signed(store, &claims)
}

/// Returns a token with these claims.
pub(super) fn signed(store: &Store, claims: &Value) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encode(&json!({"alg": algorithm(store), "kid": ISSUER})), encode(claims));
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature(store, &signed)))
}

/// Sets the key that signs tokens. The key is derived from the secret; without a secret it is random. Only the first
/// call has an effect.
#[cfg(feature = "tls")]
pub(crate) fn sign_with(store: &Store, secret: Option<&[u8]>) -> std::io::Result<()> {
    let mut key = [0; 32];
    match secret {
        Some(secret) => key.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, secret).as_ref()),
        None => ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut key)
            .map_err(|_| std::io::Error::other("the system has no randomness"))?,
    }
    store.key_of_tokens.get_or_init(|| ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key));
    Ok(())
}

/// Returns a checksum in place of a signature. The signed text has the uid of the account, so a token is not valid in
/// another cluster.
fn checksum(signed: &str) -> Vec<u8> {
    random::digest(signed).into()
}

#[cfg(feature = "tls")]
fn algorithm(store: &Store) -> &'static str {
    if store.key_of_tokens.get().is_some() { SIGNED } else { "none" }
}

#[cfg(not(feature = "tls"))]
fn algorithm(_: &Store) -> &'static str {
    "none"
}

#[cfg(feature = "tls")]
fn signature(store: &Store, signed: &str) -> Vec<u8> {
    match store.key_of_tokens.get() {
        Some(key) => ring::hmac::sign(key, signed.as_bytes()).as_ref().to_vec(),
        None => checksum(signed),
    }
}

#[cfg(not(feature = "tls"))]
fn signature(_: &Store, signed: &str) -> Vec<u8> {
    checksum(signed)
}

#[cfg(feature = "tls")]
fn is_signed(store: &Store, signed: &str, signature: &[u8]) -> bool {
    match store.key_of_tokens.get() {
        Some(key) => ring::hmac::verify(key, signed.as_bytes(), signature).is_ok(),
        None => checksum(signed) == signature,
    }
}

#[cfg(not(feature = "tls"))]
fn is_signed(_: &Store, signed: &str, signature: &[u8]) -> bool {
    checksum(signed) == signature
}

/// Returns the part of a token that is signed, if the signature is valid.
fn verified<'a>(store: &Store, token: &'a str) -> Option<&'a str> {
    let (signed, signature) = token.rsplit_once('.')?;
    is_signed(store, signed, &URL_SAFE_NO_PAD.decode(signature).ok()?).then_some(signed)
}

/// Returns true if a server like this one has issued the token, but not with the cluster's present key: the token was
/// issued before the cluster had a key, or with another key, so it is refused. While the cluster has no key, returns
/// false, because a listener may still set the key that signed the token.
pub(crate) fn is_outdated(store: &Store, token: &str) -> bool {
    let header = token.split_once('.').and_then(|(header, _)| URL_SAFE_NO_PAD.decode(header).ok());
    let header: Option<Value> = header.and_then(|header| serde_json::from_slice(&header).ok());
    let is_own = header.is_some_and(|header| header["kid"] == ISSUER);
    is_own && algorithm(store) == SIGNED && verified(store, token).is_none()
}

/// Returns the claims of a token, if this cluster has issued it, it has not expired, and its service account and the
/// object that it is bound to still exist.
pub(crate) fn claims(store: &Store, token: &str) -> Option<Value> {
    let signed = verified(store, token)?;
    let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.')?.1).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    if claims["iss"] == LEGACY_ISSUER {
        return legacy_token::validated(store, token, &claims);
    }
    let ends = Timestamp::from_second(claims["exp"].as_i64()?).ok()?;
    let own = &claims["kubernetes.io"];
    let account = Key::new(own["namespace"].as_str(), own["serviceaccount"]["name"].as_str()?);
    let is_same = store.get(SERVICE_ACCOUNTS, &account)?.summary.uid() == own["serviceaccount"]["uid"].as_str()?;
    (is_same && store.clock.time() < ends && bound_object_is_there(store, own)).then_some(claims)
}

/// Returns true if the object that the token is bound to, if any, still exists. `own` are the token's private claims.
/// Upstream: `Validator.Validate` in `pkg/serviceaccount/claims.go`.
fn bound_object_is_there(store: &Store, own: &Value) -> bool {
    let kinds = [
        ("pod", PODS, own["namespace"].as_str()),
        ("secret", SECRETS, own["namespace"].as_str()),
        ("node", NODES, None),
    ];
    kinds.into_iter().all(|(field, resource, namespace)| {
        // The token of a pod also names its node, which need not have an object.
        let bound = &own[field];
        if bound.is_null() || field == "node" && !own["pod"].is_null() {
            return true;
        }
        let key = Key::new(namespace, bound["name"].as_str().unwrap_or_default());
        store.get(resource, &key).is_some_and(|object| Some(object.summary.uid()) == bound["uid"].as_str())
    })
}

/// Returns the user of a token, if the token is valid for this server. Upstream:
/// `jwtTokenAuthenticator.AuthenticateToken`.
pub(super) fn authenticate(store: &Store, token: &str) -> Option<User> {
    let claims = claims(store, token)?;
    claims["aud"].as_array()?.iter().any(|audience| audience == ISSUER).then(|| user(&claims))
}

/// Returns the user that the claims of a token name. Upstream: `ServiceAccountInfo.UserInfo`.
pub(crate) fn user(claims: &Value) -> User {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let own = &claims["kubernetes.io"];
    let namespace = text(&own["namespace"]);
    let groups =
        ["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}"), AUTHENTICATED.to_owned()];
    let mut user = User::new(text(&claims["sub"]), groups);
    user.uid = text(&own["serviceaccount"]["uid"]);
    // The token of a Secret has no identifier.
    if let Some(id) = claims["jti"].as_str() {
        user.extra.insert("authentication.kubernetes.io/credential-id".to_owned(), vec![format!("JTI={id}")]);
    }
    user
}
