//! Waits for the next change of a program, for `check --watch`. It reads the file again and again: a program is small,
//! and its text shows a change that a time stamp may hide.

use std::thread;
use std::time::Duration;

/// The pause between two looks at the file.
const PAUSE: Duration = Duration::from_millis(200);

/// Waits until `read` returns another text than the one that was judged. `None` is a file that an editor replaces at
/// this moment.
pub(super) fn wait_for_change(judged: &str, read: impl FnMut() -> Option<String>) {
    wait(judged, read, || thread::sleep(PAUSE));
}

/// Waits for two equal looks in turn, because a single look may show the half that an editor has written so far.
fn wait(judged: &str, mut read: impl FnMut() -> Option<String>, mut pause: impl FnMut()) {
    let mut seen = read();
    loop {
        pause();
        let before = seen;
        seen = read();
        if seen == before && seen.as_deref().is_some_and(|text| text != judged) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits with a file that has these texts, one at each look, and returns the number of looks.
    fn looks(judged: &str, texts: &[Option<&str>]) -> usize {
        let mut looks = 0;
        let read = || {
            looks += 1;
            texts[looks - 1].map(str::to_owned)
        };
        wait(judged, read, || {});
        looks
    }

    #[test]
    fn an_equal_text_is_no_change_and_a_saved_one_is() {
        assert_eq!(looks("a", &[Some("a"), Some("a"), Some("b"), Some("b")]), 4);
    }

    #[test]
    fn a_file_that_is_being_written_is_not_judged() {
        assert_eq!(looks("a", &[Some("a"), None, None, Some(""), Some("b"), Some("b")]), 6);
    }

    #[test]
    fn a_change_during_the_judgement_counts() {
        assert_eq!(looks("a", &[Some("b"), Some("b")]), 2);
    }
}
