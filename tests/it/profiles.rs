//! The profiles in `Cargo.toml`.

use std::fs;

use crate::links::root;

/// A package's row of the release profile counts in a profile that inherits it, too: it beats the level of that profile.
#[test]
fn each_package_that_the_program_builds_smaller_has_a_row_for_the_libraries() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rows = |profile: &str, level: &str| -> Vec<String> {
        let (_, rows) = manifest.split_once(&format!("[profile.{profile}.package]\n")).expect(profile);
        let rows = rows.lines().take_while(|line| !line.starts_with('['));
        let levels = rows.filter_map(|row| row.split_once(".opt-level = "));
        let of_level = levels.filter(|(_, found)| found.split(' ').next() == Some(level));
        of_level.map(|(package, _)| package.to_owned()).collect()
    };
    let smaller = rows("release", "\"s\"");
    assert!(!smaller.is_empty());
    assert_eq!(rows("libraries", "3"), smaller);
}
