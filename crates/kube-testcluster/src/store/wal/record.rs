//! Records: the entries of a snapshot or a log file, as bytes. A record is its length, a checksum of the length, a
//! checksum of the content, and the content. All numbers are little-endian.
//!
//! The checksums tell a record that a crash has cut off (which only loses a write that no client has seen) from damage.

use flate2::Crc;

/// The first bytes of each file. They name the program and the version of the format.
pub(super) const MAGIC: &[u8; 8] = b"ILABWAL1";

/// The number of bytes before a record's content.
const HEAD: usize = 12;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// An object has had this state since this revision.
    Put { revision: u64, group: &'a str, plural: &'a str, key: &'a str, json: &'a [u8] },
    /// An object was removed at this revision.
    Removed { revision: u64, group: &'a str, plural: &'a str, key: &'a str },
    /// The end of a complete snapshot, and the revision of that snapshot.
    End { revision: u64 },
}

const PUT: u8 = 1;
const REMOVED: u8 = 2;
const END: u8 = 3;

impl Record<'_> {
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let start = to.len();
        to.extend_from_slice(&[0; HEAD]);
        match self {
            Self::Put { revision, group, plural, key, json } => {
                write_head(to, PUT, *revision, &[group, plural, key]);
                to.extend_from_slice(json);
            }
            Self::Removed { revision, group, plural, key } => write_head(to, REMOVED, *revision, &[group, plural, key]),
            Self::End { revision } => write_head(to, END, *revision, &[]),
        }
        let length = number(to.len() - start - HEAD).to_le_bytes();
        let sum = checksum(&to[start + HEAD..]);
        to[start..start + 4].copy_from_slice(&length);
        to[start + 4..start + 8].copy_from_slice(&checksum(&length).to_le_bytes());
        to[start + 8..start + HEAD].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Converts a length. It always fits, because a request, and so an object, has at most a few megabytes.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Writes the beginning of a record's content: its kind, its revision, and texts with their lengths.
fn write_head(to: &mut Vec<u8>, kind: u8, revision: u64, texts: &[&str]) {
    to.push(kind);
    to.extend_from_slice(&revision.to_le_bytes());
    for text in texts {
        to.extend_from_slice(&number(text.len()).to_le_bytes());
        to.extend_from_slice(text.as_bytes());
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The result of reading the next record of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// A record, and the rest of the file.
    Record(Record<'a>, &'a [u8]),
    /// The file ends here.
    End,
    /// The last record is incomplete: the process ended while it wrote it, so no client has seen that write.
    Torn,
    /// A complete record was changed or lost.
    Damaged,
}

/// Reads the first record of `bytes`.
pub(super) fn next(bytes: &[u8]) -> Next<'_> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|four| Some(u32::from_le_bytes(four.try_into().ok()?)));
    let (Some(length), Some(sum_of_length), Some(sum)) = (word(0), word(4), word(8)) else {
        return if bytes.is_empty() { Next::End } else { Next::Torn };
    };
    if checksum(&length.to_le_bytes()) != sum_of_length {
        // After a crash, the file may have its new length, but zeros in place of the data.
        return if bytes.iter().all(|byte| *byte == 0) { Next::Torn } else { Next::Damaged };
    }
    let Some((content, rest)) = bytes[HEAD..].split_at_checked(length as usize) else { return Next::Torn };
    if checksum(content) != sum {
        // Only the last record may be incomplete, so there is damage if data follows.
        return if rest.iter().all(|byte| *byte == 0) { Next::Torn } else { Next::Damaged };
    }
    read(content).map_or(Next::Damaged, |record| Next::Record(record, rest))
}

/// Parses the content of a record. Returns `None` for a content that no record has.
fn read(mut content: &[u8]) -> Option<Record<'_>> {
    let kind = take(&mut content, 1)?[0];
    let revision = u64::from_le_bytes(take(&mut content, 8)?.try_into().ok()?);
    if kind == END {
        return content.is_empty().then_some(Record::End { revision });
    }
    let mut text = || {
        let length = u32::from_le_bytes(take(&mut content, 4)?.try_into().ok()?);
        std::str::from_utf8(take(&mut content, length as usize)?).ok()
    };
    let (group, plural, key) = (text()?, text()?, text()?);
    match kind {
        PUT => Some(Record::Put { revision, group, plural, key, json: content }),
        REMOVED if content.is_empty() => Some(Record::Removed { revision, group, plural, key }),
        _ => None,
    }
}

/// Takes this many bytes off the front.
fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<u8> {
        let mut bytes = Vec::new();
        Record::Put { revision: 7, group: "apps", plural: "deployments", key: "a/b", json: b"{}" }.write(&mut bytes);
        Record::Removed { revision: 8, group: "", plural: "pods", key: "a/c" }.write(&mut bytes);
        Record::End { revision: 8 }.write(&mut bytes);
        bytes
    }

    /// Returns the number of records, and how the file ends.
    fn end(mut bytes: &[u8]) -> (usize, Next<'_>) {
        let mut count = 0;
        loop {
            match next(bytes) {
                Next::Record(_, rest) => (count, bytes) = (count + 1, rest),
                end => return (count, end),
            }
        }
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let bytes = three();
        let Next::Record(first, rest) = next(&bytes) else { panic!("{bytes:?}") };
        assert_eq!(first, Record::Put { revision: 7, group: "apps", plural: "deployments", key: "a/b", json: b"{}" });
        let Next::Record(second, rest) = next(rest) else { panic!("{rest:?}") };
        assert_eq!(second, Record::Removed { revision: 8, group: "", plural: "pods", key: "a/c" });
        assert_eq!(next(rest), Next::Record(Record::End { revision: 8 }, &[]));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_ends_with_a_torn_record_or_none() {
        let bytes = three();
        for length in 0..bytes.len() {
            let (_, ended) = end(&bytes[..length]);
            assert!(matches!(ended, Next::Torn | Next::End), "{length}: {ended:?}");
        }
        let with_zeros = [bytes.as_slice(), &[0; 50]].concat();
        assert_eq!(end(&with_zeros), (3, Next::Torn));
    }

    #[test]
    fn a_changed_byte_before_the_last_record_is_damage() {
        let bytes = three();
        let last = bytes.len() - HEAD - 9;
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            let (count, ended) = end(&changed);
            let expected = if at < last { matches!(ended, Next::Damaged) } else { count == 2 && ended != Next::End };
            assert!(expected, "{at}: {count} {ended:?}");
        }
    }
}
