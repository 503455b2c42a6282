//! A running Reflector that fills a store, for tests.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{Reflector, ReflectorOptions, Store, WatchList, meta_namespace_key, with_causes};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::source::{Source, identity};

/// A running Reflector, its store, and the errors that it reported. [`Running::stop`] ends it.
pub struct Running {
    pub store: Arc<Store<Pod>>,
    pub reflector: Arc<Reflector<Pod>>,
    task: JoinHandle<()>,
    stop: CancellationToken,
    pub errors: Arc<Mutex<Vec<String>>>,
}

impl Running {
    /// Starts a Reflector that requests plain lists and no streaming lists.
    pub fn start(source: &Source) -> Self {
        Self::start_with(source, ReflectorOptions::new().watch_list(WatchList::No))
    }

    pub fn start_with(source: &Source, options: ReflectorOptions) -> Self {
        Self::start_set_up(source, options, |reflector| reflector)
    }

    pub fn start_set_up(
        source: &Source,
        options: ReflectorOptions,
        set_up: impl FnOnce(Reflector<Pod>) -> Reflector<Pod>,
    ) -> Self {
        let store = Arc::new(Store::new(meta_namespace_key::<Pod>));
        let errors: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = errors.clone();
        let options = options.on_error(move |error| seen.lock().unwrap().push(with_causes(&error).to_string()));
        let reflector = Reflector::new(source.clone(), store.clone()).options(options);
        let reflector = Arc::new(set_up(reflector));
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (reflector, stop) = (reflector.clone(), stop.clone());
            async move { reflector.run(stop).await }
        });
        Self { store, reflector, task, stop, errors }
    }

    pub fn stored(&self) -> Vec<(String, String)> {
        let mut stored: Vec<_> = self.store.list().iter().map(|pod| identity(pod)).collect();
        stored.sort();
        stored
    }

    pub async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}
