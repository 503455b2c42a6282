//! The log file of a generation: two marks, and the batches of writes.
//!
//! If a batch is damaged whose writes were answered, the next start must fail. A batch whose writes were not answered
//! may be cut off, or have zeros in place of any of its pages, because pages reach the disk in any order before a power
//! cut. The bytes of the last batch cannot tell the two cases apart, so a mark does: the number of batches that a flush
//! has brought to the disk, and the length of the file with them. The mark is written after the flush and before the
//! answers. The batches up to that length must be whole. After it, the batches before the first one that is not whole
//! count, too.
//!
//! The mark needs no flush of its own, which would double the time of each write. After a crash of the process, the
//! mark is in the file. The flush of each batch also flushes the mark of the batch before, so after a power cut the
//! mark is at most one batch behind. Then only the checksum decides whether the last batch counts. If that batch cannot
//! be read, the next revision is higher than any revision that the batch can have given (see `reader.rs`).
//!
//! There are two marks, each in a page of its own, and they are written alternately, so that one of them is whole when
//! a power cut tears the other.

use std::io;

use super::disk::{Disk, DiskFile};
use super::frame::{self, FirstFrame, HEAD, MAGIC};
use super::record::{take, take_u64};

/// The length of the pages that hold the marks.
const PAGE: usize = 4096;

/// The offset of the first batch, in bytes.
pub(super) const START: u64 = 2 * PAGE as u64;

/// The first byte of a mark's content, which no batch has.
const MARK: u8 = 5;

/// The part of a log that is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of batches.
    pub(super) batches: u64,
    /// The length of the log with these batches, in bytes.
    pub(super) end: u64,
}

impl Mark {
    const NONE: Self = Self { batches: 0, end: START };

    /// Returns the place of the mark in the file. The first page also has the magic bytes.
    fn place(self) -> std::ops::Range<usize> {
        if self.batches.is_multiple_of(2) { MAGIC.len()..PAGE } else { PAGE..2 * PAGE }
    }

    /// Returns the bytes that fill the mark's place.
    fn bytes(self) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        bytes.push(MARK);
        bytes.extend_from_slice(&self.batches.to_le_bytes());
        bytes.extend_from_slice(&self.end.to_le_bytes());
        bytes.resize(self.place().len(), 0);
        frame::fill_head(&mut bytes);
        bytes
    }

    /// Returns the newest mark of a log; `None` if none can be read.
    pub(super) fn newest(log: &[u8]) -> Option<Self> {
        let read = |place| {
            let FirstFrame::Whole(mut content, _) = frame::first(log.get(place)?) else { return None };
            (take(&mut content, 1)? == [MARK]).then_some(())?;
            Some(Self { batches: take_u64(&mut content)?, end: take_u64(&mut content)? })
        };
        [read(MAGIC.len()..PAGE), read(PAGE..2 * PAGE)].into_iter().flatten().max_by_key(|mark| mark.batches)
    }
}

/// A log that is being written.
#[derive(Debug)]
pub(super) struct Log {
    file: Box<dyn DiskFile>,
    /// The part of the log that is on the disk.
    flushed: Mark,
    /// True if the mark in the file is `flushed`.
    is_marked: bool,
    /// True if bytes of a failed append may lie behind `flushed.end`.
    is_torn: bool,
}

impl Log {
    /// Creates an empty log, and flushes it.
    pub(super) fn create(disk: &dyn Disk, name: &str) -> io::Result<Self> {
        let mut file = disk.create(name)?;
        // The second mark comes with the first batch.
        let pages = [MAGIC.as_slice(), Mark::NONE.bytes().as_slice(), &[0; PAGE]].concat();
        file.write_at(0, &pages)?;
        file.sync()?;
        Ok(Self { file, flushed: Mark::NONE, is_marked: true, is_torn: false })
    }

    /// Returns the number of the next batch.
    pub(super) fn next(&self) -> u64 {
        self.flushed.batches + 1
    }

    /// Returns the length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.flushed.end
    }

    /// Appends the next batch, and flushes it. After an error the batch is not in the log, and can be appended again.
    pub(super) fn append(&mut self, batch: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.file.cut(self.flushed.end)?;
            self.is_torn = false;
        }
        self.mark()?;
        self.is_torn = true;
        self.file.write_at(self.flushed.end, batch)?;
        self.file.sync()?;
        self.is_torn = false;
        self.flushed = Mark { batches: self.next(), end: self.flushed.end + batch.len() as u64 };
        self.is_marked = false;
        // The batch is on the disk, so it counts whatever happens to its mark. The next append tries the mark again.
        if let Err(error) = self.mark() {
            tracing::warn!(%error, "the mark of the log cannot be written");
        }
        Ok(())
    }

    /// Writes the mark, unless the file has it already.
    fn mark(&mut self) -> io::Result<()> {
        if !self.is_marked {
            self.file.write_at(self.flushed.place().start as u64, &self.flushed.bytes())?;
            self.is_marked = true;
        }
        Ok(())
    }

    /// Flushes the last mark.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.mark()?;
        self.file.sync()
    }
}
