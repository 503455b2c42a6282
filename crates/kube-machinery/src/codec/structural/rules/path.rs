//! Writes the field path in the cause of a violated CEL rule. A rule can name a field below its own value in
//! `fieldPath` (`.spec['a.b']`), and a cause shows that field in another form (`spec[a.b]`). Upstream:
//! `ValidFieldPath`, which validated the path when the CustomResourceDefinition was written.

use crate::conventions::field::Path;

/// Returns the field path for a rule's `fieldPath`. `at` is the path of the value that has the rule.
pub(super) fn below(at: &Path<'_>, path: &str) -> String {
    let below = normalized(path);
    if below.is_empty() { at.to_string() } else { at.child(&below).to_string() }
}

/// Rewrites `.a.b['c.d']` as causes show it: `a.b[c.d]`.
fn normalized(path: &str) -> String {
    let (mut to, mut chars) = (String::new(), path.chars());
    while let Some(c) = chars.next() {
        match c {
            '.' if to.is_empty() => {}
            '\'' => {
                while let Some(c) = chars.next().filter(|c| *c != '\'') {
                    to.push(if c == '\\' { unescaped(chars.next()) } else { c });
                }
            }
            c => to.push(c),
        }
    }
    to
}

/// Returns the character that an escape stands for, by the character after the backslash.
fn unescaped(c: Option<char>) -> char {
    match c {
        Some('a') => '\x07',
        Some('b') => '\x08',
        Some('f') => '\x0c',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('v') => '\x0b',
        Some(c) => c,
        None => '\\',
    }
}
