//! Splitter: splits the JSON text of a list into the texts of its items, while the text arrives in pieces. So the
//! items can be decoded on several threads, and the whole text is never in memory.

use std::mem;
use std::string::FromUtf8Error;

use memchr::memchr2;

/// The size of a full batch in bytes. It is large, because then the hand-over to another thread costs little compared
/// with decoding.
pub(super) const FULL: usize = 64 << 10;

/// Finds the start and end of each item. It does not check the JSON, because decoding does that later.
///
/// A splitter holds the items of the batch that is not full yet, and the envelope: the list's text without its items.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// The number of open brackets of both kinds. The list's `items` are at depth 2.
    depth: usize,
    state: LexerState,
    /// The number of complete items, if the current position is inside the list's `items`.
    items: Option<usize>,
    /// The full batches that `push` has not returned yet.
    full: Vec<Batch>,
    /// The batch that is not full yet.
    batch: Batch,
    /// The list's text without its items.
    envelope: Vec<u8>,
}

/// The position relative to strings, in which brackets and commas have no meaning.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LexerState {
    #[default]
    Outside,
    /// Inside a string.
    String,
    /// After a backslash in a string.
    Escape,
}

/// The concatenated texts of some items.
#[derive(Debug, Default)]
pub(super) struct Batch {
    text: Vec<u8>,
    /// The end of each item, as an offset into `text`. The first item begins at 0, each later item at the end of the
    /// item before it.
    ends: Vec<usize>,
}

impl Batch {
    /// Fails if the bytes are not UTF-8.
    pub fn into_items(self) -> Result<Items, FromUtf8Error> {
        let Self { text, ends } = self;
        Ok(Items { text: String::from_utf8(text)?, ends })
    }

    /// Returns the bytes after the last complete item.
    fn rest(&self) -> &[u8] {
        &self.text[self.ends.last().copied().unwrap_or_default()..]
    }
}

/// A batch whose bytes are valid UTF-8.
#[derive(Debug)]
pub(super) struct Items {
    text: String,
    ends: Vec<usize>,
}

impl Items {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }
}

impl Splitter {
    /// Reads the next piece of the text and returns the batches that became full.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Batch> {
        // The position in the piece, and the number of bytes of the piece that are stored already.
        let (mut at, mut stored) = (0, 0);
        while let Some(&byte) = piece.get(at) {
            match (self.state, byte) {
                (LexerState::Outside, b'"') => self.state = LexerState::String,
                (LexerState::Outside, _) => stored = self.read_structure(piece, at, stored),
                (LexerState::Escape, _) => self.state = LexerState::String,
                (LexerState::String, _) => match memchr2(b'"', b'\\', &piece[at..]) {
                    None => break,
                    Some(skipped) => {
                        at += skipped;
                        self.state = if piece[at] == b'"' { LexerState::Outside } else { LexerState::Escape };
                    }
                },
            }
            at += 1;
        }
        self.store(&piece[stored..]);
        mem::take(&mut self.full)
    }

    /// Handles the byte at `at`, which is outside of strings. The bytes of `piece` before `stored` are stored already;
    /// returns the new value of `stored`.
    fn read_structure(&mut self, piece: &[u8], at: usize, stored: usize) -> usize {
        let among_items = self.items.is_some();
        match piece[at] {
            b'[' if self.depth == 1 => {
                self.depth = 2;
                self.store(&piece[stored..=at]);
                self.items = ends_with_items_key(&self.envelope).then_some(0);
                at + 1
            }
            b'{' | b'[' => {
                self.depth += 1;
                stored
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth != 1 || !among_items {
                    return stored;
                }
                self.store(&piece[stored..at]);
                self.end_items();
                at
            }
            b',' if self.depth == 2 && among_items => {
                self.store(&piece[stored..at]);
                self.end_item();
                at + 1
            }
            _ => stored,
        }
    }

    /// Returns the larger of two lengths in bytes: of the item whose end has not come yet, and of the envelope.
    pub fn unfinished(&self) -> usize {
        self.batch.rest().len().max(self.envelope.len())
    }

    /// Returns the last batch, which is not full, and the envelope: the list's text with an empty `items`.
    pub fn finish(self) -> (Batch, Vec<u8>) {
        (self.batch, self.envelope)
    }

    /// Stores a part of the text: in the batch if it belongs to an item, else in the envelope.
    fn store(&mut self, text: &[u8]) {
        let to = if self.items.is_some() { &mut self.batch.text } else { &mut self.envelope };
        to.extend_from_slice(text);
    }

    /// Ends an item, and the batch if it is full.
    fn end_item(&mut self) {
        self.batch.ends.push(self.batch.text.len());
        self.items = self.items.map(|items| items + 1);
        if self.batch.text.len() >= FULL || self.batch.ends.len() >= FULL {
            // The number of items is limited too, because empty items have no bytes.
            self.full.push(mem::take(&mut self.batch));
        }
    }

    /// Ends the array of items. `[]` has no item. After a comma there is always an item, even an empty one, because
    /// decoding must report `[1,]` as an error.
    fn end_items(&mut self) {
        if self.items != Some(0) || !self.batch.rest().trim_ascii().is_empty() {
            self.end_item();
        }
        self.items = None;
    }
}

