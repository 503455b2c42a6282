//! Keeps the OpenAPI documents of custom resources that clients have asked for, because making one takes milliseconds.
//! `discovery::openapi` makes them. A document is dropped when a definition of its group changes or is deleted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::Store;
use kube_machinery::kinds::Catalog;

/// The kept documents, by group and version.
#[derive(Debug, Default)]
pub(super) struct Documents(Mutex<BTreeMap<(String, String), Document>>);

#[derive(Debug)]
struct Document {
    hash: String,
    json: Bytes,
}

impl Documents {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(String, String), Document>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the documents of a group. Called after the catalog was replaced.
    pub(super) fn forget(&self, group: &str) {
        self.lock().retain(|(of, _), _| of != group);
    }
}

impl Store {
    /// Returns the document of a group version, if the one with this hash is kept.
    pub(crate) fn document(&self, group: &str, version: &str, hash: &str) -> Option<Bytes> {
        let documents = self.documents.lock();
        let document = documents.get(&(group.to_owned(), version.to_owned()))?;
        (document.hash == hash).then(|| document.json.clone())
    }

    /// Keeps the document of a group version, unless a definition has changed since `catalog` was read.
    pub(crate) fn keep_document(&self, catalog: &Arc<Catalog>, group: &str, version: &str, hash: &str, json: Bytes) {
        let mut documents = self.documents.lock();
        if Arc::ptr_eq(catalog, &self.catalog()) {
            documents.insert((group.to_owned(), version.to_owned()), Document { hash: hash.to_owned(), json });
        }
    }
}
