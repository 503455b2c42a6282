//! Compares a store with the API server, after the run of an informer that does not keep it up to date.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use crate::lessons::pods::{labels, name};
use crate::trace::Style;
use kube_informers::cache::{ListOptions, ListWatch, ListerWatcher, Store};

/// Prints each pod whose labels differ between the store and the API server.
pub(super) async fn print_differences(lab: &Lab, pods: &ListWatch<Pod>, store: &Store<Pod>) -> Result<()> {
    for pod in pods.list(ListOptions::default()).await?.items {
        let stored = store.get(&pod)?.map(|stored| labels(&stored)).unwrap_or_default();
        if stored != labels(&pod) {
            lab.print(Style::Deleted, format_args!("store:  {} {stored}", name(&pod)));
            lab.print(Style::Plain, format_args!("server: {} {}", name(&pod), labels(&pod)));
        }
    }
    Ok(())
}
