//! Unusable files: exit code 1, the file's name, and the line.

use std::path::Path;

use crate::cli::{command, file, finish};

fn refused(option: &str, path: &Path) -> String {
    let ran = finish(command("reflector").arg(option).arg(path));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.contains(path.to_str().unwrap()), "{}", ran.err);
    ran.err
}

#[test]
fn a_missing_file_is_named() {
    for option in ["--pods", "--stages", "--scenario", "--kubeconfig"] {
        let said = refused(option, Path::new("/nowhere/at-all.yaml"));
        assert!(said.contains("cannot read"), "{said}");
        assert!(said.contains("caused by: No such file"), "{said}");
    }
}

#[test]
fn a_directory_is_not_a_file() {
    for option in ["--pods", "--stages", "--scenario", "--kubeconfig"] {
        refused(option, Path::new(env!("CARGO_TARGET_TMPDIR")));
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_named_with_the_line() {
    let path = file("not-utf-8.yaml", b"a: b\nc: \xff\xfe\n");
    for option in ["--pods", "--stages", "--scenario"] {
        let said = refused(option, &path);
        assert!(said.contains("not-utf-8.yaml:2: ") && said.contains("not UTF-8"), "{said}");
    }
    assert!(refused("--kubeconfig", &path).contains("not UTF-8"));
}

#[test]
fn malformed_yaml_is_named() {
    let path = file("malformed.yaml", "- at: {{\n");
    for option in ["--pods", "--stages", "--scenario", "--kubeconfig"] {
        refused(option, &path);
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_an_end_is_refused() {
    for option in ["--pods", "--stages", "--scenario"] {
        let said = refused(option, Path::new("/dev/zero"));
        assert!(said.contains("is longer than 256 MiB"), "{said}");
    }
}

#[test]
fn the_pods_that_the_exercises_name_are_there_without_a_clone() {
    let line = "reflector --known-objects --pods fixtures/pods.yaml";
    let elsewhere = finish(command(line).current_dir(env!("CARGO_TARGET_TMPDIR")));
    assert_eq!(elsewhere.code, Some(0), "{}", elsewhere.err);
    assert!(elsewhere.out.starts_with("Sync : quickstart-es-default-0"), "{}", elsewhere.out);
    for option in ["--scenario", "--pods"] {
        let other = finish(
            command(&format!("reflector {option} fixtures/no-pods.yaml")).current_dir(env!("CARGO_TARGET_TMPDIR")),
        );
        assert_eq!(other.code, Some(1), "no other file is made up");
    }
}
