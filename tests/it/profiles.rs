//! Checks that the build profiles in `Cargo.toml` are consistent.

use std::fs;

use crate::links::root;

/// The profile `libraries` inherits the release profile's rows for single packages, and such a row overrides the profile's own level. So
/// each package with a lower level needs its own row in `libraries` too.
#[test]
fn each_package_that_release_optimizes_for_size_has_a_row_in_libraries() {
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
