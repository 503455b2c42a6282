//! Chinese for the words in help and manual pages that come from clap: headings, labels, and the options that clap adds.
//! All other texts stand in both languages in the doc comments of `args/` and `exercises.rs`.

pub const COMMANDS: &str = "命令";

/// Our own headings.
pub const HEADINGS: [&str; 5] = [COMMANDS, "集群", "时代", "运行", "输出"];

pub fn heading(english: &str) -> &'static str {
    match english {
        "Cluster" => "集群",
        "Era" => "时代",
        "Run" => "运行",
        _ => "输出",
    }
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
pub const WORDS_OF_MANUAL: [(&str, &str); 7] = [
    (".SH NAME\n", ".SH 名称\n"),
    (".SH SYNOPSIS\n", ".SH 概要\n"),
    (".SH DESCRIPTION\n", ".SH 描述\n"),
    (".SH OPTIONS\n", ".SH 选项\n"),
    (".SH VERSION\n", ".SH 版本\n"),
    ("Possible values:", "可选："),
    ("[default: ", "[默认："),
];

pub fn replaced(text: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(text.to_owned(), |text, (english, chinese)| text.replace(english, chinese))
}
