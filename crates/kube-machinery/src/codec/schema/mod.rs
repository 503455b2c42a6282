//! The table of the Go types of the served kinds: their fields and order, which fields may be omitted, how lists are
//! merged, and which values are valid. Objects are JSON values in this crate; the table gives them the form that a Go
//! server gives them when it decodes and encodes them.
//!
//! `peers/schema` makes `types.txt` from the struct tags of upstream's Go types, from the tags for declarative validation
//! in their comments, and from the schema of client-go's apply configurations, which says what is atomic and which fields
//! are the keys of lists.

use std::sync::{LazyLock, OnceLock};

use foldhash::HashMap;

use crate::value::Map;

mod byte_fields;
mod conform;
mod convert;
mod decode;
mod empty_lists;
mod rule;
mod scalar;
mod schema_or;
mod type_error;

pub(crate) use self::byte_fields::replace_null_bytes;
pub use self::conform::conform;
pub use self::convert::from_map;
pub use self::decode::{Decoded, decode, faults_at, zero};
pub(crate) use self::empty_lists::replace_empty_lists;
pub(crate) use self::rule::FieldRule;
pub(crate) use self::scalar::float;
pub(crate) use self::schema_or::Alternative;
pub use self::type_error::json_type;

/// A Go struct.
#[derive(Debug, Default)]
pub(crate) struct Struct {
    pub(crate) name: &'static str,
    pub(crate) fields: Box<[Field]>,
    /// True if its objects have `kind` and `apiVersion`.
    pub(crate) has_kind: bool,
    /// True if one manager owns the struct as a whole. Upstream: `+structType=atomic`.
    pub(crate) is_atomic: bool,
    /// The zero value, computed when it is first needed.
    zero: OnceLock<Map>,
    /// True if Go writes empty lists in the struct, or in one below it. It is computed when it is first needed.
    has_written_lists: OnceLock<bool>,
}

#[derive(Debug)]
pub(crate) struct Field {
    /// The name in JSON; empty for an embedded struct, whose fields stand beside those of the outer one.
    pub(crate) name: &'static str,
    /// The field number in protobuf.
    pub(crate) number: u32,
    pub(crate) kind: FieldType,
    pub(crate) omit: Omit,
    /// The field that identifies the items of a list in a strategic merge patch; empty if the list is replaced.
    pub(crate) merge_key: &'static str,
    /// How a strategic merge patch changes the field: by `merge`, `replace` or `retainKeys`, or several of them.
    pub(crate) strategy: &'static str,
    /// The name of the type in Go, if it is a named type but no struct: `v1.PodPhase`.
    pub(crate) named: Option<&'static str>,
    /// How managers share the ownership of the field's contents.
    pub(crate) topology: Topology,
    /// The declared default. A list item that lacks a key field is identified by the field's default: a port without
    /// `protocol` by `TCP`. Without a default, the zero value identifies the item, if Go always writes the field.
    pub(crate) default: Option<&'static str>,
    /// The rules for the field's value. Those that can end the field's validation come first.
    pub(crate) rules: Box<[FieldRule]>,
    /// True if fields below this one have rules.
    pub(crate) has_rules_below: bool,
}

/// How managers share the ownership of a field's contents. Upstream: `+listType`, `+listMapKey`, `+mapType` and
/// `+structType`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    /// As the type itself declares; a list is atomic.
    Declared,
    /// A map or a struct that one manager owns as a whole.
    Atomic,
    /// A struct whose fields have separate owners here, though its type is atomic.
    Separable,
    /// A list of unique values, each with its own owner.
    Set,
    /// A list of items that these fields identify, each with its own owner.
    Map(Vec<&'static str>),
}

/// The condition under which Go omits a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omit {
    Never,
    /// Omitted if it is false, 0, null or empty; a struct is never omitted.
    Empty,
    /// Omitted as with `Empty`, and if it is an unset time.
    Zero,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A `string`.
    Text,
    Bool,
    /// An integer of this many bits.
    Integer(u8),
    /// A `float64`.
    Float,
    /// Bytes, as base64.
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// Any JSON value.
    Raw,
    /// A `JSONSchemaProps`, or the alternative that a JSON schema allows in its place.
    SchemaOr(Alternative),
    Struct(&'static str),
    Pointer(Box<FieldType>),
    List(Box<FieldType>),
    Map(Box<FieldType>),
}

