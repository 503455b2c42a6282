//! A list as JSON, written piece by piece while it is sent, because a list of a large cluster is as large as the
//! cluster.

use std::sync::Arc;
use std::vec;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;

use super::answer::List;
use super::sized_body::{PIECE, sized_body};
use crate::store::object::Object;

pub(super) fn body(list: List) -> Body {
    let (kind, api_version) = (list.resource.list_kind(), list.resource.api_version());
    let metadata = list.metadata.to_string();
    let head = format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","metadata":{metadata},"items":["#);
    let text = ListText::new(head, list.objects);
    sized_body(text.remaining as u64, stream::iter(text.map(Ok)))
}

struct ListText {
    /// The beginning of the next piece: the head of the list for the first one, and empty for the rest. `None` after
    /// the end.
    begun: Option<Vec<u8>>,
    /// The objects that are not written yet.
    objects: vec::IntoIter<Arc<Object>>,
    /// The number of bytes that are not written yet.
    remaining: usize,
}

/// The text after the items.
const END: &[u8] = b"]}\n";

impl ListText {
    fn new(head: String, objects: Vec<Arc<Object>>) -> Self {
        let items: usize = objects.iter().map(|object| "{".len() + object.item_length()).sum();
        let commas = objects.len().saturating_sub(1);
        let remaining = head.len() + items + commas + END.len();
        Self { begun: Some(head.into_bytes()), objects: objects.into_iter(), remaining }
    }

    /// Returns the most bytes that the next object takes, with its brace and comma: the length of its ADDED line, of
    /// which the item is a part; 0 after the last object.
    fn next_length(&self) -> usize {
        self.objects.as_slice().first().map_or(0, |object| object.length())
    }
}

impl Iterator for ListText {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut piece = self.begun.take()?;
        let most = PIECE.max(piece.len() + self.next_length()); // an object longer than a piece gets its own piece
        piece.reserve_exact(most.min(self.remaining) - piece.len());
        while piece.len() + self.next_length() <= most
            && let Some(object) = self.objects.next()
        {
            piece.push(b'{');
            piece.extend_from_slice(&object.item());
            if self.objects.len() > 0 {
                piece.push(b',');
            }
        }
        if self.objects.len() > 0 {
            self.begun = Some(Vec::new());
        } else {
            piece.extend_from_slice(END);
        }
        self.remaining = self.remaining.saturating_sub(piece.len());
        Some(piece.into())
    }
}
