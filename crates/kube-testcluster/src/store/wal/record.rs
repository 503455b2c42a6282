//! Records: the entries of a snapshot or a log, as bytes. A record is about one object, or ends a snapshot. All numbers
//! are little-endian. Both versions of the format have the same records; the frames around them differ.

/// One record.
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

impl<'a> Record<'a> {
    pub(super) fn revision(&self) -> u64 {
        match self {
            Self::Put { revision, .. } | Self::Removed { revision, .. } | Self::End { revision } => *revision,
        }
    }

    /// Appends the record to `to`.
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Put { revision, group, plural, key, json } => {
                write_head(to, PUT, *revision, &[group, plural, key]);
                to.extend_from_slice(json);
            }
            Self::Removed { revision, group, plural, key } => write_head(to, REMOVED, *revision, &[group, plural, key]),
            Self::End { revision } => write_head(to, END, *revision, &[]),
        }
    }

    /// Parses the bytes of a record. Returns `None` for bytes that no record has.
    pub(super) fn read(mut bytes: &'a [u8]) -> Option<Self> {
        let kind = take(&mut bytes, 1)?[0];
        let revision = take_u64(&mut bytes)?;
        if kind == END {
            return bytes.is_empty().then_some(Self::End { revision });
        }
        let mut text = || {
            let length = take_u32(&mut bytes)?;
            std::str::from_utf8(take(&mut bytes, length as usize)?).ok()
        };
        let (group, plural, key) = (text()?, text()?, text()?);
        match kind {
            PUT => Some(Self::Put { revision, group, plural, key, json: bytes }),
            REMOVED if bytes.is_empty() => Some(Self::Removed { revision, group, plural, key }),
            _ => None,
        }
    }
}

/// Encodes a length. It always fits, because a request, and so an object, has at most a few megabytes.
pub(super) fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// Writes the beginning of a record: its kind, its revision, and texts with their lengths.
fn write_head(to: &mut Vec<u8>, kind: u8, revision: u64, texts: &[&str]) {
    to.push(kind);
    to.extend_from_slice(&revision.to_le_bytes());
    for text in texts {
        to.extend_from_slice(&length(text.len()));
        to.extend_from_slice(text.as_bytes());
    }
}

/// Takes this many bytes off the front.
pub(super) fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

pub(super) fn take_u32(from: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(from, 4)?.try_into().ok()?))
}

pub(super) fn take_u64(from: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(from, 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let put = Record::Put { revision: 7, group: "apps", plural: "deployments", key: "a/b", json: b"{}" };
        let removed = Record::Removed { revision: 8, group: "", plural: "pods", key: "a/c" };
        for record in [put, removed, Record::End { revision: 8 }] {
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            assert_eq!(Record::read(&bytes), Some(record));
            for length in 0..9 {
                assert_eq!(Record::read(&bytes[..length]), None);
            }
        }
    }
}
