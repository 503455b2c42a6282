//! Writes the kubeconfig of a built-in cluster that listens, for programs of the same user. It never touches
//! `~/.kube`, or a file with content that this program has not written.
//!
//! On Windows the folder's permissions apply to the file; a temporary folder lies in its owner's profile.

mod leftovers;

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::ByteString;

use self::leftovers::remove_leftovers;
use crate::trace::Failure;

/// The first line of every kubeconfig of this program. A file with other content is never overwritten.
const MARK: &str = "# Written by informer-lab, for a cluster that lives as long as its process.\n";

/// The beginning of the name of a temporary directory. 16 digits follow.
const TEMPORARY: &str = "informer-lab-";

#[derive(Debug)]
pub(crate) struct KubeconfigFile {
    path: PathBuf,
    /// The directory that was created for a temporary kubeconfig, and is removed with it; `None` for a file that the
    /// user named.
    temporary: Option<PathBuf>,
}

/// The credentials of a client at a cluster with TLS, in PEM.
#[derive(Debug)]
pub(crate) struct Credentials {
    /// The certificate of the authority that signed the server's certificate.
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl KubeconfigFile {
    /// Writes the kubeconfig of the cluster at `address` to `file`, or to a new temporary directory.
    ///
    /// # Errors
    /// The file cannot be written, was not written by this program, or is in `~/.kube`.
    pub(crate) fn write(address: SocketAddr, file: Option<&Path>) -> Result<Self> {
        Self::write_with(address, None, file)
    }

    /// The same as [`write`](Self::write), for a cluster with TLS if there are credentials.
    ///
    /// # Errors
    /// The same as [`write`](Self::write).
    pub(crate) fn write_with(
        address: SocketAddr,
        credentials: Option<&Credentials>,
        file: Option<&Path>,
    ) -> Result<Self> {
        let content = content(address, credentials);
        match file {
            Some(path) => {
                check(path, address)?;
                replace(path, &content).map_err(|error| failure(path, error))?;
                Ok(Self { path: path.to_owned(), temporary: None })
            }
            None => {
                remove_leftovers(&env::temp_dir());
                let directory = env::temp_dir().join(format!("{TEMPORARY}{:016x}", fastrand::u64(..)));
                make_private(&directory).map_err(|error| failure(&directory, error))?;
                let path = directory.join("kubeconfig");
                let made = Self { path, temporary: Some(directory) };
                create(&made.path)
                    .and_then(|mut file| file.write_all(content.as_bytes()))
                    .map_err(|error| failure(&made.path, error))?;
                Ok(made)
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the file is removed with its cluster.
    #[cfg(unix)]
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// Names a file that a test has made.
    #[cfg(test)]
    pub(super) fn of_test(path: &Path) -> Self {
        Self { path: path.to_owned(), temporary: None }
    }

    /// Returns the command that sets KUBECONFIG in another terminal.
    pub(crate) fn export(&self) -> String {
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let path = path.display().to_string();
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%".contains(c);
        if cfg!(windows) {
            format!("$env:KUBECONFIG = '{}'", path.replace('\'', "''"))
        } else if path.chars().all(plain) {
            format!("export KUBECONFIG={path}")
        } else {
            format!("export KUBECONFIG='{}'", path.replace('\'', r"'\''"))
        }
    }
}

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        if let Some(directory) = &self.temporary {
            // The user may have removed the files already.
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_dir(directory);
        }
    }
}

/// Returns the kubeconfig's text. Without TLS it has `insecure-skip-tls-verify`, because the JavaScript client refuses
/// an HTTP server otherwise.
fn content(address: SocketAddr, credentials: Option<&Credentials>) -> String {
    let (scheme, trust, user) = match credentials {
        None => ("http", "insecure-skip-tls-verify: true".to_owned(), "  user: {}".to_owned()),
        Some(Credentials { authority, certificate, key }) => (
            "https",
            format!("certificate-authority-data: {}", base64(authority)),
            format!(
                "  user:\n    client-certificate-data: {}\n    client-key-data: {}",
                base64(certificate),
                base64(key)
            ),
        ),
    };
    format!(
        "{MARK}apiVersion: v1\nkind: Config\n\
         clusters:\n- name: informer-lab\n  cluster:\n    server: {scheme}://{address}\n    {trust}\n\
         contexts:\n- name: informer-lab\n  context:\n    cluster: informer-lab\n    user: informer-lab\n    namespace: default\n\
         users:\n- name: informer-lab\n{user}\n\
         current-context: informer-lab\n"
    )
}

/// Encodes a text as base64, which is the JSON form of a `ByteString`.
fn base64(text: &str) -> String {
    let bytes = serde_json::to_value(ByteString(text.into()));
    bytes.ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

/// Refuses a file that must not be overwritten. The kubeconfig of an earlier cluster at our own address `ours` may be
/// overwritten, because that cluster is gone.
fn check(path: &Path, ours: SocketAddr) -> Result<()> {
    let shown = path.display();
    let directory = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned));
    let directory = directory.map(|directory| directory.canonicalize().unwrap_or(directory));
    let dot_kube = env::home_dir().map(|home| home.join(".kube"));
    let dot_kube = dot_kube.map(|dot_kube| dot_kube.canonicalize().unwrap_or(dot_kube));
    if let (Some(directory), Some(dot_kube)) = (directory, dot_kube)
        && directory.starts_with(dot_kube)
    {
        return Err(Failure::new((
            format!("{shown} is in ~/.kube, and this program never writes there"),
            format!("{shown} 在 ~/.kube 里，本程序从不往那里写"),
        ))
        .next((
            "choose a file elsewhere, such as --kubeconfig-out ./kubeconfig",
            "请指定别处的文件，例如 --kubeconfig-out ./kubeconfig",
        ))
        .into());
    }
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(Failure::new((
            format!("{shown} exists already, and is not a file"),
            format!("{shown} 已经存在，而且不是文件"),
        ))
        .next((
            "choose a file, such as --kubeconfig-out ./kubeconfig",
            "请指定一个文件，例如 --kubeconfig-out ./kubeconfig",
        ))
        .into());
    }
    match fs::read(path) {
        Ok(found) if found.is_empty() => Ok(()),
        Ok(found) if found.starts_with(MARK.as_bytes()) => {
            match server(&found).filter(|&address| address != ours && answers(address)) {
                Some(address) => Err(Failure::new((
                    format!("{shown} belongs to the cluster that runs at {address}"),
                    format!("{shown} 属于正在 {address} 运行的集群"),
                ))
                .next(("choose another file, or stop that cluster", "请换一个文件，或停止那个集群"))
                .into()),
                None => Ok(()),
            }
        }
        Ok(_) => Err(Failure::new((
            format!("{shown} exists already, and was not written by informer-lab"),
            format!("{shown} 已经存在，而且不是 informer-lab 写的"),
        ))
        .next(("choose another file, or move this one away", "请换一个文件，或移走这个文件"))
        .into()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failure(path, error).into()),
    }
}

