//! Long synchronous work, such as decoding a large list, must not block the other tasks of the runtime.

#[cfg(not(target_family = "wasm"))]
pub(crate) use tokio::task::spawn_blocking;

/// Runs the work as an ordinary task, because WebAssembly has no threads.
#[cfg(target_family = "wasm")]
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    tokio::spawn(async { work() })
}
