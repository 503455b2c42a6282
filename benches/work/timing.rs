//! Measures how long repeated work takes, and formats the results ("figures") as JSON. `peers/compare` reads them
//! together with the figures of client-go's benchmarks.

use std::time::{Duration, Instant};

/// One result of a benchmark: a measured value.
pub struct Figure {
    /// The name of the figure; empty if the benchmark has only one.
    pub part: &'static str,
    pub value: f64,
    pub unit: &'static str,
    /// The amount of work done: the number of objects or events that arrived. Go's program for the same benchmark must report the same
    /// number with the same options, or else it has done other work and the values are not comparable.
    pub did: u64,
}

impl Figure {
    pub fn new(part: &'static str, value: f64, unit: &'static str, did: u64) -> Self {
        Self { part, value, unit, did }
    }

    /// Returns the line that is printed for the figure. `work` is the name of the benchmark.
    pub fn json(&self, work: &str) -> String {
        let Self { part, value, unit, did } = self;
        format!(r#"{{"work":"{work}","part":"{part}","value":{value:.3},"unit":"{unit}","did":{did}}}"#)
    }
}

/// Returns the mean time of one call of `work`, over as many calls as fit into `time`. The time of `prepare` does not
/// count.
pub fn per_call<S>(time: Duration, mut prepare: impl FnMut() -> S, mut work: impl FnMut(S)) -> Duration {
    work(prepare()); // warms the caches
    let (mut calls, mut spent) = (0_u32, Duration::ZERO);
    while spent < time {
        let state = prepare();
        let start = Instant::now();
        work(state);
        spent += start.elapsed();
        calls += 1;
    }
    spent / calls
}

/// Returns the mean time per item in nanoseconds, if each call of `work` processes `items` items.
pub fn per_item<S>(time: Duration, items: usize, prepare: impl FnMut() -> S, work: impl FnMut(S)) -> f64 {
    per_call(time, prepare, work).as_nanos() as f64 / items as f64
}
