//! The parsed webhook configurations and admission policies. Admission needs them for every write, so the store keeps
//! them here, and parses them again only after a write to one of these objects.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::Store;
use super::storage::Storage;
use kube_machinery::kinds::RESOURCES;
use kube_machinery::kinds::admission::AdmissionConfiguration;

/// The admission configuration after the last write to it.
#[derive(Debug, Default)]
pub(super) struct ConfigurationCache {
    /// False if no webhook and no policy exists, so that most requests need no lock to find that out.
    is_any: AtomicBool,
    parsed: RwLock<Arc<AdmissionConfiguration>>,
}

impl Store {
    /// Returns the webhook configurations and admission policies, or `None` if there are none.
    pub(crate) fn admission_configuration(&self) -> Option<Arc<AdmissionConfiguration>> {
        if !self.admission_configuration.is_any.load(Ordering::Acquire) {
            return None;
        }
        Some(self.admission_configuration.parsed.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Parses all objects that configure admission. They are few and change seldom. A policy that has not changed is
    /// taken over from the configuration before, because its expressions are slow to compile.
    pub(super) fn reparse_admission(&self, storage: &Storage) {
        let before = self.admission_configuration.parsed.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut next = AdmissionConfiguration::default();
        for row in RESOURCES.iter().filter(|row| row.configures_admission()) {
            for object in storage.of_kind(row) {
                if let Ok(opened) = object.open() {
                    next.add(row.kind(), &opened.value, &before);
                }
            }
        }
        let is_any = !next.is_empty();
        *self.admission_configuration.parsed.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.admission_configuration.is_any.store(is_any, Ordering::Release);
    }
}
