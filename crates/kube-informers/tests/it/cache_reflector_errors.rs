//! Tests of how a Reflector reports failures, in the log and to its error handler.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::core::Status;
use kube_informers::cache::{
    ApiError, ListOptions, ListPage, ListerWatcher, Reflector, ReflectorError, ReflectorOptions, Store, WatchEvent,
    WatchList, WatchStream, meta_namespace_key, with_causes,
};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Level;

use crate::logged::Logged;
use crate::running::Running;
use crate::source::{Source, pod, status};

const SECOND: Duration = Duration::from_secs(1);

/// Waits longer than any back-off, so that every effect of the last step has happened.
async fn rest() {
    sleep(130 * SECOND).await;
}

fn forbidden(what: &str) -> Status {
    Status::failure(&format!("{what} is forbidden"), "Forbidden").with_code(403)
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_logged_as_a_warning_again_only_when_it_changes_or_comes_back() {
    let logged = Logged::start();
    let source = Source::default();
    for what in ["pods", "pods", "pods", "nodes"] {
        source.fail_list(forbidden(what));
    }
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let reflector = Reflector::new(source.clone(), store).options(ReflectorOptions::new().watch_list(WatchList::No));
    let run = tokio::spawn(async move { reflector.run(CancellationToken::new()).await });
    rest().await;
    let warned = ["cannot list objects: pods is forbidden", "cannot list objects: nodes is forbidden"];
    assert_eq!(logged.with(Level::WARN), warned);
    let debugged = logged.with(Level::DEBUG);
    assert_eq!(debugged.iter().filter(|line| *line == warned[0]).count(), 2, "{debugged:?}");

    source.fail_list(forbidden("nodes"));
    source.expire();
    rest().await;
    assert_eq!(logged.with(Level::WARN)[2..], warned[1..]);
    run.abort();
}

#[tokio::test(start_paused = true)]
async fn an_expired_version_or_a_short_watch_logs_no_warning() {
    let logged = Logged::start();
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    rest().await;
    source.expire();
    rest().await;
    source.send(|| WatchEvent::Error(Box::new(status("Expired", 410))));
    rest().await;
    source.close_watches();
    source.close_watches();
    rest().await;
    assert!(logged.with(Level::WARN).is_empty(), "{:?}", logged.with(Level::WARN));
    running.stop().await;
}

/// A source whose watches end at once while its flag is set.
#[derive(Clone, Default)]
struct CutsWatches(Source, Arc<AtomicBool>);

impl ListerWatcher<Pod> for CutsWatches {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        self.0.list(options)
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        if self.1.load(Ordering::Relaxed) {
            async { Ok(stream::empty().boxed()) }.boxed()
        } else {
            self.0.watch(options)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn repeated_short_watches_log_one_warning_until_a_watch_lasts() {
    let logged = Logged::start();
    let source = CutsWatches::default();
    source.1.store(true, Ordering::Relaxed);
    let reported: Arc<Mutex<Vec<u32>>> = Arc::default();
    let seen = reported.clone();
    let options = ReflectorOptions::new().watch_list(WatchList::No).on_error(move |error| {
        let ReflectorError::ShortWatches(_, number) = error else { panic!("{error}") };
        seen.lock().unwrap().push(number);
    });
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let reflector = Reflector::new(source.clone(), store).options(options);
    let run = tokio::spawn(async move { reflector.run(CancellationToken::new()).await });
    sleep(600 * SECOND).await;
    let warning = "5 watches of objects in a row ended within a second and without an event";
    assert_eq!(logged.with(Level::WARN), [warning]);
    assert!(reported.lock().unwrap().starts_with(&[5, 10]), "{reported:?}");

    source.1.store(false, Ordering::Relaxed);
    sleep(60 * SECOND).await;
    source.1.store(true, Ordering::Relaxed);
    source.0.close_watches();
    sleep(600 * SECOND).await;
    assert_eq!(logged.with(Level::WARN), [warning, warning]);
    run.abort();
}

#[tokio::test(start_paused = true)]
async fn an_expired_version_on_the_first_watch_leads_to_a_list() {
    for watch_list in [WatchList::No, WatchList::Yes] {
        let source = Source::default();
        source.put("a");
        for _ in 0..3 {
            source.fail_watch(status("Expired", 410));
        }
        let running = Running::start_with(&source, ReflectorOptions::new().watch_list(watch_list));
        rest().await;
        source.put("b");
        rest().await;
        assert_eq!(running.stored(), source.pods());
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_event_of_a_watch_is_reported() {
    let source = Source::default();
    let running = Running::start(&source);
    rest().await;
    source.send(|| WatchEvent::Error(Box::new(status("InternalError", 500))));
    rest().await;
    assert_eq!(*running.errors.lock().unwrap(), ["the watch of objects failed: on demand"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_event_that_the_transformer_refuses_is_reported_for_watches_and_streaming_lists() {
    for (watch_list, lost) in [
        (WatchList::No, "the MODIFIED event of \"default/b\" was lost, of objects: transforming: no b"),
        (WatchList::Yes, "the ADDED event of \"default/b\" was lost, of objects: no b"),
    ] {
        let source = Source::default();
        source.put("a");
        if watch_list == WatchList::Yes {
            source.put("b");
        }
        let store = Store::new(meta_namespace_key::<Pod>).transformer(|pod: Arc<Pod>| {
            if pod.metadata.name.as_deref() == Some("b") { Err("no b".into()) } else { Ok(pod) }
        });
        let errors: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = errors.clone();
        let options = ReflectorOptions::new()
            .watch_list(watch_list)
            .on_error(move |error| seen.lock().unwrap().push(with_causes(&error).to_string()));
        let store = Arc::new(store);
        let reflector = Reflector::new(source.clone(), store.clone()).options(options);
        let run = tokio::spawn(async move { reflector.run(CancellationToken::new()).await });
        sleep(SECOND).await;
        if watch_list == WatchList::No {
            source.send(|| WatchEvent::Modified(pod("b", 2).into()));
        }
        source.put("c");
        sleep(SECOND).await;
        assert_eq!(*errors.lock().unwrap(), [lost]);
        assert_eq!(store.list().len(), 2);
        run.abort();
    }
}

/// A source whose list has no resourceVersion, and whose watches send one event and end. Notes its requests.
#[derive(Clone, Default)]
struct WithoutVersion(Arc<Mutex<Vec<String>>>);

impl ListerWatcher<Pod> for WithoutVersion {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        self.0.lock().unwrap().push(options.list_query());
        let page = ListPage::new(vec![pod("a", 1).into()], "");
        async { Ok(page) }.boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        self.0.lock().unwrap().push(format!("watch from {:?}", options.resource_version));
        async {
            let ends = async {
                sleep(2 * SECOND).await;
                WatchEvent::Added(pod("a", 1).into())
            };
            Ok(stream::once(ends).boxed())
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_version_is_accepted_with_a_warning_and_repeated_after_each_watch() {
    let logged = Logged::start();
    let source = WithoutVersion::default();
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let reflector = Reflector::new(source.clone(), store.clone())
        .options(ReflectorOptions::new().watch_list(WatchList::No).backoff(|_| SECOND));
    let _ = timeout(5 * SECOND, reflector.run(CancellationToken::new())).await;
    assert_eq!(store.list_keys(), ["default/a"]);
    let list = "limit=500&resourceVersion=0";
    assert_eq!(*source.0.lock().unwrap(), [list, "watch from Some(\"\")", list, "watch from Some(\"\")"]);
    let warned = "the list of objects has no resourceVersion, so every watch begins with a new list";
    assert_eq!(logged.with(Level::WARN), [warned]);
}

#[tokio::test(start_paused = true)]
async fn an_event_without_a_version_does_not_change_where_the_next_watch_starts() {
    let source = Source::default();
    source.put("lost");
    let running = Running::start(&source);
    sleep(2 * SECOND).await;
    source.send(|| {
        let mut projected = pod("a", 0);
        projected.metadata.resource_version = None;
        WatchEvent::Modified(projected.into())
    });
    sleep(2 * SECOND).await;
    source.requests();
    source.hide_changes();
    source.delete("lost");
    source.stop_hiding_changes();
    source.close_watches();
    sleep(SECOND).await;
    assert_eq!(source.requests(), ["allowWatchBookmarks=true&resourceVersion=1&watch=true"]);
    assert_eq!(running.store.list_keys(), ["default/a"]);
    running.stop().await;
}

/// A source that notes the timeouts of its watches.
#[derive(Clone, Default)]
struct Timeouts(Arc<Mutex<Vec<u32>>>);

impl ListerWatcher<Pod> for Timeouts {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        async { Ok(ListPage::new(Vec::new(), "1")) }.boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        self.0.lock().unwrap().push(options.timeout_seconds);
        async { Ok(stream::pending().boxed()) }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn reflectors_with_the_same_options_have_different_jitter_that_a_seed_reproduces() {
    let drawn = async |options: ReflectorOptions| {
        let source = Timeouts::default();
        for _ in 0..3 {
            let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
            let reflector = Reflector::new(source.clone(), store).options(options.clone());
            let _ = timeout(SECOND, reflector.run(CancellationToken::new())).await;
        }
        source.0.lock().unwrap().clone()
    };
    let options = || ReflectorOptions::new().watch_list(WatchList::No);
    let seeded = drawn(options().seed(7)).await;
    assert!(seeded[0] != seeded[1] && seeded[1] != seeded[2], "{seeded:?}");
    assert_eq!(drawn(options().seed(7)).await, seeded);
    assert_ne!(drawn(options()).await, drawn(options()).await);
}

#[tokio::test(start_paused = true)]
async fn the_last_min_watch_timeout_applies_and_a_page_size_of_zero_disables_paging() {
    let source = Source::default();
    let options = ReflectorOptions::new().watch_list(WatchList::No).page_size(0);
    let running = Running::start_with(&source, options.min_watch_timeout(3600 * SECOND).min_watch_timeout(SECOND));
    // The source asserts that the timeout is five to ten minutes, because the least minimum is five minutes.
    sleep(SECOND).await;
    assert_eq!(source.requests(), ["resourceVersion=0", "allowWatchBookmarks=true&resourceVersion=0&watch=true"]);
    running.stop().await;
}
