//! Reads the data folder when a cluster starts: the snapshot of the newest generation, and then the log of the writes
//! after it. Applied in order, they give the objects that the earlier cluster had at its end.

use std::collections::BTreeMap;

use super::data_error::DataError;
use super::first_version;
use super::folder::{Folder, log_name, snapshot_name};
use super::frame::{self, Batch, FAMILY, FirstFrame, MAGIC};
use super::log::{Mark, START};
use super::record::Record;
use super::reserve;

/// The data that an earlier cluster has left in a folder.
#[derive(Debug, Default)]
pub(crate) struct Restored {
    /// The revision of its last write.
    pub(crate) revision: u64,
    /// Its objects, in the order of their last writes.
    pub(crate) objects: Vec<RestoredObject>,
}

/// An object that an earlier cluster has left.
#[derive(Debug)]
pub(crate) struct RestoredObject {
    pub(crate) revision: u64,
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) key: String,
    pub(crate) json: Vec<u8>,
}

/// The highest revision that a folder may have. As many revisions are left for later writes.
const HIGHEST: u64 = u64::MAX / 2;

/// The version of a file's format.
#[derive(Clone, Copy, Debug)]
enum FileVersion {
    First,
    Second,
}

/// The damage of a file: the offset of the first bytes that are not as they were written, and the damage in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

/// The unfinished end of a log: the offset of its first byte, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unfinished {
    pub(super) at: usize,
    pub(super) length: usize,
}

/// The state after the records read so far.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// The revision of the last write so far.
    pub(super) revision: u64,
    /// The revisions and texts of the objects, by group, plural and key.
    objects: BTreeMap<(String, String, String), (u64, Vec<u8>)>,
}

impl Folder {
    /// Reads the data of an earlier cluster. Returns `None` if there was none. The error is `Damaged` or `Unusable`.
    pub(crate) fn read(&self) -> Result<Option<Restored>, DataError> {
        if let Some(generation) = self.stray_log()? {
            return Err(self.damaged(&snapshot_name(generation), "it is missing, although its log exists"));
        }
        if self.generation == 0 {
            // The reserve is made after the first snapshot has its name, so a folder with a reserve has had a snapshot.
            let had_one = self.names()?.iter().any(|name| name == reserve::NAME);
            let missing = || self.damaged(&snapshot_name(1), "it is missing, and so are all later files");
            return if had_one { Err(missing()) } else { Ok(None) };
        }
        let (snapshot, log) = (snapshot_name(self.generation), log_name(self.generation));
        if !self.names()?.contains(&log) {
            return Err(self.damaged(&log, "it is missing, although its snapshot exists"));
        }
        let mut state = Replayed::default();
        self.read_as(&snapshot, |bytes, version| match version {
            FileVersion::First => first_version::snapshot(bytes, &mut state),
            FileVersion::Second => read_snapshot(bytes, &mut state),
        })?;
        let unfinished = self.read_as(&log, |bytes, version| match version {
            FileVersion::First => first_version::log(bytes, &mut state),
            FileVersion::Second => read_log(bytes, &mut state),
        })?;
        if let Some(Unfinished { at, length }) = unfinished {
            let path = self.path_of(&log);
            tracing::warn!(path = %path.display(), at, length, "the last writes were never finished, and are left out");
            // Some of these writes may have been answered before a power cut lost the mark that counts them, so clients
            // may know their revisions. Each write takes more than a byte, so this sum is higher than all of these
            // revisions.
            state.revision = state.revision.saturating_add(length as u64);
        }
        if state.revision > HIGHEST {
            return Err(self.damaged(&log, "no cluster has so high a revision"));
        }
        Ok(Some(state.restored()))
    }

    /// Reads a file of either version.
    fn read_as<T>(
        &self,
        name: &str,
        read: impl FnOnce(&[u8], FileVersion) -> Result<T, Damage>,
    ) -> Result<T, DataError> {
        let bytes = self.read_file(name)?;
        let path = self.path_of(name);
        let read = match bytes.first_chunk() {
            Some(MAGIC) => read(&bytes, FileVersion::Second),
            Some(first_version::MAGIC) => read(&bytes, FileVersion::First),
            Some(other) if other.starts_with(FAMILY) => return Err(DataError::Newer(path)),
            Some(_) => Err(Damage { at: 0, why: "it was not written by this program" }),
            // A log is on the disk before its snapshot has its name, so no crash leaves it empty.
            None => Err(Damage { at: bytes.len(), why: "it is too short to be a file of a cluster" }),
        };
        read.map_err(|Damage { at, why }| DataError::Damaged { path, at: at as u64, why: why.to_owned() })
    }

    fn damaged(&self, name: &str, why: &str) -> DataError {
        DataError::Damaged { path: self.path_of(name), at: 0, why: why.to_owned() }
    }
}

