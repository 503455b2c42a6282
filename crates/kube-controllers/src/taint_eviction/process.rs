//! Plans the eviction of pods, or cancels it, after a change of a node or of a pod. Upstream: `handleNodeUpdate`,
//! `handlePodUpdate`, `processPodOnNode`.

use std::time::Duration;

use kube_informers::cache::meta_namespace_key;
use serde_json::Value;
use tokio::time::Instant;

use super::pod::PodTolerations;
use super::tolerations::{Stay, no_execute, stay};
use super::{Controller, Key};

impl Controller {
    pub(super) async fn sync_node(&self, name: &str) {
        let Some(node) = self.nodes.get(name) else { return };
        let (taints, now) = (no_execute(&node), Instant::now());
        for pod in &self.pods_by_node.get(name) {
            self.process(pod, &taints, now).await;
        }
    }

    pub(super) async fn sync_pod(&self, key: &str) {
        let Some(pod) = self.pods.get(key) else { return self.cancel(key).await };
        let Some(node) = self.nodes.get(pod.node()) else { return };
        let taints = no_execute(&node);
        if !taints.is_empty() {
            self.process(&pod, &taints, Instant::now()).await;
        }
    }

    /// Plans the eviction of a pod by the taints of its node, or cancels it. An eviction that waits already keeps its
    /// time, as in upstream.
    async fn process(&self, pod: &PodTolerations, taints: &[&Value], now: Instant) {
        let key = meta_namespace_key(pod);
        match stay(taints, &pod.tolerations) {
            Stay::NoTime => {
                self.cancel(&key).await; // the pod is deleted at once instead
                self.plan(key, None, Duration::ZERO);
            }
            Stay::For(Duration::ZERO) => self.plan(key, None, Duration::ZERO),
            Stay::For(time) => {
                // A time that no clock reaches means for ever.
                if let Some(at) = now.checked_add(time) {
                    self.plan(key, Some(at), time);
                }
            }
            Stay::Forever => self.cancel(&key).await,
        }
    }

    /// Plans an eviction, unless one is planned already.
    fn plan(&self, pod: String, at: Option<Instant>, delay: Duration) {
        if self.evictions.add(&pod, at) {
            // The queue cannot cancel a delayed key, and keeps its earliest time, so it delays no key of a pod.
            let key = if at.is_some() { Key::Timer } else { Key::Eviction(pod) };
            self.queue.add_after(key, delay);
        }
    }

    /// Queues the evictions whose time has come, and then waits for the next one.
    pub(super) fn queue_due(&self) {
        let (due, next) = self.evictions.due();
        due.into_iter().for_each(|pod| self.queue.add(Key::Eviction(pod)));
        if let Some(delay) = next {
            self.queue.add_after(Key::Timer, delay);
        }
    }

    /// Cancels the eviction of a pod, if one waits, and reports that.
    async fn cancel(&self, pod: &str) {
        if self.evictions.cancel(pod) {
            self.record(pod, format!("Cancelling deletion of Pod {pod}")).await;
        }
    }
}
