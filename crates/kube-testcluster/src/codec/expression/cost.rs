//! What a rule costs, before it runs. Upstream measures it while it runs (`celconfig.PerCallLimit`, `RuntimeCELCostBudget`); here
//! it is estimated from how deep its loops nest, and from the longest list that they can go over.

use serde_json::Value;

use super::tokens::{Token, Tokens};

/// The most that one call may cost.
pub(crate) const OF_A_CALL: u64 = 1_000_000;
/// The most that all calls for one object may cost.
pub(crate) const OF_AN_OBJECT: u64 = 10_000_000;

/// The loops of a rule.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// How many are inside each other.
    depth: u32,
    /// Whether it makes lists of texts.
    splits: bool,
    /// How many elements the lists can have that stand in it.
    literal: u64,
}

impl Loops {
    /// Reads them from the text of a rule: a loop is a macro, from its bracket to the closing one.
    pub(crate) fn of(rule: &str) -> Self {
        const MACROS: [&str; 9] =
            ["all", "exists", "exists_one", "existsOne", "map", "filter", "sortBy", "transformList", "transformMap"];
        let (mut open, mut depth, mut literal, mut before) = (Vec::new(), 0, 1, None);
        for token in Tokens::of(rule) {
            match token {
                Token::Mark('(') => {
                    open.push(matches!(before, Some(Token::Word(name)) if MACROS.contains(&name)));
                    depth = depth.max(open.iter().filter(|is_loop| **is_loop).count());
                }
                Token::Mark(')') => drop(open.pop()),
                Token::Mark(',') => literal += 1,
                _ => {}
            }
            before = Some(token);
        }
        let splits = ["split", "findAll", "charAt", "substring"].iter().any(|name| rule.contains(name));
        Self { depth: u32::try_from(depth).unwrap_or(u32::MAX), splits, literal }
    }

    pub(crate) fn cost(&self, value: &Value) -> u64 {
        if self.depth == 0 { 1 } else { self.longest(value).max(self.literal).saturating_pow(self.depth) }
    }

    /// The length of the longest list, map or text that a loop can go over.
    fn longest(&self, value: &Value) -> u64 {
        let (length, below) = match value {
            Value::Array(items) => (items.len(), items.iter().map(|item| self.longest(item)).max()),
            Value::Object(fields) => (fields.len(), fields.values().map(|value| self.longest(value)).max()),
            Value::String(text) if self.splits => (text.len(), None),
            _ => (0, None),
        };
        below.unwrap_or_default().max(length as u64)
    }
}
