//! Lesson `factory`: a SharedInformerFactory makes one informer per type, even if the type is requested several times.
//!
//! [`by_hand`] has the tutorials' own factory, [`apart`] shows the cost of having none, and [`serve`] serves the list
//! over HTTP.
//!
//! Chapter: `lessons/12-factory`. Traces: `fixtures/traces/factory*.txt`.

pub mod apart;
pub mod by_hand;
mod my_factory;
pub mod serve;

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use super::requests::Requests;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{HandlerFuncs, SharedIndexInformer, SharedInformerFactory};

// ANCHOR: factory
/// Asks for the informer of pods twice, starts the factory, and counts the requests.
pub async fn run(lab: &Lab) -> Result<()> {
    let requests = Requests::default();
    let factory = lab.factory(SharedInformerFactory::new(requests.client(lab)).namespace(lab.namespace()));
    let pods: SharedIndexInformer<Pod> = factory.informer();
    pods.add_event_handler(print_names(lab))?;
    let again: SharedIndexInformer<Pod> = factory.informer(); // the same one

    factory.start(&lab.stop());
    factory.wait_for_cache_sync(&lab.stop()).await;
    let [first, second] = [&pods, &again].map(|informer| informer.reader().len());
    lab.narrate(
        &format!("requested twice, but it is one informer: both stores show the same pods ({first}, {second})"),
        &format!("向 factory 要了两次，得到的是同一个 informer：两边的 store 里是同样的 Pod（{first}，{second}）"),
    );
    lab.stop().cancelled().await;
    factory.shutdown().await?;
    lab.narrate(&format!("requests: {requests}"), &format!("请求：{}", requests.zh()));
    Ok(())
}

/// A handler that prints the name of each pod that is added.
fn print_names(lab: &Lab) -> HandlerFuncs<Pod> {
    let lab = lab.clone();
    HandlerFuncs::new().add_func(move |pod: Arc<Pod>, _| lab.print(Style::Added, name(&pod)))
}
// ANCHOR_END: factory
