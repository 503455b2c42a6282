//! Replays client-go's recordings of the delaying and the rate-limiting queue, on a clock that only the steps advance.

use std::time::Duration;

use kube_informers::workqueue::{Item, MaxOf, WorkQueue};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::time::{advance, timeout};

use super::rate_limiters::limiter;
use super::replay::{Step, Subject, replay};

struct Delaying {
    runtime: Runtime,
    queue: WorkQueue<String>,
}

fn subject(config: &Value) -> Delaying {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let queue = match &config["limiter"] {
        Value::Null => WorkQueue::builder().limiter(MaxOf::new()).build(),
        config => WorkQueue::builder().limiter(limiter(config)).build(),
    };
    Delaying { runtime, queue }
}

impl Subject for Delaying {
    fn step(&mut self, step: &Step) -> Value {
        let Self { runtime, queue } = self;
        let item = || step.str("item").to_owned();
        let time = || Duration::from_nanos(step.int("ns").max(0).unsigned_abs());
        runtime.block_on(async {
            match step.op() {
                "add" => queue.add(item()),
                "add_after" => queue.add_after(item(), time()),
                "add_rate_limited" => queue.add_rate_limited(item()),
                "forget" => queue.forget(&item()),
                "num_requeues" => return queue.retries(&item()).into(),
                "step" => advance(time()).await,
                "get" => {
                    let got =
                        timeout(Duration::ZERO, queue.get()).await.expect("the queue holds an item or is shut down");
                    let got = got.map(Item::into_key);
                    return json!({"shutdown": got.is_none(), "item": got.unwrap_or_default(), "len": queue.len()});
                }
                "done" => queue.done(&item()),
                "shutting_down" => return queue.shutting_down().into(),
                "shutdown" => queue.shut_down(),
                op => panic!("unknown op {op}"),
            }
            json!({"len": queue.len()})
        })
    }
}

#[test]
fn delaying_queue() {
    replay("delaying_queue.jsonl", subject);
}
