//! Replays the recorded calls that structured-merge-diff's own tests make, and compares the results with those of this
//! crate ([the format](../../../../../fixtures/managed-fields/README.md)).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path as FilePath;
use std::sync::Arc;

use flate2::read::GzDecoder;

use super::fieldpath::{Filter, Path, PathElement, Set, SetMatcher};
use super::merge::{Converter, Force, ManagedFields, NotConverted, Refusal, Updater, VersionedSet};
use super::schema::Schema;
use super::typed::{Duplicates, Type, TypedValue};
use super::value;
use crate::value::{Value, json};

mod managers;
mod read_schema;

use self::read_schema::{read_schema, read_type};

/// Reads a recording: its schemas and its calls.
fn recording(name: &str) -> (Vec<Arc<Schema>>, Vec<Value>) {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/managed-fields");
    let mut text = String::new();
    let file = File::open(folder.join(format!("{name}.jsonl.gz"))).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let schemas = lines.next().unwrap()["schemas"].as_array().cloned().unwrap_or_default();
    (schemas.iter().map(|schema| Arc::new(read_schema(schema))).collect(), lines.collect())
}

/// Replays each call of a recording. `answer` returns the result, the error, or `None` for a function that does not
/// exist here. A recorded `refused` stands for any error, because the text of that error does not count.
fn replay(name: &str, answer: impl Fn(&[Arc<Schema>], &Value) -> Option<Result<Value, String>>) {
    let (schemas, calls) = recording(name);
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for call in &calls {
        let count = counts.entry(call["call"].as_str().unwrap().to_owned()).or_default();
        let Some(answer) = answer(&schemas, call) else {
            count.1 += 1;
            continue;
        };
        count.0 += 1;
        let right = match (&answer, call.get("error"), call.get("refused")) {
            (Ok(answer), None, None) => answer == &call["result"] || value::equals(answer, &call["result"]),
            (Err(_), _, Some(_)) => true,
            (Err(why), Some(error), _) => is_same_message(why, error),
            _ => false,
        };
        if !right {
            wrong.push(format!("{call}\nanswered {answer:?}"));
        }
    }
    for (function, (replayed, left_out)) in &counts {
        println!("{name} {function}: {replayed} replayed, {left_out} left out");
    }
    let n = wrong.len();
    wrong.truncate(5);
    assert!(wrong.is_empty(), "{n} of {} calls have another result:\n{}", calls.len(), wrong.join("\n\n"));
    // An empty or a cut recording must not pass.
    assert!(counts.values().map(|(replayed, _)| replayed).sum::<usize>() > 60);
}

