//! clap's types for the command line: each doc comment is a text that `--help` shows, in English and below it in Chinese
//! (see `language.rs`). The lessons' subcommands are in `lessons.rs`, because they are made from the catalog.

mod cluster;
mod output;
mod run;
mod subcommands;

use std::path::PathBuf;

use clap::builder::styling::{Ansi256Color, Color, Style, Styles};
use clap::{Parser, Subcommand};
use informer_lab::trace::Hue;

use super::exercises::{BreakArgs, CheckArgs};
use super::lessons::LessonArgs;

pub use cluster::ClusterCommandArgs;
pub use output::{LookArgs, PrintArgs};
pub use run::{ClientArgs, RunArgs, SourceArgs};
pub use subcommands::{BoardArgs, DoctorArgs, ErasArgs, ReadArgs, ReplayArgs, StepArgs, TourArgs};

/// clap's colours of errors, from the palette of the trace.
const STYLES: Styles =
    Styles::styled().error(tinted(Hue::RED).bold()).invalid(tinted(Hue::RED)).valid(tinted(Hue::GREEN));

const fn tinted(hue: Hue) -> Style {
    Style::new().fg_color(Some(Color::Ansi256(Ansi256Color(hue.index()))))
}

/// Learn client-go's informers by running them.
///
/// Each lesson runs on a real Kubernetes client against a cluster in this process, or against yours with --cluster. Run it
/// without arguments to see where to begin.
///
/// 通过实际运行来学习 client-go 的 informer。
///
/// 每一课都用真正的 Kubernetes 客户端访问本进程内的集群，加 --cluster 则访问你自己的集群。不指定课程时，显示入门提示。
#[derive(Debug, Parser)]
#[command(name = "informer-lab", version, max_term_width = 100, styles = STYLES)]
pub struct Cli {
    #[command(flatten)]
    pub look: LookArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
#[command(defer = true)] // building every subcommand's options takes longer than a short lesson
pub enum Command {
    #[command(flatten)]
    Lesson(LessonArgs),
    /// List all lessons and their variants, with the tutorials' commands
    ///
    /// 列出所有课程、每课的各种运行方式，以及教程中的对应命令
    Lessons,
    /// Run every lesson in turn, with a pause after each
    ///
    /// 依次运行每一课，每课之后停一下
    Tour(TourArgs),
    /// Run a lesson in both eras, side by side, and explain the differences
    ///
    /// 同一课在两个时代各运行一次，并排比较，说明差别和原因
    Eras(ErasArgs),
    /// Read a chapter of the book, or look up a word in it; without a name, list the chapters
    ///
    /// 阅读书中的一章，或在书里查一个词；不写名字时列出各章
    Read(ReadArgs),
    /// Step through a lesson or a recorded run, forward and back
    ///
    /// 逐个事件地看一课或一次录制的运行，可前进可后退
    Step(StepArgs),
    /// Show a lesson or a recorded run as an animation in a browser
    ///
    /// 在浏览器里以动画显示一课或一次录制的运行
    Board(BoardArgs),
    /// Print a recorded run again
    ///
    /// 把录制的运行再打印一遍
    Replay(ReplayArgs),
    /// Serve the built-in cluster for kubectl and other programs
    ///
    /// 启动内置集群，供 kubectl 和其他程序使用
    Cluster(ClusterCommandArgs),
    /// Print the path of a folder to use as KUBEBUILDER_ASSETS in which this program replaces kube-apiserver and etcd
    ///
    /// 输出一个供 KUBEBUILDER_ASSETS 使用的目录，其中的 kube-apiserver 和 etcd 由本程序代替
    Envtest,
    /// List ten broken programs to fix, or describe the problem of one
    ///
    /// 列出十个有错、等你来修的程序，或说明其中一个出了什么问题
    Break(BreakArgs),
    /// Compile and test your repaired program (in a clone of the repository)
    ///
    /// 编译并测试你修好的程序（在克隆下来的仓库里执行）
    Check(CheckArgs),
    /// Check the terminal, language, kubeconfig and cluster
    ///
    /// 检查终端、语言、kubeconfig 和集群
    Doctor(DoctorArgs),
    /// Print the completion script of a shell, for its start file: source <(informer-lab completions bash)
    ///
    /// 输出某种 shell 的补全脚本，写进它的启动文件：source <(informer-lab completions bash)
    Completions {
        /// Choose the shell
        ///
        /// 哪种 shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each subcommand into a folder
    ///
    /// 输出 man 手册页，或把每个子命令的手册页写到目录里
    Man {
        /// Write the pages into this folder, which is made if it is missing [default: standard output, the first page
        /// only]
        ///
        /// 写到这个目录，没有就新建 [默认：标准输出，只写第一页]
        #[arg(value_hint = clap::ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
}
