//! The reserved words of CEL: fields with such names are escaped in expressions. They are not in `codec/expression`,
//! because validation needs them even in builds without CEL.

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
