//! Reads the files of the first version of the format, so that a cluster can continue with the folder of an earlier
//! version of this program. Each start begins a new generation in the current format, so no file in this format is
//! written.
//!
//! In that version each record is a frame of its own, without a number, and no mark says how much of a log is on the
//! disk. So only the form of the last record tells whether it was finished: a crash cuts it off, or leaves zeros in
//! place of whole sectors. Any other difference is damage.

use super::frame::{self, FirstFrame, HEAD};
use super::reader::{Damage, Replayed, Unfinished};
use super::record::Record;

pub(super) const MAGIC: &[u8; 8] = b"ILABWAL1";

/// The length of the pieces that a disk writes whole.
const SECTOR: usize = 512;

/// Reads a snapshot, which was complete before it got its name.
pub(super) fn snapshot(bytes: &[u8], state: &mut Replayed) -> Result<(), Damage> {
    let mut is_complete = false;
    let torn = each(bytes, |record| {
        is_complete |= matches!(record, Record::End { .. });
        state.apply(record);
        true
    })?;
    match torn {
        None if is_complete => Ok(()),
        torn => Err(Damage { at: torn.map_or(bytes.len(), |torn| torn.at), why: "it has no end" }),
    }
}

/// Reads a log.
pub(super) fn log(bytes: &[u8], state: &mut Replayed) -> Result<Option<Unfinished>, Damage> {
    each(bytes, |record| state.apply_next(record))
}

/// Calls `take` with every record of a file, until it returns false. Returns the last record if it was not finished.
fn each(bytes: &[u8], mut take: impl FnMut(&Record<'_>) -> bool) -> Result<Option<Unfinished>, Damage> {
    let mut at = MAGIC.len();
    while at < bytes.len() {
        let damaged = |why| Damage { at, why };
        let next = frame::first(&bytes[at..]);
        let FirstFrame::Whole(content, rest) = next else {
            // An unfinished record is cut off, or has lost a sector and has nothing but zeros behind it.
            let was_finished = match next {
                FirstFrame::BadLength => !has_lost_a_sector(bytes, at, at + HEAD) || has_data(&bytes[at + HEAD..]),
                FirstFrame::BadContent(rest) => {
                    !has_lost_a_sector(bytes, at, bytes.len() - rest.len()) || has_data(rest)
                }
                FirstFrame::Whole(..) | FirstFrame::Cut => false,
            };
            let unfinished = Unfinished { at, length: bytes.len() - at };
            return if was_finished {
                Err(damaged("a record there has changed since it was written"))
            } else {
                Ok(Some(unfinished))
            };
        };
        let record = Record::read(content).ok_or_else(|| damaged("a record there has changed since it was written"))?;
        if !take(&record) {
            return Err(damaged("the revision there does not follow the one before"));
        }
        at = bytes.len() - rest.len();
    }
    Ok(None)
}

/// Returns true if the bytes from `start` to `end` are zeros in one of their sectors.
fn has_lost_a_sector(bytes: &[u8], start: usize, end: usize) -> bool {
    let mut start = start;
    while start < end {
        let next = (start / SECTOR + 1) * SECTOR;
        if bytes.get(start..next.min(end)).is_some_and(|part| !has_data(part)) {
            return true;
        }
        start = next;
    }
    false
}

fn has_data(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte != 0)
}