/// The structs of the table by name. Each is parsed when it is first needed, because a server needs few of them.
static TYPES: LazyLock<HashMap<&'static str, Row>> = LazyLock::new(|| rows(include_str!("types.txt")));

/// A row of the table: the lines of a struct, and the struct after they were parsed.
#[derive(Debug)]
struct Row {
    text: &'static str,
    parsed: OnceLock<Box<Struct>>,
}

impl Row {
    fn parsed(&'static self) -> &'static Struct {
        self.parsed.get_or_init(|| Box::new(read(self.text)))
    }
}

/// Finds a struct.
///
/// # Panics
/// If there is no such struct. The names come from this table and from the catalog of kinds, which is tested.
pub(crate) fn find(name: &str) -> &'static Struct {
    TYPES.get(name).unwrap_or_else(|| panic!("the table has no type {name}")).parsed()
}

pub(crate) fn structs() -> impl Iterator<Item = (&'static str, &'static Struct)> {
    TYPES.iter().map(|(name, row)| (*name, row.parsed()))
}

pub fn has(name: &str) -> bool {
    TYPES.contains_key(name)
}

/// Returns the name of a kind's type in the table: the kind, with a prefix if the core group has a kind of the same
/// name.
pub fn type_of<'k>(kind: &'k str, api_version: &str) -> &'k str {
    match (kind, api_version) {
        ("Event", "events.k8s.io/v1") => "events.Event",
        ("EventList", "events.k8s.io/v1") => "events.EventList",
        ("HorizontalPodAutoscaler", "autoscaling/v1") => "autoscaling.HorizontalPodAutoscaler",
        ("HorizontalPodAutoscalerList", "autoscaling/v1") => "autoscaling.HorizontalPodAutoscalerList",
        ("ResourceClaim", "resource.k8s.io/v1") => "resource.ResourceClaim",
        _ => kind,
    }
}

impl Struct {
    /// Returns the field with this name, from the struct or one that it embeds.
    pub(crate) fn field(&'static self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find_map(|field| match &field.kind {
            FieldType::Struct(embedded) if field.name.is_empty() => find(embedded).field(name),
            _ => (field.name == name).then_some(field),
        })
    }

    /// Returns the embedded structs through which the field with this name is reached, the outermost first. Go's type
    /// errors have them in the path.
    fn embedded_around(&'static self, name: &str) -> Vec<&'static Struct> {
        if self.fields.iter().any(|field| field.name == name) {
            return Vec::new();
        }
        let mut embedded = self.fields.iter().filter_map(|field| match &field.kind {
            FieldType::Struct(embedded) if field.name.is_empty() => Some(find(embedded)),
            _ => None,
        });
        let around = embedded.find(|row| row.field(name).is_some());
        around.map(|row| [vec![row], row.embedded_around(name)].concat()).unwrap_or_default()
    }

    /// Returns the fields, including those of embedded structs.
    pub(crate) fn all_fields(&'static self) -> Vec<&'static Field> {
        let own = |field: &'static Field| match &field.kind {
            FieldType::Struct(embedded) if field.name.is_empty() => find(embedded).all_fields(),
            _ => vec![field],
        };
        self.fields.iter().flat_map(own).collect()
    }

    /// Returns the zero value of the struct: the fields that Go writes even if they are empty.
    pub fn zero(&'static self) -> &'static Map {
        self.zero.get_or_init(|| {
            let mut fields = Map::new();
            decode::zeroes(self, &mut fields);
            fields
        })
    }
}

/// Splits the table into structs. A line without indentation begins one, unless it is a comment.
fn rows(text: &'static str) -> HashMap<&'static str, Row> {
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1));
    let begins: Vec<usize> =
        lines.filter(|line| text[*line..].starts_with(|first| first != ' ' && first != '#')).collect();
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    let row = |(begin, end): (&usize, usize)| {
        let text = &text[*begin..end];
        let name = text.split([' ', '\n']).next().unwrap_or_default();
        (name, Row { text, parsed: OnceLock::new() })
    };
    begins.iter().zip(ends).map(row).collect()
}

