//! The key of an object in storage.

use std::fmt;
use std::sync::Arc;

/// `namespace/name`, or `name` for a cluster-scoped kind. Keys are ordered like upstream's storage keys, as whole
/// texts: `a-b/x` comes before `a/x`.
///
/// Clones share one text, because storage, the watch cache, the history and the object each keep the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Arc<str>);

impl Key {
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self(namespace.map_or_else(|| name.into(), |namespace| [namespace, "/", name].concat().into()))
    }

    /// Makes the start of a range, which need not be the key of an object.
    pub(crate) fn from_start(start: String) -> Self {
        Self(start.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.slash().map(|slash| &self.0[..slash])
    }

    pub(crate) fn name(&self) -> &str {
        self.slash().map_or(&self.0, |slash| &self.0[slash + 1..])
    }

    /// Finds the slash. It runs for each event and each watcher. Namespaces are short, so a plain loop is faster than
    /// an optimized search.
    fn slash(&self) -> Option<usize> {
        self.0.bytes().position(|byte| byte == b'/')
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
