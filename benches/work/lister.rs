//! Benchmarks that find a hundred of many cached objects by a label. `scan` looks at all objects, as a lister does.
//! `by_index` uses an index on the label.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::PartialObjectMeta;
use kube::core::metadata::PartialObjectMetaExt;
use kube_informers::cache::{Index, Indexer};
use kube_informers::selector::LabelSelector;

use crate::options::Options;
use crate::timing::{Figure, per_call};

/// The number of objects to find.
const MATCHES: usize = 100;

type Meta = PartialObjectMeta<k8s_openapi::api::core::v1::Pod>;

/// Returns a store in which `MATCHES` objects have the label `match`, and its index on that label.
fn filled(number: usize) -> (Indexer<Meta>, Index<Meta>) {
    let key = |object: &Meta| object.metadata.name.clone().unwrap_or_default();
    let indexer = Indexer::new(key);
    let by_match = indexer
        .index("match", |object| object.metadata.labels.iter().flat_map(|labels| labels.get("match")).collect())
        .unwrap();
    for n in 0..number {
        let labels = if n < MATCHES { BTreeMap::from([("match".into(), "true".into())]) } else { BTreeMap::new() };
        let metadata = ObjectMeta { name: Some(format!("obj-{n}")), labels: Some(labels), ..ObjectMeta::default() };
        indexer.add(Arc::new(metadata.into_response_partial())).unwrap();
    }
    (indexer, by_match)
}

/// Runs client-go's BenchmarkLister_Match, which scans all objects with a label selector.
pub fn scan(options: &Options) -> Vec<Figure> {
    let (indexer, _) = filled(options.number("objects", 10_000));
    let reader = indexer.reader();
    let selector: LabelSelector = "match=true".parse().unwrap();
    let mut found = 0;
    let spent = per_call(options.time(), || (), |()| found = reader.select(&selector).len());
    vec![Figure::new("", spent.as_nanos() as f64, "ns", found as u64)]
}

/// Finds the same objects through the index. Reads a field of each, because the index returns a snapshot, which visits
/// its objects only when it is read.
pub fn by_index(options: &Options) -> Vec<Figure> {
    let (_, by_match) = filled(options.number("objects", 10_000));
    let mut found = 0;
    let spent = per_call(
        options.time(),
        || (),
        |()| {
            found = by_match.get("true").iter().filter(|object| object.metadata.name.is_some()).count();
        },
    );
    vec![Figure::new("", spent.as_nanos() as f64, "ns", found as u64)]
}
