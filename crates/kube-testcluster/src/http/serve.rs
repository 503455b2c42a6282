//! Serves the API on a socket, with HTTP/1.1 or HTTP/2: accepts connections, gives their requests to the router, and
//! ends them at the shutdown. A plain and a TLS listener differ only in their [`Transport`]. The other servers of this
//! project ([`serve_until`]) have the same limits on connections.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::time::Duration;

use axum::Extension;
use axum::middleware::from_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::Layer;

use super::activity::{Activity, IDLE_FOR, Over, follow};
use super::guard::only_for_this_machine;
use super::heavy::SocketThreads;
use super::lingering::{Lingering, Unread};
use super::refusals::StatusOnRefusal;
use super::unread_body::read_the_rest;

/// The longest time for the beginning of a connection, such as the TLS handshake, as upstream.
const BEGUN_WITHIN: Duration = Duration::from_secs(32);

/// The longest time that a request in progress may take after the shutdown began.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The pause after a connection could not be accepted, for example because no file descriptor is free.
const PAUSE: Duration = Duration::from_millis(50);

/// A running HTTP server. Dropping it ends the server.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stop: DropGuard,
    task: JoinHandle<()>,
}

/// A socket that accepts connections.
pub trait Listener: Send + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Accepts the next connection. If the future is dropped, no connection is lost.
    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Listener for tokio::net::TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.accept().await?;
        // Turns Nagle's algorithm off: responses and events are written in one piece, so waiting for more data would
        // only delay them.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

#[cfg(unix)]
impl Listener for tokio::net::UnixListener {
    type Stream = tokio::net::UnixStream;

    async fn accept(&self) -> io::Result<Self::Stream> {
        self.accept().await.map(|(stream, _)| stream)
    }
}

/// The beginning of a connection: unencrypted or TLS.
pub(crate) trait Transport<S>: Clone + Send + Sync + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;
    /// The client's identity from the handshake, such as its certificate. Each of its requests carries it as an
    /// extension.
    type Client: Clone + Send + Sync + 'static;

    /// Begins a connection, for example with a TLS handshake.
    fn begin(&self, stream: S) -> impl Future<Output = io::Result<(Self::Stream, Self::Client)>> + Send;
}

/// A transport without encryption and without the client's identity.
#[derive(Clone, Copy, Debug)]
struct Plain;

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport<S> for Plain {
    type Stream = S;
    type Client = ();

    async fn begin(&self, stream: S) -> io::Result<(S, ())> {
        Ok((stream, ()))
    }
}

/// Serves a router without authentication until `stop` ends, with the limits on connections of
/// [`Cluster::serve`](crate::Cluster::serve). A request gets 403 if its `Host` is not this machine, or if a web page of
/// another host has sent it. Requests in progress at `stop` have a second to end.
///
/// The listener must be a loopback listener. This function does not check that.
///
/// The other servers of this project use this function, because `axum::serve` keeps the connection of a silent client
/// for ever.
pub async fn serve_until(router: axum::Router, listener: impl Listener, stop: impl Future<Output = ()> + Send) {
    accept(Plain, limited(only_for_this_machine(router)), listener, stop).await;
}

impl Server {
    /// Serves `router` on a loopback listener, without authentication.
    /// Refuses a listener that other machines can reach, since there is no authentication.
    pub(crate) fn start(router: axum::Router, listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() {
            let why = format!("{address} can be reached from other machines, and there is no authentication");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Self::start_with(Plain, only_for_this_machine(router), listener)
    }

    /// Serves `router` on any listener. The router must authenticate requests itself.
    pub(crate) fn start_with(
        transport: impl Transport<TcpStream>,
        router: axum::Router,
        listener: TcpListener,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = limited(router).layer(Extension(threads()));
        let stop = CancellationToken::new();
        let task = tokio::spawn(accept(transport, router, listener, stop.clone().cancelled_owned()));
        Ok(Self { address, stop: stop.drop_guard(), task })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting connections, and waits up to a second for requests in progress.
    pub(crate) async fn shutdown(self) {
        drop(self.stop);
        // A panic of the server has been reported already.
        let _ = self.task.await;
    }
}

/// Limits the time of each request's body and answer.
fn limited(router: axum::Router) -> axum::Router {
    router.layer(from_fn(read_the_rest)).layer(from_fn(follow))
}

/// Accepts connections until `stop` ends, and then ends the open ones.
async fn accept<L: Listener>(
    transport: impl Transport<L::Stream>,
    router: axum::Router,
    listener: L,
    stop: impl Future<Output = ()> + Send,
) {
    let connections = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = tasks.join_next() => continue, // frees the tasks of closed connections
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok(stream) => {
                drop(tasks.spawn(connection(transport.clone(), router.clone(), stream, connections.watcher())));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(LAST_ANSWERS, connections.shutdown()).await.is_err() {
        tracing::debug!("some connections did not end by themselves");
    }
    tasks.shutdown().await; // when this returns, no connection holds the router any more
}

fn threads() -> SocketThreads {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => SocketThreads::One,
        _ => SocketThreads::Several,
    }
}

/// Serves one connection until it ends, has had no request for too long, or has a client that does not read an answer.
async fn connection<S>(transport: impl Transport<S>, router: axum::Router, stream: S, shutdown: Watcher) {
    let (stream, client) = match tokio::time::timeout(BEGUN_WITHIN, transport.begin(stream)).await {
        Ok(Ok(begun)) => begun,
        Ok(Err(error)) => return tracing::debug!(%error, "a connection did not begin"),
        Err(_) => return tracing::debug!("a connection took too long to begin"),
    };
    let (unread, activity) = (Unread::default(), Activity::begin());
    let extensions = (Extension(client), Extension(unread.clone()), Extension(activity.clone()));
    let service = TowerToHyperService::new(extensions.layer(router));
    let mut http = Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(IDLE_FOR);
    http.http2().timer(TokioTimer::new());
    let stream = StatusOnRefusal::new(Lingering::new(stream, unread.clone()), unread);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        ended = shutdown.watch(connection.into_owned()) => {
            if let Err(error) = ended {
                tracing::debug!(error, "a connection ended early");
            }
        }
        over = activity.over() => match over {
            Over::Idle => tracing::debug!("a connection without a request was closed"),
            Over::Unread => tracing::info!("a connection was closed whose client did not read an answer"),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncWriteExt;
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn after_the_shutdown_no_connection_holds_the_router() {
        let held = Arc::new(Notify::new());
        let entered = held.clone();
        let router = axum::Router::new().fallback(move || {
            let entered = entered.clone();
            async move {
                entered.notify_one();
                std::future::pending::<()>().await;
            }
        });
        let server = Server::start(router, TcpListener::bind("127.0.0.1:0").unwrap()).unwrap();
        let mut client = TcpStream::connect(server.address()).await.unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        held.notified().await;
        tokio::time::pause();
        server.shutdown().await;
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
