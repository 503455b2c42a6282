//! Lesson `mutate`: objects in the cache are shared, so a program must change a copy.
//!
//! In Go a lister returns the cache's own pointer. A handler that writes through it, such as `pod.Labels["app"] =
//! "mine"`, changes the cache without a lock: other handlers and listers see a pod that the API server never had, the
//! label index still has the old value, and the next update is compared with the wrong old state. If another goroutine
//! reads the map at that moment, the program ends with `concurrent map read and map write`. The compiler does not
//! notice; `KUBE_CACHE_MUTATION_DETECTOR=true` finds such writes in tests, by comparing deep copies every second.
//!
//! Here the cache hands out `Arc<Pod>`, which can only be read, so the same line is a compile error (E0594):
//!
//! ```compile_fail,E0594
//! # use kube_informers::cache::{Indexer, meta_namespace_key};
//! # use k8s_openapi::api::core::v1::Pod;
//! # let cache = Indexer::new(meta_namespace_key::<Pod>);
//! let pod = cache.get_by_key("default/wiremock").expect("it is cached");
//! pod.metadata.name = Some("mine".to_owned()); // cannot assign to data in an `Arc`
//! ```
//!
//! The caller may change a copy:
//!
//! ```no_run
//! # use kube_informers::cache::{Indexer, meta_namespace_key};
//! # use k8s_openapi::api::core::v1::Pod;
//! # let cache = Indexer::new(meta_namespace_key::<Pod>);
//! let pod = cache.get_by_key("default/wiremock").expect("it is cached");
//! let mut copy = Pod::clone(&pod);
//! copy.metadata.name = Some("mine".to_owned());
//! ```
//!
//! Chapter: `lessons/23-pitfalls`. Trace: `fixtures/traces/mutate.txt`.

mod go_cache;

use std::sync::Arc;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;

use super::go;
use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use go_cache::GoCache;
use kube_informers::cache::{Indexer, meta_namespace_key};

// ANCHOR: go
/// Writes to the shared objects of a cache, as in Go, and then to copies, as here.
pub async fn run(lab: &Lab) -> Result<()> {
    as_in_go(lab).await?;
    as_here(lab)
}

/// All handlers have the same pointer. Because of the lock, the compiler does not object to a write.
async fn as_in_go(lab: &Lab) -> Result<()> {
    lab.narrate("as in Go: the cache returns its own pointer to the pod", "像 Go 那样：拿到的就是缓存自己的指针");
    let mut cache = GoCache::default();
    cache.add(pod("wiremock", "wiremock"));
    let cached = || cache.get("default/wiremock").context("the pod is cached");
    lab.print(Style::Plain, format_args!("cached:  {}", app(&*cached()?.read().await)));

    lab.narrate(
        "one handler writes: pod.Labels[\"app\"] = \"mine\"",
        "一个 handler 改写：pod.Labels[\"app\"] = \"mine\"",
    );
    cached()?.write().await.metadata.labels.get_or_insert_default().insert("app".to_owned(), "mine".to_owned());

    lab.narrate(
        "the next handler reads the changed label, although no event reported a change",
        "下一个 handler 读到了这个改动，却没有任何事件报告过它",
    );
    lab.print(Style::Deleted, format_args!("cached:  {}", app(&*cached()?.read().await)));
    let [mine, theirs] = [cache.keys("mine"), cache.keys("wiremock")];
    lab.print(Style::Deleted, format_args!("by app:  mine={} wiremock={}", go::slice(mine), go::slice(theirs)));
    Ok(())
}
// ANCHOR_END: go

// ANCHOR: here
/// Reads pods as `Arc<Pod>`, which cannot be written to, and changes copies.
fn as_here(lab: &Lab) -> Result<()> {
    lab.narrate(
        "here: the same line does not compile (E0594); so copy, then change",
        "这里：同样一行编译不过（E0594）；所以先复制，再修改",
    );
    let cache = Indexer::new(meta_namespace_key);
    let by_app = cache.index("app", |pod: &Pod| app(pod).into())?;
    cache.add(pod("wiremock", "wiremock"))?;
    let cached = || cache.get_by_key("default/wiremock").context("the pod is cached");

    let read = cached()?;
    lab.print(Style::Plain, format_args!("cached:  {} app={}", name(&read), app(&read)));
    let mut copy = Pod::clone(&read);
    copy.metadata.labels.get_or_insert_default().insert("app".to_owned(), "mine".to_owned());
    lab.print(Style::Updated, format_args!("copy:    {} app={}", name(&copy), app(&copy)));
    let again = cached()?;
    lab.print(Style::Plain, format_args!("cached:  {} app={}", name(&again), app(&again)));
    let [mine, theirs] = [by_app.keys("mine"), by_app.keys("wiremock")];
    lab.print(Style::Plain, format_args!("by app:  mine={} wiremock={}", go::slice(mine), go::slice(theirs)));

    lab.narrate(
        "Arc::make_mut also copies, because the cache still holds the pod",
        "Arc::make_mut 也会复制，因为缓存还持有这个 Pod",
    );
    let mut changed = cached()?;
    Arc::make_mut(&mut changed).metadata.name = Some("mine".to_owned());
    lab.print(Style::Updated, format_args!("changed: {}", name(&changed)));
    let again = cached()?;
    lab.print(Style::Plain, format_args!("cached:  {}, unchanged: {}", name(&again), Arc::ptr_eq(&read, &again)));
    Ok(())
}

// ANCHOR_END: here

fn app(pod: &Pod) -> &str {
    pod.metadata.labels.as_ref().and_then(|labels| labels.get("app")).map(String::as_str).unwrap_or_default()
}

fn pod(name: &str, app: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = Some("default".to_owned());
    pod.metadata.name = Some(name.to_owned());
    pod.metadata.labels = Some([("app".to_owned(), app.to_owned())].into());
    pod
}
