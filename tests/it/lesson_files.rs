//! Checks the source files of the documents' lessons, which are those of the tutorials: short enough to project on a wall, and without
//! helpers that hide the point.

use std::fs;
use std::path::{Path, PathBuf};

/// The largest number of lines of code in such a file.
const ON_A_WALL: usize = 60;

/// Returns the files of the documents' seven lessons, without those of the modern era.
fn classic() -> Vec<PathBuf> {
    let lessons = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lessons");
    let mut files = vec![lessons.join("listwatch.rs")];
    for lesson in ["deltafifo", "reflector", "myinformer", "shared", "indexer", "factory"] {
        files.extend(fs::read_dir(lessons.join(lesson)).unwrap().map(|file| file.unwrap().path()));
    }
    files.retain(|file| !file.ends_with("modern.rs"));
    files
}

/// Counts the lines of code: no comments, no blank lines, no tests.
fn code(text: &str) -> usize {
    let lines = text.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn a_file_of_the_documents_lessons_has_at_most_sixty_lines_of_code() {
    let files = classic();
    assert!(files.len() >= 30, "{files:?}");
    for file in files {
        let lines = code(&fs::read_to_string(&file).unwrap());
        assert!(lines <= ON_A_WALL, "{} has {lines} lines of code", file.display());
    }
}

#[test]
fn each_program_of_deltafifo_is_a_little_longer_than_the_one_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lessons/deltafifo");
    let lines = ["list", "pop", "events", "callbacks", "values"]
        .map(|step| code(&fs::read_to_string(folder.join(format!("{step}.rs"))).unwrap()));
    assert!(lines.is_sorted_by(|before, after| before < after), "{lines:?}");
}

#[test]
fn the_documents_lessons_construct_their_queue_themselves() {
    for file in classic() {
        let text = fs::read_to_string(&file).unwrap();
        for hidden in ["dyn Queue", "dyn ReflectorStore", "Era::", ".era()"] {
            assert!(!text.contains(hidden), "{} has {hidden}", file.display());
        }
    }
}
