//! Benchmark of an informer's start over HTTP: the time until a handler has seen every pod of the server at `--url`, and the memory of the
//! process. `peers/compare` starts the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    HandlerFuncs, ListWatch, NAMESPACE_INDEX, Object, SharedIndexInformer, meta_namespace_index,
};
use serde::de::DeserializeOwned;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::memory::resident;
use crate::options::Options;
use crate::projected::Projected;
use crate::timing::Figure;

/// Decodes whole pods.
pub fn pods_to_handlers(options: &Options) -> Vec<Figure> {
    list_to_handlers(options, ListWatch::<Pod>::all)
}

/// Decodes the same pods into a projection.
pub fn projected_to_handlers(options: &Options) -> Vec<Figure> {
    list_to_handlers(options, |client| ListWatch::<Pod>::all(client).read_as::<Projected>())
}

/// Starts an informer with an index by namespace and one by the label `app`, and waits until its handler has seen the
/// initial list.
fn list_to_handlers<T>(options: &Options, source: impl Fn(kube::Client) -> ListWatch<T>) -> Vec<Figure>
where
    T: Object + DeserializeOwned + Send + Sync + 'static,
{
    let url = options.text("url", "http://127.0.0.1:18080");
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = kube::Client::try_from(kube::Config::new(url.parse().unwrap())).unwrap();
        let added = Arc::new(AtomicU64::new(0));
        let counter = added.clone();
        let handler = HandlerFuncs::new().add_func(move |_: Arc<T>, _| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let start = Instant::now();
        let informer = SharedIndexInformer::builder(source(client)).build();
        informer.index(NAMESPACE_INDEX, meta_namespace_index).unwrap();
        informer
            .index("app", |pod: &T| pod.meta().labels.and_then(|labels| labels.get("app")).into_iter().collect())
            .unwrap();
        let registration = informer.add_event_handler(handler).unwrap();
        let stop = CancellationToken::new();
        let running = tokio::spawn(informer.clone().run(stop.clone()));
        registration.synced().await.expect("the informer runs");
        let spent = start.elapsed().as_secs_f64();
        let added = added.load(Ordering::Relaxed);
        // `peak` is the highest memory so far, `steady` the memory after the start, both of the whole process.
        let mut figures = vec![Figure::new("time", spent * 1e3, "ms", added)];
        if let Some((peak, steady)) = resident() {
            figures.push(Figure::new("peak", peak as f64 / 1e6, "MB", added));
            figures.push(Figure::new("steady", steady as f64 / 1e6, "MB", added));
        }
        stop.cancel();
        running.await.unwrap().unwrap();
        figures
    })
}
