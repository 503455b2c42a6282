//! Checks that the outputs shown in the READMEs and in `docs` equal the program's output.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use informer_lab::lessons::lessons;

/// The pages that show outputs, each with its language.
const PAGES: [(&str, &str); 4] =
    [("README.md", "en"), ("docs/runs.md", "en"), ("README.zh.md", "zh"), ("docs/zh/runs.md", "zh")];

/// Returns the commands in a page's console blocks with the outputs that the page shows.
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
fn every_output_on_the_pages_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bin = Path::new(env!("CARGO_BIN_EXE_informer-lab")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), env::var("PATH").unwrap());
    for (name, language) in PAGES {
        let page = fs::read_to_string(root.join(name)).unwrap();
        let folder = env::temp_dir().join(format!("informer-lab-{}-{}", name.replace('/', "-"), std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        if let Some(rest) = page.split("```yaml\n").nth(1) {
            fs::write(folder.join("story.yaml"), rest.split("```").next().unwrap()).unwrap();
        }
        let transcripts = transcripts(&page);
        assert!(transcripts.len() >= 2, "{name} shows several outputs: {transcripts:?}");
        for (command, shown) in transcripts {
            let ran = Command::new("sh")
                .args(["-c", &format!("exec 2>&1; {command}")])
                .current_dir(&folder)
                .env("PATH", &path)
                .env("LC_ALL", language)
                .output()
                .unwrap();
            // For a command with a pipe, the page leaves out standard error, whose lines begin with `#`.
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
fn both_pages_of_lessons_have_every_lesson_in_their_tables() {
    for name in ["docs/lessons.md", "docs/zh/lessons.md"] {
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        for lesson in lessons() {
            let begins = |line: &str| {
                let command = line.strip_prefix("| [`").and_then(|rest| rest.strip_prefix(lesson.command));
                command.is_some_and(|rest| rest.starts_with(['`', ' ']))
            };
            assert!(page.lines().any(begins), "{name}: there is no row for {}", lesson.command);
        }
    }
}
