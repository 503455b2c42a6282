//! Binds the listeners of `--serve` and `--listen`.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result};

use crate::trace::Failure;

/// Binds the address of `option` before anything else, so that a port in use is reported at once.
pub(crate) fn listen(address: SocketAddr, option: &str) -> Result<TcpListener> {
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
