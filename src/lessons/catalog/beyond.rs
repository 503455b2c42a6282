//! The catalog rows of subjects for which the tutorials have no program: the tutorials describe them in words only,
//! or not at all. A later row builds on the earlier ones.

use std::time::Duration;

use futures::FutureExt;

use super::defaults::{ALONE, FOUR_PODS, NETTOOL_COMES_AND_GOES, watching};
use super::options::{CLIENT, LIST, PRINT, REFLECTOR, WATCH, WORKQUEUE};
use super::row::{Modern, Origin, Row};
use crate::lab::{ClusterDefaults, Clusters, Defaults, Fixture};
use crate::lessons::{controller, late, list, mutate, queue, relist, resync, stale, synced, workqueue};

/// The scenario of `late`: `nettool` is created.
static RUN: Fixture =
    Fixture { name: "fixtures/scenarios/run.yaml", text: include_str!("../../../fixtures/scenarios/run.yaml") };

/// The scenario of `relist`: a pod is created and deleted; another one is created later.
static RELISTED: Fixture =
    Fixture { name: "fixtures/scenarios/relist.yaml", text: include_str!("../../../fixtures/scenarios/relist.yaml") };

/// A run that lasts long enough for the Reflector to notice a broken watch and to watch again: its back-off adds up to
/// at most eleven seconds.
const RELIST: Defaults = Defaults {
    lasts: Some(Duration::from_secs(12)),
    ..watching(ClusterDefaults { scenario: Some(&RELISTED), ..FOUR_PODS })
};

/// The scenario of `controller`: a ReplicaSet is created, loses a pod, and is scaled up and down.
static REPLICA_SET: Fixture = Fixture {
    name: "fixtures/scenarios/controller.yaml",
    text: include_str!("../../../fixtures/scenarios/controller.yaml"),
};

/// A cluster without pods, with the scenario of `controller`.
const CONTROLLED: ClusterDefaults = ClusterDefaults { scenario: Some(&REPLICA_SET), ..NETTOOL_COMES_AND_GOES };

/// The scenario of `stale`: the server's watch cache delivers no events for a while.
static LAGS: Fixture =
    Fixture { name: "fixtures/scenarios/stale.yaml", text: include_str!("../../../fixtures/scenarios/stale.yaml") };

