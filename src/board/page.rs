//! The page with records in it.

use serde_json::{Value, json};

use crate::step::{Predict, questions};
use crate::trace::{Lang, Record};

/// The page as `player/` builds it, without a record.
pub const PAGE: &str = include_str!("page.html");

/// Where the parts of the page go: elements without content.
pub const FIRST: &str = r#"<script type="application/x-ndjson" id="first"></script>"#;
const SECOND: &str = r#"<script type="application/x-ndjson" id="second"></script>"#;
const OPTIONS: &str = r#"<script type="application/json" id="options"></script>"#;

/// A record as a page has it: NDJSON with the questions in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording(String);

impl Recording {
    /// The record, each line with the question that can be asked behind it.
    pub fn new(records: &[Record]) -> Self {
        let mut questions = questions(records);
        let lines = records.iter().enumerate().map(|(at, record)| {
            let mut line = serde_json::to_value(record).unwrap_or(Value::Null);
            if let Some(question) = questions.remove(&at) {
                let sentence = |(en, zh): &(String, String)| json!({ "en": en, "zh": zh });
                line["question"] = json!({
                    "asks": sentence(&question.asks), "happens": question.happens, "why": sentence(&question.why),
                });
            }
            line.to_string()
        });
        Self(lines.collect::<Vec<_>>().join("\n"))
    }

    /// The NDJSON.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The page that shows these recordings, the first two of them.
pub fn page(recordings: &[Recording], lang: Lang, predict: Predict) -> String {
    let options = json!({ "lang": lang.pick("en", "zh"), "predict": predict == Predict::Yes }).to_string();
    let mut page = filled(PAGE, OPTIONS, &options);
    for (place, recording) in [FIRST, SECOND].into_iter().zip(recordings) {
        page = filled(&page, place, recording.text());
    }
    page
}

/// What a page of a live run may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// What the keyboard may do.
    Acts,
    /// It only shows.
    Reads,
}

/// The page of a run that goes on: its records come later.
pub(super) fn live_page(lang: Lang, follows: Follows) -> String {
    let live = match follows {
        Follows::Acts => "acts",
        Follows::Reads => "reads",
    };
    filled(PAGE, OPTIONS, &json!({ "lang": lang.pick("en", "zh"), "live": live }).to_string())
}

/// The page with a text in an element. JSON has `<` only in strings, where it can be written otherwise: no text ends the element.
fn filled(page: &str, element: &str, text: &str) -> String {
    let (begin, end) = element.split_at(element.len() - "</script>".len());
    page.replacen(element, &format!("{begin}{}{end}", text.replace('<', "\\u003c")), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Header, What};

    #[test]
    fn the_page_has_each_place_once() {
        for place in [FIRST, SECOND, OPTIONS] {
            assert_eq!(PAGE.matches(place).count(), 1, "{place}");
        }
    }

    #[test]
    fn nothing_in_a_record_ends_its_element() {
        let hostile = Record::said(std::time::Duration::ZERO, What::Run(Header::new("</script><script>alert(1)")));
        let page = page(&[Recording::new(&[hostile])], Lang::En, Predict::No);
        assert!(!page.contains("<script>alert"), "it is escaped");
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"), "and it is there");
    }

    #[test]
    fn the_page_needs_no_network() {
        for part in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!PAGE.contains(part), "{part}");
        }
        assert!(PAGE.len() < 200_000, "{} bytes", PAGE.len());
    }
}
