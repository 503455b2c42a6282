//! Fits texts of a record into a frame. A key, a version or a line of a record may have megabytes and is drawn in many
//! frames, so these functions read only as much of a text as they show, and make it visible.

use unicode_width::UnicodeWidthStr;

use crate::trace::{columns_of_character, visible};

/// The number of characters that are read for each column. It is more than one, because a character may take no column,
/// such as an accent.
const CHARACTERS_PER_COLUMN: usize = 4;

/// Returns the visible form of a text, cut to the width.
pub(super) fn cut(text: &str, width: usize) -> String {
    let most = width.saturating_add(1).saturating_mul(CHARACTERS_PER_COLUMN);
    let (begins, is_cut) = match text.char_indices().nth(most) {
        Some((at, _)) => (visible(&text[..at]), true),
        None => (visible(text), false),
    };
    if !is_cut && begins.width() <= width {
        return begins;
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| {
        let left = room.checked_sub(columns_of_character(*c));
        room = left.unwrap_or_default();
        left.is_some()
    };
    let begins: String = begins.chars().take_while(fits).collect();
    format!("{begins}…")
}

/// Joins texts, as many as can be seen in the width.
pub(super) fn joined(texts: impl Iterator<Item = String>, between: &str, width: usize) -> String {
    let (mut line, mut taken) = (String::new(), 0);
    for text in texts {
        if taken > width {
            break;
        }
        if !line.is_empty() {
            line.push_str(between);
        }
        taken += text.width() + between.width();
        line.push_str(&text);
    }
    line
}

/// Returns as many lines as fit into `room`, and how many are left out. `about` is the line of the event's object. If
/// that line would be left out, it replaces the last one.
pub(super) fn shortened(
    lines: impl Iterator<Item = String>,
    count: usize,
    about: Option<String>,
    room: usize,
) -> Vec<String> {
    if count <= room {
        return lines.collect();
    }
    let fits = room.saturating_sub(1);
    let mut shown: Vec<String> = lines.take(fits).collect();
    if let Some(about) = about.filter(|about| !shown.contains(about))
        && let Some(last) = shown.last_mut()
    {
        *last = about;
    }
    shown.push(format!("… +{}", count - fits));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_width_and_made_visible() {
        assert_eq!(cut("nettool", 7), "nettool");
        assert_eq!(cut("nettool", 6), "netto…");
        assert_eq!(cut("执行新增", 6), "执行…");
        assert_eq!(cut("a\u{202e}b", 20), "a\\u{202e}b");
        assert_eq!(cut("a\u{202e}b", 5), "a\\u{…");
        assert_eq!(cut(&"\u{301}".repeat(100), 5).chars().count(), 25);
    }

    #[test]
    fn lines_that_do_not_fit_are_counted_and_the_one_of_the_event_is_kept() {
        let lines = || ["a", "b", "c", "d"].map(str::to_owned).into_iter();
        let about = |line: &str| Some(line.to_owned());
        assert_eq!(shortened(lines(), 4, None, 4), ["a", "b", "c", "d"]);
        assert_eq!(shortened(lines(), 4, None, 3), ["a", "b", "… +2"]);
        assert_eq!(shortened(lines(), 4, about("d"), 3), ["a", "d", "… +2"]);
        assert_eq!(shortened(lines(), 4, about("a"), 3), ["a", "b", "… +2"]);
        assert_eq!(joined(lines(), ", ", 3), "a, b");
    }
}
