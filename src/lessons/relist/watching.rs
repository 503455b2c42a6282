//! The program of all `relist` lessons: watches the pods through a network outage (`outage.rs`), with the queue as a
//! parameter, because the lessons differ only in their queue.

use std::sync::Arc;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;

use super::consumer::{consume, print_store};
use super::outage::Link;
use crate::lab::Lab;
use kube_informers::cache::{Deltas, InitialList, ListWatch, Queue, Reflector, Store};

// ANCHOR: watch
/// Watches the pods over a link that breaks when a deletion begins, and works again when the pod is gone.
pub(super) async fn watch(lab: &Lab, store: &Store<Pod>, queue: impl Queue<Pod> + 'static) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let (link, queue) = (Link::default(), Arc::new(queue));
    let reflector = lab.reflector(Reflector::new(link.over(pods.clone()), queue.clone()));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close();
        Ok(())
    };
    let pop = async {
        let mut consume = |deltas: Deltas<Pod>, initial: InitialList| Ok(consume(lab, &link, store, deltas, initial)?);
        while let Ok(stored) = queue.pop_with(&mut consume).await {
            stored.map_err(anyhow::Error::from_boxed)?;
        }
        anyhow::Ok(())
    };
    let mend = async {
        lab.stop().run_until_cancelled(link.mend(lab, &pods)).await;
        Ok(())
    };
    try_join!(reflect, pop, mend)?;
    if queue.has_synced() {
        print_store(lab, store);
    }
    Ok(())
}
// ANCHOR_END: watch
