//! Inserts records and options into the page `page.html`, so one HTML file shows the run without a network.

use serde_json::{Value, json};

use crate::step::{Predict, questions};
use crate::trace::{Lang, Record, What, to_json};

/// The page as `player/` builds it, without records.
pub const PAGE: &str = include_str!("page.html");

/// The empty element of the page that the first record is inserted into. The others are for the second record and the
/// options.
pub const FIRST: &str = r#"<script type="application/x-ndjson" id="first"></script>"#;
const SECOND: &str = r#"<script type="application/x-ndjson" id="second"></script>"#;
const TITLE: &str = "<title>informer-lab board</title>";
const OPTIONS: &str = r#"<script type="application/json" id="options"></script>"#;

/// A record in the page's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The command of the run with its options and its era.
    name: String,
    /// NDJSON with the questions.
    text: String,
}

impl Recording {
    /// Converts a record. Each line contains the question that is asked after it, if there is one.
    pub fn new(records: &[Record]) -> Self {
        let mut questions = questions(records);
        let lines = records.iter().enumerate().map(|(at, record)| {
            let mut line = serde_json::to_value(record).unwrap_or(Value::Null);
            if let Some(question) = questions.remove(&at) {
                let sentence = |(en, zh): &(String, String)| json!({ "en": en, "zh": zh });
                line["question"] = json!({
                    "asks": sentence(&question.text),
                    "choices": question.choices.iter().map(sentence).collect::<Vec<_>>(),
                    "answer": question.answer,
                    "why": sentence(&question.reason),
                });
            }
            to_json(&line).unwrap_or_default()
        });
        Self { name: name(records), text: lines.collect::<Vec<_>>().join("\n") }
    }

    /// Returns the NDJSON.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn name(records: &[Record]) -> String {
    let Some(What::Run(header)) = records.first().map(|record| &record.what) else { return String::new() };
    let words = [std::slice::from_ref(&header.command), &header.options].concat().join(" ");
    format!("{words} · {}", header.client)
}

/// Returns the page with these recordings. Only the first two are shown.
pub fn page(recordings: &[Recording], lang: Lang, predict: Predict) -> String {
    let options = json!({ "lang": lang.pick("en", "zh"), "predict": predict == Predict::Yes }).to_string();
    let mut page = fill(PAGE, OPTIONS, &options).replacen(TITLE, &title(recordings), 1);
    for (element, recording) in [FIRST, SECOND].into_iter().zip(recordings) {
        page = fill(&page, element, recording.text());
    }
    page
}

/// Returns the element with the names of the runs. The page's script replaces it by one in the reader's language.
fn title(recordings: &[Recording]) -> String {
    let names = recordings.iter().take(2).map(|recording| recording.name.replace('&', "&amp;").replace('<', "&lt;"));
    let parts: Vec<String> = names.chain(["informer-lab board".to_owned()]).collect();
    format!("<title>{}</title>", parts.join(" · "))
}

/// The permissions of a live run's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// The page takes the keyboard's commands.
    Acts,
    /// The page only shows the run.
    Reads,
}

/// Returns the page of a live run, whose records come later.
pub(super) fn live_page(lang: Lang, follows: Follows) -> String {
    let live = match follows {
        Follows::Acts => "acts",
        Follows::Reads => "reads",
    };
    fill(PAGE, OPTIONS, &json!({ "lang": lang.pick("en", "zh"), "live": live }).to_string())
}

/// Inserts a text into an element of the page. JSON has `<` only in strings, where it is escaped, so no text can end
/// the element.
fn fill(page: &str, element: &str, text: &str) -> String {
    let (begin, end) = element.split_at(element.len() - "</script>".len());
    page.replacen(element, &format!("{begin}{}{end}", text.replace('<', "\\u003c")), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Header;

    #[test]
    fn the_page_has_each_element_once() {
        for place in [FIRST, SECOND, OPTIONS, TITLE] {
            assert_eq!(PAGE.matches(place).count(), 1, "{place}");
        }
    }

    #[test]
    fn nothing_in_a_record_ends_its_element() {
        let hostile =
            Record::without_cause(std::time::Duration::ZERO, What::Run(Header::new("</script><script>alert(1)")));
        let page = page(&[Recording::new(&[hostile])], Lang::En, Predict::No);
        assert!(!page.contains("<script>alert"), "the record's text is escaped");
        assert!(
            page.contains("<title>&lt;/script>&lt;script>alert(1) · classic · informer-lab board</title>"),
            "and the title's"
        );
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"), "the escaped text is in the page");
    }

    #[test]
    fn the_page_needs_no_network() {
        for part in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!PAGE.contains(part), "{part}");
        }
        assert!(PAGE.len() < 200_000, "{} bytes", PAGE.len());
    }
}
