//! The catalog rows of runs that take a part of the tutorials' programs apart, or build it by hand.

use futures::FutureExt;

use super::Run;
use super::row::{ALONE, FOUR_PODS, Origin, Row, watching};
use crate::lab::Defaults;
use crate::lessons::{factory, shared};

pub(super) fn shared_slow_listener() -> Row {
    Row {
        run: Run::SharedSlowListener,
        command: "shared --step slow-listener",
        origin: Origin::Beyond,
        en: "processorListener: the buffer fills when the handler is slow",
        zh: "processorListener：handler 慢时，缓冲会堆积",
        chapter: "08-listener",
        trace: Some("shared-slow-listener.txt"),
        defaults: MAKES_PODS,
        lesson: |lab| shared::slow_listener::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn shared_stages() -> Row {
    Row {
        run: Run::SharedStages,
        command: "shared --step stages",
        origin: Origin::Beyond,
        en: "processorListener by hand: addCh, pendingNotifications, nextCh",
        zh: "手写 processorListener：addCh、pendingNotifications、nextCh",
        chapter: "08-listener",
        trace: Some("shared-stages.txt"),
        defaults: MAKES_PODS,
        lesson: |lab| shared::stages::run(lab).boxed_local(),
        modern: None,
    }
}

/// Long enough for six pods, one a second, with a handler that takes two and a half seconds for each.
const MAKES_PODS: Defaults = ALONE.lasting(20);

pub(super) fn shared_by_hand() -> Row {
    Row {
        run: Run::SharedByHand,
        command: "shared --step by-hand",
        origin: Origin::Beyond,
        en: "The shared informer put together by hand: processor, Reflector, DeltaFIFO, store",
        zh: "手工组装 shared informer：processor、Reflector、DeltaFIFO、store",
        chapter: "10-shared-list-watch",
        trace: Some("shared-list-watch.txt"),
        defaults: watching(FOUR_PODS).seed(1640),
        lesson: |lab| shared::by_hand::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn factory_by_hand() -> Row {
    Row {
        run: Run::FactoryByHand,
        command: "factory --step by-hand",
        origin: Origin::Beyond,
        en: "The tutorials' own factory: a map from types to informers",
        zh: "教程自己写的 factory：从类型到 informer 的 map",
        chapter: "12-factory",
        trace: Some("factory-by-hand.txt"),
        defaults: watching(FOUR_PODS),
        lesson: |lab| factory::by_hand::run(lab).boxed_local(),
        modern: None,
    }
}

pub(super) fn factory_apart() -> Row {
    Row {
        run: Run::FactoryApart,
        command: "factory --step apart",
        origin: Origin::Beyond,
        en: "No factory: two informers ask the API server for everything twice",
        zh: "没有 factory：两个 informer，向 API server 请求两遍",
        chapter: "12-factory",
        trace: Some("factory-apart.txt"),
        defaults: watching(FOUR_PODS),
        lesson: |lab| factory::apart::run(lab).boxed_local(),
        modern: None,
    }
}
