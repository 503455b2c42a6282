//! The table of runs: first the documents' in their order, then those without a program in the documents.

use super::Run;
use super::beyond::BEYOND;
use super::deltafifo::DeltaFifoStep;
use super::indexer::By;
use super::reflector::KnownObjects;
use super::row::{ALONE, FOUR_PODS, FOUR_SECONDS, NETTOOL_COMES_AND_GOES, PODS, Row, watching};
use super::shared::SharedStep;
use crate::lab::{ClusterDefaults, Fixture};

/// A deletion updates the pod three times, as in the documents' chapter on the simple informer.
static THREE_UPDATES: Fixture =
    Fixture { name: "fixtures/stages/myinformer.yaml", text: include_str!("../../fixtures/stages/myinformer.yaml") };

/// The documents' runs, in their order.
pub static DOCUMENTS: &[Row] = &[
    Row {
        run: Run::DeltaFifo(DeltaFifoStep::Values),
        command: "deltafifo",
        go: Some("go run deltafifo/main.go"),
        en: "DeltaFIFO: one slot per key, every change kept in order",
        zh: "DeltaFIFO：每个 key 一个槽位，按顺序保留每次变化",
        trace: Some("deltafifo.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::DeltaFifo(DeltaFifoStep::List),
        command: "deltafifo --step list",
        go: None,
        en: "DeltaFIFO, step 1: what the queue holds after three additions",
        zh: "DeltaFIFO 第一步：加入三个对象后队列里有什么",
        trace: Some("deltafifo-list.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::DeltaFifo(DeltaFifoStep::Pop),
        command: "deltafifo --step pop",
        go: None,
        en: "DeltaFIFO, step 2: pop the first key",
        zh: "DeltaFIFO 第二步：取出第一个 key",
        trace: Some("deltafifo-pop.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::DeltaFifo(DeltaFifoStep::Events),
        command: "deltafifo --step events",
        go: None,
        en: "DeltaFIFO, step 3: all changes of a key come out together",
        zh: "DeltaFIFO 第三步：同一个 key 的变化一起取出",
        trace: Some("deltafifo-events.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::DeltaFifo(DeltaFifoStep::Callbacks),
        command: "deltafifo --step callbacks",
        go: None,
        en: "DeltaFIFO, step 4: a callback for each kind of change",
        zh: "DeltaFIFO 第四步：每种变化对应一个回调",
        trace: Some("deltafifo-callbacks.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::ListWatch,
        command: "listwatch",
        go: Some("go run reflector/listwatch.go"),
        en: "LIST, then WATCH: what the API server sends",
        zh: "先 LIST 再 WATCH：API server 发来什么",
        trace: Some("listwatch.txt"),
        defaults: watching(ClusterDefaults { pods: Some(&PODS), ..NETTOOL_COMES_AND_GOES }).seed(6),
    },
    Row {
        run: Run::Reflector(KnownObjects::No),
        command: "reflector",
        go: Some("go run reflector/reflector.go"),
        en: "Reflector into a DeltaFIFO: no Deleted without known objects",
        zh: "Reflector 写入 DeltaFIFO：没有 known objects 就没有 Deleted",
        trace: Some("reflector.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
    },
    Row {
        run: Run::Reflector(KnownObjects::Yes),
        command: "reflector --known-objects",
        go: Some("go run reflector/indexer.go"),
        en: "The same with a Store as known objects: Deleted comes out",
        zh: "同上，以 Store 作为 known objects：得到 Deleted",
        trace: Some("reflector-known-objects.txt"),
        defaults: watching(NETTOOL_COMES_AND_GOES),
    },
    Row {
        run: Run::MyInformer,
        command: "myinformer",
        go: Some("go run myinformer.go"),
        en: "A simple informer put together by hand",
        zh: "手工组装一个简单的 informer",
        trace: Some("myinformer.txt"),
        defaults: watching(ClusterDefaults { stages: Some(&THREE_UPDATES), ..NETTOOL_COMES_AND_GOES }),
    },
    Row {
        run: Run::Shared(SharedStep::Listener),
        command: "shared --step listener",
        go: None,
        en: "processorListener: a handler behind an unbounded buffer",
        zh: "processorListener：handler 前面有一个无界缓冲",
        trace: Some("shared-listener.txt"),
        defaults: FOUR_SECONDS,
    },
    Row {
        run: Run::Shared(SharedStep::Simulate),
        command: "shared",
        go: Some("go run sharedinformer/simulate.go"),
        en: "sharedProcessor: two handlers side by side",
        zh: "sharedProcessor：两个 handler 并行",
        trace: Some("shared-simulate.txt"),
        defaults: FOUR_SECONDS.seed(14),
    },
    Row {
        run: Run::Shared(SharedStep::ListWatch),
        command: "shared --step list-watch",
        go: Some("go run sharedinformer/list_watch.go"),
        en: "The whole shared informer over list and watch",
        zh: "在 list-watch 之上的完整 shared informer",
        trace: Some("shared-list-watch.txt"),
        defaults: watching(FOUR_PODS).seed(1640),
    },
    Row {
        run: Run::Indexer(By::Label),
        command: "indexer",
        go: Some("go run sharedinformer/indexer.go"),
        en: "Indexer: find objects by a label",
        zh: "Indexer：按 label 查找对象",
        trace: Some("indexer.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::Indexer(By::Namespace),
        command: "indexer --by namespace",
        go: None,
        en: "Indexer: find objects by their namespace",
        zh: "Indexer：按 namespace 查找对象",
        trace: Some("indexer-namespace.txt"),
        defaults: ALONE,
    },
    Row {
        run: Run::IndexerServe,
        command: "indexer --serve",
        go: Some("go run sharedinformer/indexer_run.go"),
        en: "An index kept up to date by a shared informer, over HTTP",
        zh: "由 shared informer 实时更新的索引，通过 HTTP 访问",
        trace: None,
        defaults: watching(FOUR_PODS),
    },
    Row {
        run: Run::Factory,
        command: "factory",
        go: Some("go run sharedinformer/sharedinformerfactory.go"),
        en: "SharedInformerFactory: one informer per type",
        zh: "SharedInformerFactory：每种类型一个 informer",
        trace: Some("factory.txt"),
        defaults: watching(FOUR_PODS),
    },
    Row {
        run: Run::FactoryServe,
        command: "factory --serve",
        go: None,
        en: "The same; GET / answers the indexer's list as JSON",
        zh: "同上；GET / 以 JSON 返回 indexer 的列表",
        trace: None,
        defaults: watching(FOUR_PODS),
    },
];

/// All runs: the documents', then the others.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    DOCUMENTS.iter().chain(BEYOND)
}

#[cfg(test)]
mod tests {
    use super::super::workqueue::Act;
    use super::*;

    #[test]
    fn every_run_has_a_row() {
        for step in [
            DeltaFifoStep::Values,
            DeltaFifoStep::List,
            DeltaFifoStep::Pop,
            DeltaFifoStep::Events,
            DeltaFifoStep::Callbacks,
        ] {
            Run::DeltaFifo(step).row();
        }
        for step in [SharedStep::Simulate, SharedStep::Listener, SharedStep::ListWatch] {
            Run::Shared(step).row();
        }
        for known in [KnownObjects::No, KnownObjects::Yes] {
            Run::Reflector(known).row();
            Run::Relist(known).row();
        }
        for by in [By::Label, By::Namespace] {
            Run::Indexer(by).row();
        }
        for run in [
            Run::ListWatch,
            Run::IndexerServe,
            Run::MyInformer,
            Run::Factory,
            Run::FactoryServe,
            Run::Controller,
            Run::List,
            Run::Resync,
            Run::Late,
            Run::Mutate,
            Run::Queue,
            Run::Synced,
        ] {
            run.row();
        }
        for act in [None, Some(Act::Dedupe), Some(Act::Delay), Some(Act::RateLimit)] {
            Run::WorkQueue(act).row();
        }
    }

    #[test]
    fn no_command_appears_twice() {
        let mut commands: Vec<_> = rows().map(|row| row.command).collect();
        commands.sort_unstable();
        commands.dedup();
        assert_eq!(commands.len(), rows().count());
    }
}
