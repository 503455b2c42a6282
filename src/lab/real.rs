//! Connects to a real cluster, for a run with `--cluster` and for `doctor`. The server decides how long its answers are
//! and how long they take, so all that is read here is limited.

mod permissions;

use std::time::Duration;

use anyhow::Result;
use http_body_util::Limited;
use kube::{Client, Config};
use tokio::time::{sleep, timeout};
use tower::service_fn;

pub use self::permissions::{Reached, reach_real};
use super::connect::{NamespaceLookup, first_line, try_look_up_namespace, unreachable};
use super::kubeconfig;
use super::settings::Target;
use crate::trace::Failure;

/// The longest time for connecting and the first response together.
const LIMIT: Duration = Duration::from_secs(10);

/// The longest answer to a check, in bytes: an object of the API is shorter.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

/// The pause before a server that is not ready is asked again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A client of a cluster that has responded, with the cluster's address.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) address: String,
}

/// Connects to a real cluster and checks that the namespace exists. `limit` is the longest time of the whole run.
pub(super) async fn connect(target: &Target, namespace: &str, limit: Option<Duration>) -> Result<Connection> {
    let limit = limit.unwrap_or(LIMIT).min(LIMIT);
    let mut config = kubeconfig::load(target).await?;
    config.connect_timeout = Some(limit);
    // kube's retry would hide the status codes 429, 503 and 504 from the Reflector for minutes; the Reflector retries
    // itself.
    config.default_retry = false;
    let address = address(&config);
    let client = Client::try_from(config).map_err(|error| unreachable(error, &address))?;
    match first_answer(&limited(&client, namespace), namespace, &address, limit).await? {
        NamespaceLookup::Exists => Ok(Connection { client, address }),
        NamespaceLookup::Missing => {
            let failure = Failure::new((
                format!("namespace {namespace} does not exist in {address}"),
                format!("{address} 里没有 namespace {namespace}"),
            ));
            Err(failure.next(("create it, or choose another one with -n", "请先创建它，或用 -n 指定另一个")).into())
        }
    }
}

/// Returns a client for the same cluster that reads no answer longer than [`LONGEST_ANSWER`].
fn limited(client: &Client, namespace: &str) -> Client {
    let client = client.clone();
    let send = move |request| {
        let client = client.clone();
        async move { Ok::<_, kube::Error>(client.send(request).await?.map(|body| Limited::new(body, LONGEST_ANSWER))) }
    };
    Client::new(service_fn(send), namespace)
}

/// Looks up the namespace, again and again until the server is ready to answer or the time is over. A cluster that has
/// just started answers 503 for a while.
async fn first_answer(client: &Client, namespace: &str, address: &str, limit: Duration) -> Result<NamespaceLookup> {
    let mut not_ready = None;
    let answer = async {
        loop {
            match try_look_up_namespace(client, namespace).await {
                Err(kube::Error::Api(status)) if matches!(status.code, 429 | 503 | 504) => {
                    not_ready = Some(status);
                    sleep(RETRY_PAUSE).await;
                }
                answer => return answer,
            }
        }
    };
    let answered = timeout(limit, answer).await;
    let seconds = limit.as_secs_f64();
    Err(match (answered, not_ready) {
        (Ok(answer), _) => return answer.map_err(|error| unreachable(error, address).into()),
        (Err(_), Some(status)) => Failure::new((
            format!("{address} answered only with status {} within {seconds} s", status.code),
            format!("{seconds} 秒之内，{address} 只返回状态码 {}", status.code),
        ))
        .next(("wait until the cluster is ready, and try again", "等集群就绪后再试"))
        .because(first_line(&status.message)),
        (Err(_), None) => no_answer(address, limit),
    }
    .into())
}

fn no_answer(address: &str, limit: Duration) -> Failure {
    let seconds = limit.as_secs_f64();
    Failure::new((
        format!("no answer from {address} within {seconds} s"),
        format!("{seconds} 秒之内没有收到 {address} 的响应"),
    ))
    .next((
        "check that the cluster is running and that this machine can reach it",
        "请确认集群在运行，而且本机可以访问它",
    ))
}

