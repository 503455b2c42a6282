//! client-go's BenchmarkSharedIndexInformer: a writer sends updates as watch events through an informer to a handler, while readers list
//! objects from the informer's cache without pause. It measures how much the two slow each other down. The source of the events is in this
//! process, so no HTTP and no decoding is measured. The benchmark in `source.rs` reuses `Source` and `informer_of`.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::{StreamExt, poll_fn};
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    ApiError, HandlerFuncs, ListOptions, ListPage, ListerWatcher, NAMESPACE_INDEX, ReflectorOptions,
    SharedIndexInformer, WatchEvent, WatchList, WatchStream, meta_namespace_index,
};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::options::Options;
use crate::pods::bare;
use crate::timing::Figure;

/// The number of updates that may be sent and not handled yet, as in client-go's benchmark.
const UNHANDLED: usize = 10;

/// A stand-in for an API server: lists the pods in one page, and turns the events that arrive in a channel into a watch. Each list copies
/// the pods into new objects, because client-go's reflector makes new objects, too.
pub struct Source {
    pods: Arc<Vec<Pod>>,
    events: Mutex<Option<mpsc::Receiver<WatchEvent<Pod>>>>,
}

impl Source {
    pub fn new(pods: Arc<Vec<Pod>>, events: mpsc::Receiver<WatchEvent<Pod>>) -> Self {
        Self { pods, events: Mutex::new(Some(events)) }
    }
}

/// Returns `number` pods in the namespace `default`, with random names of twenty characters, the same ones in each run.
pub fn named_at_random(number: usize) -> Vec<Pod> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut name = || std::iter::repeat_with(|| random.lowercase()).take(20).collect();
    (0..number).map(|_| bare(name())).collect()
}

/// Returns an informer with client-go's namespace index.
pub fn informer_of(source: Source) -> SharedIndexInformer<Pod> {
    let informer =
        SharedIndexInformer::builder(source).reflector(ReflectorOptions::new().watch_list(WatchList::No)).build();
    informer.index(NAMESPACE_INDEX, meta_namespace_index).unwrap();
    informer
}

impl ListerWatcher<Pod> for Source {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        let items = self.pods.iter().cloned().map(Arc::new).collect();
        futures::future::ready(Ok(ListPage::new(items, ""))).boxed()
    }

    fn watch(&self, _: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        let mut events = self.events.lock().unwrap().take().expect("the watch is opened once");
        futures::future::ready(Ok(poll_fn(move |cx| events.poll_recv(cx)).boxed())).boxed()
    }
}

/// Measures handled updates per second ("writes") and lists per second ("reads"). The informer and the writer share one thread; each reader
/// has a thread of its own.
///
/// As in client-go's benchmark, the writer waits after each update while `UNHANDLED` updates are not handled yet, and updates that are
/// handled after the time is up do not count.
pub fn readers_and_a_writer(options: &Options) -> Vec<Figure> {
    let pods = Arc::new(named_at_random(options.number("pods", 10_000)));
    let readers = options.number("readers", 1);
    let (events, receiver) = mpsc::channel(1);
    let informer = informer_of(Source::new(pods.clone(), receiver));
    let handled = Arc::new(AtomicU64::new(0));
    let free_slots = Arc::new(Semaphore::new(UNHANDLED));
    let (handler_count, handler_slots) = (handled.clone(), free_slots.clone());
    let handler = HandlerFuncs::new().update_func(move |_: Arc<Pod>, _: Arc<Pod>| {
        handler_count.fetch_add(1, Ordering::Relaxed);
        handler_slots.add_permits(1);
    });
    let registration = informer.add_event_handler(handler).unwrap();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let stop = CancellationToken::new();
    let running = runtime.spawn(informer.clone().run(stop.clone()));
    runtime.block_on(registration.synced().wait()).expect("the informer runs");

    let by_namespace = informer.reader().index(NAMESPACE_INDEX).expect("the informer has this index");
    let (ended, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    let last_listed = AtomicU64::new(0);
    let (mut sent, mut writes_per_second, mut reads_per_second) = (0, 0.0, 0.0);
    thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let listed = by_namespace.get("default");
                    let visited = listed.iter().map(black_box).count(); // like ListAllByNamespace, which passes each object to a callback
                    last_listed.store(visited as u64, Ordering::Relaxed);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut random = fastrand::Rng::with_seed(1);
        runtime.block_on(async {
            let start = Instant::now();
            while start.elapsed() < options.time() {
                for _ in 0..16 {
                    // look at the clock after every 16th update only
                    let name = pods[random.usize(..pods.len())].metadata.name.clone().unwrap();
                    let pod = Arc::new(bare(name)); // a new object, as a watch makes it
                    events.send(WatchEvent::Modified(pod)).await.unwrap();
                    free_slots.acquire().await.unwrap().forget();
                    sent += 1;
                }
            }
            let spent = start.elapsed().as_secs_f64();
            writes_per_second = handled.load(Ordering::Relaxed) as f64 / spent;
            reads_per_second = reads.load(Ordering::Relaxed) as f64 / spent;
        });
        ended.store(true, Ordering::Relaxed);
    });
    runtime.block_on(free_slots.acquire_many(UNHANDLED as u32)).unwrap().forget(); // all slots are free once every update is handled
    stop.cancel();
    runtime.block_on(running).unwrap().unwrap();
    assert_eq!(handled.load(Ordering::Relaxed), sent, "every update is handled");
    let mut figures = vec![Figure::new("writes", writes_per_second, "/s", informer.reader().len() as u64)];
    if reads_per_second > 0.0 {
        figures.push(Figure::new("reads", reads_per_second, "/s", last_listed.load(Ordering::Relaxed)));
    }
    figures
}
