//! Parses the command line of a replaced binary, `kube-apiserver` or `etcd`. Test libraries pass dozens of flags: the
//! known ones are used, all others are accepted and ignored. Upstream: spf13/pflag, and Go's own flags.

use std::ffi::OsString;

/// The flags in the order of the command line, without their dashes. A flag without a value has the value `true`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(Vec<(String, String)>);

impl Flags {
    /// Parses `--name=value`, `--name value` and `--name`. None of the binaries takes positional arguments, so a word
    /// after a flag is its value.
    pub(super) fn read(args: &[OsString]) -> Self {
        let words: Vec<String> = args.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let mut flags = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let Some(flag) = name(&word) else { continue };
            let name_and_value = match flag.split_once('=') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => {
                    (flag.to_owned(), words.next_if(|next| name(next).is_none()).unwrap_or_else(|| "true".to_owned()))
                }
            };
            flags.push(name_and_value);
        }
        Self(flags)
    }

    /// Returns the value of a flag, the last one if it is repeated. An empty value counts as none.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let last = self.0.iter().rfind(|(flag, _)| flag == name);
        last.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(flag, _)| flag == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn asks_for_help(&self) -> bool {
        self.0.iter().any(|(flag, _)| matches!(flag.as_str(), "help" | "h"))
    }

    pub(super) fn asks_for_version(&self) -> bool {
        self.get("version").is_some_and(|value| value != "false")
    }

    /// Returns the names of all flags but these, each once, with two dashes.
    pub(super) fn others(&self, used: &[(&str, &str)]) -> Vec<String> {
        let mut others: Vec<String> = Vec::new();
        for (flag, _) in &self.0 {
            let shown = format!("--{flag}");
            if used.iter().all(|(name, _)| name != flag) && !others.contains(&shown) {
                others.push(shown);
            }
        }
        others
    }
}

/// Returns the flag's name if the word is a flag, without its dashes. A negative number is not a flag.
fn name(word: &str) -> Option<&str> {
    let flag = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    flag.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(flag)
}

/// Returns the help: the sentence `what`, and one line for each flag in `used`.
pub(super) fn help(what: &str, used: &[(&str, &str)]) -> String {
    let widest = used.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let lines = used.iter().map(|(name, does)| format!("  --{name:widest$}  {does}\n"));
    format!("{what}\n\nFlags:\n{}\nAll other flags are accepted and ignored.", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Flags {
        Flags::read(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_flag_has_its_value_in_either_form_or_none() {
        let flags = read("kube-apiserver --a=b --c d -v 4 --allow-privileged --e= --f -1 --a=c=d -x=y");
        let values = [("a", "c=d"), ("c", "d"), ("v", "4"), ("allow-privileged", "true"), ("f", "-1"), ("x", "y")];
        for (flag, value) in values {
            assert_eq!(flags.get(flag), Some(value), "{flag}");
        }
        assert_eq!((flags.get("e"), flags.get("nothing")), (None, None));
        assert_eq!(flags.others(&[("a", ""), ("c", "")]), ["--v", "--allow-privileged", "--e", "--f", "--x"]);
    }

    #[test]
    fn odd_words_are_no_flags() {
        assert_eq!(read("etcd - -- --=a word ---x"), Flags::default());
        assert!(read("etcd --help").asks_for_help() && read("etcd -h").asks_for_help());
        assert!(!read("etcd --data-dir help").asks_for_help());
    }
}
