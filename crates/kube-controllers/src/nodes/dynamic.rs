//! Describes kinds for clients of dynamic objects (`Api<DynamicObject>`), which the scheduler and the kubelet use. A
//! typed client of a large struct such as Pod adds seconds of compile time for each form in which it encodes or decodes
//! the struct.

use kube_core::ApiResource;
use kube_machinery::kinds::Resource;

/// Describes a kind for `kube::Api::all_with` and its siblings.
pub fn api_resource(resource: &Resource) -> ApiResource {
    ApiResource {
        group: resource.group().to_owned(),
        version: resource.version().to_owned(),
        api_version: resource.api_version(),
        kind: resource.kind().to_owned(),
        plural: resource.plural().to_owned(),
    }
}
