//! The write-ahead log: keeps the data of a cluster with a folder after the cluster ends, even by a crash. Upstream:
//! etcd's `server/storage/wal` and `server/etcdserver/api/snap`.
//!
//! A folder holds one generation: a snapshot of all objects, and a log of the writes after it. A write is appended
//! under the store's lock, so the log has the order of the revisions. A thread writes the appended records to the disk
//! and flushes them, many at a time; no response and no watch event leaves the server before its write is on the disk.
//! When the log has grown too long, the next generation begins with a new snapshot, which gets its final name only when
//! it is complete.

mod folder;
mod reader;
mod record;
mod writer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::watch;

use super::event::Event;
use super::storage::Storage;

pub use self::folder::DataError;
pub(crate) use self::folder::Folder;
pub(crate) use self::reader::{Restored, RestoredObject};
use self::writer::Writer;

/// The length in bytes beyond which a log is replaced by a snapshot.
const LONG: u64 = 64 << 20;

/// The progress of the writer thread.
#[derive(Clone, Debug)]
struct Progress {
    /// The revision of the last write that is on the disk.
    revision: u64,
    /// The reason why the writer has stopped; `None` while it works.
    failed: Option<Arc<str>>,
}

#[derive(Debug)]
pub(crate) struct Wal {
    /// The revision of the last write that was appended.
    appended: AtomicU64,
    on_disk: watch::Receiver<Progress>,
    /// `None` after [`close`](Self::close).
    writer: Mutex<Option<Running>>,
}

/// The writer thread, and the channel that feeds it.
#[derive(Debug)]
struct Running {
    writes: mpsc::Sender<Arc<Event>>,
    thread: JoinHandle<()>,
}

impl Wal {
    /// Begins the next generation of a folder with a snapshot of `storage`.
    pub(super) fn begin(folder: Folder, storage: &Storage) -> Result<Self, DataError> {
        let writer = Writer::begin(folder, storage, LONG)?;
        let revision = storage.revision();
        let (progress, on_disk) = watch::channel(Progress { revision, failed: None });
        let (writes, receiver) = mpsc::channel();
        let thread = writer.spawn(receiver, progress)?;
        Ok(Self { appended: AtomicU64::new(revision), on_disk, writer: Mutex::new(Some(Running { writes, thread })) })
    }

    /// Appends a write. Call it under the store's lock, so that the log has the order of the revisions.
    pub(super) fn append(&self, event: &Arc<Event>) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = writer.as_ref() {
            let _ = running.writes.send(event.clone()); // fails only if the writer has stopped, which it has reported
        }
        self.appended.store(event.revision, Ordering::Release);
    }

    /// Waits until everything appended so far is on the disk. The error is the reason why the writer has stopped.
    pub(crate) async fn flushed(&self) -> Result<(), Arc<str>> {
        let appended = self.appended.load(Ordering::Acquire);
        let mut on_disk = self.on_disk.clone();
        let reached = |progress: &Progress| progress.revision >= appended || progress.failed.is_some();
        let progress = on_disk.wait_for(reached).await.map_err(|_| Arc::from("the log was closed"))?;
        match &progress.failed {
            Some(why) if progress.revision < appended => Err(why.clone()),
            _ => Ok(()),
        }
    }

    pub(super) fn failure(&self) -> Option<Arc<str>> {
        self.on_disk.borrow().failed.clone()
    }

    pub(crate) fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running { writes, thread }) = writer {
            drop(writes);
            let _ = thread.join(); // a panic of the thread was reported when it happened
        }
    }
}
