//! The shared informer from the inside out: a listener, a processor with two listeners, and the whole informer.
//!
//! Chapter: `lessons/shared.md`. Traces: `fixtures/traces/shared-*.txt`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::pods::name;
use crate::lab::Lab;
use crate::lab::Race;
use crate::trace::Style;
use kube_informers::cache::{
    AsyncEventHandler, Deletion, EventHandler, InitialList, ListWatch, Notification, ProcessorListener,
    SharedIndexInformer, SharedProcessor,
};

/// How much of the shared informer is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SharedStep {
    /// A sharedProcessor with two handlers, a pod a second for each
    #[default]
    Simulate,
    /// One processorListener, a pod a second
    Listener,
    /// Two handlers over list and watch
    ListWatch,
}

/// Runs one step.
pub async fn run(lab: &Lab, step: SharedStep) -> Result<()> {
    match step {
        SharedStep::Listener => listener(lab).await,
        SharedStep::Simulate => simulate(lab).await?,
        SharedStep::ListWatch => list_watch(lab).await?,
    }
    Ok(())
}

async fn listener(lab: &Lab) {
    let listener = ProcessorListener::new(0).observer(lab.observer());
    let produce = async {
        lab.stop().run_until_cancelled(produce(&listener)).await;
        listener.close();
    };
    tokio::join!(produce, listener.run(NumberedHandler::new(lab, 0, "")));
}

async fn simulate(lab: &Lab) -> Result<()> {
    let processor = SharedProcessor::default().observer(lab.observer());
    let first = processor.add_listener(Seeded::new(lab, NumberedHandler::new(lab, 0, "")));
    let second = processor.add_listener(Seeded::new(lab, NumberedHandler::new(lab, 1, "second")));
    lab.narrate(
        "each handler has a task of its own: its own order is kept, between the two there is none",
        "每个 handler 有自己的任务：各自内部有序，两者之间没有顺序",
    );
    let produce = async { tokio::join!(produce(first.listener()), produce(second.listener())) };
    let (_, ran) = tokio::join!(lab.stop().run_until_cancelled_owned(produce), processor.run(lab.stop()));
    Ok(ran?)
}

/// The documents' substitute for list and watch: a new pod every second.
async fn produce(listener: &ProcessorListener<Pod>) {
    for number in 0_u64.. {
        sleep(Duration::from_secs(1)).await;
        let mut pod = Pod::default();
        pod.metadata.name = Some(format!("pod{number}"));
        listener.add(Notification::Add { object: pod.into(), initial: InitialList::No });
    }
}

async fn list_watch(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods)).build();
    informer.add_event_handler(Seeded::new(lab, NumberedHandler::new(lab, 0, "")))?;
    informer.add_event_handler(Seeded::new(lab, NumberedHandler::new(lab, 1, "second")))?;
    Ok(informer.run(lab.stop()).await?)
}

struct NumberedHandler {
    lab: Lab,
    style: Style,
    message: &'static str,
}

impl NumberedHandler {
    fn new(lab: &Lab, number: usize, message: &'static str) -> Self {
        Self { lab: lab.clone(), style: Style::Handler(number), message }
    }

    fn print(&self, called: &str, pod: &Pod) {
        self.lab.print(self.style, format!("{called}:{} {}", self.message, name(pod)));
    }
}

impl EventHandler<Pod> for NumberedHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.print("OnAdd", &pod);
    }

    fn on_update(&mut self, _old: Arc<Pod>, new: Arc<Pod>) {
        self.print("OnUpdate", &new);
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        if let Some(pod) = deletion.object() {
            self.print("OnDelete", pod);
        }
    }
}

/// A handler that is called after a short seeded wait, so that the seed decides the order of the handlers.
struct Seeded {
    races: Race,
    handler: NumberedHandler,
}

impl Seeded {
    fn new(lab: &Lab, handler: NumberedHandler) -> Self {
        Self { races: lab.race(), handler }
    }
}

impl AsyncEventHandler<Pod> for Seeded {
    async fn handle(&mut self, notification: Notification<Pod>) {
        self.races.delay(Duration::from_millis(100)).await;
        notification.deliver(&mut self.handler);
    }
}
