//! What is known of the language CEL without reading it.

/// The words that are no names. Upstream: cel-go's `parser`, and `celReservedSymbols` in `pkg/cel/escaping.go`.
pub(crate) const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];
