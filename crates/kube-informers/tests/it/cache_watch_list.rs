//! Tests of streaming lists (WatchList): a watch that begins with the existing objects, and the fallback to a plain
//! list.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::PostParams;
use kube_informers::cache::{
    ApiError, ListOptions, ListPage, ListWatch, ListerWatcher, Reflector, ReflectorOptions, SharedIndexInformer, Store,
    WatchEvent, WatchStream, meta_namespace_key,
};
use kube_testcluster::{Cluster, Era, Stages};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Level;

use crate::logged::Logged;
use crate::running;
use crate::source::{Source, identity, pod, status};

const STREAM: &str = "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true";
const WATCH: &str = "allowWatchBookmarks=true&resourceVersion=";
const LIST: &str = "limit=500&resourceVersion=0";

/// A running Reflector with the default options. Unlike [`running::Running`], it reads from any source, and it does not
/// keep the errors.
struct Running {
    store: Arc<Store<Pod>>,
    reflector: Arc<Reflector<Pod>>,
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Running {
    fn start(source: impl ListerWatcher<Pod> + 'static) -> Self {
        Self::start_into(source, Store::new(meta_namespace_key::<Pod>))
    }

    fn start_into(source: impl ListerWatcher<Pod> + 'static, store: Store<Pod>) -> Self {
        let store = Arc::new(store);
        let reflector = Arc::new(Reflector::new(source, store.clone()));
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (reflector, stop) = (reflector.clone(), stop.clone());
            async move { reflector.run(stop).await }
        });
        Self { store, reflector, task, stop }
    }

    fn stored(&self) -> Vec<(String, String)> {
        let mut stored: Vec<_> = self.store.list().iter().map(|pod| identity(pod)).collect();
        stored.sort();
        stored
    }

    fn version(&self) -> String {
        self.reflector.last_sync_resource_version()
    }

    async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

/// Waits longer than the back-offs in these tests, but shorter than a streaming list may be silent.
async fn rest() {
    sleep(Duration::from_secs(60)).await;
}

