//! Lesson `factory --step apart`: without a factory, two parts of a program make two informers, and each sends its own
//! LIST and WATCH.
//!
//! Trace: `fixtures/traces/factory-apart.txt`.

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;

use super::print_names;
use crate::lab::Lab;
use crate::lessons::requests::Requests;
use crate::trace::Style;
use kube_informers::cache::{ListWatch, SharedIndexInformer};

// ANCHOR: apart
/// Makes two informers of pods, and counts the requests.
pub async fn run(lab: &Lab) -> Result<()> {
    let requests = Requests::default();
    let client = requests.client(lab);
    let pods = || ListWatch::<Pod>::namespaced(client.clone(), lab.namespace());
    let first = lab.informer(SharedIndexInformer::builder(pods()));
    let second = lab.informer(SharedIndexInformer::builder(pods()));
    first.add_event_handler(print_names(lab))?;
    second.add_event_handler(print_names(lab))?;
    try_join!(first.run(lab.stop()), second.run(lab.stop()))?;
    lab.print(Style::Plain, format_args!("requests: {requests}"));
    Ok(())
}
// ANCHOR_END: apart
