//! Benchmarks of DeltaFIFO and RealFIFO, the queues between an informer's watch and its cache: add one pod for every key, then pop every
//! key. The figure is the time per key.

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{DeltaFifo, RealFifo, meta_namespace_key};

use crate::options::Options;
use crate::pods::many;
use crate::timing::{Figure, per_item};

/// Runs DeltaFIFO, which combines the changes of a key until they are popped.
pub fn delta(options: &Options) -> Vec<Figure> {
    let pods = many(options.number("keys", 10_000));
    let mut popped = 0;
    let run_once = |queue: DeltaFifo<Pod>| {
        pods.iter().for_each(|pod| queue.add(pod.clone()).unwrap());
        popped = std::iter::from_fn(|| queue.try_pop()).count();
    };
    let nanos = per_item(options.time(), pods.len(), || DeltaFifo::new(meta_namespace_key::<Pod>), run_once);
    vec![Figure::new("", nanos, "ns", popped as u64)]
}

/// Runs RealFIFO, which keeps every change in order.
pub fn real(options: &Options) -> Vec<Figure> {
    let pods = many(options.number("keys", 10_000));
    let mut popped = 0;
    let run_once = |queue: RealFifo<Pod>| {
        pods.iter().for_each(|pod| queue.add(pod.clone()).unwrap());
        popped = std::iter::from_fn(|| queue.try_pop()).count();
    };
    let nanos = per_item(options.time(), pods.len(), || RealFifo::atomic(meta_namespace_key::<Pod>), run_once);
    vec![Figure::new("", nanos, "ns", popped as u64)]
}
