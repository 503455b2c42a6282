//! A file that only takes up room. A write is in the store before it is in the log, so when the disk is full, some
//! writes wait that can no longer be refused, and reads could not be answered, because they show them. The file gives its
//! room to these writes. Later writes are refused before they change anything, until the file can be made again.

use std::io;

use super::disk::Disk;

pub(super) const NAME: &str = "reserve";

/// The room in bytes: many writes of usual size, which were in progress when the disk became full. If it is not enough,
/// reads are refused too.
const ROOM: usize = if cfg!(test) { 64 << 10 } else { 1 << 20 };

/// The file, if it is there.
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
        fastrand::Rng::with_seed(0).fill(&mut room); // not zeros, which a disk that compresses would not keep room for
        disk.create(NAME)?.write_at(0, &room).inspect_err(|_| {
            let _ = disk.remove(NAME);
        })?;
        *self = Self::Kept;
        Ok(())
    }

    /// Gives the room away. Returns false if there is none.
    pub(super) fn spend(&mut self, disk: &dyn Disk) -> bool {
        let spent = matches!(self, Self::Kept) && disk.remove(NAME).is_ok();
        *self = Self::Spent;
        spent
    }
}
