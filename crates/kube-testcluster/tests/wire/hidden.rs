//! Finds the writes that the recorder made without recording them, from the recorded responses.
//!
//! Every version of an object that an answer shows, and that no recorded request made, was written in between: it is
//! written here too, in the order of the revisions, and no earlier than an answer shows it or a later revision.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::apply::{apply, is_version};
use crate::client::{PODS, Server, pod};
use crate::placeholders::{Bindings, rvs};
use crate::recording::Recording;
use crate::sightings::{self, Version, names, parameter, request_path, rv, sightings, told};

/// All versions in a file, by the number of their resourceVersion.
pub struct Hidden {
    pub versions: BTreeMap<u32, Version>,
    /// Greater numbers stand for revisions that were never reached.
    last: u32,
    applied: BTreeSet<u32>,
    restarted: BTreeSet<String>,
    /// The paths of the objects that recorded requests removed; they must not be removed here.
    removed: BTreeSet<String>,
}

impl Hidden {
    pub fn find(file: &Recording) -> Self {
        let (versions, last) = sightings::versions(file);
        Self { versions, last, applied: BTreeSet::new(), restarted: BTreeSet::new(), removed: BTreeSet::new() }
    }

    fn is_hidden(&self, number: u32) -> bool {
        self.versions.get(&number).is_some_and(|version| version.hidden)
    }

    fn is_made(&self, number: u32) -> bool {
        self.versions.get(&number).is_some_and(|version| !version.hidden)
    }

    /// Binds the versions of the objects with which every file begins.
    pub fn recognise(&mut self, server: &Server, bindings: &mut Bindings) {
        let mut left = server.first.clone();
        for (number, version) in self.versions.iter().filter(|(_, version)| version.hidden) {
            // Of an object whose spec is not shown any version may be meant; it was asked for last.
            let found =
                left.iter().rposition(|(path, object)| *path == version.path && is_version(&version.object, object));
            if let Some(found) = found {
                let (_, object) = left.remove(found);
                bindings.bind(*number, object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap());
                self.applied.insert(*number);
            }
        }
    }

    /// Brings the cluster to the state in which a record was made, and binds what the request names.
    pub async fn prepare(&mut self, server: &mut Server, bindings: &mut Bindings, record: &Value) {
        let (path, query) = request_path(record);
        if path.split('/').count() < 4 {
            return; // not about objects
        }
        let response = &record["response"];
        let version = parameter(query, "resourceVersion");
        let mut shown: Vec<u32> = rvs(record["request"]["path"].as_str().unwrap());
        shown.retain(|number| *number <= self.last);
        let listed = rv(&response["body"]["metadata"]);
        let read = record["request"]["method"] == "GET" || query.contains("dryRun");
        if read {
            shown.extend(listed);
            shown.extend(rv(&response["body"]));
        }
        let mut found = Vec::new();
        sightings(&response["body"], "", &mut found);
        for event in response["events"].as_array().into_iter().flatten() {
            sightings(told(event).0, "", &mut found);
        }
        let numbers = found.iter().filter_map(|(object, _)| rv(&object["metadata"]));
        shown.extend(numbers.filter(|number| self.is_hidden(*number)));
        if !read || record.get("duringWatch").is_some() {
            let made = found.iter().filter_map(|(object, _)| rv(&object["metadata"]));
            shown.extend(made.filter(|number| self.is_made(*number)).min().map(|number| number - 1));
        }
        if let Some(limit) = shown.into_iter().max() {
            self.advance(server, bindings, limit).await;
        }
        if response["headers"]["content-encoding"] == "gzip" {
            self.fill(server, path).await;
        }
        self.bind_request(server, bindings, record).await;
        self.expire(server, bindings, record).await;
        if let Some(names) = names(&response["body"]) {
            self.only_these(server, bindings, path, query, &names).await;
        }
        self.target(server, bindings, record, path).await;
        self.note_removal(record, path);
        self.bind_request(server, bindings, record).await;
        let latest = version.is_none() && (!query.contains("continue=") || query.contains("\"rv\":-1"));
        if let Some(number) = listed.filter(|_| read && latest && response["status"] == 200) {
            let unbound = !bindings.rvs.contains_key(&number);
            let taken = bindings.rvs.range(..number).next_back().map(|(_, revision)| *revision);
            if unbound && !self.versions.contains_key(&number) && taken == Some(server.revision().await) {
                server.bump().await;
            }
        }
    }

