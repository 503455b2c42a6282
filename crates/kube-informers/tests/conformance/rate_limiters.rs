//! Replays client-go's recordings of the rate limiters.

use std::time::Duration;

use kube_informers::workqueue::{
    Bucket, Exponential, FastSlow, MaxOf, RateLimiter, WithMaxWait, default_controller_limiter,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::replay::{Step, Subject, agrees, replay};

/// The accepted difference in nanoseconds between two delays of a bucket, which computes in floating point.
const TOLERANCE: u64 = 1000;

struct Limiter {
    runtime: Runtime,
    limiter: Box<dyn RateLimiter<String>>,
    has_bucket: bool,
}

fn subject(config: &Value) -> Limiter {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let has_bucket = ["\"bucket\"", "\"default_controller\""].iter().any(|kind| config.to_string().contains(kind));
    let limiter = runtime.block_on(async { limiter(&config["limiter"]) });
    Limiter { runtime, limiter, has_bucket }
}

pub fn limiter(config: &Value) -> Box<dyn RateLimiter<String>> {
    let int = |name: &str| config[name].as_u64().unwrap_or_else(|| panic!("no {name:?} in {config}"));
    let time = |name: &str| Duration::from_nanos(int(name));
    match config["kind"].as_str().unwrap() {
        "exponential" => Box::new(Exponential::new(time("base_ns"), time("max_ns"))),
        "fast_slow" => {
            let attempts = int("max_fast_attempts").try_into().unwrap();
            Box::new(FastSlow::new(time("fast_ns"), time("slow_ns"), attempts))
        }
        "bucket" => Box::new(Bucket::new(config["qps"].as_f64().unwrap(), int("burst").try_into().unwrap())),
        "max_of" => {
            let limiters = config["limiters"].as_array().unwrap().iter().map(limiter);
            Box::new(limiters.fold(MaxOf::new(), MaxOf::and))
        }
        "with_max_wait" => Box::new(WithMaxWait::new(limiter(&config["inner"]), time("max_ns"))),
        "default_controller" => Box::new(default_controller_limiter()),
        kind => panic!("unknown limiter {kind}"),
    }
}

impl Subject for Limiter {
    fn step(&mut self, step: &Step) -> Value {
        let Self { runtime, limiter, .. } = self;
        let item = || step.str("item").to_owned();
        let nanos = |delay: Duration| u64::try_from(delay.as_nanos()).unwrap().into();
        runtime.block_on(async {
            match step.op() {
                "when" => nanos(limiter.when(&item())),
                "when_many" => {
                    let item = item();
                    nanos((0..step.int("count")).map(|_| limiter.when(&item)).last().unwrap())
                }
                "num_requeues" => limiter.retries(&item()).into(),
                "forget" => {
                    limiter.forget(&item());
                    json!({})
                }
                "advance" => {
                    tokio::time::advance(Duration::from_nanos(step.int("ns").unsigned_abs())).await;
                    json!({})
                }
                op => panic!("unknown op {op}"),
            }
        })
    }

    fn agrees(&self, want: &Value, got: &Value) -> bool {
        match (want.as_u64(), got.as_u64()) {
            (Some(want), Some(got)) if self.has_bucket => want.abs_diff(got) <= TOLERANCE,
            _ => agrees(want, got),
        }
    }
}

#[test]
fn rate_limiters() {
    replay("rate_limiters.jsonl", subject);
}
