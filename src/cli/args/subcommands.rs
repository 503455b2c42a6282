//! The options of the subcommands that are no lessons, except `cluster`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use informer_lab::lessons::tour::FirstStop;

use super::super::{completion, values};
use super::PrintArgs;

#[derive(Debug, Args)]
pub struct TourArgs {
    /// Start the tour at this stop: its number, a lesson such as loop, or resume for the stop where you left off
    ///
    /// 从这一站开始：编号、课程名（例如 loop），或 resume，即上次离开的那一站
    #[arg(value_name = "STOP|LESSON|resume", value_parser = values::first_stop, allow_negative_numbers = true, add = ArgValueCandidates::new(completion::stops))]
    pub first: Option<FirstStop>,
    /// List the stops, with their chapters
    ///
    /// 列出各站和对应的章
    #[arg(long, conflicts_with_all = ["first", "all"])]
    pub list: bool,
    /// Include the lessons beyond the tutorials (always included when the tour pauses)
    ///
    /// 也运行教程之外的课程；在终端上每课之后都会停顿，那时总是包括它们
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check the cluster of this kubeconfig
    ///
    /// 检查这个 kubeconfig 里的集群
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Check the cluster of this kubeconfig context
    ///
    /// 检查 kubeconfig 里这个 context 的集群
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// Check whether pods can be watched in this namespace
    ///
    /// 检查能否 watch 这个 namespace 里的 Pod
    #[arg(short, long, value_name = "NAME", default_value = "default", value_parser = values::namespace)]
    pub namespace: String,
}

#[derive(Debug, Args)]
pub struct ErasArgs {
    /// Run this lesson, with its options, such as: reflector --known-objects
    ///
    /// 课程和它的选项，例如：reflector --known-objects
    #[arg(value_name = "LESSON", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ReadArgs {
    /// Read this chapter or the chapter of this lesson, or look up this word, such as: 04, reflector, tombstone, work queue
    ///
    /// 章的名字或编号，课程名，或书里的一个词，例如：04、reflector、tombstone、work queue
    #[arg(value_name = "CHAPTER|WORD", add = ArgValueCandidates::new(completion::chapters))]
    pub words: Vec<String>,
}

#[derive(Debug, Args)]
pub struct StepArgs {
    /// Ask you to predict decisive events before they happen
    ///
    /// 在关键事件之前先问你接下来会发生什么
    #[arg(long)]
    pub predict: bool,
    /// Show this lesson, with its options, such as: reflector --known-objects; or a file written with --record
    ///
    /// 课程和它的选项，例如：reflector --known-objects；或者用 --record 写的文件
    #[arg(
        id = "steps",
        value_name = "LESSON|FILE",
        value_hint = ValueHint::FilePath,
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct BoardArgs {
    /// Ask you to predict decisive events before they happen
    ///
    /// 在关键事件之前先问你接下来会发生什么
    #[arg(long)]
    pub predict: bool,
    /// Show another run beside it: one argument, such as 'reflector --known-objects', or a file
    ///
    /// 在旁边并排显示另一次运行：写文件名，或把课程名和选项写成一个参数，例如 'reflector --known-objects'
    #[arg(long, value_name = "LESSON|FILE", add = ArgValueCompleter::new(completion::lesson_or_file))]
    pub beside: Option<OsString>,
    /// Write the page to this file instead of serving it. If the name ends in .ndjson, write only the record, with its
    /// questions
    ///
    /// 把页面写到这个文件里，不启动服务；文件名以 .ndjson 结尾时，只写记录和其中的问题
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Serve the page at this loopback address. Port 0 picks a free port [default: 127.0.0.1:0]
    ///
    /// 在这个本机地址提供页面；端口 0 表示任选一个空闲端口 [默认：127.0.0.1:0]
    #[arg(long, value_name = "ADDR", value_parser = values::loopback)]
    pub at: Option<SocketAddr>,
    /// Show this lesson, with its options, such as: reflector --known-objects; or a file written with --record
    ///
    /// 课程和它的选项，例如：reflector --known-objects；或者用 --record 写的文件
    #[arg(
        id = "board_words",
        value_name = "LESSON|FILE",
        value_hint = ValueHint::FilePath,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Print this file, which was written with --record
    ///
    /// 要打印的文件，由某一课用 --record 写成
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
}