/// Returns true if two messages are equal apart from two differences. Upstream's tests read YAML, which gives values
/// other Go types than JSON does; and Go walks over the fields of a map in random order.
fn is_same_message(why: &str, error: &Value) -> bool {
    let plain = |text: &str| {
        let text = text.replace("map[interface {}]interface {}", "map[string]interface {}");
        let mut lines: Vec<_> = text.replace("got int64", "got int").lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    error.as_str().is_some_and(|error| plain(why) == plain(error))
}

fn set(fields: &Value) -> Set {
    Set::from_fields_v1(fields).unwrap()
}

fn path(elements: &Value) -> Path {
    let elements = elements.as_array().unwrap().iter();
    Path(elements.map(|element| PathElement::read(element.as_str().unwrap()).unwrap()).collect())
}

fn matcher(pattern: &Value) -> SetMatcher {
    let Value::Array(members) = pattern else { return SetMatcher::Any };
    let member = |member: &Value| {
        let element = member[0].as_str().unwrap();
        ((element != "*").then(|| PathElement::read(element).unwrap()), matcher(&member[1]))
    };
    SetMatcher::Members(members.iter().map(member).collect())
}

fn type_of(schemas: &[Arc<Schema>], of: &Value) -> Type {
    let schema = usize::try_from(of["schema"].as_u64().unwrap()).unwrap();
    Type { schema: schemas[schema].clone(), reference: read_type(&of["type"]) }
}

fn typed(schemas: &[Arc<Schema>], value: &Value) -> TypedValue {
    TypedValue { value: value["value"].clone(), of: type_of(schemas, &value["of"]) }
}

#[test]
fn values_are_ordered_as_upstream_orders_them() {
    replay("value", |_, call| Some(Ok(json!(value::compare(&call["left"], &call["right"]).is_lt()))));
}

#[test]
fn recorded_operations_on_sets_have_upstreams_results() {
    replay("fieldpath", |schemas, call| {
        let sets = || (set(&call["left"]), set(&call["right"]));
        let fields = |set: Set| Ok(set.to_fields_v1());
        Some(match call["call"].as_str().unwrap() {
            "union" => fields(sets().0.union(&sets().1)),
            "intersection" => fields(sets().0.intersection(&sets().1)),
            "difference" => fields(sets().0.difference(&sets().1)),
            "recursiveDifference" => fields(sets().0.recursive_difference(&sets().1)),
            "has" => Ok(json!(set(&call["set"]).has(&path(&call["path"]).0))),
            "string" => Ok(json!(path(&call["path"]).to_string())),
            "filterIncludeMatches" => fields(Filter::Include(matcher(&call["pattern"])).filter(&set(&call["set"]))),
            "ensureNamedFieldsAreMembers" => {
                let of = type_of(schemas, &call["of"]);
                fields(set(&call["set"]).ensure_named_fields_are_members(&of.schema, &of.reference))
            }
            "toJSON" => Ok(json!(text(&set(&call["set"])))),
            "fromJSON" => {
                let read = serde_json::from_str(call["text"].as_str().unwrap());
                let set = read.and_then(|fields: Value| Set::from_fields_v1(&fields));
                set.map(|set| set.to_fields_v1()).map_err(|error| error.to_string())
            }
            "element" => PathElement::read(call["text"].as_str().unwrap())
                .map(|element| json!(element.stored()))
                .map_err(|error| format!("{error:?}")),
            _ => return None,
        })
    });
}

/// Returns a set as upstream writes it, in the order of its elements.
fn text(set: &Set) -> String {
    let fields = |set: &Set| {
        let field = |(element, member): (&PathElement, bool)| {
            let below = set.below(element).map(text).unwrap_or_else(|| "{}".to_owned());
            let own = if member && below != "{}" { r#"".":{},"# } else { "" };
            format!("{}:{{{own}{}", json!(element.stored()), &below[1..])
        };
        set.elements().map(field).collect::<Vec<_>>().join(",")
    };
    format!("{{{}}}", fields(set))
}

#[test]
fn values_are_merged_and_compared_as_upstream_does() {
    replay("typed", |schemas, call| {
        let value = typed(schemas, call);
        let other = || TypedValue { value: call["other"].clone(), of: value.of.clone() };
        let set = || set(&call["items"]);
        let answer = match call["call"].as_str().unwrap() {
            "validate" => {
                let duplicates = if call["duplicates"] == true { Duplicates::Allowed } else { Duplicates::Refused };
                TypedValue::new(value.value, value.of, duplicates).map(|_| Value::Null)
            }
            "toFieldSet" => value.to_field_set().map(|set| set.to_fields_v1()),
            "merge" => value.merge(&other()).map(|merged| merged.value),
            "compare" => value.compare(&other()).map(|compared| {
                json!({
                    "removed": compared.removed.to_fields_v1(),
                    "modified": compared.modified.to_fields_v1(),
                    "added": compared.added.to_fields_v1(),
                })
            }),
            "removeItems" => Ok(value.remove_items(&set()).value),
            "reconcile" => value.reconcile(&set()).map(|set| set.map_or(Value::Null, |set| set.to_fields_v1())),
            _ => return None, // ExtractItems is a function for clients
        };
        Some(answer.map_err(|faults| faults.to_string()))
    });
}

/// The conversions that upstream made in a recorded call.
#[derive(Debug)]
struct Recorded<'a> {
    schemas: &'a [Arc<Schema>],
    conversions: &'a [Value],
}

impl Converter for Recorded<'_> {
    fn convert<'v>(&self, object: &'v TypedValue, version: &str) -> Result<Cow<'v, TypedValue>, NotConverted> {
        let is_this = |note: &&Value| {
            note["version"] == version
                && value::equals(&note["from"]["value"], &object.value)
                && read_type(&note["from"]["of"]["type"]).name() == object.of.reference.name()
        };
        let note = self.conversions.iter().find(is_this);
        let note = note.unwrap_or_else(|| panic!("the recording has no conversion of {} to {version}", object.value));
        match note["error"].as_str() {
            None => Ok(Cow::Owned(typed(self.schemas, &note["to"]))),
            Some(why) if note["missing"] == true => Err(NotConverted::MissingVersion(why.to_owned())),
            Some(why) => Err(NotConverted::Failed(why.to_owned())),
        }
    }
}

