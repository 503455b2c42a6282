//! The VolumeAttachment kind, the request to attach a volume to a node, which a CSI driver fulfils. Upstream:
//! `pkg/apis/storage`, `pkg/registry/storage/volumeattachment`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::kinds::columns;
use crate::kinds::core::persistent_volume::{inline_spec, set_inline_defaults};
use crate::kinds::core::pod::volume_sources::csi_driver_name;
use crate::kinds::fields::{invalid, text};
use crate::kinds::metadata::{UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::names;
use crate::kinds::reset_fields;
use crate::kinds::resource::{DeleteResponse, ResourceRow, Scope, Strategy, Subresource, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "volumeattachments",
    singular: "volumeattachment",
    kind: "VolumeAttachment",
    storage_hash: "tJx/ezt6UDU=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    defaults: set_defaults,
    prepare: keep_metadata_in_status_update,
    validate,
    validate_status: validate,
    columns: columns::csi::ATTACHMENTS,
    reset_fields: reset_fields::status_alone,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Upstream: `SetObjectDefaults_VolumeAttachment`.
fn set_defaults(attachment: &mut Value) {
    let source = object_field(attachment, "spec").and_then(|spec| object_field(spec, "source"));
    if let Some(volume) = source.and_then(|source| object_field(source, INLINE)) {
        set_inline_defaults(volume);
    }
}

const INLINE: &str = "inlineVolumeSpec";
const NAME: &str = "persistentVolumeName";
const LONGEST_ATTACHER: usize = 63;
/// The largest size of the metadata that a driver returns, and the longest error message, in bytes.
const MOST_METADATA: usize = 256 * 1024;
const LONGEST_MESSAGE: usize = 1024;

/// Upstream: `ValidateVolumeAttachment`, `ValidateVolumeAttachmentUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (spec, source) = (&new["spec"], &new["spec"]["source"]);
    let mut causes = Causes::new();
    causes.extend(attacher(spec, old));
    causes.extend(validate_source(source, &"spec.source"));
    let node = text(spec, "nodeName");
    causes.extend(invalid(&"spec.nodeName", node, names::subdomain(node)));
    causes.extend(validate_status(&new["status"]));
    if let Some(name) = source[NAME].as_str() {
        causes.extend(invalid(&format_args!("spec.source.{NAME}"), name, names::subdomain(name)));
    }
    causes
}

/// Validates the attacher in the cases that its declarative rules leave out: they do not run if an update has changed
/// the immutable spec, and they count characters instead of bytes.
fn attacher(spec: &Value, old: Option<&Value>) -> Causes {
    let name = text(spec, "attacher");
    if old.is_some_and(|old| old["spec"] != *spec) {
        return csi_driver_name(spec, "attacher", &"spec");
    }
    let is_long_in_bytes_only = name.len() > LONGEST_ATTACHER && name.chars().count() <= LONGEST_ATTACHER;
    is_long_in_bytes_only.then(|| Cause::too_long("spec.attacher", LONGEST_ATTACHER)).into_iter().collect()
}

/// Checks that the source is either the name of a PersistentVolume or the spec of one. Upstream:
/// `validateVolumeAttachmentSource`.
fn validate_source(source: &Value, at: At<'_>) -> Causes {
    const ONE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (&source[INLINE], source[NAME].as_str()) {
        (Value::Null, None) => Causes::from([Cause::required(at, ONE)]),
        (Value::Null, Some("")) => {
            let why = "must specify non empty persistentVolumeName";
            Causes::from([Cause::required(format_args!("{at}.{NAME}"), why)])
        }
        (Value::Null, Some(_)) => Causes::new(),
        (_, Some(_)) => Causes::from([Cause::forbidden(at, ONE)]),
        (volume, None) => inline_spec(volume, &format_args!("{at}.{INLINE}")),
    }
}

/// Upstream: `validateVolumeAttachmentStatus`.
fn validate_status(status: &Value) -> Causes {
    let mut causes = Causes::new();
    if super::size_of_pairs(status, "attachmentMetadata") > MOST_METADATA {
        causes.push(Cause::too_long("status.attachmentMetadata", MOST_METADATA));
    }
    for field in ["attachError", "detachError"] {
        causes.extend(volume_error(&status[field], &format_args!("status.{field}")));
    }
    causes
}

/// Upstream: `validateVolumeError`.
fn volume_error(error: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if text(error, "message").len() > LONGEST_MESSAGE {
        causes.push(Cause::too_long(format_args!("{at}.message"), LONGEST_MESSAGE));
    }
    if error["errorCode"].as_i64().is_some_and(|code| code < 0) {
        let why = format!("must be between 0 and {}, inclusive", i32::MAX);
        causes.push(Cause::invalid_json(format_args!("{at}.errorCode"), &error["errorCode"], &why));
    }
    causes
}
