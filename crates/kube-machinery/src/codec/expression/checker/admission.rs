//! The types of the variables that the CEL expressions of admission policies and webhooks see, for the type checker:
//! `request`, `namespaceObject` and `authorizer`.
//!
//! Upstream: `BuildRequestType` and `BuildNamespaceType` in `k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`.

use super::Type;

/// An object type that has exactly these fields.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(super) name: &'static str,
    fields: &'static [(&'static str, Field)],
}

#[derive(Debug)]
enum Field {
    Text,
    Bool,
    Int,
    Time,
    Any,
    Texts,
    MapOfText,
    MapOfTexts,
    /// Values of any type by their domain and their name.
    AnyByDomain,
    QuantityByDomain,
    Object(&'static Declared),
    Objects(&'static Declared),
}

impl Declared {
    pub(super) fn field(&self, name: &str) -> Option<Type<'static>> {
        let (_, field) = self.fields.iter().find(|(known, _)| *known == name)?;
        let list = |kind| Type::List(Box::new(kind));
        let map = |kind| Type::Map(Box::new(Type::String), Box::new(kind));
        Some(match field {
            Field::Text => Type::String,
            Field::Bool => Type::Bool,
            Field::Int => Type::Int,
            Field::Time => Type::Timestamp,
            Field::Any => Type::Dyn,
            Field::Texts => list(Type::String),
            Field::MapOfText => map(Type::String),
            Field::MapOfTexts => map(list(Type::String)),
            Field::AnyByDomain => map(map(Type::Dyn)),
            Field::QuantityByDomain => map(map(Type::Opaque("kubernetes.Quantity"))),
            Field::Object(of) => Type::Declared(of),
            Field::Objects(of) => list(Type::Declared(of)),
        })
    }
}

const KIND: Declared = Declared {
    name: "kubernetes.GroupVersionKind",
    fields: &[("group", Field::Text), ("version", Field::Text), ("kind", Field::Text)],
};
const RESOURCE: Declared = Declared {
    name: "kubernetes.GroupVersionResource",
    fields: &[("group", Field::Text), ("version", Field::Text), ("resource", Field::Text)],
};
const USER: Declared = Declared {
    name: "kubernetes.UserInfo",
    fields: &[("username", Field::Text), ("uid", Field::Text), ("groups", Field::Texts), ("extra", Field::MapOfTexts)],
};

/// A device, as the selectors of claims see it. Upstream: `newCompiler` in `k8s.io/dynamic-resource-allocation/cel`.
pub(crate) const DEVICE: Type<'static> = Type::Declared(&Declared {
    name: "kubernetes.DRADevice",
    fields: &[
        ("driver", Field::Text),
        ("allowMultipleAllocations", Field::Bool),
        ("attributes", Field::AnyByDomain),
        ("capacity", Field::QuantityByDomain),
    ],
});

pub(crate) const REQUEST: Type<'static> = Type::Declared(&Declared {
    name: "kubernetes.AdmissionRequest",
    fields: &[
        ("kind", Field::Object(&KIND)),
        ("resource", Field::Object(&RESOURCE)),
        ("subResource", Field::Text),
        ("requestKind", Field::Object(&KIND)),
        ("requestResource", Field::Object(&RESOURCE)),
        ("requestSubResource", Field::Text),
        ("name", Field::Text),
        ("namespace", Field::Text),
        ("operation", Field::Text),
        ("userInfo", Field::Object(&USER)),
        ("dryRun", Field::Bool),
        ("options", Field::Any),
    ],
});

pub(crate) const NAMESPACE: Type<'static> = Type::Declared(&Declared {
    name: "kubernetes.Namespace",
    fields: &[
        (
            "metadata",
            Field::Object(&Declared {
                name: "kubernetes.NamespaceMetadata",
                fields: &[
                    ("name", Field::Text),
                    ("generateName", Field::Text),
                    ("namespace", Field::Text),
                    ("labels", Field::MapOfText),
                    ("annotations", Field::MapOfText),
                    ("UID", Field::Text), // as upstream, unlike the field's name in JSON
                    ("creationTimestamp", Field::Time),
                    ("deletionGracePeriodSeconds", Field::Int),
                    ("deletionTimestamp", Field::Time),
                    ("generation", Field::Int),
                    ("resourceVersion", Field::Text),
                    ("finalizers", Field::Texts),
                ],
            }),
        ),
        (
            "spec",
            Field::Object(&Declared { name: "kubernetes.NamespaceSpec", fields: &[("finalizers", Field::Texts)] }),
        ),
        (
            "status",
            Field::Object(&Declared {
                name: "kubernetes.NamespaceStatus",
                fields: &[
                    (
                        "conditions",
                        Field::Objects(&Declared {
                            name: "kubernetes.NamespaceCondition",
                            fields: &[
                                ("status", Field::Text),
                                ("type", Field::Text),
                                ("lastTransitionTime", Field::Time),
                                ("message", Field::Text),
                                ("reason", Field::Text),
                            ],
                        }),
                    ),
                    ("phase", Field::Text),
                ],
            }),
        ),
    ],
});

/// The type of `authorizer`.
pub(crate) const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";

/// Returns the type of `authorizer.requestResource`, the only field of the authorizer; its other members are methods.
pub(super) fn request_resource(of: &str, field: &str) -> Option<Type<'static>> {
    (of == AUTHORIZER && field == "requestResource").then_some(Type::Opaque("kubernetes.authorization.ResourceCheck"))
}