/// Returns true if the text ends with `"items":[`, with or without white space in between.
fn ends_with_items_key(mut text: &[u8]) -> bool {
    for end in ["[", ":", "\"items\""] {
        match text.trim_ascii_end().strip_suffix(end.as_bytes()) {
            Some(before) => text = before,
            None => return false,
        }
    }
    !text.ends_with(b"\\") // after a backslash, the quote does not begin the key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(batch: Batch) -> Vec<String> {
        batch.into_items().unwrap().iter().map(str::to_owned).collect()
    }

    /// Returns the items and the envelope, after checking that they are the same for pieces of any length.
    fn split(text: &str) -> (Vec<String>, String) {
        let [whole, bytewise, by_sevens] = [text.len().max(1), 1, 7].map(|length| {
            let mut splitter = Splitter::default();
            let full: Vec<_> = text.as_bytes().chunks(length).flat_map(|piece| splitter.push(piece)).collect();
            let (last, envelope) = splitter.finish();
            (full.into_iter().chain([last]).flat_map(texts).collect::<Vec<_>>(), String::from_utf8(envelope).unwrap())
        });
        assert_eq!(whole, bytewise);
        assert_eq!(whole, by_sevens);
        whole
    }

    #[test]
    fn items_are_taken_out_at_any_position_in_the_list() {
        let (items, envelope) = split(r#"{"items" : [{"a":[1,{}]}, {"b":"],[\\\""}],"kind":"PodList"}"#);
        assert_eq!(items, [r#"{"a":[1,{}]}"#, r#" {"b":"],[\\\""}"#]);
        assert_eq!(envelope, r#"{"items" : [],"kind":"PodList"}"#);
        assert_eq!(split(r#"{"kind":"PodList","items":[{}]}"#).0, ["{}"]);
    }

    #[test]
    fn other_arrays_stay_where_they_are() {
        for text in [
            r#"{"rows":[1,2]}"#,
            r#"{"metadata":{"items":[1]},"items":null}"#,
            r#"{"a\"items":[1]}"#,
            r#"["items",[1]]"#,
            r#"{"items":{"a":[1,2]}}"#,
            "<html>",
            "",
        ] {
            assert_eq!(split(text), (Vec::new(), text.to_owned()));
        }
    }

    #[test]
    fn an_empty_text_is_an_item_only_next_to_a_comma() {
        assert_eq!(split(r#"{"items":[ ]}"#).0, Vec::<String>::new());
        assert_eq!(split(r#"{"items":[1,]}"#).0, ["1", ""]);
        assert_eq!(split(r#"{"items":[,1]}"#).0, ["", "1"]);
    }

    #[test]
    fn an_item_that_was_cut_off_is_dropped_and_the_envelope_stays_open() {
        assert_eq!(split(r#"{"items":[{"a":1},{"b":"#), (vec![r#"{"a":1}"#.into()], r#"{"items":["#.into()));
    }

    #[test]
    fn many_items_fill_several_batches() {
        let item = format!("{:?}", "x".repeat(1000));
        let list = format!(r#"{{"items":[{}]}}"#, vec![item.as_str(); 100].join(","));
        let mut splitter = Splitter::default();
        let mut batches = splitter.push(list.as_bytes());
        batches.push(splitter.finish().0);
        // An item has 1,002 bytes, so the 66th fills the first batch of 64 KiB.
        assert_eq!(batches.into_iter().map(|batch| texts(batch).len()).collect::<Vec<_>>(), [66, 34]);
    }
}
