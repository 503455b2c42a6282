//! Lexer: splits a label selector into tokens for the parser. Upstream: `Lexer` in
//! `apimachinery/pkg/labels/selector.go`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    End,
    Open,
    Close,
    Comma,
    Not,
    Equals,
    DoubleEquals,
    NotEquals,
    Greater,
    Less,
    In,
    NotIn,
    Word,
}

/// A token of a label selector. The text of [`TokenKind::End`] is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
}

/// Splits a label selector into tokens, of which the last is [`TokenKind::End`].
///
/// A NUL directly after a token only separates it from the next one. A NUL at the start of a token ends the selector,
/// because Go's lexer takes it for the end of the text.
pub(super) fn tokens(selector: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = selector;
    loop {
        let (token, after) = token(rest.trim_start_matches([' ', '\t', '\r', '\n']));
        tokens.push(token);
        if token.kind == TokenKind::End {
            return tokens;
        }
        rest = after;
    }
}

/// Splits off the first token of a text without leading space. Returns the token and the rest of the text.
fn token(text: &str) -> (Token<'_>, &str) {
    let kind = match text.as_bytes() {
        [] | [0, ..] => return (Token { kind: TokenKind::End, text: "" }, ""),
        [b'=', b'=', ..] => TokenKind::DoubleEquals,
        [b'!', b'=', ..] => TokenKind::NotEquals,
        [b'=', ..] => TokenKind::Equals,
        [b'!', ..] => TokenKind::Not,
        [b'(', ..] => TokenKind::Open,
        [b')', ..] => TokenKind::Close,
        [b',', ..] => TokenKind::Comma,
        [b'>', ..] => TokenKind::Greater,
        [b'<', ..] => TokenKind::Less,
        _ => return word(text),
    };
    let (text, rest) =
        text.split_at(if matches!(kind, TokenKind::DoubleEquals | TokenKind::NotEquals) { 2 } else { 1 });
    (Token { kind, text }, past_nul(rest))
}

/// Splits off the first word of a text: a key, a value, or the operator `in` or `notin`.
fn word(text: &str) -> (Token<'_>, &str) {
    let ends_word = |c: char| matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<' | ' ' | '\t' | '\r' | '\n' | '\0');
    let (text, rest) = text.split_at(text.find(ends_word).unwrap_or(text.len()));
    let kind = match text {
        "in" => TokenKind::In,
        "notin" => TokenKind::NotIn,
        _ => TokenKind::Word,
    };
    (Token { kind, text }, past_nul(rest))
}

/// Returns the text without a NUL at its start.
fn past_nul(text: &str) -> &str {
    text.strip_prefix('\0').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(selector: &str) -> Vec<&str> {
        tokens(selector).iter().map(|token| token.text).collect()
    }

    #[test]
    fn operators_are_matched_greedily() {
        assert_eq!(texts("a===b"), ["a", "==", "=", "b", ""]);
        assert_eq!(texts("!!=a"), ["!", "!=", "a", ""]);
        assert_eq!(texts(" a\tnotin(x , y)"), ["a", "notin", "(", "x", ",", "y", ")", ""]);
    }

    #[test]
    fn a_nul_ends_a_word_or_after_a_space_the_whole_selector() {
        assert_eq!(texts("a\0b=\0c \0d"), ["a", "b", "=", "c", ""]);
    }
}
