//! Renders Markdown for a terminal: wraps it at words, and shows emphasis by escape codes.

use std::mem::take;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use super::code::{Language, broken};
use super::table;
use super::text::{Ink, Mark, Text};

/// The width and the emphasis of a page.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// The width in columns.
    pub width: usize,
    /// The way in which emphasis is shown.
    pub ink: Ink,
}

/// Renders a Markdown text.
pub fn page(markdown: &str, paper: Paper) -> String {
    let mut writer = Writer::on(paper);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        writer.event(event);
    }
    writer.page
}

struct Writer {
    paper: Paper,
    page: String,
    /// The current paragraph, heading or table cell.
    text: Text,
    /// The current code block, with its language.
    code: Option<(Language, String)>,
    /// The number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The bullet or number before the next line of the current item.
    bullet: Option<String>,
    rows: Vec<Vec<Text>>,
    /// The address of the current link, if it leads out of the book.
    link: Option<String>,
}

impl Writer {
    fn on(paper: Paper) -> Self {
        let (page, text) = (String::new(), Text::default());
        Self { paper, page, text, code: None, lists: Vec::new(), bullet: None, rows: Vec::new(), link: None }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text.push(&text),
            },
            Event::Code(code) if self.paper.ink == Ink::Plain => self.text.push(&format!("`{code}`")),
            Event::Code(code) => {
                self.text.mark(Mark::Code);
                self.text.push(&code);
                self.text.mark(Mark::End);
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(" "),
            _ => {} // HTML comments are marks for the tests, and chapters have no other elements
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => self.begin_item(),
            Tag::CodeBlock(kind) => {
                self.flush();
                self.code = Some((Language::of(&kind), String::new()));
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::Strong => self.text.mark(Mark::Strong),
            Tag::Emphasis => self.text.mark(Mark::Emphasis),
            Tag::Link { dest_url, .. } => self.link = dest_url.contains("://").then(|| dest_url.to_string()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.page.push('\n');
                }
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = take(&mut self.text);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = take(&mut self.rows);
                self.page.push_str(&table::layout(&rows, self.paper.width, self.paper.ink));
                self.page.push('\n');
            }
            TagEnd::Strong | TagEnd::Emphasis => self.text.mark(Mark::End),
            // A terminal page has no clickable links, so the address is printed. The address of a link
            // inside the book is left out: `read` finds a chapter by its name.
            TagEnd::Link => {
                if let Some(url) = self.link.take() {
                    self.text.push(&format!(" ({url})"));
                }
            }
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let mut text = Text::default();
        text.mark(Mark::Strong);
        text.push(take(&mut self.text).plain());
        text.mark(Mark::End);
        let line = if level == HeadingLevel::H1 { "═" } else { "─" };
        self.paragraph("", &text);
        self.page.push_str(&line.repeat(text.width().min(self.paper.width)));
        self.page.push_str("\n\n");
    }

    fn begin_item(&mut self) {
        self.flush();
        let bullet = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{:>2}. ", *number - 1)
            }
            _ => "  • ".to_owned(),
        };
        self.bullet = Some("    ".repeat(self.lists.len().saturating_sub(1)) + &bullet);
    }

    /// Ends the current paragraph. Items of a list follow each other without a blank line.
    fn flush(&mut self) {
        let text = take(&mut self.text);
        if text.plain().trim().is_empty() {
            return;
        }
        let first = self.bullet.take().unwrap_or_else(|| "    ".repeat(self.lists.len()));
        self.paragraph(&first, &text);
        if self.lists.is_empty() {
            self.page.push('\n');
        }
    }

    /// Writes a paragraph. `first` stands before its first line, and the further lines are indented as far.
    fn paragraph(&mut self, first: &str, text: &Text) {
        let indent = first.chars().count();
        for (number, (line, _)) in
            text.lines(self.paper.width.saturating_sub(indent), self.paper.ink).iter().enumerate()
        {
            let before = if number == 0 { first.to_owned() } else { " ".repeat(indent) };
            self.page.push_str(&format!("{before}{line}\n"));
        }
    }

    /// Writes the current code block. Tabs become blanks, and lines wider than the page are broken. The code is
    /// indented if it then still fits the page.
    fn code_block(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let code = code.replace('\t', "    ");
        let widest = code.lines().map(UnicodeWidthStr::width).max().unwrap_or_default();
        let indent = if widest + 4 <= self.paper.width { "    " } else { "" };
        let room = self.paper.width - indent.len();
        for line in code.lines().flat_map(|line| broken(line, room, language)) {
            self.page.push_str(&format!("{indent}{line}\n"));
        }
        self.page.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(markdown: &str, width: usize) -> String {
        page(markdown, Paper { width, ink: Ink::Plain })
    }

    #[test]
    fn a_chapter_has_headings_paragraphs_and_lists() {
        let shown = plain("# One\n\nA *b* `c`\nd.\n\n1. first of two\n2. second\n\nEnd.\n", 12);
        assert_eq!(shown, "One\n═══\n\nA b `c` d.\n\n 1. first of\n    two\n 2. second\n\nEnd.\n\n");
    }

    #[test]
    fn a_mark_for_the_tests_is_not_shown() {
        assert_eq!(plain("<!-- run: informer-lab queue -->\n```console\n$ x\n```\n", 20), "    $ x\n\n");
    }

    #[test]
    fn code_that_is_too_wide_goes_on_below() {
        let shown = plain("```\nfn one() {\n    store.add(pod, initial)?;\n```\n", 20);
        assert_eq!(shown, "fn one() {\n    store.add(pod,\n        initial)?;\n\n");
    }

    #[test]
    fn a_table_is_made_narrower_until_it_fits() {
        let shown = plain("| a | bcd efg hij klm |\n|---|---|\n| 事件 | x |\n", 16);
        assert_eq!(shown, "a     bcd efg\n      hij klm\n────  ──────────\n事件  x\n\n");
    }

    #[test]
    fn only_a_link_out_of_the_book_shows_its_address() {
        let shown = plain("[a](glossary.en.md#a) [b](https://b.example)", 60);
        assert_eq!(shown, "a b (https://b.example)\n\n");
    }
}
