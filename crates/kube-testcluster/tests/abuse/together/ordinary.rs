//! An ordinary client of Kubernetes: it creates, reads, lists, watches, patches and deletes small objects, and measures
//! the time of each request.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::core::ObjectMeta;
use kube::{Api, Client, Config};
use serde_json::json;
use tokio::time::Instant;

type Events = BoxStream<'static, kube::Result<WatchEvent<ConfigMap>>>;

pub struct Ordinary {
    maps: Api<ConfigMap>,
    /// The watch of the config maps.
    events: Events,
    rounds: usize,
    /// The slowest request since the last call of [`slowest`](Self::slowest).
    slowest: Slowest,
}

/// The request that took longest.
#[derive(Clone, Copy, Default)]
pub struct Slowest {
    pub took: Duration,
    /// The number of requests that were measured.
    pub requests: usize,
    what: &'static str,
}

impl fmt::Display for Slowest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { took, requests, what } = self;
        write!(f, "of {requests} requests of the ordinary client, {what} took longest: {took:?}")
    }
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

async fn watch(maps: &Api<ConfigMap>) -> Events {
    maps.watch(&WatchParams::default(), "0").await.unwrap().boxed()
}

impl Ordinary {
    /// A client with a namespace of its own.
    pub async fn begin(address: SocketAddr) -> Self {
        let client = Client::try_from(Config::new(format!("http://{address}").parse().unwrap())).unwrap();
        let namespace = Namespace { metadata: named("ordinary"), ..Namespace::default() };
        Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap();
        let maps = Api::namespaced(client, "ordinary");
        let events = watch(&maps).await;
        Self { maps, events, rounds: 0, slowest: Slowest::default() }
    }

    /// Returns the request that took longest since the last call.
    pub fn slowest(&mut self) -> Slowest {
        std::mem::take(&mut self.slowest)
    }

    /// Makes one request of each sort. Each must succeed.
    pub async fn round(&mut self) {
        let (maps, name) = (self.maps.clone(), format!("map-{}", self.rounds));
        self.rounds += 1;
        let begun = Instant::now();
        let map = ConfigMap { metadata: named(&name), ..ConfigMap::default() };
        maps.create(&PostParams::default(), &map).await.unwrap();
        let begun = self.note("a create", begun);
        loop {
            match self.events.try_next().await.unwrap() {
                Some(WatchEvent::Added(map)) if map.metadata.name.as_ref() == Some(&name) => break,
                Some(_) => {}
                None => self.events = watch(&maps).await, // kube asks for watches of five minutes
            }
        }
        let begun = self.note("an event", begun);
        maps.get(&name).await.unwrap();
        let begun = self.note("a get", begun);
        let listed = maps.list(&ListParams::default()).await.unwrap();
        let begun = self.note("a list", begun);
        assert!(listed.items.iter().any(|map| map.metadata.name.as_ref() == Some(&name)));
        let patch = Patch::Merge(json!({"data": {"key": "value"}}));
        maps.patch(&name, &PatchParams::default(), &patch).await.unwrap();
        let begun = self.note("a patch", begun);
        maps.delete(&name, &DeleteParams::default()).await.unwrap();
        self.note("a delete", begun);
    }

    /// Notes a request that has ended now, and returns the time at which the next one begins.
    fn note(&mut self, what: &'static str, begun: Instant) -> Instant {
        let took = begun.elapsed();
        self.slowest.requests += 1;
        if took > self.slowest.took {
            self.slowest = Slowest { took, what, ..self.slowest };
        }
        Instant::now()
    }
}
