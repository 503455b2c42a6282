//! Replays client-go's recordings of the simple informer, with each of the three queues.

use std::time::Duration;

use kube_informers::cache::{Informer, InformerHandle, NAMESPACE_INDEX, meta_namespace_index};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::notifications::{Recorder, contents, queue_kind, reflector, sort_unordered, store_version};
use super::object::TestObject;
use super::replay::{Step, Subject, agrees, replay};
use super::source::Source;
use super::transformers::transformer;

struct Simple {
    runtime: Runtime,
    config: Value,
    source: Source,
    recorder: Recorder,
    /// The informer; none after its start, which consumes it.
    informer: Option<Informer<TestObject, Handler>>,
    handle: InformerHandle<TestObject>,
}

/// The handler. It also notes the store's content, so its recorder is set after the informer has made the store.
type Handler = super::notifications::Late;

fn simple(config: &Value) -> Simple {
    let source = Source::default();
    let handler = Handler::default();
    let mut informer = Informer::new(source.clone(), handler.clone()).queue(queue_kind(config)).with_reflector({
        let options = reflector(config);
        |reflector| reflector.options(options)
    });
    if let Some(transform) = transformer(&config["transformer"]) {
        informer = informer.transformer(transform);
    }
    if config["indexed"] == true {
        informer.index(NAMESPACE_INDEX, meta_namespace_index).unwrap();
    }
    let handle = informer.handle();
    let recorder = Recorder::looking_into(handle.reader());
    handler.set(recorder.clone());
    Simple {
        runtime: tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap(),
        config: config.clone(),
        source,
        recorder,
        informer: Some(informer),
        handle,
    }
}

impl Subject for Simple {
    fn step(&mut self, step: &Step) -> Value {
        if !self.source.step(step) {
            assert_eq!(step.op(), "start");
            let informer = self.informer.take().expect("an informer starts once");
            self.runtime.spawn(informer.run(CancellationToken::new()));
        }
        // As many virtual seconds as in the Go program that made the recordings: more than any back-off.
        self.runtime.block_on(async { tokio::time::sleep(Duration::from_secs(130)).await });
        let store = self.handle.reader();
        json!({
            "notifications": self.recorder.take(),
            "synced": self.handle.synced().is_done(),
            "store": contents(&store),
            "last_rv": self.handle.last_sync_resource_version(),
            "store_rv": store_version(&store, &self.config),
            "requests": self.source.requests(),
        })
    }

    fn agrees(&self, want: &Value, got: &Value) -> bool {
        let sorted = |value: &Value| {
            let mut value = value.clone();
            sort_unordered(value["notifications"].as_array_mut().unwrap(), false);
            value
        };
        agrees(&sorted(want), &sorted(got))
    }
}

#[test]
fn controller_handlers() {
    replay("controller_handlers.jsonl", simple);
}
