//! Conversion between the form that clients see and the stored form, where these differ: Events of `events.k8s.io` are
//! stored as core Events with other field names, and a custom resource with several versions is stored in one of them.

use super::custom_resource::{ConversionWebhook, floats_to_integers};
use super::resource::Resource;
use crate::value::Value;

/// The stored form of a kind that is served in several groups or versions.
#[derive(Debug)]
pub struct StoredForm {
    /// The row of the stored objects.
    pub(super) row: &'static Resource,
    pub(super) conversion: Conversion,
}

#[derive(Debug)]
pub enum Conversion {
    Renamed {
        /// Renames the fields for storage.
        into_stored: fn(Value) -> Value,
        /// Renames the fields of a stored object. The result has the shape of the served type.
        from_stored: fn(Value) -> Value,
    },
    /// The stored form is another version of a custom resource. The request handlers convert it, since they may have to
    /// call a webhook, so the functions of a row do not.
    OfVersions,
}

impl Resource {
    /// Returns the row in which objects of this kind are stored.
    pub fn stored(&'static self) -> &'static Self {
        self.stored_form.map_or(self, |form| form.row)
    }

    /// Converts a served object for storage, if only its fields have other names there.
    pub fn stored_form_of(&self, served: Value) -> Value {
        match self.stored_form {
            Some(StoredForm { conversion: Conversion::Renamed { into_stored, .. }, .. }) => into_stored(served),
            Some(StoredForm { conversion: Conversion::OfVersions, .. }) | None => served,
        }
    }

    /// Converts a stored object into its served form, if only its fields have other names there.
    pub fn served_form_of(&self, stored: Value) -> Value {
        match self.stored_form {
            Some(StoredForm { conversion: Conversion::Renamed { from_stored, .. }, .. }) => from_stored(stored),
            Some(StoredForm { conversion: Conversion::OfVersions, .. }) | None => stored,
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
    /// again, and because a webhook or a scale may have added fields that the schema does not name.
    pub fn as_read_back(&self, stored: &Value) -> Option<Value> {
        let read = self.custom?.coerce_and_default(stored.clone());
        (read != *stored).then_some(read)
    }

    pub fn conversion_webhook(&self) -> Option<&'static ConversionWebhook> {
        self.custom?.conversion_webhook.as_ref()
    }

    /// Returns a stored object as clients see it, with kind and apiVersion.
    pub fn served_object(&self, stored: &Value) -> Value {
        let mut value = self.served_form_of(stored.clone());
        value["kind"] = self.kind.into();
        value["apiVersion"] = self.api_version().into();
        value
    }

    /// Shapes a converted object of another version to this version's schema, without new defaults. Upstream: the
    /// strategy `None`, and the processing of a webhook's answer.
    pub fn coerce(&self, value: Value) -> Value {
        match self.custom {
            Some(custom) => custom.coerce(value),
            None => value,
        }
    }

    /// Shapes an object to this version's schema, with its defaults. The object was decoded in another version, or
    /// under an older schema.
    pub fn coerce_and_default(&self, value: Value) -> Value {
        match self.custom {
            Some(custom) => custom.coerce_and_default(value),
            None => value,
        }
    }
}
