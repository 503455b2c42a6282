//! Connects to a real cluster, and makes errors of the connection readable.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use anyhow::{Chain, Result};
use k8s_openapi::api::core::v1::Namespace;
use kube::core::Status;
use kube::{Api, Client, Config};
use tokio::time::timeout;

use super::kubeconfig;
use super::settings::Target;
use crate::trace::Failure;
use kube_informers::cache::ApiError;

/// How long connecting and the first response may take together.
const LIMIT: Duration = Duration::from_secs(10);

/// A cluster that has responded.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) address: String,
}

/// Connects to a real cluster and checks that the namespace exists.
pub(super) async fn to(target: &Target, namespace: &str) -> Result<Connection> {
    let mut config = kubeconfig::load(target).await?;
    config.connect_timeout = Some(LIMIT);
    let address = address(&config);
    let client = Client::try_from(config).map_err(|error| unreachable(error, &address))?;
    match timeout(LIMIT, namespace_exists(&client, namespace, &address)).await {
        Ok(Ok(Asked::Exists)) => Ok(Connection { client, address }),
        Ok(Ok(Asked::Missing)) => {
            let failure = Failure::new(format!("namespace {namespace} does not exist in {address}"));
            Err(failure.next("create it, or name another with -n").into())
        }
        Ok(Err(error)) => Err(error),
        Err(_) => {
            let seconds = LIMIT.as_secs();
            let failure = Failure::new(format!("no answer from {address} within {seconds} s"));
            Err(failure.next("see that the cluster is up and that this machine can reach it").into())
        }
    }
}

/// Whether a namespace exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Exists,
    Missing,
}

/// Asks for the namespace. If the account may not read namespaces, it is assumed to exist.
pub(super) async fn namespace_exists(client: &Client, namespace: &str, address: &str) -> Result<Asked> {
    match Api::<Namespace>::all(client.clone()).get(namespace).await {
        Ok(_) => Ok(Asked::Exists),
        Err(kube::Error::Api(status)) if status.code == 403 => {
            tracing::debug!(namespace, "may not ask for the namespace, so it is taken to exist");
            Ok(Asked::Exists)
        }
        Err(kube::Error::Api(status)) if status.code == 404 && status.reason == "NotFound" => Ok(Asked::Missing),
        Err(error) => Err(unreachable(error, address).into()),
    }
}

/// Adds a sentence and a next step to an error of the lesson's own requests.
pub(super) fn explain(error: anyhow::Error, namespace: &str) -> anyhow::Error {
    match error.chain().find_map(status).map(|status| status.code) {
        Some(401) => error.context(unauthorized("the cluster")),
        Some(403) => {
            let failure =
                Failure::new(format!("the cluster forbids listing or watching pods in namespace {namespace}"));
            error.context(failure.next(format!(
                "ask for a role with list and watch on pods; kubectl auth can-i watch pods -n {namespace} tells"
            )))
        }
        _ => error,
    }
}

fn status<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Status> {
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => Some(status),
        _ => error.downcast_ref::<ApiError>().and_then(ApiError::status),
    }
}

fn unauthorized(address: &str) -> Failure {
    Failure::new(format!("{address} does not accept the credentials")).next("log in again, or choose another --context")
}

/// The message for a request without a useful response.
fn unreachable(error: kube::Error, address: &str) -> Failure {
    let failure = match &error {
        kube::Error::Api(status) if status.code == 401 => unauthorized(address),
        kube::Error::Api(status) => Failure::new(format!("{address} answered with status {}", status.code))
            .next("see that this is the address of a Kubernetes API server"),
        kube::Error::Auth(_) => {
            Failure::new(format!("cannot get credentials for {address}")).next("see what the kubeconfig says about its user")
        }
        error if mentions_tls(error) => Failure::new(format!("no TLS connection to {address}"))
            .next("see that the kubeconfig's certificate-authority is the cluster's and that the address is in its certificate"),
        _ => Failure::new(format!("cannot reach the cluster at {address}"))
            .next("see that the cluster is up, or choose another --context"),
    };
    match root(&error) {
        Some(cause) => failure.because(cause),
        None => failure.because(error),
    }
}

/// The innermost cause; the layers above it (service, client, connector) only repeat each other. `None` if the error
/// itself says more.
fn root(error: &kube::Error) -> Option<String> {
    match error {
        kube::Error::Auth(_) => None,
        kube::Error::Api(status) => Some(first_line(&status.message)),
        error => Chain::new(error).last().map(ToString::to_string),
    }
}

/// The first line of a server's message, which may be a whole page.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(200).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}

fn mentions_tls(error: &kube::Error) -> bool {
    Chain::new(error).any(|cause| {
        let refused = cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::InvalidData);
        let text = cause.to_string();
        refused || ["certificate", "TLS", "tls", "UnknownIssuer"].iter().any(|word| text.contains(word))
    })
}

/// Scheme, host and port. The user and the password in an address must not be shown.
fn address(config: &Config) -> String {
    let url = &config.cluster_url;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme_str().unwrap_or("http"), url.host().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cluster that answers every request with one status code and body.
    fn answering(code: u16, body: &'static str) -> Client {
        let router = axum::Router::new().fallback(move || async move {
            let code = http::StatusCode::from_u16(code).unwrap();
            (code, body)
        });
        Client::new(router, "default")
    }

    async fn asked(code: u16, body: &'static str) -> Result<Asked, String> {
        let answer = namespace_exists(&answering(code, body), "dev", "https://a:6443").await;
        answer.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_namespace_that_is_there_is_fine() {
        let body = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"dev"}}"#;
        assert_eq!(asked(200, body).await, Ok(Asked::Exists));
    }

    #[tokio::test]
    async fn an_account_that_may_not_ask_is_believed() {
        let body = r#"{"kind":"Status","status":"Failure","code":403,"reason":"Forbidden","message":"no"}"#;
        assert_eq!(asked(403, body).await, Ok(Asked::Exists));
    }

    #[tokio::test]
    async fn a_missing_namespace_is_missing() {
        let body = r#"{"kind":"Status","status":"Failure","code":404,"reason":"NotFound","message":"no"}"#;
        assert_eq!(asked(404, body).await, Ok(Asked::Missing));
    }

    #[tokio::test]
    async fn a_server_that_is_not_kubernetes_is_not_a_missing_namespace() {
        assert_eq!(asked(404, "404 page not found").await, Err("https://a:6443 answered with status 404".into()));
    }

    #[tokio::test]
    async fn refused_credentials_are_said() {
        let body =
            r#"{"kind":"Status","status":"Failure","code":401,"reason":"Unauthorized","message":"Unauthorized"}"#;
        assert_eq!(asked(401, body).await, Err("https://a:6443 does not accept the credentials".into()));
    }

    #[test]
    fn a_forbidden_list_gets_a_sentence_and_a_next_step() {
        let status = Status::failure("pods is forbidden", "Forbidden").with_code(403).boxed();
        let error = explain(anyhow::Error::new(ApiError::Status(status)).context("the list failed"), "dev");
        assert_eq!(error.to_string(), "the cluster forbids listing or watching pods in namespace dev");
        assert_eq!(error.chain().nth(1).unwrap().to_string(), "the list failed");
    }

    #[test]
    fn a_password_in_the_address_is_not_shown() {
        let config = Config::new("https://me:secret@a.example:6443/prefix".parse().unwrap());
        assert_eq!(address(&config), "https://a.example:6443");
    }
}
