//! Benchmark: watch events over HTTP to the subscribers of kube-runtime's shared reflector.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use tokio::sync::mpsc;

use crate::Figure;

/// The number of changes that may wait for the slowest subscriber. If the buffer is full, the watch waits; nothing is
/// dropped.
const BUFFER: usize = 1024;

pub async fn changes_to_handlers(words: &[String]) -> Vec<Figure> {
    let number = |key, usual| crate::option(words, key, usual).parse::<u64>().expect("a number");
    let (pods, changes, handlers) = (number("pods", "100"), number("changes", "100000"), number("handlers", "1"));
    let client = crate::client(words);
    let (store, writer) = reflector::store_shared::<Pod>(BUFFER);
    let handled = Arc::new(AtomicU64::new(0));
    let (first_or_last, mut moments) = mpsc::unbounded_channel();
    for _ in 0..handlers {
        let subscriber = writer.subscribe().expect("the store is shared");
        let (handled, moments) = (handled.clone(), first_or_last.clone());
        tokio::spawn(async move {
            let mut subscriber = pin!(subscriber.skip(pods as usize)); // the objects of the list
            while subscriber.next().await.is_some() {
                let handled = handled.fetch_add(1, Ordering::Relaxed) + 1;
                if handled == 1 || handled == changes * handlers {
                    let _ = moments.send(Instant::now());
                }
            }
        });
    }
    let config = watcher::Config { page_size: None, ..watcher::Config::default() }.any_semantic();
    tokio::spawn(async move {
        let mut events = pin!(watcher(Api::<Pod>::all(client), config).reflect_shared(writer));
        while let Some(event) = events.next().await {
            if let Err(error) = event {
                panic!("{error}");
            }
        }
    });
    let mut moment = async || moments.recv().await.expect("a sender is kept");
    let (start, end) = (moment().await, moment().await);
    drop((store, first_or_last));
    let spent = (end - start).as_secs_f64();
    vec![("", changes as f64 / spent, "/s", handled.load(Ordering::Relaxed))]
}
