//! Tests of usage errors: exit code 2, a sentence on standard error, and nothing on standard output.

use crate::cli::run;

fn refused(line: &str) -> String {
    let ran = run(line);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
    ran.err
}

#[test]
fn an_unknown_lesson_gets_tips() {
    for (line, tip) in [
        ("deltfifo", "next: did you mean deltafifo"),
        ("tombstone", "next: informer-lab read tombstone finds the word in the book; informer-lab lessons"),
        ("xyzzy", "next: informer-lab lessons lists the lessons, and informer-lab --help all commands"),
        ("xyzzy --lang zh", "错误：没有课程或命令 xyzzy\n  下一步：informer-lab lessons 列出课程"),
    ] {
        assert!(refused(line).contains(tip), "{line}");
    }
}

#[test]
fn a_bad_value_of_the_cluster_names_the_good_ones() {
    for (line, expected) in [
        ("cluster --events -5", "expected a number of Events, 0 or more"),
        ("cluster --events -5 --lang zh", "应为 Event 的个数，0 或更大"),
        ("cluster --controllers hpa", "replicaset, deployment, job, cronjob, daemonset, statefulset, endpointslice"),
    ] {
        let said = refused(line);
        assert!(said.contains(expected) && !said.contains("two hyphens"), "{line}: {said}");
    }
    assert!(refused("cluster kubectl").contains("a command comes after two hyphens"));
}

#[test]
fn an_option_of_another_lesson_is_refused_by_name() {
    let said = refused("deltafifo --cluster");
    assert!(said.contains("deltafifo doesn't accept --cluster"), "{said}");
    assert!(said.contains("Usage: informer-lab deltafifo"), "{said}");
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    assert!(refused("indexer --pods pods.yaml").contains("only with --serve"));
    assert!(refused("shared --cluster").contains("only with --step list-watch"));
    assert!(refused("factory --cluster --pods pods.yaml").contains("built-in cluster"));
    assert!(refused("reflector --follow --speed 2").contains("live"));
}

#[test]
fn the_error_for_a_bad_address_describes_the_expected_form() {
    for line in ["indexer --serve nowhere", "factory --serve 127.0.0.1:99999"] {
        assert!(refused(line).contains("expected an IP address and a port"), "{line}");
    }
}

#[test]
fn a_namespace_with_a_path_is_refused() {
    assert!(refused("reflector -n ../secrets").contains("expected a namespace"));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_a_usage_error() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use crate::cli::{command, finish};

    let odd = || OsString::from_vec(vec![0xff, 0xfe]);
    for args in
        [vec![odd()], vec!["deltafifo".into(), "--step".into(), odd()], vec!["listwatch".into(), "-n".into(), odd()]]
    {
        let ran = finish(command("").args(args));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for line in ["--help", "-h", "help shared", "factory --help"] {
        let ran = run(line);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
        assert!(ran.out.contains("Usage: informer-lab"), "{line}");
    }
    assert_eq!(run("--version").out, format!("informer-lab {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_help_of_a_lesson_begins_with_its_summary() {
    let listed = run("help").out;
    let commands = listed.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let lessons: Vec<_> = commands.lines().filter_map(|line| line.trim().split_once("  ")).collect();
    assert!(lessons.len() > 15, "{listed}");
    for (lesson, about) in lessons.into_iter().filter(|(lesson, _)| *lesson != "help") {
        let help = run(&format!("{lesson} --help")).out;
        assert!(help.starts_with(about.trim()), "{lesson}: {help}");
    }
}
