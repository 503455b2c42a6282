//! Tests of `informer-lab envtest`, with which this program replaces envtest's kube-apiserver, etcd and kubectl; and of the cluster's TLS.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use k8s_openapi::api::core::v1::Namespace;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use kube_testcluster::{Authority, Cluster};

use crate::cli::{command, finish};
use crate::live::{Live, after};

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path); // left by an earlier run
    fs::create_dir_all(&path).unwrap();
    path
}

/// Runs `informer-lab envtest` and returns the folder of binaries that it prints.
fn folder(cache: &Path) -> PathBuf {
    let ran = finish(command("envtest").env("XDG_CACHE_HOME", cache).env("HOME", cache));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    PathBuf::from(ran.out.strip_suffix('\n').unwrap())
}

fn binary(folder: &Path, name: &str) -> Command {
    let mut binary = Command::new(folder.join(name));
    binary.env("LC_ALL", "C").env_remove("LANG");
    binary
}

async fn is_default_there(kubeconfig: Kubeconfig) -> bool {
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    let namespaces: Api<Namespace> = Api::all(Client::try_from(config).unwrap());
    namespaces.get("default").await.is_ok()
}

#[test]
fn the_folder_is_the_same_each_time_and_its_binaries_offer_no_insecure_port() {
    let cache = scratch("envtest-folder");
    let folder = folder(&cache);
    assert_eq!(folder, self::folder(&cache));
    for name in ["kube-apiserver", "etcd"] {
        let help = finish(binary(&folder, name).arg("--help"));
        assert_eq!(help.code, Some(0), "{}", help.err);
        assert!(help.out.contains("Flags:") && !help.out.contains("--insecure-port"), "{}", help.out);
    }
    let nowhere = finish(binary(&folder, "kubectl").arg("version").env("PATH", &folder));
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.err.contains("no kubectl in PATH"), "{}", nowhere.err);
}

#[tokio::test]
async fn kube_apiserver_and_etcd_print_their_versions() {
    let folder = folder(&scratch("envtest-version"));
    let told = |name: &str| {
        let ran = finish(binary(&folder, name).arg("--version"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    let served = Cluster::builder().bare().start().client("default").apiserver_version().await.unwrap();
    assert_eq!(told("kube-apiserver"), format!("Kubernetes {}\n", served.git_version));
    assert_eq!(told("etcd"), "etcd Version: 3.6.0\n");
}

#[test]
fn etcd_answers_health_checks_until_sigterm() {
    let cache = scratch("etcd");
    let socket = cache.join("s"); // the path of a socket must be short
    let url = format!("unix://{}", socket.display());
    let mut etcd = binary(&folder(&cache), "etcd");
    let live = Live::start(etcd.args(["--data-dir", "x", "--listen-client-urls", &url]));
    let mut stream = loop {
        match UnixStream::connect(&socket) {
            Ok(stream) => break stream,
            Err(_) => std::thread::yield_now(), // etcd is not listening yet
        }
    };
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(r#"{"health":"true","reason":""}"#), "{answer}");
    assert_eq!(live.signal("TERM").code(), Some(0));
}

#[tokio::test]
async fn kube_apiserver_accepts_clients_of_the_given_certificate_authority() {
    let cache = scratch("kube-apiserver");
    let authority = Authority::new("clients").unwrap();
    let client = authority.client("admin", Some("system:masters")).unwrap();
    fs::write(cache.join("ca.crt"), authority.certificate()).unwrap();
    let mut server = binary(&folder(&cache), "kube-apiserver");
    server.current_dir(&cache).args(["--cert-dir=certs", "--client-ca-file", "ca.crt", "--secure-port", "0"]);
    let mut live = Live::start(server.args([
        "--authorization-mode=Node,RBAC",
        "--a-new-flag",
        "--allow-privileged",
        "--feature-gates=WatchList=false,A=true",
    ]));
    let mut said = String::new();
    let port = loop {
        use std::io::BufRead;
        let from = said.len();
        assert!(live.err.read_line(&mut said).unwrap() > 0, "{said}");
        if let Some((_, port)) = said[from..].trim().split_once("Serving securely on 127.0.0.1:") {
            break port.to_owned();
        }
    };
    assert!(
        said.contains("ignored: --a-new-flag\n")
            && said.contains("ignored: --feature-gates=A=true\n")
            && said.contains("--authorization-mode=Node is not enforced"),
        "{said}"
    );
    fs::write(cache.join("client.crt"), client.certificate).unwrap();
    fs::write(cache.join("client.key"), client.key).unwrap();
    let file = |name: &str| cache.join(name).display().to_string();
    let kubeconfig = serde_json::from_value(serde_json::json!({
        "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": {
            "server": format!("https://127.0.0.1:{port}"), "certificate-authority": file("certs/apiserver.crt"),
        }}],
        "users": [{"name": "a", "user": {"client-certificate": file("client.crt"), "client-key": file("client.key")}}],
    }));
    assert!(is_default_there(kubeconfig.unwrap()).await);
    assert_eq!(live.signal("TERM").code(), Some(0));
}

#[test]
fn invalid_flags_of_kube_apiserver_are_errors() {
    let cache = scratch("kube-apiserver-wrong");
    let folder = folder(&cache);
    for (flags, expected) in [
        ("--secure-port=many", "--secure-port: expected a port, found \"many\""),
        ("--bind-address=example.com", "--bind-address: expected an IP address"),
        ("--secure-port=0 --client-ca-file=nowhere", "cannot read nowhere"),
    ] {
        let ran =
            finish(binary(&folder, "kube-apiserver").current_dir(&cache).args(flags.split(' ')).arg("--cert-dir=c"));
        assert_eq!(ran.code, Some(1), "{flags}");
        assert!(ran.err.contains(expected), "{flags}: {}", ran.err);
    }
}

#[tokio::test]
async fn a_cluster_with_tls_writes_a_kubeconfig_that_only_its_owner_can_read() {
    let path = scratch("cluster-tls").join("kubeconfig");
    let mut cluster = command("cluster --bare --tls --listen 0.0.0.0:0 --kubeconfig-out");
    let mut live = Live::start(cluster.arg(&path));
    after(&mut live.out, "https://127.0.0.1:");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(is_default_there(Kubeconfig::read_from(&path).unwrap()).await);
    let mut anonymous = Kubeconfig::read_from(&path).unwrap();
    anonymous.auth_infos[0].auth_info = Some(kube::config::AuthInfo::default());
    assert!(!is_default_there(anonymous).await);
    assert_eq!(live.signal("TERM").code(), Some(143));
}

#[test]
fn a_cluster_without_tls_refuses_to_listen_beyond_this_machine() {
    let ran = finish(&mut command("cluster --listen 0.0.0.0:0"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no authentication"), "{}", ran.err);
}