/// Returns scheme, host and port. The user and the password in a URL must not be shown.
fn address(config: &Config) -> String {
    let url = &config.cluster_url;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme_str().unwrap_or("http"), url.host().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::Instant;

    use super::*;

    /// Returns a client of a server that answers `times` requests with a status code, and later ones properly.
    fn starting(code: u16, times: u32) -> Client {
        let refusals = Arc::new(AtomicU32::new(times));
        let router = axum::Router::new().fallback(move || async move {
            let refused = refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            match refused {
                Ok(_) => (http::StatusCode::from_u16(code).unwrap(), "not yet"),
                Err(_) => (http::StatusCode::OK, r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"dev"}}"#),
            }
        });
        Client::new(router, "default")
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_not_ready_is_asked_again() {
        for code in [429, 503, 504] {
            let answer = first_answer(&starting(code, 5), "dev", "https://a:6443", LIMIT).await.unwrap();
            assert_eq!(answer, NamespaceLookup::Exists);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_gets_ready_is_reported_with_its_status() {
        let began = Instant::now();
        let error =
            first_answer(&starting(503, 99), "dev", "https://a:6443", Duration::from_secs(4)).await.unwrap_err();
        assert_eq!(error.to_string(), "https://a:6443 answered only with status 503 within 4 s");
        assert_eq!(began.elapsed(), Duration::from_secs(4));
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_given_up_when_the_run_is_over() {
        let router = axum::Router::new().fallback(std::future::pending::<()>);
        let client = Client::new(router, "default");
        let error = first_answer(&client, "dev", "https://a:6443", Duration::from_millis(1500)).await.unwrap_err();
        assert_eq!(error.to_string(), "no answer from https://a:6443 within 1.5 s");
    }

    /// Returns a client of a server that answers this path with text that does not end, and other paths with an object
    /// that suits any kind. The pause comes before each piece.
    fn endless(path: &'static str, pause: Duration) -> Client {
        let router = axum::Router::new().fallback(move |request: axum::extract::Request| async move {
            if request.uri().path() != path {
                return axum::body::Body::from(
                    r#"{"kind":"List","apiVersion":"v1","metadata":{},"items":[],"spec":{},"major":"1","minor":"1","gitVersion":"v1","gitCommit":"","gitTreeState":"","buildDate":"","goVersion":"","compiler":"","platform":""}"#,
                );
            }
            let pieces = futures::stream::repeat(axum::body::Bytes::from_static(&[b' '; 64 * 1024]));
            axum::body::Body::from_stream(futures::StreamExt::then(pieces, move |piece| async move {
                sleep(pause).await;
                Ok::<_, std::convert::Infallible>(piece)
            }))
        });
        limited(&Client::new(router, "default"), "default")
    }

    const VERSION: &str = "/version";
    const PODS: &str = "/api/v1/namespaces/dev/pods";

    #[tokio::test(start_paused = true)]
    async fn an_answer_without_an_end_is_an_error() {
        for (path, pause, told) in [
            (VERSION, Duration::ZERO, "the response from https://a:6443 is too long"),
            (PODS, Duration::ZERO, "the response from https://a:6443 is too long"),
            (VERSION, RETRY_PAUSE, "no answer from https://a:6443 within 10 s"),
            (PODS, RETRY_PAUSE, "no answer from https://a:6443 within 10 s"),
        ] {
            let error = permissions::check(&endless(path, pause), "dev", "https://a:6443", LIMIT).await.unwrap_err();
            assert_eq!(error.to_string(), told, "{path}");
            assert!(crate::trace::hint(&error, crate::trace::Lang::En).is_some(), "{path}");
        }
        assert_eq!(permissions::check(&endless("", RETRY_PAUSE), "dev", "https://a:6443", LIMIT).await.unwrap(), "v1");
        let namespace = endless("/api/v1/namespaces/dev", Duration::ZERO);
        let error = first_answer(&namespace, "dev", "https://a:6443", LIMIT).await.unwrap_err();
        assert_eq!(error.to_string(), "the response from https://a:6443 is too long");
    }

    #[test]
    fn a_password_in_the_address_is_not_shown() {
        let config = Config::new("https://me:secret@a.example:6443/prefix".parse().unwrap());
        assert_eq!(address(&config), "https://a.example:6443");
    }
}
