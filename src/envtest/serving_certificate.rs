//! The certificate that `kube-apiserver` serves with: given by flags, found in `--cert-dir`, or newly signed.
//! Upstream: `SecureServingOptions.MaybeDefaultWithSelfSignedCerts`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use kube_testcluster::{Authority, KeyPair};

use super::flags::Flags;
use crate::trace::Failure;

/// The default of `--cert-dir`, as upstream. Used only if it is writable.
const DEFAULT_DIR: &str = "/var/run/kubernetes";

/// Returns the certificate and key that the flags name; else the pair in `--cert-dir`, which is made if both files are
/// missing. `names` are the host names and addresses of a new certificate.
pub(super) fn load(flags: &Flags, names: &[String]) -> Result<KeyPair> {
    if let (Some(certificate), Some(key)) = (flags.get("tls-cert-file"), flags.get("tls-private-key-file")) {
        return Ok(KeyPair { certificate: text(certificate.as_ref())?, key: text(key.as_ref())? });
    }
    let folder = flags.get("cert-dir").unwrap_or(DEFAULT_DIR);
    let (certificate, key) = (PathBuf::from(folder).join("apiserver.crt"), PathBuf::from(folder).join("apiserver.key"));
    if certificate.exists() || key.exists() {
        return Ok(KeyPair { certificate: text(&certificate)?, key: text(&key)? });
    }
    let authority = Authority::new("informer-lab")?;
    let mut pair = authority.server(names)?;
    // As upstream, the file has the certificate and then the authority's.
    pair.certificate.push_str(authority.certificate());
    let written = fs::create_dir_all(folder)
        .and_then(|()| write(&certificate, &pair.certificate))
        .and_then(|()| write(&key, &pair.key));
    match written {
        // The default folder need not be writable.
        Err(error) if flags.get("cert-dir").is_some() => Err(cannot("write", "写入", folder.as_ref(), error).into()),
        _ => Ok(pair),
    }
}

pub(super) fn text(path: &Path) -> Result<String> {
    Ok(fs::read_to_string(path).map_err(|error| cannot("read", "读取", path, error))?)
}

fn cannot(en: &str, zh: &str, path: &Path, error: io::Error) -> Failure {
    let shown = path.display();
    Failure::new((format!("cannot {en} {shown}"), format!("无法{zh} {shown}"))).because(error)
}

/// Writes a new file that only its owner can read.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
