//! An error that a user may cause (a wrong file, a busy port, no cluster), in English and Chinese.

use std::error::Error;
use std::fmt;

use super::Lang;

/// An error: one sentence, its cause, and advice on what to do.
///
/// [`Printer::report`](super::Printer::report) prints the three parts on lines of their own.
#[derive(Debug)]
pub struct Failure {
    sentence: Words,
    next: Option<Words>,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

/// A sentence in English and in Chinese. A single text is used for both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    en: String,
    zh: String,
}

impl Words {
    /// Returns a sentence in both languages.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }

    /// Returns the sentence in a language.
    pub fn pick(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.zh)
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.en)
    }
}

/// clap needs an error type for invalid values of options; their errors are `Words`.
impl Error for Words {}

impl From<&str> for Words {
    fn from(both: &str) -> Self {
        Self { en: both.to_owned(), zh: both.to_owned() }
    }
}

impl From<String> for Words {
    fn from(both: String) -> Self {
        Self { en: both.clone(), zh: both }
    }
}

impl<E: Into<String>, Z: Into<String>> From<(E, Z)> for Words {
    fn from((en, zh): (E, Z)) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }
}

impl Failure {
    /// Returns the error of the web page's build for everything that needs a socket, another program or a signal.
    #[cfg(target_family = "wasm")]
    pub fn not_in_a_page() -> Self {
        Self::new((
            "a web page has no network, no other programs and no Ctrl-C: it runs the lessons that end by themselves",
            "网页里不能访问网络，不能启动其他程序，也没有 Ctrl-C：只能运行会自己结束的课程",
        ))
        .next(("run informer-lab in a terminal", "请在终端里运行 informer-lab"))
    }

    /// Creates a failure from its sentence.
    pub fn new(sentence: impl Into<Words>) -> Self {
        Self { sentence: sentence.into(), next: None, cause: None }
    }

    /// Adds advice on the next step.
    pub fn next(mut self, hint: impl Into<Words>) -> Self {
        self.next = Some(hint.into());
        self
    }

    /// Adds the underlying error.
    pub fn because(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Returns the sentence in a language.
    pub fn sentence(&self, lang: Lang) -> &str {
        self.sentence.pick(lang)
    }

    /// Returns the advice on the next step in a language, if there is any.
    pub fn hint(&self, lang: Lang) -> Option<&str> {
        self.next.as_ref().map(|next| next.pick(lang))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence.en)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause.as_ref() as _)
    }
}
