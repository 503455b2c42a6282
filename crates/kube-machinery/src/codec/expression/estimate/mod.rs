//! Estimates what a checked CEL rule (`x-kubernetes-validations`) costs at most, before it runs: from the types of its
//! parts, and from the sizes that the schema declares for them. A CustomResourceDefinition with a rule that may cost
//! too much is refused.
//!
//! Only the upper bound of a cost is counted, as upstream compares nothing else.
//!
//! Upstream: cel-go's `checker/cost.go`.

mod calls;
mod data_path;
mod declared;
mod library;
mod size;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, ListExpr, LiteralValue, MapExpr, SelectExpr};
use cel::parser::Expression;

use self::data_path::DataPath;
pub(crate) use self::declared::Declared;
use self::size::Size;
use super::checker::Type;
use super::interpreter::{OF_A_LIST, OF_A_MAP};
use super::macros;

/// Returns the most that an expression over these variables costs. `declared` are the sizes of `self`.
pub(crate) fn cost<'s>(expression: &Expression, variables: &[(String, Type<'s>)], declared: &Declared<'s>) -> u64 {
    Estimator { variables, declared, locals: Vec::new() }.estimate(expression).cost
}

/// A part of an expression with its estimate.
struct Part<'s> {
    cost: u64,
    kind: Type<'s>,
    /// The path of the value; empty unless the value is a part of `self`.
    path: DataPath,
    /// The size, if it was computed already: `Estimator::size` keeps it here.
    size: Cell<Option<Size>>,
    entries: Option<Entries>,
    form: Form,
}

/// The form of an expression, as far as later estimates need it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// A literal, with its value if it is an int.
    Literal(Option<i64>),
    /// A list or a map.
    Collection,
    Name(String),
    Other,
}

/// The sizes of what a list or a map contains, by kind of container.
#[derive(Clone, Copy, Debug)]
enum Entries {
    List(Size),
    Map { keys: Size, values: Size },
}

/// A variable of a loop or of a `bind`.
struct Local<'s> {
    name: String,
    kind: Type<'s>,
    path: DataPath,
    size: Option<Size>,
    entries: Option<Entries>,
}

struct Estimator<'e, 's> {
    variables: &'e [(String, Type<'s>)],
    declared: &'e Declared<'s>,
    /// The variables of the surrounding loops, the innermost last.
    locals: Vec<Local<'s>>,
}

impl<'s> Part<'s> {
    fn of(cost: u64, kind: Type<'s>) -> Self {
        Self { cost, kind, path: DataPath::default(), size: Cell::default(), entries: None, form: Form::Other }
    }

    fn sized(cost: u64, kind: Type<'s>, size: usize, form: Form) -> Self {
        Self { size: Cell::new(Some(Size::exactly(size as u64))), form, ..Self::of(cost, kind) }
    }
}

impl Entries {
    fn keys(self) -> Size {
        match self {
            Self::List(_) => Size::exactly(1),
            Self::Map { keys, .. } => keys,
        }
    }

    fn values(self) -> Size {
        match self {
            Self::List(values) | Self::Map { values, .. } => values,
        }
    }

    /// Returns the sizes in either container, as a container of the kind of the first.
    fn union(self, other: Self) -> Self {
        let values = self.values().union(other.values());
        match self {
            Self::List(_) => Self::List(values),
            Self::Map { keys, .. } => Self::Map { keys: keys.union(other.keys()), values },
        }
    }
}

