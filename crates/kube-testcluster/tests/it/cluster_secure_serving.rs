//! Tests `Cluster::serve_securely` over real TLS connections: authentication by client certificate and token, and the
//! answers to clients without valid credentials.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use kube_testcluster::{Authority, Cluster, ClusterBuilder, KeyPair, SecureServing, User};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A TLS server that accepts client certificates of its authority and two tokens.
pub struct Served {
    pub cluster: Cluster,
    pub address: SocketAddr,
    authority: Arc<Authority>,
}

impl Served {
    pub fn start() -> Self {
        Self::with(Cluster::builder().started_at("2024-01-01T00:00:00Z".parse().unwrap()).bare())
    }

    pub fn with(cluster: ClusterBuilder) -> Self {
        Self::of(cluster.start())
    }

    /// Serves this cluster. The authority also signs the requests of clients.
    pub fn of(mut cluster: Cluster) -> Self {
        let authority = Arc::new(Authority::new("test").unwrap());
        let server = authority.server(["localhost", "127.0.0.1"]).unwrap();
        let serving = SecureServing::new(&server).unwrap().client_ca(authority.certificate()).unwrap();
        let serving =
            serving.token("secret", User::new("ada", ["writers"])).token_file("other,bob,7,\"a,b\"\n").unwrap();
        let serving = serving.signer(authority.clone());
        let address = cluster.serve_securely(TcpListener::bind("127.0.0.1:0").unwrap(), serving).unwrap();
        Self { cluster, address, authority }
    }

    /// Serves the cluster once more, with another authority.
    pub fn and_with_another_authority(self) -> Self {
        let Self { cluster, address, authority } = self;
        Self { cluster: Self::of(cluster).cluster, address, authority }
    }

    /// Opens a connection with this client certificate.
    pub async fn connected(&self, client: Option<&KeyPair>) -> TlsStream<TcpStream> {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.authority.certificate().as_bytes()).unwrap()).unwrap();
        let config = config.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        let config = match client {
            None => config.with_no_client_auth(),
            Some(pair) => {
                let chain = vec![CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap()];
                let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
                config.with_client_auth_cert(chain, key).unwrap()
            }
        };
        let stream = TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
    }

    /// Sends a request over a new connection, with this client certificate. `head` is the request line, and may have
    /// headers after it.
    async fn ask(&self, client: Option<&KeyPair>, head: &str, body: &str) -> (u16, Value) {
        let mut stream = self.connected(client).await;
        let length = body.len();
        // A listener with TLS serves under any host name.
        let request = format!(
            "{head}\r\nhost: a.name.of.its.own\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        answer(&mut stream).await
    }

    async fn get(&self, client: Option<&KeyPair>, path: &str) -> (u16, Value) {
        self.ask(client, &format!("GET {path} HTTP/1.1"), "").await
    }

    async fn with_token(&self, token: &str, path: &str) -> (u16, Value) {
        self.ask(None, &format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {token}"), "").await
    }

    /// Returns the user that the server recognizes by this certificate or token.
    pub async fn user_info(&self, client: Option<&KeyPair>, token: Option<&str>) -> Value {
        let header = token.map(|token| format!("\r\nauthorization: bearer {token}")).unwrap_or_default();
        let head = format!("POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1{header}");
        let review = json!({"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"});
        self.ask(client, &head, &review.to_string()).await.1["status"]["userInfo"].clone()
    }
}

/// Returns the status and the body of an answer. A body that is not JSON becomes a JSON string.
async fn answer(stream: &mut (impl AsyncReadExt + Unpin)) -> (u16, Value) {
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text).await; // some connections end without a TLS close
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|_| json!(body)))
}

const PODS: &str = "/api/v1/namespaces/default/pods";

#[tokio::test]
async fn a_client_certificate_authenticates_its_user_and_group() {
    let served = Served::start();
    let admin = served.authority.client("admin", Some("system:masters")).unwrap();
    assert_eq!(served.get(Some(&admin), PODS).await.0, 200);
    let user = served.user_info(Some(&admin), None).await;
    assert_eq!(user["username"], "admin");
    assert_eq!(user["groups"], json!(["system:masters", "system:authenticated"]));
    let id = user["extra"]["authentication.kubernetes.io/credential-id"][0].as_str().unwrap();
    assert!(id.starts_with("X509SHA256=") && id.len() == 75, "{id}");
}

