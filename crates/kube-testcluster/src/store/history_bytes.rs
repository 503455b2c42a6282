//! The size of the history: how many bytes the objects of the last writes take, in storage and in the watch caches.
//! Storage limits the history by number and age, and each watch cache its events by number; ten thousand states of an
//! object of a megabyte would still fill any memory.

use std::collections::VecDeque;

use super::event::Event;

/// The number of parts of the limit. A history beyond the limit loses one whole part at a time, and not a few bytes
/// with each write, because each drop looks at all watches.
const PARTS_OF_LIMIT: usize = 8;

/// The writes of the history with the sizes of their objects, the oldest one first.
#[derive(Debug)]
pub(super) struct HistoryBytes {
    /// The largest size of all objects together, in bytes.
    most: usize,
    bytes: usize,
    /// The revision and the size of each write.
    writes: VecDeque<(u64, usize)>,
}

impl HistoryBytes {
    pub(super) fn new(most: usize) -> Self {
        Self { most, bytes: 0, writes: VecDeque::new() }
    }

    /// Counts a write. Returns the revision up to which the history must be dropped, if it has become too large. The
    /// last write always stays.
    pub(super) fn add(&mut self, event: &Event) -> Option<u64> {
        let bytes = event.object().length();
        self.bytes += bytes;
        self.writes.push_back((event.revision, bytes));
        if self.bytes <= self.most {
            return None;
        }
        let wanted = self.most - self.most / PARTS_OF_LIMIT;
        let mut dropped = None;
        while self.bytes > wanted && self.writes.len() > 1 {
            let (revision, bytes) = self.writes.pop_front()?;
            self.bytes -= bytes;
            dropped = Some(revision);
        }
        dropped
    }
}
