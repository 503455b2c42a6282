//! Benchmark: time and memory from an HTTP LIST until kube-runtime's store and a subscriber have every object.

use std::pin::pin;
use std::time::Instant;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, reflector, watcher as watch};

use crate::Figure;
use crate::memory::resident;

pub async fn list_to_handler(words: &[String]) -> Vec<Figure> {
    let client = crate::client(words);
    let start = Instant::now();
    let (_store, writer) = reflector::store::<Pod>();
    // One page from the watch cache, as client-go's reflector lists.
    let config = watcher::Config { page_size: None, ..watcher::Config::default() }.any_semantic();
    let mut events = pin!(watch(Api::<Pod>::all(client), config).reflect(writer));
    let mut added = 0;
    loop {
        match events.next().await {
            Some(Ok(Event::InitApply(_))) => added += 1,
            Some(Ok(Event::InitDone)) => break,
            Some(Ok(_)) => {}
            Some(Err(error)) => panic!("{error}"),
            None => panic!("a watcher does not end"),
        }
    }
    let spent = start.elapsed().as_secs_f64();
    let (peak, steady) = resident();
    vec![("time", spent * 1e3, "ms", added), ("peak", peak / 1e6, "MB", added), ("steady", steady / 1e6, "MB", added)]
}
