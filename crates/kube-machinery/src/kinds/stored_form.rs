//! Kinds whose objects are stored as those of another row: in another version, or in another group.

use super::custom_resource::{ConversionWebhook, integers};
use super::resource::Resource;
use crate::value::Value;

/// The form in which a kind is stored that is served in two groups or versions: the same objects, with other fields.
#[derive(Debug)]
pub struct StoredForm {
    /// The row of what is stored.
    pub(super) row: &'static Resource,
    pub(super) conversion: Conversion,
}

/// How objects get from one form into the other.
#[derive(Debug)]
pub enum Conversion {
    Renamed {
        /// Renames the fields for storage.
        into_stored: fn(Value) -> Value,
        /// Renames the fields of what is stored. The result has the shape of the served type.
        from_stored: fn(Value) -> Value,
    },
    /// The versions of a custom resource. As a webhook may have to be asked, the handlers convert them; all functions of a row see the
    /// form of the row.
    OfVersions,
}

impl Resource {
    /// The row of the objects that are stored.
    pub fn stored(&'static self) -> &'static Self {
        self.stored_form.map_or(self, |form| form.row)
    }

    pub fn stored_form_of(&self, served: Value) -> Value {
        match self.stored_form {
            Some(StoredForm { conversion: Conversion::Renamed { into_stored, .. }, .. }) => into_stored(served),
            Some(StoredForm { conversion: Conversion::OfVersions, .. }) | None => served,
        }
    }

    pub fn served_form_of(&self, stored: Value) -> Value {
        match self.stored_form {
            Some(StoredForm { conversion: Conversion::Renamed { from_stored, .. }, .. }) => from_stored(stored),
            Some(StoredForm { conversion: Conversion::OfVersions, .. }) | None => stored,
        }
    }

    /// Gives an object that is valid the form in which upstream writes it.
    pub fn as_written(&self, value: &mut Value) {
        if self.custom.is_some() {
            integers(value);
        }
    }

    /// An object as upstream reads what it has stored, if that differs: in the form of its schema. A new object has lost its status
    /// since it was decoded, and gets the default of that again; what a webhook or a scale has added may be no part of the schema.
    pub fn as_read_back(&self, stored: &Value) -> Option<Value> {
        let read = self.custom?.reshape(stored.clone());
        (read != *stored).then_some(read)
    }

    /// Who converts the versions of this kind into each other, if a webhook does.
    pub fn conversion_webhook(&self) -> Option<&'static ConversionWebhook> {
        self.custom?.conversion_webhook.as_ref()
    }

    /// A stored object as clients see it.
    pub fn whole(&self, stored: &Value) -> Value {
        let mut value = self.served_form_of(stored.clone());
        value["kind"] = self.kind.into();
        value["apiVersion"] = self.api_version().into();
        value
    }

    /// An object of another version of this kind in the shape of this one. Upstream: the strategy `None`, and what is done with the answer
    /// of a webhook.
    pub fn converted(&self, value: Value) -> Value {
        match self.custom {
            Some(custom) => custom.converted(value),
            None => value,
        }
    }

    /// An object that another version of this kind has decoded, in the shape of this one.
    pub fn in_shape(&self, value: Value) -> Value {
        match self.custom {
            Some(custom) => custom.reshape(value),
            None => value,
        }
    }
}
