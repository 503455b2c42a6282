//! The catalog rows about one part of an informer, which the tutorials name without a program for it.

use futures::FutureExt;

use super::defaults::{FOUR_PODS, NETTOOL_COMES_AND_GOES, watching};
use super::options::WATCH;
use super::row::{Origin, Row};
use crate::lab::{ClusterDefaults, Fixture};
use crate::lessons::{architecture, controllerloop, lister, reflector_loop, syncing};

/// The scenario of `architecture`: `nettool` is created.
static RUN: Fixture =
    Fixture { name: "fixtures/scenarios/run.yaml", text: include_str!("../../../fixtures/scenarios/run.yaml") };

/// The scenario of `loop`: a watch ends, a version is too old, and lists fail.
static LOOP: Fixture =
    Fixture { name: "fixtures/scenarios/loop.yaml", text: include_str!("../../../fixtures/scenarios/loop.yaml") };

/// The scenario of `syncing`: a pod changes between resyncs.
static LABEL: Fixture =
    Fixture { name: "fixtures/scenarios/label.yaml", text: include_str!("../../../fixtures/scenarios/label.yaml") };

pub(super) static ROWS: &[Row] = &[
    Row {
        command: "architecture",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Architecture: one pod on its way through the five parts of an informer",
        zh: "架构：一个 Pod 依次经过 informer 的五个组件",
        chapter: "01-architecture",
        trace: Some("architecture.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&RUN), ..NETTOOL_COMES_AND_GOES }),
        lesson: |lab| architecture::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "lister",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Lister: reads the cache like the API server, and sends no request",
        zh: "Lister：像读 API server 一样读缓存，不发请求",
        chapter: "13-lister",
        trace: Some("lister.txt"),
        defaults: watching(FOUR_PODS),
        lesson: |lab| lister::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "controllerloop",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Controller loop: the Reflector fills the queue, and the pop loop empties it",
        zh: "Controller 循环：Reflector 往队列里放，pop 循环从队列里取",
        chapter: "14-controller-loop",
        trace: Some("reflector-known-objects.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
        lesson: |lab| controllerloop::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "loop",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Loop: LIST and WATCH, request by request, when watches end and requests fail",
        zh: "Loop：逐个请求看 LIST 和 WATCH：watch 结束、请求失败时怎么办",
        chapter: "14-controller-loop",
        trace: Some("loop.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&LOOP), ..FOUR_PODS }).lasting(24),
        lesson: |lab| reflector_loop::run(lab).boxed_local(),
        modern: None,
    },
    Row {
        command: "syncing",
        options: &WATCH,
        origin: Origin::Beyond,
        en: "Syncing: handlers with different resync periods share one informer",
        zh: "Syncing：resync 周期不同的 handler 共用一个 informer",
        chapter: "18-resync",
        trace: Some("syncing.txt"),
        defaults: watching(ClusterDefaults { scenario: Some(&LABEL), ..NETTOOL_COMES_AND_GOES }).lasting(8),
        lesson: |lab| syncing::run(lab).boxed_local(),
        modern: None,
    },
];
