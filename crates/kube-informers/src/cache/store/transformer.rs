//! Transformer: a user's function that changes each object before it is queued or stored. Upstream: `TransformFunc` in
//! `tools/cache/controller.go`.

use std::fmt;
use std::sync::Arc;

use crate::cache::error::BoxError;

/// A function that changes each object before it is queued or stored, for example to drop fields (client-go's
/// `TransformFunc`).
///
/// Use [`Arc::make_mut`] to change the object in place. The default changes nothing. Clones share the same function.
///
/// ```
/// use kube_informers::cache::Transformer;
/// use k8s_openapi::api::core::v1::Pod;
/// use std::sync::Arc;
///
/// let slim = Transformer::new(|mut pod: Arc<Pod>| {
///     Arc::make_mut(&mut pod).metadata.managed_fields = None;
///     Ok(pod)
/// });
/// let mut pod = Pod::default();
/// pod.metadata.managed_fields = Some(Vec::new());
/// assert_eq!(slim.apply(pod.into()).unwrap().metadata.managed_fields, None);
/// ```
pub struct Transformer<T>(Option<Function<T>>);

type Function<T> = Arc<dyn Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync>;

impl<T> Transformer<T> {
    /// Makes a transformer from a function.
    pub fn new(transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(transform)))
    }

    /// Returns the transformed object.
    ///
    /// # Errors
    /// The function failed.
    pub fn apply(&self, object: Arc<T>) -> Result<Arc<T>, BoxError> {
        match &self.0 {
            Some(transform) => transform(object),
            None => Ok(object),
        }
    }
}

impl<T> Default for Transformer<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Clone for Transformer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Transformer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Transformer(on)" } else { "Transformer(off)" })
    }
}