#[tokio::test]
async fn anonymous_clients_may_only_read_health_and_version() {
    let served = Served::start();
    for path in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(served.get(None, path).await, (200, json!("ok")), "{path}");
    }
    assert_eq!(served.get(None, "/version").await.0, 200);
    let (status, refused) = served.get(None, PODS).await;
    assert_eq!((status, &refused["reason"]), (403, &json!("Forbidden")));
    let why = "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"";
    assert_eq!(refused["message"], why);
    let (status, refused) = served.get(None, "/apis").await;
    assert_eq!(
        (status, &refused["message"]),
        (403, &json!("forbidden: User \"system:anonymous\" cannot get path \"/apis\""))
    );
}

#[tokio::test]
async fn an_invalid_credential_is_refused_per_request_and_does_not_fail_the_handshake() {
    let served = Served::start();
    let stranger = Authority::new("another").unwrap().client("admin", Some("system:masters")).unwrap();
    let (status, refused) = served.get(Some(&stranger), "/healthz").await;
    assert_eq!((status, &refused["message"]), (401, &json!("Unauthorized")));
    assert_eq!(served.with_token("wrong", "/healthz").await.0, 401);
    assert_eq!(
        served.user_info(Some(&stranger), Some("secret")).await["username"],
        "ada",
        "a valid token counts even beside an invalid certificate"
    );
}

/// Starts a cluster in a folder, with the authority that is kept there.
fn kept(folder: &Path) -> Served {
    let mut cluster = Cluster::builder().bare().start_in(folder).unwrap();
    let authority = Authority::kept_in(folder, "test").unwrap();
    let serving = SecureServing::new(&authority.server(["localhost"]).unwrap()).unwrap();
    let serving = serving.client_ca(authority.certificate()).unwrap().service_account_key(authority.secret());
    let address = cluster.serve_securely(TcpListener::bind("127.0.0.1:0").unwrap(), serving).unwrap();
    Served { cluster, address, authority: authority.into() }
}

