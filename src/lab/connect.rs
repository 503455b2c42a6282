//! Checks at the start of a lesson that its namespace exists, because a LIST in a missing namespace would only be
//! empty; turns connection errors into a sentence and a next step.

use std::error::Error as StdError;
use std::io;

use anyhow::{Chain, Result};
use http_body_util::LengthLimitError;
use k8s_openapi::api::core::v1::Namespace;
use kube::core::Status;
use kube::{Api, Client};

use crate::trace::Failure;
use kube_informers::cache::ApiError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamespaceLookup {
    Exists,
    Missing,
}

/// Looks up the namespace. The cluster must be ready: the first error is reported.
pub(super) async fn look_up_namespace(client: &Client, namespace: &str, address: &str) -> Result<NamespaceLookup> {
    try_look_up_namespace(client, namespace).await.map_err(|error| unreachable(error, address).into())
}

/// Looks up the namespace. If the account may not read namespaces, the namespace is assumed to exist.
pub(super) async fn try_look_up_namespace(client: &Client, namespace: &str) -> kube::Result<NamespaceLookup> {
    match Api::<Namespace>::all(client.clone()).get(namespace).await {
        Ok(_) => Ok(NamespaceLookup::Exists),
        Err(kube::Error::Api(status)) if status.code == 403 => {
            tracing::debug!(namespace, "the account may not read namespaces, so the namespace is assumed to exist");
            Ok(NamespaceLookup::Exists)
        }
        Err(kube::Error::Api(status)) if status.code == 404 && status.reason == "NotFound" => {
            Ok(NamespaceLookup::Missing)
        }
        Err(error) => Err(error),
    }
}

/// Adds a sentence and advice to an error of the lesson's own requests.
pub(super) fn explain(error: anyhow::Error, namespace: &str) -> anyhow::Error {
    match error.chain().find_map(status).map(|status| status.code) {
        Some(401) => error.context(unauthorized("the cluster")),
        Some(403) => error.context(forbidden(namespace)),
        _ => error,
    }
}

pub(super) fn forbidden(namespace: &str) -> Failure {
    Failure::new((
        format!("the cluster forbids listing or watching pods in namespace {namespace}"),
        format!("集群不允许在 namespace {namespace} 里 list 或 watch Pod"),
    ))
    .next((
        format!(
            "ask for a role that may list and watch pods; check with: kubectl auth can-i watch pods -n {namespace}"
        ),
        format!("请申请可以 list 和 watch Pod 的角色；可以用 kubectl auth can-i watch pods -n {namespace} 确认"),
    ))
}

/// Returns the API server's Status in this cause, if it is a response of the server.
fn status<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Status> {
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => Some(status),
        _ => error.downcast_ref::<ApiError>().and_then(ApiError::status),
    }
}

fn unauthorized(address: &str) -> Failure {
    Failure::new((format!("{address} does not accept the credentials"), format!("{address} 不接受这个凭证")))
        .next(("log in again, or choose another --context", "请重新登录，或换一个 --context"))
}

pub(super) fn unreachable(error: kube::Error, address: &str) -> Failure {
    let failure = match &error {
        kube::Error::Api(status) if status.code == 401 => unauthorized(address),
        kube::Error::Api(status) => Failure::new((format!("{address} answered with status {}", status.code), format!("{address} 返回状态码 {}", status.code)))
            .next(("check that this is the address of a Kubernetes API server", "请确认这是 Kubernetes API server 的地址")),
        // The response is no Kubernetes object: a web page, an empty body, or a redirection.
        kube::Error::SerdeError(_) => Failure::new((format!("{address} answers, but not as a Kubernetes API server"), format!("{address} 有响应，但不是 Kubernetes API server")))
            .next(("check that this is the address of a Kubernetes API server, without a proxy or a login page in front of it", "请确认这是 Kubernetes API server 的地址，前面没有代理或登录页")),
        kube::Error::Auth(_) => {
            Failure::new((format!("cannot get credentials for {address}"), format!("无法取得访问 {address} 的凭证"))).next(("check the user in the kubeconfig", "请检查 kubeconfig 里 user 的设置"))
        }
        error if Chain::new(error).any(|cause| cause.is::<LengthLimitError>()) => {
            Failure::new((format!("the response from {address} is too long"), format!("{address} 的响应太长")))
                .next(("check that this is the address of a Kubernetes API server", "请确认这是 Kubernetes API server 的地址"))
        }
        error if mentions_tls(error) => Failure::new((format!("no TLS connection to {address}"), format!("无法与 {address} 建立 TLS 连接")))
            .next(("check that the kubeconfig's certificate-authority belongs to this cluster, and that the server's certificate covers the address", "请确认 kubeconfig 里的 certificate-authority 属于这个集群，而且服务器证书包含这个地址")),
        _ => Failure::new((format!("cannot reach the cluster at {address}"), format!("无法访问集群 {address}")))
            .next(("check that the cluster is running, or choose another --context", "请确认集群在运行，或换一个 --context")),
    };
    match innermost_cause(&error) {
        Some(cause) => failure.because(cause),
        None => failure.because(error),
    }
}

