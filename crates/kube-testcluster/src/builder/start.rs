//! The start of a cluster, which puts the parts together: the store, the first objects, the HTTP API, the kubelet and
//! the controllers.

use std::sync::Arc;

use axum::Extension;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{ClusterBuilder, first_objects};
use crate::Cluster;
use crate::auth::with_authorization;
use crate::controllers::custom_resource_definition;
use crate::controllers::housekeeping::{self, Housekeeping};
use crate::router::router;
use crate::settings::{Controllers, Kubelets};
use crate::store::Requester;
use crate::store::Store;
use crate::store::wal::{DataError, Folder};
use crate::store::{expiry, packing};
use crate::verbs::in_process::InProcess;
use crate::verbs::ownership::Component;
use kube_controllers::ControllerName;
use kube_controllers::clock::Clock;
use kube_controllers::nodes::heartbeats::NodeHeartbeats;
use kube_controllers::nodes::kubelet::{Claims, Earlier, Kubelet, Progress};
use kube_controllers::nodes::logs::Logs;
use kube_controllers::nodes::node;
use kube_controllers::nodes::scheduler::Nodeless;

impl ClusterBuilder {
    /// Starts the cluster. With a folder, it continues from the objects there, and keeps every write there. Only a
    /// folder can cause an error.
    pub(crate) fn begin(self, folder: Option<Folder>) -> Result<Cluster, DataError> {
        let clock = self.started_at.map_or_else(Clock::starting_now, Clock::starting_at);
        let earlier = folder.as_ref().map(Folder::read).transpose()?.flatten();
        let mut settings = self.settings;
        if let Some(earlier) = &earlier {
            // Storage and every watch cache go on from here, whatever revision the builder was given.
            settings.first_revision = earlier.revision;
        }
        let mut store = Store::new(settings, clock);
        store.plugins = self.plugins;
        let store = Arc::new(store);
        let is_first = store.definition_controller.set(custom_resource_definition::refresh_changed).is_ok();
        debug_assert!(is_first, "a new store has no controller");
        let housekeeping = Arc::new(Housekeeping::new(self.nodes.is_some(), self.settings.admission));
        if self.settings.controllers != Controllers::None {
            store.set_hook(housekeeping.clone());
        }
        let nodes = self.nodes.unwrap_or_default();
        let is_continued = earlier.is_some();
        match earlier {
            Some(earlier) => {
                // Also queues the work that the controllers of the earlier server may have left undone.
                store.restore(earlier)?;
                first_objects::write_system(&store);
            }
            None => {
                first_objects::write(&store, nodes, &self.node_templates, self.pods, self.crowd);
                housekeeping.discard(); // controllers react only to later changes
                if self.settings.controllers != Controllers::None {
                    housekeeping.sync_nodes((1..=nodes).map(node::name));
                }
            }
        }
        if let Some(folder) = folder {
            store.keep_in(folder)?;
        }
        let logs = Arc::new(Logs::default());
        let router = router(store.clone(), logs.clone(), self.admin);
        let own = router.clone(); // the cluster's own clients are not subject to authorization
        let router = with_authorization(router, store.clone());
        let (sender, progress) = watch::channel(Progress::default());
        let stop = CancellationToken::new();
        // Objects that have left the history, which `packing` compresses.
        let aged = store.lock().storage.subscribe_aged();
        let mut tasks = vec![
            tokio::spawn(expiry::run(store.clone(), stop.clone())),
            tokio::spawn(packing::run(aged, stop.clone())),
            tokio::spawn(custom_resource_definition::run(store.clone(), stop.clone())),
        ];
        if self.settings.kubelets == Kubelets::Run {
            let (client, requests) = (own_client(&own, Component::KUBELET), Arc::new(InProcess(store.clone())));
            let earlier = if is_continued { Earlier::Resumed } else { Earlier::None };
            let kubelet = Kubelet::new(client, requests, self.stages.unwrap_or_default(), clock, logs, sender);
            let binds = self.settings.enabled_controllers().has(ControllerName::PersistentVolumeBinder);
            let claims = if binds { Claims::AreBound } else { Claims::Exist };
            let kubelet = kubelet.with_earlier(earlier).with_claims(claims).with_scheduling(self.scheduling);
            let nodeless = if self.nodes.is_none() { Nodeless::OnTheFirst } else { Nodeless::Wait };
            tasks.push(tokio::spawn(kubelet.run(nodeless, stop.clone())));
            if self.nodes.is_some() {
                let requests = Arc::new(InProcess(store.clone()));
                let heartbeats = NodeHeartbeats::new(requests, clock, self.heartbeats);
                tasks.push(tokio::spawn(heartbeats.run(stop.clone())));
            }
        }
        if self.settings.controllers != Controllers::None {
            tasks.push(tokio::spawn(housekeeping::run(store.clone(), housekeeping.clone(), stop.clone())));
        }
        let controllers = self.settings.enabled_controllers();
        let controllers: Vec<_> = ControllerName::ALL.into_iter().filter(|name| controllers.has(*name)).collect();
        #[cfg(feature = "tls")]
        let (signer, given) = watch::channel(None);
        if !controllers.is_empty() {
            // All controllers share one client, because each client takes memory.
            let client = own_client(&own, Component::CONTROLLERS);
            #[cfg(feature = "tls")]
            if controllers.contains(&ControllerName::CertificateSigning) {
                tasks.push(tokio::spawn(crate::tls::signer::run(given, client.clone(), clock, stop.clone())));
            }
            let run = |name| kube_controllers::run_when_needed(name, client.clone(), clock, stop.clone());
            tasks.extend(controllers.into_iter().map(|name| match name {
                ControllerName::EphemeralVolume => {
                    let (needed, run, stop) = (housekeeping.ephemeral_volumes_needed(), run(name), stop.clone());
                    tokio::spawn(async move {
                        if stop.run_until_cancelled(needed).await.is_some() {
                            run.await;
                        }
                    })
                }
                name => tokio::spawn(run(name)),
            }));
        }
        Ok(Cluster {
            store,
            housekeeping,
            router,
            progress,
            is_continued,
            stop: stop.drop_guard(),
            tasks,
            #[cfg(feature = "serve")]
            servers: Vec::new(),
            #[cfg(feature = "tls")]
            signer,
        })
    }
}

/// Returns a client for the cluster's own components. Faults and limits do not apply to it.
fn own_client(router: &axum::Router, component: Component) -> kube_client::Client {
    let router = router.clone().layer(Extension(Requester::Cluster)).layer(Extension(component));
    kube_client::Client::new(router, "default")
}
