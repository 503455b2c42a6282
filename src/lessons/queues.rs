//! The queue between a Reflector and a lesson's own loop, for each era.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use crate::lab::Era;
use crate::lab::Lab;
use kube_informers::cache::{Batches, DeltaFifo, Queue, RealFifo, Store, meta_namespace_key};

/// A DeltaFIFO or a RealFIFO. With known objects, the queue finds the objects that a list no longer has. Without, a
/// DeltaFIFO does not, and a RealFIFO gives the whole list to the consumer.
pub(super) fn queue(lab: &Lab, known: Option<Arc<Store<Pod>>>) -> Arc<dyn Queue<Pod>> {
    let (key, observer) = (meta_namespace_key::<Pod>, lab.observer());
    match (lab.era(), known) {
        (Era::Classic, None) => Arc::new(DeltaFifo::new(key).observer(observer)),
        (Era::Classic, Some(known)) => Arc::new(DeltaFifo::new(key).known_objects(known).observer(observer)),
        (Era::Modern, None) => Arc::new(RealFifo::atomic(key).batches(Batches::No).observer(observer)),
        (Era::Modern, Some(known)) => Arc::new(RealFifo::new(key, known).batches(Batches::No).observer(observer)),
    }
}