/// Parses the lines of a struct. The first line is the name and, where they apply, `@kind` and `@atomic`. Each other
/// line is a field: name (with `?` if it is omitted when empty, `?!` also when it is an unset time, `+` if embedded),
/// number, type, `strategy:key` if lists are merged, `=name` if Go has a named type, words with `@`: `set`,
/// `map:KEY,KEY`, `atomic`, `separable`, `default:VALUE`, and words with `+`: [rules](FieldRule), and `below` if there are
/// rules for the fields below.
fn read(text: &'static str) -> Struct {
    let mut lines = text.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let name = words.next().and_then(|name| name.rsplit('.').next()).unwrap_or_default();
    let fields = lines.filter_map(|line| line.strip_prefix("  ")).map(field).collect();
    let mut of = Struct { name, fields, ..Struct::default() };
    for mark in words {
        of.has_kind |= mark == "@kind";
        of.is_atomic |= mark == "@atomic";
    }
    of
}

fn field(line: &'static str) -> Field {
    let mut words = line.split(' ');
    let mut next = || words.next().unwrap_or_default();
    let (name, number, kind) = (next(), next(), next());
    let (mut merge, mut named, mut topology, mut default) = ("", None, Topology::Declared, None);
    let mut rules = Vec::new();
    for word in words {
        match (word.strip_prefix('='), word.strip_prefix('@')) {
            (Some(name), _) => named = Some(name),
            (_, Some(mark)) => match mark.split_once(':') {
                Some(("default", value)) => default = Some(value),
                Some((_, keys)) => topology = Topology::Map(keys.split(',').collect()),
                None if mark == "set" => topology = Topology::Set,
                None if mark == "separable" => topology = Topology::Separable,
                None => topology = Topology::Atomic,
            },
            _ => match word.strip_prefix('+') {
                Some(rule) => rules.push(rule),
                None => merge = word,
            },
        }
    }
    let bare = name.trim_end_matches(['?', '!']);
    let (strategy, merge_key) = merge.split_once(':').unwrap_or_default();
    Field {
        name: bare.trim_start_matches('+'),
        number: number.parse().unwrap_or_default(),
        kind: self::kind(kind),
        omit: match &name[bare.len()..] {
            "" => Omit::Never,
            "?" => Omit::Empty,
            _ => Omit::Zero,
        },
        merge_key,
        strategy,
        named,
        topology,
        default,
        rules: rule::rules(&rules),
        has_rules_below: rules.contains(&"below"),
    }
}

fn kind(text: &'static str) -> FieldType {
    let inner = || Box::new(kind(&text[1..]));
    match text {
        "string" => FieldType::Text,
        "bool" => FieldType::Bool,
        "int32" => FieldType::Integer(32),
        "int64" | "int" => FieldType::Integer(64),
        "float64" => FieldType::Float,
        "bytes" => FieldType::Bytes,
        "time" => FieldType::Time,
        "microtime" => FieldType::MicroTime,
        "quantity" => FieldType::Quantity,
        "intorstring" => FieldType::IntOrString,
        "raw" | "fields" => FieldType::Raw, // `fields` is the type FieldsV1
        "schemaorbool" => FieldType::SchemaOr(Alternative::Bool),
        "schemaorarray" => FieldType::SchemaOr(Alternative::Schemas),
        "schemaorstringarray" => FieldType::SchemaOr(Alternative::Texts),
        _ if text.starts_with('*') => FieldType::Pointer(inner()),
        _ if text.starts_with('[') => FieldType::List(inner()),
        _ if text.starts_with('{') => FieldType::Map(inner()),
        name => FieldType::Struct(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_a_field_names_is_in_the_table() {
        fn check(kind: &FieldType) {
            match kind {
                FieldType::Struct(name) => drop(find(name)),
                FieldType::Pointer(inner) | FieldType::List(inner) | FieldType::Map(inner) => check(inner),
                _ => {}
            }
        }
        structs().flat_map(|(_, of)| &of.fields).for_each(|field| check(&field.kind));
        assert_eq!(find("PodSpec").field("containers").unwrap().merge_key, "name");
        assert_eq!(
            find("Volume").field("emptyDir").unwrap().kind,
            FieldType::Pointer(Box::new(FieldType::Struct("EmptyDirVolumeSource")))
        );
    }
}
