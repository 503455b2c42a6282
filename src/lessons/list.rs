//! List: whether storage or the watch cache answers a LIST, for every combination of options.
//!
//! Chapter: `lessons/17-list`. Trace: `fixtures/traces/list.txt`.

use anyhow::{Context, Result};
use http::Request;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::client::Body;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ListOptions, ListWatch, ListerWatcher, ReflectorError, ResourceVersionMatch};

/// The documents' function, applied to the options of a request. (It also looks at the feature gate for chunking, which
/// cannot be disabled any more.)
fn should_delegate_list(options: &ListOptions) -> bool {
    let version = options.resource_version.as_deref().unwrap_or_default();
    let has_continuation = options.continue_token.is_some();
    let has_limit = options.limit > 0 && version != "0";
    let exact = options.resource_version_match == Some(ResourceVersionMatch::Exact);
    version.is_empty() || has_continuation || has_limit || exact
}

/// Sends every combination to an API server of each era, or to the real one, and prints who answered and with how many
/// pods.
pub async fn run(lab: &Lab) -> Result<()> {
    let mut servers = Vec::new();
    for (name, client) in lab.each_era() {
        servers.push(ApiServer::meet(name, client, lab.namespace()).await?);
    }
    lab.narrate(
        "delegate: what the documents' shouldDelegateList says; then who answered, and with how many pods",
        "delegate：文档中的 shouldDelegateList 怎么说；然后是谁回答的、答了几个 Pod",
    );
    let names: String = servers.iter().map(|server| format!("{:<15}", server.name)).collect();
    line(lab, ["RV", "match", "limit", "continue", "delegate"], &names);
    for row in rows() {
        let mut answers = String::new();
        for server in &servers {
            answers += &format!("{:<15}", server.ask(&row).await?);
        }
        line(lab, row.cells(), &answers);
    }
    explain(lab, &servers);
    Ok(())
}

fn line(lab: &Lab, [version, matching, limit, token, delegate]: [&str; 5], answers: &str) {
    let text = format!("{version:<3} {matching:<13} {limit:<6} {token:<9} {delegate:<9} {answers}");
    lab.print(Style::Plain, text.trim_end());
}

/// One combination of options.
struct Combination {
    version: RequestedVersion,
    matching: Option<ResourceVersionMatch>,
    limit: u32,
    continues: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestedVersion {
    Unset,
    Any,
    /// The version of a list that was just read.
    Known,
}

fn rows() -> impl Iterator<Item = Combination> {
    let matches = [None, Some(ResourceVersionMatch::Exact), Some(ResourceVersionMatch::NotOlderThan)];
    let pages = [(0, false), (1, false), (0, true), (1, true)];
    let versions = [RequestedVersion::Unset, RequestedVersion::Any, RequestedVersion::Known];
    versions.into_iter().flat_map(move |version| {
        matches.into_iter().flat_map(move |matching| {
            pages.into_iter().map(move |(limit, continues)| Combination { version, matching, limit, continues })
        })
    })
}

impl Combination {
    fn options(&self, known: &str, token: Option<&str>) -> ListOptions {
        let version = match self.version {
            RequestedVersion::Unset => None,
            RequestedVersion::Any => Some("0".to_owned()),
            RequestedVersion::Known => Some(known.to_owned()),
        };
        let mut options = ListOptions::default();
        options.resource_version = version;
        options.resource_version_match = self.matching;
        options.limit = self.limit;
        options.continue_token = token.filter(|_| self.continues).map(str::to_owned);
        options
    }

