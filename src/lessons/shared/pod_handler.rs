//! The tutorials' `PodHandler`: a handler that prints each notification together with a message of its own.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;

use crate::lab::{Lab, Race};
use crate::lessons::pods::name;
use crate::trace::Style;
use kube_informers::cache::{AsyncEventHandler, Notification};

// ANCHOR: handler
/// A handler whose message identifies it. It waits up to 0.1 s, drawn from the seed, before it handles a notification,
/// so the seed decides the order between two handlers.
pub(in crate::lessons) struct PodHandler {
    lab: Lab,
    race: Race,
    style: Style,
    message: &'static str,
}

impl PodHandler {
    pub(in crate::lessons) fn new(lab: &Lab, number: usize, message: &'static str) -> Self {
        Self { lab: lab.clone(), race: lab.race(), style: Style::Handler(number), message }
    }

    fn print(&self, called: &str, pod: &Pod) {
        self.lab.print(self.style, format_args!("{called}:{} {}", self.message, name(pod)));
    }
}

impl AsyncEventHandler<Pod> for PodHandler {
    async fn handle(&mut self, notification: Notification<Pod>) {
        self.race.delay(Duration::from_millis(100)).await;
        match notification {
            Notification::Add { object, .. } => self.print("OnAdd", &object),
            Notification::Update { new, .. } => self.print("OnUpdate", &new),
            Notification::Delete(deletion) => {
                if let Some(pod) = deletion.object() {
                    self.print("OnDelete", pod);
                }
            }
        }
    }
}
// ANCHOR_END: handler
