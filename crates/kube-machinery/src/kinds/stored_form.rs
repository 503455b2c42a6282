//! Conversion between the form that clients see and the stored form, where these differ: Events of `events.k8s.io` are
//! stored as core Events with other field names, and a custom resource with several versions is stored in one of them.

use super::custom_resource::{ConversionWebhook, floats_to_integers};
use super::registry::StorageForm;
use super::resource::Resource;
use crate::codec::schema;
use crate::value::Value;

/// The stored form of a kind that is served in several groups or versions.
#[derive(Debug)]
pub struct StoredForm {
    pub(super) stored: Resource,
    /// Renames the fields of a served object.
    pub(super) into_stored: fn(Value) -> Value,
    /// Renames the fields of a stored object. The result has the shape of the served type.
    pub(super) from_stored: fn(Value) -> Value,
}

impl Resource {
    /// Returns the kind in which objects of this kind are stored.
    pub fn stored(&self) -> &Self {
        match (&self.custom, self.row.stored_form) {
            (Some(custom), _) => custom.stored.as_ref().unwrap_or(self),
            (None, Some(form)) => &form.stored,
            (None, None) => self,
        }
    }

    /// Converts a served object for storage, if only its fields have other names there. The request handlers convert
    /// between versions of a custom resource, since they may have to call a webhook.
    pub fn stored_form_of(&self, served: Value) -> Value {
        match self.row.stored_form {
            Some(form) => (form.into_stored)(served),
            None => served,
        }
    }

    /// Converts a stored object into its served form, if only its fields have other names there.
    pub fn served_form_of(&self, stored: Value) -> Value {
        match self.row.stored_form {
            Some(form) => (form.from_stored)(stored),
            None => stored,
        }
    }

    /// Writes a valid object as upstream reads it back from storage: protobuf, in which the built-in kinds are stored, has no
    /// empty lists.
    pub fn drop_empty_lists(&self, value: &mut Value) {
        if self.custom.is_none() && self.row.storage_form == StorageForm::Protobuf {
            schema::replace_empty_lists(self.go_type(), value);
        }
    }

    /// Writes the numbers of a valid custom resource as upstream's encoder does: `1.0` becomes `1`.
    pub fn normalize_numbers(&self, value: &mut Value) {
        if self.custom.is_some() {
            floats_to_integers(value);
        }
    }

    /// Returns a custom resource as upstream would read it back from storage, if that differs: pruned and defaulted by
    /// its schema. It can differ because a new object loses its status after decoding, and then gets the default status
    /// again, and because a webhook or a write to the scale may have added fields that the schema does not name.
    pub fn as_read_back(&self, stored: &Value) -> Option<Value> {
        let read = self.custom.as_ref()?.coerce_and_default(stored.clone());
        (read != *stored).then_some(read)
    }

    pub fn conversion_webhook(&self) -> Option<&ConversionWebhook> {
        self.custom.as_ref()?.conversion_webhook.as_ref()
    }

    /// Returns a stored object as clients see it, with kind and apiVersion.
    pub fn served_object(&self, stored: &Value) -> Value {
        let mut value = self.served_form_of(stored.clone());
        value["kind"] = self.kind().into();
        value["apiVersion"] = self.api_version().into();
        value
    }

    /// Shapes a converted object of another version to this version's schema, without new defaults. Upstream: the
    /// strategy `None`, and the processing of a webhook's answer.
    pub fn coerce(&self, value: Value) -> Value {
        match &self.custom {
            Some(custom) => custom.coerce(value),
            None => value,
        }
    }

    /// Shapes an object to this version's schema, with its defaults. The object was decoded in another version, or
    /// under an older schema.
    pub fn coerce_and_default(&self, value: Value) -> Value {
        match &self.custom {
            Some(custom) => custom.coerce_and_default(value),
            None => value,
        }
    }
}
