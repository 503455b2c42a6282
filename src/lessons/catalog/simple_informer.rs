//! The catalog rows of the tutorials' programs up to the simple informer: the DeltaFIFO, LIST and WATCH, the
//! Reflector, and an informer put together from them. The rows of a chapter have the order of its runs in the book.

use futures::FutureExt;

use super::defaults::{ALONE, NETTOOL_COMES_AND_GOES, PODS, watching};
use super::options::{DELTAFIFO, REFLECTOR, WATCH};
use super::row::{Modern, Origin, Row};
use crate::lab::{ClusterDefaults, Fixture};
use crate::lessons::{deltafifo, listwatch, myinformer, reflector};

/// Stages with which a deletion updates the pod three times, as in the tutorials' chapter on the simple informer.
static THREE_UPDATES: Fixture =
    Fixture { name: "fixtures/stages/myinformer.yaml", text: include_str!("../../../fixtures/stages/myinformer.yaml") };

pub(super) static ROWS: &[Row] = &[
    Row {
        command: "deltafifo --step list",
        options: &DELTAFIFO,
        origin: Origin::Step,
        en: "DeltaFIFO, step 1: the content of the queue after three additions",
        zh: "DeltaFIFO 第一步：加入三个对象后队列里有什么",
        chapter: "03-deltafifo",
        trace: Some("deltafifo-list.txt"),
        defaults: ALONE,
        lesson: |lab| deltafifo::list::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("deltafifo-list-modern.txt"),
            lesson: Some(|lab| deltafifo::modern::list(lab).boxed_local()),
        }),
    },
    Row {
        command: "deltafifo --step pop",
        options: &DELTAFIFO,
        origin: Origin::Step,
        en: "DeltaFIFO, step 2: pop the first key",
        zh: "DeltaFIFO 第二步：取出第一个 key",
        chapter: "03-deltafifo",
        trace: Some("deltafifo-pop.txt"),
        defaults: ALONE,
        lesson: |lab| deltafifo::pop::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("deltafifo-pop-modern.txt"),
            lesson: Some(|lab| deltafifo::modern::pop(lab).boxed_local()),
        }),
    },
    Row {
        command: "deltafifo --step events",
        options: &DELTAFIFO,
        origin: Origin::Step,
        en: "DeltaFIFO, step 3: all changes of a key come out together",
        zh: "DeltaFIFO 第三步：同一个 key 的变化一起取出",
        chapter: "03-deltafifo",
        trace: Some("deltafifo-events.txt"),
        defaults: ALONE,
        lesson: |lab| deltafifo::events::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("deltafifo-events-modern.txt"),
            lesson: Some(|lab| deltafifo::modern::events(lab).boxed_local()),
        }),
    },
    Row {
        command: "deltafifo --step callbacks",
        options: &DELTAFIFO,
        origin: Origin::Step,
        en: "DeltaFIFO, step 4: a callback for each kind of change",
        zh: "DeltaFIFO 第四步：每种变化对应一个回调",
        chapter: "03-deltafifo",
        trace: Some("deltafifo-callbacks.txt"),
        defaults: ALONE,
        lesson: |lab| deltafifo::callbacks::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("deltafifo-callbacks-modern.txt"),
            lesson: Some(|lab| deltafifo::modern::callbacks(lab).boxed_local()),
        }),
    },
    Row {
        command: "deltafifo",
        options: &DELTAFIFO,
        origin: Origin::Program("go run deltafifo/main.go"),
        en: "DeltaFIFO: one slot per key, every change kept in order",
        zh: "DeltaFIFO：每个 key 一个槽位，按顺序保留每次变化",
        chapter: "03-deltafifo",
        trace: Some("deltafifo.txt"),
        defaults: ALONE,
        lesson: |lab| deltafifo::values::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("deltafifo-modern.txt"),
            lesson: Some(|lab| deltafifo::modern::values(lab).boxed_local()),
        }),
    },
    Row {
        command: "listwatch",
        options: &WATCH,
        origin: Origin::Program("go run reflector/listwatch.go"),
        en: "LIST, then WATCH: the answers of the API server",
        zh: "先 LIST 再 WATCH：API server 的应答",
        chapter: "02-listwatch",
        trace: Some("listwatch.txt"),
        defaults: watching(ClusterDefaults { pods: Some(&PODS), ..NETTOOL_COMES_AND_GOES }).seed(6),
        lesson: |lab| listwatch::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("listwatch-modern.txt"), lesson: None }),
    },
    Row {
        command: "reflector",
        options: &REFLECTOR,
        origin: Origin::Program("go run reflector/reflector.go"),
        en: "Reflector into a DeltaFIFO: why no Deleted comes out",
        zh: "Reflector 写入 DeltaFIFO：为什么没有 Deleted",
        chapter: "04-reflector",
        trace: Some("reflector.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
        lesson: |lab| reflector::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("reflector-modern.txt"),
            lesson: Some(|lab| reflector::modern::run(lab).boxed_local()),
        }),
    },
    Row {
        command: "reflector --known-objects",
        options: &REFLECTOR,
        origin: Origin::Program("go run reflector/indexer.go"),
        en: "The same with a Store as known objects, where the queue can look: Deleted comes out",
        zh: "同上，队列可以去查一个 Store（known objects）：Deleted 出来了",
        chapter: "05-known-objects",
        trace: Some("reflector-known-objects.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
        lesson: |lab| reflector::known_objects::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("reflector-known-objects-modern.txt"),
            lesson: Some(|lab| reflector::modern::known_objects(lab).boxed_local()),
        }),
    },
    Row {
        command: "myinformer",
        options: &WATCH,
        origin: Origin::Program("go run myinformer.go"),
        en: "A simple informer put together by hand",
        zh: "手工组装一个简单的 informer",
        chapter: "07-myinformer",
        trace: Some("myinformer.txt"),
        defaults: watching(ClusterDefaults { stages: Some(&THREE_UPDATES), ..NETTOOL_COMES_AND_GOES }),
        lesson: |lab| myinformer::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("myinformer-modern.txt"),
            lesson: Some(|lab| myinformer::modern::run(lab).boxed_local()),
        }),
    },
];
