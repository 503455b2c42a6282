//! A simulated network link between a client and the cluster, which can refuse, lose or delay requests and answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use kube_testcluster::Cluster;
use tokio::time::sleep;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Requests and answers arrive at once.
    Open,
    /// Requests are answered with an error and have no effect.
    Refused,
    /// Requests are lost: they have no effect and get no answer.
    Lost,
    /// Requests take effect, but their answers are lost.
    AnswersLost,
    /// Requests and answers are delayed. A request takes effect even if the client no longer waits for the answer.
    Late { request: Duration, answer: Duration },
}

/// A link. Clones share one condition.
#[derive(Clone)]
pub struct Link(Arc<Mutex<Condition>>);

impl Link {
    pub fn open() -> Self {
        Self(Arc::new(Mutex::new(Condition::Open)))
    }

    pub fn set(&self, condition: Condition) {
        *self.0.lock().unwrap() = condition;
    }

    pub fn client(&self, cluster: &Cluster) -> kube::Client {
        let link = self.clone();
        let layer = from_fn(move |request, next| link.clone().carry(request, next));
        kube::Client::new(cluster.router().layer(layer), "default")
    }

    async fn carry(self, request: Request, next: Next) -> Response {
        let condition = *self.0.lock().unwrap();
        match condition {
            Condition::Open => next.run(request).await,
            Condition::Refused => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            Condition::Lost => std::future::pending().await,
            Condition::AnswersLost => {
                next.run(request).await;
                std::future::pending().await
            }
            Condition::Late { request: before, answer: after } => {
                let answer = async move {
                    sleep(before).await;
                    let answer = next.run(request).await;
                    sleep(after).await;
                    answer
                };
                tokio::spawn(answer).await.unwrap()
            }
        }
    }
}
