//! Reads an expression, within cel-go's limits. Upstream: cel-go's `parser/options.go`.

use std::thread;

use cel::parser::{Expression, Parser};

use super::macros;
use super::texts;
use super::tokens::{Token, Tokens};

/// How many characters an expression can have.
const MOST_CHARACTERS: usize = 100_000;
/// How deep it can nest: in brackets, and in operands that have operands.
const MOST_LEVELS: usize = 250;
/// What the crate's parser needs for an expression that it takes: some hundred KiB for each pair of brackets.
const STACK: usize = 64 << 20;
/// How deep an expression can nest where there are no threads.
const MOST_LEVELS_INLINE: usize = 8;

/// What is wrong with an expression: its line and column, which count from 1, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: (isize, isize),
    pub(crate) what: String,
}

/// The faults of an expression as one text.
pub(crate) fn told(faults: Vec<Fault>) -> String {
    faults.into_iter().map(|fault| fault.what).collect::<Vec<_>>().join("\n")
}

/// Reads an expression, with optionals: `self.?name`. However it nests, the stack of the caller suffices.
pub(crate) fn parse(text: &str) -> Result<Expression, Vec<Fault>> {
    let nowhere = |what: String| vec![Fault { place: (-1, 0), what }];
    let size = text.chars().count();
    if size > MOST_CHARACTERS {
        let what = format!("expression code point size exceeds limit: size: {size}, limit {MOST_CHARACTERS}");
        return Err(nowhere(what));
    }
    let too_deep = || nowhere(format!("expression recursion limit exceeded: {MOST_LEVELS}"));
    let levels = levels(text);
    if levels > MOST_LEVELS {
        return Err(too_deep());
    }
    let own = text.to_owned();
    match thread::Builder::new().stack_size(STACK).spawn(move || read(&own)) {
        Ok(parser) => parser.join().unwrap_or_else(|_| Err(nowhere("the parser has failed".to_owned()))),
        Err(_) if levels <= MOST_LEVELS_INLINE => read(text),
        Err(_) => Err(too_deep()),
    }
}

fn read(text: &str) -> Result<Expression, Vec<Fault>> {
    let parse = |text: &str| Parser::new().enable_optional_syntax(true).parse(text);
    let mut expression = parse(&texts::plain(text)).map_err(|faults| {
        // The places of faults are those in the text as it was written.
        let faults = parse(text).err().unwrap_or(faults);
        faults.errors.into_iter().map(|error| Fault { place: error.pos, what: error.msg }).collect::<Vec<_>>()
    })?;
    macros::expand(&mut expression);
    Ok(expression)
}

/// What stands between two brackets, and nests.
#[derive(Clone, Copy, Default)]
struct Chain {
    /// Each nests in the one before it, whatever stands between them.
    ternaries: usize,
    /// Operators that stand one after the other.
    operators: usize,
}

impl Chain {
    fn levels(self) -> usize {
        self.ternaries + self.operators
    }
}

/// How deep an expression can nest at most: brackets, and operators between them.
fn levels(text: &str) -> usize {
    let (mut open, mut chain, mut below, mut deepest) = (Vec::new(), Chain::default(), 0_usize, 0_usize);
    let mut before = None;
    for token in Tokens::of(text) {
        match token {
            Token::Mark('(' | '[' | '{') => {
                open.push(chain);
                below += chain.levels() + 1;
                chain = Chain::default();
            }
            Token::Mark(')' | ']' | '}') => {
                chain = open.pop().unwrap_or_default();
                below = below.saturating_sub(chain.levels() + 1);
                chain.operators += 1;
            }
            Token::Mark(',') => chain = Chain::default(),
            Token::Mark('&' | '|') => chain.operators = 0,
            // `a.?b` and `a[?b]` are selections.
            Token::Mark('?') if !matches!(before, Some(Token::Mark('.' | '['))) => chain.ternaries += 1,
            Token::Mark('+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '.' | '?') | Token::Word("in") => {
                chain.operators += 1;
            }
            Token::Mark(_) | Token::Word(_) | Token::Text => {}
        }
        before = Some(token);
        deepest = deepest.max(below + chain.levels());
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_too_deep_is_refused_before_it_is_read() {
        let hidden = format!("// '\n{}", "1+".repeat(10_000) + "1");
        let (selections, among) = (format!("self{}", ".a".repeat(10_000)), "a in ".repeat(10_000) + "a");
        let (ternaries, lists) = ("a?b&&c:".repeat(14_000) + "a", "a?b||c:".repeat(300) + "a");
        let texts = ["(".repeat(10_000), "1+".repeat(10_000) + "1", selections, "{1:".repeat(300), hidden, among];
        for text in texts.into_iter().chain([ternaries, lists]) {
            assert_eq!(parse(&text).unwrap_err()[0].what, "expression recursion limit exceeded: 250");
        }
        assert!(parse(&"a".repeat(100_001)).unwrap_err()[0].what.contains("size: 100001, limit 100000"));
    }

    #[test]
    fn what_nests_as_deep_as_that_is_read_or_refused() {
        for (open, close) in [("(", ")"), ("[", "]"), ("int(", ")"), ("{1: ", "}"), ("[1].all(x, ", ")")] {
            for n in [10, 40, 200] {
                let read = parse(&format!("{}1{}", open.repeat(n), close.repeat(n)));
                assert!(read.is_ok() || n > 10, "{open} {n}: {read:?}");
            }
        }
        for condition in ["self.n > 0", "self.?n.orValue(1) > 0", "(self.n > 0 ? true : false)"] {
            assert!(parse(&vec![condition; 1000].join(" && ")).is_ok(), "a chain of conditions does not nest");
        }
    }
}
