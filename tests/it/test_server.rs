//! Servers in the process of a test, for programs that reach a cluster over a socket.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use axum::Router;
use kube_testcluster::{Cluster, Controllers, Stages};
use tokio::sync::oneshot;

use crate::cli::{command, file};

/// An HTTP server on its own thread. Dropping it closes all connections.
pub struct TestServer {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    #[expect(clippy::disallowed_methods, reason = "the tests are the only clients")]
    pub fn new(router: impl FnOnce() -> Router + Send + 'static) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (send_address, address) = mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                send_address.send(listener.local_addr().unwrap()).unwrap();
                let router = router();
                tokio::select! {
                    biased;
                    _ = stopped => {}
                    served = axum::serve(listener, router) => served.unwrap(),
                }
            });
        });
        Self { address: address.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// Serves a cluster whose pods are removed as soon as they are deleted.
    pub fn cluster() -> Self {
        Self::new(|| {
            let stages = Stages::from_yaml("run: []\ndelete:\n- {after: 0s, remove: true}\n", "stages.yaml").unwrap();
            let cluster = Cluster::builder().stages(stages).controllers(Controllers::Housekeeping).start();
            let router = cluster.router();
            // The cluster must live as long as the thread's runtime.
            tokio::spawn(async move {
                let _cluster = cluster;
                std::future::pending::<()>().await
            });
            router
        })
    }

    /// Serves this Status as the answer to every request.
    pub fn refusing(code: u16, reason: &'static str) -> Self {
        Self::new(move || {
            let answer = move || async move {
                let body = format!(r#"{{"kind":"Status","status":"Failure","code":{code},"reason":"{reason}"}}"#);
                (axum::http::StatusCode::from_u16(code).unwrap(), body)
            };
            Router::new().fallback(answer)
        })
    }

    pub fn command(&self, name: &str, line: &str) -> Command {
        let mut command = command(line);
        command.arg("--kubeconfig").arg(self.kubeconfig(name));
        command
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Writes a kubeconfig for this server and returns its path.
    pub fn kubeconfig(&self, name: &str) -> PathBuf {
        let address = self.address;
        let text = format!(
            "clusters: [{{name: lab, cluster: {{server: \"http://{address}\"}}}}]\n\
             contexts: [{{name: lab, context: {{cluster: lab}}}}]\ncurrent-context: lab\n"
        );
        file(&format!("{name}.kubeconfig"), text)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
