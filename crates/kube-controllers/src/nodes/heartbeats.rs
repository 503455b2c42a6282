//! The heartbeats of the simulated nodes: the kubelet of each renews a Lease, and reports the status of its node. It
//! falls silent while the node has the label `lab/kubelet=silent`. Upstream: `pkg/kubelet/kubelet_node_status.go`, and
//! `k8s.io/component-helpers/apimachinery/lease`.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use foldhash::HashMap;
use futures::StreamExt;
use kube_client::Error;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::events;
use super::node::{KUBELET, SILENT, is_silent, is_simulated, unknown_label};
use super::node_lease::{self, RENEW_INTERVAL};
use super::node_status::{self, Report};
use super::pod::uid;
use super::requests::{Author, ObjectChange, ObjectRef, ObjectWatch, Requests};
use crate::clock::Clock;
use kube_machinery::kinds::{LEASES, NODES};
use kube_machinery::value::{Value, json};

/// The number of renewals of a Lease between two reports of a status that has not changed. Upstream:
/// `nodeStatusReportFrequency`, which is five minutes.
const RENEWALS_PER_REPORT: u32 = 30;

/// The delay before a watch that has ended is started again, and before a refused report is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Whether the kubelets of simulated nodes renew their Leases and report the statuses of their nodes at intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heartbeats {
    /// They renew their Leases every ten seconds, and report every five minutes, as real kubelets do.
    On,
    /// They report only changes, so that an idle cluster stays idle.
    #[default]
    Off,
}

/// The task that sends the heartbeats of all simulated nodes.
#[expect(missing_debug_implementations, reason = "tasks and channels have nothing to show")]
pub struct NodeHeartbeats {
    api: Arc<dyn Requests>,
    clock: Clock,
    heartbeats: Heartbeats,
    /// The simulated nodes by uid.
    nodes: HashMap<String, Node>,
    /// The next heartbeats, the earliest first. A node has at most one.
    due: BTreeSet<(Instant, String)>,
}

struct Node {
    name: String,
    is_silent: bool,
    /// When its next heartbeat is due; `None` if none is planned.
    due: Option<Instant>,
    /// The number of renewals before the next report.
    until_report: u32,
    /// The value without a meaning that its label had when an Event said so.
    unknown_label: Option<String>,
}

impl NodeHeartbeats {
    /// Creates the task.
    pub fn new(api: Arc<dyn Requests>, clock: Clock, heartbeats: Heartbeats) -> Self {
        Self { api, clock, heartbeats, nodes: HashMap::default(), due: BTreeSet::new() }
    }

