//! The HTTP server of `--serve`, and the binding of its listener and that of `--listen`.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result};

use super::Lab;
use crate::trace::Failure;

/// Binds the address of `option` before anything else, so that a port in use is reported at once.
pub(super) fn listen(address: SocketAddr, option: &str) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| failure(address, option, error))?;
    listener.set_nonblocking(true).context("cannot listen without blocking")?;
    Ok(listener)
}

fn failure(address: SocketAddr, option: &str, error: io::Error) -> Failure {
    let port = address.port();
    let free = SocketAddr::new(address.ip(), 0);
    match error.kind() {
        ErrorKind::AddrInUse => Failure::new(format!("port {port} is in use: cannot listen on {address}"))
            .next(format!("stop what listens there, or choose another port: {option} {free} takes a free one")),
        ErrorKind::PermissionDenied => Failure::new(format!("port {port} is not allowed: cannot listen on {address}"))
            .next(format!("choose a port above 1023: {option} {free} takes a free one")),
        _ => Failure::new(format!("cannot listen on {address}")).next("name an address of this machine"),
    }
    .because(error)
}

impl Lab {
    /// Serves `router` at the address of `--serve` until the run stops.
    ///
    /// # Errors
    /// If accepting connections fails.
    ///
    /// # Panics
    /// In a run without `--serve`.
    pub async fn serve(&self, router: axum::Router) -> Result<()> {
        let listener = self.listener().expect("the run was asked to serve");
        let listener = listener.try_clone().and_then(tokio::net::TcpListener::from_std).context("cannot listen")?;
        let address = listener.local_addr().context("cannot listen")?;
        let curl = format!("curl http://{address}");
        self.tell(&curl, &curl);
        let stop = self.stop().cancelled_owned();
        axum::serve(listener, router).with_graceful_shutdown(stop).await.context("the HTTP server failed")
    }
}
