//! Validates a custom resource by the schema in its CustomResourceDefinition, its CEL rules, and the rules for scale,
//! embedded objects and lists that are sets or maps. Upstream:
//! `pkg/registry/customresource/{strategy,status_strategy,validator}.go`.

use super::CustomResource;
use super::scale::Checked;
#[cfg(feature = "cel")]
use crate::codec::structural::rules;
use crate::codec::structural::{embedded, list_type, validate};
#[cfg(feature = "cel")]
use crate::conventions::cause::Cause;
use crate::conventions::cause::Findings;
use crate::conventions::causes::Causes;
use crate::kinds::metadata;
use crate::kinds::names::NameRule;
use crate::value::Value;

impl CustomResource {
    /// Validates a whole object, except for its metadata, whose causes are in `found` already.
    pub(crate) fn validate(&self, found: &mut Findings, new: &Value, old: Option<&Value>) {
        let causes = &mut found.causes;
        causes.extend(match old {
            Some(old) => validate::validate_update(&self.schema, new, old, ""),
            None => validate::validate(&self.schema, new, ""),
        });
        causes.extend(self.validate_scale(new, Checked::All));
        causes.extend(embedded::validate(&self.schema, new, "", &validate_metadata));
        causes.extend(self.validate_lists(new, old));
        #[cfg(feature = "cel")]
        self.validate_rules(found, new, old);
    }

    /// Validates an update of the status. Only the status is checked against the schema.
    pub(crate) fn validate_status(&self, found: &mut Findings, new: &Value, old: &Value) {
        let causes = &mut found.causes;
        if let (Some(status), Some(schema)) = (new.get("status"), self.schema.properties.get("status")) {
            causes.extend(validate::validate_update(schema, status, &old["status"], "status"));
        }
        causes.extend(self.validate_scale(new, Checked::Status));
        causes.extend(embedded::validate(&self.schema, new, "", &validate_metadata));
        causes.extend(self.validate_lists(new, Some(old)));
        #[cfg(feature = "cel")]
        self.validate_rules(found, new, Some(old));
    }

    /// Adds the causes of the CEL rules. If an earlier cause shows that a field has the wrong type, for example, the
    /// rules are skipped, because they expect objects of the schema's form. Upstream: `hasBlockingErr`.
    #[cfg(feature = "cel")]
    fn validate_rules(&self, found: &mut Findings, new: &Value, old: Option<&Value>) {
        if !self.schema.has_rules() {
            return;
        }
        if found.causes.iter().any(Cause::blocks_rules) {
            let why = "some validation rules were not checked because the object was invalid; correct the existing errors \
                       to complete validation";
            found.causes.push(Cause::invalid_json("<nil>", &Value::Null, why));
        } else {
            let of_rules = rules::validate(&self.schema, new, old, "");
            found.causes.extend(of_rules.causes);
            found.warnings.extend(of_rules.warnings);
        }
    }

    fn validate_scale(&self, value: &Value, checked: Checked) -> Causes {
        self.scale.as_ref().map(|scale| scale.validate(value, checked)).unwrap_or_default()
    }

    /// Validates lists that are sets or maps. Duplicates are tolerated if the old object has some too.
    fn validate_lists(&self, new: &Value, old: Option<&Value>) -> Causes {
        let is_wrong = |old: &Value| !list_type::validate(&self.schema, old, "").is_empty();
        if old.is_some_and(is_wrong) { Causes::new() } else { list_type::validate(&self.schema, new, "") }
    }
}

fn validate_metadata(object: &Value) -> Causes {
    metadata::validate_object_meta(object, NameRule::PathSegment)
}
