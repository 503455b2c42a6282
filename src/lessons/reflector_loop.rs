//! Lesson `loop`: shows each request of a Reflector's list-and-watch loop when a watch ends, a resourceVersion is too
//! old, or the API server fails.
//!
//! Chapter: `lessons/14-controller-loop`. Trace: `fixtures/traces/loop.txt`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use tokio::time::Instant;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{
    ApiError, ListOptions, ListPage, ListWatch, ListerWatcher, Reflector, Store, WatchEvent, WatchStream,
    meta_namespace_key,
};

// ANCHOR: loop
/// Keeps a store like the server, and prints each request and each resync.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let clock = Clock { lab: lab.clone(), start: Instant::now() };
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let of_resync = clock.clone();
    let reflector = Reflector::new(Printed { clock, pods }, store.clone());
    let reflector = reflector.resync(Duration::from_secs(4)).should_resync(move || {
        of_resync.print(Style::Synced, "resync: a tick while the watch goes on; no request");
        true
    });
    lab.reflector(reflector).run(lab.stop()).await;
    lab.print(Style::Plain, format_args!("store: {} pods", store.list().len()));
    Ok(())
}
// ANCHOR_END: loop

// ANCHOR: source
/// A source of pods that prints each request and its answer.
struct Printed {
    clock: Clock,
    pods: ListWatch<Pod>,
}

impl ListerWatcher<Pod> for Printed {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        async move {
            self.clock.print(Style::Added, format!("LIST {}", version(&options)));
            let answer = self.pods.list(options).await;
            match &answer {
                Ok(page) => self.clock.print(
                    Style::Plain,
                    format!("  {} pods at resourceVersion {}", page.items.len(), page.resource_version),
                ),
                Err(error) => self.clock.print(Style::Deleted, format!("  {error}")),
            }
            answer
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        async move {
            self.clock.print(Style::Updated, format!("WATCH {}", version(&options)));
            let (events, ends) = (self.clock.clone(), self.clock.clone());
            let watch = self.pods.watch(options).await?;
            let printed = watch.inspect(move |event| events.print_event(event));
            let end = futures::stream::once(async move { ends.print(Style::Deleted, "  the watch has ended") });
            Ok(printed.map(Some).chain(end.map(|()| None)).filter_map(std::future::ready).boxed())
        }
        .boxed()
    }

    fn has_watch_list(&self) -> bool {
        false
    }
}
// ANCHOR_END: source

fn version(options: &ListOptions) -> String {
    match options.resource_version.as_deref() {
        None | Some("") => "without a resourceVersion".to_owned(),
        Some(version) => format!("resourceVersion={version}"),
    }
}

/// Prints lines with the milliseconds since the start.
#[derive(Clone)]
struct Clock {
    lab: Lab,
    start: Instant,
}

impl Clock {
    fn print(&self, style: Style, text: impl std::fmt::Display) {
        self.lab.print(style, format_args!("{:>5} ms  {text}", self.start.elapsed().as_millis()));
    }

    fn print_event(&self, event: &WatchEvent<Pod>) {
        match event {
            WatchEvent::Error(status) => {
                self.print(Style::Deleted, format!("  ERROR {}: {}", status.code, status.message))
            }
            WatchEvent::Bookmark { resource_version, .. } => {
                self.print(Style::Plain, format!("  BOOKMARK {resource_version}"));
            }
            _ => {}
        }
    }
}
