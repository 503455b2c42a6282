//! Health: `/healthz`, `/livez` and `/readyz` make all checks, and below them each check has a path of its own, such as
//! `/livez/ping`. After a panic in the middle of a write, or while the log cannot be written, the checks `etcd` and
//! `etcd-readiness` fail. The other checks always pass; they exist because clients may ask for one of kube-apiserver's
//! checks, or exclude it. Upstream: `k8s.io/apiserver/pkg/server/healthz`.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::any;
use http::{StatusCode, Uri};

use crate::http::query::Query;
use crate::http::response::{answer, no_such_path, plain};
use crate::store::Store;
use kube_machinery::conventions::quote::quote;

/// One of the three endpoints, with the checks that it makes before and after [`HOOKS`].
struct Endpoint {
    name: &'static str,
    before: &'static [&'static str],
    after: &'static [&'static str],
}

const LIVENESS_CHECKS: &[&str] = &["ping", "log", "loopback-serving-certificate", "etcd"];
const READINESS_CHECKS: &[&str] = &["ping", "log", "etcd", "etcd-readiness", "informer-sync"];

static ENDPOINTS: [Endpoint; 3] = [
    Endpoint { name: "healthz", before: LIVENESS_CHECKS, after: &[] },
    Endpoint { name: "livez", before: LIVENESS_CHECKS, after: &[] },
    Endpoint { name: "readyz", before: READINESS_CHECKS, after: &["shutdown"] },
];

const STORE_CHECKS: [&str; 2] = ["etcd", "etcd-readiness"];

impl Endpoint {
    fn checks(&self) -> impl Iterator<Item = &'static str> {
        self.before.iter().chain(&HOOKS).chain(self.after).copied()
    }

    /// Makes all checks that the query does not exclude. The response gives no reason for a failure, because anonymous
    /// clients may ask, too. Upstream: `handleRootHealth`.
    fn serve(&self, store: &Store, uri: &Uri) -> Response {
        let query = Query::parse(uri);
        let mut excluded: BTreeSet<&str> = query.all("exclude").into_iter().collect();
        let (mut report, mut healthy) = (String::new(), true);
        for name in self.checks() {
            let line = if excluded.remove(name) {
                format!("[+]{name} excluded: ok\n")
            } else if passes(name, store) {
                format!("[+]{name} ok\n")
            } else {
                healthy = false;
                format!("[-]{name} failed: reason withheld\n")
            };
            report.push_str(&line);
        }
        if !excluded.is_empty() {
            let names: Vec<String> = excluded.into_iter().map(quote).collect();
            let names = names.join(",");
            report.push_str(&format!("warn: some health checks cannot be excluded: no matches for {names}\n"));
        }
        let name = self.name;
        match query.get("verbose") {
            _ if !healthy => plain(StatusCode::INTERNAL_SERVER_ERROR, format!("{report}{name} check failed\n")),
            Some(_) => plain(StatusCode::OK, format!("{report}{name} check passed\n")),
            None => plain(StatusCode::OK, "ok"),
        }
    }

    /// Makes the check that the path names. Upstream: `adaptCheckToHandler`.
    fn serve_one(&self, store: &Store, uri: &Uri) -> Response {
        let name = uri.path().strip_prefix('/').and_then(|path| path.strip_prefix(self.name)?.strip_prefix('/'));
        match name.filter(|name| self.checks().any(|check| check == *name)) {
            None => no_such_path(),
            Some(name) if passes(name, store) => answer(StatusCode::OK, "text/plain; charset=utf-8", Body::from("ok")),
            Some(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "internal server error: a write was not finished\n"),
        }
    }
}

fn passes(name: &str, store: &Store) -> bool {
    !STORE_CHECKS.contains(&name) || store.is_sound()
}

/// Returns the paths of all checks, which `/` lists.
pub(crate) fn paths() -> impl Iterator<Item = String> {
    ENDPOINTS.iter().flat_map(|endpoint| {
        let of_check = |check| format!("/{}/{check}", endpoint.name);
        std::iter::once(format!("/{}", endpoint.name)).chain(endpoint.checks().map(of_check))
    })
}

/// Returns the routes of all checks. As upstream, the method does not matter.
pub(crate) fn routes() -> Router<Arc<Store>> {
    let mut router = Router::new();
    for endpoint in &ENDPOINTS {
        let all = move |State(store): State<Arc<Store>>, uri: Uri| async move { endpoint.serve(&store, &uri) };
        let one = move |State(store): State<Arc<Store>>, uri: Uri| async move { endpoint.serve_one(&store, &uri) };
        let path = format!("/{}", endpoint.name);
        router = router.route(&path, any(all)).route(&format!("{path}/{{*check}}"), any(one));
    }
    router
}

/// The checks of the parts that kube-apiserver has started, in its order.
static HOOKS: [&str; 30] = [
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/aggregator-reload-proxy-client-cert",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
];
