//! The validation rules of fields in the table of types. They are upstream's tags for declarative validation, such as
//! `+k8s:maxItems=100`, that kube-apiserver enforces by default.

/// A rule for the value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldRule {
    Required,
    /// An unset field passes, and its other rules do not apply.
    Optional,
    Forbidden,
    Immutable,
    /// A rule that kube-apiserver evaluates, but does not enforce yet. If it fails, the field's other rules do not apply.
    Alpha(Box<Self>),
    Minimum(i64),
    Maximum(i64),
    MaxItems(usize),
    MaxBytes(usize),
    /// The largest number of characters.
    MaxLength(usize),
    Format(&'static str),
    Enum(Vec<&'static str>),
    /// Rules for a field of the struct.
    Subfield(&'static str, Vec<Self>),
    /// The value of this field decides which rules apply to other fields of the struct.
    ModeDiscriminator,
    /// A rule that applies if the field with `ModeDiscriminator` has this value. If it has another one, the field is
    /// forbidden.
    IfMode(&'static str, Box<Self>),
    /// Of the items with these texts in this field, a list may have one.
    ZeroOrOneOf(&'static str, Vec<&'static str>),
    /// The items of a list are unique. If fields are named, these identify an item, and it is also compared with the item
    /// that they identify in the old list.
    Unique(Vec<&'static str>),
    /// A rule for each new key of a map.
    EachKey(Box<Self>),
    /// An update cannot replace the value by another one, but it can set or remove the value.
    NoModify,
    /// The field is a member of a union: a struct has one of its members.
    UnionMember,
}

impl FieldRule {
    /// Returns true if the rule runs before the others and can end the validation of the field. Upstream: the flag
    /// `ShortCircuit` in validation-gen.
    pub(crate) fn can_end(&self) -> bool {
        matches!(
            self,
            Self::Required
                | Self::Optional
                | Self::Forbidden
                | Self::Immutable
                | Self::NoModify
                | Self::MaxItems(_)
                | Self::Alpha(_)
        )
    }

    /// Parses a word of the table without its plus; `None` if there is no such rule.
    fn read(word: &'static str) -> Option<Self> {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let inner = || Self::read(value.strip_prefix('+')?);
        Some(match name {
            "required" => Self::Required,
            "optional" => Self::Optional,
            "forbidden" => Self::Forbidden,
            "immutable" => Self::Immutable,
            "alpha" => Self::Alpha(Box::new(inner()?)),
            "minimum" => Self::Minimum(value.parse().ok()?),
            "maximum" => Self::Maximum(value.parse().ok()?),
            "maxItems" => Self::MaxItems(value.parse().ok()?),
            "maxLength" => Self::MaxLength(value.parse().ok()?),
            "maxBytes" => Self::MaxBytes(value.parse().ok()?),
            "format" => Self::Format(value),
            "modeDiscriminator" => Self::ModeDiscriminator,
            "enum" => Self::Enum(value.split(',').collect()),
            "unique" => Self::Unique(value.split(',').filter(|key| !key.is_empty()).collect()),
            "eachKey" => Self::EachKey(Box::new(inner()?)),
            "update" if value == "NoModify" => Self::NoModify,
            "unionMember" => Self::UnionMember,
            _ => match name.strip_suffix(')')?.split_once('(')? {
                ("ifMode", mode) => Self::IfMode(mode, Box::new(inner()?)),
                ("subfield", field) => Self::Subfield(field, vec![inner()?]),
                ("item", member) if value == "+zeroOrOneOfMember" => {
                    let (key, text) = member.split_once(':')?;
                    Self::ZeroOrOneOf(key, vec![text])
                }
                _ => return None,
            },
        })
    }

    /// Adds another rule about the same subfield, or another member of the same union. Returns it back if it is neither.
    fn join(&mut self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Subfield(field, rules), Self::Subfield(same, others)) if *field == same => rules.extend(others),
            (Self::ZeroOrOneOf(key, members), Self::ZeroOrOneOf(same, others)) if *key == same => {
                members.extend(others)
            }
            (_, other) => return Some(other),
        }
        None
    }
}

/// Parses the rules of a field. An unknown word is left out; a test proves that the table has none.
pub(super) fn rules(words: &[&'static str]) -> Box<[FieldRule]> {
    let mut rules: Vec<FieldRule> = Vec::new();
    for rule in words.iter().filter_map(|word| FieldRule::read(word)) {
        let other = match rules.last_mut() {
            Some(last) => last.join(rule),
            None => Some(rule),
        };
        rules.extend(other);
    }
    rules.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_only_known_rules() {
        let rows = include_str!("types.txt").lines().filter(|line| line.starts_with("  "));
        let words = rows.flat_map(|row| row.split(' ').skip(5)).filter_map(|word| word.strip_prefix('+'));
        let rules: Vec<&str> = words.filter(|word| *word != "below").collect();
        assert!(rules.len() > 40, "{rules:?}");
        let unknown: Vec<&&str> = rules.iter().filter(|word| FieldRule::read(word).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn rules_of_one_subfield_and_of_one_union_are_joined() {
        let words = ["optional", "subfield(name)=+optional", "subfield(name)=+format=k8s-long-name"];
        let of_name = FieldRule::Subfield("name", vec![FieldRule::Optional, FieldRule::Format("k8s-long-name")]);
        assert_eq!(*rules(&words), [FieldRule::Optional, of_name]);
        let words = ["item(type:Approved)=+zeroOrOneOfMember", "item(type:Denied)=+zeroOrOneOfMember"];
        assert_eq!(*rules(&words), [FieldRule::ZeroOrOneOf("type", vec!["Approved", "Denied"])]);
        assert_eq!(
            *rules(&["alpha=+immutable", "dependentRequired(a)", "required"]),
            [FieldRule::Alpha(Box::new(FieldRule::Immutable)), FieldRule::Required]
        );
    }
}
