//! The profiles in `Cargo.toml`.

use std::fs;

use crate::links::root;

/// A package's row of the release profile counts in a profile that inherits it, too: it beats the level of that profile.
#[test]
fn each_package_that_the_program_builds_smaller_has_a_row_for_the_libraries() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rows = |profile: &str, counts: fn(&str) -> bool| -> Vec<String> {
        let (_, rows) = manifest.split_once(&format!("[profile.{profile}.package]\n")).expect(profile);
        let rows = rows.lines().take_while(|line| !line.starts_with('['));
        let levels = rows.filter_map(|row| row.split_once(".opt-level = "));
        let of_level = levels.filter(|(_, level)| counts(level.split(' ').next().unwrap_or_default()));
        of_level.map(|(package, _)| package.to_owned()).collect()
    };
    let smaller = rows("release", |level| level != "3");
    assert!(!smaller.is_empty());
    assert_eq!(rows("libraries", |level| level == "3"), smaller);
}
