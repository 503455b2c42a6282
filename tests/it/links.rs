//! Checks that the links in the Markdown documents resolve, and that the source files that the documents name exist.

use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds all Markdown files below a directory to `found`.
fn documents(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        let hidden = name.to_string_lossy().starts_with('.') && name != ".github";
        if path.is_dir() && !hidden && name != "target" && name != "node_modules" {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Returns the text without its code blocks.
fn prose(text: &str) -> String {
    let mut in_code = false;
    let mut outside = |line: &&str| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    };
    text.lines().filter(|line| outside(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the targets of inline links: `[text](target)`.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// Returns the anchor that GitHub makes of a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn has_anchor(file: &Path, wanted: &str) -> bool {
    let text = fs::read_to_string(file).unwrap();
    let named = text.contains(&format!("id=\"{wanted}\"")) || text.contains(&format!("name=\"{wanted}\""));
    named || prose(&text).lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == wanted)
}

fn all_documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    documents(root(), &mut found);
    assert!(found.len() > 20, "{found:?}");
    found
}

#[test]
fn every_relative_link_resolves() {
    let mut broken = Vec::new();
    for document in all_documents() {
        let text = prose(&fs::read_to_string(&document).unwrap());
        for link in links(&text).into_iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (path, wanted) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { document.clone() } else { document.with_file_name("").join(path) };
            let resolves = target.exists() && (wanted.is_empty() || has_anchor(&target, wanted));
            if !resolves {
                broken.push(format!("{}: {link}", document.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn every_source_file_that_the_documents_name_exists() {
    // Each page with its crate. Paths on the page may begin at the crate's folder, its sources or its tests.
    let pages = [
        ("ARCHITECTURE.md", ""),
        ("docs/conformance.md", "crates/kube-informers"),
        ("docs/quirks.md", "crates/kube-informers"),
        ("docs/server.md", "crates/kube-testcluster"),
    ];
    let mut missing = Vec::new();
    for (page, home) in pages {
        let text = prose(&fs::read_to_string(root().join(page)).unwrap());
        for path in text.split('`').skip(1).step_by(2).filter(|code| code.ends_with(".rs") || code.ends_with(".go")) {
            let beginnings = ["", "src", "tests", "src/cache"].map(|folder| root().join(home).join(folder).join(path));
            let libraries = ["informers/src/cache", "testcluster/src", "machinery/src", "controllers/src"];
            let elsewhere = ["", "src"].map(|folder| root().join(folder).join(path)).into_iter();
            let elsewhere: Vec<_> = elsewhere
                .chain(libraries.map(|folder| root().join(format!("crates/kube-{folder}")).join(path)))
                .collect();
            if !beginnings.iter().chain(&elsewhere).any(|path| path.exists()) {
                missing.push(format!("{page}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "there are no such files:\n{}", missing.join("\n"));
}

#[test]
fn every_job_has_a_row_in_contributing_with_the_folders_that_it_guards() {
    let contributing = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let jobs = fs::read_dir(root().join(".ci/jobs")).unwrap().map(|job| job.unwrap().path());
    for job in jobs {
        let script = fs::read_to_string(&job).unwrap();
        let guards =
            script.lines().find_map(|line| line.strip_prefix("# Guards: ")).expect("a job names what it guards");
        let folders: Vec<String> = guards.split(' ').map(|folder| format!("`{folder}`")).collect();
        let name = job.file_name().unwrap().to_str().unwrap();
        let row = contributing.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        assert!(row.is_some_and(|row| row.contains(&folders.join(", "))), "{name}");
        for folder in guards.split(' ').filter(|folder| !folder.contains('*')) {
            assert!(root().join(folder).exists(), "{name} guards {folder}");
        }
    }
}
