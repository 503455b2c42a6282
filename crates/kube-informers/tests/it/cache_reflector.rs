//! Tests of the requests that a Reflector sends: lists, watches, relists after errors, and resyncs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    ApiError, HandlerFuncs, Reflector, ReflectorOptions, ReflectorStore, ResyncTrigger, SharedIndexInformer,
    WatchEvent, WatchList,
};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::running::Running;
use crate::source::{Source, pod, status};

/// Waits longer than any back-off, so that every effect of the last step has happened.
async fn rest() {
    sleep(Duration::from_secs(130)).await;
}

const WATCH: &str = "allowWatchBookmarks=true&resourceVersion=";

#[tokio::test(start_paused = true)]
async fn a_reflector_lists_from_the_watch_cache_and_watches_from_the_lists_version() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    rest().await;
    assert_eq!(source.requests(), ["limit=500&resourceVersion=0", &format!("{WATCH}1&watch=true")]);
    source.put("b");
    source.put("a");
    source.delete("b");
    rest().await;
    assert_eq!(running.stored(), source.pods());
    assert_eq!(running.reflector.last_sync_resource_version(), "4");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_is_opened_again_at_once_from_the_last_version() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    sleep(Duration::from_secs(2)).await;
    source.put("a");
    sleep(Duration::from_secs(2)).await;
    source.requests();
    source.close_watches();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(source.requests(), [format!("{WATCH}2&watch=true")]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_expired_watch_leads_to_a_relist_that_is_not_older_than_the_cache() {
    let source = Source::default();
    source.put("lost");
    source.put("kept");
    let running = Running::start(&source);
    rest().await;
    source.requests();
    source.hide_changes();
    source.delete("lost");
    source.put("new");
    source.expire();
    rest().await;
    assert_eq!(running.stored(), source.pods());
    let expected = [&format!("{WATCH}2&watch=true"), "resourceVersion=2", &format!("{WATCH}4&watch=true")];
    assert_eq!(source.requests(), expected);
    assert_eq!(*running.errors.lock().unwrap(), ["cannot watch objects: on demand"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_at_an_expired_or_future_version_is_repeated_for_the_most_recent_state() {
    for refusal in [status("Expired", 410), status("Timeout", 504)] {
        let source = Source::default();
        source.put("a");
        let running = Running::start(&source);
        rest().await;
        source.requests();
        source.fail_list(kube::core::Status { message: "Too large resource version: 9, current: 1".into(), ..refusal });
        source.expire();
        rest().await;
        let expected = [&format!("{WATCH}1&watch=true"), "resourceVersion=1", "", &format!("{WATCH}1&watch=true")];
        assert_eq!(source.requests(), expected);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_list_is_reported_and_retried_with_a_growing_back_off() {
    let source = Source::default();
    for _ in 0..3 {
        source.fail_list(status("Forbidden", 403));
    }
    let start = Instant::now();
    let running = Running::start_with(&source, ReflectorOptions::new().watch_list(WatchList::No).seed(1));
    while source.requests().is_empty() || running.errors.lock().unwrap().len() < 3 {
        sleep(Duration::from_millis(1)).await;
    }
    assert!(
        start.elapsed() >= Duration::from_millis(800 + 1600),
        "two back-offs take longer than {:?}",
        start.elapsed()
    );
    rest().await;
    assert_eq!(*running.errors.lock().unwrap(), ["cannot list objects: on demand"; 3]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_gets_too_many_requests_is_retried_without_a_relist() {
    let source = Source::default();
    source.put("a");
    source.fail_watch(status("TooManyRequests", 429));
    source.fail_watch(status("TooManyRequests", 429));
    let running = Running::start(&source);
    rest().await;
    let watch = format!("{WATCH}1&watch=true");
    assert_eq!(source.requests(), ["limit=500&resourceVersion=0", &watch, &watch, &watch]);
    assert_eq!(*running.errors.lock().unwrap(), ["cannot watch objects: on demand"; 2]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_error_event_leads_to_a_relist() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    rest().await;
    source.requests();
    source.send(|| WatchEvent::Error(Box::new(status("InternalError", 500))));
    rest().await;
    assert_eq!(source.requests(), ["resourceVersion=1", &format!("{WATCH}1&watch=true")]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_changes_only_the_version() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    rest().await;
    source.send(|| WatchEvent::Bookmark { resource_version: "77".into(), initial_events_end: false });
    rest().await;
    assert_eq!(running.reflector.last_sync_resource_version(), "77");
    assert_eq!(running.stored(), source.pods());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn added_events_of_a_watch_from_version_zero_do_not_change_the_version() {
    let source = Source::default();
    let running = Running::start(&source);
    rest().await;
    source.send(|| WatchEvent::Added(pod("late", 9).into()));
    rest().await;
    assert_eq!(running.reflector.last_sync_resource_version(), "0");
    source.send(|| WatchEvent::Modified(pod("late", 10).into()));
    rest().await;
    assert_eq!(running.reflector.last_sync_resource_version(), "10");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_a_run_at_once_and_closes_the_watch() {
    let source = Source::default();
    let running = Running::start(&source);
    rest().await;
    let stopped = Instant::now();
    running.stop().await;
    assert!(stopped.elapsed().is_zero());
}

/// A store that notes the times of its resyncs and ignores all other calls. The second field is the start of the test.
#[derive(Default)]
struct Resyncs(Mutex<Vec<Duration>>, Option<Instant>);

impl ReflectorStore<Pod> for Resyncs {
    fn add(&self, _: Arc<Pod>) -> Result<(), kube_informers::cache::Error> {
        Ok(())
    }
    fn update(&self, _: Arc<Pod>) -> Result<(), kube_informers::cache::Error> {
        Ok(())
    }
    fn delete(&self, _: kube_informers::cache::Deletion<Pod>) -> Result<(), kube_informers::cache::Error> {
        Ok(())
    }
    fn replace(&self, _: Vec<Arc<Pod>>, _: &str) -> Result<(), kube_informers::cache::Error> {
        Ok(())
    }
    fn resync(&self) -> Result<(), kube_informers::cache::Error> {
        self.0.lock().unwrap().push(self.1.unwrap().elapsed());
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_resync_comes_once_a_period_while_a_watch_is_open() {
    let resyncs = Arc::new(Resyncs(Mutex::default(), Some(Instant::now())));
    let source = Source::default();
    let reflector = Reflector::new(source.clone(), resyncs.clone()).resync(Duration::from_secs(10));
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { reflector.run(stop).await }
    });
    sleep(Duration::from_secs(35)).await;
    stop.cancel();
    task.await.unwrap();
    let seconds: Vec<u64> = resyncs.0.lock().unwrap().iter().map(Duration::as_secs).collect();
    assert_eq!(seconds, [10, 20, 30]);
}

#[tokio::test(start_paused = true)]
async fn a_trigger_resyncs_at_once_and_leaves_the_period_as_it_is() {
    for period in [Duration::ZERO, Duration::from_secs(10)] {
        let resyncs = Arc::new(Resyncs(Mutex::default(), Some(Instant::now())));
        let trigger = ResyncTrigger::new();
        let reflector = Reflector::new(Source::default(), resyncs.clone())
            .options(ReflectorOptions::new().resync_trigger(&trigger))
            .resync(period)
            .should_resync(|| true);
        assert_eq!(trigger.fire(), 0, "no Reflector watches yet");
        let fire = async {
            for at in [3, 4] {
                sleep(Duration::from_secs(at)).await;
                assert_eq!(trigger.fire(), 1);
            }
        };
        let run = timeout(Duration::from_secs(15), reflector.run(CancellationToken::new()));
        let (_, ()) = tokio::join!(run, fire);
        let seconds: Vec<u64> = resyncs.0.lock().unwrap().iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, if period.is_zero() { vec![3, 7] } else { vec![3, 7, 10] });
    }
}

#[tokio::test(start_paused = true)]
async fn resyncs_continue_while_the_reflector_backs_off_from_a_busy_server() {
    let resyncs = Arc::new(Resyncs(Mutex::default(), Some(Instant::now())));
    let source = Source::default();
    for _ in 0..10 {
        source.fail_watch(status("TooManyRequests", 429));
    }
    let reflector = Reflector::new(source.clone(), resyncs.clone())
        .options(ReflectorOptions::new().watch_list(WatchList::No))
        .resync(Duration::from_secs(10));
    let _ = timeout(Duration::from_secs(35), reflector.run(CancellationToken::new())).await;
    let seconds: Vec<u64> = resyncs.0.lock().unwrap().iter().map(Duration::as_secs).collect();
    assert_eq!(seconds, [10, 20, 30]);
}

#[tokio::test(start_paused = true)]
async fn internal_errors_reopen_the_watch_without_a_relist_during_the_retry_window() {
    let source = Source::default();
    source.put("a");
    let window = Duration::from_secs(3);
    let running =
        Running::start_with(&source, ReflectorOptions::new().watch_list(WatchList::No).retry_internal_errors(window));
    sleep(Duration::from_millis(1)).await;
    for _ in 0..5 {
        source.send(|| WatchEvent::Error(Box::new(status("InternalError", 500))));
        sleep(Duration::from_secs(1)).await;
    }
    rest().await;
    let watch = format!("{WATCH}1&watch=true");
    let watches = [watch.as_str(); 5]; // the first one, and four in the three seconds of the window
    let mut expected = vec!["limit=500&resourceVersion=0"];
    expected.extend(watches);
    expected.push("resourceVersion=1"); // the list after the last error
    assert_eq!(source.requests()[..7], expected);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_longest_durations_are_accepted() {
    let source = Source::default();
    let options = ReflectorOptions::new().watch_list(WatchList::No).retry_internal_errors(Duration::MAX);
    let running = Running::start_set_up(&source, options, |reflector| reflector.resync(Duration::MAX));
    rest().await;
    running.stop().await;
    let informer = SharedIndexInformer::builder(source).resync(Duration::MAX).build();
    informer.add_event_handler(HandlerFuncs::new()).unwrap();
    let _ = timeout(Duration::from_secs(1), informer.clone().run(CancellationToken::new())).await;
    assert!(informer.has_synced());
}

#[test]
fn a_too_large_version_is_recognised_in_the_answers_of_old_and_new_servers() {
    let by_cause = r#"{"code":504,"reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#;
    let by_cause_message =
        r#"{"code":504,"reason":"Timeout","details":{"causes":[{"message":"Too large resource version"}]}}"#;
    let by_message = r#"{"code":504,"reason":"Timeout","message":"Too large resource version: 9, current: 1"}"#;
    for text in [by_cause, by_cause_message, by_message] {
        let error = ApiError::Status(serde_json::from_str(text).unwrap());
        assert!(error.is_too_large_resource_version(), "{text}");
    }
    assert!(!ApiError::Status(Box::new(status("Timeout", 504))).is_too_large_resource_version());
}
