//! Replaces the binary `kube-apiserver`, which envtest starts: the API server alone, in memory, with TLS.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use kube_testcluster::{Authorization, Cluster, KUBERNETES_VERSION, ManagedFields, SecureServing};

use super::flags::{Flags, help};
use super::serving_certificate::{self, text};
use crate::cluster::{listen, revision_of_the_clock};
use crate::console::Interrupt;
use crate::trace::{Failure, Printer};

const USED_FLAGS: [(&str, &str); 10] = [
    ("bind-address", "Listen at this address [127.0.0.1]"),
    ("secure-port", "Serve HTTPS at this port; 0 picks a free one [6443]"),
    ("cert-dir", "Read apiserver.crt and apiserver.key from this folder, or make them there [/var/run/kubernetes]"),
    ("tls-cert-file", "Serve with this certificate"),
    ("tls-private-key-file", "Serve with this key"),
    ("client-ca-file", "Accept client certificates of this authority: CN is the user, O are the groups"),
    ("token-auth-file", "Read bearer tokens from this file, as lines of token,user,uid,\"groups\""),
    ("authorization-mode", "RBAC: roles and their bindings decide; otherwise every request is allowed [AlwaysAllow]"),
    (
        "feature-gates",
        "AggregatedDiscoveryEndpoint=false and WatchList=false turn these features off; others are ignored",
    ),
    ("service-account-signing-key-file", "Sign the tokens of service accounts with this key"),
];

/// Flags that change nothing here, so they are ignored without a notice. The empty texts are unused.
const IGNORED_SILENTLY: [(&str, &str); 6] = [
    ("allow-privileged", ""),
    ("disable-admission-plugins", ""),
    ("etcd-servers", ""),
    ("service-account-key-file", ""),
    ("anonymous-auth", ""),
    ("v", ""),
];

/// The known feature gates.
const AGGREGATED_DISCOVERY: &str = "AggregatedDiscoveryEndpoint";
const WATCH_LIST: &str = "WatchList";

const HELP: &str = "kube-apiserver of informer-lab: only the API server, in memory, with TLS.";

