//! Tests of the book's chapters: both languages have the same structure, and the outputs and the code that they show are real.
//!
//! `UPDATE_CHAPTERS=1 cargo test --test it chapters` rewrites the blocks of outputs and code, and the handout.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use informer_lab::book::{self, Chapter};
use informer_lab::lessons::rows;

use crate::cli::run;

const SECTIONS: [[&str; 2]; 10] = [
    ["Predict", "预测"],
    ["Run it", "运行"],
    ["The picture", "图"],
    ["The code", "代码"],
    ["In client-go", "在 client-go 里"],
    ["What people get wrong", "常见错误"],
    ["Exercises", "练习"],
    ["Solutions", "参考答案"],
    ["Answers", "预测的答案"],
    ["Next", "下一章"],
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the pages whose files have a language in their name: the chapters, the glossary and the handout.
fn pages() -> impl Iterator<Item = &'static Chapter> {
    book::all().filter(|chapter| chapter.name != "teaching")
}

fn numbered() -> impl Iterator<Item = &'static Chapter> {
    book::all().filter(|chapter| chapter.number().is_some())
}

/// Returns the rest of each line that begins with `mark`.
fn after<'a>(text: &'a str, mark: &'a str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(mark)).collect()
}

/// Parses a marker `<!-- KIND: WHAT -->`, such as `run` with `informer-lab queue`, which says how to make the block below it.
fn marker(line: &str) -> Option<(&str, &str)> {
    let (kind, what) = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?.split_once(": ")?;
    ["run", "code", "go"].contains(&kind).then_some((kind, what))
}

/// Makes the block that belongs under a marker: the output of a command, or an excerpt of a file.
fn block((kind, what): (&str, &str)) -> String {
    match kind {
        "run" => {
            let ran = run(what.strip_prefix("informer-lab ").unwrap());
            assert_eq!(ran.code, Some(0), "{what}: {}", ran.err);
            format!("```console\n$ {what}\n{}```\n", ran.out)
        }
        "code" => format!("{}```rust\n{}```\n", caption("Rust", what), excerpt(what)),
        _ => format!("{}```go\n{}```\n", caption("Go", what), excerpt(what)),
    }
}

/// Returns the line above a block of code: its language and a link to its file.
fn caption(language: &str, what: &str) -> String {
    let path = what.split('#').next().unwrap_or_default();
    format!("{language} · [{path}](../{path})\n\n")
}

/// Returns the lines between two anchors of a file (`path#anchor`), or the body of the whole file.
fn excerpt(what: &str) -> String {
    let (path, anchor) = what.split_once('#').unwrap_or((what, ""));
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines: Vec<&str> = if anchor.is_empty() { body(&text) } else { between(&text, anchor, what) };
    let lines = lines.into_iter().filter(|line| !line.trim_start().starts_with("// ANCHOR"));
    let lines: Vec<&str> = lines.collect();
    let indents = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indents.min().unwrap_or_default();
    let text: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect();
    let text = text.join("\n").trim_matches('\n').replace("\n\n\n", "\n\n");
    text + "\n"
}

fn between<'a>(text: &'a str, anchor: &str, what: &str) -> Vec<&'a str> {
    let at = |mark: &str| text.lines().position(|line| line.trim() == format!("// {mark}: {anchor}"));
    let (Some(begin), Some(end)) = (at("ANCHOR"), at("ANCHOR_END")) else { panic!("there is no {what}") };
    text.lines().skip(begin + 1).take(end - begin - 1).collect()
}

/// Returns a file's lines without the module's comment, the imports and the tests.
fn body(text: &str) -> Vec<&str> {
    let mut import = "";
    let mut lines = Vec::new();
    for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
        if line.starts_with("use ") {
            import = ";";
        } else if line.starts_with("import (") {
            import = ")";
        }
        let skipped =
            !import.is_empty() || ["//!", "package ", "// Command "].iter().any(|mark| line.starts_with(mark));
        if !skipped {
            lines.push(line);
        }
        if !import.is_empty() && line.ends_with(import) {
            import = "";
        }
    }
    lines
}

