//! Checks that the tests that SECURITY.md names exist and run.

use std::fs;
use std::path::Path;

use crate::links::root;

/// Adds the text of all Rust files below a directory.
fn sources(directory: &Path, text: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

/// A name of three words or more with underscores, in brackets, is a test.
#[test]
fn every_test_that_the_security_policy_names_exists_and_runs() {
    let mut code = String::new();
    for folder in ["src", "tests", "crates"] {
        sources(&root().join(folder), &mut code);
    }
    let policy = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let is_test =
        |name: &&str| name.matches('_').count() > 1 && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'));
    let named: Vec<&str> = policy.split('`').skip(1).step_by(2).filter(is_test).collect();
    let runs = |name: &str| {
        let before = code.split_once(&format!("fn {name}()")).map_or("", |(before, _)| before);
        let attributes = before.rsplit("\n\n").next().unwrap_or_default().lines();
        let attributes: String = attributes.filter(|line| !line.trim_start().starts_with("//")).collect();
        let is_test = attributes.contains("#[test]") || attributes.contains("#[tokio::test");
        is_test && !attributes.contains("ignore")
    };
    let missing: Vec<&str> = named.iter().copied().filter(|name| !runs(name)).collect();
    assert!(
        named.len() > 30 && missing.is_empty(),
        "of {} tests, these do not exist or are ignored: {missing:?}",
        named.len()
    );
}