impl<'s> Estimator<'_, 's> {
    fn estimate(&mut self, expression: &Expression) -> Part<'s> {
        match &expression.expr {
            Expr::Literal(literal) => of_literal(literal),
            Expr::Ident(name) => self.name(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.list(list),
            Expr::Map(map) => self.map(map),
            Expr::Comprehension(of) if macros::is_binding(of) => self.binding(of),
            Expr::Comprehension(of) => self.comprehension(of),
            Expr::Struct(_) | Expr::Unspecified => Part::of(0, Type::Dyn),
        }
    }

    fn name(&mut self, name: &str) -> Part<'s> {
        let (kind, path, entries) = match self.local(name) {
            Some(local) => (local.kind.clone(), local.path.clone(), local.entries),
            None => (self.variable(name).cloned().unwrap_or(Type::Metatype), DataPath::of(name), None),
        };
        Part { path, entries, form: Form::Name(name.to_owned()), ..Part::of(1, kind) }
    }

    fn local(&self, name: &str) -> Option<&Local<'s>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn variable(&self, name: &str) -> Option<&Type<'s>> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, kind)| kind)
    }

    fn select(&mut self, select: &SelectExpr) -> Part<'s> {
        let operand = self.estimate(&select.operand);
        if select.test {
            return Part::of(operand.cost, Type::Bool); // `has()` itself costs nothing
        }
        let is_read = matches!(operand.kind, Type::Map(..)) || operand.kind.is_object();
        let kind = operand.kind.field(&select.field).unwrap_or(Type::Dyn);
        let path = operand.path.append(&select.field);
        Part { path, ..Part::of(operand.cost.saturating_add(is_read.into()), kind) }
    }

    fn list(&mut self, list: &ListExpr) -> Part<'s> {
        let (mut cost, mut items, mut kinds) = (OF_A_LIST, None, Vec::new());
        for (i, element) in list.elements.iter().enumerate() {
            let element = self.estimate(element);
            cost = cost.saturating_add(element.cost);
            items = joined(items, self.size_or_unknown(&element));
            kinds.push(element.kind.without_optional(list.optional_indices.contains(&i)));
        }
        let kind = Type::List(Box::new(Type::joined(&kinds)));
        let entries = Some(Entries::List(items.unwrap_or(Size::up_to(0))));
        Part { entries, ..Part::sized(cost, kind, list.elements.len(), Form::Collection) }
    }

    fn map(&mut self, map: &MapExpr) -> Part<'s> {
        let (mut cost, mut keys, mut values) = (OF_A_MAP, None, None);
        let (mut kinds_of_keys, mut kinds_of_values) = (Vec::new(), Vec::new());
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
            let (key, value) = (self.estimate(&entry.key), self.estimate(&entry.value));
            cost = cost.saturating_add(key.cost).saturating_add(value.cost);
            keys = joined(keys, self.size_or_unknown(&key));
            values = joined(values, self.size_or_unknown(&value));
            kinds_of_keys.push(key.kind);
            kinds_of_values.push(value.kind.without_optional(entry.optional));
        }
        let [key, value] = [kinds_of_keys, kinds_of_values].map(|kinds| Box::new(Type::joined(&kinds)));
        let [keys, values] = [keys, values].map(|sizes| sizes.unwrap_or(Size::up_to(0)));
        let entries = Some(Entries::Map { keys, values });
        Part { entries, ..Part::sized(cost, Type::Map(key, value), map.entries.len(), Form::Collection) }
    }

    /// Estimates a comprehension that only binds a value to a name.
    fn binding(&mut self, of: &ComprehensionExpr) -> Part<'s> {
        let value = self.estimate(&of.accu_init);
        self.push_value(&of.accu_var, &value);
        let result = self.estimate(&of.result);
        self.locals.pop();
        // The comprehension has an empty list as its range, which is charged too.
        let cost = OF_A_LIST.saturating_add(value.cost).saturating_add(result.cost);
        let size = Cell::new(self.size(&result));
        Part { size, entries: result.entries, ..Part::of(cost, result.kind) }
    }

    fn comprehension(&mut self, of: &ComprehensionExpr) -> Part<'s> {
        let (range, first) = (self.estimate(&of.iter_range), self.estimate(&of.accu_init));
        let accumulator = self.locals.len();
        self.push_value(&of.accu_var, &first);
        self.push_items(of, &range);
        let condition = self.estimate(&of.loop_cond);
        let step = self.estimate(&of.loop_step);
        self.locals.truncate(accumulator + 1);
        if let Some(local) = self.locals.last_mut() {
            local.kind = step.kind; // an empty list or map gets its type by the first step
        }
        let result = self.estimate(&of.result);
        self.locals.truncate(accumulator);
        let count = self.size_or_unknown(&range);
        let steps = count.most.saturating_mul(step.cost.saturating_add(condition.cost));
        let cost = [first.cost, result.cost, steps].into_iter().fold(range.cost, u64::saturating_add);
        let made = Part::of(cost, result.kind);
        match first.form {
            Form::Literal(_) => Part { size: Cell::new(self.size(&first)), ..made },
            Form::Collection => Part { size: Cell::new(Some(count)), entries: step.entries, ..made },
            _ => made,
        }
    }

    fn push_value(&mut self, name: &str, value: &Part<'s>) {
        let (kind, path) = (value.kind.clone(), value.path.clone());
        let (size, entries) = (self.size(value), value.entries);
        self.locals.push(Local { name: name.to_owned(), kind, path, size, entries });
    }

    /// Declares the variables of a loop.
    fn push_items(&mut self, of: &ComprehensionExpr, range: &Part<'s>) {
        let is_list = match range.entries {
            Some(entries) => matches!(entries, Entries::List(_)),
            None => matches!(range.kind, Type::List(_)),
        };
        let (keys, values) = (range.entries.map(Entries::keys), range.entries.map(Entries::values));
        let item = |name: &str, kind, part: &str, size| {
            let path = range.path.append(part);
            Local { name: name.to_owned(), kind, path, size, entries: None }
        };
        let values_at = if is_list { "@items" } else { "@values" };
        match &of.iter_var2 {
            Some(second) => {
                let (key, value) = range.kind.pair();
                let keys_at = if is_list { "@indices" } else { "@keys" };
                self.locals.push(item(&of.iter_var, key, keys_at, keys));
                self.locals.push(item(second, value, values_at, values));
            }
            None if is_list => self.locals.push(item(&of.iter_var, range.kind.element(), values_at, values)),
            None => self.locals.push(item(&of.iter_var, range.kind.element(), "@keys", keys)),
        }
    }

    /// Returns the size of a part: the computed one, or the one that the schema declares. Upstream: `computeSize`.
    fn size(&self, part: &Part<'s>) -> Option<Size> {
        if let Some(known) = part.size.get() {
            return Some(known);
        }
        if let Some(declared) = self.declared.size_at(&part.path) {
            part.size.set(Some(declared));
            return Some(declared);
        }
        if part.kind.is_scalar() {
            return Some(Size::exactly(1));
        }
        match &part.form {
            Form::Name(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn size_or_unknown(&self, part: &Part<'s>) -> Size {
        self.size(part).unwrap_or(Size::UNKNOWN)
    }
}

fn joined(sizes: Option<Size>, size: Size) -> Option<Size> {
    Some(sizes.map_or(size, |sizes| sizes.union(size)))
}

fn of_literal<'s>(literal: &LiteralValue) -> Part<'s> {
    let size = match literal {
        LiteralValue::String(text) => text.inner().chars().count(),
        LiteralValue::Bytes(bytes) => bytes.inner().len(),
        _ => 1,
    };
    let int = match literal {
        LiteralValue::Int(int) => Some(*int.inner()),
        _ => None,
    };
    Part::sized(0, Type::of_literal(literal), size, Form::Literal(int))
}