/// Returns a chapter's text with a freshly made block under every marker.
fn real(text: &str) -> String {
    let mut real = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        real.push_str(line);
        real.push('\n');
        let Some(marker) = marker(line) else { continue };
        if lines.next_if(|line| line.starts_with("Rust · ") || line.starts_with("Go · ")).is_some() {
            lines.next_if(|line| line.is_empty());
        }
        if lines.next_if(|line| line.starts_with("```")).is_some() {
            lines.by_ref().find(|line| *line == "```");
        }
        real.push_str(&block(marker));
    }
    real
}

fn file(chapter: &Chapter, language: &str) -> PathBuf {
    root().join("lessons").join(format!("{}.{language}.md", chapter.name))
}

#[test]
fn the_outputs_and_the_code_in_the_chapters_are_real() {
    let update = env::var_os("UPDATE_CHAPTERS").is_some();
    let mut differ = Vec::new();
    for chapter in pages() {
        for language in ["en", "zh"] {
            let path = file(chapter, language);
            let shown = fs::read_to_string(&path).unwrap();
            let real = real(&shown);
            if update {
                fs::write(&path, &real).unwrap();
            } else if real != shown {
                let line = real.lines().zip(shown.lines()).find(|(real, shown)| real != shown);
                differ.push(format!("{}.{language}.md: {line:?}", chapter.name));
            }
        }
    }
    assert!(differ.is_empty(), "UPDATE_CHAPTERS=1 cargo test --test it chapters\n{}", differ.join("\n"));
}

#[test]
fn every_chapter_is_in_the_book_in_both_languages() {
    let files = fs::read_dir(root().join("lessons")).unwrap().map(|file| file.unwrap().file_name());
    let names: BTreeSet<_> = files.filter_map(|name| name.into_string().ok()).collect();
    let written = |ending: &str| names.iter().filter_map(|name| name.strip_suffix(ending)).collect::<BTreeSet<_>>();
    let in_the_book: BTreeSet<_> = pages().map(|chapter| chapter.name).collect();
    let numbers: Vec<_> = numbered().map(|chapter| chapter.number()).collect();
    assert_eq!(written(".en.md"), in_the_book);
    assert_eq!(written(".zh.md").into_iter().filter(|name| *name != "TEACHING").collect::<BTreeSet<_>>(), in_the_book);
    assert!(numbers.is_sorted(), "{numbers:?}");
}

#[test]
fn every_run_of_the_catalog_names_an_existing_chapter() {
    for row in rows() {
        assert!(book::find(row.chapter).is_some(), "{}: there is no chapter {}", row.command, row.chapter);
    }
}

#[test]
fn both_languages_have_the_same_sections_and_blocks() {
    for chapter in numbered() {
        for (language, text) in [(0, chapter.en()), (1, chapter.zh())] {
            let sections: Vec<_> = after(text, "## ");
            assert_eq!(sections, SECTIONS.map(|section| section[language]), "{}", chapter.name);
            let title = format!("# {} · ", chapter.number().unwrap());
            assert!(text.starts_with(&title), "{} begins with {title}", chapter.name);
        }
        let markers = |text| str::lines(text).filter_map(marker).map(|(_, what)| what).collect::<Vec<_>>();
        assert_eq!(markers(chapter.en()), markers(chapter.zh()), "{}", chapter.name);
        let fences = |text| after(text, "```").len();
        assert_eq!(fences(chapter.en()), fences(chapter.zh()), "{}", chapter.name);
    }
}

#[test]
fn a_chapter_links_to_pages_of_its_own_language() {
    for chapter in pages() {
        for (text, other) in [(chapter.en(), ".zh.md"), (chapter.zh(), ".en.md")] {
            assert!(!text.contains(&format!("{other})")) && !text.contains(&format!("{other}#")), "{}", chapter.name);
        }
    }
}

/// The chapters in the plan of two hours, whose questions are on the handout.
const HANDED_OUT: [&str; 13] = ["01", "02", "03", "04", "05", "07", "08", "09", "15", "16", "18", "19", "23"];