impl Replayed {
    /// Applies the record of a write. Its revision must be the next one, because each write takes one revision. Returns
    /// false if it is not.
    pub(super) fn apply_next(&mut self, record: &Record<'_>) -> bool {
        let is_next = self.revision.checked_add(1) == Some(record.revision()) && !matches!(record, Record::End { .. });
        if is_next {
            self.revision = record.revision();
            self.apply(record);
        }
        is_next
    }

    /// Applies a record without a check of its revision: a snapshot has its objects in the order of their keys.
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        let index = |group: &str, plural: &str, key: &str| (group.to_owned(), plural.to_owned(), key.to_owned());
        match record {
            Record::Put { revision, group, plural, key, json } => {
                self.objects.insert(index(group, plural, key), (*revision, json.to_vec()));
            }
            Record::Removed { group, plural, key, .. } => {
                self.objects.remove(&index(group, plural, key));
            }
            Record::End { revision } => self.revision = *revision,
        }
    }

    fn restored(self) -> Restored {
        let restored = |((group, plural, key), (revision, json))| RestoredObject { revision, group, plural, key, json };
        let mut objects: Vec<RestoredObject> = self.objects.into_iter().map(restored).collect();
        objects.sort_by_key(|object| object.revision);
        Restored { revision: self.revision, objects }
    }
}

/// Reads a snapshot, which was complete before it got its name.
fn read_snapshot(bytes: &[u8], state: &mut Replayed) -> Result<(), Damage> {
    let mut batches = Batches { bytes, at: MAGIC.len(), number: 0 };
    while let Some(records) = batches.next().map_err(|mismatch| batches.damage(mismatch))? {
        records.iter().for_each(|record| state.apply(record));
        if let Some(Record::End { .. }) = records.last() {
            let is_all = batches.at == bytes.len();
            return if is_all { Ok(()) } else { Err(Damage { at: batches.at, why: "something follows its end" }) };
        }
    }
    Err(Damage { at: bytes.len(), why: "it has no end" })
}

/// Reads a log: first the part that is on the disk according to the mark, which must be whole, and then the later
/// batches up to the first unfinished one.
fn read_log(bytes: &[u8], state: &mut Replayed) -> Result<Option<Unfinished>, Damage> {
    let Some(mark) = Mark::newest(bytes) else {
        return Err(Damage { at: MAGIC.len(), why: "its mark, which says how far it was written, cannot be read" });
    };
    let flushed = usize::try_from(mark.end).ok().and_then(|end| bytes.get(..end));
    let Some(flushed) = flushed else {
        return Err(Damage { at: bytes.len(), why: "it is shorter than its mark says" });
    };
    let mut batches = Batches { bytes: flushed, at: START as usize, number: 0 };
    while let Some(records) = batches.next().map_err(|mismatch| batches.damage(mismatch))? {
        apply_batch(&records, batches.at, state)?;
    }
    if batches.number != mark.batches {
        return Err(batches.damage(Mismatch::Number));
    }
    batches.bytes = bytes;
    loop {
        match batches.next() {
            Ok(Some(records)) => apply_batch(&records, batches.at, state)?,
            Ok(None) => return Ok(None),
            Err(Mismatch::Content) => return Ok(Some(Unfinished { at: batches.at, length: bytes.len() - batches.at })),
            Err(Mismatch::Number) => return Err(batches.damage(Mismatch::Number)), // no crash does this
        }
    }
}

/// Applies the records of a batch that ends at an offset.
fn apply_batch(records: &[Record<'_>], end: usize, state: &mut Replayed) -> Result<(), Damage> {
    let follow = records.iter().all(|record| state.apply_next(record));
    if follow { Ok(()) } else { Err(Damage { at: end, why: "the revisions before it do not follow each other" }) }
}

/// The difference of the next batch from what was written there.
#[derive(Clone, Copy, Debug)]
enum Mismatch {
    Content,
    Number,
}

/// Reads the batches of a file in order.
struct Batches<'a> {
    bytes: &'a [u8],
    /// The offset of the next batch.
    at: usize,
    /// The number of the last batch.
    number: u64,
}

impl<'a> Batches<'a> {
    /// Returns the records of the next batch; `None` at the end of the bytes.
    fn next(&mut self) -> Result<Option<Vec<Record<'a>>>, Mismatch> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let FirstFrame::Whole(content, behind) = frame::first(rest) else { return Err(Mismatch::Content) };
        let batch = Batch::read(content).ok_or(Mismatch::Content)?;
        if batch.number != self.number + 1 {
            return Err(Mismatch::Number);
        }
        (self.at, self.number) = (self.bytes.len() - behind.len(), batch.number);
        Ok(Some(batch.records))
    }

    fn damage(&self, mismatch: Mismatch) -> Damage {
        let why = match mismatch {
            Mismatch::Content => "a batch of writes there has changed since it was written",
            Mismatch::Number => "a batch of writes is missing there, or is there twice",
        };
        Damage { at: self.at, why }
    }
}
