//! Lesson `list`: shows whether storage (etcd) or the watch cache in the API server's memory answers a LIST, for every
//! combination of its options. A server of each era answers, so the lesson shows what has changed.
//!
//! [`lag`] sends some of them to servers whose watch cache is behind.
//!
//! Chapter: `lessons/17-list`. Traces: `fixtures/traces/list*.txt`.

mod combination;
pub mod lag;
mod server;

use anyhow::Result;

use crate::lab::Lab;
use crate::trace::Style;
use combination::{Combination, RequestedVersion, rows};
use kube_informers::cache::{ListOptions, ResourceVersionMatch};
use server::ApiServer;

// ANCHOR: delegate
/// The function that the note on the architecture quotes, applied to the options of a request. (It also looks at the
/// feature gate for chunking, which cannot be disabled any more.)
fn should_delegate_list(options: &ListOptions) -> bool {
    let version = options.resource_version.as_deref().unwrap_or_default();
    let has_continuation = options.continue_token.is_some();
    let has_limit = options.limit > 0 && version != "0";
    let exact = options.resource_version_match == Some(ResourceVersionMatch::Exact);
    version.is_empty() || has_continuation || has_limit || exact
}
// ANCHOR_END: delegate

// ANCHOR: list
/// Sends every combination to an API server of each era, or to the real one, and prints what answered and the number of
/// pods.
pub async fn run(lab: &Lab) -> Result<()> {
    let mut servers = Vec::new();
    for (name, client) in lab.each_era() {
        servers.push(ApiServer::meet(name, client, lab.namespace()).await?);
    }
    lab.narrate(
        "delegate: the result of shouldDelegateList, which the note on the architecture quotes. Then for each server: the part that answered (storage is etcd) and the number of pods, or the code of a refusal (400, 422)",
        "delegate 一列是架构笔记引用的 shouldDelegateList 的结果；后面每个 server 一列：由哪一部分回答（storage 就是 etcd）、返回几个 Pod，或者拒绝的状态码（400、422）",
    );
    if servers.iter().any(|server| !server.says) {
        lab.narrate(
            "unknown: this API server does not name the part that answered. Only the built-in cluster does, in a header",
            "unknown：这个 API server 没有说是谁回答的。只有内置集群会用一个响应头说明",
        );
    }
    ask(lab, &servers, rows()).await
}
// ANCHOR_END: list

/// Prints a row for each combination, with the answers of all servers.
async fn ask(lab: &Lab, servers: &[ApiServer], rows: impl Iterator<Item = Combination>) -> Result<()> {
    let names: String = servers.iter().map(|server| format!("{:<15}", server.name)).collect();
    print(lab, ["RV", "match", "limit", "continue", "delegate"], &names);
    let mut version = None;
    for row in rows {
        if version.replace(row.version) != Some(row.version) {
            let [en, zh] = heading(row.version);
            lab.narrate(en, zh);
        }
        let mut answers = String::new();
        for server in servers {
            answers += &format!("{:<15}", server.ask(&row).await?);
        }
        print(lab, row.cells(), &answers);
    }
    Ok(())
}

fn heading(version: RequestedVersion) -> [&'static str; 2] {
    match version {
        RequestedVersion::Unset => ["no resourceVersion: the newest state", "不带 resourceVersion：要最新的状态"],
        RequestedVersion::Any => ["resourceVersion 0: any state will do", "resourceVersion 0：任何状态都可以"],
        RequestedVersion::Known => {
            ["resourceVersion R: that of a list that was just read", "resourceVersion R：刚读到的 list 的版本"]
        }
        RequestedVersion::Written => {
            ["resourceVersion W: that of the pod that was just created", "resourceVersion W：刚创建的 Pod 的版本"]
        }
    }
}

fn print(lab: &Lab, [version, matching, limit, token, delegate]: [&str; 5], answers: &str) {
    let text = format!("{version:<3} {matching:<13} {limit:<6} {token:<9} {delegate:<9} {answers}");
    lab.print(Style::Plain, text.trim_end());
}
