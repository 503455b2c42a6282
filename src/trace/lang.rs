//! The choice between English and Chinese for narration, help and messages. The trace itself is the same in both.

use std::ffi::OsString;

use clap::ValueEnum;

/// The language of the narration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// English
    /// 英文
    #[value(verbatim_doc_comment)]
    En,
    /// Chinese
    /// 中文
    #[value(verbatim_doc_comment)]
    Zh,
}

impl Lang {
    /// Returns the locale's language according to POSIX: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not
    /// empty. Chinese if it starts with `zh`, else English.
    pub fn from_env() -> Self {
        Self::of(|name| std::env::var_os(name))
    }

    fn of(var: impl Fn(&str) -> Option<OsString>) -> Self {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(var).find(|value| !value.is_empty());
        let chinese = locale.is_some_and(|value| value.to_string_lossy().to_ascii_lowercase().starts_with("zh"));
        if chinese { Self::Zh } else { Self::En }
    }

    /// Returns the text in this language.
    pub fn pick<'a>(self, en: &'a str, zh: &'a str) -> &'a str {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }
}

/// A text in both languages.
#[derive(Clone, Copy, Debug)]
pub struct Both {
    /// English.
    pub en: &'static str,
    /// Chinese.
    pub zh: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> Lang {
        Lang::of(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v)))
    }

    #[test]
    fn the_first_variable_that_is_not_empty_decides() {
        assert_eq!(of(&[]), Lang::En);
        assert_eq!(of(&[("LANG", "zh_CN.UTF-8")]), Lang::Zh);
        assert_eq!(of(&[("LC_ALL", ""), ("LANG", "zh_TW")]), Lang::Zh);
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")]), Lang::En);
        assert_eq!(of(&[("LC_MESSAGES", "zh"), ("LANG", "en_US.UTF-8")]), Lang::Zh);
    }
}
