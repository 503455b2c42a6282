//! Validates the writes of a kind: its metadata, then the rest by the functions of its row and by the rules of its
//! type, or, for a custom resource, by the schema of its definition.

use super::metadata;
use super::resource::{Resource, Subresource};
use crate::codec::declarative;
use crate::conventions::cause::Findings;
use crate::conventions::causes::Causes;
use crate::kinds::strategy::DuplicateCauses;
use crate::value::Value;

impl Resource {
    /// Validates a new object. Upstream: `ValidateCreate`.
    pub fn causes_of_new(&self, new: &Value) -> Causes {
        let mut found = Findings::of(metadata::validate_new_by_kind(self, new));
        match &self.custom {
            Some(custom) => custom.validate(&mut found, &self.served_object(new), None),
            None => self.add_own_and_declared(&mut found.causes, (self.validate)(new, None), new, None),
        }
        let causes = found.causes; // there are no warnings: they are about values that an update leaves unchanged
        if causes.is_empty() { metadata::validate_new(new) } else { causes }
    }

    /// Validates an update. Upstream: `ValidateUpdate`.
    pub fn findings_of_update(&self, new: &Value, old: &Value) -> Findings {
        let mut found = Findings::of(metadata::validate_update(self, new, old, None));
        match &self.custom {
            Some(custom) => custom.validate(&mut found, &self.served_object(new), Some(&self.served_object(old))),
            None => self.add_own_and_declared(&mut found.causes, (self.validate)(new, Some(old)), new, Some(old)),
        }
        found
    }

    /// Validates an update of the status. Upstream: `ValidateUpdate` of a kind's status strategy.
    pub fn findings_of_status_update(&self, new: &Value, old: &Value) -> Findings {
        let mut found = Findings::of(metadata::validate_update(self, new, old, Some(Subresource::Status)));
        match &self.custom {
            Some(custom) => custom.validate_status(&mut found, &self.served_object(new), &self.served_object(old)),
            None => {
                self.add_own_and_declared(&mut found.causes, (self.validate_status)(new, Some(old)), new, Some(old))
            }
        }
        found
    }

    /// Upstream: `ValidateUpdate` of the subresource's strategy.
    pub fn causes_of_subresource_update(&self, subresource: Subresource, new: &Value, old: &Value) -> Causes {
        let mut causes = metadata::validate_update(self, new, old, Some(subresource));
        self.add_own_and_declared(&mut causes, (self.validate_subresource)(subresource, new, old), new, Some(old));
        causes
    }

    /// Adds the causes of a built-in kind's own rules to those of its metadata, and then the causes of the declarative
    /// rules. If both have an equal cause, the one of the declarative rules stays. Upstream:
    /// `ValidateDeclarativelyWithMigrationChecks`.
    fn add_own_and_declared(&self, causes: &mut Causes, own: Causes, new: &Value, old: Option<&Value>) {
        causes.extend(own);
        if self.row.duplicate_causes == DuplicateCauses::Removed && causes.len() > 1 {
            *causes = std::mem::take(causes).distinct();
        }
        let declared = match self.row.stored_form {
            // Without rules, the object need not be converted.
            Some(_) if !declarative::has_rules(self.go_type()) => Causes::new(),
            // The rules are those of the version in the request, so they are for the fields of the served form.
            Some(form) => {
                let served = |stored: &Value| (form.from_stored)(stored.clone());
                declarative::validate(self.go_type(), &served(new), old.map(served).as_ref())
            }
            None => declarative::validate(self.go_type(), new, old),
        };
        if !declared.is_empty() {
            *causes = std::mem::take(causes).without(&declared);
            causes.extend(declared);
        }
    }
}
