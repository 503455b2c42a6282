//! The JSON text of an object as clients receive it. The text of an object that has not changed for a long time is
//! packed (compressed with LZ4) to save memory, and unpacked for each read; `packing.rs` decides when. Readers do not
//! notice.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use lz4_flex::block;

/// A text that never changes, plain or packed.
pub(super) struct PackableText {
    /// The length of the text in bytes. It is outside of the lock, because a list asks for it several times.
    length: usize,
    form: Mutex<Form>,
}

#[derive(Clone)]
enum Form {
    Plain(Bytes),
    Packed(Arc<Packed>),
}

/// A text compressed in LZ4's block format with a dictionary. Parts that also stand in the dictionary take hardly any
/// space.
struct Packed {
    block: Box<[u8]>,
    dictionary: Bytes,
}

/// The shortest text that is packed, in bytes. In a smaller object, the text is a small part of the memory that the
/// object takes, so compression does not pay.
pub(super) const SHORTEST: usize = 1024;

impl PackableText {
    pub(super) fn new(text: Vec<u8>) -> Self {
        Self { length: text.len(), form: Mutex::new(Form::Plain(text.into())) }
    }

    /// Returns the text. A packed text is unpacked for each reader, which takes about a microsecond for 2 KB.
    pub(super) fn text(&self) -> Bytes {
        let form = self.form().clone(); // a copy, so that other readers need not wait while this one unpacks
        match form {
            Form::Plain(text) => text,
            Form::Packed(packed) => packed.text(self.length),
        }
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Packs the text if it is at least [`SHORTEST`] long and becomes at least a quarter shorter. Returns true if it is
    /// packed now. A packed text keeps the dictionary alive.
    pub(super) fn pack(&self, dictionary: &Bytes) -> bool {
        let form = self.form().clone();
        let text = match form {
            Form::Plain(text) if text.len() >= SHORTEST => text,
            Form::Plain(_) => return false,
            Form::Packed(_) => return true,
        };
        let block = block::compress_with_dict(&text, dictionary);
        let is_worth_it = block.len() <= text.len() / 4 * 3;
        if is_worth_it {
            let packed = Packed { block: block.into(), dictionary: dictionary.clone() };
            *self.form() = Form::Packed(Arc::new(packed));
        }
        is_worth_it
    }

    #[cfg(test)]
    pub(super) fn is_packed(&self) -> bool {
        matches!(*self.form(), Form::Packed(_))
    }

    fn form(&self) -> MutexGuard<'_, Form> {
        self.form.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for PackableText {
    fn clone(&self) -> Self {
        Self { length: self.length, form: Mutex::new(self.form().clone()) }
    }
}

impl Packed {
    fn text(&self, length: usize) -> Bytes {
        let text = block::decompress_with_dict(&self.block, length, &self.dictionary);
        text.expect("a block that was packed here can be unpacked").into()
    }
}

impl fmt::Debug for PackableText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
        std::iter::repeat_with(|| random.u8(..)).take(length).collect()
    }

    /// Returns a text of random pieces: of the dictionary, of the text so far, and of noise.
    fn patchwork(random: &mut fastrand::Rng, dictionary: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for _ in 0..random.usize(0..60) {
            let known = if random.bool() { dictionary.to_vec() } else { text.clone() };
            let start = random.usize(0..=known.len());
            match random.u8(0..4) {
                0 => text.append(&mut noise(random, 40)),
                _ => text.extend_from_slice(&known[start..random.usize(start..=known.len())]),
            }
        }
        text
    }

    #[test]
    fn every_text_is_read_as_it_was_written() {
        let mut packed = 0;
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let length = random.usize(0..9000);
            let dictionary = Bytes::from(noise(&mut random, length));
            let written = patchwork(&mut random, &dictionary);
            let line = PackableText::new(written.clone());
            packed += usize::from(line.pack(&dictionary));
            assert_eq!((line.text().as_ref(), line.length()), (&*written, written.len()), "seed {seed}");
        }
        assert!(packed > 150, "{packed} of 300 were packed");
    }

    #[test]
    fn only_a_long_text_that_resembles_the_dictionary_is_packed() {
        let mut random = fastrand::Rng::with_seed(1);
        let known = noise(&mut random, 2000);
        let dictionary = Bytes::from(known.clone());
        let [like, unlike, short] =
            [known.clone(), noise(&mut random, 2000), known[..SHORTEST - 1].to_vec()].map(PackableText::new);
        assert_eq!([&like, &unlike, &short].map(|line| line.pack(&dictionary)), [true, false, false]);
        assert_eq!([&like, &unlike, &short].map(PackableText::is_packed), [true, false, false]);
    }
}
