//! The HTTP servers of `--serve` and `--listen`, in a page: there are none.

use std::net::{SocketAddr, TcpListener};

use anyhow::Result;

use super::Lab;
use crate::trace::Failure;
use kube_testcluster::Cluster;

/// Never serves.
pub(super) fn serve_cluster(_cluster: &mut Cluster, _listener: TcpListener) -> Result<SocketAddr> {
    Err(Failure::not_in_a_page().into())
}

impl Lab {
    /// Never serves.
    ///
    /// # Errors
    /// Always.
    pub async fn serve(&self, _router: axum::Router) -> Result<()> {
        Err(Failure::not_in_a_page().into())
    }
}
