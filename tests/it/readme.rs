//! Checks that the outputs shown in the READMEs equal the program's output.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use informer_lab::lessons::lessons;

/// Returns the commands in the README's console blocks with the outputs that the README shows.
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
    // The end-to-end tests run the commands that need Ctrl-C or another program.
    let live = |command: &str| {
        ["--serve", "--listen", "informer-lab cluster"].iter().any(|part| command.contains(part))
            || ["curl", "kubectl"].iter().any(|program| command.starts_with(program))
    };
    all.retain(|(command, output)| !output.is_empty() && !live(command));
    all
}

#[test]
fn every_output_in_the_readme_is_real() {
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
        assert!(transcripts.len() >= 4, "{name} shows several outputs: {transcripts:?}");
        for (command, shown) in transcripts {
            let ran = Command::new("sh")
                .args(["-c", &format!("exec 2>&1; {command}")])
                .current_dir(&folder)
                .env("PATH", &path)
                .env("LC_ALL", language)
                .output()
                .unwrap();
            // For a command with a pipe, the README leaves out standard error, whose lines begin with `#`.
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

#[test]
fn both_readmes_have_every_lesson_in_their_table() {
    for name in ["README.md", "README.zh.md"] {
        let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        for lesson in lessons() {
            let begins = |line: &str| {
                let command = line.strip_prefix("| [`").and_then(|rest| rest.strip_prefix(lesson.command));
                command.is_some_and(|rest| rest.starts_with(['`', ' ']))
            };
            assert!(readme.lines().any(begins), "{name}: there is no row for {}", lesson.command);
        }
    }
}
