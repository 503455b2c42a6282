//! Tests of the error messages about unusable real clusters: exit code 1, and a sentence with the cause and the next step.

use std::net::TcpListener;
use std::path::PathBuf;

use crate::cli::{command, file, finish, run};

fn kubeconfig(name: &str, server: &str) -> PathBuf {
    let text = format!(
        "apiVersion: v1
kind: Config
current-context: here
clusters:
- {{name: lab, cluster: {{server: \"{server}\"}}}}
contexts:
- {{name: here, context: {{cluster: lab, user: me}}}}
- {{name: there, context: {{cluster: gone, user: me}}}}
users:
- {{name: me, user: {{token: SECRET}}}}
"
    );
    file(name, text)
}

fn refused(args: &[&str]) -> String {
    let ran = finish(command("reflector").args(args));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    assert!(!ran.err.contains("SECRET"), "{}", ran.err);
    ran.err
}

#[test]
fn the_error_for_a_malformed_kubeconfig_has_the_line_and_the_cause_but_not_the_content() {
    for (name, text, cause) in [
        ("a.kubeconfig", "users:\n- name: me\n  user:\n    token: [SECRET\n", "caused by: expected string scalar\n"),
        ("b.kubeconfig", "users:\n- name: me\n  user:\n    exec: SECRET\n", "caused by: expected mapping start\n"),
    ] {
        let said = refused(&["--kubeconfig", file(name, text).to_str().unwrap()]);
        assert!(said.contains(&format!("{name}:4:")) && said.contains("malformed"), "{said}");
        assert!(said.contains(cause) && said.contains("next: correct the file there, or name another"), "{said}");
    }
}

#[test]
fn the_error_for_an_unknown_context_lists_the_existing_contexts() {
    let path = kubeconfig("context.kubeconfig", "http://127.0.0.1:1");
    let said = refused(&["--kubeconfig", path.to_str().unwrap(), "--context", "elsewhere"]);
    assert!(said.contains("no context elsewhere") && said.contains("here, there"), "{said}");
}

#[test]
fn a_context_without_its_cluster_is_refused() {
    let path = kubeconfig("gone.kubeconfig", "http://127.0.0.1:1");
    let said = refused(&["--kubeconfig", path.to_str().unwrap(), "--context", "there"]);
    assert!(said.contains("no cluster gone"), "{said}");
}

#[test]
fn the_error_for_a_cluster_that_is_down_has_its_address() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for scheme in ["http", "https"] {
        let path = kubeconfig(&format!("down-{scheme}.kubeconfig"), &format!("{scheme}://me:SECRET@{free}"));
        let said = refused(&["--kubeconfig", path.to_str().unwrap()]);
        assert!(said.contains(&format!("cannot reach the cluster at {scheme}://{free}")), "{said}");
        assert!(said.contains("caused by: ") && said.contains("next: "), "{said}");
    }
}

#[test]
fn a_missing_kubeconfig_is_an_error() {
    assert!(refused(&["--cluster"]).contains("there is no kubeconfig"));
    assert!(refused(&["--context", "a"]).contains("there is no kubeconfig"));
    let ran = finish(command("reflector --cluster").env("KUBECONFIG", "/nowhere/at-all"));
    assert!(ran.err.contains("KUBECONFIG names no file that exists: /nowhere/at-all"), "{}", ran.err);
}

#[test]
fn an_empty_kubeconfig_has_no_context() {
    let path = file("empty.kubeconfig", "");
    assert!(refused(&["--kubeconfig", path.to_str().unwrap()]).contains("no current context"));
}

#[test]
fn an_unknown_namespace_of_the_built_in_cluster_is_an_error() {
    let ran = run("reflector -n elsewhere");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("namespace elsewhere does not exist"), "{}", ran.err);
}
