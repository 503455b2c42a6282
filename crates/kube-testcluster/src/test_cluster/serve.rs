//! The cluster for programs that are not in the test's process.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use kube_client::Config;

use super::TestCluster;
use kube_machinery::value::json;

/// Where a cluster is served, in the forms that programs ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    address: SocketAddr,
}

impl TestCluster {
    /// [Serves](crate::Cluster::serve) the cluster on a free port of the loopback interface, for a program of its own: an operator as it
    /// is shipped, kubectl, or one of another language. Such a program lives in real time, so the test's clock must not be paused.
    ///
    /// ```
    /// use kube_testcluster::TestCluster;
    ///
    /// #[tokio::main(flavor = "current_thread")] // in a test: #[tokio::test]
    /// async fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let mut cluster = TestCluster::start().await;
    ///     let served = cluster.serve()?;
    ///     let kubeconfig = served.kubeconfig(); // for a file, whose name the operator finds in KUBECONFIG
    ///     let client = kube::Client::try_from(served.config())?; // or cluster.client("default"), without a socket
    ///     assert_eq!(client.apiserver_version().await?.minor, "37");
    ///     assert!(kubeconfig.contains(&served.address().to_string()));
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// The system's error for the listener.
    ///
    /// # Panics
    /// Outside a tokio runtime with IO and time.
    pub fn serve(&mut self) -> io::Result<Served> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(Served { address: self.0.serve(listener)? })
    }
}

impl Served {
    /// The address.
    pub fn address(self) -> SocketAddr {
        self.address
    }

    /// What kube makes a client of.
    pub fn config(self) -> Config {
        Config::new(self.url().parse().expect("an address and a port are a URL"))
    }

    /// The text of a kubeconfig. Write it to a file, and name that in `KUBECONFIG`.
    pub fn kubeconfig(self) -> String {
        let named = |what: &str, content| json!([{"name": "test", what: content}]);
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": named("cluster", json!({"server": self.url()})),
            "users": named("user", json!({})),
            "contexts": named("context", json!({"cluster": "test", "user": "test"})),
        });
        kubeconfig.to_string()
    }

    fn url(self) -> String {
        format!("http://{}", self.address)
    }
}
