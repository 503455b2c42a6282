//! A certificate authority for tests: makes the certificates that a TLS listener and its clients need. Its key can be
//! kept in a folder, so that kubeconfigs stay valid when a cluster starts again. Upstream: envtest's `TinyCA`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair as PrivateKey,
    KeyUsagePurpose,
};

use super::TlsError;
use crate::private_file::create_private;
use crate::sync_directory::sync_directory;

/// The validity of a certificate. Some clients refuse more than 825 days.
const LASTS: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The last second of the year 9999, counted from 1970. No certificate can name a later time.
const LAST_TIME: Duration = Duration::from_secs(253_402_300_799);
/// Certificates are valid from this long ago, because the clock of a client may be slow.
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

/// The file in a folder that holds the private key of a kept authority.
const KEPT: &str = "authority.key";

/// A certificate authority that signs certificates of servers and of clients. Its own key is only in memory, unless it
/// is [kept](Self::kept_in) in a folder.
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
    /// The identifier of the key, which the certificates that it signs name.
    key_identifier: Vec<u8>,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Authority {
    /// Creates a new authority with this name.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn new(name: &str) -> Result<Self, TlsError> {
        Self::of_key(name, PrivateKey::generate()?)
    }

    /// Opens the authority with this name whose key is in the file `authority.key` of a folder. The first call creates
    /// the file, which only its owner may read. Certificates that the authority has signed stay valid for every later
    /// cluster that uses it, because the key and the name stay the same. With the folder of
    /// [`start_in`](crate::ClusterBuilder::start_in), call this after the start, so that no other cluster uses the
    /// folder.
    ///
    /// # Errors
    /// If the file cannot be read or written, if it has no key, or if the system has no randomness.
    pub fn kept_in(folder: impl AsRef<Path>, name: &str) -> Result<Self, TlsError> {
        let path = folder.as_ref().join(KEPT);
        let kept = |why| TlsError::Kept { path: path.clone(), why };
        match fs::read_to_string(&path) {
            Ok(pem) => {
                let unreadable = |why| TlsError::Key(format!("{}: {why}", path.display()));
                Self::of_key(name, PrivateKey::from_pem(&pem).map_err(unreadable)?)
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                let key = PrivateKey::generate()?;
                write_secret(&path, &key.serialize_pem()).map_err(kept)?;
                Self::of_key(name, key)
            }
            Err(why) => Err(kept(why)),
        }
    }

    fn of_key(name: &str, key: PrivateKey) -> Result<Self, TlsError> {
        let mut params = params(name, Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages =
            vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment, KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key)?.pem();
        let key_identifier = params.key_identifier(&key);
        Ok(Self { issuer: Issuer::new(params, key), certificate, key_identifier })
    }

    /// Returns the authority's certificate in PEM, for clients and servers that trust the authority.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns a secret that is derived from the authority's key and lasts as long. It is for keys that must stay the
    /// same in later clusters, such as [`service_account_key`](crate::SecureServing::service_account_key).
    pub fn secret(&self) -> Vec<u8> {
        let pem = self.issuer.key().serialize_pem();
        ring::digest::digest(&ring::digest::SHA256, pem.as_bytes()).as_ref().to_vec()
    }

    pub(super) fn key(&self) -> &PrivateKey {
        self.issuer.key()
    }

    pub(super) fn key_identifier(&self) -> &[u8] {
        &self.key_identifier
    }

    /// Signs the certificate of a server with these names and addresses.
    ///
    /// # Errors
    /// If a name cannot stand in a certificate.
    pub fn server(&self, names: impl IntoIterator<Item = impl Into<String>>) -> Result<KeyPair, TlsError> {
        let params = params("kube-apiserver", names.into_iter().map(Into::into).collect())?;
        self.signed(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// Signs the certificate of a client: its common name is the user, its organization the group.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn client(&self, user: &str, group: Option<&str>) -> Result<KeyPair, TlsError> {
        let mut params = params(user, Vec::new())?;
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

/// Writes a file that only its owner may read, completely or not at all.
fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension("part");
    let mut file = create_private(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(unfinished, path)?;
    path.parent().map_or(Ok(()), sync_directory)
}

/// Returns the parameters of a certificate with this common name. `others` are the other names that it is valid for.
fn params(name: &str, others: Vec<String>) -> Result<CertificateParams, TlsError> {
    let mut params = CertificateParams::new(others)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let (from, until) = validity(SystemTime::now());
    (params.not_before, params.not_after) = (from.into(), until.into());
    Ok(params)
}

/// Returns the validity of a certificate that is made at a time, within the years that a certificate can name.
fn validity(now: SystemTime) -> (SystemTime, SystemTime) {
    let last = SystemTime::UNIX_EPOCH + LAST_TIME;
    let from = now.checked_sub(SLOW).unwrap_or(now);
    (from.min(last), now.checked_add(LASTS).map_or(last, |until| until.min(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_of_the_last_year_is_valid_until_its_end() {
        let second = Duration::from_secs(1);
        let last = SystemTime::UNIX_EPOCH + LAST_TIME;
        for now in [last - LASTS, last - LASTS + second, last - second, last, last + LASTS] {
            let (from, until) = validity(now);
            assert!(from <= until && until <= last, "{from:?} {until:?}");
            let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
            (params.not_before, params.not_after) = (from.into(), until.into());
            params.self_signed(&PrivateKey::generate().unwrap()).unwrap();
        }
    }
}
