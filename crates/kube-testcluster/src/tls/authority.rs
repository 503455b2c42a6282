//! An authority that lives as long as its process, and what it signs. Upstream: envtest's `TinyCA`.

use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair as PrivateKey,
    KeyUsagePurpose,
};

use super::TlsError;

/// How long a certificate can be used. Some clients refuse one of more than 825 days.
const LASTS: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The clock of a client may be slow.
const SLOW: Duration = Duration::from_secs(60 * 60);

/// A certificate and its private key, in PEM.
#[derive(Clone)]
pub struct KeyPair {
    /// The certificate.
    pub certificate: String,
    /// The private key (PKCS #8).
    pub key: String,
}

impl std::fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyPair").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

/// Signs certificates of servers and of clients. Its own key is never written anywhere.
///
/// ```
/// # use kube_testcluster::{Authority, Cluster, SecureServing};
/// # use std::net::TcpListener;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let authority = Authority::new("test")?;
/// let client = authority.client("admin", Some("system:masters"))?; // for a kubeconfig, with authority.certificate()
/// let serving = SecureServing::new(&authority.server(["localhost", "127.0.0.1"])?)?.client_ca(authority.certificate())?;
///
/// let mut cluster = Cluster::builder().start();
/// let address = cluster.serve_securely(TcpListener::bind("127.0.0.1:0")?, serving)?;
/// # let _ = (client, address);
/// # Ok(())
/// # }
/// ```
pub struct Authority {
    issuer: Issuer<'static, PrivateKey>,
    certificate: String,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Authority {
    /// A new authority of this name.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn new(name: &str) -> Result<Self, TlsError> {
        let key = PrivateKey::generate()?;
        let mut params = of(name, Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages =
            vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment, KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), certificate })
    }

    /// The authority's certificate, in PEM: what others trust.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// The certificate of a server that is reached by these names and addresses.
    ///
    /// # Errors
    /// If a name cannot stand in a certificate.
    pub fn server(&self, names: impl IntoIterator<Item = impl Into<String>>) -> Result<KeyPair, TlsError> {
        let params = of("kube-apiserver", names.into_iter().map(Into::into).collect())?;
        self.signed(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// The certificate of a client: its common name is the user, its organization the group.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn client(&self, user: &str, group: Option<&str>) -> Result<KeyPair, TlsError> {
        let mut params = of(user, Vec::new())?;
        if let Some(group) = group {
            params.distinguished_name.push(DnType::OrganizationName, group);
        }
        self.signed(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn signed(&self, mut params: CertificateParams, usage: ExtendedKeyUsagePurpose) -> Result<KeyPair, TlsError> {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
        params.extended_key_usages = vec![usage];
        params.use_authority_key_identifier_extension = true;
        let key = PrivateKey::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(KeyPair { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}

fn of(name: &str, others: Vec<String>) -> Result<CertificateParams, TlsError> {
    let mut params = CertificateParams::new(others)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now();
    params.not_before = (now - SLOW).into();
    params.not_after = (now + LASTS).into();
    Ok(params)
}
