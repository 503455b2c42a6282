//! The catalog rows of the tutorials' runs, in the tutorials' order.

use futures::FutureExt;

use super::Run;
use super::modern::Modern;
use super::row::{ALONE, FOUR_PODS, FOUR_SECONDS, NETTOOL_COMES_AND_GOES, Origin, PODS, Row, watching};
use crate::lab::{ClusterDefaults, Fixture};
use crate::lessons::{deltafifo, factory, indexer, listwatch, myinformer, reflector, shared};

/// A deletion updates the pod three times, as in the tutorials' chapter on the simple informer.
static THREE_UPDATES: Fixture =
    Fixture { name: "fixtures/stages/myinformer.yaml", text: include_str!("../../../fixtures/stages/myinformer.yaml") };

pub(super) fn deltafifo() -> Row {
    Row {
        run: Run::DeltaFifo,
        command: "deltafifo",
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
    }
}

pub(super) fn deltafifo_list() -> Row {
    Row {
        run: Run::DeltaFifoList,
        command: "deltafifo --step list",
        origin: Origin::Step,
        en: "DeltaFIFO, step 1: what the queue holds after three additions",
        zh: "DeltaFIFO 第一步：加入三个对象后队列里有什么",
        chapter: "03-deltafifo",
        trace: Some("deltafifo-list.txt"),
        defaults: ALONE,
        lesson: |lab| deltafifo::list::run(lab).boxed_local(),
        modern: Some(Modern {
            trace: Some("deltafifo-list-modern.txt"),
            lesson: Some(|lab| deltafifo::modern::list(lab).boxed_local()),
        }),
    }
}

pub(super) fn deltafifo_pop() -> Row {
    Row {
        run: Run::DeltaFifoPop,
        command: "deltafifo --step pop",
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
    }
}

pub(super) fn deltafifo_events() -> Row {
    Row {
        run: Run::DeltaFifoEvents,
        command: "deltafifo --step events",
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
    }
}

pub(super) fn deltafifo_callbacks() -> Row {
    Row {
        run: Run::DeltaFifoCallbacks,
        command: "deltafifo --step callbacks",
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
    }
}

pub(super) fn listwatch() -> Row {
    Row {
        run: Run::ListWatch,
        command: "listwatch",
        origin: Origin::Program("go run reflector/listwatch.go"),
        en: "LIST, then WATCH: what the API server sends",
        zh: "先 LIST 再 WATCH：API server 发来什么",
        chapter: "02-listwatch",
        trace: Some("listwatch.txt"),
        defaults: watching(ClusterDefaults { pods: Some(&PODS), ..NETTOOL_COMES_AND_GOES }).seed(6),
        lesson: |lab| listwatch::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("listwatch-modern.txt"), lesson: None }),
    }
}

pub(super) fn reflector() -> Row {
    Row {
        run: Run::Reflector,
        command: "reflector",
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
    }
}

pub(super) fn reflector_known_objects() -> Row {
    Row {
        run: Run::ReflectorKnownObjects,
        command: "reflector --known-objects",
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
    }
}

pub(super) fn myinformer() -> Row {
    Row {
        run: Run::MyInformer,
        command: "myinformer",
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
    }
}

pub(super) fn shared_listener() -> Row {
    Row {
        run: Run::SharedListener,
        command: "shared --step listener",
        origin: Origin::Step,
        en: "processorListener: a handler behind an unbounded buffer",
        zh: "processorListener：handler 前面有一个无界缓冲",
        chapter: "08-listener",
        trace: Some("shared-listener.txt"),
        defaults: FOUR_SECONDS,
        lesson: |lab| shared::listener::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn shared_simulate() -> Row {
    Row {
        run: Run::SharedSimulate,
        command: "shared",
        origin: Origin::Program("go run sharedinformer/simulate.go"),
        en: "sharedProcessor: two handlers side by side",
        zh: "sharedProcessor：两个 handler 并行",
        chapter: "09-shared",
        trace: Some("shared-simulate.txt"),
        defaults: FOUR_SECONDS.seed(14),
        lesson: |lab| shared::simulate::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn shared_list_watch() -> Row {
    Row {
        run: Run::SharedListWatch,
        command: "shared --step list-watch",
        origin: Origin::Program("go run sharedinformer/list_watch.go"),
        en: "The whole shared informer over list and watch",
        zh: "在 list-watch 之上的完整 shared informer",
        chapter: "10-shared-list-watch",
        trace: Some("shared-list-watch.txt"),
        defaults: watching(FOUR_PODS).seed(1640),
        lesson: |lab| shared::list_watch::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("shared-list-watch-modern.txt"), lesson: None }),
    }
}

pub(super) fn indexer() -> Row {
    Row {
        run: Run::Indexer,
        command: "indexer",
        origin: Origin::Program("go run sharedinformer/indexer.go"),
        en: "Indexer: find objects by a label",
        zh: "Indexer：按 label 查找对象",
        chapter: "06-indexer",
        trace: Some("indexer.txt"),
        defaults: ALONE,
        lesson: |lab| indexer::label::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn indexer_namespace() -> Row {
    Row {
        run: Run::IndexerNamespace,
        command: "indexer --by namespace",
        origin: Origin::Step,
        en: "Indexer: find objects by their namespace",
        zh: "Indexer：按 namespace 查找对象",
        chapter: "06-indexer",
        trace: Some("indexer-namespace.txt"),
        defaults: ALONE,
        lesson: |lab| indexer::namespace::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn indexer_serve() -> Row {
    Row {
        run: Run::IndexerServe,
        command: "indexer --serve",
        origin: Origin::Program("go run sharedinformer/indexer_run.go"),
        en: "An index kept up to date by a shared informer, over HTTP",
        zh: "由 shared informer 实时更新的索引，通过 HTTP 访问",
        chapter: "11-informer-index",
        trace: None,
        defaults: watching(FOUR_PODS),
        lesson: |lab| indexer::serve::run(lab).boxed_local(),
        modern: Some(Modern { trace: None, lesson: Some(|lab| indexer::modern::serve(lab).boxed_local()) }),
    }
}

pub(super) fn factory() -> Row {
    Row {
        run: Run::Factory,
        command: "factory",
        origin: Origin::Program("go run sharedinformer/sharedinformerfactory.go"),
        en: "SharedInformerFactory: one informer per type",
        zh: "SharedInformerFactory：每种类型一个 informer",
        chapter: "12-factory",
        trace: Some("factory.txt"),
        defaults: watching(FOUR_PODS),
        lesson: |lab| factory::run(lab).boxed_local(),
        modern: Some(Modern { trace: Some("factory-modern.txt"), lesson: None }),
    }
}

pub(super) fn factory_serve() -> Row {
    Row {
        run: Run::FactoryServe,
        command: "factory --serve",
        origin: Origin::Step,
        en: "The same; GET / answers the indexer's list as JSON",
        zh: "同上；GET / 以 JSON 返回 indexer 的列表",
        chapter: "12-factory",
        trace: None,
        defaults: watching(FOUR_PODS),
        lesson: |lab| factory::serve::run(lab).boxed_local(),
        modern: Some(Modern { trace: None, lesson: None }),
    }
}
