//! Tests of a Reflector against dead connections and servers that never finish a list, a watch or a streaming list.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::extract::RawQuery;
use axum::{Router, routing::get};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{self, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    ApiError, ListOptions, ListPage, ListWatch, ListerWatcher, Reflector, ReflectorOptions, SharedIndexInformer, Store,
    WatchEvent, WatchList, WatchStream, meta_namespace_key, with_causes,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::running::Running;
use crate::source::{Source, pod};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

fn bookmark() -> WatchEvent<Pod> {
    WatchEvent::Bookmark { resource_version: "1".into(), initial_events_end: false }
}

#[tokio::test(start_paused = true)]
async fn the_client_ends_a_watch_over_a_dead_connection_after_its_timeout() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    sleep(SECOND).await;
    source.hide_changes();
    source.put("a");
    source.put("b");
    // The open watch stays silent, as over a dead connection; the next watch brings the changes.
    source.stop_hiding_changes();
    sleep(DAY).await;
    assert_eq!(running.stored(), source.pods());
    let watches = source.requests().len() - 1;
    // The client ends each watch ten seconds after its timeout, which is between 300 and 600 seconds.
    assert!((86_400 / 610..=86_400 / 310 + 1).contains(&watches), "{watches} watches in a day");
    let overdue = "the watch of objects failed: the API server did not end the watch at its timeout";
    assert!(running.errors.lock().unwrap().iter().all(|error| error == overdue));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_informer_reopens_watches_over_a_dead_connection() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let run = async {
        sleep(SECOND).await;
        source.requests();
        sleep(DAY).await;
        source.requests().len()
    };
    let stop = CancellationToken::new();
    let running = stop.clone();
    tokio::select! {
        _ = informer.run(running) => panic!("the informer ended"),
        watches = run => assert!(watches >= 86_400 / 610, "{watches} watches in a day"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_sent_bookmarks_is_ended_three_minutes_after_the_last_bookmark() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    sleep(SECOND).await;
    source.requests();
    for _ in 0..2 {
        sleep(60 * SECOND).await;
        source.send(bookmark);
    }
    sleep(179 * SECOND).await;
    assert!(source.requests().is_empty());
    sleep(2 * SECOND).await;
    assert_eq!(source.requests(), ["allowWatchBookmarks=true&resourceVersion=1&watch=true"]);
    assert_eq!(
        *running.errors.lock().unwrap(),
        ["the watch of objects failed: nothing came from the API server for 180s"]
    );
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_watch_timeouts_but_sends_changes_causes_no_error() {
    let source = Source::default();
    let running = Running::start(&source);
    sleep(SECOND).await;
    source.requests();
    for _ in 0..60 {
        source.put("a");
        sleep(60 * SECOND).await;
    }
    let watches = source.requests().len();
    assert!((3600 / 610..=3600 / 310).contains(&watches), "{watches} watches in an hour");
    assert_eq!(running.stored(), source.pods());
    assert!(running.errors.lock().unwrap().is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_list_is_given_up_and_repeated_for_the_most_recent_state() {
    let source = Source::default();
    source.put("a");
    source.set_unresponsive(true);
    let running = Running::start(&source);
    sleep(599 * SECOND).await;
    assert_eq!(source.requests(), ["limit=500&resourceVersion=0"]);
    source.set_unresponsive(false);
    sleep(4 * SECOND).await;
    assert_eq!(source.requests(), ["limit=500", "allowWatchBookmarks=true&resourceVersion=1&watch=true"]);
    assert_eq!(*running.errors.lock().unwrap(), ["cannot list objects: the list took longer than 600s"]);
    assert_eq!(running.stored(), source.pods());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_does_not_open_leads_to_a_relist() {
    let source = Source::default();
    source.put("a");
    let running = Running::start(&source);
    sleep(SECOND).await;
    source.requests();
    source.set_unresponsive(true);
    source.close_watches();
    sleep(89 * SECOND).await;
    assert_eq!(source.requests(), ["allowWatchBookmarks=true&resourceVersion=1&watch=true"]);
    source.set_unresponsive(false);
    sleep(4 * SECOND).await;
    assert_eq!(source.requests()[0], "resourceVersion=1");
    assert_eq!(*running.errors.lock().unwrap(), ["cannot watch objects: nothing came from the API server for 90s"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_that_falls_silent_leads_to_a_plain_list() {
    let source = Source::default();
    source.put("a");
    source.end_initial_events(false);
    let running = Running::start_with(&source, ReflectorOptions::new());
    sleep(60 * SECOND).await;
    source.send(|| WatchEvent::Added(pod("a", 1).into()));
    sleep(89 * SECOND).await;
    assert_eq!(source.requests().len(), 1);
    sleep(2 * SECOND).await;
    assert_eq!(source.requests()[0], "limit=500&resourceVersion=0");
    assert_eq!(*running.errors.lock().unwrap(), ["cannot watch objects: nothing came from the API server for 90s"]);
    assert_eq!(running.stored(), source.pods());
    running.stop().await;
}

/// Returns a ListWatch of a server that waits before its answer begins and before each piece of the answer.
fn slow(before: Duration, between: Duration, pieces: impl IntoIterator<Item = &'static str>) -> ListWatch<Pod> {
    let pieces: Vec<_> = pieces.into_iter().collect();
    let answer = async move || {
        sleep(before).await;
        Body::from_stream(
            stream::iter(pieces).then(move |piece| sleep(between).map(move |()| Ok::<_, io::Error>(piece))),
        )
    };
    ListWatch::all(kube::Client::new(Router::new().route("/api/v1/pods", get(answer)), "default"))
}

const LIST: [&str; 3] =
    [r#"{"kind":"PodList","metadata":{"resourceVersion":"7"},"#, r#""items":[{"metadata""#, ":{}}]}"];

#[tokio::test(start_paused = true)]
async fn a_silent_list_is_given_up_at_its_beginning_and_in_the_middle() {
    for (before, between) in [(DAY, Duration::ZERO), (Duration::ZERO, DAY), (89 * SECOND, 91 * SECOND)] {
        let list = slow(before, between, LIST).list(ListOptions::default()).await;
        assert!(matches!(list, Err(ApiError::Silent(limit)) if limit == 90 * SECOND));
    }
    let impatient = slow(DAY, DAY, LIST).idle_timeout(SECOND);
    let list = timeout(2 * SECOND, impatient.list(ListOptions::default())).await;
    assert!(matches!(list, Ok(Err(ApiError::Silent(limit))) if limit == SECOND));
    let watch = timeout(2 * SECOND, impatient.watch(ListOptions::default())).await;
    assert!(matches!(watch, Ok(Err(ApiError::Silent(_)))));
}

#[tokio::test(start_paused = true)]
async fn a_slow_list_that_keeps_sending_is_not_given_up() {
    let list = slow(80 * SECOND, 80 * SECOND, LIST).list(ListOptions::default()).await.unwrap();
    assert_eq!((list.items.len(), list.resource_version.as_str()), (1, "7"));
}

#[tokio::test(start_paused = true)]
async fn a_reflector_survives_a_server_whose_answers_stop_in_the_middle() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    let answer = async move |RawQuery(query): RawQuery| {
        let n = counted.fetch_add(1, Ordering::Relaxed);
        let watched = query.is_some_and(|query| query.contains("watch=true"));
        let event = r#"{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"8"}}}"#;
        match (watched, n) {
            (true, _) => {
                Body::from_stream(stream::iter([Ok::<_, io::Error>(format!("{event}\n"))]).chain(stream::pending()))
            }
            (false, 0) => Body::from_stream(stream::iter([Ok::<_, io::Error>(LIST[0])]).chain(stream::pending())),
            (false, _) => Body::from(LIST.concat()),
        }
    };
    let source = ListWatch::<Pod>::all(kube::Client::new(Router::new().route("/api/v1/pods", get(answer)), "default"));
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let reflector = Reflector::new(source, store.clone()).options(ReflectorOptions::new().watch_list(WatchList::No));
    let _ = timeout(Duration::from_secs(7200), reflector.run(CancellationToken::new())).await;
    assert_eq!(reflector.last_sync_resource_version(), "8");
    assert!(store.get_by_key("a").is_some());
    let watches = requests.load(Ordering::Relaxed) - 2;
    assert!((7000 / 610..=7200 / 310).contains(&watches), "{watches} watches in two hours");
}

/// A source of empty list pages. The function returns the continue token of each page, by its number.
struct Pages(fn(usize) -> String, AtomicUsize);

impl ListerWatcher<Pod> for Pages {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        async {
            sleep(Duration::from_millis(10)).await;
            let token = self.0(self.1.fetch_add(1, Ordering::Relaxed));
            Ok(ListPage::new(Vec::new(), "1").continued(token))
        }
        .boxed()
    }

    fn watch(&self, _: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        async { panic!("the list has no end") }.boxed()
    }
}

/// Runs a Reflector over these pages for `time`. Returns the errors that it reported, and the elapsed time.
async fn errors_of(pages: fn(usize) -> String, time: Duration) -> (Vec<String>, Duration) {
    let errors: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = errors.clone();
    let options = ReflectorOptions::new().watch_list(WatchList::No).on_error(move |error| {
        seen.lock().unwrap().push(with_causes(&error).to_string());
    });
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let reflector = Reflector::new(Pages(pages, AtomicUsize::new(0)), store).options(options);
    let start = Instant::now();
    let _ = timeout(time, reflector.run(CancellationToken::new())).await;
    let errors = errors.lock().unwrap().clone();
    (errors, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_list_that_repeats_its_continue_token_is_an_error_and_retried_with_back_off() {
    let (errors, _) = errors_of(|_| "again".into(), 4 * SECOND).await;
    assert!((1..=3).contains(&errors.len()), "{} tries in four seconds", errors.len());
    assert_eq!(errors[0], "cannot list objects: the list does not end: its continue token is the same again");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_goes_on_for_ever_is_ended_by_the_client() {
    let (errors, _) = errors_of(|n| n.to_string(), 601 * SECOND).await;
    assert_eq!(errors, ["cannot list objects: the list took longer than 600s"]);
}

/// Serves one connection: answers a list, or opens a watch with one bookmark; then keeps the connection open and writes
/// nothing.
async fn stop_writing(mut connection: TcpStream, requests: Arc<AtomicUsize>) -> io::Result<()> {
    let mut request = vec![0; 4096];
    let read = connection.read(&mut request).await?;
    requests.fetch_add(1, Ordering::Relaxed);
    if String::from_utf8_lossy(&request[..read]).contains("watch=true") {
        let line =
            r#"{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"8"}}}"#;
        let chunk = format!("{:x}\r\n{line}\n\r\n", line.len() + 1);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        connection.write_all(format!("{head}{chunk}").as_bytes()).await?;
    } else {
        let list = LIST.concat();
        let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", list.len());
        connection.write_all(format!("{head}{list}").as_bytes()).await?;
    }
    while connection.read(&mut request).await? > 0 {}
    Ok(())
}

#[tokio::test]
async fn a_watch_over_tcp_is_reopened_when_the_server_stops_writing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    let server = tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(stop_writing(connection, counted.clone()));
        }
    });
    let config = kube::Config::new(format!("http://{address}").parse().unwrap());
    let source = ListWatch::<Pod>::all(kube::Client::try_from(config).unwrap());
    let soon = Duration::from_millis(50);
    let errors: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = errors.clone();
    let options = ReflectorOptions::new()
        .watch_list(WatchList::No)
        .bookmark_timeout(soon)
        .on_error(move |error| seen.lock().unwrap().push(with_causes(&error).to_string()));
    let reflector = Reflector::new(source, Arc::new(Store::new(meta_namespace_key::<Pod>))).options(options);
    let three_watches = async {
        while requests.load(Ordering::Relaxed) < 4 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = reflector.run(CancellationToken::new()) => panic!("the Reflector ended"),
        enough = timeout(30 * SECOND, three_watches) => enough.expect("a silent watch is opened again"),
    }
    let silent = "the watch of pods failed: nothing came from the API server for 50ms";
    assert_eq!(errors.lock().unwrap()[..2], [silent; 2]);
    server.abort();
}
