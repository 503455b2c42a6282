//! Replays client-go's recordings of SharedIndexInformer, with each of the three queues.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_informers::cache::{Registration, RunError, SharedIndexInformer};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::notifications::{Recorder, contents, queue_kind, reflector, sort_unordered, store_version};
use super::object::TestObject;
use super::replay::{Step, Subject, agrees, replay};
use super::source::Source;
use super::transformers::transformer;

type Handler = (Recorder, Registration<TestObject>);

struct Informer {
    runtime: Runtime,
    config: Value,
    source: Source,
    informer: SharedIndexInformer<TestObject>,
    handlers: BTreeMap<String, Handler>,
    running: Option<JoinHandle<Result<(), RunError>>>,
    stop: CancellationToken,
    /// True if the last step added a handler to a running informer.
    late: bool,
}

fn informer(config: &Value) -> Informer {
    let source = Source::default();
    let mut builder =
        SharedIndexInformer::builder(source.clone()).queue(queue_kind(config)).reflector(reflector(config));
    if let Some(transform) = transformer(&config["transformer"]) {
        builder = builder.transformer(transform);
    }
    Informer {
        runtime: tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap(),
        config: config.clone(),
        source,
        informer: builder.build(),
        handlers: BTreeMap::new(),
        running: None,
        stop: CancellationToken::new(),
        late: false,
    }
}

impl Informer {
    /// Performs a step that is not about the source, and returns the result of the call.
    fn act(&mut self, step: &Step) -> Value {
        let _in_runtime = self.runtime.enter();
        match step.op() {
            "start" => {
                self.running = Some(tokio::spawn(self.informer.clone().run(self.stop.clone())));
                json!({})
            }
            "stop" => {
                self.stop.cancel();
                let running = self.running.take().expect("a stop comes after a start");
                self.runtime.block_on(running).unwrap().unwrap();
                json!({"stopped": self.informer.is_stopped()})
            }
            "add_handler" => self.add_handler(step.str("id")),
            "remove_handler" => {
                let (_, registration) = self.handlers.remove(step.str("id")).unwrap();
                self.informer.remove_event_handler(&registration);
                json!({})
            }
            op => panic!("unknown op {op}"),
        }
    }

    fn add_handler(&mut self, id: &str) -> Value {
        let recorder = Recorder::default();
        match self.informer.add_event_handler(recorder.clone()) {
            Ok(registration) => {
                self.late = self.running.is_some();
                self.handlers.insert(id.to_owned(), (recorder, registration));
                json!({"err": null})
            }
            // Go's error prints the handler, which the program that made the recordings let print as its name.
            Err(error) => {
                let text = error.to_string().replacen("handler", &format!("handler {id}"), 1);
                json!({"err": {"kind": "Other", "text": text}})
            }
        }
    }
}

impl Subject for Informer {
    fn step(&mut self, step: &Step) -> Value {
        self.late = false;
        let mut got = if self.source.step(step) { json!({}) } else { self.act(step) };
        // As in the Go program that made the recordings. It is longer than any back-off.
        self.runtime.block_on(async { tokio::time::sleep(Duration::from_secs(130)).await });
        let store = self.informer.reader();
        let each = |show: &dyn Fn(&Handler) -> Value| -> Value {
            self.handlers.iter().map(|(id, handler)| (id.clone(), show(handler))).collect::<Map<_, _>>().into()
        };
        got["handlers"] = each(&|(recorder, _)| recorder.take().into());
        got["handler_synced"] = each(&|(_, registration)| registration.has_synced().into());
        got["synced"] = self.informer.has_synced().into();
        got["store"] = contents(&store);
        got["last_rv"] = self.informer.last_sync_resource_version().into();
        got["store_rv"] = store_version(&store, &self.config).into();
        got["requests"] = self.source.requests();
        got
    }

    fn agrees(&self, want: &Value, got: &Value) -> bool {
        let sorted = |value: &Value| {
            let mut value = value.clone();
            for notes in value["handlers"].as_object_mut().into_iter().flat_map(|handlers| handlers.values_mut()) {
                sort_unordered(notes.as_array_mut().unwrap(), self.late);
            }
            value
        };
        agrees(&sorted(want), &sorted(got))
    }
}

#[test]
fn shared_informer() {
    replay("shared_informer.jsonl", informer);
}
