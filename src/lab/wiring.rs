//! Connects the Reflectors and informers of a lesson to the lab: its observer, its seed for the jitter, its [`Era`].

use super::races::sub_seed;
use super::{Era, Lab};
use kube_informers::cache::{
    Object, QueueKind, Reflector, ReflectorError, ReflectorOptions, SharedIndexInformer, SharedIndexInformerBuilder,
    SharedInformerFactory, WatchList,
};

impl Lab {
    /// Connects a Reflector to the lab. A failure before its first list and watch ends the run; later failures are
    /// reported.
    pub fn reflector<T>(&self, reflector: Reflector<T>) -> Reflector<T> {
        reflector.observer(self.observer()).options(self.options())
    }

    /// Builds a shared informer, connected as in [`reflector`](Self::reflector). The user can add handlers to it with
    /// the command `late`.
    pub fn informer<T>(&self, informer: SharedIndexInformerBuilder<T>) -> SharedIndexInformer<T>
    where
        T: Object + Send + Sync + 'static,
    {
        let informer =
            informer.queue(self.queue()).observer(self.observer_of_next_informer()).reflector(self.options());
        let informer = informer.build();
        self.latecomers().offer(&informer);
        informer
    }

    /// Builds a shared informer, connected as in [`reflector`](Self::reflector), and changes the options of its
    /// Reflector. With an `on_error` of its own, a failure before the first list does not end the run.
    pub fn informer_with<T>(
        &self,
        informer: SharedIndexInformerBuilder<T>,
        change: impl FnOnce(ReflectorOptions) -> ReflectorOptions,
    ) -> SharedIndexInformer<T>
    where
        T: Object + Send + Sync + 'static,
    {
        let options = change(self.options());
        informer.queue(self.queue()).observer(self.observer_of_next_informer()).reflector(options).build()
    }

    /// Connects a factory's informers as in [`reflector`](Self::reflector).
    pub fn factory(&self, factory: SharedInformerFactory) -> SharedInformerFactory {
        factory.queue(self.queue()).observer(self.observer_of_next_informer()).reflector(self.options())
    }

    fn queue(&self) -> QueueKind {
        match self.era() {
            Era::Classic => QueueKind::DeltaFifo,
            Era::Modern => QueueKind::default(),
        }
    }

    fn options(&self) -> ReflectorOptions {
        let watch_list = match self.era() {
            Era::Classic => WatchList::No,
            Era::Modern => WatchList::default(),
        };
        let lab = self.clone();
        let on_error = move |error: ReflectorError| lab.failed(error.into());
        ReflectorOptions::new()
            .watch_list(watch_list)
            .seed(sub_seed(self.seed(), "reflector", 0))
            .resync_trigger(&self.0.resync)
            .on_error(on_error)
    }
}
