//! The property of a folder over restarts: whatever ends a cluster, and whatever the clock says at the next start,
//! nothing that was answered is lost, no revision is given twice, and no watch or informer misses a change.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use futures::FutureExt;
use http::StatusCode;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informers::cache::{ListWatch, ReflectorOptions, SharedIndexInformer, WatchList};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::super::simulated_disk::{Crash, SimulatedDisk};
use super::support::{MAPS, Watch, ask, builder, end, get, revision, seeds, start};
use crate::Cluster;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The collections that are written to, with the versions and kinds of their objects.
const WRITTEN: [(&str, &str, &str); 4] = [
    (MAPS, "v1", "ConfigMap"),
    ("/api/v1/namespaces/default/secrets", "v1", "Secret"),
    ("/apis/coordination.k8s.io/v1/namespaces/default/leases", "coordination.k8s.io/v1", "Lease"),
    ("/apis/example.com/v1/namespaces/default/doors", "example.com/v1", "Door"),
];

/// The value of an object's label `write`, which each write changes; `None` for an object that is not there.
type Label = Option<String>;

/// The state of a folder that its clients have seen.
struct Clients {
    random: fastrand::Rng,
    /// The states that an object may have: one after a write that was answered, two after one that was not.
    objects: BTreeMap<String, Vec<Label>>,
    /// The revisions in all answers and events so far.
    revisions: BTreeSet<u64>,
    writes: u32,
}

impl Clients {
    fn newest(&self) -> u64 {
        self.revisions.last().copied().unwrap_or_default()
    }

    /// Notes the revision of an answer, which must not be lower than an earlier one.
    fn see(&mut self, revision: u64, what: &str) {
        assert!(revision >= self.newest(), "{what}: {revision} after {}", self.newest());
        self.revisions.insert(revision);
    }

    async fn list(&mut self, router: &Router, collection: &str) -> Vec<Value> {
        let list = get(router, collection).await;
        self.see(list.revision(), collection);
        list.body["items"].as_array().unwrap().clone()
    }

    /// Lists a collection, and lists it again as a stream.
    async fn list_twice(&mut self, router: &Router, collection: &str) {
        let items = self.list(router, collection).await;
        let stream = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
        let mut streamed = Watch::open(router, &format!("{collection}?{stream}")).await.events().await;
        let end = streamed.pop().unwrap_or_default();
        assert_eq!((&end["type"], revision(&end["object"])), (&json!("BOOKMARK"), self.newest()), "{collection}");
        let identity = |object: &Value| (object["metadata"]["uid"].clone(), revision(object));
        let (listed, streamed): (Vec<_>, Vec<_>) =
            (items.iter().map(identity).collect(), streamed.iter().map(|event| identity(&event["object"])).collect());
        assert_eq!(streamed, listed, "{collection}");
    }

    /// Checks that each object is as its last writes have left it.
    async fn check_objects(&mut self, router: &Router) {
        let mut found = BTreeMap::new();
        for (collection, ..) in WRITTEN {
            for item in self.list(router, collection).await {
                let name = item["metadata"]["name"].as_str().unwrap();
                let label = item["metadata"]["labels"]["write"].as_str().unwrap().to_owned();
                found.insert(format!("{collection}/{name}"), label);
            }
        }
        for path in found.keys() {
            assert!(self.objects.contains_key(path), "{path} was never created");
        }
        for (path, states) in &mut self.objects {
            let now = found.get(path).cloned();
            assert!(states.contains(&now), "{path}: {now:?} is none of {states:?}");
            *states = vec![now];
        }
    }

    /// Creates, changes or deletes an object. Returns false if the write was not answered.
    async fn write(&mut self, router: &Router) -> bool {
        let (collection, api_version, kind) = WRITTEN[self.random.usize(0..WRITTEN.len())];
        let name = format!("n{}", self.random.u8(0..4));
        let path = format!("{collection}/{name}");
        self.writes += 1;
        let label = self.writes.to_string();
        let padding = "x".repeat(self.random.usize(0..3) * 700);
        let metadata = json!({"name": name, "labels": {"write": label}, "annotations": {"padding": padding}});
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
        let states = self.objects.entry(path.clone()).or_insert_with(|| vec![None]);
        let (next, answer) = match &states[..] {
            [None] => (Some(label), ask(router, "POST", collection, &object).await),
            _ if self.random.bool() => (None, ask(router, "DELETE", &path, &Value::Null).await),
            _ => (Some(label), ask(router, "PATCH", &path, &object).await),
        };
        if answer.status >= 500 {
            states.push(next);
            return false;
        }
        assert!(answer.status < 300, "{path}: {answer:?}");
        let is_there = next.is_some();
        *states = vec![next];
        if is_there {
            assert!(answer.revision() > self.newest(), "{path}: {} after {}", answer.revision(), self.newest());
            self.see(answer.revision(), &path);
        }
        true
    }

    /// Checks that a watch of a collection from any revision that an answer had gives all later changes, or 410.
    async fn check_watches(&mut self, router: &Router, collection: &str, changes: &[Value], begun: u64) {
        for from in &self.random.choose_multiple(&self.revisions, 12) {
            let mut watch = Watch::open(router, &format!("{collection}?watch=true&resourceVersion={from}")).await;
            let events = watch.events().await;
            if events.first().is_some_and(|event| event["object"]["code"] == 410) {
                assert!(**from < begun, "{collection}: the changes after {from} are of this start");
                continue;
            }
            let later: Vec<&Value> = changes.iter().filter(|change| revision(&change["object"]) > **from).collect();
            assert_eq!(events.iter().collect::<Vec<_>>(), later, "{collection} from {from}");
        }
    }
}

