//! Replaces the binary `etcd`, which envtest starts and waits for before kube-apiserver. It only answers health
//! checks, and stores nothing, because our API server keeps its objects in memory.

use std::ffi::OsString;
use std::future::pending;
use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context, Result};
use axum::Json;
use axum::Router;
use axum::routing::get;
use serde_json::json;

use super::flags::{Flags, help};
use crate::cluster::listen;
use crate::console::Interrupt;
use crate::trace::{Failure, Printer};
use kube_testcluster::serve_until;

const USED_FLAGS: [(&str, &str); 1] = [(
    "listen-client-urls",
    "Answer at these URLs: http://ADDRESS:PORT or unix://PATH, separated by commas [http://localhost:2379]",
)];

const HELP: &str = "etcd of informer-lab: it answers GET /health, and stores nothing.";

const VERSION: &str = "3.6.0";

/// Acts as etcd until a signal comes.
pub(super) fn run(args: &[OsString], printer: &Printer) -> Result<ExitCode> {
    let flags = Flags::read(args);
    if flags.asks_for_help() {
        printer.page(&help(HELP, &USED_FLAGS))?;
        return Ok(ExitCode::SUCCESS);
    }
    if flags.asks_for_version() {
        printer.page(&format!("etcd Version: {VERSION}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let urls = flags.get("listen-client-urls").unwrap_or("http://localhost:2379");
    let addresses = urls.split(',').map(ListenAddress::parse).collect::<Result<Vec<_>, Failure>>()?;
    let interrupt = Interrupt::default();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    runtime.block_on(async {
        let stop = interrupt.arm().context("cannot listen for signals")?;
        for address in addresses {
            address.serve()?;
        }
        stop.cancelled().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// The routes of every listener. Upstream: `server/etcdserver/api/etcdhttp`.
fn routes() -> Router {
    Router::new()
        .route("/health", get(async || Json(json!({"health": "true", "reason": ""}))))
        .route("/livez", get("ok"))
        .route("/readyz", get("ok"))
        .route("/version", get(async || Json(json!({"etcdserver": VERSION, "etcdcluster": VERSION}))))
}

#[derive(Debug, PartialEq, Eq)]
enum ListenAddress {
    Address(SocketAddr),
    /// A socket in the file system.
    #[cfg(unix)]
    File(std::path::PathBuf),
}

impl ListenAddress {
    fn parse(url: &str) -> Result<Self, Failure> {
        let address =
            url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/').replacen("localhost", "127.0.0.1", 1));
        if let Some(address) = address.and_then(|address| address.parse().ok()) {
            return Ok(Self::Address(address));
        }
        #[cfg(unix)]
        if let Some(path) = url.strip_prefix("unix://").filter(|path| !path.is_empty()) {
            return Ok(Self::File(path.into()));
        }
        Err(Failure::new((
            format!("cannot listen at {url}: expected a URL such as http://127.0.0.1:2379"),
            format!("无法监听 {url}：应为 http://127.0.0.1:2379 这样的 URL"),
        )))
    }

    fn serve(self) -> Result<()> {
        match self {
            Self::Address(address) => {
                let listener = tokio::net::TcpListener::from_std(listen(address, "--listen-client-urls")?)?;
                tokio::spawn(serve_until(routes(), listener, pending()));
            }
            #[cfg(unix)]
            Self::File(path) => {
                let listener = tokio::net::UnixListener::bind(&path).map_err(|error| {
                    let shown = path.display();
                    Failure::new((format!("cannot listen at {shown}"), format!("无法监听 {shown}"))).because(error)
                })?;
                tokio::spawn(serve_until(routes(), listener, pending()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listen_address_is_an_ip_address_or_a_file() {
        assert_eq!(
            ListenAddress::parse("http://localhost:1/").unwrap(),
            ListenAddress::Address("127.0.0.1:1".parse().unwrap())
        );
        assert_eq!(ListenAddress::parse("http://[::1]:1").unwrap(), ListenAddress::Address("[::1]:1".parse().unwrap()));
        #[cfg(unix)]
        assert_eq!(
            ListenAddress::parse("unix:///tmp/etcd.sock").unwrap(),
            ListenAddress::File("/tmp/etcd.sock".into())
        );
        for other in ["", "http://example.com:1", "https://127.0.0.1:1", "127.0.0.1:1", "unix://"] {
            assert!(ListenAddress::parse(other).is_err(), "{other}");
        }
    }
}
