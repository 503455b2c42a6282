//! Benchmark of watch events per second, from an HTTP watch to handlers. The server at `--url` has to send `--changes` changes when the
//! watch opens; `peers/compare` starts such a server. The time runs from the first to the last call of a handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{HandlerFuncs, ListWatch, NAMESPACE_INDEX, SharedIndexInformer, meta_namespace_index};
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::options::Options;
use crate::timing::Figure;

/// Runs an informer with `--handlers` handlers until all of them have seen all changes.
pub fn changes_to_handlers(options: &Options) -> Vec<Figure> {
    let url = options.text("url", "http://127.0.0.1:18080");
    let (changes, handlers) = (options.number("changes", 100_000) as u64, options.number("handlers", 1) as u64);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = kube::Client::try_from(kube::Config::new(url.parse().unwrap())).unwrap();
        let informer = SharedIndexInformer::builder(ListWatch::<Pod>::all(client)).build();
        informer.index(NAMESPACE_INDEX, meta_namespace_index).unwrap();
        let handled = Arc::new(AtomicU64::new(0));
        // The channel gets the time of the first call of a handler and the time of the last.
        let (first_or_last, mut moments) = mpsc::unbounded_channel();
        for _ in 0..handlers {
            let (handled, sender) = (handled.clone(), first_or_last.clone());
            let handler = HandlerFuncs::new().update_func(move |_: Arc<Pod>, _: Arc<Pod>| {
                let handled = handled.fetch_add(1, Ordering::Relaxed) + 1;
                if handled == 1 || handled == changes * handlers {
                    sender.send(Instant::now()).unwrap();
                }
            });
            informer.add_event_handler(handler).unwrap();
        }
        let stop = CancellationToken::new();
        let running = tokio::spawn(informer.clone().run(stop.clone()));
        let mut moment = async || moments.recv().await.unwrap();
        let (start, end) = (moment().await, moment().await);
        stop.cancel();
        running.await.unwrap().unwrap();
        vec![Figure::new("", changes as f64 / (end - start).as_secs_f64(), "/s", handled.load(Ordering::Relaxed))]
    })
}
