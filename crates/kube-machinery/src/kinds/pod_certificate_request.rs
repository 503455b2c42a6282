//! The PodCertificateRequest kind, by which a kubelet asks for the certificate of a pod. A signer puts the certificate
//! into the status. Upstream: `pkg/apis/certificates`, `pkg/registry/certificates/podcertificaterequest`.

mod status;
mod validation;

use crate::conventions::edit::{object_field, set_default};
use crate::kinds::columns;
use crate::kinds::metadata::keep_metadata_in_status_update;
use crate::kinds::reset_fields;
use crate::kinds::resource::{ResourceRow, Strategy, Subresource, UnconditionalUpdate};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(super) const ROW: ResourceRow = ResourceRow {
    group: "certificates.k8s.io",
    plural: "podcertificaterequests",
    singular: "podcertificaterequest",
    kind: "PodCertificateRequest",
    storage_hash: "wYA9yXQH8fg=",
    subresources: &[Subresource::Status],
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    fields: &[
        ("spec.signerName", "spec.signerName", ""),
        ("spec.podName", "spec.podName", ""),
        ("spec.nodeName", "spec.nodeName", ""),
    ],
    defaults: set_defaults,
    prepare: keep_metadata_in_status_update,
    validate: validation::validate,
    validate_status: status::validate,
    reset_fields: reset_fields::status_alone,
    columns: columns::certificates::POD_REQUESTS,
    ..ResourceRow::USUAL
};

/// A day, in seconds.
const DAY: i64 = 24 * 60 * 60;

/// Upstream: `SetObjectDefaults_PodCertificateRequest`.
fn set_defaults(request: &mut Value) {
    if let Some(spec) = object_field(request, "spec") {
        set_default(spec, "maxExpirationSeconds", json!(DAY));
    }
}
