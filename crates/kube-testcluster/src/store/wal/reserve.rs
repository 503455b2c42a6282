//! A file that reserves room on the disk. A write is in the store before it is in the log. So when the disk becomes
//! full, the store has some writes that the log cannot take and that can no longer be refused, and a read that shows
//! one of them cannot be answered. Then the writer removes this file, and the waiting writes get its room. Later writes
//! are refused before they change anything, until the file can be made again.

use std::io;

use super::disk::Disk;

pub(super) const NAME: &str = "reserve";

/// The room in bytes: enough for many writes of usual size, which were in progress when the disk became full. If the
/// room is too small, reads are refused too.
const ROOM: usize = if cfg!(test) { 64 << 10 } else { 1 << 20 };

/// The state of the file: it is there, or its room was given away.
#[derive(Debug)]
pub(super) enum Reserve {
    Kept,
    Spent,
}

impl Reserve {
    /// Makes the file, unless it is there.
    pub(super) fn keep(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if matches!(self, Self::Kept) {
            return Ok(());
        }
        let mut room = vec![0; ROOM];
        fastrand::Rng::with_seed(0).fill(&mut room); // not zeros: a disk that compresses keeps no room for them
        disk.create(NAME)?.write_at(0, &room).inspect_err(|_| {
            let _ = disk.remove(NAME);
        })?;
        *self = Self::Kept;
        Ok(())
    }

    /// Removes the file, so that waiting writes get its room. Returns false if there was no file.
    pub(super) fn spend(&mut self, disk: &dyn Disk) -> bool {
        let spent = matches!(self, Self::Kept) && disk.remove(NAME).is_ok();
        *self = Self::Spent;
        spent
    }
}
