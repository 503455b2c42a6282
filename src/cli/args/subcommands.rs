//! The options of the subcommands that are no lessons, except `cluster`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};

use super::super::{completion, values};
use super::PrintArgs;

#[derive(Debug, Args)]
pub struct TourArgs {
    /// The stop to begin with
    ///
    /// 从第几站开始
    #[arg(value_parser = values::stop, add = ArgValueCandidates::new(completion::stops))]
    pub stop: Option<usize>,
    /// Also the lessons beyond the tutorials; with pauses, they are always there
    ///
    /// 也运行教程之外的课程；有停顿时总是包括它们
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The cluster of this kubeconfig
    ///
    /// 检查这个 kubeconfig 里的集群
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The cluster of this kubeconfig context
    ///
    /// 检查 kubeconfig 里这个 context 的集群
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace that will be watched
    ///
    /// 将要 watch 的 namespace
    #[arg(short, long, value_name = "NAME", default_value = "default", value_parser = values::namespace)]
    pub namespace: String,
}

#[derive(Debug, Args)]
pub struct ErasArgs {
    /// The lesson, with its options, such as: reflector --known-objects
    ///
    /// 课程和它的选项，例如：reflector --known-objects
    #[arg(value_name = "LESSON", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The chapter's name or number, or a lesson that it is about, such as: reflector, 04
    ///
    /// 章的名字或编号，或者它讲的那一课，例如：reflector、04
    #[arg(value_name = "CHAPTER", add = ArgValueCandidates::new(completion::chapters))]
    pub chapter: Option<String>,
}

#[derive(Debug, Args)]
pub struct StepArgs {
    /// Ask before decisive events what will come
    ///
    /// 在关键事件之前先问你接下来会发生什么
    #[arg(long)]
    pub predict: bool,
    /// A lesson with its options, such as: reflector --known-objects; or a file that was written with --record
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
    /// Ask before decisive events what will come
    ///
    /// 在关键事件之前先问你接下来会发生什么
    #[arg(long)]
    pub predict: bool,
    /// Show another run beside it: one argument, such as 'reflector --known-objects', or a file
    ///
    /// 旁边再显示一次运行：一个参数，例如 'reflector --known-objects'，或一个文件
    #[arg(long, value_name = "LESSON|FILE", add = ArgValueCompleter::new(completion::lesson_or_file))]
    pub beside: Option<OsString>,
    /// Write the page into this file, and serve nothing; the record alone, with its questions, if the name ends in .ndjson
    ///
    /// 把页面写到这个文件里，不提供服务；文件名以 .ndjson 结尾时，只写记录和其中的问题
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where a browser finds it, on this machine only; port 0 takes a free one [default: 127.0.0.1:0]
    ///
    /// 浏览器用哪个地址打开页面，只能是本机地址；端口 0 表示任选一个空闲端口 [默认：127.0.0.1:0]
    #[arg(long, value_name = "ADDR", value_parser = values::loopback)]
    pub at: Option<SocketAddr>,
    /// A lesson with its options, such as: reflector --known-objects; or a file that was written with --record
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
    /// What a lesson wrote with --record
    ///
    /// 某一课用 --record 写的文件
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
}
