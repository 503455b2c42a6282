//! Sends one request to a webhook over TLS, with hyper and rustls. Errors are in the words of Go's `net/http`, because
//! clients see them in the response to their own request.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use http::{Request, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error};

use super::endpoint::WebhookUrl;
use super::response::WebhookResponse;
use super::verifier::Verifier;

/// The longest response, in bytes. Upstream has no limit. One stored object is always shorter, but a conversion may
/// return many.
const LONGEST: usize = 8 * 1024 * 1024;

/// Sends a POST to the webhook at `address`, and returns the response. `target` is the path with its parameters.
pub(super) async fn ask(
    url: &WebhookUrl,
    address: &str,
    ca_bundle: &[u8],
    target: &str,
    body: String,
) -> Result<WebhookResponse, String> {
    let stream = connect(url, address, ca_bundle).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|why| of_http(&why))?;
    let connection = tokio::spawn(connection);
    let request = Request::post(target)
        .header(header::HOST, &url.authority)
        .header(header::ACCEPT, "application/json, */*")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, "kube-apiserver-admission")
        .body(Body::from(body))
        .map_err(|why| why.to_string())?;
    let response = async {
        let response = sender.send_request(request).await.map_err(|why| of_http(&why))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, LONGEST).collect().await.map_err(|why| {
            let too_long = why.is::<LengthLimitError>();
            if too_long { format!("the answer has more than {LONGEST} bytes") } else { "unexpected EOF".to_owned() }
        })?;
        let content_type = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        Ok(WebhookResponse {
            code: head.status.as_u16(),
            content_type: content_type.unwrap_or_default().to_owned(),
            body: body.to_bytes().to_vec(),
        })
    };
    let response = response.await;
    connection.abort(); // each request has its own connection
    response
}

/// Opens a TLS connection, and checks that the certificate is valid for the webhook's host.
async fn connect(url: &WebhookUrl, address: &str, ca_bundle: &[u8]) -> Result<TlsStream<TcpStream>, String> {
    let config = config(ca_bundle)?;
    let name = ServerName::try_from(url.host.clone()).map_err(|why| why.to_string())?;
    let stream = TcpStream::connect(address).await.map_err(|why| of_dial(address, &why))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    stream.map_err(|why| of_handshake(&why, &url.host))
}

/// Returns the TLS settings of a client that trusts the bundle.
fn config(ca_bundle: &[u8]) -> Result<ClientConfig, String> {
    let bundle: Vec<_> = CertificateDer::pem_slice_iter(ca_bundle).flatten().collect();
    if bundle.is_empty() && !ca_bundle.trim_ascii().is_empty() {
        return Err("unable to load root certificates: unable to parse bytes as PEM block".to_owned());
    }
    let provider = Arc::new(default_provider());
    let verifier = Arc::new(Verifier::new(bundle, provider.clone()));
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|why| why.to_string())?.dangerous().with_custom_certificate_verifier(verifier);
    Ok(config.with_no_client_auth())
}

/// Returns Go's message for a connection that cannot be opened.
fn of_dial(address: &str, why: &io::Error) -> String {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    match why.kind() {
        io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        io::ErrorKind::NetworkUnreachable => format!("dial tcp {address}: connect: network is unreachable"),
        io::ErrorKind::HostUnreachable => format!("dial tcp {address}: connect: no route to host"),
        _ if why.to_string().contains("lookup") => format!("dial tcp: lookup {host}: no such host"),
        _ => format!("dial tcp {address}: {why}"),
    }
}

/// Returns Go's message for a failed TLS handshake.
fn of_handshake(why: &io::Error, host: &str) -> String {
    let Some(error) = why.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return if why.kind() == io::ErrorKind::UnexpectedEof { "EOF".to_owned() } else { why.to_string() };
    };
    let unverified = |why: &str| format!("tls: failed to verify certificate: x509: {why}");
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            unverified("certificate signed by unknown authority")
        }
        Error::InvalidCertificate(CertificateError::NotValidForName) => {
            unverified(&format!("certificate is not valid for any names, but wanted to match {host}"))
        }
        Error::InvalidCertificate(CertificateError::NotValidForNameContext { presented, .. }) => {
            unverified(&format!("certificate is valid for {}, not {host}", names(presented)))
        }
        Error::InvalidCertificate(CertificateError::ExpiredContext { time, not_after }) => {
            unverified(&not_now(*time, "after", *not_after))
        }
        Error::InvalidCertificate(CertificateError::NotValidYetContext { time, not_before }) => {
            unverified(&not_now(*time, "before", *not_before))
        }
        Error::InvalidMessage(_) => "http: server gave HTTP response to HTTPS client".to_owned(),
        error => format!("tls: {error}"),
    }
}

/// Returns Go's message for a certificate outside its time. Go: `CertificateInvalidError`, for the reason `Expired`.
fn not_now(now: UnixTime, is: &str, limit: UnixTime) -> String {
    let shown = |time: UnixTime| {
        let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).to_string()
    };
    format!("certificate has expired or is not yet valid: current time {} is {is} {}", shown(now), shown(limit))
}

/// Returns the names in a certificate. rustls shows them with their type: `DnsName("a")`.
fn names(presented: &[String]) -> String {
    let name = |shown: &String| shown.split('"').nth(1).unwrap_or_else(|| inside(shown)).to_owned();
    presented.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the text between the parentheses of a name that rustls shows without quotes; without parentheses, all of it.
fn inside(shown: &str) -> &str {
    shown.split_once('(').map_or(shown, |(_, rest)| rest.trim_end_matches(')'))
}

/// Returns Go's message for a response that breaks off.
fn of_http(why: &hyper::Error) -> String {
    if why.is_incomplete_message() || why.is_closed() { "EOF".to_owned() } else { why.to_string() }
}
