//! Lesson `selector`: an object that no longer matches an informer's selector is deleted from its store, although it
//! still exists.
//!
//! Chapter: `lessons/24-scope-and-memory`. Trace: `fixtures/traces/selector.txt`.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;

use super::pods::{labels, name};
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{AsyncEventHandler, ListWatch, Notification, SharedIndexInformer};

// ANCHOR: selector
/// Watches the pods with the label `app=wiremock`.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace()).labels("app=wiremock");
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    informer.add_event_handler(Asking { lab: lab.clone() })?;
    Ok(informer.run(lab.stop()).await?)
}

/// Prints each notification. After a deletion it asks the API server whether the pod is really gone.
struct Asking {
    lab: Lab,
}

impl AsyncEventHandler<Pod> for Asking {
    async fn handle(&mut self, notification: Notification<Pod>) {
        match notification {
            Notification::Add { object, .. } => self.print(Style::Added, "OnAdd:   ", &object),
            Notification::Update { new, .. } => self.print(Style::Updated, "OnUpdate:", &new),
            Notification::Delete(deletion) => {
                let Some(pod) = deletion.object() else { return };
                self.print(Style::Deleted, "OnDelete:", pod);
                match Api::<Pod>::namespaced(self.lab.client(), self.lab.namespace()).get(name(pod)).await {
                    Ok(pod) => self.print(Style::Plain, "  server:", &pod),
                    Err(kube::Error::Api(status)) => {
                        self.lab.print(Style::Plain, format_args!("  server: {}", status.message));
                    }
                    Err(error) => self.lab.print(Style::Plain, format_args!("  server: {error}")),
                }
            }
        }
    }
}
// ANCHOR_END: selector

impl Asking {
    fn print(&self, style: Style, called: &str, pod: &Pod) {
        self.lab.print(style, format_args!("{called} {} {}", name(pod), labels(pod)));
    }
}
