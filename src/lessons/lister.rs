//! Lesson `lister`: reads an informer's store with the interface of the API server, without sending requests.
//!
//! Chapter: `lessons/13-lister`. Trace: `fixtures/traces/lister.txt`.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::go;
use super::pods::name;
use super::requests::Requests;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{GroupResource, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::selector::LabelSelector;

// ANCHOR: lister
/// Fills a cache, reads it by name, by selector and whole, and counts the requests that the reading took.
pub async fn run(lab: &Lab) -> Result<()> {
    let requests = Requests::default();
    let factory = lab.factory(SharedInformerFactory::new(requests.client(lab)).namespace(lab.namespace()));
    let informer: SharedIndexInformer<Pod> = factory.informer();
    let pods = Lister::new(informer.reader(), GroupResource::of::<Pod>());
    factory.start(&lab.stop());
    factory.wait_for_cache_sync(&lab.stop()).await;
    let before = requests.count();

    let here = pods.namespace(lab.namespace());
    lab.narrate("Get by name: a pod that exists, and one that does not", "按名字 Get：一个存在，一个不存在");
    for pod in ["wiremock-84d49c989c-zg4ls", "nettool"] {
        match here.get(pod) {
            Ok(pod) => lab.print(Style::Added, format_args!("get: {}", name(&pod))),
            Err(error) => lab.print(Style::Deleted, format_args!("get: {error}")),
        }
    }
    lab.narrate("List by label", "按 label List");
    for pod in pods.list(&"app=robusta-runner".parse::<LabelSelector>()?) {
        lab.print(Style::Plain, format_args!("selected: {}", name(&pod)));
    }
    lab.narrate("List everything", "List 全部");
    let all = pods.list(&LabelSelector::everything());
    let mut names: Vec<_> = all.iter().map(|pod| name(pod)).collect();
    names.sort_unstable(); // a lister promises no order
    lab.print(Style::Plain, format_args!("all: {}", go::slice(names)));
    lab.print(Style::Plain, format_args!("requests meanwhile: {}", requests.count() - before));
    Ok(factory.shutdown().await?)
}
// ANCHOR_END: lister
