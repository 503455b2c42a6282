//! The thread that writes the write-ahead log and its snapshots to the disk. It takes the writes that `Wal::append`
//! sends it, and reports the revision up to which everything is on the disk; responses wait for that. When the log has
//! grown too long, it begins a new generation: a snapshot of all objects, and an empty log.
//!
//! When the disk fails or is full, the writes that are in the store already wait, and each later message makes the
//! thread try again to write them. So the log continues by itself once the cause is gone.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

use super::data_error::DataError;
use super::folder::{Folder, log_name, snapshot_name, unfinished_name};
use super::frame::{BatchBuilder, MAGIC};
use super::log::Log;
use super::record::Record;
use super::reserve::Reserve;
use super::{DiskProgress, Message};
use crate::store::event::Event;
use crate::store::object::{Key, Object, ObjectText};
use crate::store::storage::Storage;
use kube_machinery::kinds::GroupResource;

/// The size in bytes from which a batch, or a part of a snapshot, takes no further record.
const BATCH: usize = 1 << 20;

/// The stored objects, by kind and key.
type Objects = BTreeMap<(GroupResource, Key), Kept>;

/// A stored object as the next snapshot needs it.
#[derive(Debug)]
enum Kept {
    Object(Arc<Object>),
    /// The text of a custom resource whose definition has changed since its last write. Only the text is kept, because
    /// an `Object` refers to its definition, and the old definition would stay in memory.
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

/// The writer of a folder, whose methods run in its thread.
#[derive(Debug)]
pub(super) struct Writer {
    folder: Folder,
    log: Log,
    /// The file whose room the waiting writes get when the disk is full.
    reserve: Reserve,
    /// A log longer than this is replaced by a new snapshot. In bytes.
    length_limit: u64,
    /// The least value of `length_limit`.
    least_limit: u64,
    /// The objects as of `revision`, for the next snapshot. The thread keeps its own map, so that it needs no lock of
    /// the store; the objects themselves are shared.
    objects: Objects,
    /// The revision of the last write that is on the disk.
    revision: u64,
    /// The writes that are not on the disk. While the disk fails, the store refuses further writes, so only the writes
    /// of the requests in progress wait here.
    waiting: VecDeque<Arc<Event>>,
}

impl Writer {
    /// Begins the next generation with a snapshot of `storage`. A log of more than `least_limit` bytes, and longer
    /// than its snapshot, is replaced by a new snapshot.
    pub(super) fn begin(mut folder: Folder, storage: &Storage, least_limit: u64) -> Result<Self, DataError> {
        let index = |object: &Object| (object.resource.group_resource(), object.key.clone());
        let objects = storage.all().map(|object| (index(object), Kept::Object(object.clone())));
        let (objects, revision) = (objects.collect(), storage.revision());
        let path = folder.path_of(&snapshot_name(folder.generation + 1));
        let mut reserve = Reserve::Spent;
        let made = next_generation(&mut folder, &objects, revision)
            .and_then(|made| folder.settle().map(|()| made))
            .and_then(|made| reserve.keep(&*folder.disk).map(|()| made));
        let (snapshot, log) = made.map_err(|why| DataError::Unusable { path, why })?;
        let (length_limit, waiting) = (least_limit.max(snapshot), VecDeque::new());
        Ok(Self { folder, log, reserve, length_limit, least_limit, objects, revision, waiting })
    }

    /// Starts the thread. It ends when the sender of `messages` is dropped.
    pub(super) fn spawn(
        mut self,
        mut messages: UnboundedReceiver<Message>,
        progress: watch::Sender<DiskProgress>,
    ) -> Result<Option<JoinHandle<()>>, DataError> {
        #[cfg(test)]
        if self.folder.disk.is_simulated() {
            tokio::spawn(async move {
                while let Some(first) = messages.recv().await {
                    self.step(first, &mut messages, &progress);
                }
                self.end();
            });
            return Ok(None);
        }
        let path = self.folder.path_of(&log_name(self.folder.generation)); // names the log in the error
        let run = move || {
            while let Some(first) = messages.blocking_recv() {
                self.step(first, &mut messages, &progress);
            }
            self.end();
        };
        let thread = thread::Builder::new().name("wal".into()).spawn(run);
        thread.map(Some).map_err(|why| DataError::Unusable { path, why })
    }

    /// Writes the events that have arrived, and reports the revision up to which all writes are on the disk.
    fn step(
        &mut self,
        first: Message,
        messages: &mut UnboundedReceiver<Message>,
        progress: &watch::Sender<DiskProgress>,
    ) {
        // Writes that have come meanwhile share one flush, which is the slow part.
        let more = std::iter::from_fn(|| messages.try_recv().ok());
        self.waiting.extend(std::iter::once(first).chain(more).filter_map(|message| match message {
            Message::Write(event) => Some(event),
            Message::TryAgain => None,
        }));
        let refused: Option<Arc<str>> =
            self.write().err().map(|why| format!("the log cannot be written: {why}").into());
        report(progress.borrow().refused.as_deref(), refused.as_deref());
        if refused.is_none() {
            self.shorten();
        }
        progress.send_modify(|progress| {
            let attempts = progress.attempts + 1;
            *progress = DiskProgress { revision: self.revision, refused, attempts };
        });
    }

