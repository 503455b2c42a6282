//! The text of an object, as its readers are sent it. A text that nobody has read for a long time can be kept in less memory.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use lz4_flex::block;

/// A text that never changes, though the form changes in which it is kept.
pub(super) struct Line(Mutex<Form>);

enum Form {
    Plain(Bytes),
    /// LZ4's block format, with a dictionary: what both texts have in common is in the dictionary alone.
    Packed {
        block: Box<[u8]>,
        length: usize,
        dictionary: Bytes,
    },
}

/// The shortest text that is packed, in bytes: of a shorter one, too much is what every object takes beside its text.
pub(super) const SHORTEST: usize = 1024;

impl Line {
    pub(super) fn new(text: Vec<u8>) -> Self {
        Self(Mutex::new(Form::Plain(text.into())))
    }

    /// The text. A packed one is unpacked for each reader, which takes about a microsecond for 2 KB.
    pub(super) fn text(&self) -> Bytes {
        match &*self.form() {
            Form::Plain(text) => text.clone(),
            Form::Packed { block, length, dictionary } => {
                let text = block::decompress_with_dict(block, *length, dictionary);
                text.expect("what was packed here can be unpacked").into()
            }
        }
    }

    pub(super) fn length(&self) -> usize {
        match &*self.form() {
            Form::Plain(text) => text.len(),
            Form::Packed { length, .. } => *length,
        }
    }

    /// Packs the text, unless it is short, or hardly shorter then. The dictionary is kept for as long as one such text is.
    pub(super) fn pack(&self, dictionary: &Bytes) {
        let text = match &*self.form() {
            Form::Plain(text) if text.len() >= SHORTEST => text.clone(),
            _ => return,
        };
        let block = block::compress_with_dict(&text, dictionary);
        if block.len() <= text.len() / 4 * 3 {
            let (block, length, dictionary) = (block.into(), text.len(), dictionary.clone());
            *self.form() = Form::Packed { block, length, dictionary };
        }
    }

    #[cfg(test)]
    pub(super) fn is_packed(&self) -> bool {
        matches!(*self.form(), Form::Packed { .. })
    }

    fn form(&self) -> MutexGuard<'_, Form> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machinery::random::Random;

    #[test]
    fn any_text_is_read_as_it_was_written_after_it_was_packed() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let letters = random.u8(2..=255);
            let text = |random: &mut fastrand::Rng, most| -> Vec<u8> {
                let length = random.usize(0..most);
                (0..length).map(|_| random.u8(0..letters)).collect()
            };
            let dictionary = Bytes::from(text(&mut random, 10_000));
            let mut written = text(&mut random, 200_000);
            let common = random.usize(0..=dictionary.len());
            written.extend_from_slice(&dictionary[common..]);
            let line = Line::new(written.clone());
            line.pack(&dictionary);
            assert_eq!(line.text(), written, "seed {seed}");
            assert_eq!(line.length(), written.len(), "seed {seed}");
        }
    }

    #[test]
    fn what_is_like_the_dictionary_is_packed_and_nothing_else() {
        let mut random = Random::new(1);
        let noise: Vec<u8> = std::iter::repeat_with(|| random.uid()).take(100).collect::<String>().into();
        let dictionary = Bytes::from(noise.clone());
        let line = Line::new(noise[..2000].to_vec());
        line.pack(&dictionary);
        assert!(line.is_packed());
        let other = Line::new(std::iter::repeat_with(|| random.uid()).take(100).collect::<String>().into());
        other.pack(&dictionary);
        let short = Line::new(noise[..SHORTEST - 1].to_vec());
        short.pack(&dictionary);
        assert!(!other.is_packed() && !short.is_packed());
    }
}
