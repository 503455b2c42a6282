//! `spawn_blocking`: runs long synchronous work, such as decoding a large list, without blocking the other tasks of the
//! runtime. Callers need not know that WebAssembly has no threads for it.

#[cfg(not(target_family = "wasm"))]
pub(crate) use tokio::task::spawn_blocking;

/// Runs the work as an ordinary task, because WebAssembly has no threads.
#[cfg(target_family = "wasm")]
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    tokio::spawn(async { work() })
}
