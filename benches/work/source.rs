//! Benchmark of an informer's start without HTTP: the time until a handler has seen every pod of the initial list, and the memory per pod.
//! The list is in this process. `sync.rs` measures the same over HTTP.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::HandlerFuncs;
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::informer::{Source, informer_of, named_at_random};
use crate::memory::{bytes_per_object, resident};
use crate::options::Options;
use crate::timing::Figure;

/// Starts one informer, and waits until its handler has seen the initial list.
pub fn list_to_handlers(options: &Options) -> Vec<Figure> {
    let pods = Arc::new(named_at_random(options.number("pods", 10_000)));
    let runtime = Builder::new_multi_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let before = resident();
        let start = Instant::now();
        let (_events, receiver) = mpsc::channel(1); // the watch stays open as long as `_events` lives
        let informer = informer_of(Source::new(pods.clone(), receiver));
        let added = Arc::new(AtomicU64::new(0));
        let counter = added.clone();
        let handler = HandlerFuncs::new().add_func(move |_: Arc<Pod>, _| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let registration = informer.add_event_handler(handler).unwrap();
        let stop = CancellationToken::new();
        let running = tokio::spawn(informer.clone().run(stop.clone()));
        registration.synced().await.expect("the informer runs");
        let spent = start.elapsed().as_secs_f64();
        let added = added.load(Ordering::Relaxed);
        let bytes = bytes_per_object(before, added);
        stop.cancel();
        running.await.unwrap().unwrap();
        iter::once(Figure::new("time", spent * 1e3, "ms", added)).chain(bytes).collect()
    })
}
