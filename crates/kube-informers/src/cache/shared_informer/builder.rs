//! What can be chosen about a shared informer, before it is one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Course, Shared, SharedIndexInformer};
use crate::cache::error::{BoxError, Error};
use crate::cache::fifo::QueueKind;
use crate::cache::key::Object;
use crate::cache::observe::Observer;
use crate::cache::processor::{Life, SharedProcessor};
use crate::cache::reflector::ReflectorOptions;
use crate::cache::store::{Index, IndexValues, Transformer};
use crate::lock::Mutex;

/// Sets up a [`SharedIndexInformer`].
pub struct SharedIndexInformerBuilder<T> {
    pub(super) shared: Shared<T>,
}

impl<T: Object + Send + Sync + 'static> SharedIndexInformerBuilder<T> {
    /// How often handlers that say nothing else are told of everything again; zero, the default, is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.shared.default_resync = period;
        self.shared.course = Mutex::new(Course { life: Life::NotStarted, resync_check: period });
        self
    }

    /// How long the handlers together may take, once the informer is stopped, to finish what is in their buffers; then their tasks are
    /// ended and the rest is dropped, with a warning. By default as long as they want, and ten seconds if one of them has panicked.
    ///
    /// A task ends where it waits: a callback that blocks its thread is not interrupted, but [`SharedIndexInformer::run`] does not wait
    /// for it any longer.
    #[must_use]
    pub fn drain_limit(mut self, limit: Duration) -> Self {
        self.shared.drain_limit = Some(limit);
        self
    }

    /// Which queue it has; today's client-go's by default.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.shared.queue = queue;
        self
    }

    /// How its Reflector asks, and what it does about failures.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.shared.reflector = options;
        self
    }

    /// Changes every object once, before anything else sees it. It must give the same for its own result.
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.shared.transformer = Transformer::new(transform);
        self
    }

    /// Adds an index. The handle finds objects by the values of `function` as soon as the informer runs.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informers::cache::{ListWatch, SharedIndexInformer};
    /// use kube_testcluster::{Cluster, pods_from_yaml};
    /// use k8s_openapi::api::core::v1::Pod;
    /// use tokio_util::sync::CancellationToken;
    ///
    /// let web = "{metadata: {name: web}, spec: {nodeName: node-1, containers: [{name: main, image: nginx}]}}";
    /// let cluster = Cluster::builder().pods(pods_from_yaml(web, "pods.yaml", "default")?).start();
    ///
    /// let mut builder = SharedIndexInformer::builder(ListWatch::<Pod>::all(cluster.client("default")));
    /// let by_node = builder.index("node", |pod: &Pod| pod.spec.iter().flat_map(|spec| &spec.node_name).collect())?;
    /// let informer = builder.build();
    ///
    /// let stop = CancellationToken::new();
    /// let running = tokio::spawn(informer.clone().run(stop.clone()));
    /// informer.synced().await?;
    /// assert_eq!(by_node.keys("node-1"), ["default/web"]);
    /// # stop.cancel();
    /// # running.await??;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// There is an index of that name already.
    pub fn index(
        &mut self,
        name: &str,
        function: impl Fn(&T) -> IndexValues<'_> + Send + Sync + 'static,
    ) -> Result<Index<T>, Error> {
        self.shared.indexer.index(name, function)
    }

    /// Tells `observer` what every part of the informer does.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        let indexer =
            Arc::into_inner(self.shared.indexer).expect("nobody has the store of an informer that is being built");
        self.shared.indexer = Arc::new(indexer.observer(observer.clone()));
        self.shared.processor = SharedProcessor::default().observer(observer.clone());
        self.shared.observer = observer;
        self
    }

    /// The informer.
    pub fn build(self) -> SharedIndexInformer<T> {
        SharedIndexInformer(Arc::new(self.shared))
    }
}

impl<T> fmt::Debug for SharedIndexInformerBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedIndexInformerBuilder")
            .field("resync", &self.shared.default_resync)
            .finish_non_exhaustive()
    }
}
