//! clap's value types for lessons that run in several steps.

use clap::ValueEnum;

/// How far the lesson goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeltaFifoStep {
    /// The first key's deltas with their values, and a callback for each
    #[default]
    Values,
    /// What the queue holds after three additions
    List,
    /// Pop one key
    Pop,
    /// Pop a key that was added, updated and deleted
    Events,
    /// The same with a callback for each delta
    Callbacks,
}

/// How much of the shared informer is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SharedStep {
    /// A sharedProcessor with two handlers, a pod a second for each
    #[default]
    Simulate,
    /// One processorListener, a pod a second
    Listener,
    /// A processorListener with a handler that is slower than the pods come
    SlowListener,
    /// The two stages of a processorListener, by hand
    Stages,
    /// Two handlers over list and watch
    ListWatch,
    /// The same, put together by hand
    ByHand,
}

/// What the pods are indexed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// The value of the label `app`
    #[default]
    Label,
    /// The namespace
    Namespace,
}

/// Who makes the informers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FactoryStep {
    /// The library's SharedInformerFactory
    #[default]
    Library,
    /// The tutorials' own factory: a map from types to informers
    ByHand,
    /// No factory: an informer for each that asks, and twice the requests
    Apart,
}

/// One layer of the work queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Act {
    /// Interface: an item is queued once, and is with one worker at a time
    Dedupe,
    /// DelayingInterface: an item is added later
    Delay,
    /// RateLimitingInterface: a failed item waits longer each time
    RateLimit,
}
