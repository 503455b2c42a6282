//! Parses CEL expressions with the crate `cel`, within cel-go's limits of length and nesting. The crate's parser
//! recurses deeply, so the nesting is estimated first, and the parser gets a large stack. Upstream: cel-go's
//! `parser/options.go`.

use std::thread;

use cel::parser::{Expression, Parser};

use super::macros;
use super::string_literals;
use super::tokens::{Token, Tokens};

/// The largest number of characters in an expression.
const MOST_CHARACTERS: usize = 100_000;
/// The deepest nesting of an expression, of brackets and of operators.
const MOST_LEVELS: usize = 250;
/// The most parts of an expression after its macros were expanded, because `optMap` doubles its target. cel-go has no
/// such limit.
const MOST_PARTS: u64 = 1_000_000;
/// The stack for the crate's parser, which uses some hundred KiB for each pair of brackets.
const STACK: usize = 64 << 20;
/// The deepest nesting of an expression that is parsed on the caller's stack, because no thread can be started, as in
/// WebAssembly.
const MOST_LEVELS_INLINE: usize = 8;

/// An error in an expression, with its line and column, which count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) position: (isize, isize),
    pub(crate) what: String,
}

pub(crate) fn join_faults(faults: Vec<Fault>) -> String {
    faults.into_iter().map(|fault| fault.what).collect::<Vec<_>>().join("\n")
}

/// Parses an expression, with the syntax of optionals: `self.?name`. The parser runs on a thread with a large stack,
/// so deep nesting cannot overflow the caller's stack.
pub(crate) fn parse(text: &str) -> Result<Expression, Vec<Fault>> {
    let without_position = |what: String| vec![Fault { position: (-1, 0), what }];
    let size = text.chars().count();
    if size > MOST_CHARACTERS {
        let what = format!("expression code point size exceeds limit: size: {size}, limit {MOST_CHARACTERS}");
        return Err(without_position(what));
    }
    let too_deep = || without_position(format!("expression recursion limit exceeded: {MOST_LEVELS}"));
    let levels = levels(text);
    if levels > MOST_LEVELS {
        return Err(too_deep());
    }
    let own = text.to_owned();
    match thread::Builder::new().stack_size(STACK).spawn(move || read(&own)) {
        Ok(parser) => parser.join().unwrap_or_else(|_| Err(without_position("the parser has failed".to_owned()))),
        Err(_) if levels <= MOST_LEVELS_INLINE => read(text),
        Err(_) => Err(too_deep()),
    }
}

/// Parses an expression on this thread's stack.
fn read(text: &str) -> Result<Expression, Vec<Fault>> {
    let parse = |text: &str| Parser::new().enable_optional_syntax(true).parse(text);
    let mut expression = parse(&string_literals::normalize(text)).map_err(|faults| {
        // The original text is parsed again, so that the errors have their positions in it.
        let faults = parse(text).err().unwrap_or(faults);
        faults.errors.into_iter().map(|error| Fault { position: error.pos, what: error.msg }).collect::<Vec<_>>()
    })?;
    macros::expand(&mut expression);
    if macros::expanded_parts(&expression) > MOST_PARTS {
        let what = format!("expression size exceeds limit when its macros are expanded: {MOST_PARTS} parts");
        return Err(vec![Fault { position: (-1, 0), what }]);
    }
    Ok(expression)
}

/// The nesting of the operators between two brackets.
#[derive(Clone, Copy, Default)]
struct Chain {
    /// The `?` of conditionals, each of which nests in the one before it.
    ternaries: usize,
    /// The operators that follow each other.
    operators: usize,
}

impl Chain {
    fn levels(self) -> usize {
        self.ternaries + self.operators
    }
}

/// Returns an upper bound for the nesting of brackets and operators.
fn levels(text: &str) -> usize {
    // `chain` counts between the current brackets, `open` holds the chains around these brackets, and `outside` is the
    // nesting of those chains and their brackets.
    let (mut open, mut chain, mut outside, mut deepest) = (Vec::new(), Chain::default(), 0_usize, 0_usize);
    let mut before = None;
    for token in Tokens::of(text) {
        match token {
            Token::Mark('(' | '[' | '{') => {
                open.push(chain);
                outside += chain.levels() + 1;
                chain = Chain::default();
            }
            Token::Mark(')' | ']' | '}') => {
                chain = open.pop().unwrap_or_default();
                outside = outside.saturating_sub(chain.levels() + 1);
                // The brackets can be a call or an index, and each of a chain of these nests: `a[0][1]`.
                chain.operators += 1;
            }
            Token::Mark(',') => chain = Chain::default(),
            // The parser keeps the operands of `&&` and `||` side by side, so the nesting begins again.
            Token::Mark('&' | '|') => chain.operators = 0,
            // The `?` in `a.?b` and `a[?b]` selects; it starts no conditional.
            Token::Mark('?') if !matches!(before, Some(Token::Mark('.' | '['))) => chain.ternaries += 1,
            Token::Mark('+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '.' | '?') | Token::Word("in") => {
                chain.operators += 1;
            }
            Token::Mark(_) | Token::Word(_) | Token::Text => {}
        }
        before = Some(token);
        deepest = deepest.max(outside + chain.levels());
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_nests_too_deep_is_refused_before_parsing() {
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
    fn an_expression_whose_macros_double_too_often_is_refused() {
        let chain = |n: usize| format!("optional.of(1){}", ".optMap(x, x)".repeat(n));
        assert!(parse(&chain(10)).is_ok());
        assert!(parse(&chain(40)).unwrap_err()[0].what.contains("1000000 parts"));
    }

    #[test]
    fn deep_nesting_within_the_limit_is_parsed_or_refused_without_a_crash() {
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
