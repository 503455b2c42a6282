//! client-go's BenchmarkSharedIndexInformer: one writer through the whole informer, beside readers that list without pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use futures::channel::mpsc;
use futures::future::{BoxFuture, FutureExt};
use futures::{SinkExt, StreamExt};
use informer_lab::cache::{
    ApiError, HandlerFuncs, ListOptions, ListPage, ListerWatcher, NAMESPACE_INDEX, ReflectorOptions,
    SharedIndexInformer, WatchEvent, WatchList, WatchStream, meta_namespace_index,
};
use k8s_openapi::api::core::v1::Pod;
use std::sync::Mutex;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::options::Options;
use crate::pods::many;
use crate::timing::Figure;

/// How many updates may be on their way, as in client-go's benchmark.
const UNHANDLED: usize = 10;

/// All pods in one list; the events are what the writer sends.
struct Source {
    pods: Vec<Arc<Pod>>,
    events: Mutex<Option<mpsc::Receiver<WatchEvent<Pod>>>>,
}

impl ListerWatcher<Pod> for Source {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        let page = ListPage { items: self.pods.clone(), resource_version: String::new(), continue_token: None };
        futures::future::ready(Ok(page)).boxed()
    }

    fn watch(&self, _: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        let events = self.events.lock().unwrap().take().expect("the watch is opened once");
        futures::future::ready(Ok(events.boxed())).boxed()
    }
}

pub fn readers_and_a_writer(options: &Options) -> Vec<Figure> {
    let pods = many(options.number("pods", 10_000));
    let readers = options.number("readers", 1);
    let (mut events, receiver) = mpsc::channel(1);
    let source = Source { pods: pods.clone(), events: Mutex::new(Some(receiver)) };
    let informer =
        SharedIndexInformer::builder(source).reflector(ReflectorOptions::new().watch_list(WatchList::No)).build();
    informer.add_indexers(vec![(NAMESPACE_INDEX.to_owned(), Arc::new(meta_namespace_index::<Pod>))]).unwrap();
    let handled = Arc::new(AtomicU64::new(0));
    let room = Arc::new(Semaphore::new(UNHANDLED));
    let (counter, freed) = (handled.clone(), room.clone());
    let handler = HandlerFuncs::new().update_func(move |_: Arc<Pod>, _: Arc<Pod>| {
        counter.fetch_add(1, Ordering::Relaxed);
        freed.add_permits(1);
    });
    let registration = informer.add_event_handler(handler).unwrap();
    let runtime = Builder::new_multi_thread().enable_time().build().unwrap();
    let stop = CancellationToken::new();
    let running = runtime.spawn(informer.clone().run_owned(stop.clone()));
    runtime.block_on(registration.synced().wait());

    let (ended, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    let seen = AtomicU64::new(0);
    let (mut writes, mut spent) = (0_u64, 0.0);
    thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let listed = informer.indexer().by_index(NAMESPACE_INDEX, "default").unwrap();
                    let visited = listed.iter().filter(|pod| pod.metadata.name.is_some()).count();
                    seen.store(visited as u64, Ordering::Relaxed);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut random = fastrand::Rng::with_seed(1);
        runtime.block_on(async {
            let start = Instant::now();
            while start.elapsed() < options.time() {
                for _ in 0..16 {
                    let pod = pods[random.usize(..pods.len())].clone();
                    room.acquire().await.unwrap().forget();
                    events.send(WatchEvent::Modified(pod)).await.unwrap();
                    writes += 1;
                }
            }
            spent = start.elapsed().as_secs_f64();
        });
        ended.store(true, Ordering::Relaxed);
    });
    let reads = reads.load(Ordering::Relaxed) as f64 / spent;
    stop.cancel();
    runtime.block_on(running).unwrap();
    assert_eq!(handled.load(Ordering::Relaxed), writes, "every update is handled");
    let mut figures = vec![Figure::new("writes", writes as f64 / spent, "/s", informer.indexer().list().len() as u64)];
    if readers > 0 {
        figures.push(Figure::new("reads", reads, "/s", pods.len() as u64));
    }
    figures
}
