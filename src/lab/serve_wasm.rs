//! Replaces `serve.rs` in the build for a web page, which cannot listen: `--serve` and `--listen` fail.

use std::net::{SocketAddr, TcpListener};

use anyhow::Result;

use super::Lab;
use crate::trace::Failure;
use kube_testcluster::Cluster;

pub(super) fn serve_cluster(_cluster: &mut Cluster, _listener: TcpListener) -> Result<SocketAddr> {
    Err(Failure::not_in_a_page().into())
}

impl Lab {
    /// Fails, because a web page has no HTTP server.
    ///
    /// # Errors
    /// Always.
    pub async fn serve(&self, _router: axum::Router) -> Result<()> {
        Err(Failure::not_in_a_page().into())
    }
}
