//! The page on a loopback address, for browsers of this machine only.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::header;
use axum::response::Html;
use axum::routing::get;

use crate::cluster::listen;
use crate::console::{Console, Ended};
use kube_testcluster::only_for_this_machine;

/// Serves the page until a signal comes.
pub(super) fn serve(page: String, address: SocketAddr, console: &Console) -> Result<Ended> {
    let listener = listen(address, "--at")?;
    let address = listener.local_addr().context("cannot listen")?;
    let stop = console.interrupt.arm().context("cannot listen for Ctrl-C")?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    console.printer.tell(
        &format!("open http://{address}/ in a browser on this machine; Ctrl-C ends"),
        &format!("请在本机浏览器里打开 http://{address}/；按 Ctrl-C 结束"),
    );
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).context("cannot listen")?;
        axum::serve(listener, only_for_this_machine(router(page)))
            .with_graceful_shutdown(stop.cancelled_owned())
            .await
            .context("the HTTP server failed")
    })?;
    Ok(console.interrupt.code().map_or(Ended::Done, Ended::Interrupted))
}

fn router(page: String) -> Router {
    let headers = [(header::CACHE_CONTROL, "no-store"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    Router::new().route("/", get(async move || (headers, Html(page))))
}
