//! Updates of objects that are there, with one index.

use std::iter;
use std::sync::Arc;

use informer_lab::cache::Indexer;

use crate::memory::{bytes_per_object, resident};
use crate::options::Options;
use crate::pods::Text;
use crate::timing::{Figure, per_item};

/// As many as client-go's benchmark has.
const OBJECTS: usize = 5000;

/// client-go's BenchmarkIndexer: each object's index value is the object itself, so nothing moves.
pub fn same(options: &Options) -> Vec<Figure> {
    let number = options.number("objects", OBJECTS);
    let objects: Vec<_> = (0..number).map(|n| Arc::new(Text(format!("object-number-{n}")))).collect();
    let before = resident();
    let indexer =
        Indexer::new(|text: &Text| Ok(text.0.clone())).index("by-value", |text| Ok(vec![text.0.clone()])).unwrap();
    let update = |()| objects.iter().for_each(|object| indexer.update(object.clone()).unwrap());
    let nanos = per_item(options.time(), number, || (), update);
    let did = indexer.list().len() as u64;
    iter::once(Figure::new("", nanos, "ns", did)).chain(bytes_per_object(before, did)).collect()
}

/// Each update moves the object to the other one of two index values, each of which half of the objects have.
pub fn moving(options: &Options) -> Vec<Figure> {
    let key = |text: &Text| Ok(text.0[1..].to_owned());
    let indexer = Indexer::new(key).index("by-side", |text| Ok(vec![text.0[..1].to_owned()])).unwrap();
    let side = |n: usize, turn: usize| if (n + turn).is_multiple_of(2) { "a" } else { "b" };
    let number = options.number("objects", OBJECTS);
    let objects = |turn| (0..number).map(|n| Arc::new(Text(format!("{}object-number-{n}", side(n, turn))))).collect();
    let turns: [Vec<_>; 2] = [objects(0), objects(1)];
    let mut turn = 0;
    let update = |()| {
        turn += 1;
        turns[turn % 2].iter().for_each(|object| indexer.update(object.clone()).unwrap());
    };
    let nanos = per_item(options.time(), number, || (), update);
    vec![Figure::new("", nanos, "ns", indexer.by_index("by-side", "a").unwrap().len() as u64)]
}