    /// Writes all waiting events to the disk. If that fails, it gives the reserve's room away and tries once more. Even
    /// if that succeeds, it returns the error of the first attempt, because there is no room for further writes.
    fn write(&mut self) -> io::Result<()> {
        match self.write_waiting() {
            Ok(()) => self.reserve.keep(&*self.folder.disk),
            Err(why) => {
                if self.reserve.spend(&*self.folder.disk) {
                    self.write_waiting()?;
                }
                Err(why)
            }
        }
    }

    fn write_waiting(&mut self) -> io::Result<()> {
        self.folder.settle()?;
        while !self.waiting.is_empty() {
            let mut batch = BatchBuilder::new(self.log.next());
            let mut count = 0;
            for event in &self.waiting {
                push(&mut batch, event);
                count += 1;
                if batch.length() >= BATCH {
                    break;
                }
            }
            self.log.append(&batch.finish())?;
            for event in self.waiting.drain(..count) {
                let object = event.object();
                let index = (object.resource.group_resource(), object.key.clone());
                match &event.current {
                    Some(current) => self.objects.insert(index, Kept::Object(current.clone())),
                    None => self.objects.remove(&index),
                };
                self.revision = event.revision;
                if object.resource.defines_kinds() {
                    keep_only_text(&mut self.objects, object.key.name());
                }
            }
        }
        Ok(())
    }

    /// Replaces a long log by a snapshot. If there is no room for the snapshot, the log continues, and the next attempt
    /// comes when its length has doubled.
    fn shorten(&mut self) {
        if self.log.length() <= self.length_limit {
            return;
        }
        match next_generation(&mut self.folder, &self.objects, self.revision) {
            Ok((snapshot, log)) => {
                (self.log, self.length_limit) = (log, self.least_limit.max(snapshot));
                // If this fails, the next write settles the folder before it writes.
                let _ = self.folder.settle();
            }
            Err(error) => {
                self.length_limit = self.log.length().saturating_mul(2);
                tracing::warn!(%error, "no snapshot can be written, so the log goes on growing");
            }
        }
    }

    /// Ends the log. Writes the events that still wait, if the disk works again.
    fn end(mut self) {
        if !self.waiting.is_empty()
            && let Err(error) = self.write()
        {
            let lost = self.waiting.len();
            tracing::error!(%error, lost, "writes that were refused are not in the log");
        }
        if let Err(error) = self.log.close() {
            tracing::warn!(%error, "the log cannot be flushed");
        }
    }
}

/// Reports when the disk begins to fail, and when it works again.
fn report(before: Option<&str>, now: Option<&str>) {
    match (before, now) {
        (None, Some(error)) => tracing::error!(error, "writes are refused until the cause is gone"),
        (Some(_), None) => tracing::warn!("the log can be written again"),
        _ => {}
    }
}

/// Keeps only the text of a definition's custom resources after the definition has changed, so that the writer does not
/// keep the old definition in memory.
fn keep_only_text(objects: &mut Objects, definition: &str) {
    let Some((plural, group)) = definition.split_once('.') else { return };
    let kind = GroupResource::defined(plural, group);
    let first = (kind.clone(), Key::from_start(String::new()));
    for (_, kept) in objects.range_mut(first..).take_while(|((of, _), _)| *of == kind) {
        if let Kept::Object(object) = kept {
            *kept = Kept::Text(object.text_alone());
        }
    }
}

fn push(batch: &mut BatchBuilder, event: &Event) {
    let object = event.object();
    let (group, plural) = (object.resource.group(), object.resource.plural());
    let (revision, key) = (event.revision, object.key.as_str());
    match &event.current {
        Some(current) => batch.push(&Record::Put { revision, group, plural, key, json: &current.json() }),
        None => batch.push(&Record::Removed { revision, group, plural, key }),
    }
}

/// Writes a snapshot, and begins an empty log after it. Returns the snapshot's length in bytes, and the log. The
/// snapshot gets its final name when both files are on the disk, so a crash before that leaves the previous generation
/// in use. After an error the previous generation is in use too.
fn next_generation(folder: &mut Folder, objects: &Objects, revision: u64) -> io::Result<(u64, Log)> {
    let next = folder.generation + 1;
    let made = Log::create(&*folder.disk, &log_name(next)).and_then(|log| {
        let snapshot = write_snapshot(folder, &unfinished_name(next), objects, revision)?;
        folder.begin_next()?;
        Ok((snapshot, log))
    });
    made.inspect_err(|_| folder.abandon_next())
}

/// Writes all objects and the end record, in batches. Returns the length in bytes.
fn write_snapshot(folder: &Folder, name: &str, objects: &Objects, revision: u64) -> io::Result<u64> {
    let mut file = folder.disk.create(name)?;
    file.write_at(0, MAGIC)?;
    let (mut length, mut number) = (MAGIC.len() as u64, 1);
    let mut batch = BatchBuilder::new(number);
    let mut write = |batch: BatchBuilder| {
        let bytes = batch.finish();
        file.write_at(length, &bytes)?;
        length += bytes.len() as u64;
        Ok::<_, io::Error>(())
    };
    for ((kind, key), object) in objects {
        let (group, plural, key) = (kind.group(), kind.plural(), key.as_str());
        let (revision, json) = (object.revision(), object.json());
        batch.push(&Record::Put { revision, group, plural, key, json: &json });
        if batch.length() >= BATCH {
            number += 1;
            write(std::mem::replace(&mut batch, BatchBuilder::new(number)))?;
        }
    }
    batch.push(&Record::End { revision });
    write(batch)?;
    file.sync()?;
    Ok(length)
}