    /// Enough objects for a response that is compressed.
    async fn fill(&self, server: &Server, path: &str) {
        let padding = "x".repeat(900);
        for i in 0..150 {
            let mut object = pod(&format!("many-{i:03}"), &Value::Null);
            object["metadata"]["annotations"] = json!({"pad": padding});
            server.write("POST", path, &object).await;
        }
    }

    /// Writes every hidden version up to a number.
    async fn advance(&mut self, server: &Server, bindings: &mut Bindings, limit: u32) {
        let due: Vec<(u32, Version)> = self
            .versions
            .range(..=limit)
            .filter(|(number, version)| version.hidden && !self.applied.contains(number))
            .map(|(number, version)| (*number, version.clone()))
            .collect();
        for (number, version) in due {
            self.applied.insert(number);
            if !bindings.rvs.contains_key(&number)
                && let Some(revision) = apply(server, &version).await
            {
                bindings.bind(number, revision);
            }
        }
    }

    /// Handles a response that says that something expired: the server was restarted, or the history was compacted.
    async fn expire(&mut self, server: &mut Server, bindings: &mut Bindings, record: &Value) {
        let response = &record["response"];
        if response["status"] == 410 {
            let asked = rvs(record["request"]["path"].as_str().unwrap());
            let current = server.revision().await;
            if asked.iter().any(|number| bindings.rvs.get(number) == Some(&current)) {
                server.bump().await;
            }
            server.cluster.compact_storage();
        }
        let error = &response["events"][0]["object"];
        let message = error["message"].as_str().unwrap_or_default();
        if message.starts_with("The resourceVersion for the provided watch is too old") {
            server.cluster.compact_storage();
        } else if error["code"] == 410 {
            let oldest = message.rsplit(' ').next().unwrap().to_owned();
            if self.restarted.insert(oldest.clone()) {
                let asked = rvs(record["request"]["path"].as_str().unwrap());
                let current = server.revision().await;
                if asked.iter().any(|number| bindings.rvs.get(number) == Some(&current)) {
                    server.bump().await;
                }
                server.cluster.restart();
                bindings.bind(rvs(&oldest)[0], server.revision().await);
            }
        }
    }

    /// Makes the objects that exist equal to those in an unfiltered list.
    async fn only_these(&self, server: &Server, bindings: &Bindings, path: &str, query: &str, names: &[String]) {
        if path.split('/').count() > 6 && !path.ends_with('/') && !path.ends_with("pods") {
            return;
        }
        let partial = ["Selector", "limit=", "continue=", "resourceVersion=", "watch="];
        let whole = !partial.iter().any(|parameter| query.contains(parameter));
        let collection = path.trim_end_matches('/').to_owned();
        let Some(list) = server.get(&format!("{collection}?resourceVersion=0")).await else { return };
        let Some(items) = list["items"].as_array().filter(|_| list["kind"] != "APIGroupDiscoveryList") else { return };
        let there: Vec<&str> = items.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect();
        for name in there
            .iter()
            .filter(|name| whole && !self.removed.contains(&format!("{collection}/{name}")))
            .filter(|name| !names.iter().any(|other| other == *name))
        {
            server.write("DELETE", &format!("{collection}/{name}?gracePeriodSeconds=0"), &Value::Null).await;
        }
        let missing = names.iter().filter(|name| !there.contains(&name.as_str()));
        for name in missing
            .filter(|name| self.may_be_new(bindings, &collection, name))
            .filter(|_| collection == PODS && !query.contains("resourceVersion="))
        {
            server.write("POST", &collection, &pod(name, &Value::Null)).await;
        }
    }

