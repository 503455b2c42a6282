//! Validates the subjects of a FlowSchema: the users, groups and service accounts whose requests it matches. Upstream:
//! `ValidateFlowSchemaSubject` in `pkg/apis/flowcontrol/validation`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{invalid, one_of, required, text};
use crate::kinds::names;
use crate::value::Value;

/// The Go struct of a subject, as upstream's causes print it.
pub(super) const SUBJECT: GoStruct = GoStruct(&[
    ("Kind", "kind", Field::Text),
    ("User", "user", Field::Struct(&NAMED)),
    ("Group", "group", Field::Struct(&NAMED)),
    ("ServiceAccount", "serviceAccount", Field::Struct(&ACCOUNT)),
]);
const NAMED: GoStruct = GoStruct(&[("Name", "name", Field::Text)]);
const ACCOUNT: GoStruct = GoStruct(&[("Namespace", "namespace", Field::Text), ("Name", "name", Field::Text)]);

/// The kinds of subjects with their fields, in the order in which upstream looks for fields of other kinds.
const KINDS: [(&str, &str); 3] = [("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")];

/// Checks that a subject has the field of its kind, and no other one.
pub(super) fn validate_subject(subject: &Value, at: At<'_>) -> Causes {
    let kind = text(subject, "kind");
    let Some((_, own)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        return one_of(kind, &["Group", "ServiceAccount", "User"], &format_args!("{at}.kind")).into_iter().collect();
    };
    let mut causes = named(&subject[*own], kind, own, &format_args!("{at}.{own}"));
    for (name, field) in KINDS.iter().filter(|(_, field)| field != own && !subject[*field].is_null()) {
        let why = format!("{field} is forbidden when subject kind is not '{name}'");
        causes.push(Cause::forbidden(format_args!("{at}.{field}"), &why));
    }
    causes
}

/// Validates the names in the field of the subject's kind.
fn named(subject: &Value, kind: &str, field: &str, at: At<'_>) -> Causes {
    if subject.is_null() {
        return Causes::from([Cause::required(at, &format!("{field} is required when subject kind is '{kind}'"))]);
    }
    let mut causes = Causes::from_iter(required(subject, "name", at));
    if kind == "ServiceAccount" {
        causes.extend(account(subject, at));
    }
    causes
}

/// Upstream: `ValidateServiceAccountSubject`.
fn account(subject: &Value, at: At<'_>) -> Causes {
    let (name, namespace) = (text(subject, "name"), text(subject, "namespace"));
    let mut causes = Causes::new();
    if !matches!(name, "" | "*") {
        causes.extend(invalid(&format_args!("{at}.name"), name, names::subdomain(name)));
    }
    let at = format_args!("{at}.namespace");
    match namespace {
        "" => causes.push(Cause::required(at, "must specify namespace for service account")),
        namespace => causes.extend(invalid(&at, namespace, names::label(namespace))),
    }
    causes
}
