//! Pod templates.

use crate::kinds::resource::{DeleteResponse, Generation, Resource};

/// The row of a PodTemplate.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "podtemplates",
    singular: "podtemplate",
    kind: "PodTemplate",
    storage_hash: "LIXB2x4IFpk=",
    delete_response: DeleteResponse::Object,
    generation: Generation::Counted,
    ..Resource::USUAL
};
