//! Lesson `deltafifo`: a DeltaFIFO has one slot per key, with all changes of the key in order.
//!
//! The modules are the tutorials' five programs, each a little longer than the one before: [`list`], [`pop`],
//! [`events`], [`callbacks`] and [`values`]. [`modern`] has the same five with RealFIFO, today's queue.
//!
//! Chapter: `lessons/03-deltafifo`. Traces: `fixtures/traces/deltafifo*.txt`.

pub mod callbacks;
pub mod events;
pub mod list;
pub mod modern;
mod pod;
pub mod pop;
pub mod values;
