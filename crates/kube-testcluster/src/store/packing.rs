//! What is no more in the history is packed: of the objects of a large cluster, nearly all are not written for a long time. etcd keeps
//! them on its disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::object::Object;
use crate::kinds::GroupResource;

/// How much of an object is the dictionary for the others of its kind, in bytes: each packing looks through all of it.
const LONGEST: usize = 8 * 1024;

/// Packs the objects that have aged, outside of the store's lock. The first of a kind is the dictionary for all: those of one program
/// look alike, and all have the server's defaults.
pub(crate) async fn run(mut aged: UnboundedReceiver<Arc<Object>>, stop: CancellationToken) {
    let mut dictionaries: BTreeMap<GroupResource, Bytes> = BTreeMap::new();
    while let Some(Some(object)) = stop.run_until_cancelled(aged.recv()).await {
        let dictionary = dictionaries.entry(object.resource.group_resource()).or_insert_with(|| dictionary(&object));
        object.pack(dictionary);
    }
}

/// The end of an object, where its status is; a copy, because the object does not live as long.
fn dictionary(object: &Object) -> Bytes {
    let text = object.added();
    Bytes::copy_from_slice(&text[text.len().saturating_sub(LONGEST)..])
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::kinds::{NODES, PODS, Resource};
    use crate::store::object::Key;
    use crate::value::json;

    #[tokio::test]
    async fn what_has_aged_is_packed_with_another_of_its_kind() {
        let object = |resource: &'static Resource, note: &str| {
            let value = json!({"metadata": {"name": "a", "annotations": {"note": note.repeat(500)}}});
            Arc::new(Object::new(resource, Key::new(None, "a"), 1, value))
        };
        let objects = [object(PODS, "one "), object(PODS, "two "), object(NODES, "one ")];
        let texts = objects.each_ref().map(|object| object.added());
        let (aged, receiver) = mpsc::unbounded_channel();
        objects.iter().for_each(|object| aged.send(object.clone()).unwrap());
        drop(aged);
        run(receiver, CancellationToken::new()).await;
        assert_eq!(objects.each_ref().map(|object| object.is_packed()), [true; 3]);
        assert_eq!(objects.each_ref().map(|object| object.added()), texts);
    }
}
