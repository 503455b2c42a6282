//! Texts for the learner in English and Chinese.

pub use informer_lab::trace::Lang;

/// A text in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bilingual {
    en: String,
    zh: String,
}

impl Bilingual {
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }

    pub fn pick(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.zh)
    }
}