    /// Runs until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.follow() => {}
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = sleep(RETRY) => {}
            }
        }
    }

    /// Watches the nodes, and sends their heartbeats. Returns when the watch ends.
    async fn follow(&mut self) {
        let ObjectWatch { objects, mut changes, .. } = self.api.watch(NODES);
        let nodes: Vec<_> = objects.collect();
        let there: HashSet<&str> = nodes.iter().map(|node| uid(node)).collect();
        let gone: Vec<String> = self.nodes.keys().filter(|uid| !there.contains(uid.as_str())).cloned().collect();
        gone.iter().for_each(|uid| self.forget(uid));
        for node in &nodes {
            self.observe(node).await;
        }
        loop {
            let next = self.due.first().map(|(due, _)| *due);
            tokio::select! {
                biased;
                change = changes.next() => match change {
                    Some((_, ObjectChange::Written(node))) => self.observe(&node).await,
                    Some((_, ObjectChange::Removed { uid })) => self.forget(&uid),
                    None => return,
                },
                () = until(next) => self.beat().await,
            }
        }
    }

    fn forget(&mut self, uid: &str) {
        self.plan(uid, None);
        self.nodes.remove(uid);
    }

    /// Takes over a new or changed node.
    async fn observe(&mut self, object: &Value) {
        if !is_simulated(object) {
            return;
        }
        let uid = uid(object);
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        // A kubelet that has not started yet is silent, too.
        let node = self.nodes.entry(uid.to_owned()).or_insert_with(|| Node {
            name: name.to_owned(),
            is_silent: true,
            due: None,
            until_report: 0,
            unknown_label: None,
        });
        let was_silent = std::mem::replace(&mut node.is_silent, is_silent(object));
        let begins = was_silent && self.heartbeats == Heartbeats::On;
        let is_new_label = node.unknown_label.as_deref() != unknown_label(object);
        node.unknown_label = unknown_label(object).map(ToOwned::to_owned);
        if node.is_silent {
            self.plan(uid, None);
        } else if begins || node_status::is_lost(object) {
            node.until_report = 0;
            self.plan(uid, Some(Instant::now()));
        }
        if let Some(value) = unknown_label(object).filter(|_| is_new_label) {
            let message = format!("The label {KUBELET} has the value {value:?}, which has no effect. Use {SILENT:?}");
            self.record(name, uid, ("Warning", "UnknownLabelValue"), &message, 0).await;
        }
    }

    /// Plans the next heartbeat of a node, or none.
    fn plan(&mut self, uid: &str, due: Option<Instant>) {
        let Some(node) = self.nodes.get_mut(uid) else { return };
        if let Some(before) = std::mem::replace(&mut node.due, due) {
            self.due.remove(&(before, uid.to_owned()));
        }
        self.due.extend(due.map(|due| (due, uid.to_owned())));
    }

    /// Sends the heartbeat that is due first, and plans the next one.
    async fn beat(&mut self) {
        let Some((_, uid)) = self.due.first().cloned() else { return };
        let Some(node) = self.nodes.get(&uid) else { return };
        let (name, reports) = (node.name.clone(), node.until_report == 0);
        let sent = self.send(&name, &uid, reports).await;
        if let Err(error) = &sent {
            tracing::debug!(node = name, %error, "a heartbeat of a node could not be sent");
        }
        if let Some(node) = self.nodes.get_mut(&uid).filter(|_| sent.is_ok()) {
            node.until_report = if reports { RENEWALS_PER_REPORT } else { node.until_report } - 1;
        }
        let delay = match (self.heartbeats, sent) {
            (Heartbeats::On, _) => Some(RENEW_INTERVAL),
            (Heartbeats::Off, Err(Error::Api(status))) if status.code != 404 => Some(RETRY),
            (Heartbeats::Off, _) => None,
        };
        self.plan(&uid, delay.map(|delay| Instant::now() + delay));
    }

    async fn send(&self, name: &str, uid: &str, reports: bool) -> Result<(), Error> {
        if self.heartbeats == Heartbeats::On {
            self.renew(name).await?;
        }
        if reports { self.report(name, uid).await } else { Ok(()) }
    }

    /// Renews the Lease of a node, or creates it again. Upstream: `ensureLease`, `retryUpdateLease`.
    async fn renew(&self, node: &str) -> Result<(), Error> {
        match self.api.patch(Author::Kubelet, node_lease::reference(node), node_lease::renewed(self.clock)).await {
            Err(Error::Api(status)) if status.code == 404 => {
                let object = self.api.get(reference(node)).await?;
                let lease = node_lease::lease(&object, self.clock);
                self.api.create(Author::Kubelet, LEASES, node_lease::NAMESPACE.to_owned(), lease).await
            }
            renewed => renewed.map(drop),
        }
    }

    /// Reports the status of a node, and writes Events about what has changed.
    async fn report(&self, name: &str, uid: &str) -> Result<(), Error> {
        let node = self.api.get(reference(name)).await?;
        let Report { conditions, events } = node_status::report(&node, &self.clock.now());
        let status = json!({"conditions": conditions});
        self.api.patch_node_status(name.to_owned(), uid.to_owned(), status).await?;
        for (nanos, event) in (0..).zip(events) {
            let message = format!("Node {name} status is now: {event}");
            self.record(name, uid, ("Normal", event), &message, nanos).await;
        }
        Ok(())
    }

    /// Writes an Event about a node. `nanos` keeps the names of several Events apart while the time stands still.
    async fn record(&self, node: &str, uid: &str, (kind, reason): (&str, &str), message: &str, nanos: i128) {
        let now = self.clock.now();
        let event = |name: &str| {
            json!({
                "metadata": {"name": name},
                "involvedObject": {"kind": "Node", "apiVersion": "v1", "name": node, "uid": uid},
                "type": kind, "reason": reason, "message": message, "count": 1,
                "source": {"component": "kubelet", "host": node},
                "reportingComponent": "kubelet", "reportingInstance": node,
                "firstTimestamp": now, "lastTimestamp": now,
            })
        };
        let nanos = self.clock.time().as_nanosecond() + nanos;
        if let Err(error) = events::create(&*self.api, Author::Kubelet, ("default", node), nanos, event).await {
            tracing::debug!(%error, "an Event could not be written");
        }
    }
}

fn reference(node: &str) -> ObjectRef {
    ObjectRef { resource: NODES, namespace: String::new(), name: node.to_owned() }
}

/// Waits until this time, or for ever.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
