//! Reads a token file: a list of fixed bearer tokens with their users, one per line (`TOKEN,USER,UID,"GROUP1,GROUP2"`).
//! [`SecureServing::token_file`](super::SecureServing::token_file) calls it. Upstream:
//! `k8s.io/apiserver/pkg/authentication/token/tokenfile`.

use std::collections::HashMap;

use kube_machinery::conventions::user::User;

pub(crate) type Tokens = HashMap<String, User>;

/// The error for a token file with an invalid line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadTokenFile {
    /// A line has too few columns.
    #[error("line {line}: expected at least 3 columns (token, user name, user uid), found {columns}")]
    Columns {
        /// The line's number, from 1.
        line: usize,
        /// The number of columns in the line.
        columns: usize,
    },
    /// A quotation mark is missing, or stands within a value.
    #[error("line {line}: a quotation mark (\") is missing, or stands within a value")]
    Quotes {
        /// The line's number, from 1.
        line: usize,
    },
}

/// Reads lines of comma-separated values. A value with a comma stands in quotes. If a token occurs twice, the last line
/// counts; an empty token is ignored.
pub(super) fn read(text: &str) -> Result<Tokens, BadTokenFile> {
    let mut tokens = Tokens::new();
    for (n, text) in text.lines().enumerate().filter(|(_, text)| !text.is_empty()) {
        let line = n + 1;
        let columns = columns(text).ok_or(BadTokenFile::Quotes { line })?;
        let [token, name, uid, rest @ ..] = columns.as_slice() else {
            return Err(BadTokenFile::Columns { line, columns: columns.len() });
        };
        let groups = rest.first().map(|groups| groups.split(',').map(ToOwned::to_owned).collect()).unwrap_or_default();
        if !token.is_empty() {
            tokens.insert(token.clone(), User { name: name.clone(), uid: uid.clone(), groups, ..User::default() });
        }
    }
    Ok(tokens)
}

/// Returns the values of a line; `None` if its quotes do not match. Two quotation marks within quotes mean one.
/// Upstream: `encoding/csv`.
fn columns(line: &str) -> Option<Vec<String>> {
    let mut columns = Vec::new();
    let mut rest = line;
    loop {
        let (column, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_value(quoted)?,
            None => {
                let (column, behind) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                (Some(column.to_owned()).filter(|column| !column.contains('"'))?, behind)
            }
        };
        columns.push(column);
        match behind.strip_prefix(',') {
            Some(next) => rest = next,
            None => return behind.is_empty().then_some(columns),
        }
    }
}

/// Returns the value up to its closing quote, and the text after the quote.
fn quoted_value(mut rest: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    loop {
        let (text, behind) = rest.split_once('"')?;
        value.push_str(text);
        match behind.strip_prefix('"') {
            Some(next) => {
                value.push('"');
                rest = next;
            }
            None => return Some((value, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_token_and_its_user() {
        let tokens = read("abc,ada,7\n\ndef,bob,8,\"a,b\"\"c\"\n,nobody,9\n").unwrap();
        assert_eq!(tokens["abc"], User { uid: "7".into(), ..User::new("ada", [""; 0]) });
        assert_eq!(tokens["def"], User { uid: "8".into(), ..User::new("bob", ["a", "b\"c"]) });
        assert_eq!(tokens.len(), 2);
    }

    #[test]
    fn a_line_with_too_few_columns_is_named() {
        assert_eq!(read("abc,ada,7\nabc,ada\n"), Err(BadTokenFile::Columns { line: 2, columns: 2 }));
    }

    /// Go's `encoding/csv` refuses the same lines.
    #[test]
    fn quotes_that_do_not_pair_are_refused() {
        for line in [r#"abc,ada,7,"a,b"#, r#"abc,ada,7,"a"b"#, r#"abc,a"da,7"#, r#"abc,ada",7"#, r#"""#] {
            assert_eq!(read(line), Err(BadTokenFile::Quotes { line: 1 }), "{line}");
        }
        assert_eq!(read(r#""","",7"#).unwrap().len(), 0);
    }
}
