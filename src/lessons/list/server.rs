//! An API server that the lesson `list` queries. The built-in server has a response header, `x-served-from`, that no
//! real server has: it says whether storage or the watch cache answered.

use anyhow::{Context, Result};
use http::Request;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::client::Body;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::Instant;

use super::combination::Combination;
use kube_informers::cache::{ListOptions, ListWatch, ListerWatcher};

/// An API server, with a resourceVersion and a continue token of its own.
pub(super) struct ApiServer {
    pub(super) name: &'static str,
    client: kube::Client,
    path: String,
    /// The resourceVersion of a list, for requests with a known one.
    version: String,
    /// The resourceVersion of a written object; empty if the lesson has written none.
    pub(super) written: String,
    /// `None` if there are fewer than two pods, and so no second page.
    token: Option<String>,
    /// True if the server tells which part answered.
    pub(super) says: bool,
}

impl ApiServer {
    /// Reads a first page, for its resourceVersion and continue token.
    pub(super) async fn meet(name: &'static str, client: kube::Client, namespace: &str) -> Result<Self> {
        let path = Pod::url_path(&(), Some(namespace));
        let mut server =
            Self { name, client, path, version: String::new(), written: String::new(), token: None, says: false };
        let pods = ListWatch::<Pod>::namespaced(server.client.clone(), namespace);
        let mut first = ListOptions::default();
        first.limit = 1;
        let page = pods.list(first.clone()).await?;
        server.version = page.resource_version;
        server.token = page.continue_token;
        server.says = server.list(&first).await?.served_from.is_some();
        Ok(server)
    }

    /// Sends the request, and returns the answer as printed: `watch-cache 4`, or the status code of a refusal. An answer
    /// that took a second or longer has its time, such as `504 (3 s)`.
    pub(super) async fn ask(&self, row: &Combination) -> Result<String> {
        if row.continues && self.token.is_none() {
            return Ok("no token".to_owned());
        }
        let asked = Instant::now();
        let options = row.options(&self.version, &self.written, self.token.as_deref());
        let Answer { code, served_from, list } = self.list(&options).await?;
        let answer = match list {
            Some(list) => format!("{} {}", served_from.as_deref().unwrap_or("unknown"), list.items.len()),
            None => code.to_string(),
        };
        let seconds = asked.elapsed().as_secs();
        Ok(if seconds == 0 { answer } else { format!("{answer} ({seconds} s)") })
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
    /// The value of `x-served-from`.
    served_from: Option<String>,
    /// `None` if the server refused the request.
    list: Option<List>,
}

#[derive(Deserialize)]
struct List {
    items: Vec<IgnoredAny>,
}
