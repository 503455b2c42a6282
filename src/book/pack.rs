//! The texts of the chapters: packed by `build.rs`, unpacked when the first one is read.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::GzDecoder;

static PACK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lessons.gz"));

/// The text of a file in `lessons/`.
///
/// # Panics
/// If there is no such file.
pub(super) fn text(file: &str) -> &'static str {
    static TEXTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(unpack);
    TEXTS.get(file).unwrap_or_else(|| panic!("there is no {file} in lessons/"))
}

fn unpack() -> BTreeMap<String, String> {
    let mut pack = String::new();
    GzDecoder::new(PACK).read_to_string(&mut pack).expect("the pack is a part of this program");
    let mut parts = pack.split_terminator('\0').map(str::to_owned);
    let mut texts = BTreeMap::new();
    while let (Some(name), Some(text)) = (parts.next(), parts.next()) {
        texts.insert(name, text);
    }
    texts
}
