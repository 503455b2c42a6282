//! Reads the data folder when a cluster starts: the snapshot of the newest generation, and then the log of the writes
//! after it. Applied in order, they give the objects that the earlier cluster had at its end.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use super::folder::{DataError, Folder};
use super::record::{self, MAGIC, Next, Record};

#[derive(Debug, Default)]
pub(crate) struct Restored {
    /// The revision of its last write.
    pub(crate) revision: u64,
    /// Its objects, in the order of their last writes.
    pub(crate) objects: Vec<RestoredObject>,
}

#[derive(Debug)]
pub(crate) struct RestoredObject {
    pub(crate) revision: u64,
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) key: String,
    pub(crate) json: Vec<u8>,
}

/// Objects by group, plural and key.
type Objects = BTreeMap<(String, String, String), (u64, Vec<u8>)>;

impl Folder {
    /// Reads the data of an earlier cluster. Returns `None` if there was none. The error is `Damaged` or `Unusable`.
    pub(crate) fn read(&self) -> Result<Option<Restored>, DataError> {
        if let Some(log) = self.stray_log()? {
            let (path, why) = (self.snapshot(log), "it is missing, and its log is there".to_owned());
            return Err(DataError::Damaged { path, at: 0, why });
        }
        if self.generation == 0 {
            return Ok(None);
        }
        let (mut revision, mut objects) = (0, Objects::new());
        let mut is_complete = false;
        let path = self.snapshot(self.generation);
        // A snapshot was complete before it got its name, so a torn record in it is damage; at the end of a log it is
        // not.
        let torn = each(&path, |record| is_complete |= apply(record, &mut revision, &mut objects))?;
        if torn.is_some() || !is_complete {
            return Err(DataError::Damaged { path, at: torn.unwrap_or_default(), why: "it has no end".to_owned() });
        }
        let path = self.log(self.generation);
        if !path.exists() {
            let why = "it is missing, and its snapshot is there".to_owned();
            return Err(DataError::Damaged { path, at: 0, why });
        }
        let torn = each(&path, |record| {
            apply(record, &mut revision, &mut objects);
        })?;
        if let Some(at) = torn {
            tracing::warn!(path = %path.display(), at, "the last record was never finished, and is left out");
        }
        let restored = |((group, plural, key), (revision, json))| RestoredObject { revision, group, plural, key, json };
        let mut objects: Vec<RestoredObject> = objects.into_iter().map(restored).collect();
        objects.sort_by_key(|object| object.revision);
        Ok(Some(Restored { revision, objects }))
    }
}

/// Applies a record to the objects read so far. `last` is the revision of the last write so far. Returns true if the
/// record is the end of a snapshot.
fn apply(record: &Record<'_>, last: &mut u64, objects: &mut Objects) -> bool {
    let index = |group: &str, plural: &str, key: &str| (group.to_owned(), plural.to_owned(), key.to_owned());
    match record {
        Record::Put { revision, group, plural, key, json } => {
            *last = (*last).max(*revision);
            objects.insert(index(group, plural, key), (*revision, json.to_vec()));
        }
        Record::Removed { revision, group, plural, key } => {
            *last = (*last).max(*revision);
            objects.remove(&index(group, plural, key));
        }
        Record::End { revision } => {
            *last = (*last).max(*revision);
            return true;
        }
    }
    false
}

/// Calls `take` with every record of a file. Returns the offset of the last record if it is incomplete (torn by a
/// crash).
fn each(path: &Path, mut take: impl FnMut(&Record<'_>)) -> Result<Option<u64>, DataError> {
    let bytes = fs::read(path).map_err(|why: io::Error| DataError::Unusable { path: path.to_owned(), why })?;
    let damaged =
        |at: usize, why: &str| DataError::Damaged { path: path.to_owned(), at: at as u64, why: why.to_owned() };
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
        // A crash can leave a new log that is shorter than its header.
        return if MAGIC.starts_with(&bytes) { Ok(Some(0)) } else { Err(damaged(0, "it is no file of this program")) };
    };
    loop {
        let at = bytes.len() - rest.len();
        match record::next(rest) {
            Next::Record(record, behind) => {
                take(&record);
                rest = behind;
            }
            Next::End => return Ok(None),
            Next::Torn => return Ok(Some(at as u64)),
            Next::Damaged => return Err(damaged(at, "a record there is not as it was written")),
        }
    }
}