    fn cells(&self) -> [&'static str; 5] {
        let version = match self.version {
            RequestedVersion::Unset => "-",
            RequestedVersion::Any => "0",
            RequestedVersion::Known => "R",
        };
        let matching = match self.matching {
            None => "-",
            Some(ResourceVersionMatch::Exact) => "Exact",
            Some(_) => "NotOlderThan",
        };
        let delegate = should_delegate_list(&self.options("R", Some("token")));
        let yes = |yes| if yes { "yes" } else { "-" };
        [
            version,
            matching,
            if self.limit == 0 { "-" } else { "1" },
            yes(self.continues),
            if delegate { "yes" } else { "no" },
        ]
    }
}

/// An API server, a version that it has, and a continue token.
struct ApiServer {
    name: &'static str,
    client: kube::Client,
    path: String,
    version: String,
    /// `None` if there are fewer than two pods, so that there is no second page.
    token: Option<String>,
    /// Whether the server tells who answered.
    says: bool,
}

impl ApiServer {
    async fn meet(name: &'static str, client: kube::Client, namespace: &str) -> Result<Self> {
        let path = Pod::url_path(&(), Some(namespace));
        let mut server = Self { name, client, path, version: String::new(), token: None, says: false };
        let pods = ListWatch::<Pod>::namespaced(server.client.clone(), namespace);
        let mut first = ListOptions::default();
        first.limit = 1;
        let page = pods.list(first.clone()).await.map_err(|error| ReflectorError::List(pods.description(), error))?;
        server.version = page.resource_version;
        server.token = page.continue_token;
        server.says = server.list(&first).await?.served_from.is_some();
        Ok(server)
    }

    /// The answer as printed: `watch-cache 4`, or the status code of a refusal.
    async fn ask(&self, row: &Combination) -> Result<String> {
        if row.continues && self.token.is_none() {
            return Ok("no token".to_owned());
        }
        let Answer { code, served_from, list } = self.list(&row.options(&self.version, self.token.as_deref())).await?;
        Ok(match list {
            Some(list) => format!("{} {}", served_from.as_deref().unwrap_or("unknown"), list.items.len()),
            None => code.to_string(),
        })
    }

    async fn list(&self, options: &ListOptions) -> Result<Answer> {
        let request = Request::get(format!("{}?{}", self.path, options.list_query())).body(Body::empty())?;
        let answer = self.client.send(request).await?;
        let code = answer.status().as_u16();
        let served_from =
            answer.headers().get("x-served-from").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let ok = answer.status().is_success();
        let body = answer.into_body().collect().await?.to_bytes();
        let list = if ok { Some(serde_json::from_slice(&body).context("the answer is no list")?) } else { None };
        Ok(Answer { code, served_from, list })
    }
}

struct Answer {
    code: u16,
    served_from: Option<String>,
    list: Option<List>,
}

#[derive(Deserialize)]
struct List {
    items: Vec<IgnoredAny>,
}

fn explain(lab: &Lab, servers: &[ApiServer]) {
    lab.narrate(
        "400 and 422 are combinations that make no sense, refused before anybody is asked.\n\
         RV 0 takes whatever the cache has, all of it: a limit counts for nothing. R with a limit and without match is\n\
         an exact version, R without a limit only \"not older\"",
        "400 和 422 是没有意义的组合，还没问谁就被拒绝。\n\
         RV 0 取 cache 里现有的全部，limit 不起作用。R 带 limit 而没有 match 表示正好这个版本，\n\
         R 不带 limit 只表示“不早于”",
    );
    if servers.iter().any(|server| !server.says) {
        lab.narrate(
            "unknown: this API server does not say who answered. No Kubernetes does; the header x-served-from is the\n\
             built-in cluster's. On a real one the metric apiserver_storage_list_total counts what reached etcd",
            "unknown：这个 API server 没有说是谁回答的。真正的 Kubernetes 都不说；响应头 x-served-from 是内置集群特有的。\n\
             在真实集群上，指标 apiserver_storage_list_total 统计到达 etcd 的请求",
        );
        return;
    }
    lab.narrate(
        "classic does what the function says. Today's watch cache asks etcd how new it has to be (1.31) and keeps\n\
         snapshots of its past states (1.34), so hardly a list reaches storage",
        "classic 正如函数所说。今天的 watch cache 会问 etcd 自己要有多新（1.31），并保留过去状态的快照（1.34），\n\
         所以几乎没有 list 会到达存储",
    );
}
