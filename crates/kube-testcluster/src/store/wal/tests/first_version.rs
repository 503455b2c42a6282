//! Folders of the first version of the format, in which only the form of the last record tells whether it was finished.

use std::sync::Arc;

use super::super::first_version::MAGIC;
use super::super::folder::{log_name, snapshot_name};
use super::super::frame::{HEAD, fill_head};
use super::super::record::Record;
use super::super::simulated_disk::SimulatedDisk;
use super::super::{DataError, Folder};

fn bytes(records: &[Record<'_>]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for record in records {
        let mut frame = vec![0; HEAD];
        record.write(&mut frame);
        fill_head(&mut frame);
        bytes.extend(frame);
    }
    bytes
}

fn put(revision: u64, json: &[u8]) -> Record<'_> {
    Record::Put { revision, group: "", plural: "configmaps", key: "default/a", json }
}

/// Reads a folder with this log, and a snapshot that has the object at revision 3. Returns the revision of the object.
fn read(log: Vec<u8>) -> Result<u64, DataError> {
    let disk = SimulatedDisk::new(1);
    disk.put(&snapshot_name(7), bytes(&[put(3, b"{}"), Record::End { revision: 5 }]));
    disk.put(&log_name(7), log);
    let restored = Folder::on(Arc::new(disk), None)?.read()?.unwrap();
    Ok(restored.objects[0].revision)
}

#[test]
fn a_folder_of_the_first_version_is_read_up_to_its_last_finished_record() {
    let json = vec![b'x'; 2000];
    let (before, log) = (bytes(&[put(6, b"{}")]), bytes(&[put(6, b"{}"), put(7, &json)]));
    assert_eq!(read(bytes(&[])).unwrap(), 3);
    assert_eq!(read(log.clone()).unwrap(), 7);
    for length in (before.len() + 1..log.len()).step_by(37) {
        assert_eq!(read(log[..length].to_vec()).unwrap(), 6, "cut at {length}");
    }
    for sector in [512, 1024, 1536] {
        let mut torn = log.clone();
        torn[sector..sector + 512].fill(0);
        assert_eq!(read(torn).unwrap(), 6, "the sector at {sector} was never written");
    }
    assert_eq!(read([log.as_slice(), &[0; 5000]].concat()).unwrap(), 7);
}

#[test]
fn damage_of_a_folder_of_the_first_version_is_refused() {
    let json = vec![b'x'; 2000];
    let log = bytes(&[put(6, b"{}"), put(7, &json)]);
    for at in (8..60).chain((60..log.len()).step_by(41)) {
        let mut changed = log.clone();
        changed[at] ^= 4;
        assert!(matches!(read(changed), Err(DataError::Damaged { .. })), "a bit at {at}");
    }
    let damaged = |log: Vec<u8>| matches!(read(log), Err(DataError::Damaged { .. }));
    assert!(damaged(Vec::new()) && damaged(MAGIC[..5].to_vec()), "an empty log");
    assert!(damaged(bytes(&[put(6, b"{}"), put(7, b"{}"), put(6, b"{}")])), "a record is there again");
    assert!(damaged(bytes(&[put(6, b"{}"), put(8, b"{}")])), "a record is missing");
    assert!(damaged(bytes(&[put(5, b"{}")])), "a log of another snapshot");
}