pub(super) static ROWS: &[Row] = &[
    Row {
        command: "queue",
        options: &CLIENT,
        origin: Origin::Beyond,
        en: "queue and items of a DeltaFIFO, drawn after every operation",
        zh: "每次操作之后，画出 DeltaFIFO 的 queue 和 items",
        chapter: "03-deltafifo",
        trace: Some("queue.txt"),
        defaults: ALONE,
        lesson: |lab| queue::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("queue-modern.txt"),
            lesson: Some(|lab| queue::modern::run(lab).boxed_local()),
        }),
    },
    Row {
        command: "workqueue",
        options: &WORKQUEUE,
        origin: Origin::Beyond,
        en: "The work queue: dedupe, delay, rate limit",
        zh: "work queue：去重、延迟、限速",
        chapter: "15-workqueue",
        trace: Some("workqueue.txt"),
        defaults: ALONE,
        lesson: |lab| workqueue::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "workqueue --act dedupe",
        options: &WORKQUEUE,
        origin: Origin::Beyond,
        en: "The work queue, act 1: an item is queued once",
        zh: "work queue 第一幕：同一个 key 只排队一次",
        chapter: "15-workqueue",
        trace: Some("workqueue-dedupe.txt"),
        defaults: ALONE,
        lesson: |lab| workqueue::dedupe::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "workqueue --act delay",
        options: &WORKQUEUE,
        origin: Origin::Beyond,
        en: "The work queue, act 2: an item is added later",
        zh: "work queue 第二幕：过一会儿再加入",
        chapter: "15-workqueue",
        trace: Some("workqueue-delay.txt"),
        defaults: ALONE,
        lesson: |lab| workqueue::delay::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "workqueue --act rate-limit",
        options: &WORKQUEUE,
        origin: Origin::Beyond,
        en: "The work queue, act 3: a failed item waits longer each time",
        zh: "work queue 第三幕：失败的 key 等得越来越久",
        chapter: "15-workqueue",
        trace: Some("workqueue-rate-limit.txt"),
        defaults: ALONE,
        lesson: |lab| workqueue::rate_limit::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "synced",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Synced: the store is filled, but the handlers may not have run yet",
        zh: "Synced：store 已同步不等于 handler 已处理完",
        chapter: "20-late-and-synced",
        trace: Some("synced.txt"),
        defaults: watching(FOUR_PODS).four_seconds(),
        lesson: |lab| synced::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("synced-modern.txt"), lesson: None }),
    },
    Row {
        command: "resync",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Resync: the informer delivers its stored objects again as Sync, and a handler returns early",
        zh: "Resync：store 里的对象以 Sync 再派发一遍，handler 提前返回",
        chapter: "18-resync",
        trace: Some("resync.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
        lesson: |lab| resync::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("resync-modern.txt"),
            lesson: Some(|lab| resync::modern::run(lab).boxed_local()),
        }),
    },
    Row {
        command: "list",
        options: &LIST,
        origin: Origin::Beyond,
        en: "List: storage or the watch cache answers a LIST, in 2023 and today",
        zh: "List：LIST 由存储还是 watch cache 回答，当时与现在",
        chapter: "17-list",
        trace: Some("list.txt"),
        defaults: watching(ClusterDefaults { clusters: Clusters::OfEachEra, ..FOUR_PODS }),
        lesson: |lab| list::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "list --lag",
        options: &LIST,
        origin: Origin::Beyond,
        en: "The same while the watch cache is behind: which lists have the newest pod, and which wait for it",
        zh: "同上，但 watch cache 落后：哪些 list 有最新的 Pod，哪些要等它",
        chapter: "17-list",
        trace: Some("list-lag.txt"),
        defaults: watching(ClusterDefaults { clusters: Clusters::OfEachEra, ..FOUR_PODS }),
        lesson: |lab| list::lag::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "relist",
        options: &REFLECTOR,
        origin: Origin::Beyond,
        en: "Relist: the watch misses a deletion, and the store keeps the object for ever",
        zh: "Relist：watch 漏掉了一次删除，对象一直留在 store 里",
        chapter: "19-relist",
        trace: Some("relist.txt"),
        defaults: RELIST,
        lesson: |lab| relist::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("relist-modern.txt"),
            lesson: Some(|lab| relist::modern::run(lab).boxed_local()),
        }),
    },
    Row {
        command: "relist --known-objects",
        options: &REFLECTOR,
        origin: Origin::Beyond,
        en: "The same with known objects: the queue notices the deletion, and makes a tombstone",
        zh: "同上，有 known objects：队列发现了这次删除，补上一个 tombstone",
        chapter: "19-relist",
        trace: Some("relist-known-objects.txt"),
        defaults: RELIST,
        lesson: |lab| relist::known_objects::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("relist-known-objects-modern.txt"),
            lesson: Some(|lab| relist::modern::known_objects(lab).boxed_local()),
        }),
    },
    Row {
        command: "late",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Late: a handler that joins late first receives the whole store; a slow handler delays no other",
        zh: "Late：晚加入的 handler 先收到已有的全部对象；慢的 handler 不会耽误其他 handler",
        chapter: "20-late-and-synced",
        trace: Some("late.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&RUN), ..FOUR_PODS }).four_seconds(),
        lesson: |lab| late::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("late-modern.txt"), lesson: None }),
    },
    Row {
        command: "controller",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Controller: keeps as many pods as a ReplicaSet asks for",
        zh: "Controller：ReplicaSet 要多少 Pod，就始终保持多少",
        chapter: "16-controller",
        trace: Some("controller.txt"),
        defaults: watching(CONTROLLED),
        lesson: |lab| controller::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("controller-modern.txt"), lesson: None }),
    },
    Row {
        command: "stale",
        options: &PRINT,
        origin: Origin::Beyond,
        en: "Stale: a controller that counts in an outdated cache creates pods twice, unless it waits for its own write",
        zh: "Stale：根据落后的缓存计数会重复创建；等缓存追上自己的写入就不会",
        chapter: "21-staleness",
        trace: Some("stale.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&LAGS), ..NETTOOL_COMES_AND_GOES }).lasting(4),
        lesson: |lab| stale::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "mutate",
        options: &PRINT,
        origin: Origin::Beyond,
        en: "Mutate: a write to a cached object corrupts the cache in Go, and does not compile here",
        zh: "Mutate：在 Go 里修改缓存中的对象会破坏缓存，在这里则编译不过",
        chapter: "23-pitfalls",
        trace: Some("mutate.txt"),
        defaults: ALONE,
        lesson: |lab| mutate::run(lab).boxed_local(),
        modern: None,
    },
];
