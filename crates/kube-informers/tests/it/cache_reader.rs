//! Tests of readers of an informer's store: index lookups, and waiting until the cache contains a write of one's own.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    Error, HandlerFuncs, IndexFn, Indexer, Informer, SharedIndexInformer, Stale, Store, meta_namespace_key,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::source::{Source, pod};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn objects_without_an_index_value_are_stored_and_listed() {
    let source = Source::default();
    ["a", "b"].iter().for_each(|name| source.put(name));
    let informer = SharedIndexInformer::new(source);
    let by_node = informer
        .index("node", |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).into_iter().collect());
    let stop = CancellationToken::new();
    let check = async {
        sleep(SECOND).await;
        assert!(informer.has_synced());
        assert_eq!(informer.reader().len(), 2);
        assert!(by_node.unwrap().values().is_empty());
        stop.cancel();
    };
    let _ = tokio::join!(informer.clone().run(stop.clone()), check);
}

#[test]
fn one_name_cannot_be_given_to_two_indices_at_once() {
    let store = Indexer::new(meta_namespace_key::<Pod>);
    let function = || -> IndexFn<Pod> { Arc::new(|_| "x".into()) };
    let twice = vec![("x".to_owned(), function()), ("y".to_owned(), function()), ("x".to_owned(), function())];
    let error = store.add_indexers(twice).unwrap_err();
    assert!(matches!(&error, Error::IndexerConflict(names) if *names == ["x"]), "{error}");
    assert!(store.indexers().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_index_handle_stays_valid_when_other_indices_are_added() {
    let store = Indexer::new(meta_namespace_key::<Pod>);
    let by_name = store.index("name", |pod: &Pod| pod.metadata.name.as_deref().into_iter().collect()).unwrap();
    store.index("a", |_| "x".into()).unwrap();
    store.replace(vec![Arc::new(pod("one", 1))], "1").unwrap();
    assert_eq!((by_name.get("one").len(), by_name.get("two").len()), (1, 0));
    assert_eq!(store.reader().index("a").unwrap().get("x").len(), 1);
    assert!(store.reader().index("b").is_none());
}

/// Runs an informer over a source with one pod of version 1 until `during` returns.
async fn running<R>(during: impl AsyncFnOnce(&Source, &SharedIndexInformer<Pod>, &CancellationToken) -> R) -> R {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let stop = CancellationToken::new();
    let during = async {
        let result = during(&source, &informer, &stop).await;
        stop.cancel();
        result
    };
    tokio::join!(informer.clone().run(stop.clone()), during).1
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_version_returns_as_soon_as_the_cache_has_it() {
    running(async |source, informer, _| {
        let reader = informer.reader();
        assert_eq!(reader.at_least("1", SECOND).await, Ok(()), "the list brought this version");
        let begin = Instant::now();
        let write = async {
            sleep(SECOND).await;
            source.put("b");
        };
        let (seen, ()) = tokio::join!(reader.at_least("2", 10 * SECOND), write);
        assert_eq!(seen, Ok(()));
        assert_eq!(begin.elapsed(), SECOND, "no polling");
        assert!(reader.keys().iter().any(|key| key.ends_with('b')));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_version_is_bounded() {
    running(async |_, informer, _| {
        let reader = informer.reader();
        assert_eq!(reader.at_least("9", SECOND).await, Err(Stale::InTime("9".into())));
        assert_eq!(reader.at_least("x9", SECOND).await, Err(Stale::NotComparable("x9".into())));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_version_ends_with_the_informer() {
    let reader = running(async |_, informer, stop| {
        let reader = informer.reader();
        let ends = async {
            sleep(SECOND).await;
            stop.cancel();
        };
        let (seen, ()) = tokio::join!(reader.at_least("9", 10 * SECOND), ends);
        assert_eq!(seen, Err(Stale::Ended("9".into())));
        reader
    })
    .await;
    assert_eq!(reader.at_least("1", SECOND).await, Ok(()), "versions that the cache has reached stay reached");
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_version_ends_with_the_last_owner_of_the_store() {
    let begin = Instant::now();
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
    let (reader, other) = (store.reader(), store.clone());
    drop(store);
    assert_eq!(reader.at_least("1", SECOND).await, Err(Stale::InTime("1".into())), "the other owner may still write");
    let ends = async {
        sleep(SECOND).await;
        drop(other);
    };
    let (seen, ()) = tokio::join!(reader.at_least("1", 10 * SECOND), ends);
    assert_eq!(seen, Err(Stale::Ended("1".into())));
    assert_eq!(begin.elapsed(), 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_version_ends_with_an_informer_that_is_dropped_before_its_run() {
    let begin = Instant::now();
    let shared = SharedIndexInformer::<Pod>::new(Source::default()).reader();
    assert_eq!(shared.at_least("1", SECOND).await, Err(Stale::Ended("1".into())));
    let handle = Informer::new(Source::default(), HandlerFuncs::<Pod>::new()).handle();
    assert_eq!(handle.reader().at_least("1", SECOND).await, Err(Stale::Ended("1".into())));
    let informer = Informer::new(Source::default(), HandlerFuncs::<Pod>::new());
    let handle = informer.handle();
    drop(informer.run(CancellationToken::new()));
    assert_eq!(handle.reader().at_least("1", SECOND).await, Err(Stale::Ended("1".into())));
    assert_eq!(begin.elapsed(), Duration::ZERO);
}
