//! Parser: parses the text of a label selector into requirements. Upstream: `Parser` in
//! `apimachinery/pkg/labels/selector.go`.

use std::collections::BTreeSet;

use super::lexer::{Token, TokenKind, tokens};
use super::requirement::invalid;
use super::{BadSelector, LabelOperator, LabelRequirement, validate};
use crate::quote::Quoted;

/// Parses a label selector. The requirements are in the order of the text.
pub(super) fn requirements(selector: &str) -> Result<Vec<LabelRequirement>, BadSelector> {
    let mut parser = Parser { tokens: tokens(selector), position: 0 };
    parser.requirements().map_err(BadSelector)
}

struct Parser<'a> {
    /// The tokens. The last one is [`TokenKind::End`], which is returned again by every further read.
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> Parser<'a> {
    /// Returns the next token. `in` and `notin` count as words here, because a key or a value may have these names;
    /// only [`operator`](Self::operator) treats them as operators.
    fn peek(&self) -> Token<'a> {
        let token = self.tokens[self.position.min(self.tokens.len() - 1)];
        match token.kind {
            TokenKind::In | TokenKind::NotIn => Token { kind: TokenKind::Word, ..token },
            _ => token,
        }
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn requirements(&mut self) -> Result<Vec<LabelRequirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token { kind: TokenKind::Word | TokenKind::Not, .. } => {}
                Token { kind: TokenKind::End, .. } => return Ok(requirements),
                Token { text, .. } => {
                    return Err(format!("found '{text}', expected: !, identifier, or 'end of string'"));
                }
            }
            requirements.push(self.requirement().map_err(|wrong| format!("unable to parse requirement: {wrong}"))?);
            match self.take() {
                Token { kind: TokenKind::End, .. } => return Ok(requirements),
                Token { kind: TokenKind::Comma, .. } => {}
                Token { text, .. } => return Err(format!("found '{text}', expected: ',' or 'end of string'")),
            }
            let Token { kind, text } = self.peek();
            if !matches!(kind, TokenKind::Word | TokenKind::Not) {
                return Err(format!("found '{text}', expected: identifier after ','"));
            }
        }
    }

    /// Parses one requirement, such as `app in (web, db)`.
    fn requirement(&mut self) -> Result<LabelRequirement, String> {
        let not = self.peek().kind == TokenKind::Not;
        if not {
            self.take();
        }
        let Token { kind, text: key } = self.take();
        if kind != TokenKind::Word {
            return Err(format!("found '{key}', expected: identifier"));
        }
        // Upstream validates the key with a nil field path, which Go prints as `<nil>`.
        validate::label_key(key).map_err(|wrong| invalid("<nil>", Quoted(key), &wrong))?;
        let (operator, values) = if not {
            (LabelOperator::DoesNotExist, BTreeSet::new())
        } else if matches!(self.peek().kind, TokenKind::End | TokenKind::Comma) {
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
        let kind = self.tokens[self.position].kind;
        let text = self.take().text;
        Ok(match kind {
            TokenKind::Equals => LabelOperator::Equals,
            TokenKind::DoubleEquals => LabelOperator::DoubleEquals,
            TokenKind::NotEquals => LabelOperator::NotEquals,
            TokenKind::In => LabelOperator::In,
            TokenKind::NotIn => LabelOperator::NotIn,
            TokenKind::Greater => LabelOperator::GreaterThan,
            TokenKind::Less => LabelOperator::LessThan,
            _ => return Err(format!("found '{text}', expected: in, notin, =, ==, !=, gt, lt")),
        })
    }

    /// Parses the single value after an operator. A missing value is the empty one.
    fn one(&mut self) -> Result<BTreeSet<&'a str>, String> {
        if matches!(self.peek().kind, TokenKind::End | TokenKind::Comma) {
            return Ok(BTreeSet::from([""]));
        }
        match self.take() {
            Token { kind: TokenKind::Word, text } => Ok(BTreeSet::from([text])),
            Token { text, .. } => Err(format!("found '{text}', expected: identifier")),
        }
    }

    /// Parses the values in parentheses. Values may be empty, and `()` has one empty value.
    fn list(&mut self) -> Result<BTreeSet<&'a str>, String> {
        let Token { kind, text } = self.take();
        if kind != TokenKind::Open {
            return Err(format!("found '{text}' expected: '('"));
        }
        let mut values = BTreeSet::new();
        match self.peek() {
            Token { kind: TokenKind::Word | TokenKind::Comma, .. } => {}
            Token { kind: TokenKind::Close, .. } => {
                self.take();
                return Ok(BTreeSet::from([""]));
            }
            Token { text, .. } => return Err(format!("found '{text}', expected: ',', ')' or identifier")),
        }
        loop {
            let Token { kind, text } = self.take();
            let next = self.peek();
            match kind {
                TokenKind::Word => {
                    values.insert(text);
                    if !matches!(next.kind, TokenKind::Comma | TokenKind::Close) {
                        return Err(format!("found '{}', expected: ',' or ')'", next.text));
                    }
                }
                TokenKind::Comma => {
                    // An empty value stands before a leading comma, and between a comma and a `,` or `)` right behind
                    // it.
                    if values.is_empty() || matches!(next.kind, TokenKind::Comma | TokenKind::Close) {
                        values.insert("");
                    }
                }
                _ => return Err(format!("found '{text}', expected: ',', or identifier")),
            }
            if next.kind == TokenKind::Close {
                self.take();
                return Ok(values);
            }
        }
    }
}
