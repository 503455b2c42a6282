//! Tests of `informer-lab eras LESSON`, which prints the traces of both eras side by side.

use std::fs;

use informer_lab::lessons::rows;
use unicode_width::UnicodeWidthStr;

use crate::cli::{file, finish, run};

/// The lessons that have a golden table, with the table's file.
pub const GOLDEN: [(&str, &str); 5] = [
    ("deltafifo", "eras-deltafifo.txt"),
    ("listwatch", "eras-listwatch.txt"),
    ("reflector", "eras-reflector.txt"),
    ("resync", "eras-resync.txt"),
    ("shared --step list-watch", "eras-shared-list-watch.txt"),
];

fn commands() -> impl Iterator<Item = &'static str> {
    rows().filter(|row| row.modern.as_ref().is_some_and(|modern| modern.trace.is_some())).map(|row| row.command)
}

#[test]
fn the_table_is_the_golden_one() {
    for (lesson, file) in GOLDEN {
        let golden = fs::read_to_string(format!("{}/fixtures/traces/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let ran = run(&format!("eras {lesson}"));
        assert_eq!((ran.code, ran.out), (Some(0), golden), "{lesson}");
    }
}

#[test]
fn a_transcript_has_the_reasons_and_the_table() {
    let path = file("eras-transcript.txt", "");
    let ran = run(&format!("eras reflector --transcript {}", path.display()));
    let kept = fs::read_to_string(path).unwrap();
    assert!(kept.starts_with("# ") && kept.ends_with(&ran.out), "{kept}");
}

#[test]
fn every_table_fits_80_columns_and_is_explained() {
    for command in commands() {
        for language in ["en", "zh"] {
            let ran = run(&format!("eras {command} --lang {language}"));
            assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
            assert!(ran.err.starts_with("# ") && !ran.err.contains("error"), "{command}: {}", ran.err);
            for line in ran.out.lines() {
                assert!(line.width() <= 80, "{command}: {line}");
            }
        }
    }
}

#[test]
fn each_column_holds_the_whole_trace_of_its_era() {
    for command in commands() {
        let ran = finish(crate::cli::command(&format!("eras {command}")).env("COLUMNS", "200")); // so wide that no line is broken
        let column = ran.out.lines().next().unwrap().find("modern").unwrap();
        for (era, left) in [("classic", true), ("modern", false)] {
            let side = |line: &str| {
                let (mut at, mut text) = (0, String::new());
                for c in line.chars() {
                    if if left { at < column - 3 } else { at >= column } {
                        text.push(c);
                    }
                    at += unicode_width::UnicodeWidthChar::width(c).unwrap();
                }
                text.trim_end().to_owned()
            };
            // Lines that begin with `#` are causes, which are not part of the trace.
            let shown: String = ran.out.lines().skip(2).map(side).filter(|line| !line.starts_with('#')).collect();
            let trace: String = run(&format!("{command} --era {era}")).out.lines().collect();
            assert_eq!(shown.replace(' ', ""), trace.replace(' ', ""), "{command} --era {era}");
        }
    }
}

#[test]
fn the_seed_is_the_same_in_both_eras() {
    let ran = run("eras shared --step list-watch --seed random");
    let seed = ran.err.lines().find_map(|line| line.strip_prefix("# --seed ")).expect("the seed is printed");
    assert_eq!(ran.err.matches("--seed").count(), 1, "{}", ran.err);
    assert_eq!(run(&format!("eras shared --step list-watch --seed {seed}")).out, ran.out);
}
