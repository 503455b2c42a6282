//! Frames and batches: the layout of records in a file. A frame is the length of its content, a checksum of the length,
//! a checksum of the content, and the content. A batch is a frame with a number and some records; in a log, those that
//! one flush has brought to the disk. The batches of a file are numbered from 1 on, because no checksum reveals that a
//! batch is missing or repeated.

use flate2::Crc;

use super::record::{Record, length, take, take_u32, take_u64};

/// The first bytes of each file. They name the program and the version of the format.
pub(super) const MAGIC: &[u8; 8] = b"ILABWAL2";

/// The first bytes of a file of any version.
pub(super) const FAMILY: &[u8; 7] = b"ILABWAL";

/// The number of bytes before a frame's content.
pub(super) const HEAD: usize = 12;

/// The first byte of a batch's content. Records begin with 1 to 3, and the marks of a log file (`log.rs`) with 5.
const BATCH: u8 = 4;

/// The result of reading the first frame of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FirstFrame<'a> {
    /// The content of a frame, and the bytes behind it.
    Whole(&'a [u8], &'a [u8]),
    /// The bytes end before the frame does, or there are none.
    Cut,
    /// The length is not as it was written.
    BadLength,
    /// The content is not as it was written. Holds the bytes behind the frame.
    BadContent(&'a [u8]),
}

/// Reads the first frame of `bytes`.
pub(super) fn first(bytes: &[u8]) -> FirstFrame<'_> {
    let mut rest = bytes;
    let mut word = || take_u32(&mut rest);
    let (Some(length), Some(sum_of_length), Some(sum)) = (word(), word(), word()) else { return FirstFrame::Cut };
    if checksum(&length.to_le_bytes()) != sum_of_length {
        return FirstFrame::BadLength;
    }
    match rest.split_at_checked(length as usize) {
        None => FirstFrame::Cut,
        Some((content, rest)) if checksum(content) == sum => FirstFrame::Whole(content, rest),
        Some((_, rest)) => FirstFrame::BadContent(rest),
    }
}

/// Writes the head of a frame, whose content begins at `HEAD`.
pub(super) fn fill_head(frame: &mut [u8]) {
    let Some((head, content)) = frame.split_at_mut_checked(HEAD) else { return };
    let length = length(content.len());
    head[..4].copy_from_slice(&length);
    head[4..8].copy_from_slice(&checksum(&length).to_le_bytes());
    head[8..].copy_from_slice(&checksum(content).to_le_bytes());
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// A batch that is being put together.
#[derive(Debug)]
pub(super) struct BatchBuilder(Vec<u8>);

impl BatchBuilder {
    pub(super) fn new(number: u64) -> Self {
        let mut bytes = vec![0; HEAD];
        bytes.push(BATCH);
        bytes.extend_from_slice(&number.to_le_bytes());
        Self(bytes)
    }

    pub(super) fn push(&mut self, record: &Record<'_>) {
        let start = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        record.write(&mut self.0);
        let length = length(self.0.len() - start - 4);
        self.0[start..start + 4].copy_from_slice(&length);
    }

    pub(super) fn length(&self) -> usize {
        self.0.len()
    }

    /// Returns the frame.
    pub(super) fn finish(mut self) -> Vec<u8> {
        fill_head(&mut self.0);
        self.0
    }
}

/// A batch that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch<'a> {
    pub(super) number: u64,
    pub(super) records: Vec<Record<'a>>,
}

impl<'a> Batch<'a> {
    /// Parses the content of a frame. Returns `None` if it is not the content of a batch.
    pub(super) fn read(mut content: &'a [u8]) -> Option<Self> {
        if take(&mut content, 1)? != [BATCH] {
            return None;
        }
        let number = take_u64(&mut content)?;
        let mut records = Vec::new();
        while !content.is_empty() {
            let length = take_u32(&mut content)?;
            records.push(Record::read(take(&mut content, length as usize)?)?);
        }
        Some(Self { number, records })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Vec<u8> {
        let mut draft = BatchBuilder::new(3);
        draft.push(&Record::Removed { revision: 8, group: "", plural: "pods", key: "a/c" });
        draft.push(&Record::End { revision: 8 });
        draft.finish()
    }

    #[test]
    fn a_batch_is_read_as_it_was_written() {
        let bytes = frame();
        let FirstFrame::Whole(content, []) = first(&bytes) else { panic!("{bytes:?}") };
        let removed = Record::Removed { revision: 8, group: "", plural: "pods", key: "a/c" };
        let records = vec![removed, Record::End { revision: 8 }];
        assert_eq!(Batch::read(content), Some(Batch { number: 3, records }));
    }

    #[test]
    fn a_frame_that_is_cut_or_changed_anywhere_is_no_frame() {
        let bytes = frame();
        for at in 0..bytes.len() {
            assert_eq!(first(&bytes[..at]), FirstFrame::Cut, "{at}");
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            assert!(!matches!(first(&changed), FirstFrame::Whole(..)), "{at}");
        }
    }
}
