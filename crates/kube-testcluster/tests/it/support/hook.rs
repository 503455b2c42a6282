//! A webhook server for tests: it answers over TLS and keeps the requests that it got.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_testcluster::{Authority, KeyPair};
use rcgen::{CertificateParams, date_time_ymd};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

type Decide = dyn Fn(&Value) -> Value + Send + Sync;

pub struct Hook {
    address: SocketAddr,
    authority: Authority,
    /// The certificate that the webhook serves.
    certificate: String,
    state: Arc<HookState>,
}

struct HookState {
    requests: Mutex<Vec<Value>>,
    /// The number of requests so far.
    count: watch::Sender<usize>,
    /// True while the answers are held back.
    held: watch::Sender<bool>,
    /// Makes the response to a request.
    decide: Box<Decide>,
}

/// A guard that holds back the webhook's answers until it is opened.
pub struct Held(Arc<HookState>);

impl Held {
    pub fn open(self) {
        self.0.held.send_replace(false);
    }
}

/// Returns a response that allows the request and applies this JSON patch.
pub fn patch(operations: &Value) -> Value {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": STANDARD.encode(operations.to_string())})
}

impl Hook {
    /// Starts a webhook. `decide` makes the response to a request; a response without a uid gets the uid of the
    /// request.
    pub fn start(decide: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let authority = Authority::new("webhooks").unwrap();
        let pair = authority.server(["localhost", "127.0.0.1"]).unwrap();
        Self::serving(authority, &pair, decide)
    }

    /// Starts a webhook with a self-signed certificate that is valid between January 1 of two years. Its clients must
    /// use `pinned_client_config`, because no authority has signed the certificate.
    pub fn self_signed(from: i32, to: i32, decide: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let mut parameters = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(from, 1, 1);
        parameters.not_after = date_time_ymd(to, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap().pem();
        let pair = KeyPair { certificate, key: key.serialize_pem() };
        Self::serving(Authority::new("webhooks").unwrap(), &pair, decide)
    }

    fn serving(authority: Authority, pair: &KeyPair, decide: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        let chain = vec![CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let state = HookState {
            requests: Mutex::default(),
            count: watch::Sender::new(0),
            held: watch::Sender::new(false),
            decide: Box::new(decide),
        };
        let state = Arc::new(state);
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        tokio::spawn(serve(listener, acceptor, state.clone()));
        Self { address, authority, certificate: pair.certificate.clone(), state }
    }

    pub fn client_config(&self) -> Value {
        json!({"url": format!("https://{}/hook", self.address), "caBundle": STANDARD.encode(self.authority.certificate())})
    }

    /// Like `client_config`, with the webhook's own certificate as the CA bundle.
    pub fn pinned_client_config(&self) -> Value {
        json!({"url": format!("https://{}/hook", self.address), "caBundle": STANDARD.encode(&self.certificate)})
    }

    pub fn requests(&self) -> Vec<Value> {
        self.state.requests.lock().unwrap().clone()
    }

    /// Holds back all answers until the returned guard is opened.
    pub fn hold(&self) -> Held {
        self.state.held.send_replace(true);
        Held(self.state.clone())
    }

    pub async fn wait_for_requests(&self, times: usize) {
        self.state.count.subscribe().wait_for(|count| *count >= times).await.unwrap();
    }
}

async fn serve(listener: tokio::net::TcpListener, acceptor: TlsAcceptor, state: Arc<HookState>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, acceptor.clone(), state.clone()));
    }
}

async fn answer(stream: TcpStream, acceptor: TlsAcceptor, state: Arc<HookState>) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return }; // the client does not trust the certificate
    let mut read = Vec::new();
    let body = loop {
        let mut part = [0; 4096];
        let length = stream.read(&mut part).await.unwrap();
        read.extend_from_slice(&part[..length]);
        if let Some(body) = body(&read) {
            break body;
        }
        assert!(length > 0, "the request ends before its body is complete");
    };
    let review: Value = serde_json::from_slice(&body).unwrap();
    let request = &review["request"];
    let mut response = (state.decide)(request);
    if response["uid"].is_null() {
        response["uid"] = request["uid"].clone();
    }
    state.requests.lock().unwrap().push(request.clone());
    state.count.send_modify(|count| *count += 1);
    state.held.subscribe().wait_for(|held| !held).await.unwrap();
    let body = json!({"kind": review["kind"], "apiVersion": review["apiVersion"], "response": response}).to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    let _ = stream.write_all((head + &body).as_bytes()).await; // the client may have closed the connection
    let _ = stream.shutdown().await;
}

/// Returns the body of a request; none while it is incomplete.
fn body(read: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(read);
    let (head, _) = text.split_once("\r\n\r\n")?;
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let length: usize = length.expect("the request has a Content-Length");
    let start = head.len() + 4;
    read.get(start..start + length).map(<[u8]>::to_vec)
}
