//! Serves a test's cluster on a local port, and makes the kubeconfig for programs outside the test's process, such as a
//! compiled operator or kubectl.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use kube_client::Config;

use super::TestCluster;
use kube_machinery::value::json;

/// The address of a served cluster, in the forms that programs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    address: SocketAddr,
}

impl TestCluster {
    /// [Serves](crate::Cluster::serve) the cluster on a free port of the loopback interface, for another program: an
    /// operator as it is shipped, kubectl, or a client in another language. Such a program lives in real time, so the
    /// test's clock must not be paused.
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
    /// Returns the address.
    pub fn address(self) -> SocketAddr {
        self.address
    }

    /// Returns the configuration for a kube client.
    pub fn config(self) -> Config {
        Config::new(self.url().parse().expect("an address and a port are a URL"))
    }

    /// Returns the text of a kubeconfig. Write it to a file, and set `KUBECONFIG` to the file's name.
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