    /// Creates the object that a successful write needs.
    async fn target(&self, server: &Server, bindings: &Bindings, record: &Value, path: &str) {
        let method = record["request"]["method"].as_str().unwrap();
        let response = &record["response"];
        // An object whose write was refused for a reason other than 404 exists.
        let succeeded = response["status"] != 404;
        if !succeeded || !matches!(method, "DELETE" | "PATCH" | "PUT") || server.get(path).await.is_some() {
            return;
        }
        if response["body"].get("items").is_some() || response["body"].get("items (names only)").is_some() {
            return;
        }
        let (collection, name) = path.rsplit_once('/').unwrap();
        if !collection.ends_with('s') || path.ends_with("/status") || path == PODS {
            return; // not the path of an object
        }
        if !self.may_be_new(bindings, collection, name) {
            return; // it was there and should be still
        }
        let mut found = Vec::new();
        sightings(&response["body"], "", &mut found);
        let mut object = found.pop().map_or_else(|| json!({"metadata": {"name": name}}), |(object, _)| object);
        if object["metadata"]["deletionGracePeriodSeconds"].as_i64().is_some_and(|period| period > 0) {
            object["spec"]["nodeName"] = json!("node-1");
        }
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.remove("deletionTimestamp");
        metadata.remove("deletionGracePeriodSeconds");
        apply(server, &Version { path: path.to_owned(), object, gone: false, hidden: true }).await;
    }

    /// Whether an object that is missing was made by the recorder: it was not seen before, or was removed since.
    fn may_be_new(&self, bindings: &Bindings, collection: &str, name: &str) -> bool {
        !bindings.uids.contains_key(name) || self.removed.contains(&format!("{collection}/{name}"))
    }

    /// Remembers what a recorded request removes.
    fn note_removal(&mut self, record: &Value, path: &str) {
        let body = &record["response"]["body"];
        let metadata = if body["metadata"]["name"].is_string() { &body["metadata"] } else { body };
        let ended = metadata["deletionGracePeriodSeconds"] == 0 && metadata["finalizers"].is_null();
        let dry = record["request"]["path"].as_str().unwrap().contains("dryRun");
        let gone = body["status"] == "Success" || ended;
        if record["request"]["method"] == "DELETE" && record["response"]["status"] == 200 && gone && !dry {
            self.removed.insert(path.to_owned());
        }
    }

    async fn bind_request(&self, server: &mut Server, bindings: &mut Bindings, record: &Value) {
        let (path, _) = request_path(record);
        let path = path.trim_end_matches("/status");
        // From the cache: a consistent read would advance it.
        let current = match path.contains("/watch/") {
            true => None,
            false => server.get(&format!("{path}?resourceVersion=0")).await,
        };
        let metadata = current.as_ref().map_or(&Value::Null, |object| &object["metadata"]);
        let text = record["request"].to_string();
        for uid in crate::placeholders::uids(&text) {
            let own = uid == metadata["name"].as_str().unwrap_or_default();
            if let Some(found) = metadata["uid"].as_str().filter(|_| own) {
                bindings.uids.entry(uid).or_insert_with(|| found.to_owned());
            }
        }
        let body = &record["request"]["body"]["metadata"]["resourceVersion"];
        if let (Some(number), Some(version)) =
            (body.as_str().and_then(|text| rvs(text).pop()), metadata["resourceVersion"].as_str())
        {
            bindings.bind(number, version.parse().unwrap());
        }
        let mut wanted = rvs(&text);
        wanted.sort_unstable();
        for number in wanted {
            if bindings.rvs.contains_key(&number) {
                continue;
            }
            let mut revision = server.revision().await;
            let higher = bindings.rvs.range(number..).next().map(|(_, revision)| *revision);
            if number > self.last {
                revision += 100_000;
            } else if let Some(higher) = higher {
                revision = higher - 1;
            }
            if !bindings.bind(number, revision) {
                server.bump().await;
                assert!(bindings.bind(number, server.revision().await), "rv{number} has no place in the order");
            }
        }
    }
}
