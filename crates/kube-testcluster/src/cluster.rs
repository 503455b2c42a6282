//! [`Cluster`]: a running cluster.

#[cfg(feature = "serve")]
use std::io;
#[cfg(feature = "serve")]
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

#[cfg(feature = "tls")]
use crate::SecureServing;
#[cfg(feature = "tls")]
use crate::auth::{service_account, with_authentication};
use crate::builder::ClusterBuilder;
use crate::controllers::housekeeping::Housekeeping;
#[cfg(feature = "tls")]
use crate::controllers::service_account_tokens;
#[cfg(feature = "serve")]
use crate::http::serve::Server;
use crate::scenario::faults::Faults;
use crate::store::Store;
use crate::store::writes::{Write, WriteObserver};
use kube_controllers::nodes::kubelet::Progress;
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::PODS;

/// A running cluster. Dropping it stops its kubelet and its controllers; [`shutdown`](Self::shutdown) also waits until
/// they have ended.
#[derive(Debug)]
pub struct Cluster {
    pub(crate) store: Arc<Store>,
    pub(crate) housekeeping: Arc<Housekeeping>,
    pub(crate) router: axum::Router,
    /// The progress of the kubelet with the pods.
    pub(crate) progress: watch::Receiver<Progress>,
    pub(crate) is_continued: bool,
    pub(crate) stop: DropGuard,
    /// The kubelet, the controllers, and the tasks that maintain the store.
    pub(crate) tasks: Vec<JoinHandle<()>>,
    #[cfg(feature = "serve")]
    pub(crate) servers: Vec<Server>,
    /// Gives the authority of a listener to the controller that signs CertificateSigningRequests.
    #[cfg(feature = "tls")]
    pub(crate) signer: watch::Sender<crate::tls::signer::Given>,
}

