//! Tests the start with files that are not as they were written: a file whose answered writes are damaged is refused,
//! and a file as a crash leaves it is accepted.

use std::sync::Arc;

use super::super::disk::Disk;
use super::super::reader::Restored;
use super::super::simulated_disk::{Crash, SimulatedDisk};
use super::super::{DataError, Folder};
use super::support::{builder, create, end, seeds, start};

/// The files of the second start, which begins the second generation.
const LOG: &str = "0000000000000002.wal";
const SNAPSHOT: &str = "0000000000000002.snap";
/// The offset of the first batch.
const BATCHES: usize = 8192;

/// A disk with a snapshot and a log of five writes after it, of which the last one is much longer.
async fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    for names in [&["a", "b"][..], &["c", "d", "e", "f", "long"]] {
        let cluster = start(&disk, builder()).unwrap();
        for name in names {
            let length = if *name == "long" { 3000 } else { 10 };
            assert_eq!(create(&cluster.router(), name, length).await.status, 201);
        }
        end(cluster).await;
    }
    disk
}

fn read(disk: &SimulatedDisk) -> Result<Restored, DataError> {
    Ok(Folder::on(Arc::new(disk.clone()), None)?.read()?.unwrap())
}

/// Reads the folder with another content of a file.
fn read_with(disk: &SimulatedDisk, name: &str, content: Vec<u8>) -> Result<Restored, DataError> {
    let changed = disk.after(Crash::Process);
    changed.put(name, content);
    read(&changed)
}

/// Returns the offsets at which the frames of a file begin, and its length.
fn frames(bytes: &[u8], mut at: usize) -> Vec<usize> {
    let mut frames = vec![at];
    while at < bytes.len() {
        at += 12 + u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        frames.push(at);
    }
    frames
}

#[track_caller]
fn assert_damaged(read: Result<Restored, DataError>, what: &str) {
    assert!(matches!(read, Err(DataError::Damaged { .. })), "{what}: {read:?}");
}

#[track_caller]
fn assert_same(read: Result<Restored, DataError>, original: &Restored, what: &str) {
    let read = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(format!("{:?}", read.objects), format!("{:?}", original.objects), "{what}");
    assert!(read.revision >= original.revision, "{what}: the revision went back");
}

