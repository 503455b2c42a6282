//! The world outside of the cluster, for a program in Go: a load balancer, a dashboard, a policy, alarms, and handlers
//! whose notifications are noted. The program calls it by HTTP, on the port of the cluster; `lessons/break/go/trial`
//! has the calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use http::StatusCode;
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{Deletion, InitialList, Notification};
use serde::Deserialize;

use super::gate::Gate;
use crate::exercises::judging::{self, Backend, EntryKind, Journal, backends};

/// The path of the outside world on the port of the cluster.
pub(super) const PATH: &str = "/outside";

/// The time that the dashboard takes to show a state, so that a program without a limit falls behind.
const SHOWING_TAKES: Duration = Duration::from_millis(50);

/// The outside world: the journal of the program's actions, and the gates and switches that the script sets.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) journal: Journal,
    /// True while the load balancer refuses every change.
    pub(super) balancer_is_down: AtomicBool,
    pub(super) balancer: Gate,
    pub(super) dashboard: Gate,
    pub(super) policy: Gate,
    /// Holds requests for nodes back.
    pub(super) nodes: Gate,
    /// Holds requests that create an object back.
    pub(super) creations: Gate,
}

impl Outside {
    pub(super) fn new(journal: Journal) -> Self {
        Self {
            journal,
            balancer_is_down: AtomicBool::new(false),
            balancer: Gate::default(),
            dashboard: Gate::default(),
            policy: Gate::default(),
            nodes: Gate::default(),
            creations: Gate::default(),
        }
    }

    pub(super) fn open_all(&self) {
        for gate in [&self.balancer, &self.dashboard, &self.policy, &self.nodes, &self.creations] {
            gate.open();
        }
    }
}

/// Returns the routes of the outside world and, for all other paths, the cluster.
pub(super) fn routes(outside: &Arc<Outside>, cluster: Router) -> Router {
    let note = axum::middleware::from_fn_with_state(Arc::clone(outside), note_request);
    let calls = Router::new()
        .route("/balancer/{change}", post(balance))
        .route("/dashboard", post(show))
        .route("/policy", post(ask))
        .route("/alarm", post(alarm))
        .route("/handler/{name}", post(notify))
        .with_state(Arc::clone(outside));
    Router::new().nest(PATH, calls).fallback_service(cluster.layer(note))
}

/// Records a request to the API server, and its refusal if there is one. A request for nodes, or one that creates an
/// object, first waits at its gate.
async fn note_request(State(outside): State<Arc<Outside>>, request: Request, next: Next) -> Response {
    let noted = judging::Request::of(&request);
    outside.journal.note(EntryKind::Request(noted.clone()));
    if noted.target == "nodes" {
        outside.nodes.pass().await;
    }
    if noted.verb == "CREATE" {
        outside.creations.pass().await;
    }
    let response = next.run(request).await;
    if !response.status().is_success() {
        outside.journal.note(EntryKind::Refused(noted, response.status().as_u16()));
    }
    response
}

/// Adds or removes a backend. Records the change if it is refused or has an effect.
async fn balance(State(outside): State<Arc<Outside>>, Path(change): Path<String>, backend: String) -> Response {
    let change = match change.as_str() {
        "add" => Backend::Added,
        "remove" => Backend::Removed,
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    outside.balancer.pass().await;
    let refused = outside.balancer_is_down.load(Ordering::SeqCst);
    outside.journal.note_if(|entries| {
        let has_effect = backends(entries).contains(&backend) == (change == Backend::Removed);
        (refused || has_effect).then(|| EntryKind::Balanced { backend: backend.clone(), change, refused })
    });
    if refused {
        return (StatusCode::SERVICE_UNAVAILABLE, "the load balancer is down").into_response();
    }
    StatusCode::OK.into_response()
}

async fn show(State(outside): State<Arc<Outside>>, Json(pod): Json<Pod>) {
    outside.journal.note(EntryKind::Shown(Arc::new(pod)));
    outside.dashboard.pass().await;
    tokio::time::sleep(SHOWING_TAKES).await;
}

async fn ask(State(outside): State<Arc<Outside>>, key: String) {
    outside.journal.note(EntryKind::Asked(key));
    outside.policy.pass().await;
}

async fn alarm(State(outside): State<Arc<Outside>>, about: String) {
    outside.journal.note(EntryKind::Alarm(about));
}

/// A notification, as `lessons/break/go/trial` sends it. `tombstone` is the key of a tombstone.
/// Only a tombstone may lack the object.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Notified {
    Add { object: Arc<Pod>, initial: bool },
    Update { old: Arc<Pod>, object: Arc<Pod> },
    Delete { object: Option<Arc<Pod>>, tombstone: Option<String> },
}

async fn notify(
    State(outside): State<Arc<Outside>>,
    Path(handler): Path<String>,
    Json(notified): Json<Notified>,
) -> StatusCode {
    let change = match notified {
        Notified::Add { object, initial } => Notification::Add { object, initial: InitialList::from(initial) },
        Notified::Update { old, object } => Notification::Update { old, new: object },
        Notified::Delete { object: last_known, tombstone: Some(key) } => {
            Notification::Delete(Deletion::FinalStateUnknown { key, last_known })
        }
        Notified::Delete { object: Some(pod), tombstone: None } => Notification::Delete(Deletion::Final(pod)),
        Notified::Delete { object: None, tombstone: None } => return StatusCode::BAD_REQUEST,
    };
    outside.journal.note(EntryKind::Notified { handler, change });
    StatusCode::OK
}
