//! Parses the command-line options of a benchmark, which are `--key value` pairs such as `--pods 10000`. They say how much work the
//! benchmark does; each benchmark has defaults of its own.

use std::collections::BTreeMap;
use std::time::Duration;

/// The known options.
const KEYS: [&str; 10] =
    ["changes", "handlers", "keys", "ms", "notifications", "objects", "pods", "readers", "url", "workers"];

/// The options on the command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pairs: BTreeMap<String, String>,
    /// True if the benchmark does as little work as possible, see [`smallest`](Self::smallest).
    smallest: bool,
}

impl Options {
    /// Parses the arguments that follow the benchmark's name.
    ///
    /// # Errors
    /// An argument is not a `--key`, a key is unknown, or a key has no value.
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

    /// Returns the same options, but limited to a millisecond of repetition and 100 for each number: enough to check that a benchmark still
    /// runs, not to measure anything.
    pub fn smallest(&self) -> Self {
        Self { smallest: true, ..self.clone() }
    }

    /// Returns an option, or this default.
    pub fn text(&self, key: &str, default: &str) -> String {
        self.pairs.get(key).cloned().unwrap_or_else(|| default.to_owned())
    }

    /// Returns an option that is a number, or this default.
    ///
    /// # Panics
    /// The option is not a number.
    pub fn number(&self, key: &str, default: usize) -> usize {
        let number = self.pairs.get(key).map_or(default, |text| text.parse().expect(key));
        if self.smallest { number.min(100) } else { number }
    }

    /// Returns the time for which a benchmark is repeated: `--ms`, or half a second.
    pub fn time(&self) -> Duration {
        if self.smallest {
            return Duration::from_millis(1);
        }
        Duration::from_millis(self.pairs.get("ms").map_or(500, |text| text.parse().expect("ms")))
    }
}
