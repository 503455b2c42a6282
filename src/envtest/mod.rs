//! `informer-lab envtest`: this program replaces envtest's binaries. envtest, the test library of controller-runtime,
//! starts `kube-apiserver` and `etcd` from the folder in `KUBEBUILDER_ASSETS`. The command prints the path of a
//! folder with three links to this program: `kube-apiserver`, `etcd` and `kubectl`. Started by such a name, the
//! program acts as that binary. So tests of an operator need no download and no etcd.
//!
//! The expected behaviour: `pkg/internal/testing/{process,controlplane}` of controller-runtime, and the processes of
//! jenvtest and of fabric8's kube-api-test, which start the same binaries.

mod etcd;
mod flags;
mod folder;
mod kube_apiserver;
mod kubectl;
mod serving_certificate;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::console::{Console, Ended};
use crate::trace::{ColorChoice, Lang, Look, Output, Printer, Verbosity};

/// The binary that the program acts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// The API server alone, with TLS.
    KubeApiserver,
    /// A process that answers health checks. The API server itself holds the data.
    Etcd,
    /// The real kubectl, if there is one.
    Kubectl,
}

impl Binary {
    const ALL: [Self; 3] = [Self::KubeApiserver, Self::Etcd, Self::Kubectl];

    /// Returns the binary that the first word of the command line names, if any.
    pub fn from_args(args: &[OsString]) -> Option<Self> {
        let name = Path::new(args.first()?).file_name()?.to_str()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        Self::ALL.into_iter().find(|binary| binary.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::KubeApiserver => "kube-apiserver",
            Self::Etcd => "etcd",
            Self::Kubectl => "kubectl",
        }
    }

    /// Acts as this binary until the end, and returns the exit code.
    pub fn run(self, args: &[OsString]) -> ExitCode {
        Verbosity::Warnings.log_to_stderr();
        let printer = Printer::new(Look::new(Output::Text, ColorChoice::Auto, Lang::from_env()));
        let ended = match self {
            Self::KubeApiserver => kube_apiserver::run(args, &printer),
            Self::Etcd => etcd::run(args, &printer),
            Self::Kubectl => kubectl::run(args),
        };
        ended.unwrap_or_else(|error| {
            printer.report(&error);
            ExitCode::FAILURE
        })
    }
}

/// Makes the folder, and prints its path: the value for `KUBEBUILDER_ASSETS`.
///
/// # Errors
/// The folder cannot be made.
pub fn run(console: &Console) -> Result<Ended> {
    let folder = folder::make()?;
    Ended::from_write(console.printer.page(&folder.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_selects_the_binary() {
        let of = |name: &str| Binary::from_args(&[OsString::from(name), OsString::from("etcd")]);
        assert_eq!(of("/some/where/kube-apiserver"), Some(Binary::KubeApiserver));
        assert_eq!(of("etcd"), Some(Binary::Etcd));
        assert_eq!(of("kubectl.exe"), Some(Binary::Kubectl));
        for other in ["informer-lab", "/etcd/informer-lab", "etcd2", ""] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(Binary::from_args(&[]), None);
    }
}