/// The address of a server, which answers only while a cluster is started.
#[derive(Clone, Default)]
struct Address(Arc<Mutex<Option<Router>>>);

impl Address {
    fn serve(&self, router: Option<Router>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = router;
    }

    fn router(&self) -> Router {
        let address = self.clone();
        Router::new().fallback(async move |request: Request| {
            let router = address.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
            match router {
                Some(mut router) => router.call(request).await.into_response(),
                None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            }
        })
    }
}

async fn define_doors(router: &Router) {
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let definition = json!({"metadata": {"name": "doors.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "doors", "kind": "Door"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
    }});
    assert_eq!(ask(router, "POST", DEFINITIONS, &definition).await.status, 201);
}

/// Returns the paths of some kinds that are stored.
fn some_kinds(cluster: &Cluster, random: &mut fastrand::Rng) -> Vec<String> {
    let catalog = cluster.store.catalog();
    let paths = catalog.stored().map(|kind| match kind.group() {
        "" => format!("/api/{}/{}", kind.version(), kind.plural()),
        group => format!("/apis/{group}/{}/{}", kind.version(), kind.plural()),
    });
    random.choose_multiple(paths, 3)
}

/// Starts a cluster on a disk that ends after a few operations, perhaps during the start. The cluster answers no
/// request. Returns the disk that the next start finds.
async fn cut_start(disk: &SimulatedDisk, clients: &mut Clients) -> SimulatedDisk {
    disk.end_after(clients.random.u64(0..30));
    if let Ok(cluster) = start(disk, builder().first_revision(clients.random.u64(1..1 << 60))) {
        disk.end_after(0);
        end(cluster).await;
    }
    disk.after(if clients.random.bool() { Crash::Process } else { Crash::Power })
}

/// Starts a cluster on the disk, reads, writes, and ends it. Returns the disk that the next start finds.
async fn one_start(disk: &SimulatedDisk, is_first: bool, clients: &mut Clients, address: &Address) -> SimulatedDisk {
    let disk = &if clients.random.u8(0..3) == 0 { cut_start(disk, clients).await } else { disk.clone() };
    let digits = clients.random.u32(1..60);
    let clock = clients.random.u64(1..1 << digits); // of any order of magnitude, before and after the last revision
    let cluster = start(disk, builder().first_revision(clock)).unwrap();
    let router = cluster.router();
    let begun_at = cluster.store.lock().storage.revision();
    if is_first {
        define_doors(&router).await;
    }
    for path in some_kinds(&cluster, &mut clients.random) {
        clients.list_twice(&router, &path).await;
        assert!(is_first || clients.newest() == begun_at, "{path} at {}, the store at {begun_at}", clients.newest());
    }
    clients.check_objects(&router).await;
    address.serve(Some(router.clone()));

    let (followed, ..) = WRITTEN[clients.random.usize(0..WRITTEN.len())];
    clients.list_twice(&router, followed).await;
    let begun = clients.newest();
    let mut watch = Watch::open(&router, &format!("{followed}?watch=true&resourceVersion={begun}")).await;
    for _ in 0..clients.random.usize(0..12) {
        assert!(clients.write(&router).await);
    }
    let changes = watch.events().await;
    clients.revisions.extend(changes.iter().map(|change| revision(&change["object"])));
    clients.check_objects(&router).await;
    clients.check_watches(&router, followed, &changes, begun).await;

    let crash = match clients.random.u8(0..3) {
        0 => None,
        1 => Some(Crash::Process),
        _ => Some(Crash::Power),
    };
    if crash.is_some() {
        disk.end_after(clients.random.u64(0..12));
        while clients.write(&router).await {}
    }
    address.serve(None);
    end(cluster).await;
    disk.after(crash.unwrap_or(Crash::Power))
}

/// Starts and ends clusters on one disk, as the seed decides. Checks what clients and an informer see.
async fn check(seed: u64) {
    let mut clients = Clients {
        random: fastrand::Rng::with_seed(seed),
        objects: BTreeMap::new(),
        revisions: BTreeSet::new(),
        writes: 0,
    };
    let address = Address::default();
    let watch_list = if clients.random.bool() { WatchList::Yes } else { WatchList::No };
    let maps = ListWatch::<ConfigMap>::namespaced(kube::Client::new(address.router(), "default"), "default");
    let options = ReflectorOptions::new().watch_list(watch_list);
    let informer = SharedIndexInformer::builder(maps).reflector(options).build();
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));

    let mut disk = SimulatedDisk::new(seed);
    for n in 0..clients.random.usize(2..5) {
        disk = one_start(&disk, n == 0, &mut clients, &address).await;
    }
    let cluster = start(&disk, builder()).unwrap();
    clients.check_objects(&cluster.router()).await;
    address.serve(Some(cluster.router()));
    tokio::time::sleep(Duration::from_secs(120)).await; // the back-off may be up to half a minute
    let listed = clients.list(&cluster.router(), MAPS).await;
    let identity = |map: &Value| (map["metadata"]["uid"].to_string(), revision(map));
    let listed: BTreeMap<_, _> = listed.iter().map(identity).collect();
    let held: BTreeMap<_, _> = informer.reader().list().iter().map(|map| identity(&json!(**map))).collect();
    assert_eq!(held, listed);
    stop.cancel();
    running.await.unwrap().unwrap();
    end(cluster).await;
}

#[tokio::test(start_paused = true)]
async fn restarts_lose_nothing_that_was_answered_and_give_no_revision_twice() {
    for seed in seeds(50) {
        let checked = AssertUnwindSafe(check(seed)).catch_unwind().await;
        assert!(checked.is_ok(), "seed {seed}");
    }
}
