//! Joins the messages of several errors into one. Upstream: `utilerrors.Aggregate`.

use std::collections::HashSet;

/// Returns the only message as it is, and several messages in brackets: `[a, b]`. Each message appears once, in the
/// order of its first occurrence. Returns `None` if there is no message.
pub fn aggregate(messages: impl IntoIterator<Item = String>) -> Option<String> {
    let mut seen = HashSet::new();
    let distinct: Vec<String> = messages.into_iter().filter(|message| seen.insert(message.clone())).collect();
    match distinct.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_messages_are_in_brackets_and_each_appears_once() {
        let of = |messages: &[&str]| aggregate(messages.iter().map(ToString::to_string));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["a"]).as_deref(), Some("a"));
        assert_eq!(of(&["a", "a"]).as_deref(), Some("a"));
        assert_eq!(of(&["b", "a", "b"]).as_deref(), Some("[b, a]"));
    }
}
