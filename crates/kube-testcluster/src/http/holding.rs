//! Bytes that hold a value, such as a place in a budget, until they are written or dropped.

use bytes::Bytes;

struct Holding<T> {
    bytes: Bytes,
    _held: T,
}

impl<T> AsRef<[u8]> for Holding<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

pub(super) fn holding(bytes: Bytes, held: impl Send + 'static) -> Bytes {
    Bytes::from_owner(Holding { bytes, _held: held })
}
