//! The columns that `kubectl get` shows for kinds with few columns, such as Namespaces, ConfigMaps and Leases, and the
//! default columns. The descriptions are upstream's: `pkg/printers/internalversion`.

use super::{AGE, Column, NAME, text};
use crate::value::{Map, Value};

/// The columns of a kind that declares none (`ResourceRow::USUAL`).
pub(in crate::kinds) const OTHERS: &[Column] = &[NAME, AGE];

/// The column that precedes the `additionalPrinterColumns` of a CustomResourceDefinition.
pub(in crate::kinds) const NAME_ALONE: &[Column] = &[NAME];

/// Upstream's fallback, with Created At, for kinds that it has no printer for, such as Roles. Upstream:
/// `rest.NewDefaultTableConvertor`.
pub(in crate::kinds) const DEFAULT: &[Column] = &[NAME, CREATED_AT];

pub(super) const CREATED_AT: Column =
    Column { name: "Created At", kind: "date", cell: |object, _| text(object, "/metadata/creationTimestamp"), ..AGE };

pub const NAMESPACES: &[Column] =
    &[NAME, Column::new("Status", "The status of the namespace", |namespace, _| text(namespace, "/status/phase")), AGE];

// As upstream, the Data column is declared as a string, although its cells are numbers.
pub const CONFIG_MAPS: &[Column] = &[
    NAME,
    Column::new(
        "Data",
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
        |map, _| (count(map, "data") + count(map, "binaryData")).into(),
    ),
    AGE,
];

pub const SECRETS: &[Column] = &[
    NAME,
    Column::new(
        "Type",
        "Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
        |secret, _| text(secret, "/type"),
    ),
    Column::new(
        "Data",
        "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
        |secret, _| count(secret, "data").into(),
    ),
    AGE,
];

pub(in crate::kinds) const LEASES: &[Column] = &[
    NAME,
    Column::new(
        "Holder",
        "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
        |lease, _| text(lease, "/spec/holderIdentity"),
    ),
    AGE,
];

pub const API_SERVICES: &[Column] = &[
    NAME,
    Column::new("Service", "The reference to the service that hosts this API endpoint.", |api, _| {
        let service = &api["spec"]["service"];
        let text = |field: &str| service[field].as_str().unwrap_or_default();
        if service.is_null() { "Local".into() } else { format!("{}/{}", text("namespace"), text("name")).into() }
    }),
    Column::new("Available", "Whether this service is available.", |api, _| available(api).into()),
    AGE,
];

fn available(api: &Value) -> String {
    let mut conditions = api["status"]["conditions"].as_array().into_iter().flatten();
    let Some(condition) = conditions.find(|condition| condition["type"] == "Available") else {
        return "Unknown".to_owned();
    };
    let text = |field: &str| condition[field].as_str().unwrap_or_default();
    match (text("status"), text("reason")) {
        ("True", _) => "True".to_owned(),
        (status, "") => status.to_owned(),
        (status, reason) => format!("{status} ({reason})"),
    }
}

fn count(object: &Value, field: &str) -> usize {
    object[field].as_object().map_or(0, Map::len)
}
