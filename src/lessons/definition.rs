//! Lesson `definition`: the definition of a custom resource goes away while an informer watches its objects, and comes
//! back.
//!
//! Chapter: `lessons/25-when-lists-fail`. Trace: `fixtures/traces/definition.txt`.

mod widgets;

use std::sync::Arc;

use anyhow::Result;
use futures::try_join;
use kube::core::DynamicObject;

use super::stopwatch::Stopwatch;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{Deletion, EventHandler, InitialList, ListWatch, SharedIndexInformer, with_causes};
use kube_testcluster::Cluster;

// ANCHOR: definition
/// Runs an informer of widgets, whose definition is deleted after a second and created again after five.
pub async fn run(lab: &Lab) -> Result<()> {
    let cluster = Cluster::builder().seed(lab.seed()).start();
    let client = cluster.client("default");
    widgets::define(&client).await?;
    widgets::create(&client, "first").await?;

    let clock = Stopwatch::start(lab);
    let source = ListWatch::<DynamicObject>::namespaced_with(client.clone(), "default", &widgets::resource());
    let errors = clock.clone(); // client-go: SetWatchErrorHandler
    let informer = lab.informer_with(SharedIndexInformer::builder(source), |options| {
        options.on_error(move |error| errors.print(Style::Deleted, with_causes(&error)))
    });
    informer.add_event_handler(Printing(clock.clone()))?;

    let stop = lab.stop().child_token();
    let events = async {
        let ended = lab.stop().run_until_cancelled(go_and_come_back(&client, &informer, &clock)).await;
        stop.cancel();
        ended.unwrap_or(Ok(()))
    };
    let run = async { Ok(informer.clone().run(stop.clone()).await?) };
    try_join!(events, run)?;
    cluster.shutdown().await;
    Ok(())
}

async fn go_and_come_back(
    client: &kube::Client,
    informer: &SharedIndexInformer<DynamicObject>,
    clock: &Stopwatch,
) -> Result<()> {
    let look = || {
        let (synced, stored) = (informer.has_synced(), informer.reader().len());
        clock.print(Style::Synced, format_args!("synced: {synced}, widgets in the store: {stored}"));
    };
    clock.second(1).await;
    clock.print(Style::Plain, "the definition is deleted");
    widgets::undefine(client).await?;
    clock.second(5).await;
    look();
    clock.print(Style::Plain, "the definition is created again, and a widget");
    widgets::define(client).await?;
    widgets::create(client, "second").await?;
    clock.second(12).await;
    look();
    Ok(())
}

struct Printing(Stopwatch);

impl EventHandler<DynamicObject> for Printing {
    fn on_add(&mut self, widget: Arc<DynamicObject>, _initial: InitialList) {
        self.0.print(Style::Added, format_args!("OnAdd: {}", name(&widget)));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, widget: Arc<DynamicObject>) {
        self.0.print(Style::Updated, format_args!("OnUpdate: {}", name(&widget)));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let widget = deletion.object().map(|widget| name(widget)).unwrap_or_default();
        self.0.print(Style::Deleted, format_args!("OnDelete: {widget}"));
    }
}
// ANCHOR_END: definition

fn name(widget: &DynamicObject) -> &str {
    widget.metadata.name.as_deref().unwrap_or_default()
}
