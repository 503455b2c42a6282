//! Label selectors: `app=web,tier in (front,back),!legacy`.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::vec::IntoIter;

use serde_json::{Map, Value};

/// Requirements that an object's labels must all meet. The empty selector selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    DoesNotExist,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    GreaterThan(i64),
    LessThan(i64),
}

impl LabelSelector {
    /// # Errors
    /// What upstream's parser says, word for word where it comes from the grammar.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Parser { tokens: tokens(text).into_iter().peekable() }.requirements().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, labels: Option<&Map<String, Value>>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.and_then(|labels| labels.get(&requirement.key)).and_then(Value::as_str);
            match (&requirement.operator, value) {
                (Operator::Exists, value) => value.is_some(),
                (Operator::DoesNotExist, value) => value.is_none(),
                (Operator::In(values), value) => value.is_some_and(|value| values.contains(value)),
                (Operator::NotIn(values), value) => value.is_none_or(|value| !values.contains(value)),
                (Operator::GreaterThan(than), value) => number(value).is_some_and(|value| value > *than),
                (Operator::LessThan(than), value) => number(value).is_some_and(|value| value < *than),
            }
        })
    }
}

fn number(value: Option<&str>) -> Option<i64> {
    value.and_then(|value| value.parse().ok())
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// An operator or a parenthesis or a comma.
    Symbol(&'static str),
    /// A key or a value, or `in` and `notin` where an operator is expected.
    Word(String),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Symbol(text) => text,
            Self::Word(text) => text,
            Self::End => "",
        }
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self, Self::Symbol(text) if *text == symbol)
    }
}

fn tokens(text: &str) -> Vec<Token> {
    const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let token = if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            rest = &rest[symbol.len()..];
            Token::Symbol(symbol)
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "=!(),><".contains(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            Token::Word(word.to_owned())
        };
        tokens.push(token);
        rest = rest.trim_start();
    }
    tokens
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
}

impl Parser {
    fn next(&mut self) -> Token {
        self.tokens.next().unwrap_or(Token::End)
    }

    fn peek(&mut self) -> &Token {
        self.tokens.peek().unwrap_or(&Token::End)
    }

    fn requirements(mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        if *self.peek() == Token::End {
            return Ok(requirements);
        }
        loop {
            let next = self.peek();
            if !matches!(next, Token::Word(_)) && !next.is("!") {
                let expected =
                    if requirements.is_empty() { "!, identifier, or 'end of string'" } else { "identifier after ','" };
                return Err(format!("found '{}', expected: {expected}", next.text()));
            }
            let requirement = self.requirement().map_err(|error| format!("unable to parse requirement: {error}"))?;
            requirements.push(requirement);
            match self.next() {
                Token::End => return Ok(requirements),
                comma if comma.is(",") => {}
                other => return Err(format!("found '{}', expected: ',' or 'end of string'", other.text())),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let negated = self.peek().is("!");
        if negated {
            self.next();
        }
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(format!("found '{}', expected: identifier", other.text())),
        };
        if !super::validation::is_qualified_name(&key) {
            return Err(format!("key: Invalid value: {key:?}: not a label key"));
        }
        let alone = *self.peek() == Token::End || self.peek().is(",");
        let operator = match (negated, alone) {
            (true, _) => Operator::DoesNotExist,
            (false, true) => Operator::Exists,
            (false, false) => self.operator(&key)?,
        };
        Ok(Requirement { key, operator })
    }

    fn operator(&mut self, key: &str) -> Result<Operator, String> {
        let operator = self.next();
        match operator.text() {
            "in" => self.values().map(Operator::In),
            "notin" => self.values().map(Operator::NotIn),
            "=" | "==" => Ok(Operator::In(BTreeSet::from([self.value()?]))),
            "!=" => Ok(Operator::NotIn(BTreeSet::from([self.value()?]))),
            ">" => self.bound(key).map(Operator::GreaterThan),
            "<" => self.bound(key).map(Operator::LessThan),
            other => Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        }
    }

    fn bound(&mut self, key: &str) -> Result<i64, String> {
        let value = self.value()?;
        let why = "for 'Gt', 'Lt' operators, the value must be an integer";
        value.parse().map_err(|_| format!("values[0][{key}]: Invalid value: {value:?}: {why}"))
    }

    /// One value; nothing before a comma or the end is the empty value.
    fn value(&mut self) -> Result<String, String> {
        if *self.peek() == Token::End || self.peek().is(",") {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(value) => Ok(value),
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    /// `(a,b)`; nothing between two commas or parentheses is the empty value.
    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let open = self.next();
        if !open.is("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        let mut values = BTreeSet::new();
        loop {
            let value = match self.peek() {
                Token::Word(_) => self.next().text().to_owned(),
                other if other.is(",") || other.is(")") => String::new(),
                other => return Err(format!("found '{}', expected: ',', ')' or identifier", other.text())),
            };
            values.insert(value);
            match self.next() {
                close if close.is(")") => return Ok(values),
                comma if comma.is(",") => {}
                other => return Err(format!("found '{}', expected: ',' or ')'", other.text())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_select() {
        let labels = json!({"app": "web", "tier": "front", "n": "5"});
        for (selector, selected) in [
            ("", true),
            ("app=web", true),
            ("app==web, tier=front", true),
            ("app!=web", false),
            ("other!=web", true),
            ("app in (web,db)", true),
            ("app in (,)", false),
            ("app notin (web)", false),
            ("other notin (web)", true),
            ("tier", true),
            ("!tier", false),
            ("! other", true),
            ("n>4", true),
            ("n < 5", false),
            ("app=", false),
            ("in in (in)", false),
        ] {
            let parsed = LabelSelector::parse(selector).unwrap();
            assert_eq!(parsed.matches(labels.as_object()), selected, "{selector}");
        }
    }

    #[test]
    fn a_malformed_selector_is_explained_in_upstreams_words() {
        for (selector, message) in [
            ("app in web", "unable to parse requirement: found 'web' expected: '('"),
            ("=x", "found '=', expected: !, identifier, or 'end of string'"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("a,", "found '', expected: identifier after ','"),
            ("a ~ b", "unable to parse requirement: found '~', expected: in, notin, =, ==, !=, gt, lt"),
        ] {
            assert_eq!(LabelSelector::parse(selector).unwrap_err(), message, "{selector}");
        }
    }
}
