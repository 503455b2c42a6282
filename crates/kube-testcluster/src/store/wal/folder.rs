//! The data folder of a cluster: its lock, which lets in one process at a time, and the names of its files.
//!
//! Generation N is a snapshot `N.snap` of all objects, and the log `N.wal` of the writes after it (in the names, N has
//! 16 digits). A new generation begins when a cluster starts, and when the log has grown too long. While its snapshot
//! is written, the file ends with `.snap.part`; when the snapshot is complete, it gets its final name, and the files of
//! the previous generation are removed. So after a crash at any moment, the newest `.snap` is complete and has its log.
//! The file `lock` is empty and stays.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::record::MAGIC;

/// The reason why a folder cannot hold a cluster's data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The folder or a file in it cannot be read or written.
    #[error("{} cannot be used", .path.display())]
    Unusable {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        why: io::Error,
    },
    /// The folder holds other files, and no data of a cluster.
    #[error("{} holds other files, and no cluster", .0.display())]
    NotACluster(PathBuf),
    /// Another cluster uses the folder.
    #[error("{} is used by another cluster", .0.display())]
    InUse(PathBuf),
    /// Another version of this program has written objects of a kind that this version does not serve.
    #[error("the object {key} of {kind} cannot be served by this version")]
    Foreign {
        /// The kind, as in `deployments.apps`.
        kind: String,
        /// The object, as `NAMESPACE/NAME` or `NAME`.
        key: String,
    },
    /// Another program has changed or truncated a file, or the disk has lost data.
    #[error("{} is damaged at byte {at}: {why}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The offset in bytes of the first record that cannot be read.
        at: u64,
        /// The damage, in words.
        why: String,
    },
}

/// A folder that only this process uses. Dropping this value unlocks the folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
    /// The number of the newest generation with a complete snapshot; 0 before the first one.
    pub(super) generation: u64,
}

impl Folder {
    /// Creates the folder if it is missing, and locks it. The error is `NotACluster`, `InUse` or `Unusable`.
    pub(crate) fn open(path: &Path) -> Result<Self, DataError> {
        let unusable = |why| DataError::Unusable { path: path.to_owned(), why };
        fs::create_dir_all(path).map_err(unusable)?;
        // Do not write into a folder that the user has named by mistake.
        let found = names(path)?;
        if !found.iter().any(|name| is_of_cluster(name)) && !found.iter().all(|name| is_of_system(name)) {
            return Err(DataError::NotACluster(path.to_owned()));
        }
        let lock = File::options().create(true).append(true).open(path.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DataError::InUse(path.to_owned())),
            Err(TryLockError::Error(why)) => return Err(unusable(why)),
        }
        let mut folder = Self { path: path.to_owned(), _lock: lock, generation: 0 };
        let snapshots = names(path)?.into_iter().filter_map(|name| number(&name, SNAPSHOT));
        folder.generation = snapshots.max().unwrap_or_default();
        Ok(folder)
    }

    pub(super) fn snapshot(&self, generation: u64) -> PathBuf {
        self.path.join(format!("{generation:016}{SNAPSHOT}"))
    }

    pub(super) fn log(&self, generation: u64) -> PathBuf {
        self.path.join(format!("{generation:016}{LOG}"))
    }

    /// Returns the path of a generation's snapshot while it is written.
    pub(super) fn unfinished(&self, generation: u64) -> PathBuf {
        self.path.join(format!("{generation:016}{UNFINISHED}"))
    }

    /// Returns the generation of a log that has writes, but whose snapshot is missing. Then the folder is damaged,
    /// because a log gets no writes before its snapshot is complete. An empty log of the next generation is fine: a
    /// crash leaves one if it comes before the snapshot is complete.
    pub(super) fn stray_log(&self) -> Result<Option<u64>, DataError> {
        let later =
            names(&self.path)?.into_iter().filter_map(|name| number(&name, LOG)).filter(|log| *log > self.generation);
        // A log begins with the magic bytes; anything behind them is a write.
        let has_writes = |log: &u64| fs::metadata(self.log(*log)).is_ok_and(|found| found.len() > MAGIC.len() as u64);
        Ok(later.into_iter().find(has_writes))
    }

    /// Flushes the directory, so that files created, renamed or removed in it stay so after a crash.
    pub(super) fn sync(&self) -> io::Result<()> {
        #[cfg(unix)]
        File::open(&self.path)?.sync_all()?;
        Ok(())
    }

    /// Removes the files of all generations but the newest, and unfinished snapshots.
    pub(super) fn remove_old(&self) -> Result<(), DataError> {
        let is_old = |name: &String| {
            let generation = number(name, SNAPSHOT).or_else(|| number(name, LOG));
            generation.is_some_and(|generation| generation != self.generation) || number(name, UNFINISHED).is_some()
        };
        for name in names(&self.path)?.iter().filter(|name| is_old(name)) {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(|why| DataError::Unusable { path, why })?;
        }
        Ok(())
    }
}

const LOCK: &str = "lock";
const SNAPSHOT: &str = ".snap";
const LOG: &str = ".wal";
const UNFINISHED: &str = ".snap.part";

fn names(folder: &Path) -> Result<Vec<String>, DataError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let entries = entries.map_err(|why| DataError::Unusable { path: folder.to_owned(), why })?;
    Ok(entries.into_iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// Returns true if a cluster has written a file of this name.
fn is_of_cluster(name: &str) -> bool {
    [SNAPSHOT, LOG, UNFINISHED].iter().any(|kind| number(name, kind).is_some()) || name == LOCK
}

/// Returns true if operating systems put files of this name into an empty volume or folder.
fn is_of_system(name: &str) -> bool {
    matches!(name, "lost+found" | ".DS_Store" | ".snapshot") || name.starts_with(".Trash-")
}

/// Returns the generation in the name of a file, if the name is 16 digits and this suffix.
fn number(name: &str, kind: &str) -> Option<u64> {
    let digits = name.strip_suffix(kind)?;
    (digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}
