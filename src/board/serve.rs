//! Serves the page on a loopback address, for browsers on this machine only, because the page shows a cluster and takes
//! commands without authentication. `serve_wasm.rs` replaces this file in a web page.

use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result};
use axum::Router;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;
use tokio_util::sync::CancellationToken;

use crate::cluster::listen;
use crate::console::{Console, Ended};
use kube_testcluster::serve_until;

pub(super) fn serve(page: String, address: SocketAddr, console: &Console) -> Result<Ended> {
    let listener = listen(address, "--at")?;
    print_address(listener.local_addr().context("cannot listen")?, console);
    let stop = console.interrupt.arm().context("cannot listen for Ctrl-C")?;
    serve_page(router(page), listener, stop)?;
    Ok(console.interrupt.code().map_or(Ended::Done, Ended::Interrupted))
}

pub(super) fn print_address(address: SocketAddr, console: &Console) {
    console.printer.notice(
        &format!("open http://{address}/ in a browser on this machine; Ctrl-C ends"),
        &format!("请在本机浏览器里打开 http://{address}/；按 Ctrl-C 结束"),
    );
}

/// Serves until `stop` is cancelled. Open responses then have a second to end.
pub(super) fn serve_page(router: Router, listener: TcpListener, stop: CancellationToken) -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).context("cannot listen")?;
        serve_until(router, listener, stop.cancelled_owned()).await;
        Ok(())
    })
}

/// Returns the routes of the page. No other page may show this one in a frame, because it could lead the user to click
/// a command in the frame.
pub(super) fn router<S: Clone + Send + Sync + 'static>(page: String) -> Router<S> {
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    ];
    Router::new().route("/", get(async move || (headers, Html(page))))
}