fn read_managers(recorded: &Value) -> ManagedFields {
    let sets = recorded.as_object().unwrap().iter().map(|(name, owned)| {
        let api_version = owned["version"].as_str().unwrap().to_owned();
        let owned = VersionedSet { set: set(&owned["set"]), api_version, applied: owned["applied"] == true };
        (name.to_string(), owned)
    });
    sets.collect()
}

fn filters(call: &Value) -> BTreeMap<String, Filter> {
    let of = |name: &str| {
        call[name].as_object().cloned().unwrap_or_default().into_iter().map(|(version, of)| (version.to_string(), of))
    };
    let excluded = of("ignoredFields").map(|(version, fields)| (version, Filter::Exclude(set(&fields))));
    let filters = of("ignoreFilter").map(|(version, filter)| match &filter["exclude"] {
        Value::Null => (version, Filter::Include(matcher(&filter["include"]))),
        fields => (version, Filter::Exclude(set(fields))),
    });
    excluded.chain(filters).collect()
}

#[test]
fn recorded_writes_give_upstreams_ownership() {
    replay("merge", |schemas, call| {
        let converter = Recorded { schemas, conversions: call["conversions"].as_array().unwrap() };
        let updater = Updater { converter: &converter, ignore: filters(call) };
        let (live, other) = (typed(schemas, &call["live"]), typed(schemas, &call["other"]));
        let (version, manager) = (call["version"].as_str().unwrap(), call["manager"].as_str().unwrap());
        let owned = read_managers(&call["managers"]);
        let answer = if call["call"] == "update" {
            updater.update(&live, &other, version, owned, manager).map(|managers| (Some(other), managers))
        } else {
            let force = if call["force"] == true { Force::Yes } else { Force::No };
            updater.apply(&live, &other, version, owned, manager, force)
        };
        Some(match answer {
            Ok((object, managers)) => {
                let unchanged = (call["returnInputOnNoop"] == true).then(|| live.value.clone());
                let object = object.map(|object| object.value).or(unchanged);
                let expected = call["result"]["object"].get("value");
                let same = match (&object, expected) {
                    (Some(object), Some(expected)) => value::equals(object, expected),
                    (object, expected) => object.is_none() && expected.is_none(),
                };
                if !same {
                    return Some(Err(format!("the object is {object:?}")));
                }
                let expected = read_managers(&call["result"]["managers"]);
                if managers != expected {
                    return Some(Err(format!("owned: {managers:?}, not {expected:?}")));
                }
                Ok(call["result"].clone())
            }
            Err(Refusal::Conflicts(conflicts)) => {
                let expected = call["conflicts"].as_array().cloned().unwrap_or_default();
                let of = |conflict: &Value| (conflict["manager"].as_str().unwrap().to_owned(), path(&conflict["path"]));
                let expected: Vec<_> = expected.iter().map(of).collect();
                let conflicts: Vec<_> = conflicts.into_iter().map(|found| (found.manager, found.path)).collect();
                if conflicts == expected {
                    Err(call["error"].as_str().unwrap_or_default().to_owned())
                } else {
                    Err(format!("{conflicts:?}"))
                }
            }
            Err(Refusal::Other(why)) => Err(why),
        })
    });
}
