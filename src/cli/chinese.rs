//! Chinese for the words in help and manual pages that come from clap: headings, labels, and the options that clap adds.
//! All other texts stand in both languages in the doc comments of `args/` and `exercises.rs`.

pub const COMMANDS: &str = "命令";

/// The headings that this program sets, in English and in Chinese.
pub const HEADINGS: [(&str, &str); 5] =
    [("Commands", COMMANDS), ("Cluster", "集群"), ("Era", "时代"), ("Run", "运行"), ("Output", "输出")];

/// Returns the Chinese of a heading; `None` if it is not one of [`HEADINGS`].
pub fn heading(english: &str) -> Option<&'static str> {
    HEADINGS.iter().find(|(heading, _)| *heading == english).map(|(_, chinese)| *chinese)
}

pub const HELP: &str = "显示帮助";

/// Returns the text of an option that clap adds, by clap's id.
pub fn option_of_clap(id: &str) -> Option<&'static str> {
    match id {
        "help" => Some(HELP),
        "version" => Some("显示版本"),
        _ => None,
    }
}

/// clap's words in `--help` that cannot be set.
pub const WORDS_OF_HELP: [(&str, &str); 5] = [
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("Possible values:", "可选："),
    ("[possible values: ", "[可选："),
    ("[default: ", "[默认："),
];

/// The words in a manual page that cannot be set.
pub const WORDS_OF_MANUAL: [(&str, &str); 8] = [
    (".SH NAME\n", ".SH 名称\n"),
    (".SH SYNOPSIS\n", ".SH 概要\n"),
    (".SH DESCRIPTION\n", ".SH 描述\n"),
    (".SH OPTIONS\n", ".SH 选项\n"),
    (".SH VERSION\n", ".SH 版本\n"),
    (".SH EXTRA\n", ".SH 附注\n"),
    ("Possible values:", "可选："),
    ("[default: ", "[默认："),
];

pub fn replaced(text: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(text.to_owned(), |text, (english, chinese)| text.replace(english, chinese))
}
