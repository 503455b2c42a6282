//! The table's rows for runs that the documents describe in words but have no program for.

use std::time::Duration;

use super::Run;
use super::reflector::KnownObjects;
use super::row::{ALONE, FOUR_PODS, FOUR_SECONDS, NETTOOL_COMES_AND_GOES, Row, watching};
use super::workqueue::Act;
use crate::lab::{ClusterDefaults, Defaults, Eras, Fixture};

/// Creates `nettool`.
static RUN: Fixture =
    Fixture { name: "fixtures/scenarios/run.yaml", text: include_str!("../../fixtures/scenarios/run.yaml") };

/// A pod is created and deleted; another one is created later.
static RELISTED: Fixture =
    Fixture { name: "fixtures/scenarios/relist.yaml", text: include_str!("../../fixtures/scenarios/relist.yaml") };

/// The watch is broken, and the Reflector's back-off adds up to eleven seconds at most.
const RELIST: Defaults = Defaults {
    lasts: Some(Duration::from_secs(12)),
    ..watching(ClusterDefaults { scenario: Some(&RELISTED), ..FOUR_PODS })
};

/// A ReplicaSet is created, loses a pod, and is scaled up and down.
static REPLICA_SET: Fixture = Fixture {
    name: "fixtures/scenarios/controller.yaml",
    text: include_str!("../../fixtures/scenarios/controller.yaml"),
};

const CONTROLLED: ClusterDefaults = ClusterDefaults { scenario: Some(&REPLICA_SET), ..NETTOOL_COMES_AND_GOES };

/// In the order in which they build on each other.
pub static BEYOND: &[Row] = &[
    Row {
        run: Run::Queue,
        command: "queue",
        go: None,
        en: "queue and items of a DeltaFIFO, drawn after every operation",
        zh: "每次操作之后，画出 DeltaFIFO 的 queue 和 items",
        trace: Some("queue.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::WorkQueue(None),
        command: "workqueue",
        go: None,
        en: "The work queue: dedupe, delay, rate limit",
        zh: "工作队列：去重、延迟、限速",
        trace: Some("workqueue.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::WorkQueue(Some(Act::Dedupe)),
        command: "workqueue --act dedupe",
        go: None,
        en: "The work queue, act 1: an item is queued once",
        zh: "工作队列第一幕：一个元素只排队一次",
        trace: Some("workqueue-dedupe.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::WorkQueue(Some(Act::Delay)),
        command: "workqueue --act delay",
        go: None,
        en: "The work queue, act 2: an item is added later",
        zh: "工作队列第二幕：元素延迟加入",
        trace: Some("workqueue-delay.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::WorkQueue(Some(Act::RateLimit)),
        command: "workqueue --act rate-limit",
        go: None,
        en: "The work queue, act 3: a failed item waits longer each time",
        zh: "工作队列第三幕：失败的元素等得越来越久",
        trace: Some("workqueue-rate-limit.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::Synced,
        command: "synced",
        go: None,
        en: "Synced: that the store is filled does not mean that the handlers are done",
        zh: "Synced：store 已同步不等于 handler 已处理完",
        trace: Some("synced.txt"),
        defaults: Defaults { lasts: FOUR_SECONDS.lasts, ..watching(FOUR_PODS) },
    },
    Row {
        run: Run::Resync,
        command: "resync",
        go: None,
        en: "Resync: what is known is told again as Sync, and a handler returns early",
        zh: "Resync：已知对象以 Sync 再来一次，handler 提前返回",
        trace: Some("resync.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
    },
    Row {
        run: Run::List,
        command: "list",
        go: None,
        en: "List: who answers a LIST, storage or the watch cache, then and now",
        zh: "List：LIST 由存储还是 watch cache 回答，当时与现在",
        trace: Some("list.txt"),
        defaults: watching(ClusterDefaults { eras: Eras::Each, ..FOUR_PODS }),
    },
    Row {
        run: Run::Relist(KnownObjects::No),
        command: "relist",
        go: None,
        en: "Relist: a deletion that the watch missed, without known objects",
        zh: "Relist：watch 漏掉的删除，没有 known objects",
        trace: Some("relist.txt"),
        defaults: RELIST,
    },
    Row {
        run: Run::Relist(KnownObjects::Yes),
        command: "relist --known-objects",
        go: None,
        en: "The same with known objects: the relist makes a DeletedFinalStateUnknown",
        zh: "同上，有 known objects：relist 产生 DeletedFinalStateUnknown",
        trace: Some("relist-known-objects.txt"),
        defaults: RELIST,
    },
    Row {
        run: Run::Late,
        command: "late",
        go: None,
        en: "Late: a handler that joins late is told everything first; a slow one delays nobody",
        zh: "Late：晚加入的 handler 先被告知全部对象；慢的 handler 不拖累别人",
        trace: Some("late.txt"),
        defaults: Defaults {
            lasts: FOUR_SECONDS.lasts,
            ..watching(ClusterDefaults { scenario: Some(&RUN), ..FOUR_PODS })
        },
    },
    Row {
        run: Run::Controller,
        command: "controller",
        go: None,
        en: "Controller: as many pods as a ReplicaSet asks for, whatever happens to them",
        zh: "Controller：ReplicaSet 要多少 Pod 就有多少，不论发生什么",
        trace: Some("controller.txt"),
        defaults: watching(CONTROLLED),
    },
    Row {
        run: Run::Mutate,
        command: "mutate",
        go: None,
        en: "Mutate: what the cache hands out is changed in a copy",
        zh: "Mutate：缓存给出的对象，先复制再修改",
        trace: Some("mutate.txt"),
        defaults: ALONE,
    },
];
