//! Static bearer tokens. Upstream: `k8s.io/apiserver/pkg/authentication/token/tokenfile`.

use std::collections::HashMap;

use crate::machinery::user::User;

/// Users by their tokens.
pub(crate) type Tokens = HashMap<String, User>;

/// A line of a token file that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected at least 3 columns (token, user name, user uid), found {columns}")]
pub struct BadTokenFile {
    /// The line's number, from 1.
    pub line: usize,
    /// How many columns it has.
    pub columns: usize,
}

/// Reads lines of comma-separated values; a value with a comma in it stands in quotes. Of a token that is given twice the last
/// line counts; one that is empty counts for nothing.
pub(super) fn read(text: &str) -> Result<Tokens, BadTokenFile> {
    let mut tokens = Tokens::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let columns = columns(line);
        let [token, name, uid, rest @ ..] = columns.as_slice() else {
            return Err(BadTokenFile { line: n + 1, columns: columns.len() });
        };
        let groups = rest.first().map(|groups| groups.split(',').map(ToOwned::to_owned).collect()).unwrap_or_default();
        if !token.is_empty() {
            tokens.insert(token.clone(), User { name: name.clone(), uid: uid.clone(), groups, ..User::default() });
        }
    }
    Ok(tokens)
}

/// The values of a line. Two quotes within quotes are one.
fn columns(line: &str) -> Vec<String> {
    let mut columns = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let column = columns.last_mut().expect("there is one from the beginning");
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => column.push('"'),
            '"' if quoted || column.is_empty() => quoted = !quoted,
            ',' if !quoted => columns.push(String::new()),
            letter => column.push(letter),
        }
    }
    columns
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
        assert_eq!(read("abc,ada,7\nabc,ada\n"), Err(BadTokenFile { line: 2, columns: 2 }));
    }
}
