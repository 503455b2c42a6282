//! How a lab listens to what a lesson wires: its observer, its error handler and its seed, set on each part.

use std::fmt::Debug;

use super::Lab;
use super::moments::sub_seed;
use crate::cache::{Object, QueueKind, Reflector, ReflectorError, SharedIndexInformerBuilder, SharedInformerFactory};
use crate::cluster::Era;

impl Lab {
    /// A Reflector whose first failure ends the run, and whose later ones are told.
    pub fn reflector<T>(&self, reflector: Reflector<T>) -> Reflector<T> {
        reflector.observer(self.observer()).random(self.random()).on_error(self.on_error())
    }

    /// The same for a shared informer.
    pub fn informer<T>(&self, informer: SharedIndexInformerBuilder<T>) -> SharedIndexInformerBuilder<T>
    where
        T: Object + Debug + Send + Sync + 'static,
    {
        informer.queue(self.queue()).observer(self.observer()).random(self.random()).on_error(self.on_error())
    }

    /// The same for a factory.
    pub fn factory(&self, factory: SharedInformerFactory) -> SharedInformerFactory {
        factory.queue(self.queue()).observer(self.observer()).random(self.random()).on_error(self.on_error())
    }

    /// The queue of the era's client-go.
    fn queue(&self) -> QueueKind {
        match self.era() {
            Era::Classic => QueueKind::DeltaFifo,
            Era::Modern => QueueKind::default(),
        }
    }

    fn on_error(&self) -> impl Fn(ReflectorError) + Send + Sync + 'static {
        let lab = self.clone();
        move |error| lab.failed(error.into())
    }

    /// What decides the jitter of waits and watch timeouts.
    fn random(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(sub_seed(self.seed(), "reflector", 0))
    }
}
