//! The TLS side of a listener: makes the handshake of each connection with the server's certificate, asks for the
//! client's certificate, and hands the stream and the client's identity to `http/serve.rs`.

use std::io;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;

use super::client_certificate::{Authorities, ClientCertificate, TakeAny};
use super::{KeyPair, TlsError};
use crate::http::serve::Transport;

/// The protocol names of HTTP/2 and HTTP/1.1 in the TLS handshake (ALPN).
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// The response to a client that does not speak TLS, in the words of Go's server.
const NOT_TLS: &[u8] = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

#[derive(Clone)]
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
    /// The authorities of client certificates; `None` if clients are not asked for certificates.
    clients: Option<Authorities>,
}

impl Tls {
    /// Creates the configuration from a certificate (intermediate ones may follow) and its key. If `client_ca` is
    /// given, clients are asked for certificates.
    pub(crate) fn new(pair: &KeyPair, client_ca: Option<&str>) -> Result<Self, TlsError> {
        let chain = certificates(&pair.certificate, "the server's file")?;
        let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).map_err(|why| TlsError::Key(why.to_string()))?;
        let provider = Arc::new(default_provider());
        let clients = client_ca.map(|pem| authorities(pem, provider.clone())).transpose()?;
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(TlsError::Pair)?;
        let config = match &clients {
            Some(clients) => config.with_client_cert_verifier(Arc::new(TakeAny(clients.verifier.clone()))),
            None => config.with_no_client_auth(),
        };
        let mut config = config.with_single_cert(chain, key).map_err(TlsError::Pair)?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), clients })
    }

    /// Makes the TLS handshake. A client that speaks HTTP without TLS gets [`NOT_TLS`].
    async fn accept(&self, mut stream: TcpStream) -> io::Result<(TlsStream<TcpStream>, ClientCertificate)> {
        let mut first = [0];
        if stream.peek(&mut first).await? == 1 && first[0] != HANDSHAKE {
            stream.write_all(NOT_TLS).await?;
            stream.shutdown().await?;
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the client does not speak TLS"));
        }
        let stream = self.acceptor.accept(stream).await?;
        let client = ClientCertificate::of(stream.get_ref().1.peer_certificates(), self.clients.as_ref());
        Ok((stream, client))
    }
}

fn authorities(pem: &str, provider: Arc<CryptoProvider>) -> Result<Authorities, TlsError> {
    let own = certificates(pem, "the file of the authority of clients")?;
    let mut roots = RootCertStore::empty();
    for root in &own {
        roots.add(root.clone()).map_err(|why| TlsError::ClientAuthority(why.to_string()))?;
    }
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
    let verifier = verifier.map_err(|why| TlsError::ClientAuthority(why.to_string()))?;
    Ok(Authorities { own: own.into(), verifier })
}

impl Transport<TcpStream> for Tls {
    type Stream = TlsStream<TcpStream>;
    type Client = ClientCertificate;

    async fn begin(&self, stream: TcpStream) -> io::Result<(Self::Stream, ClientCertificate)> {
        self.accept(stream).await
    }
}

fn certificates(pem: &str, what: &'static str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match read {
        Ok(read) if read.is_empty() => Err(TlsError::Certificate { what, why: "there is none in it".to_owned() }),
        Ok(read) => Ok(read),
        Err(why) => Err(TlsError::Certificate { what, why: why.to_string() }),
    }
}