impl Cluster {
    /// Returns the builder of a new cluster.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// Returns a client of this cluster, without a socket. `namespace` is its default namespace.
    pub fn client(&self, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router(), namespace)
    }

    /// Returns a client that acts as this user. The user counts as authenticated, so it is also in the group
    /// `system:authenticated`. Its rights are checked only with [`Authorization::Rbac`](crate::Authorization::Rbac).
    pub fn client_as(&self, user: User, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router_as(user), namespace)
    }

    /// Returns the [service](Self::router) whose requests are made as this user.
    pub fn router_as(&self, user: User) -> axum::Router {
        self.router().layer(axum::Extension(Arc::new(user.authenticated())))
    }

    /// Returns the API as a service: for a client with its own layers, or for a test that sends raw requests.
    ///
    /// It is a `Router` and not an opaque service, so that a test can add its own routes and layers.
    pub fn router(&self) -> axum::Router {
        self.router.clone()
    }

    /// Serves the API on a loopback listener until the cluster stops, for clients in other processes. Returns the
    /// listener's address. The server speaks plain HTTP/1.1 and HTTP/2, without authentication, and refuses requests
    /// from web pages.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// # use std::net::TcpListener;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut cluster = Cluster::builder().start();
    /// let address = cluster.serve(TcpListener::bind("127.0.0.1:0")?)?;
    ///
    /// let config = kube::Config::new(format!("http://{address}").parse()?);
    /// let version = kube::Client::try_from(config)?.apiserver_version().await?;
    /// assert_eq!(version.major, "1");
    /// cluster.shutdown().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidInput` for a listener that other machines can reach; otherwise the operating system's error for the
    /// listener.
    ///
    /// # Panics
    /// Outside a tokio runtime with IO and time.
    #[cfg(feature = "serve")]
    pub fn serve(&mut self, listener: TcpListener) -> io::Result<SocketAddr> {
        let server = Server::start(self.router(), listener)?;
        let address = server.address();
        self.servers.push(server);
        Ok(address)
    }

    /// Serves the API with TLS until the cluster stops, to clients that authenticate: see [`SecureServing`]. Other
    /// clients are refused, so the listener may be one that other machines can reach. Returns its address.
    ///
    /// Service account tokens from before the first call of this method are not valid afterwards; those in Secrets are
    /// replaced. The first authority that a call brings (see [`SecureServing::signer`]) signs for the cluster until its
    /// end; those of later calls are ignored.
    ///
    /// # Errors
    /// The operating system's error for the listener; `InvalidInput` if the certificate cannot be used.
    ///
    /// # Panics
    /// Outside a tokio runtime with IO and time.
    #[cfg(feature = "tls")]
    pub fn serve_securely(&mut self, listener: TcpListener, mut serving: SecureServing) -> io::Result<SocketAddr> {
        let signer = serving.take_signer();
        let (tls, tokens, key) =
            serving.into_parts().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        service_account::sign_with(&self.store, key.as_deref())?;
        // Before the first connection, so that no client sees a cluster without its authority.
        if let Some(authority) = signer
            && self.store.root_ca.set(authority.certificate().to_owned()).is_ok()
        {
            self.signer.send_replace(Some(authority));
        }
        service_account_tokens::fill_all(&self.store, &self.housekeeping);
        let router = with_authentication(self.router(), self.store.clone(), tokens);
        let server = Server::start_with(tls, router, listener)?;
        let address = server.address();
        self.servers.push(server);
        Ok(address)
    }

    /// Waits until the kubelet and the cluster's housekeeping have nothing to do: the kubelet has seen every write to a
    /// pod so far, no stage of any pod is pending or running, and the garbage collector and the controllers of
    /// namespaces and nodes are idle.
    ///
    /// This does not wait for stages that repeat for ever, for pods that wait for a node or for an object that they
    /// refer to, for the 40 seconds that the pods of a deleted node stay, or for the tenth of a second that a deleted
    /// CustomResourceDefinition stays. It also does not wait for controllers that are clients of the server: the test's
    /// own ones, and the controllers of workloads such as [ReplicaSets](crate::controllers::replica_set). Their
    /// reaction to a change is visible only after they have written it, so wait for its effect instead.
    pub async fn settled(&self) {
        let mut progress = self.progress.clone();
        loop {
            self.pods_are_settled(&mut progress).await;
            if !self.housekeeping.has_any() {
                return;
            }
            self.housekeeping.all_done().await; // a work item may have given the kubelet new work
        }
    }

    /// Returns true if nothing is happening now, in the sense of [`settled`](Self::settled).
    pub(crate) fn is_settled(&self) -> bool {
        let last_write = self.store.last_write_of(PODS);
        // An error means that no kubelet runs, as in `pods_are_settled`.
        (self.progress.has_changed().is_err() || self.progress.borrow().is_settled(last_write))
            && !self.housekeeping.has_any()
    }

    async fn pods_are_settled(&self, progress: &mut watch::Receiver<Progress>) {
        // Every change of this condition is also a change of `progress`, because the kubelet sees every write.
        let settled = |progress: &Progress| progress.is_settled(self.store.last_write_of(PODS));
        // An error means that no kubelet runs (any more); then nothing is pending either.
        let _ = progress.wait_for(settled).await;
    }

    /// Drops the history, as a compaction and a restart of the server do: earlier states can no longer be listed, and
    /// watches can no longer start from earlier resourceVersions.
    pub fn compact(&self) {
        self.store.compact();
        self.store.restart();
    }

    /// Drops the earlier states, as etcd's compaction does: they can no longer be listed. Watches can still start from
    /// the earlier resourceVersions that the watch cache has in memory.
    pub fn compact_storage(&self) {
        self.store.compact();
    }

    /// Restarts every watch cache, as a restart of the server does: watches can no longer start from earlier
    /// resourceVersions, although storage still has them. Open watches continue.
    pub fn restart(&self) {
        self.store.restart();
    }

    /// Calls `sink` for every object that exists, and from now on for every write, in the order of their revisions.
    /// `sink` runs under the store's lock: it must be quick, and must not call the cluster.
    pub fn observe_writes(&self, sink: impl Fn(Write) + Send + Sync + 'static) {
        self.store.observe(WriteObserver::new(sink));
    }

    /// Returns true if the folder of [`ClusterBuilder::start_in`] already had a cluster that this one continues. Then
    /// the builder's initial nodes and pods were not used. Always false without a folder.
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// Returns the faults of this cluster.
    pub fn faults(&self) -> Faults {
        Faults::of(self.store.clone())
    }

    /// Stops the kubelet and the controllers, ends every watch after the events that were already sent, and waits for
    /// the tasks. Requests in progress on a socket have a second to end.
    pub async fn shutdown(self) {
        drop(self.stop);
        for task in self.tasks {
            // A panic of a work item has been reported already.
            let _ = task.await;
        }
        self.store.close(); // ends the watches, so that the servers need not cut their connections
        #[cfg(feature = "serve")]
        for server in self.servers {
            server.shutdown().await;
        }
        self.store.close_wal();
    }
}
