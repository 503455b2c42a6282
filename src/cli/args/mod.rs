//! clap's types for the command line: each doc comment is a text that `--help` shows, in English and below it in Chinese
//! (see `language.rs`). The lessons' subcommands are in `lessons.rs`, because they are made from the catalog.

mod cluster;
mod output;
mod run;
mod subcommands;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::exercises::{BreakArgs, CheckArgs};
use super::lessons::LessonArgs;

pub use cluster::ClusterCommandArgs;
pub use output::{LookArgs, PrintArgs};
pub use run::{ClientArgs, RunArgs, SourceArgs};
pub use subcommands::{BoardArgs, DoctorArgs, ErasArgs, ReadArgs, ReplayArgs, StepArgs, TourArgs};

/// Learn client-go's informers by running them.
///
/// Each lesson runs on a real Kubernetes client against a cluster in this process, or against yours with --cluster. Without a
/// lesson, a page says where to begin.
///
/// 运行 client-go 的 informer，从中学习。
///
/// 每一课都用真正的 Kubernetes 客户端访问本进程内的集群，加 --cluster 则访问你自己的集群。不写课程时，显示从哪里开始。
#[derive(Debug, Parser)]
#[command(name = "informer-lab", version, max_term_width = 100)]
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
    /// Every lesson and every run of it, beside the tutorials' commands
    ///
    /// 列出所有课程和每种运行，以及教程中的对应命令
    Lessons,
    /// Every lesson in turn, with a pause after each
    ///
    /// 依次运行每一课，每课之后停一下
    Tour(TourArgs),
    /// A lesson in both eras, side by side, with what differs and why
    ///
    /// 同一课在两个时代各运行一次，并排比较，说明差别和原因
    Eras(ErasArgs),
    /// A chapter of the book; without a name, the list of chapters
    ///
    /// 阅读书中的一章；不写名字时列出各章
    Read(ReadArgs),
    /// A run one event at a time, forward and back: of a lesson, or of a record
    ///
    /// 一次一个事件地看一次运行，可前进可后退：某一课，或一个记录
    Step(StepArgs),
    /// A run that moves, in a browser: of a lesson, or of a record
    ///
    /// 在浏览器里看一次运行怎样进行：某一课，或一个记录
    Board(BoardArgs),
    /// Print a recorded run again
    ///
    /// 把录制的运行再打印一遍
    Replay(ReplayArgs),
    /// The built-in cluster, for kubectl and other programs on this machine
    ///
    /// 内置集群，供本机的 kubectl 和其他程序使用
    Cluster(ClusterCommandArgs),
    /// A folder for KUBEBUILDER_ASSETS: this program in the place of kube-apiserver and etcd
    ///
    /// 给 KUBEBUILDER_ASSETS 用的目录：由本程序代替 kube-apiserver 和 etcd
    Envtest,
    /// Ten broken programs to mend: the list, or what is wrong with one of them
    ///
    /// 十个有错的程序等你来修：列出它们，或说明其中一个出了什么问题
    Break(BreakArgs),
    /// Is a broken program mended? Compiles and judges it, in a clone of the repository
    ///
    /// 有错的程序修好了吗？编译并判断（在仓库的 clone 里执行）
    Check(CheckArgs),
    /// Whether the terminal, the language, the kubeconfig and the cluster will do
    ///
    /// 检查终端、语言、kubeconfig 和集群是否可用
    Doctor(DoctorArgs),
    /// The completions of a shell, for its start file: source <(informer-lab completions bash)
    ///
    /// 某种 shell 的补全脚本，写进它的启动文件：source <(informer-lab completions bash)
    Completions {
        /// The shell
        ///
        /// 哪种 shell
        shell: clap_complete::Shell,
    },
    /// The manual pages, one for each subcommand
    ///
    /// man 手册页，每个子命令一页
    Man {
        /// Where to write them [default: standard output, the first page only]
        ///
        /// 写到哪个目录 [默认：标准输出，只写第一页]
        #[arg(value_hint = clap::ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
}
