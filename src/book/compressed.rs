//! The compressed texts of the chapters, as `build.rs` packs them. The first access decompresses all of them.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::GzDecoder;

static CHAPTERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/chapters.gz"));

/// Returns the text of a file in `lessons/`.
///
/// # Panics
/// There is no such file.
pub(super) fn chapter_text(file: &str) -> &'static str {
    static TEXTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(texts);
    TEXTS.get(file).unwrap_or_else(|| panic!("there is no {file} in lessons/"))
}

/// Decompresses the archive: each file's name and text, ended by a zero byte.
fn texts() -> BTreeMap<String, String> {
    let mut all = String::new();
    GzDecoder::new(CHAPTERS).read_to_string(&mut all).expect("the chapters are a part of this program");
    let mut parts = all.split_terminator('\0').map(str::to_owned);
    let mut texts = BTreeMap::new();
    while let (Some(name), Some(text)) = (parts.next(), parts.next()) {
        texts.insert(name, text);
    }
    texts
}
