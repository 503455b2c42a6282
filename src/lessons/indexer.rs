//! Indexer: finds objects by the values of an index function, first alone and then behind a shared informer.
//!
//! Chapter: `lessons/indexer.md`. Traces: `fixtures/traces/indexer*`.

use std::collections::BTreeMap;

use anyhow::Result;
use axum::extract::Query;
use axum::{Json, Router, routing::get};
use k8s_openapi::api::core::v1::Pod;

use super::go;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::meta_namespace_key;
use kube_informers::cache::{
    IndexValues, Indexer, ListWatch, NAMESPACE_INDEX, Object, SharedIndexInformer, meta_namespace_index,
};

/// What the pods are indexed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The value of the label `app`
    #[default]
    Label,
    /// The namespace
    Namespace,
}

/// Stores two pods and finds one by its index value.
pub fn run(lab: &Lab, by: By) -> Result<()> {
    match by {
        By::Label => by_label(lab),
        By::Namespace => by_namespace(lab),
    }
}

fn by_label(lab: &Lab) -> Result<()> {
    let indexer = Indexer::new(dashed_key).observer(lab.observer());
    let by_app = indexer.index("app", app_label)?;
    indexer.add(pod("ns1", "pod1", "l1"))?;
    indexer.add(pod("ns2", "pod2", "l2"))?;

    lab.narrate("index, value, keys: what the index is made of", "索引名、索引值、key：索引的内部结构");
    let keys = |keys: &std::collections::BTreeSet<String>| go::map(keys.iter().map(|key| (key.clone(), "{}")));
    let values = |values: &BTreeMap<_, _>| go::map(values.iter().map(|(value, set)| (String::clone(value), keys(set))));
    lab.print(Style::Plain, go::map(indexer.indices().iter().map(|(index, map)| (index, values(map)))));
    lab.print(Style::Plain, format!("{} <nil>", go::slice(by_app.keys("l1"))));
    Ok(())
}

fn by_namespace(lab: &Lab) -> Result<()> {
    let indexer = Indexer::new(meta_namespace_key).observer(lab.observer());
    let by_namespace = indexer.index(NAMESPACE_INDEX, meta_namespace_index)?;
    indexer.add(pod("ns1", "pod1", "l1"))?;
    indexer.add(pod("ns2", "pod2", "l2"))?;

    for key in by_namespace.keys("ns1") {
        let exists = indexer.get_by_key(&key).is_some();
        lab.print(Style::Plain, format!("{key} {exists} <nil>"));
    }
    Ok(())
}

/// Keeps an index up to date by list and watch, and answers HTTP requests from it.
pub async fn serve(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods)).build();
    let by_app = informer.index("app", app_label)?;
    let answer = async move |Query(query): Query<BTreeMap<String, String>>| {
        let app = query.get("app").map_or("robusta-forwarder", String::as_str);
        Json(by_app.keys(app))
    };
    let served = lab.serve(Router::new().route("/", get(answer)));
    let run = async { Ok(informer.run(lab.stop()).await?) };
    futures::try_join!(served, run)?;
    Ok(())
}

/// The documents' key function: `namespace---name`.
fn dashed_key(pod: &Pod) -> String {
    let meta = pod.meta();
    if meta.namespace.is_empty() { meta.name.to_owned() } else { format!("{}---{}", meta.namespace, meta.name) }
}

/// The documents' index function: the value of the label `app`, empty without one.
fn app_label(pod: &Pod) -> IndexValues<'_> {
    let app = pod.metadata.labels.as_ref().and_then(|labels| labels.get("app"));
    app.map_or("", String::as_str).into()
}

fn pod(namespace: &str, name: &str, app: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = Some(namespace.to_owned());
    pod.metadata.name = Some(name.to_owned());
    pod.metadata.labels = Some(BTreeMap::from([("app".to_owned(), app.to_owned())]));
    pod
}
