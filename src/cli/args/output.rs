//! The options on the output.

use std::path::PathBuf;

use clap::Args;
use clap_complete::ArgValueCandidates;
use informer_lab::trace::{ColorChoice, Lang, Output, Speed};

use super::super::completion;

// The options on the output of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct PrintArgs {
    /// The pace of printing: 1 is the tutorials', 2 twice as fast, or max [default: 1 on a terminal, else max]
    ///
    /// 输出的速度：1 是教程的速度，2 快一倍，max 不停顿 [默认：终端上是 1，否则是 max]
    #[arg(long, value_name = "N", add = ArgValueCandidates::new(completion::speeds))]
    pub speed: Option<Speed>,
    /// The format of standard output
    ///
    /// 标准输出的格式
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
    /// Record the run into this file, for replay and step; docs/record.md describes the file
    ///
    /// 把这次运行录制到文件里，供 replay 和 step 使用；文件格式见 docs/record.md
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// How everything is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LookArgs {
    /// The use of colours
    ///
    /// 是否使用颜色
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// The narration's language [default: the locale's]
    ///
    /// 旁白和帮助的语言 [默认：取自 locale]
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Lang>,
    /// Show the narration, even if only the trace goes into a pipe or a file
    ///
    /// 即使 trace 输出到别处，也显示旁白
    #[arg(long, global = true, overrides_with = "no_narrate")]
    pub narrate: bool,
    /// Hide the narration
    ///
    /// 不显示旁白
    #[arg(long, global = true, overrides_with = "narrate")]
    pub no_narrate: bool,
    /// Show all steps between the lines of the trace [default: on a terminal, the same steps only once]
    ///
    /// 显示 trace 各行之间的全部步骤 [默认：终端上显示，相同的步骤只显示一次]
    #[arg(long, global = true, overrides_with = "no_explain")]
    pub explain: bool,
    /// Hide the steps
    ///
    /// 不显示这些步骤
    #[arg(long, global = true, overrides_with = "explain")]
    pub no_explain: bool,
    /// Write the trace and the narration into this file, in order, for example as a handout
    ///
    /// 把 trace 和旁白按顺序写到这个文件里，可作讲义
    #[arg(long, global = true, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// Print all logs on standard error
    ///
    /// 在标准错误上输出全部日志
    #[arg(short, long, global = true)]
    pub verbose: bool,
}
