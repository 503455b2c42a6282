//! Lesson `forbidden`: an informer may not list. Only its error handler learns that. If the informer loses the permission
//! later, it still counts as synced.
//!
//! Chapter: `lessons/25-when-lists-fail`. Trace: `fixtures/traces/forbidden.txt`.

mod permission;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{DeleteParams, ListParams};

use super::stopwatch::Stopwatch;
use crate::cluster::PODS_OF_THE_BOOK;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ListWatch, SharedIndexInformer, with_causes};
use kube_testcluster::{Authorization, Cluster, User, pods_from_yaml};

const NAMESPACE: &str = "default";

// ANCHOR: forbidden
/// Runs an informer as the user ada, to whom an administrator gives the permission, and takes it away again.
pub async fn run(lab: &Lab) -> Result<()> {
    let cluster = start_with_rbac(lab)?;
    let ada = cluster.client_as(User::new("ada", ["developers"]), NAMESPACE);
    let clock = Stopwatch::start(lab);

    let informer = SharedIndexInformer::builder(ListWatch::<Pod>::namespaced(ada, NAMESPACE));
    let errors = clock.clone(); // client-go: SetWatchErrorHandler
    let informer = lab.informer_with(informer, |options| {
        options.on_error(move |error| errors.print(Style::Deleted, with_causes(&error)))
    });

    let stop = lab.stop().child_token();
    let events = async {
        let ended = lab.stop().run_until_cancelled(give_and_take(&cluster, &informer, &clock)).await;
        stop.cancel();
        ended.unwrap_or(Ok(()))
    };
    let run = async { Ok(informer.clone().run(stop.clone()).await?) };
    try_join!(events, run)?;
    cluster.shutdown().await;
    Ok(())
}

async fn give_and_take(cluster: &Cluster, informer: &SharedIndexInformer<Pod>, clock: &Stopwatch) -> Result<()> {
    let admin = cluster.client(NAMESPACE);
    let pods = Api::<Pod>::namespaced(admin.clone(), NAMESPACE);
    let look = async || {
        let (synced, stored) = (informer.has_synced(), informer.reader().len());
        let real = pods.list(&ListParams::default()).await?.items.len();
        let text = format!("synced: {synced}, {stored} pods in the store, {real} in the cluster");
        clock.print(Style::Synced, text);
        anyhow::Ok(())
    };
    clock.second(1).await;
    look().await?;
    clock.second(2).await;
    permission::grant(&admin, NAMESPACE).await?;
    clock.print(Style::Plain, "ada gets the permission");
    clock.second(6).await;
    look().await?;

    permission::revoke(&admin, NAMESPACE).await?;
    clock.print(Style::Plain, "ada loses the permission");
    pods.delete("quickstart-es-default-0", &DeleteParams::default().grace_period(0)).await?;
    clock.second(7).await;
    look().await?; // the watch was allowed when it began, and goes on

    cluster.faults().start("drop-watches".parse()?);
    clock.print(Style::Plain, "the watch ends");
    pods.delete("wiremock-84d49c989c-zg4ls", &DeleteParams::default().grace_period(0)).await?;
    clock.second(16).await;
    look().await
}
// ANCHOR_END: forbidden

fn start_with_rbac(lab: &Lab) -> Result<Cluster> {
    let pods = pods_from_yaml(PODS_OF_THE_BOOK.text, PODS_OF_THE_BOOK.name, NAMESPACE)?;
    let cluster = Cluster::builder().seed(lab.seed()).pods(pods);
    Ok(cluster.authorization(Authorization::Rbac).start())
}
