//! Parser: parses the text of a label selector into requirements. Upstream: `Parser` in
//! `apimachinery/pkg/labels/selector.go`.

use std::collections::BTreeSet;

use super::lexer::{Kind, Token, tokens};
use super::requirement::invalid;
use super::{BadSelector, LabelOperator, LabelRequirement, validate};
use crate::quote::Quoted;

/// Parses a label selector. The requirements are in the order of the text.
pub(super) fn requirements(selector: &str) -> Result<Vec<LabelRequirement>, BadSelector> {
    let mut parser = Parser { tokens: tokens(selector), place: 0 };
    parser.requirements().map_err(BadSelector)
}

struct Parser<'a> {
    /// The tokens. The last one is [`Kind::End`], which is returned again by every further read.
    tokens: Vec<Token<'a>>,
    place: usize,
}

impl<'a> Parser<'a> {
    /// Returns the next token. `in` and `notin` count as words here; only [`operator`](Self::operator) treats them as
    /// operators.
    fn peek(&self) -> Token<'a> {
        let token = self.tokens[self.place.min(self.tokens.len() - 1)];
        match token.kind {
            Kind::In | Kind::NotIn => Token { kind: Kind::Word, ..token },
            _ => token,
        }
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.place += 1;
        token
    }

    fn requirements(&mut self) -> Result<Vec<LabelRequirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token { kind: Kind::Word | Kind::Not, .. } => {}
                Token { kind: Kind::End, .. } => return Ok(requirements),
                Token { text, .. } => {
                    return Err(format!("found '{text}', expected: !, identifier, or 'end of string'"));
                }
            }
            requirements.push(self.requirement().map_err(|wrong| format!("unable to parse requirement: {wrong}"))?);
            match self.take() {
                Token { kind: Kind::End, .. } => return Ok(requirements),
                Token { kind: Kind::Comma, .. } => {}
                Token { text, .. } => return Err(format!("found '{text}', expected: ',' or 'end of string'")),
            }
            let Token { kind, text } = self.peek();
            if !matches!(kind, Kind::Word | Kind::Not) {
                return Err(format!("found '{text}', expected: identifier after ','"));
            }
        }
    }

    fn requirement(&mut self) -> Result<LabelRequirement, String> {
        let not = self.peek().kind == Kind::Not;
        if not {
            self.take();
        }
        let Token { kind, text: key } = self.take();
        if kind != Kind::Word {
            return Err(format!("found '{key}', expected: identifier"));
        }
        validate::label_key(key).map_err(|wrong| invalid("<nil>", Quoted(key), &wrong))?;
        let (operator, values) = if not {
            (LabelOperator::DoesNotExist, BTreeSet::new())
        } else if matches!(self.peek().kind, Kind::End | Kind::Comma) {
            (LabelOperator::Exists, BTreeSet::new())
        } else {
            let operator = self.operator()?;
            (
                operator,
                if matches!(operator, LabelOperator::In | LabelOperator::NotIn) { self.list()? } else { self.one()? },
            )
        };
        let values = values.into_iter().map(str::to_owned).collect();
        LabelRequirement::new(key, operator, values).map_err(|BadSelector(wrong)| wrong)
    }

    fn operator(&mut self) -> Result<LabelOperator, String> {
        let kind = self.tokens[self.place].kind;
        let text = self.take().text;
        Ok(match kind {
            Kind::Equals => LabelOperator::Equals,
            Kind::DoubleEquals => LabelOperator::DoubleEquals,
            Kind::NotEquals => LabelOperator::NotEquals,
            Kind::In => LabelOperator::In,
            Kind::NotIn => LabelOperator::NotIn,
            Kind::Greater => LabelOperator::GreaterThan,
            Kind::Less => LabelOperator::LessThan,
            _ => return Err(format!("found '{text}', expected: in, notin, =, ==, !=, gt, lt")),
        })
    }

    /// Parses the single value after an operator. A missing value is the empty one.
    fn one(&mut self) -> Result<BTreeSet<&'a str>, String> {
        if matches!(self.peek().kind, Kind::End | Kind::Comma) {
            return Ok(BTreeSet::from([""]));
        }
        match self.take() {
            Token { kind: Kind::Word, text } => Ok(BTreeSet::from([text])),
            Token { text, .. } => Err(format!("found '{text}', expected: identifier")),
        }
    }

    /// Parses the values in parentheses. Values may be empty, and `()` has one empty value.
    fn list(&mut self) -> Result<BTreeSet<&'a str>, String> {
        let Token { kind, text } = self.take();
        if kind != Kind::Open {
            return Err(format!("found '{text}' expected: '('"));
        }
        let mut values = BTreeSet::new();
        match self.peek() {
            Token { kind: Kind::Word | Kind::Comma, .. } => {}
            Token { kind: Kind::Close, .. } => {
                self.take();
                return Ok(BTreeSet::from([""]));
            }
            Token { text, .. } => return Err(format!("found '{text}', expected: ',', ')' or identifier")),
        }
        loop {
            let Token { kind, text } = self.take();
            let next = self.peek();
            match kind {
                Kind::Word => {
                    values.insert(text);
                    if !matches!(next.kind, Kind::Comma | Kind::Close) {
                        return Err(format!("found '{}', expected: ',' or ')'", next.text));
                    }
                }
                Kind::Comma => {
                    if values.is_empty() || matches!(next.kind, Kind::Comma | Kind::Close) {
                        values.insert("");
                    }
                }
                _ => return Err(format!("found '{text}', expected: ',', or identifier")),
            }
            if next.kind == Kind::Close {
                self.take();
                return Ok(values);
            }
        }
    }
}