#[tokio::test(start_paused = true)]
async fn a_changed_bit_of_an_answered_write_is_damage_also_in_the_last_one() {
    let disk = disk().await;
    let original = read(&disk).unwrap();
    let (log, snapshot) = (disk.content(LOG), disk.content(SNAPSHOT));
    let frames = frames(&log, BATCHES);
    let last = frames[frames.len() - 2];
    for seed in seeds(100) {
        let mut random = fastrand::Rng::with_seed(seed);
        for (name, bytes, place) in
            [(LOG, &log, BATCHES..last), (LOG, &log, last..log.len()), (SNAPSHOT, &snapshot, 8..snapshot.len())]
        {
            let (mut changed, at) = (bytes.clone(), random.usize(place));
            changed[at] ^= 1 << random.u8(0..8);
            assert_damaged(read_with(&disk, name, changed), &format!("{name} at {at}"));
        }
        let (mut changed, at) = (log.clone(), random.usize(8..BATCHES));
        changed[at] ^= 1 << random.u8(0..8);
        assert_same(read_with(&disk, LOG, changed), &original, &format!("one of the two marks at {at}"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answered_write_that_is_missing_is_damage() {
    let disk = disk().await;
    let bytes = disk.content(LOG);
    for length in (0..64).chain((BATCHES - 20..bytes.len()).step_by(17)) {
        assert_damaged(read_with(&disk, LOG, bytes[..length].to_vec()), &format!("cut at {length}"));
    }
    for sector in (BATCHES..bytes.len()).step_by(512) {
        let mut changed = bytes.clone();
        let end = changed.len().min(sector + 512);
        changed[sector..end].fill(0);
        assert_damaged(read_with(&disk, LOG, changed), &format!("zeros at {sector}"));
    }
    let frames = frames(&bytes, BATCHES);
    for batch in frames.windows(2) {
        let without = [&bytes[..batch[0]], &bytes[batch[1]..]].concat();
        assert_damaged(read_with(&disk, LOG, without), "a batch is missing");
        let twice = [&bytes[..batch[1]], &bytes[batch[0]..]].concat();
        assert_damaged(read_with(&disk, LOG, twice), "a batch is there twice");
        let again = [&bytes[..], &bytes[batch[0]..batch[1]]].concat();
        assert_damaged(read_with(&disk, LOG, again), "a batch is there again, behind the end");
    }
    for batches in frames.windows(3) {
        let [first, second, third] = batches.try_into().unwrap();
        let swapped = [&bytes[..first], &bytes[second..third], &bytes[first..second], &bytes[third..]].concat();
        assert_damaged(read_with(&disk, LOG, swapped), "two batches are swapped");
    }
}

#[tokio::test(start_paused = true)]
async fn what_lies_behind_the_answered_writes_is_no_damage() {
    let disk = disk().await;
    let (bytes, original) = (disk.content(LOG), read(&disk).unwrap());
    let frames = frames(&bytes, BATCHES);
    let last = &bytes[frames[frames.len() - 2]..];
    for seed in seeds(300) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut tail = match random.u8(0..3) {
            0 => vec![0; random.usize(1..9000)],
            1 => {
                let mut junk = vec![0; random.usize(1..200)];
                random.fill(&mut junk);
                junk
            }
            // The next batch, as long as several pages, is cut off somewhere.
            _ => {
                let mut next = [last, last, last].concat();
                next[13..21].copy_from_slice(&6u64.to_le_bytes()); // the number of the batch
                next.truncate(random.usize(1..next.len()));
                next
            }
        };
        if random.bool() {
            let lost = random.usize(0..tail.len()) / 512 * 512;
            let end = tail.len().min(lost + 512 * random.usize(1..8));
            tail[lost..end].fill(0); // sectors that had not reached the disk before the power cut
        }
        let torn = [bytes.as_slice(), &tail].concat();
        assert_same(read_with(&disk, LOG, torn), &original, &format!("seed {seed}"));
    }
}

/// The mark of a batch reaches the disk with the flush of the next batch, so a power cut can leave the previous mark.
#[tokio::test(start_paused = true)]
async fn an_answered_write_whose_mark_a_power_cut_has_lost_is_kept_and_its_revision_is_never_given_again() {
    let disk = disk().await;
    let (bytes, original) = (disk.content(LOG), read(&disk).unwrap());
    let mut unmarked = bytes.clone();
    unmarked[4096..BATCHES].fill(0); // the mark of the fifth batch
    assert_same(read_with(&disk, LOG, unmarked.clone()), &original, "without its mark");
    let last = unmarked.len() - 3;
    unmarked[last] ^= 1;
    let read = read_with(&disk, LOG, unmarked).unwrap();
    assert_eq!(read.objects.len(), original.objects.len() - 1);
    assert!(read.revision > original.revision, "{} {}", read.revision, original.revision);
}

#[tokio::test(start_paused = true)]
async fn a_folder_whose_files_were_removed_is_damage_and_no_new_folder() {
    let disk = disk().await;
    disk.remove(LOG).unwrap();
    assert_damaged(read(&disk), "the log is missing");
    disk.remove(SNAPSHOT).unwrap();
    assert_damaged(read(&disk), "the snapshot is missing too");
}

#[tokio::test(start_paused = true)]
async fn a_file_of_another_version_or_without_its_first_bytes_is_refused() {
    let disk = disk().await;
    for name in [LOG, SNAPSHOT] {
        let mut newer = disk.content(name);
        newer[7] = b'9';
        let read = read_with(&disk, name, newer).unwrap_err();
        assert_eq!(read.to_string(), format!("simulated/{name} was written by a newer version of this program"));
        assert_damaged(read_with(&disk, name, Vec::new()), "an empty file");
        assert_damaged(read_with(&disk, name, b"a poem, more or less".to_vec()), "a file of another program");
    }
}

#[tokio::test(start_paused = true)]
async fn a_revision_that_no_cluster_gives_is_damage_and_no_panic() {
    let disk = disk().await;
    let mut draft = super::super::frame::BatchBuilder::new(6);
    draft.push(&super::super::record::Record::Removed { revision: u64::MAX, group: "", plural: "pods", key: "a" });
    let bytes = [disk.content(LOG), draft.finish()].concat();
    assert_damaged(read_with(&disk, LOG, bytes), "the highest number");
}

/// A snapshot has its name only when it is complete, so no crash leaves a part of one.
#[tokio::test(start_paused = true)]
async fn a_snapshot_that_is_cut_anywhere_is_damage() {
    let disk = disk().await;
    let bytes = disk.content(SNAPSHOT);
    for length in (0..64).chain((64..bytes.len()).step_by(13)).chain(bytes.len() - 20..bytes.len()) {
        assert_damaged(read_with(&disk, SNAPSHOT, bytes[..length].to_vec()), &format!("cut at {length}"));
    }
}

/// The head of a frame of 4 GiB, with the right checksum of the length.
fn head_of_the_longest_frame() -> [u8; 12] {
    let mut crc = flate2::Crc::new();
    crc.update(&u32::MAX.to_le_bytes());
    let mut head = [0xff; 12];
    head[4..8].copy_from_slice(&crc.sum().to_le_bytes());
    head
}

#[tokio::test(start_paused = true)]
async fn a_length_beyond_the_end_of_a_file_is_damage_among_answered_writes_and_no_damage_behind_them() {
    let disk = disk().await;
    let (log, original) = (disk.content(LOG), read(&disk).unwrap());
    let head = head_of_the_longest_frame();
    for behind in [0, 4, 3000] {
        let longer = [&log[..], &head, &vec![b'a'; behind]].concat();
        assert_same(read_with(&disk, LOG, longer), &original, &format!("{behind} bytes behind it"));
    }
    for (name, first) in [(LOG, BATCHES), (SNAPSHOT, 8)] {
        let bytes = disk.content(name);
        let mut starts = frames(&bytes, first);
        starts.pop();
        for start in starts {
            let mut changed = bytes.clone();
            changed[start..start + 12].copy_from_slice(&head);
            assert_damaged(read_with(&disk, name, changed), &format!("{name} at {start}"));
        }
    }
}
