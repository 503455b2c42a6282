//! The compiled form of a schema's pattern, which is made when a value needs it. A small form is kept as long as its
//! schema. The large forms of all schemas share a pool, which limits their size together. A form can be large because
//! it matches bytes: Go matches characters, and accepts patterns whose form here is a hundred times as large as in Go.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use regex::bytes::Regex;

use super::{Failure, MOST_BYTES, built};

/// The limits, in bytes, with which a large pattern is compiled, one after the other.
const LARGE: [usize; 2] = [16 << 20, 64 << 20];
/// The largest size of all patterns in the pool, in bytes.
const MOST_IN_POOL: usize = 256 << 20;

#[derive(Clone, Debug, Default)]
pub(in crate::codec::structural) struct Compiled(OnceLock<Kept>);

#[derive(Clone, Debug)]
enum Kept {
    Small(Regex),
    /// The compiled form is in the pool, unless others have displaced it.
    Large,
    Failed(String),
}

impl Compiled {
    /// Returns the compiled form of a pattern, which must be the same in each call.
    ///
    /// # Errors
    /// Go's message, or that the pattern is too large.
    pub(in crate::codec::structural) fn regex(&self, pattern: &str) -> Result<Regex, String> {
        let kept = self.0.get_or_init(|| match built(pattern, MOST_BYTES) {
            Ok(regex) => Kept::Small(regex),
            Err(Failure::TooLarge) => Kept::Large,
            Err(failure) => Kept::Failed(failure.into()),
        });
        match kept {
            Kept::Small(regex) => Ok(regex.clone()),
            Kept::Large => large(pattern),
            Kept::Failed(why) => Err(why.clone()),
        }
    }
}

/// The large patterns that were used last.
#[derive(Default)]
struct Pool {
    patterns: HashMap<String, Pooled>,
    bytes: usize,
    /// The number of uses so far.
    uses: u64,
}

struct Pooled {
    regex: Regex,
    /// The limit with which the pattern was compiled. It counts as its size.
    bytes: usize,
    last_use: u64,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// Takes a large pattern from the pool. If it is not there, compiles it, with the first limit that is large enough.
fn large(pattern: &str) -> Result<Regex, String> {
    let pool = || POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = pool().get_or_insert_default().find(pattern) {
        return Ok(regex);
    }
    for bytes in LARGE {
        match built(pattern, bytes) {
            Ok(regex) => {
                pool().get_or_insert_default().insert(pattern, regex.clone(), bytes);
                return Ok(regex);
            }
            Err(Failure::TooLarge) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    Err(Failure::TooLarge.into())
}

impl Pool {
    fn find(&mut self, pattern: &str) -> Option<Regex> {
        self.uses += 1;
        let found = self.patterns.get_mut(pattern)?;
        found.last_use = self.uses;
        Some(found.regex.clone())
    }

    /// Adds a pattern. If the pool is then too large, it drops the patterns whose last use is longest ago.
    fn insert(&mut self, pattern: &str, regex: Regex, bytes: usize) {
        self.uses += 1;
        let pooled = Pooled { regex, bytes, last_use: self.uses };
        self.bytes += bytes;
        if let Some(before) = self.patterns.insert(pattern.to_owned(), pooled) {
            self.bytes -= before.bytes;
        }
        while self.bytes > MOST_IN_POOL {
            let oldest = self.patterns.iter().min_by_key(|(_, pooled)| pooled.last_use).map(|(name, _)| name.clone());
            let Some(dropped) = oldest.and_then(|name| self.patterns.remove(&name)) else { return };
            self.bytes -= dropped.bytes;
        }
    }
}
