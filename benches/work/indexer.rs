//! Benchmarks of the store behind an informer's cache. They update objects in a store with one index, and measure the
//! cost of an update: if the object keeps its index value, and if it moves to another one.

use std::iter;
use std::sync::Arc;

use kube_informers::cache::{IndexFn, ThreadSafeStore};

use crate::memory::{bytes_per_object, resident};
use crate::options::Options;
use crate::pods::Text;
use crate::timing::{Figure, per_item};

/// The number of objects in client-go's benchmark.
const OBJECTS: usize = 5000;

/// Runs client-go's BenchmarkIndexer: the index value of an object is its own text, so no update changes the index.
pub fn same(options: &Options) -> Vec<Figure> {
    let number = options.number("objects", OBJECTS);
    let objects: Vec<_> = (0..number).map(|n| Arc::new(Text(format!("object-number-{n}")))).collect();
    let before = resident();
    let store = store("by-value", Arc::new(|text: &Text| text.0.as_str().into()));
    let update = |()| objects.iter().for_each(|object| store.update(&object.0, object.clone()));
    let nanos = per_item(options.time(), number, || (), update);
    let did = store.list().len() as u64;
    iter::once(Figure::new("", nanos, "ns", did)).chain(bytes_per_object(before, did)).collect()
}

/// Moves each object between two index values with every update. Half of the objects have each value. The first letter
/// of an object's text is its index value, and the rest is its key.
pub fn moving(options: &Options) -> Vec<Figure> {
    let store = store("by-side", Arc::new(|text: &Text| text.0[..1].into()));
    let side = |n: usize, round: usize| if (n + round).is_multiple_of(2) { "a" } else { "b" };
    let number = options.number("objects", OBJECTS);
    let objects = |round| (0..number).map(|n| Arc::new(Text(format!("{}object-number-{n}", side(n, round))))).collect();
    let states: [Vec<_>; 2] = [objects(0), objects(1)];
    let mut round = 0;
    let update = |()| {
        round += 1;
        states[round % 2].iter().for_each(|object| store.update(&object.0[1..], object.clone()));
    };
    let nanos = per_item(options.time(), number, || (), update);
    vec![Figure::new("", nanos, "ns", store.by_index("by-side", "a").unwrap().len() as u64)]
}

fn store(index: &str, function: IndexFn<Text>) -> ThreadSafeStore<Text> {
    let store = ThreadSafeStore::new();
    store.add_indexers(vec![(index.to_owned(), function)]).unwrap();
    store
}
