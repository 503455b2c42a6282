//! Lesson `list --lag`: the same LISTs while the watch cache is behind etcd. A pod is created that the cache does not
//! have.
//!
//! Trace: `fixtures/traces/list-lag.txt`.

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;

use super::ask;
use super::combination::rows_of_first_pages;
use super::server::ApiServer;
use crate::lab::Lab;
use kube_testcluster::Scenario;

/// The watch cache stands still. A write goes to etcd.
const BEHIND: &str = r#"
- {at: 0s, fault: "lag"}
- {at: 0s, run: nettool, image: "cr7258/nettool:v1"}
"#;

// ANCHOR: lag
/// Stops the watch cache of an API server of each era, creates a fifth pod, and sends the lists.
pub async fn run(lab: &Lab) -> Result<()> {
    let mut servers = Vec::new();
    for (name, client) in lab.each_era() {
        let mut server = ApiServer::meet(name, client.clone(), lab.namespace()).await?;
        Scenario::from_yaml(BEHIND, "lag.yaml")?.play(client.clone(), lab.namespace(), |_| {}).await?;
        let pods = Api::<Pod>::namespaced(client, lab.namespace());
        server.written = pods.get("nettool").await?.metadata.resource_version.context("a pod has a version")?;
        servers.push(server);
    }
    lab.narrate(
        "etcd has five pods, and the watch cache still has four: it does not get the new one",
        "etcd 里有五个 Pod，watch cache 里还是四个：新的那个没有送到",
    );
    ask(lab, &servers, rows_of_first_pages()).await
}
// ANCHOR_END: lag
