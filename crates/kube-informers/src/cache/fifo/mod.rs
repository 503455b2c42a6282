//! The delta queues, which let the Reflector read events while the consumer is busy. Upstream: `tools/cache/fifo.go`,
//! `delta_fifo.go` and `the_real_fifo.go`.

mod delta_fifo;
mod fifo_core;
mod queue;
mod queue_kind;
mod real_fifo;
mod shared_methods;

pub use delta_fifo::{DeltaFifo, Relisted};
pub use queue::{ProcessDeltas, Queue};
pub use queue_kind::QueueKind;
pub use real_fifo::{Batches, RealFifo, WhileProcessing};
