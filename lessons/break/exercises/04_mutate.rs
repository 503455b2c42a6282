//! Two handlers: one logs every pod without its passwords, the other raises an alarm for a pod that has no password.
//!
//! `informer-lab break mutate` describes the problem, `informer-lab check mutate` judges the program.

use std::sync::{Arc, PoisonError, RwLock};

use k8s_openapi::api::core::v1::PodSpec;
use kube_informers::cache::{BoxError, HandlerFuncs, Meta, Object, SharedIndexInformer, SlimMeta, meta_namespace_key};
use serde::Deserialize;

use crate::trial::Trial;

/// A pod as in Go: the cache and all handlers share one object, and each of them can change it.
#[derive(Debug, Deserialize)]
struct SharedPod {
    metadata: SlimMeta,
    spec: RwLock<PodSpec>,
}

impl Object for SharedPod {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let pods = trial.pods().read_as::<SharedPod>();
    let informer = SharedIndexInformer::builder(pods).observer(trial.observer()).build();

    let log = trial.clone();
    informer.add_event_handler(HandlerFuncs::new().add_func(move |pod: Arc<SharedPod>, _| {
        let mut spec = pod.spec.write().unwrap_or_else(PoisonError::into_inner);
        for container in &mut spec.containers {
            container.env = None; // a log must not contain passwords
        }
        let spec = serde_json::to_string(&*spec).unwrap_or_default();
        log.log(format!("{}: {spec}", meta_namespace_key(&*pod)));
    }))?;

    let guard = trial.clone();
    informer.add_event_handler(HandlerFuncs::new().add_func(move |pod: Arc<SharedPod>, _| {
        let spec = pod.spec.read().unwrap_or_else(PoisonError::into_inner);
        let mut variables = spec.containers.iter().flat_map(|container| container.env.iter().flatten());
        if !variables.any(|variable| variable.name == "PASSWORD") {
            guard.alarm(format!("{} has no password", meta_namespace_key(&*pod)));
        }
    }))?;
    Ok(informer.run(trial.stop()).await?)
}
