//! The delta queues between a Reflector and its single consumer: DeltaFIFO and RealFIFO. Upstream: `tools/cache/fifo.go`,
//! `delta_fifo.go` and `the_real_fifo.go`.

mod both;
mod delta_fifo;
mod intake;
mod queue;
mod queue_kind;
mod real_fifo;

pub use delta_fifo::{DeltaFifo, Relisted};
pub use queue::{ProcessDeltas, Queue};
pub use queue_kind::QueueKind;
pub use real_fifo::{Batches, RealFifo, WhileProcessing};
