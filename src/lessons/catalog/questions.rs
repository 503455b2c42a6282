//! The catalog rows about questions that follow after the course: a controller's own writes, selectors, memory, lists
//! that fail, and informers that stop.

use futures::FutureExt;

use super::defaults::{ALONE, FOUR_PODS, NETTOOL_COMES_AND_GOES, watching};
use super::options::{PRINT, WATCH};
use super::row::{Origin, Row};
use crate::lab::{ClusterDefaults, Fixture};
use crate::lessons::{definition, forbidden, memory, selector, stopped, wake};

/// The scenario of `wake`: ReplicaSets are created, and one is scaled.
static WAKE: Fixture =
    Fixture { name: "fixtures/scenarios/wake.yaml", text: include_str!("../../../fixtures/scenarios/wake.yaml") };

/// The scenario of `selector`: a pod's labels change, so that it leaves the selector and comes back.
static SELECTOR: Fixture = Fixture {
    name: "fixtures/scenarios/selector.yaml",
    text: include_str!("../../../fixtures/scenarios/selector.yaml"),
};

/// The scenario of `memory` and `stopped`: `nettool` is created.
static RUN: Fixture =
    Fixture { name: "fixtures/scenarios/run.yaml", text: include_str!("../../../fixtures/scenarios/run.yaml") };

/// The tutorials' four pods, and `nettool` a second later.
const FIVE_PODS: ClusterDefaults = ClusterDefaults { scenario: Some(&RUN), ..FOUR_PODS };

pub(super) static ROWS: &[Row] = &[
    Row {
        command: "wake",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Wake: a controller's own status write comes back as an update",
        zh: "Wake：控制器自己写的 status 会作为更新回来，再次唤醒它",
        chapter: "16-controller",
        trace: Some("wake.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&WAKE), ..NETTOOL_COMES_AND_GOES }),
        lesson: |lab| wake::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "selector",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Selector: OnDelete for a pod that still exists, because it left the informer's selector",
        zh: "Selector：Pod 还在，却收到 OnDelete，因为它离开了 informer 的 selector",
        chapter: "24-scope-and-memory",
        trace: Some("selector.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&SELECTOR), ..FOUR_PODS }),
        lesson: |lab| selector::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "memory",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Memory: what an informer receives and keeps, whole, transformed, metadata only, or projected",
        zh: "Memory：informer 收到多少、留下多少：整个对象、transform、只要 metadata、投影",
        chapter: "24-scope-and-memory",
        trace: Some("memory.txt"),
        defaults: watching(FIVE_PODS).lasting(20),
        lesson: |lab| memory::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "forbidden",
        options: &PRINT,
        origin: Origin::Beyond,
        en: "Forbidden: a list that is not allowed, and where the error appears",
        zh: "Forbidden：list 没有权限时，错误出现在哪里",
        chapter: "25-when-lists-fail",
        trace: Some("forbidden.txt"),
        defaults: ALONE.lasting(20),
        lesson: |lab| forbidden::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "definition",
        options: &PRINT,
        origin: Origin::Beyond,
        en: "Definition: a custom resource's definition goes away, and comes back",
        zh: "Definition：自定义资源的定义被删掉，又回来",
        chapter: "25-when-lists-fail",
        trace: Some("definition.txt"),
        defaults: ALONE.lasting(20),
        lesson: |lab| definition::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "stopped",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Stopped: one of two informers is stopped, and cannot run again",
        zh: "Stopped：停掉两个 informer 中的一个，它不能再次运行",
        chapter: "25-when-lists-fail",
        trace: Some("stopped.txt"),
        defaults: watching(FIVE_PODS),
        lesson: |lab| stopped::run(lab).boxed_local(),
        modern: None,
    },
];
