//! The thread that writes the write-ahead log and its snapshots to the disk. It takes the writes that `Wal::append`
//! sends it, and reports the revision up to which everything is on the disk; responses wait for that. When the log has
//! grown too long, it begins a new generation: a snapshot of all objects, and an empty log.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use tokio::sync::watch;

use super::Progress;
use super::folder::{DataError, Folder};
use super::record::{MAGIC, Record};
use crate::private_file::create_private;
use crate::store::event::Event;
use crate::store::object::{Key, Object, ObjectText};
use crate::store::storage::Storage;
use kube_machinery::kinds::{CUSTOM_RESOURCE_DEFINITIONS, GroupResource};

/// The size in bytes from which a part of a snapshot is written to the file.
const PIECE: usize = 1 << 20;

type Objects = BTreeMap<(GroupResource, Key), Kept>;

/// A stored object as the next snapshot needs it.
#[derive(Debug)]
enum Kept {
    Object(Arc<Object>),
    /// A custom resource whose definition has changed since. The object would keep the definition as it was.
    Text(ObjectText),
}

impl Kept {
    fn revision(&self) -> u64 {
        match self {
            Self::Object(object) => object.revision,
            Self::Text(text) => text.revision,
        }
    }

    fn json(&self) -> Bytes {
        match self {
            Self::Object(object) => object.json(),
            Self::Text(text) => text.json(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Writer {
    folder: Folder,
    log: File,
    /// A log longer than this, and longer than the snapshot before it, is replaced by a new snapshot. In bytes.
    long: u64,
    /// The lengths of the current log and of its snapshot, in bytes.
    written: u64,
    snapshot: u64,
    /// The objects as of `revision`, for the next snapshot. The thread keeps its own map, so that it needs no lock of
    /// the store; the objects themselves are shared.
    objects: Objects,
    revision: u64,
    buffer: Vec<u8>,
}

impl Writer {
    /// Begins the next generation with a snapshot of `storage`. A log of more than `long` bytes is replaced by a new
    /// snapshot.
    pub(super) fn begin(mut folder: Folder, storage: &Storage, long: u64) -> Result<Self, DataError> {
        let index = |object: &Object| (object.resource.group_resource(), object.key.clone());
        let objects = storage.all().map(|object| (index(object), Kept::Object(object.clone())));
        let (objects, revision) = (objects.collect(), storage.revision());
        let (snapshot, log) = next_generation(&mut folder, &objects, revision)?;
        Ok(Self { folder, log, long, written: 0, snapshot, objects, revision, buffer: Vec::new() })
    }

    /// Starts the thread. It ends when the sender of `writes` is dropped, or when the disk fails.
    pub(super) fn spawn(
        mut self,
        writes: mpsc::Receiver<Arc<Event>>,
        progress: watch::Sender<Progress>,
    ) -> Result<JoinHandle<()>, DataError> {
        let path = self.folder.log(self.folder.generation); // names the log in the error
        let run = move || {
            while let Ok(first) = writes.recv() {
                // Writes that have come meanwhile share one flush, which is the slow part.
                let more = std::iter::from_fn(|| writes.try_recv().ok());
                match self.write(std::iter::once(first).chain(more)) {
                    Ok(()) => progress.send_modify(|progress| progress.revision = self.revision),
                    Err(error) => return fail(&progress, &error),
                }
                if self.written > self.long.max(self.snapshot)
                    && let Err(error) = self.start_again()
                {
                    return fail(&progress, &error);
                }
            }
        };
        thread::Builder::new().name("wal".into()).spawn(run).map_err(|why| DataError::Unusable { path, why })
    }

    /// Writes the records of these events, and waits for the disk.
    fn write(&mut self, events: impl Iterator<Item = Arc<Event>>) -> io::Result<()> {
        self.buffer.clear();
        for event in events {
            let object = event.object();
            let index = (object.resource.group_resource(), object.key.clone());
            let (revision, key) = (event.revision, object.key.as_str());
            let (group, plural) = (object.resource.group(), object.resource.plural());
            match &event.current {
                Some(current) => {
                    let json = current.json();
                    Record::Put { revision, group, plural, key, json: &json }.write(&mut self.buffer);
                    self.objects.insert(index, Kept::Object(current.clone()));
                }
                None => {
                    Record::Removed { revision, group, plural, key }.write(&mut self.buffer);
                    self.objects.remove(&index);
                }
            }
            self.revision = revision;
            if object.resource == CUSTOM_RESOURCE_DEFINITIONS {
                self.detach(object.key.name());
            }
        }
        self.log.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.shrink_to(PIECE);
        self.log.sync_data()
    }

    /// Replaces a long log by a snapshot.
    fn detach(&mut self, definition: &str) {
        let Some((plural, group)) = definition.split_once('.') else { return };
        let kind = GroupResource::defined(plural, group);
        let first = (kind.clone(), Key::from_start(String::new()));
        for (_, kept) in self.objects.range_mut(first..).take_while(|((of, _), _)| *of == kind) {
            if let Kept::Object(object) = kept {
                *kept = Kept::Text(object.text_alone());
            }
        }
    }

    fn start_again(&mut self) -> Result<(), DataError> {
        let (snapshot, log) = next_generation(&mut self.folder, &self.objects, self.revision)?;
        (self.log, self.written, self.snapshot) = (log, 0, snapshot);
        Ok(())
    }
}

/// Reports that nothing more reaches the disk. From now on, each request that must wait for the disk fails.
fn fail(progress: &watch::Sender<Progress>, error: &(dyn std::error::Error + 'static)) {
    tracing::error!(error, "nothing can be written to the log any more: remove the cause, and start the cluster again");
    let message = format!("the log cannot be written, and the cluster must be started again: {error}");
    progress.send_modify(|progress| progress.failed = Some(message.into()));
}

/// Writes a snapshot, and begins an empty log after it. Returns the snapshot's length in bytes, and the log. The
/// snapshot gets its final name when both files are on the disk, so a crash before that leaves the previous generation
/// in use.
fn next_generation(folder: &mut Folder, objects: &Objects, revision: u64) -> Result<(u64, File), DataError> {
    let next = folder.generation + 1;
    let path = folder.snapshot(next);
    let made = || {
        let mut log = create_private(&folder.log(next))?;
        log.write_all(MAGIC)?;
        log.sync_all()?;
        let unfinished = folder.unfinished(next);
        let length = write_snapshot(create_private(&unfinished)?, objects, revision)?;
        fs::rename(&unfinished, &path)?;
        folder.sync()?;
        Ok((length, log))
    };
    let made = made().map_err(|why| DataError::Unusable { path: path.clone(), why })?;
    folder.generation = next;
    folder.remove_old()?;
    Ok(made)
}

/// Writes all objects and the end record, in large pieces. Returns the length in bytes.
fn write_snapshot(mut file: File, objects: &Objects, revision: u64) -> io::Result<u64> {
    let mut piece = MAGIC.to_vec();
    let mut length = 0;
    for ((kind, key), object) in objects {
        let (group, plural, key) = (kind.group(), kind.plural(), key.as_str());
        let (revision, json) = (object.revision(), object.json());
        Record::Put { revision, group, plural, key, json: &json }.write(&mut piece);
        if piece.len() > PIECE {
            file.write_all(&piece)?;
            length += piece.len() as u64;
            piece.clear();
        }
    }
    Record::End { revision }.write(&mut piece);
    file.write_all(&piece)?;
    file.sync_all()?;
    Ok(length + piece.len() as u64)
}
