//! The list of the book's chapters, in reading order, and the choice of a chapter by number, name or lesson.

use super::compressed::chapter_text;
use super::search;
use crate::lessons::rows;

/// A chapter in both languages.
#[derive(Debug)]
pub struct Chapter {
    /// The name of the chapter's files in `lessons/`, without language and ending, such as `04-reflector`.
    pub name: &'static str,
    /// The file in `lessons/` with the English text.
    en_file: &'static str,
    zh_file: &'static str,
}

/// Makes a [`Chapter`] of these two files in `lessons/`. A missing file is a compile error.
macro_rules! chapter {
    ($name:expr, $en:expr, $zh:expr) => {{
        const _: [&str; 2] =
            [include_str!(concat!("../../lessons/", $en)), include_str!(concat!("../../lessons/", $zh))];
        Chapter { name: $name, en_file: $en, zh_file: $zh }
    }};
}

macro_rules! chapters {
    ($($name:literal)*) => { [$(chapter!($name, concat!($name, ".en.md"), concat!($name, ".zh.md"))),*] };
}

/// A new chapter needs a line here; a test compares the list with the files.
static CHAPTERS: &[Chapter] = &chapters! {
    "01-architecture"
    "02-listwatch"
    "03-deltafifo"
    "04-reflector"
    "05-known-objects"
    "06-indexer"
    "07-myinformer"
    "08-listener"
    "09-shared"
    "10-shared-list-watch"
    "11-informer-index"
    "12-factory"
    "13-lister"
    "14-controller-loop"
    "15-workqueue"
    "16-controller"
    "17-list"
    "18-resync"
    "19-relist"
    "20-late-and-synced"
    "21-staleness"
    "22-then-and-now"
    "23-pitfalls"
    "24-scope-and-memory"
    "25-when-lists-fail"
    "glossary"
    "handout"
};

/// The page for teachers. Its English file has no language in its name, because teachers look for `TEACHING.md`.
static TEACHING: Chapter = chapter!("teaching", "TEACHING.md", "TEACHING.zh.md");

/// Returns all chapters in reading order, the glossary, the handout, and the page for teachers.
pub fn all() -> impl Iterator<Item = &'static Chapter> {
    CHAPTERS.iter().chain([&TEACHING])
}

impl Chapter {
    /// Returns the English text.
    pub fn en(&self) -> &'static str {
        chapter_text(self.en_file)
    }

    /// Returns the Chinese text.
    pub fn zh(&self) -> &'static str {
        chapter_text(self.zh_file)
    }

    /// Returns the chapter's number with two digits. The other pages have none.
    pub fn number(&self) -> Option<&'static str> {
        self.name.get(..2).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Returns the chapter's name without the number.
    pub fn slug(&self) -> &'static str {
        self.number().map_or(self.name, |_| &self.name[3..])
    }

    /// Returns the title: the first heading of the chapter's text, without the number.
    pub fn title<'a>(&self, text: &'a str) -> &'a str {
        let heading = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        heading.split_once(" · ").map_or(heading, |(_, title)| title)
    }

    /// Returns the reading time in minutes: a hundred and sixty words a minute, and two seconds for a line of code.
    pub fn minutes(&self) -> usize {
        let mut in_code = false;
        let (mut words, mut lines) = (0, 0);
        for line in self.en().lines() {
            if line.starts_with("```") {
                in_code = !in_code;
            } else if in_code {
                lines += 1;
            } else {
                words += line.split_whitespace().count();
            }
        }
        (words * 60 / 160 + lines * 2).div_ceil(60)
    }
}

/// Returns the chapter with this number. Does not need the texts, which a web page does not contain.
pub fn numbered(text: &str) -> Option<&'static Chapter> {
    let number = format!("{:02}", text.parse::<u8>().ok()?);
    all().find(|chapter| chapter.number() == Some(&number))
}

/// Finds a chapter by its number, its name, or a lesson that it is about.
pub fn find(name: &str) -> Option<&'static Chapter> {
    let wanted = name.trim().to_lowercase();
    let lesson = || rows().find(|row| row.lesson_name() == wanted).map(|row| row.chapter);
    all()
        .find(|chapter| chapter.name == wanted || chapter.slug() == wanted)
        .or_else(|| numbered(&wanted))
        .or_else(|| lesson().and_then(|name| all().find(|chapter| chapter.name == name)))
}

/// Returns at most three names of chapters and terms of the glossary that are similar to this name, best first.
pub(super) fn similar(name: &str) -> Vec<&'static str> {
    let wanted = name.trim().to_lowercase();
    let likeness = |name: &str| match name.to_lowercase() {
        name if name.contains(&wanted) => 1.0,
        name => strsim::jaro_winkler(&name, &wanted),
    };
    let names = all().map(Chapter::slug).chain(search::terms());
    let mut names: Vec<_> = names.map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness > 0.75).collect();
    names.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    names.dedup_by(|(_, a), (_, b)| a.eq_ignore_ascii_case(b));
    names.into_iter().map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<&'static str> {
        find(name).map(|chapter| chapter.name)
    }

    #[test]
    fn a_chapter_has_several_names() {
        for name in ["03", "3", "deltafifo", "03-deltafifo", "DeltaFIFO"] {
            assert_eq!(found(name), Some("03-deltafifo"), "{name}");
        }
        assert_eq!(found("glossary"), Some("glossary"));
    }

    #[test]
    fn an_unknown_name_brings_similar_chapters_and_terms() {
        assert_eq!(similar("reflektor").first().map(|name| name.to_lowercase()).as_deref(), Some("reflector"));
        assert!(similar("shar").contains(&"shared"));
        assert_eq!(similar("bookmrk"), ["bookmark"]);
        assert!(similar("xyz").is_empty());
        assert_eq!(found("99"), None);
    }

    #[test]
    fn a_chapter_takes_at_most_twenty_minutes_with_all_its_code() {
        for chapter in all().filter(|chapter| chapter.number().is_some()) {
            assert!((3..=20).contains(&chapter.minutes()), "{}: {} minutes", chapter.name, chapter.minutes());
        }
    }
}
