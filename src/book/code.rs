//! Lines of code that are wider than the page: where they go on below.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How much further to the right a line goes on.
const HANG: usize = 4;

/// After these a line of a program may end.
const ENDS: [&str; 8] = [", ", "(", " {", "= ", "=> ", "-> ", "&& ", "|| "];

/// The line in parts that fit the width. It ends after a comma, a bracket or an operator, or before a method; a comment, and what
/// has none of these, between words.
pub(super) fn broken(line: &str, width: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let indent = &line[..line.len() - line.trim_start().len()];
    let below = match comment(line) {
        Some(mark) => format!("{indent}{mark} "),
        None => format!("{indent}{:HANG$}", ""),
    };
    let mut rest = line.to_owned();
    while rest.width() > width {
        let begins = rest.len() - rest.trim_start().len();
        let Some(end) = end(&rest, begins, width, comment(line).is_some()) else { break };
        let next = format!("{below}{}", rest[end..].trim_start());
        if next.len() >= rest.len() && next.width() > width {
            break; // the page is too narrow for it
        }
        parts.push(rest[..end].trim_end().to_owned());
        rest = next;
    }
    parts.push(rest);
    parts
}

/// Where a line ends that is too wide.
fn end(line: &str, begins: usize, width: usize, is_comment: bool) -> Option<usize> {
    let fits = fitting(line, width);
    let fits_before = |at: &usize| *at > begins && line[..*at].trim_end().len() <= fits;
    let good = |at: &usize| fits_before(at) && !is_comment && !line[*at..].starts_with(')') && !is_in_text(line, *at);
    // A good place far to the left wastes the page.
    let wide = |part: usize| move |at: &usize| line[..*at].width() >= part;
    let ends = ENDS.iter().flat_map(|end| line.match_indices(end).map(|(at, found)| at + found.len()));
    let ends = ends.filter(good).filter(wide(width * 2 / 5)).max();
    let methods = || line.match_indices('.').map(|(at, _)| at).filter(|at| begins_name(&line[at + 1..]));
    let methods = || methods().filter(good).filter(wide(width / 3)).max();
    let words = || line.match_indices(' ').map(|(at, _)| at + 1).filter(fits_before).max();
    ends.or_else(methods).or_else(words).or(Some(fits)).filter(|at| *at > begins)
}

/// Whether a place is inside of a text in quotation marks.
fn is_in_text(line: &str, at: usize) -> bool {
    let marks = line[..at].match_indices('"').filter(|(mark, _)| !line[..*mark].ends_with('\\'));
    marks.count() % 2 == 1
}

/// How many bytes of the line fit.
fn fitting(line: &str, width: usize) -> usize {
    let mut room = width;
    for (at, c) in line.char_indices() {
        let needs = c.width().unwrap_or_default();
        if needs > room {
            return at;
        }
        room -= needs;
    }
    line.len()
}

fn begins_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The mark of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let mark = line.trim_start().split(' ').next()?;
    matches!(mark, "//" | "///" | "//!" | "#").then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_code_ends_where_a_reader_would_end_it() {
        let line = "    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {";
        assert_eq!(broken(line, 50), ["    fn on_add(&mut self, pod: Arc<Pod>,", "        _initial: InitialList) {"]);
        let line = "        let before = pod.metadata.resource_version.as_deref().unwrap_or_default();";
        let parts = broken(line, 62);
        assert_eq!(
            parts,
            ["        let before = pod.metadata.resource_version.as_deref()", "            .unwrap_or_default();"]
        );
    }

    #[test]
    fn a_text_in_quotation_marks_stays_whole_if_it_can() {
        let line = "        self.0.print(Style::Added, format_args!(\"  OnAdd: {}\", name(&pod)));";
        let below = "            format_args!(\"  OnAdd: {}\", name(&pod)));";
        assert_eq!(
            broken(line, 58),
            ["        self.0.print(Style::Added, format_args!(", &below.replace("format_args!(", "")]
        );
    }

    #[test]
    fn a_comment_goes_on_as_a_comment() {
        let line = "  // one two three four five";
        assert_eq!(broken(line, 16), ["  // one two", "  // three four", "  // five"]);
    }

    #[test]
    fn nothing_is_lost_and_everything_fits() {
        let line = "    self.0.print(Style::Added, format_args!(\"  OnAdd: {}\", name(&pod))); // 打印它，然后返回";
        for width in 30..100 {
            let parts = broken(line, width);
            assert!(parts.iter().all(|part| part.width() <= width), "{width}: {parts:#?}");
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&parts.concat()), letters(line), "{width}");
        }
        assert_eq!(broken(line, 200), [line]);
        assert_eq!(broken("", 10), [""]);
    }
}