pub(super) fn run(args: &[OsString], printer: &Printer) -> Result<ExitCode> {
    let flags = Flags::read(args);
    if flags.asks_for_help() {
        printer.page(&help(HELP, &USED_FLAGS))?;
        return Ok(ExitCode::SUCCESS);
    }
    if flags.asks_for_version() {
        // Scripts that check the folder look for this line.
        printer.page(&format!("Kubernetes {KUBERNETES_VERSION}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let address = address(&flags)?;
    let serving = serving(&flags, address)?;
    let listener = listen(address, "--secure-port")?;
    print_ignored_flags(&flags, printer);
    let authorization = authorization(&flags);
    let interrupt = Interrupt::default();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start the runtime")?;
    runtime.block_on(async {
        let stop = interrupt.arm().context("cannot listen for signals")?;
        let builder = Cluster::builder().bare().managed_fields(ManagedFields::Kept).seed(fastrand::u64(..));
        let builder = builder.first_revision(revision_of_the_clock()).authorization(authorization);
        let builder = feature_gates(&flags).fold(builder, |builder, (gate, on)| match gate {
            AGGREGATED_DISCOVERY => builder.aggregated_discovery(on),
            WATCH_LIST => builder.watch_list(on),
            _ => builder,
        });
        let mut cluster = builder.start();
        let address = cluster
            .serve_securely(listener, serving)
            .map_err(|error| Failure::new(("cannot listen", "无法监听端口")).because(error))?;
        printer.print_on_stderr(&format!("Serving securely on {address}"));
        stop.cancelled().await;
        cluster.shutdown().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn address(flags: &Flags) -> Result<SocketAddr, Failure> {
    let wrong = |flag: &str, expected: &str| {
        let value = flags.get(flag).unwrap_or_default();
        Failure::new((
            format!("--{flag}: expected {expected}, found {value:?}"),
            format!("--{flag}：应为 {expected}，实为 {value:?}"),
        ))
    };
    let ip = match flags.get("bind-address") {
        None | Some("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Some(text) => text.parse().map_err(|_| wrong("bind-address", "an IP address"))?,
    };
    let port = flags.get("secure-port").unwrap_or("6443");
    Ok(SocketAddr::new(ip, port.parse().map_err(|_| wrong("secure-port", "a port"))?))
}

/// Returns the certificates, tokens and keys that the flags name.
fn serving(flags: &Flags, address: SocketAddr) -> Result<SecureServing> {
    let names = ["localhost", "kubernetes.default.svc", "127.0.0.1", "::1"].map(ToOwned::to_owned);
    let names = [names.as_slice(), &[address.ip().to_string()]].concat();
    let mut serving = SecureServing::new(&serving_certificate::load(flags, &names)?).map_err(|error| {
        Failure::new(("the certificate to serve with cannot be used", "无法使用服务端证书")).because(error)
    })?;
    if let Some(file) = flags.get("client-ca-file") {
        serving = serving.client_ca(text(Path::new(file))?).map_err(|error| unusable("client-ca-file", file, error))?;
    }
    if let Some(file) = flags.get("token-auth-file") {
        serving =
            serving.token_file(&text(Path::new(file))?).map_err(|error| unusable("token-auth-file", file, error))?;
    }
    if let Some(file) = flags.get("service-account-signing-key-file") {
        serving = serving.service_account_key(text(Path::new(file))?);
    }
    Ok(serving)
}

fn unusable(flag: &str, file: &str, error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::new((format!("--{flag}: {file} cannot be used"), format!("--{flag}：无法使用 {file}"))).because(error)
}

fn print_ignored_flags(flags: &Flags, printer: &Printer) {
    let ignored = flags.others(&[USED_FLAGS.as_slice(), &IGNORED_SILENTLY].concat());
    if !ignored.is_empty() {
        let list = ignored.join(", ");
        printer.print_on_stderr(printer.pick(&format!("ignored: {list}"), &format!("忽略：{list}")));
    }
    for (gate, on) in feature_gates(flags).filter(|(gate, _)| ![AGGREGATED_DISCOVERY, WATCH_LIST].contains(gate)) {
        let ignored = format!("--feature-gates={gate}={on}");
        printer.print_on_stderr(printer.pick(&format!("ignored: {ignored}"), &format!("忽略：{ignored}")));
    }
    for mode in modes(flags).filter(|mode| !["AlwaysAllow", "RBAC"].contains(mode)) {
        let en = format!("--authorization-mode={mode} is not enforced");
        let zh = format!("--authorization-mode={mode} 不起作用：不会按这种模式检查权限");
        printer.print_on_stderr(printer.pick(&en, &zh));
    }
}

/// Returns the feature gates that are switched on or off. Upstream: `component-base/featuregate`.
fn feature_gates(flags: &Flags) -> impl Iterator<Item = (&str, bool)> {
    let gates = flags.all("feature-gates").flat_map(|value| value.split(','));
    gates
        .filter_map(|gate| gate.split_once('='))
        .filter_map(|(gate, value)| Some((gate.trim(), value.trim().parse().ok()?)))
}

/// Returns the authorization modes that are switched on.
fn modes(flags: &Flags) -> impl Iterator<Item = &str> {
    flags.get("authorization-mode").unwrap_or("AlwaysAllow").split(',')
}

/// Returns the authorization. A request needs the consent of one mode only, so `AlwaysAllow` among several modes allows
/// everything.
fn authorization(flags: &Flags) -> Authorization {
    let has = |wanted: &str| modes(flags).any(|mode| mode == wanted);
    if has("RBAC") && !has("AlwaysAllow") { Authorization::Rbac } else { Authorization::AlwaysAllow }
}
