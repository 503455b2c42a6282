//! The command-line options of a benchmark: `--key value` pairs.

use std::collections::BTreeMap;
use std::time::Duration;

/// The known options.
const KEYS: [&str; 10] =
    ["changes", "handlers", "keys", "ms", "notifications", "objects", "pods", "readers", "url", "workers"];

/// The options on the command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pairs: BTreeMap<String, String>,
    smallest: bool,
}

impl Options {
    /// Parses the words of the command line behind the benchmark's name.
    ///
    /// # Errors
    /// A word that is not a `--key`, an unknown key, or a key without a value.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut pairs = BTreeMap::new();
        while let Some(word) = words.next() {
            let key = word.strip_prefix("--").ok_or_else(|| format!("expected --key value, found {word}"))?;
            if !KEYS.contains(&key) {
                return Err(format!("no option --{key}; there are {}", KEYS.join(", ")));
            }
            let value = words.next().ok_or_else(|| format!("expected a value behind {word}"))?;
            pairs.insert(key.to_owned(), value);
        }
        Ok(Self { pairs, smallest: false })
    }

    /// Returns the same options, limited to a millisecond and 100 items, to check that a benchmark runs.
    pub fn smallest(&self) -> Self {
        Self { smallest: true, ..self.clone() }
    }

    pub fn text(&self, key: &str, usual: &str) -> String {
        self.pairs.get(key).cloned().unwrap_or_else(|| usual.to_owned())
    }

    pub fn number(&self, key: &str, usual: usize) -> usize {
        let number = self.pairs.get(key).map_or(usual, |text| text.parse().expect(key));
        if self.smallest { number.min(100) } else { number }
    }

    /// Returns the time for which a benchmark is repeated.
    pub fn time(&self) -> Duration {
        if self.smallest {
            return Duration::from_millis(1);
        }
        Duration::from_millis(self.pairs.get("ms").map_or(500, |text| text.parse().expect("ms")))
    }
}