/// Returns the server's address in a kubeconfig.
fn server(found: &[u8]) -> Option<SocketAddr> {
    let line = std::str::from_utf8(found).ok()?.lines().find_map(|line| line.trim().strip_prefix("server: "))?;
    line.strip_prefix("http://").or_else(|| line.strip_prefix("https://"))?.parse().ok()
}

fn answers(address: SocketAddr) -> bool {
    const AT_ONCE: Duration = Duration::from_millis(200);
    TcpStream::connect_timeout(&address, AT_ONCE).is_ok()
}

fn failure(path: &Path, error: io::Error) -> Failure {
    let failure = Failure::new((
        format!("cannot write the kubeconfig {}", path.display()),
        format!("无法写入 kubeconfig {}", path.display()),
    ));
    failure
        .next(("choose a file in a directory that exists and is writable", "请选一个存在而且可写的目录"))
        .because(error)
}

/// Replaces the file atomically, so a reader never sees half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().ok_or(ErrorKind::IsADirectory)?.to_owned();
    name.push(format!(".{:016x}", fastrand::u64(..)));
    let beside = path.with_file_name(name);
    let written = create(&beside).and_then(|mut file| file.write_all(text.as_bytes()));
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// Creates a file that only its owner can read.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a directory that only its owner can enter.
fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path);
    #[cfg(not(unix))]
    return fs::create_dir(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn address() -> SocketAddr {
        "127.0.0.1:4321".parse().unwrap()
    }

    #[test]
    fn a_temporary_kubeconfig_is_private_and_removed_with_its_cluster() {
        let file = KubeconfigFile::write(address(), None).unwrap();
        let path = file.path().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("server: http://127.0.0.1:4321\n    insecure-skip-tls-verify: true\n"), "{text}");
        assert_eq!(file.export(), format!("export KUBECONFIG={}", path.display()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
        drop(file);
        assert!(!path.parent().unwrap().exists());
    }

    #[test]
    fn a_named_file_is_replaced_if_it_is_ours_and_stays() {
        let directory = KubeconfigFile::write(address(), None).unwrap(); // its temporary directory holds the files of this test
        let path = directory.path().with_file_name("it's mine");
        KubeconfigFile::write(address(), Some(&path)).unwrap();
        let again = KubeconfigFile::write("[::1]:5".parse().unwrap(), Some(&path)).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("http://[::1]:5\n"));
        assert!(again.export().ends_with(r"it'\''s mine'"), "{}", again.export());
        drop(again);

        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let other = listener.local_addr().unwrap();
        KubeconfigFile::write(other, Some(&path)).unwrap();
        let refused = KubeconfigFile::write(address(), Some(&path)).unwrap_err().to_string();
        assert!(refused.contains(&format!("belongs to the cluster that runs at {other}")), "{refused}");
        KubeconfigFile::write(other, Some(&path)).unwrap(); // a cluster that restarts at the same address may replace its own file
        drop(listener);

        fs::write(&path, "apiVersion: v1\n").unwrap();
        let refused = KubeconfigFile::write(address(), Some(&path)).unwrap_err().to_string();
        assert!(refused.contains("was not written by informer-lab"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "apiVersion: v1\n");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn nothing_is_written_to_the_users_kube_directory() {
        let Some(home) = env::home_dir() else { return };
        let refused = KubeconfigFile::write(address(), Some(&home.join(".kube/config"))).unwrap_err().to_string();
        assert!(refused.contains("~/.kube"), "{refused}");
    }
}
