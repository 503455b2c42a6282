//! The reserved words of CEL, which are needed even in builds without the CEL interpreter.

/// The words that cannot be identifiers. Upstream: cel-go's `parser`, and `celReservedSymbols` in
/// `pkg/cel/escaping.go`.
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
