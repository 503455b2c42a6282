//! Splits the text of a CEL expression into tokens, for the checks and rewrites that run before the crate `cel` parses
//! it. Upstream: cel-go's `parser/gen/CEL.g4`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// Any other character, such as a bracket.
    Mark(char),
    /// A string literal, prefix letters included.
    Text,
}

/// The tokens of an expression, from left to right.
///
/// After a string literal that is never closed, quotes no longer begin a literal. The rest then still counts for the
/// nesting, because the parser reads it too before it refuses the expression.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// False after a string literal that is never closed.
    has_texts: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn of(expression: &'a str) -> Self {
        Self { rest: expression, has_texts: true }
    }

    /// Reads a string literal from its first quote. In a raw literal, a backslash is no escape.
    fn text(&mut self, is_raw: bool) -> Token<'a> {
        let quote = &self.rest[..1];
        let triple = quote.repeat(3);
        let is_triple = self.rest.starts_with(&triple);
        let end = if is_triple { triple.as_str() } else { quote };
        let mut chars = self.rest[end.len()..].char_indices();
        while let Some((at, c)) = chars.next() {
            let at = end.len() + at;
            match c {
                _ if self.rest[at..].starts_with(end) => {
                    self.rest = &self.rest[at + end.len()..];
                    return Token::Text;
                }
                '\n' | '\r' if !is_triple => break,
                '\\' if !is_raw => drop(chars.next()),
                _ => {}
            }
        }
        self.has_texts = false;
        self.mark()
    }

    fn mark(&mut self) -> Token<'a> {
        let mut chars = self.rest.chars();
        let mark = chars.next().unwrap_or_default();
        self.rest = chars.as_str();
        Token::Mark(mark)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_start();
        while let Some(comment) = self.rest.strip_prefix("//") {
            self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
        }
        let first = self.rest.chars().next()?;
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_quote = |c: char| matches!(c, '"' | '\'');
        if self.has_texts && is_quote(first) {
            return Some(self.text(false));
        }
        if !is_in_word(first) {
            return Some(self.mark());
        }
        let (word, rest) = self.rest.split_at(self.rest.find(|c| !is_in_word(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        let is_prefix = word.len() <= 2 && matches!(word.to_ascii_lowercase().as_str(), "r" | "b" | "rb" | "br");
        if self.has_texts && is_prefix && rest.starts_with(is_quote) {
            return Some(self.text(word.contains(['r', 'R'])));
        }
        Some(Token::Word(word))
    }
}

#[cfg(test)]
mod tests {
    use super::Token::{Mark, Text, Word};
    use super::*;

    fn tokens(expression: &str) -> Vec<Token<'_>> {
        Tokens::of(expression).collect()
    }

    #[test]
    fn texts_and_comments_hide_nothing_that_comes_after_them() {
        assert_eq!(tokens("// '\n 1+a"), [Word("1"), Mark('+'), Word("a")]);
        assert_eq!(tokens(r"r'\' + '\'' + x"), [Text, Mark('+'), Text, Mark('+'), Word("x")]);
        assert_eq!(tokens("'''it's''' in b"), [Text, Word("in"), Word("b")]);
        assert_eq!(tokens("bR\"\"\"a\"b\\\"\"\" // end"), [Text]);
        assert_eq!(tokens("'' + 'é' + \"'\""), [Text, Mark('+'), Text, Mark('+'), Text]);
        assert_eq!(tokens("é + 1"), [Word("é"), Mark('+'), Word("1")]);
    }

    #[test]
    fn a_text_that_does_not_end_hides_nothing() {
        assert_eq!(tokens("bar'x"), [Word("bar"), Mark('\''), Word("x")]);
        assert_eq!(tokens("'a\n+1'"), [Mark('\''), Word("a"), Mark('+'), Word("1"), Mark('\'')]);
        assert_eq!(tokens("'''a' in"), [Mark('\''), Mark('\''), Mark('\''), Word("a"), Mark('\''), Word("in")]);
        assert_eq!(tokens(r"'\"), [Mark('\''), Mark('\\')]);
    }
}