#[tokio::test(start_paused = true)]
async fn one_watch_delivers_the_existing_objects_and_the_changes() {
    let source = Source::default();
    source.put("b");
    source.put("a");
    let running = Running::start(source.clone());
    rest().await;
    assert_eq!((running.stored(), running.version()), (source.pods(), "2".to_owned()));
    source.put("c");
    source.delete("a");
    rest().await;
    assert_eq!((running.stored(), running.version()), (source.pods(), "4".to_owned()));
    assert_eq!(source.requests(), [STREAM]);
    source.close_watches();
    rest().await;
    assert_eq!(source.requests(), [format!("{WATCH}4&watch=true")]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_stored_before_the_bookmark_that_ends_the_initial_events() {
    let source = Source::default();
    source.put("a");
    source.put("b");
    source.end_initial_events(false);
    let running = Running::start(source.clone());
    rest().await;
    source.put("a");
    source.delete("b");
    rest().await;
    assert_eq!((running.stored(), running.version()), (vec![], String::new()));
    source.send(|| WatchEvent::Bookmark { resource_version: "4".into(), initial_events_end: true });
    rest().await;
    assert_eq!((running.stored(), running.version()), (source.pods(), "4".to_owned()));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_before_the_bookmark_is_opened_again_at_once() {
    let source = Source::default();
    source.put("a");
    source.end_initial_events(false);
    let running = Running::start(source.clone());
    rest().await;
    source.end_initial_events(true);
    source.close_watches();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(source.requests(), [STREAM, STREAM]);
    assert_eq!(running.stored(), source.pods());
    running.stop().await;
}

/// A source whose watches are cut off after their first event.
struct CutOff(Source);

impl ListerWatcher<Pod> for CutOff {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        self.0.list(options)
    }
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        async { Ok(self.0.watch(options).await?.take(1).boxed()) }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_cut_off_repeatedly_is_reported_and_retried_with_back_off() {
    let logged = Logged::start();
    let source = Source::default();
    source.put("a");
    source.put("b");
    let errors: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = errors.clone();
    let options = ReflectorOptions::new()
        .backoff(|_| Duration::from_secs(10))
        .on_error(move |error| seen.lock().unwrap().push(error.to_string()));
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let reflector = Reflector::new(CutOff(source.clone()), store.clone()).options(options);
    let _ = timeout(Duration::from_secs(25), reflector.run(CancellationToken::new())).await;
    assert_eq!(source.requests(), [STREAM; 4]);
    let warning = "the streaming list of objects was cut off before its end";
    assert_eq!(*errors.lock().unwrap(), [warning; 3]);
    assert_eq!(logged.with(Level::WARN), [warning]);
    assert!(store.list().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_failed_streaming_list_is_reported_unless_it_is_unsupported_or_the_version_expired() {
    let quiet = [("BadRequest", 400), ("NotFound", 404), ("MethodNotAllowed", 405), ("Invalid", 422), ("Expired", 410)];
    let reported = [("Forbidden", 403), ("Unauthorized", 401), ("InternalError", 500), ("ServiceUnavailable", 503)];
    for ((reason, code), is_reported) in
        quiet.map(|refusal| (refusal, false)).into_iter().chain(reported.map(|f| (f, true)))
    {
        let source = Source::default();
        source.put("a");
        // After the first 410, the Reflector tries a streaming list of the most recent state.
        for _ in 0..if code == 410 { 2 } else { 1 } {
            source.fail_watch(status(reason, code));
        }
        let running = running::Running::start_with(&source, ReflectorOptions::new());
        sleep(Duration::from_millis(1)).await;
        let first = running.errors.lock().unwrap().first().cloned();
        assert_eq!(first.as_deref(), is_reported.then_some("cannot watch objects: on demand"), "{reason}");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_event_of_a_streaming_list_is_reported() {
    let source = Source::default();
    source.end_initial_events(false);
    let running = running::Running::start_with(&source, ReflectorOptions::new());
    sleep(Duration::from_millis(1)).await;
    source.send(|| WatchEvent::Error(Box::new(status("InternalError", 500))));
    sleep(Duration::from_millis(1)).await;
    assert_eq!(*running.errors.lock().unwrap(), ["the watch of objects failed: on demand"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_streaming_list_leads_to_a_plain_list() {
    for refusal in [status("Invalid", 422), status("Forbidden", 403), status("InternalError", 500)] {
        let source = Source::default();
        source.put("a");
        source.fail_watch(refusal);
        let running = Running::start(source.clone());
        rest().await;
        assert_eq!(source.requests(), [STREAM, LIST, &format!("{WATCH}1&watch=true")]);
        assert_eq!(running.stored(), source.pods());
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_lead_to_a_retry_after_a_back_off_that_a_stop_ends() {
    let source = Source::default();
    source.fail_watch(status("TooManyRequests", 429));
    source.fail_watch(status("TooManyRequests", 429));
    let running = Running::start(source.clone());
    rest().await;
    assert_eq!(source.requests(), [STREAM; 3]);
    running.stop().await;

    source.fail_watch(status("TooManyRequests", 429));
    let running = Running::start(source);
    sleep(Duration::from_millis(1)).await;
    let stopped = Instant::now();
    running.stop().await;
    assert!(stopped.elapsed().is_zero());
}

#[tokio::test(start_paused = true)]
async fn an_expired_version_leads_to_a_streaming_list_of_the_most_recent_state() {
    let source = Source::default();
    source.put("lost");
    let running = Running::start(source.clone());
    rest().await;
    source.requests();
    source.hide_changes();
    source.delete("lost");
    source.put("new");
    source.expire();
    source.fail_watch(status("Expired", 410));
    rest().await;
    assert_eq!(running.stored(), source.pods());
    let from_1 = STREAM.replace("&resourceVersionMatch", "&resourceVersion=1&resourceVersionMatch");
    assert_eq!(source.requests(), [&format!("{WATCH}1&watch=true"), &from_1, STREAM]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_stores_transformer_runs_on_each_initial_event_and_again_when_the_list_is_stored() {
    let source = Source::default();
    source.put("a");
    source.put("b");
    let calls = Arc::new(Mutex::new(0));
    let counted = calls.clone();
    let store = Store::new(meta_namespace_key::<Pod>).transformer(move |pod| {
        *counted.lock().unwrap() += 1;
        Ok(pod)
    });
    let running = Running::start_into(source.clone(), store);
    rest().await;
    source.put("c");
    rest().await;
    assert_eq!(*calls.lock().unwrap(), 2 + 2 + 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn initial_events_do_not_change_the_last_sync_version() {
    let source = Source::default();
    source.end_initial_events(false);
    let running = Running::start(source.clone());
    rest().await;
    source.send(|| WatchEvent::Added(pod("a", 9).into()));
    rest().await;
    assert_eq!(running.version(), "");
    running.stop().await;
}

/// A source without streaming lists.
struct Plain(Source);

impl ListerWatcher<Pod> for Plain {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        self.0.list(options)
    }
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        self.0.watch(options)
    }
    fn has_watch_list(&self) -> bool {
        false
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_without_streaming_lists_gets_a_plain_list_request() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(Plain(source.clone()));
    rest().await;
    assert_eq!(source.requests(), [LIST, &format!("{WATCH}1&watch=true")]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_informer_syncs_with_modern_and_with_classic_clusters() {
    for era in [Era::Modern, Era::Classic] {
        let cluster = Cluster::builder().stages(Stages::none()).era(era).start();
        let api: Api<Pod> = Api::default_namespaced(cluster.client("default"));
        create(&api, "a").await;
        create(&api, "b").await;
        let source = ListWatch::<Pod>::namespaced(cluster.client("default"), "default");
        let informer = SharedIndexInformer::new(source);
        let stop = CancellationToken::new();
        let task = tokio::spawn(informer.clone().run(stop.clone()));
        informer.synced().await.unwrap();
        assert_eq!(informer.reader().len(), 2, "{era:?}");
        create(&api, "c").await;
        sleep(Duration::from_secs(1)).await;
        assert_eq!(informer.reader().len(), 3, "{era:?}");
        stop.cancel();
        task.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}

async fn create(pods: &Api<Pod>, name: &str) {
    let pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}});
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
}
