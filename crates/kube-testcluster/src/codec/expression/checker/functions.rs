//! The functions that expressions can call, and what they result in. Upstream: cel-go's `common/stdlib` and `ext`, and
//! `k8s.io/apiserver/pkg/cel/library`.

use cel::common::ast::operators;

use super::{Type, admission};

const TO_BOOL: &[&str] = &[
    "matches",
    "contains",
    "startsWith",
    "endsWith",
    "isSorted",
    "includes",
    "isURL",
    "isQuantity",
    "isInteger",
    "isGreaterThan",
    "isLessThan",
    "isIP",
    "isCIDR",
    "containsIP",
    "containsCIDR",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "isSemver",
    "hasValue",
    "ip.isCanonical",
    "sets.contains",
    "sets.equivalent",
    "sets.intersects",
    "bool",
];
const TO_INT: &[&str] = &[
    "size",
    "int",
    "indexOf",
    "lastIndexOf",
    "compareTo",
    "asInteger",
    "getFullYear",
    "getMonth",
    "getDayOfYear",
    "getDayOfMonth",
    "getDate",
    "getDayOfWeek",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
    "family",
    "prefixLength",
    "major",
    "minor",
    "patch",
];
const TO_STRING: &[&str] = &[
    "string",
    "lowerAscii",
    "upperAscii",
    "trim",
    "replace",
    "substring",
    "charAt",
    "join",
    "format",
    "find",
    "strings.quote",
    "getScheme",
    "getHost",
    "getHostname",
    "getPort",
    "getEscapedPath",
];
const TO_STRINGS: &[&str] = &["split", "findAll"];
/// Those that result in something of which more is known only when they run.
const OTHERS: &[&str] = &[
    "type",
    "reverse",
    "sum",
    "min",
    "max",
    "slice",
    "sort",
    "flatten",
    "distinct",
    "first",
    "last",
    "lists.range",
    "url",
    "getQuery",
    "quantity",
    "sign",
    "add",
    "sub",
    "ip",
    "cidr",
    "masked",
    "semver",
    "validate",
    "format.named",
    "format.dns1123Label",
    "format.dns1123Subdomain",
    "format.dns1035Label",
    "format.dns1035LabelPrefix",
    "format.dns1123LabelPrefix",
    "format.dns1123SubdomainPrefix",
    "format.qualifiedName",
    "format.labelValue",
    "format.uri",
    "format.uuid",
    "format.byte",
    "format.date",
    "format.datetime",
    "optional.none",
    "optional.of",
    "optional.ofNonZeroValue",
    "value",
    "or",
    "orValue",
    "unwrapOpt",
    "optMap",
    "optFlatMap",
    "sortBy",
    "transformList",
    "transformMap",
    "transformMapEntry",
    "existsOne",
];

/// Whether there is a function of this name, with its prefix.
pub(super) fn is_declared(name: &str) -> bool {
    let plain = ["dyn", "double", "uint", "bytes", "duration", "timestamp", "asApproximateFloat"];
    let lists = [TO_BOOL, TO_INT, TO_STRING, TO_STRINGS, OTHERS, &plain];
    lists.iter().any(|names| names.contains(&name)) || admission::is_method(name)
}

/// What a function results in; `None` if there is none for this target.
pub(super) fn of<'s>(name: &str, target: Option<&Type<'s>>, args: &[Type<'s>]) -> Option<Type<'s>> {
    if let Some(Type::Receiver(of)) = target {
        return admission::method(of, name, args);
    }
    if admission::is_method(name) {
        return target.is_some_and(Type::is_open).then_some(Type::Unknown);
    }
    Some(match name {
        _ if TO_BOOL.contains(&name) => Type::Bool,
        _ if TO_INT.contains(&name) => Type::Int,
        _ if TO_STRING.contains(&name) => Type::String,
        _ if TO_STRINGS.contains(&name) => Type::List(Box::new(Type::String)),
        "dyn" => Type::Dyn,
        "double" | "asApproximateFloat" => Type::Double,
        "uint" => Type::Uint,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        _ => Type::Unknown,
    })
}

/// What an operator results in that finds an item, or changes a sign.
pub(super) fn of_operator<'s>(name: &str, args: &[Type<'s>]) -> Type<'s> {
    match (name, args) {
        (operators::INDEX, [of, _]) => of.at_index(),
        (operators::NEGATE, [kind]) => kind.clone(),
        _ => Type::Unknown,
    }
}
