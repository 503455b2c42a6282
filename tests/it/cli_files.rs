//! Tests of the error messages about unusable files: exit code 1, with the file's name and the line.

use std::path::Path;

use crate::cli::{command, file, finish};

fn refused(option: &str, path: &Path) -> String {
    let ran = finish(command("reflector").arg(option).arg(path));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.contains(path.to_str().unwrap()), "{}", ran.err);
    ran.err
}

#[test]
fn the_error_for_a_missing_file_has_its_name() {
    for option in ["--pods", "--stages", "--scenario", "--kubeconfig"] {
        let said = refused(option, Path::new("/nowhere/at-all.yaml"));
        assert!(said.contains("cannot read"), "{said}");
        assert!(said.contains("caused by: No such file"), "{said}");
    }
}

#[test]
fn a_directory_in_place_of_a_file_is_an_error() {
    for option in ["--pods", "--stages", "--scenario", "--kubeconfig"] {
        refused(option, Path::new(env!("CARGO_TARGET_TMPDIR")));
    }
}

#[test]
fn the_error_for_a_file_that_is_not_utf_8_has_its_name_and_the_line() {
    let path = file("not-utf-8.yaml", b"a: b\nc: \xff\xfe\n");
    for option in ["--pods", "--stages", "--scenario"] {
        let said = refused(option, &path);
        assert!(said.contains("not-utf-8.yaml:2: ") && said.contains("not UTF-8"), "{said}");
    }
    assert!(refused("--kubeconfig", &path).contains("not UTF-8"));
}

#[test]
fn the_error_for_malformed_yaml_has_the_files_name() {
    let path = file("malformed.yaml", "- at: {{\n");
    for option in ["--pods", "--stages", "--scenario", "--kubeconfig"] {
        refused(option, &path);
    }
}

#[cfg(unix)]
#[test]
fn an_endless_file_is_refused() {
    for option in ["--pods", "--stages", "--scenario"] {
        let said = refused(option, Path::new("/dev/zero"));
        assert!(said.contains("is larger than 256 MiB"), "{said}");
    }
}

#[test]
fn the_fixture_that_the_exercises_name_is_built_into_the_program() {
    let line = "reflector --known-objects --pods fixtures/pods.yaml";
    let elsewhere = finish(command(line).current_dir(env!("CARGO_TARGET_TMPDIR")));
    assert_eq!(elsewhere.code, Some(0), "{}", elsewhere.err);
    assert!(elsewhere.out.starts_with("Sync : quickstart-es-default-0"), "{}", elsewhere.out);
    for option in ["--scenario", "--pods"] {
        let other = finish(
            command(&format!("reflector {option} fixtures/no-pods.yaml")).current_dir(env!("CARGO_TARGET_TMPDIR")),
        );
        assert_eq!(other.code, Some(1), "no other fixture is built in");
    }
}