#[tokio::test]
async fn certificates_and_tokens_stay_valid_when_a_cluster_is_restarted_from_its_folder() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept-authority");
    let _ = std::fs::remove_dir_all(&folder); // left by an earlier run that failed
    let first = kept(&folder);
    let admin = first.authority.client("admin", Some("system:masters")).unwrap();
    let account = r#"{"metadata": {"name": "robot"}}"#;
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert_eq!(first.ask(Some(&admin), &format!("POST {accounts} HTTP/1.1"), account).await.0, 201);
    let path = format!("POST {accounts}/robot/token HTTP/1.1");
    let token = first.ask(Some(&admin), &path, r#"{"spec": {}}"#).await.1["status"]["token"].clone();
    first.cluster.shutdown().await;

    let Served { cluster, address, authority } = kept(&folder);
    assert_ne!(authority.certificate(), first.authority.certificate(), "each start makes a new authority certificate");
    // The client trusts the first certificate, as an old kubeconfig does.
    let second = Served { cluster, address, authority: first.authority };
    assert_eq!(second.user_info(Some(&admin), None).await["username"], "admin");
    assert_eq!(second.user_info(None, token.as_str()).await["username"], "system:serviceaccount:default:robot");
    second.cluster.shutdown().await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = std::fs::metadata(folder.join("authority.key")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600, "only the owner may read the key");
    }
    std::fs::write(folder.join("authority.key"), "no key").unwrap();
    let error = Authority::kept_in(&folder, "test").unwrap_err().to_string();
    assert!(error.starts_with("the private key cannot be read: ") && error.contains("authority.key"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_server_certificate_cannot_be_used_as_a_client_certificate() {
    let served = Served::start();
    let server = served.authority.server(["localhost"]).unwrap();
    assert_eq!(served.get(Some(&server), PODS).await.0, 401);
}

#[tokio::test]
async fn a_token_authenticates_its_user_and_groups() {
    let served = Served::start();
    assert_eq!(served.with_token("secret", PODS).await.0, 200);
    let groups = json!(["writers", "system:authenticated"]);
    assert_eq!(served.user_info(None, Some("secret")).await, json!({"username": "ada", "groups": groups}));
    let groups = json!(["a", "b", "system:authenticated"]);
    assert_eq!(served.user_info(None, Some("other")).await, json!({"username": "bob", "uid": "7", "groups": groups}));
}

#[tokio::test]
async fn a_service_account_token_is_accepted_unless_it_is_forged_or_for_another_audience() {
    let served = Served::start();
    let admin = served.authority.client("admin", None).unwrap();
    let accounts = "POST /api/v1/namespaces/default/serviceaccounts";
    let made = served.ask(Some(&admin), &format!("{accounts} HTTP/1.1"), r#"{"metadata": {"name": "robot"}}"#).await;
    assert_eq!(made.0, 201, "{}", made.1);
    let asked = served.ask(Some(&admin), &format!("{accounts}/robot/token HTTP/1.1"), "{}").await.1;
    let token = asked["status"]["token"].as_str().unwrap();
    assert_eq!(served.with_token(token, PODS).await.0, 200);
    assert_eq!(served.user_info(None, Some(token)).await["username"], "system:serviceaccount:default:robot");
    let (rest, signature) = token.rsplit_once('.').unwrap();
    let flipped = if signature.starts_with('A') { "B" } else { "A" };
    assert_eq!(served.with_token(&format!("{rest}.{flipped}{}", &signature[1..]), PODS).await.0, 401);
    let audience = r#"{"spec": {"audiences": ["vault"]}}"#;
    let asked = served.ask(Some(&admin), &format!("{accounts}/robot/token HTTP/1.1"), audience).await.1;
    assert_eq!(
        served.with_token(asked["status"]["token"].as_str().unwrap(), PODS).await.0,
        401,
        "the token is for another audience"
    );
}

/// A certificate signing request for `jane`: PEM, encoded as base64.
const REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQk9TaXJMSjB1TDVuOGpySTEzNy9nNkUvZExqRmNJNGlNV2M3ZlhlNllVbUplU24yWHd3UkU1US93SXVTCjBLdXd4OHJpdDgyc2luU0pKQTllK0VCTzM4eWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBbnZKMUwvdjYKeVI1MTJzRnZsdmhmWERIc1FhcGlENzNDM0R0L3o4ZHF2aklDSUdrSFNHRThaM1hWYUhNRUpPM2cxWVN6TE9mWgpQWmRiSU0zR0QrQ2EwZmRtCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

#[tokio::test]
async fn a_certificate_signing_request_records_the_authenticated_user() {
    let served = Served::start();
    let path = "POST /apis/certificates.k8s.io/v1/certificatesigningrequests HTTP/1.1\r\nauthorization: bearer secret";
    let asked = json!({"metadata": {"name": "a"}, "spec": {
        "request": REQUEST, "signerName": "example.com/a", "usages": ["client auth"], "username": "root", "uid": "0",
    }});
    let (status, made) = served.ask(None, path, &asked.to_string()).await;
    assert_eq!(status, 201, "{made}");
    assert_eq!((&made["spec"]["username"], &made["spec"]["uid"]), (&json!("ada"), &Value::Null));
    assert_eq!(made["spec"]["groups"], json!(["writers", "system:authenticated"]));
}

#[tokio::test]
async fn a_cross_origin_request_is_refused_even_with_valid_credentials() {
    let served = Served::start();
    let admin = served.authority.client("admin", None).unwrap();
    for (header, status) in [
        ("origin: https://evil.example", 403),
        ("origin: https://a.name.of.its.own\r\norigin: https://evil.example", 403),
        ("origin: https://a.name.of.its.own", 200),
        ("sec-fetch-site: cross-site", 403),
        ("sec-fetch-site: same-site", 403), // another host of the site
        ("sec-fetch-site: same-origin", 200),
    ] {
        let head = format!("GET {PODS} HTTP/1.1\r\n{header}");
        assert_eq!(served.ask(Some(&admin), &head, "").await.0, status, "{header}");
    }
}

#[tokio::test]
async fn plain_http_is_answered_with_a_hint_to_use_tls() {
    let served = Served::start();
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(answer(&mut stream).await, (400, json!("Client sent an HTTP request to an HTTPS server.\n")));
    assert_eq!(served.get(None, "/healthz").await.0, 200, "the next connection is served");
    served.cluster.shutdown().await;
}

#[test]
fn malformed_certificates_and_keys_are_refused() {
    let authority = Authority::new("test").unwrap();
    let (one, other) = (authority.server(["localhost"]).unwrap(), authority.server(["localhost"]).unwrap());
    let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let pairs = [
        KeyPair { certificate: String::new(), ..one.clone() },
        KeyPair { certificate: text.to_owned(), ..one.clone() },
        KeyPair { key: String::new(), ..one.clone() },
        KeyPair { key: other.key, ..one.clone() },
    ];
    for pair in pairs {
        assert!(SecureServing::new(&pair).is_err(), "{}", pair.certificate);
    }
    for authorities in ["", text] {
        assert!(SecureServing::new(&one).unwrap().client_ca(authorities).is_err());
    }
}
