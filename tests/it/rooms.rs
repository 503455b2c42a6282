//! Checks the layers of the crates: the tables of rooms (folders) in the documents decide which room may use which.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::links::root;

/// The documents that have a table of rooms, with the source folder that each describes.
const HOUSES: [(&str, &str); 3] = [
    ("ARCHITECTURE.md", "src"),
    ("ARCHITECTURE.md", "crates/kube-informers/src/cache"),
    ("docs/server.md", "crates/kube-testcluster/src"),
];

#[test]
fn a_room_uses_only_the_rooms_above_it() {
    for (page, source) in HOUSES {
        let rows = rows(page, source);
        let mut breaches = Vec::new();
        for file in files(&root().join(source)) {
            let path = file.strip_prefix(root().join(source)).unwrap();
            let own = rows.get(room(path)).unwrap_or_else(|| panic!("{page} has no row for {}", path.display()));
            for used in uses(path, &as_a_crate(source, &fs::read_to_string(&file).unwrap())) {
                let of_the_root = used.starts_with(char::is_uppercase);
                let row = rows.get(used.as_str()).or(rows.get("lib").filter(|_| of_the_root));
                let row = row.unwrap_or_else(|| panic!("{page} has no row for {used}, which {} uses", path.display()));
                if row > own {
                    breaches.push(format!("{source}/{} uses {used}", path.display()));
                }
            }
        }
        assert!(breaches.is_empty(), "against the table of rooms in {page}:\n{}", breaches.join("\n"));
    }
}

#[test]
fn the_store_and_the_kinds_do_not_use_http_and_the_store_names_no_kind() {
    let source = root().join("crates/kube-testcluster/src");
    let kinds = fs::read_to_string(source.join("kinds/served.rs")).unwrap();
    let is_row = |name: &&str| kinds.contains(&format!("static {name}: &Resource"));
    let mut breaches = Vec::new();
    for (room, forbidden) in [("store", &["axum", "http", "hyper"][..]), ("kinds", &["axum", "http", "hyper"])] {
        for file in files(&source.join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            let program = program(&text);
            for (n, line) in program.lines().map(code).enumerate() {
                let names: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                let http = names.iter().filter(|name| forbidden.contains(name) && line.contains(&format!("{name}::")));
                let rows = names.iter().filter(|name| room == "store" && is_row(name));
                breaches.extend(http.chain(rows).map(|name| format!("{}:{}: {name}", file.display(), n + 1)));
            }
        }
    }
    assert!(kinds.contains("static PODS: &Resource"), "the pattern that finds the kinds' names still matches");
    assert!(breaches.is_empty(), "these rooms must not know:\n{}", breaches.join("\n"));
}

#[test]
fn uses_of_other_rooms_are_found_in_every_form_of_a_path() {
    let text = "
        use crate::store::{Store, object};
        use crate::{faults, verbs::{self, get}};
        // use crate::comment;
        fn f() { crate::Cluster::builder(); }
        use super::super::router;
        use super::sibling;
    ";
    assert_eq!(uses(Path::new("http/status.rs"), text), ["store", "faults", "verbs", "Cluster", "router"]);
    assert_eq!(uses(Path::new("http/mod.rs"), "pub(super) use super::router;"), ["router"]);
    assert_eq!(uses(Path::new("http/table/age.rs"), "use super::super::status;"), [""; 0]);
    let tests = "\nmod tests {\n    use super::super::sibling;\n    use super::super::super::router;\n}\n";
    assert_eq!(uses(Path::new("http/status.rs"), tests), ["router"]);
}

#[test]
fn an_item_for_tests_only_does_not_end_the_checked_part_of_a_file() {
    let text =
        "use a::b;\n#[cfg(test)]\nstatic OPENED: u8 = 0;\nuse http::c;\n#[cfg(test)]\nmod tests {\n    use d::e;\n}\n";
    assert!(program(text).contains("http::c") && !program(text).contains("d::e"));
}

/// Returns a file's text without the module of tests at its end.
fn program(text: &str) -> &str {
    text.split_once("#[cfg(test)]\nmod ").map_or(text, |(program, _tests)| program)
}

/// Reads the row number of each room from the first cells of a document's table, which contain paths below the source folder.
fn rows(page: &str, source: &str) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut rows = BTreeMap::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")) {
        let cell = line.split(" | ").next().unwrap_or_default();
        let below = format!("{source}/");
        for path in cell.split(['`', '(', ')', '[', ']', ' ']).map(|part| part.trim_start_matches("../")) {
            if let Some(path) = path.strip_prefix(&below) {
                rows.insert(room(Path::new(path)).to_owned(), n);
            }
        }
    }
    assert!(rows.len() > 5, "{page} has a table of the rooms of {source}: {rows:?}");
    rows
}

/// Rewrites paths as if the module `source` were a crate of its own, if it is a module inside a crate.
fn as_a_crate(source: &str, text: &str) -> String {
    match source.split_once("/src/") {
        None => text.to_owned(),
        Some((_, module)) => {
            let inside = format!("crate::{module}::");
            text.replace(&inside, "inside::").replace("crate::", "outside::").replace("inside::", "crate::")
        }
    }
}

/// Returns the room of a file: its top folder below the source folder, or the file itself.
fn room(path: &Path) -> &str {
    path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns a line without its comment, or an empty line if it is documentation in an attribute.
fn code(line: &str) -> &str {
    if line.contains("doc = \"") { "" } else { line.split("//").next().unwrap_or_default() }
}

/// Returns the modules and items of the crate's root that a file names, with `crate::` or with enough `super::`.
fn uses(path: &Path, text: &str) -> Vec<String> {
    let depth = path.iter().filter(|part| *part != "mod.rs").count();
    let text: String = text.lines().map(|line| format!("{}\n", code(line))).collect();
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("crate::") {
        rest = &rest[at + "crate::".len()..];
        found.extend(heads(rest));
    }
    // The module of tests at the end of a file is one level deeper.
    let (program, tests) = text.split_once("\nmod tests {").unwrap_or((&text, ""));
    for (text, depth) in [(program, depth), (tests, depth + 1)] {
        for words in text.split(|c: char| !c.is_alphanumeric() && !"_:{".contains(c)) {
            let supers = words.split("::").take_while(|word| *word == "super").count();
            let after = words.splitn(supers + 1, "::").nth(supers).unwrap_or_default(); // empty for `pub(super)`
            if supers >= depth && supers > 0 && !after.is_empty() {
                found.extend(heads(after));
            }
        }
    }
    found
}

/// Returns the first names of a path such as `store::Store` or `{store, verbs::{self, get}}`.
fn heads(path: &str) -> Vec<String> {
    let name =
        |text: &str| -> String { text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut heads, mut depth) = (vec![name(group)], 0);
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(name(&group[i + 1..])),
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}
