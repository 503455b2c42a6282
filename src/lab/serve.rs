//! The HTTP servers of a run: `--listen` serves the built-in cluster for kubectl, and `--serve` serves a lesson's own
//! answers for curl. `serve_wasm.rs` replaces this file in a web page.

use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result};

use super::Lab;
use crate::trace::Failure;
use kube_testcluster::{Cluster, serve_until};

/// Serves the built-in cluster for `--listen`, and returns its address.
pub(super) fn serve_cluster(cluster: &mut Cluster, listener: TcpListener) -> Result<SocketAddr> {
    let served = cluster.serve(listener);
    Ok(served.map_err(|error| Failure::new(("cannot listen", "无法监听端口")).because(error))?)
}

impl Lab {
    /// Serves `router` at the address of `--serve` until the run stops, for programs on this machine only: the pods may
    /// be those of a real cluster, and there is no authentication.
    ///
    /// # Errors
    /// The listener of `--serve` cannot be used.
    ///
    /// # Panics
    /// The run has no `--serve`.
    pub async fn serve(&self, router: axum::Router) -> Result<()> {
        let listener = self.listener().expect("the run has --serve");
        let listener = listener.try_clone().and_then(tokio::net::TcpListener::from_std).context("cannot listen")?;
        let address = listener.local_addr().context("cannot listen")?;
        let curl = format!("curl http://{address}");
        self.narrate(&curl, &curl);
        let stop = self.stop().cancelled_owned();
        serve_until(router, listener, stop).await;
        Ok(())
    }
}