/// Returns the innermost cause, because the layers above it (service, client, connector) only repeat each other. `None`
/// if the error itself says more.
fn innermost_cause(error: &kube::Error) -> Option<String> {
    match error {
        kube::Error::Auth(_) => None,
        kube::Error::Api(status) => Some(first_line(&status.message)),
        error => Chain::new(error).last().map(ToString::to_string),
    }
}

/// Returns the start of the first line of a server's message, which may be a whole page.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(200).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}

/// Returns true if a TLS handshake failed. kube has no error of its own for that, so the causes' texts decide.
fn mentions_tls(error: &kube::Error) -> bool {
    Chain::new(error).any(|cause| {
        let is_bad_handshake =
            cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::InvalidData);
        let text = cause.to_string();
        is_bad_handshake || ["certificate", "TLS", "tls", "UnknownIssuer"].iter().any(|word| text.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a client of a cluster that answers every request with one status code and body.
    fn answering(code: u16, body: &'static str) -> Client {
        let router = axum::Router::new().fallback(move || async move {
            let code = http::StatusCode::from_u16(code).unwrap();
            (code, body)
        });
        Client::new(router, "default")
    }

    async fn look_up_answer(code: u16, body: &'static str) -> Result<NamespaceLookup, String> {
        let answer = look_up_namespace(&answering(code, body), "dev", "https://a:6443").await;
        answer.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_namespace_that_is_there_is_fine() {
        let body = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"dev"}}"#;
        assert_eq!(look_up_answer(200, body).await, Ok(NamespaceLookup::Exists));
    }

    #[tokio::test]
    async fn without_the_right_to_read_namespaces_the_namespace_is_assumed_to_exist() {
        let body = r#"{"kind":"Status","status":"Failure","code":403,"reason":"Forbidden","message":"no"}"#;
        assert_eq!(look_up_answer(403, body).await, Ok(NamespaceLookup::Exists));
    }

    #[tokio::test]
    async fn a_missing_namespace_is_missing() {
        let body = r#"{"kind":"Status","status":"Failure","code":404,"reason":"NotFound","message":"no"}"#;
        assert_eq!(look_up_answer(404, body).await, Ok(NamespaceLookup::Missing));
    }

    #[tokio::test]
    async fn a_server_that_is_not_kubernetes_is_not_a_missing_namespace() {
        assert_eq!(
            look_up_answer(404, "404 page not found").await,
            Err("https://a:6443 answered with status 404".into())
        );
    }

    #[tokio::test]
    async fn refused_credentials_are_reported() {
        let body =
            r#"{"kind":"Status","status":"Failure","code":401,"reason":"Unauthorized","message":"Unauthorized"}"#;
        assert_eq!(look_up_answer(401, body).await, Err("https://a:6443 does not accept the credentials".into()));
    }

    #[tokio::test]
    async fn a_server_that_is_no_api_server_is_reported() {
        for (code, body) in [(200, "<html>Please log in</html>"), (200, ""), (204, ""), (200, "null"), (302, "")] {
            let answer = look_up_answer(code, body).await;
            assert_eq!(
                answer,
                Err("https://a:6443 answers, but not as a Kubernetes API server".into()),
                "{code} {body}"
            );
        }
    }

    #[test]
    fn a_forbidden_list_gets_a_sentence_and_a_next_step() {
        let status = Status::failure("pods is forbidden", "Forbidden").with_code(403).boxed();
        let error = explain(anyhow::Error::new(ApiError::Status(status)).context("the list failed"), "dev");
        assert_eq!(error.to_string(), "the cluster forbids listing or watching pods in namespace dev");
        assert_eq!(error.chain().nth(1).unwrap().to_string(), "the list failed");
    }
}
