//! Validates the keys and values of labels. The messages are those of Kubernetes, because users see them when they
//! write a wrong selector. Upstream: `apimachinery/pkg/api/validate/content`.

/// The largest number of bytes in a label value, or in a label key after its prefix.
const MAX_NAME: usize = 63;
/// The largest number of bytes in the prefix of a label key, which is the part before the slash.
const MAX_PREFIX: usize = 253;

/// Checks a label key. The error is Kubernetes' message.
pub(super) fn label_key(key: &str) -> Result<(), String> {
    let (prefix, name) = match key.split_once('/') {
        None => (None, key),
        Some((_, name)) if name.contains('/') => {
            return Err(format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                name_rule()
            ));
        }
        Some((prefix, name)) => (Some(prefix), name),
    };
    let mut wrong = Vec::new();
    match prefix {
        Some("") => wrong.push("prefix part must be non-empty".to_owned()),
        Some(prefix) => wrong.extend(subdomain(prefix).into_iter().map(|wrong| format!("prefix part {wrong}"))),
        None => {}
    }
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_NAME {
        wrong.push(format!("name part {}", too_long(MAX_NAME)));
    }
    if !is_name(name) {
        wrong.push(format!("name part {}", name_rule()));
    }
    all(wrong)
}

/// Checks a label value. The error is Kubernetes' message.
pub(super) fn label_value(value: &str) -> Result<(), String> {
    let mut wrong = Vec::new();
    if value.len() > MAX_NAME {
        wrong.push(too_long(MAX_NAME));
    }
    if !value.is_empty() && !is_name(value) {
        wrong.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
             validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
    }
    all(wrong)
}

/// Checks the prefix of a label key, which must be a DNS subdomain. Returns the messages of the violated rules.
fn subdomain(text: &str) -> Vec<String> {
    let is_label = |label: &str| {
        bounded_by(label, |b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let mut wrong = Vec::new();
    if text.len() > MAX_PREFIX {
        wrong.push(too_long(MAX_PREFIX));
    }
    if !text.split('.').all(is_label) {
        wrong.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    wrong
}

/// Returns true if the text has only the characters of a label value, and begins and ends with an alphanumeric one.
fn is_name(name: &str) -> bool {
    bounded_by(name, |b| b.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// Returns true if the text is not empty and its first and last bytes fit.
fn bounded_by(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    let ends = (text.bytes().next(), text.bytes().next_back());
    matches!(ends, (Some(first), Some(last)) if fits(first) && fits(last))
}

/// Returns the message that states the rule of [`is_name`].
fn name_rule() -> &'static str {
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character \
     (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
}

fn too_long(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

/// Joins the messages into one error; `Ok` without messages.
fn all(wrong: Vec<String>) -> Result<(), String> {
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}
