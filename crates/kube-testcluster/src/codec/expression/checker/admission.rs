//! The types of what expressions of admission see. Upstream: `BuildRequestType` and `BuildNamespaceType` in
//! `k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`, and `pkg/cel/library/authz.go`.

use super::Type;

/// An object with these fields only.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(super) name: &'static str,
    fields: &'static [(&'static str, Field)],
}

/// The type of a field.
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
    Object(&'static Declared),
    Objects(&'static Declared),
}

impl Declared {
    pub(super) fn field(&self, name: &str) -> Option<Type<'static>> {
        let (_, field) = self.fields.iter().find(|(known, _)| *known == name)?;
        let list = |kind| Type::List(Box::new(kind));
        let map = |kind| Type::Map(Box::new(kind));
        Some(match field {
            Field::Text => Type::String,
            Field::Bool => Type::Bool,
            Field::Int => Type::Int,
            Field::Time => Type::Timestamp,
            Field::Any => Type::Dyn,
            Field::Texts => list(Type::String),
            Field::MapOfText => map(Type::String),
            Field::MapOfTexts => map(list(Type::String)),
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

/// The type of `request`.
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

/// The type of `namespaceObject`.
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
                    ("UID", Field::Text),
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

const PATH_CHECK: &str = "kubernetes.authorization.PathCheck";
const GROUP_CHECK: &str = "kubernetes.authorization.GroupCheck";
const RESOURCE_CHECK: &str = "kubernetes.authorization.ResourceCheck";
const DECISION: &str = "kubernetes.authorization.Decision";

/// The type of `authorizer`.
pub(crate) const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";

/// The methods: the type that has it, its name, how many texts it takes, and what it results in.
const METHODS: &[(&str, &str, usize, Type<'static>)] = &[
    (AUTHORIZER, "path", 1, Type::Receiver(PATH_CHECK)),
    (AUTHORIZER, "group", 1, Type::Receiver(GROUP_CHECK)),
    (AUTHORIZER, "serviceAccount", 2, Type::Receiver(AUTHORIZER)),
    (PATH_CHECK, "check", 1, Type::Receiver(DECISION)),
    (GROUP_CHECK, "resource", 1, Type::Receiver(RESOURCE_CHECK)),
    (RESOURCE_CHECK, "subresource", 1, Type::Receiver(RESOURCE_CHECK)),
    (RESOURCE_CHECK, "namespace", 1, Type::Receiver(RESOURCE_CHECK)),
    (RESOURCE_CHECK, "name", 1, Type::Receiver(RESOURCE_CHECK)),
    (RESOURCE_CHECK, "fieldSelector", 1, Type::Receiver(RESOURCE_CHECK)),
    (RESOURCE_CHECK, "labelSelector", 1, Type::Receiver(RESOURCE_CHECK)),
    (RESOURCE_CHECK, "check", 1, Type::Receiver(DECISION)),
    (DECISION, "errored", 0, Type::Bool),
    (DECISION, "error", 0, Type::String),
    (DECISION, "allowed", 0, Type::Bool),
    (DECISION, "reason", 0, Type::String),
];

/// Whether authorization has a method of this name; nothing else has one of the same name.
pub(super) fn is_method(name: &str) -> bool {
    METHODS.iter().any(|(_, known, ..)| *known == name)
}

/// What a method results in; `None` if the type has none that takes these arguments.
pub(super) fn method<'s>(of: &str, name: &str, args: &[Type<'_>]) -> Option<Type<'s>> {
    let takes_texts = args.iter().all(|arg| arg.is_open() || matches!(arg, Type::String));
    let found = METHODS.iter().find(|(owner, known, ..)| *owner == of && *known == name);
    found.filter(|(_, _, count, _)| *count == args.len() && takes_texts).map(|(.., result)| result.clone())
}

/// What `authorizer` has that is a variable of its own.
pub(super) fn request_resource(of: &str, field: &str) -> Option<Type<'static>> {
    (of == AUTHORIZER && field == "requestResource").then_some(Type::Receiver(RESOURCE_CHECK))
}
