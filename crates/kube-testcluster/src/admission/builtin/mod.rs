//! The built-in admission plugins, a file each. [`WriteAttributes`] runs those that complete and check the objects of a
//! write, in upstream's order (`AllOrderedPlugins` of `pkg/kubeapiserver/options/plugins.go`); the verbs call the
//! others themselves. Upstream: `plugin/pkg/admission`.

mod certificate_subject_restriction;
mod default_class;
mod default_toleration_seconds;
mod limit_ranger;
mod namespace_lifecycle;
mod persistent_volume_claim_resize;
mod pod_security;
mod priority;
mod resource_quota;
mod runtime_class;
mod service_account;
mod storage_object_in_use_protection;
mod taint_nodes_by_condition;

pub(crate) use self::namespace_lifecycle::{immortal_namespaces, namespace_lifecycle};
pub(crate) use self::service_account::DEFAULT_ACCOUNT;
use self::storage_object_in_use_protection::{PV_FINALIZER, PVC_FINALIZER};
pub(crate) use self::taint_nodes_by_condition::taint_nodes_by_condition;
use crate::http::status::ApiError;
use crate::settings::Admission;
use crate::store::Store;
use crate::store::companion::Companion;
use kube_machinery::kinds::{
    INGRESSES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, PRIORITY_CLASSES, Resource, Subresource,
};
use kube_machinery::value::Value;

/// A write that creates or updates an object, as the plugins see it. Upstream: `admission.Attributes`.
#[derive(Clone, Copy)]
pub(crate) struct WriteAttributes<'a> {
    pub(crate) store: &'a Store,
    pub(crate) resource: &'a Resource,
    pub(crate) subresource: Option<Subresource>,
    /// The namespace of the object; `None` for a Namespace.
    pub(crate) namespace: Option<&'a str>,
    /// The object before an update.
    pub(crate) old: Option<&'a Value>,
}

impl WriteAttributes<'_> {
    /// Completes a new object, or refuses it.
    pub(crate) async fn admit_new(&self, new: &mut Value) -> Result<(), ApiError> {
        if self.is_plain() {
            return Ok(());
        }
        if self.resource == PODS {
            limit_ranger::admit(self, new)?;
            service_account::admit(self, new).await?;
            priority::admit(self, new)?;
            default_toleration_seconds::admit(new);
            runtime_class::admit(self, new)?;
        } else if self.resource == PERSISTENT_VOLUME_CLAIMS {
            default_class::admit_claim(self, new)?;
            storage_object_in_use_protection::admit(new, PVC_FINALIZER);
        } else if self.resource == PERSISTENT_VOLUMES {
            storage_object_in_use_protection::admit(new, PV_FINALIZER);
        } else if self.resource == INGRESSES {
            default_class::admit_ingress(self, new)?;
        }
        Ok(())
    }

    /// Keeps the fields that the plugins have set on a pod and that an update leaves out. A resize gets the default
    /// resources of limit ranges again.
    pub(crate) fn admit_update(&self, new: &mut Value) -> Result<(), ApiError> {
        let Some(old) = self.old.filter(|_| self.resource == PODS && !self.is_plain()) else { return Ok(()) };
        match self.subresource {
            None => {
                priority::admit_update(old, new);
                default_toleration_seconds::admit_update(old, new);
                Ok(())
            }
            Some(Subresource::Resize) => limit_ranger::admit(self, new),
            Some(_) => Ok(()),
        }
    }

    /// Decides about the state that will be stored. Returns the warnings for the client.
    pub(crate) fn validate(&self, new: &Value) -> Result<Vec<String>, ApiError> {
        let mut warnings = Vec::new();
        if !self.is_plain() {
            if self.is_limited() {
                limit_ranger::validate(self, new)?;
            }
            warnings = pod_security::validate(self, new)?;
            if self.subresource.is_none() {
                self.validate_whole(new)?;
            }
        }
        certificate_subject_restriction::validate(self, new)?;
        Ok(warnings)
    }

    /// Returns the new states of the quotas that the write is charged to. The caller stores them together with the
    /// object. This is the last step of admission, after all webhooks.
    ///
    /// # Errors
    /// The object exceeds a quota.
    pub(crate) fn charges(&self, new: &Value) -> Result<Vec<Companion>, ApiError> {
        if self.is_plain() { Ok(Vec::new()) } else { resource_quota::charges(self, new) }
    }

    /// Returns true for the writes that can change requests and limits. Upstream: `SupportsAttributes`.
    fn is_limited(&self) -> bool {
        match self.subresource {
            None if self.resource == PODS => self.old.is_none(),
            None => self.resource == PERSISTENT_VOLUME_CLAIMS,
            Some(subresource) => subresource == Subresource::Resize,
        }
    }

    /// Runs the plugins that look only at writes of whole objects.
    fn validate_whole(&self, new: &Value) -> Result<(), ApiError> {
        match self.resource {
            kind if kind == PRIORITY_CLASSES => priority::validate(self, new),
            kind if kind == PERSISTENT_VOLUME_CLAIMS => persistent_volume_claim_resize::validate(self, new),
            kind if kind == PODS && self.old.is_none() => runtime_class::validate(self, new),
            _ => Ok(()),
        }
    }

    fn is_plain(&self) -> bool {
        self.store.settings.admission == Admission::Plain
    }

    /// Returns the error for a refused object.
    fn forbidden(&self, object: &Value, why: &str) -> ApiError {
        ApiError::forbidden(self.resource, &name_of(&object["metadata"]), why)
    }
}

/// Returns the name of the object in the message of a refusal: `generateName` if the name is not generated yet.
/// Upstream: `extractResourceName`.
pub(crate) fn name_of(metadata: &Value) -> String {
    let text = |field: &str| metadata[field].as_str().filter(|text| !text.is_empty());
    text("name").or(text("generateName")).unwrap_or("Unknown").to_owned()
}
