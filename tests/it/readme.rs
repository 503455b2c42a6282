//! The output in the README equals the program's output.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use informer_lab::lessons::rows;

use crate::cli::run;

/// The commands of the console blocks that the README gives an output for, and that output.
fn transcripts(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    for block in blocks {
        for line in block.lines() {
            match (line.strip_prefix("$ "), all.last_mut()) {
                (Some(command), _) => all.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("output before any command: {line}"),
            }
        }
    }
    // Commands that run until Ctrl-C, and commands that need another program; the end-to-end tests run those.
    let live = |command: &str| {
        ["--serve", "--listen", "informer-lab cluster"].iter().any(|part| command.contains(part))
            || ["curl", "kubectl"].iter().any(|program| command.starts_with(program))
    };
    all.retain(|(command, output)| !output.is_empty() && !live(command));
    all
}

/// The notes on single lessons, by the name of the lesson. The book's chapters have a number or a language in their name.
fn chapters() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .filter(|path| {
            path.file_stem().is_some_and(|stem| stem.to_string_lossy().chars().all(|c| c.is_ascii_lowercase()))
        })
        .filter(|path| path.is_file())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn every_run_has_a_chapter_in_both_languages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons");
    for row in rows() {
        for language in ["en", "zh"] {
            let chapter = folder.join(format!("{}.{language}.md", row.chapter));
            assert!(chapter.exists(), "{}: {}", row.command, chapter.display());
        }
    }
}

#[test]
fn every_command_in_a_chapter_runs() {
    for (name, text) in chapters() {
        let commands: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("$ informer-lab ")).collect();
        assert!(commands.iter().any(|command| command.starts_with(&name)), "{name} shows how it is run");
        for command in commands {
            let command = command.split(" #").next().unwrap();
            if !command.contains("--cluster") && !command.contains("--serve") {
                let ran = run(command);
                assert_eq!(ran.code, Some(0), "{name}: {command}: {}", ran.err);
                assert!(!ran.out.is_empty(), "{name}: {command}");
            }
        }
    }
}

#[test]
fn every_file_that_a_chapter_or_a_readme_links_to_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<_> = chapters().into_iter().map(|(name, text)| (root.join("lessons"), name, text)).collect();
    for name in ["README.md", "README.zh.md"] {
        pages.push((root.to_owned(), name.to_owned(), fs::read_to_string(root.join(name)).unwrap()));
    }
    for (folder, name, text) in pages {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap(); // links.rs looks for the heading
            assert!(folder.join(file).exists(), "{name} links to {link}");
        }
    }
}

#[test]
fn every_transcript_in_it_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bin = Path::new(env!("CARGO_BIN_EXE_informer-lab")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), env::var("PATH").unwrap());
    for (name, language) in [("README.md", "en"), ("README.zh.md", "zh")] {
        let readme = fs::read_to_string(root.join(name)).unwrap();
        let story = readme.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        let folder = env::temp_dir().join(format!("informer-lab-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("story.yaml"), story).unwrap();
        let transcripts = transcripts(&readme);
        assert!(transcripts.len() >= 4, "{name} shows several: {transcripts:?}");
        for (command, shown) in transcripts {
            let ran = Command::new("sh")
                .args(["-c", &format!("exec 2>&1; {command}")])
                .current_dir(&folder)
                .env("PATH", &path)
                .env("LC_ALL", language)
                .output()
                .unwrap();
            // The README shows no standard error for a command with a pipe.
            let ran = String::from_utf8(ran.stdout).unwrap();
            let ran = if command.contains(" | ") {
                ran.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
            } else {
                ran
            };
            assert_eq!(ran, shown, "{name}: {command}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
