//! SharedIndexInformerBuilder: the options of a shared informer, which cannot change after it was built.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{InformerState, Shared, SharedIndexInformer};
use crate::cache::error::{BoxError, Error};
use crate::cache::fifo::QueueKind;
use crate::cache::key::Object;
use crate::cache::observe::Observer;
use crate::cache::processor::{Lifecycle, SharedProcessor};
use crate::cache::reflector::ReflectorOptions;
use crate::cache::store::{Index, IndexValues, Transformer};
use crate::lock::Mutex;

/// Configures and builds a [`SharedIndexInformer`].
pub struct SharedIndexInformerBuilder<T> {
    pub(super) shared: Shared<T>,
}

impl<T: Object + Send + Sync + 'static> SharedIndexInformerBuilder<T> {
    /// Sets the default resync period of handlers, after which a handler gets an update of every object again. With
    /// zero, the default, handlers without their own period never resync.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.shared.default_resync = period;
        // In this period the Reflector checks whether a handler's resync is due; a handler may shorten it.
        self.shared.state = Mutex::new(InformerState { lifecycle: Lifecycle::NotStarted, resync_check: period });
        self
    }

    /// Sets how long a stopped informer waits for its handlers to handle their buffers. Then their tasks are aborted
    /// and the rest is dropped, with a warning. By default there is no limit, or ten seconds if a handler has panicked.
    ///
    /// An aborted task ends at its next await point. [`SharedIndexInformer::run`] does not wait for a callback that
    /// blocks its thread.
    #[must_use]
    pub fn drain_limit(mut self, limit: Duration) -> Self {
        self.shared.drain_limit = Some(limit);
        self
    }

    /// Sets the kind of delta queue. The default is that of current client-go.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.shared.queue = queue;
        self
    }

    /// Sets the options of the Reflector, for requests and failures.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.shared.reflector = options;
        self
    }

    /// Sets a function that changes every object before it reaches the queue, the store and the handlers (client-go's
    /// `SetTransform`). It must be idempotent, because an object of a streaming list is transformed twice.
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.shared.transformer = Transformer::new(transform);
        self
    }

    /// Adds an index (client-go's `AddIndexers`). The returned handle finds objects by the values of `function`.
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
    /// An index with that name exists already.
    pub fn index(
        &mut self,
        name: &str,
        function: impl Fn(&T) -> IndexValues<'_> + Send + Sync + 'static,
    ) -> Result<Index<T>, Error> {
        self.shared.indexer.index(name, function)
    }

    /// Sets the observer that gets the events of all parts of the informer.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        let indexer = Arc::into_inner(self.shared.indexer).expect("the builder is the only owner of the store");
        self.shared.indexer = Arc::new(indexer.observer(observer.clone()));
        self.shared.processor = SharedProcessor::default().observer(observer.clone());
        self.shared.observer = observer;
        self
    }

    /// Builds the informer.
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
