//! A test of an operator that acts every 30 minutes, in a cluster with faults. Hours of virtual time pass in
//! milliseconds.
//!
//! `cargo run --example operator_in_virtual_time`

use std::collections::BTreeMap;
use std::time::Duration;

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use kube_testcluster::{Cluster, Effect, Fault, Verb};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until};

type Error = Box<dyn std::error::Error>;

/// The time for which a serial number is valid.
const PERIOD: Duration = Duration::from_secs(30 * 60);
/// The pause of the operator after a failure.
const RETRY: Duration = Duration::from_secs(5);

/// The operator: gives every ConfigMap a new serial number every 30 minutes.
async fn operator(client: Client) {
    let maps = Api::default_namespaced(client);
    let mut due = BTreeMap::new();
    loop {
        if let Err(error) = follow(&maps, &mut due).await {
            tracing::warn!(%error, "listing again");
            sleep(RETRY).await;
        }
    }
}

/// Lists and watches ConfigMaps, and renews serial numbers when they are due. Returns when the watch ends. `due` has
/// the time of the next renewal of each ConfigMap.
async fn follow(maps: &Api<ConfigMap>, due: &mut BTreeMap<String, Instant>) -> kube::Result<()> {
    let list = maps.list(&ListParams::default()).await?;
    due.retain(|name, _| list.items.iter().any(|map| map.name_any() == *name));
    for map in &list.items {
        due.entry(map.name_any()).or_insert_with(Instant::now);
    }
    let version = list.metadata.resource_version.unwrap_or_default();
    let mut events = std::pin::pin!(maps.watch(&WatchParams::default(), &version).await?);
    loop {
        let next = due.iter().min_by_key(|(_, at)| **at).map(|(name, at)| (name.clone(), *at));
        let renewal = async {
            match next {
                Some((name, at)) => {
                    sleep_until(at).await;
                    name
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = events.try_next() => match event? {
                Some(WatchEvent::Added(map) | WatchEvent::Modified(map)) => {
                    due.entry(map.name_any()).or_insert_with(Instant::now);
                }
                Some(WatchEvent::Deleted(map)) => drop(due.remove(&map.name_any())),
                Some(WatchEvent::Bookmark(_)) => {}
                Some(WatchEvent::Error(status)) => return Err(kube::Error::Api(status)),
                None => return Ok(()),
            },
            name = renewal => {
                let wait = match renew(maps, &name).await {
                    Ok(()) => PERIOD,
                    Err(error) => {
                        tracing::warn!(%error, name, "trying again");
                        RETRY
                    }
                };
                due.insert(name, Instant::now() + wait);
            }
        }
    }
}

async fn renew(maps: &Api<ConfigMap>, name: &str) -> kube::Result<()> {
    let next = serial(&maps.get(name).await?) + 1;
    let patch = Patch::Merge(json!({"data": {"serial": next.to_string()}}));
    maps.patch(name, &PatchParams::default(), &patch).await.map(drop)
}

fn serial(map: &ConfigMap) -> u32 {
    let text = map.data.as_ref().and_then(|data| data.get("serial"));
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// The test. With a paused clock, time jumps to the next timer whenever every task waits. It is `pub`, because
/// `tests/it/examples.rs` runs it, too.
#[tokio::main(flavor = "current_thread", start_paused = true)]
pub async fn main() -> Result<(), Error> {
    let cluster = Cluster::builder().seed(1).start();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
    let operator = tokio::spawn(operator(cluster.client("default")));
    let create = async |name: &str| {
        let map = serde_json::from_value(json!({"metadata": {"name": name}}))?;
        maps.create(&PostParams::default(), &map).await?;
        Ok::<_, Error>(())
    };
    let serials = async |names: &[&str]| {
        let mut serials = Vec::new();
        for name in names {
            serials.push(serial(&maps.get(name).await?));
        }
        Ok::<_, Error>(serials)
    };

    create("tls").await?;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(serials(&["tls"]).await?, [1], "a new ConfigMap gets its first number at once");
    sleep(PERIOD).await;
    assert_eq!(serials(&["tls"]).await?, [2], "and the next one after half an hour");

    // The next two patches get code 500: the operator tries again.
    cluster.faults().start(Fault::new(Effect::InternalError).verb(Verb::Patch).times(2));
    sleep(PERIOD).await;
    assert_eq!(serials(&["tls"]).await?, [2], "the period is over, but the first patch has failed");
    sleep(RETRY * 2).await;
    assert_eq!(serials(&["tls"]).await?, [3]);

    // The watch breaks in the middle of its next event, and the history is compacted: the operator lists again.
    cluster.faults().start(Fault::new(Effect::CutWatches));
    cluster.faults().start(Fault::new(Effect::Compact));
    create("web").await?;
    sleep(RETRY * 2).await;
    assert_eq!(serials(&["tls", "web"]).await?, [3, 1], "the ConfigMap that the broken watch missed was found");

    // A day later: 48 more renewals for each.
    sleep(PERIOD * 48).await;
    assert_eq!(serials(&["tls", "web"]).await?, [51, 49]);

    operator.abort();
    cluster.shutdown().await;
    Ok(())
}
