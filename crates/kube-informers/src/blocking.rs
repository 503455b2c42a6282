//! Work that would keep other tasks waiting.

/// Does the work on one of the runtime's blocking threads.
#[cfg(not(target_family = "wasm"))]
pub(crate) use tokio::task::spawn_blocking;

/// Does the work as a task of its own: WebAssembly has no threads.
#[cfg(target_family = "wasm")]
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    tokio::spawn(async { work() })
}
