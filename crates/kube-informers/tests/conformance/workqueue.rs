//! Replays client-go's recordings of the basic work queue, with blocked gets and drainers that run between the steps.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube_informers::workqueue::{Item, WorkQueue};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::replay::{Step, Subject, agrees, replay};

struct Workqueue {
    runtime: Runtime,
    queue: Arc<WorkQueue<String>>,
    /// The results of the gets that returned in this step.
    returned: Arc<Mutex<Vec<Value>>>,
    /// The number of gets that were blocked before this step.
    blocked: usize,
    gets: Vec<JoinHandle<()>>,
    drainers: Vec<JoinHandle<()>>,
}

fn subject(_: &Value) -> Workqueue {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    Workqueue {
        runtime,
        queue: Arc::new(WorkQueue::new()),
        returned: Arc::default(),
        blocked: 0,
        gets: Vec::new(),
        drainers: Vec::new(),
    }
}

impl Workqueue {
    /// Starts a get that runs between the steps until it gets an item.
    fn start_get(&self, id: &str) -> JoinHandle<()> {
        let (queue, returned, id) = (self.queue.clone(), self.returned.clone(), id.to_owned());
        self.runtime.spawn(async move {
            let got = queue.get().await.map(Item::into_key);
            let got = json!({"id": id, "shutdown": got.is_none(), "item": got.unwrap_or_default()});
            returned.lock().unwrap().push(got);
        })
    }

    fn waiting(&self) -> usize {
        self.gets.iter().filter(|get| !get.is_finished()).count()
    }
}

impl Subject for Workqueue {
    fn step(&mut self, step: &Step) -> Value {
        self.returned.lock().unwrap().clear();
        self.blocked = self.waiting();
        let mut answer = json!({});
        match step.op() {
            "add" => self.queue.add(step.str("item").to_owned()),
            "done" => self.queue.done(&step.str("item").to_owned()),
            "get" => {
                let got = self.runtime.block_on(async { timeout(Duration::ZERO, self.queue.get()).await });
                let got = got.expect("the queue holds an item or is shut down").map(Item::into_key);
                answer = json!({"shutdown": got.is_none(), "item": got.unwrap_or_default()});
            }
            "get_start" => self.gets.push(self.start_get(step.str("id"))),
            "len" => return self.queue.len().into(),
            "shutdown" => self.queue.shut_down(),
            "shutdown_with_drain_start" => {
                let queue = self.queue.clone();
                self.drainers.push(self.runtime.spawn(async move { queue.shut_down_with_drain().await }));
            }
            op => panic!("unknown op {op}"),
        }
        // On the paused clock, this sleep ends only when no other task can make progress.
        self.runtime.block_on(async { sleep(Duration::from_secs(1)).await });
        answer["len"] = self.queue.len().into();
        answer["shutting_down"] = self.queue.shutting_down().into();
        answer["gets_returned"] = self.returned.lock().unwrap().clone().into();
        answer["gets_waiting"] = self.waiting().into();
        answer["drained"] = self.drainers.iter().map(JoinHandle::is_finished).collect();
        answer
    }

    /// Ignores which of several blocked gets received which item.
    fn agrees(&self, want: &Value, got: &Value) -> bool {
        let (mut want, mut got) = (want.clone(), got.clone());
        if self.blocked > 1 {
            for answer in [&mut want, &mut got] {
                let Some(returned) = answer.get_mut("gets_returned").and_then(Value::as_array_mut) else { continue };
                for get in returned.iter_mut() {
                    get["id"].take();
                }
                returned.sort_by_key(ToString::to_string);
            }
        }
        agrees(&want, &got)
    }
}

#[test]
fn workqueue() {
    replay("workqueue.jsonl", subject);
}