/// Makes the handout from the chapters: titles, commands, and questions with room for the answers.
fn handout(language: usize) -> String {
    let heading = ["# Handout: predict, run, compare", "# 讲义：先预测，再运行，再对照"][language];
    let intro = [
        "Write down your answers before you run the command. The chapters have the answers at their end.",
        "先写下答案，再运行命令。答案在各章末尾。",
    ][language];
    let run = ["Run: ", "运行："][language];
    let mut page = format!("{heading}\n\n{intro}\n");
    for chapter in numbered().filter(|chapter| chapter.number().is_some_and(|number| HANDED_OUT.contains(&number))) {
        let text = [chapter.en(), chapter.zh()][language];
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        page += &format!("\n## {title}\n\n");
        let section = |number: usize| {
            let begin = text.split(&format!("\n## {}\n\n", SECTIONS[number][language])).nth(1).unwrap();
            begin.split("\n## ").next().unwrap().trim_end()
        };
        let commands: Vec<_> = after(section(1), "$ ").into_iter().map(|command| format!("`{command}`")).collect();
        if !commands.is_empty() {
            page += &format!("{run}{}\n\n", commands.join(", "));
        }
        for line in section(0).lines() {
            page += &unlinked(line);
            page += if line.starts_with(|c: char| c.is_ascii_digit()) { ROOM } else { "\n" };
        }
    }
    page
}

/// Two lines for an answer, below a question.
const ROOM: &str = "\n\n   …………………………………………………………………………\n\n   …………………………………………………………………………\n\n";

/// Returns the line with the texts of its links and without their addresses, because a handout is of paper.
fn unlinked(line: &str) -> String {
    let mut parts = line.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(at) = text.rfind('[') {
            text.remove(at);
        }
        text += part.split_once(')').map_or(part, |(_, rest)| rest);
    }
    text
}

#[test]
fn the_handout_has_the_titles_the_commands_and_the_questions_of_its_chapters() {
    for (language, name) in [(0, "en"), (1, "zh")] {
        let path = root().join(format!("lessons/handout.{name}.md"));
        let made = handout(language);
        if env::var_os("UPDATE_CHAPTERS").is_some() {
            fs::write(&path, &made).unwrap();
        }
        let shown = fs::read_to_string(&path).unwrap_or_default();
        assert!(shown == made, "handout.{name}.md: UPDATE_CHAPTERS=1 cargo test --test it chapters");
        let titles = after(&made, "## ").len();
        assert_eq!(titles, HANDED_OUT.len(), "{name}");
        assert!(made.matches("……\n\n   ……").count() >= 3 * titles, "{name}: three questions a chapter");
    }
}

#[test]
fn the_plans_of_the_page_for_teachers_last_as_long_as_their_titles_say() {
    let teaching = book::all().find(|chapter| chapter.name == "teaching").unwrap();
    for (text, titles) in
        [(teaching.en(), ["Forty-five minutes", "Two hours"]), (teaching.zh(), ["四十五分钟", "两小时"])]
    {
        for (title, length) in titles.into_iter().zip([45, 120]) {
            let plan = text.split(&format!("## {title}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
            let minutes =
                plan.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse::<u32>().ok());
            assert_eq!(minutes.sum::<u32>(), length, "{title}");
        }
    }
}

#[test]
fn both_glossaries_have_the_same_terms_in_alphabetical_order() {
    let glossary = book::find("glossary").unwrap();
    let terms = after(glossary.en(), "### ");
    assert_eq!(terms, after(glossary.zh(), "### "));
    let folded: Vec<_> = terms.iter().map(|term| term.to_lowercase()).collect();
    assert!(folded.is_sorted(), "{folded:?}");
}

#[test]
fn every_command_in_a_chapter_is_valid() {
    let lessons: BTreeSet<_> = rows().filter_map(|row| row.command.split(' ').next()).collect();
    let mut commands = BTreeSet::new();
    for text in numbered().flat_map(|chapter| [chapter.en(), chapter.zh()]) {
        let inline = text.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("informer-lab "));
        let all = inline.chain(after(text, "$ informer-lab "));
        let all =
            all.map(|line| line.split([';', '|', '#', '&']).next().unwrap_or_default().trim_start_matches("eras "));
        commands.extend(all.filter(|line| lessons.contains(line.split(' ').next().unwrap_or_default())));
    }
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands.into_iter().filter(|command| !command.contains(['…', '[', '$'])) {
        let ran = run(&format!("{command} --help"));
        assert_eq!(ran.code, Some(0), "informer-lab {command}: {}", ran.err);
    }
}
