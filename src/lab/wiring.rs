//! Connects the parts that a lesson builds to the lab: its observer, its error handler, its seed, and the queue and the way to
//! list of its era.

use super::races::sub_seed;
use super::{Era, Lab};
use kube_informers::cache::{
    Object, QueueKind, Reflector, ReflectorError, ReflectorOptions, SharedIndexInformer, SharedIndexInformerBuilder,
    SharedInformerFactory, WatchList,
};

impl Lab {
    /// A Reflector whose first failure ends the run, and whose later failures are reported.
    pub fn reflector<T>(&self, reflector: Reflector<T>) -> Reflector<T> {
        reflector.observer(self.observer()).options(self.options())
    }

    /// A shared informer of which the same holds. The reader can add a handler to it at the keyboard of a live run.
    pub fn informer<T>(&self, informer: SharedIndexInformerBuilder<T>) -> SharedIndexInformer<T>
    where
        T: Object + Send + Sync + 'static,
    {
        let informer = informer.queue(self.queue()).observer(self.observer_of_another()).reflector(self.options());
        let informer = informer.build();
        self.latecomers().offer(&informer);
        informer
    }

    /// The same for a factory.
    pub fn factory(&self, factory: SharedInformerFactory) -> SharedInformerFactory {
        factory.queue(self.queue()).observer(self.observer_of_another()).reflector(self.options())
    }

    /// The queue of the client's era.
    fn queue(&self) -> QueueKind {
        match self.era() {
            Era::Classic => QueueKind::DeltaFifo,
            Era::Modern => QueueKind::default(),
        }
    }

    /// The Reflector's options of the client's era.
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
