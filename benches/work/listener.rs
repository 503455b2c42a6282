//! client-go's BenchmarkListener: five tasks per core add notifications to one listener, which delivers them to its handler. A listener is
//! the queue in front of each event handler of an informer. The figure is the time per notification.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Instant;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{HandlerFuncs, InitialList, Notification, ProcessorListener};
use tokio::runtime::Builder;

use crate::options::Options;
use crate::timing::Figure;

/// Returns the time per notification until the handler has seen all of them.
pub fn one_notification(options: &Options) -> Vec<Figure> {
    let notifications = options.number("notifications", 2_000_000);
    let producers = 5 * available_parallelism().unwrap().get();
    let runtime = Builder::new_multi_thread().build().unwrap();
    let handled = Arc::new(AtomicU64::new(0));
    let counted = handled.clone();
    let handler = HandlerFuncs::new().add_func(move |_: Arc<Pod>, _| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let listener = ProcessorListener::new(0);
    let object = Arc::new(Pod::default());
    let nanos = runtime.block_on(async {
        let running = tokio::spawn({
            let listener = listener.clone();
            async move { listener.run(handler).await }
        });
        let start = Instant::now();
        let adders: Vec<_> = (0..producers)
            .map(|n| {
                let (listener, object) = (listener.clone(), object.clone());
                let share = notifications / producers + usize::from(n < notifications % producers);
                tokio::spawn(async move {
                    for _ in 0..share {
                        listener.add(Notification::Add { object: object.clone(), initial: InitialList::No });
                    }
                })
            })
            .collect();
        for adder in adders {
            adder.await.unwrap();
        }
        listener.close();
        running.await.unwrap();
        start.elapsed().as_nanos() as f64 / notifications as f64
    });
    vec![Figure::new("", nanos, "ns", handled.load(Ordering::Relaxed))]
}
