//! clap's types for the command line: each doc comment is a text that `--help` shows, in English and below it in Chinese
//! (see `language.rs`). The lessons' subcommands are in `lessons.rs`, because they are made from the catalog.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use informer_lab::cluster::{Admission, Authorization, Controllers, ManagedFields, Pods};
use informer_lab::lab::{Era, Seed};
use informer_lab::trace::{ColorChoice, Lang, Output, Speed};
use kube_testcluster::Fault;

use super::exercises::{BreakArgs, CheckArgs};
use super::lessons::LessonArgs;
use super::values;

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
    /// The completions of a shell: informer-lab completions bash >/etc/bash_completion.d/informer-lab
    ///
    /// 某种 shell 的补全脚本：informer-lab completions bash >/etc/bash_completion.d/informer-lab
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
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct TourArgs {
    /// The stop to begin with
    ///
    /// 从第几站开始
    #[arg(value_parser = values::stop)]
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
    #[arg(value_name = "CHAPTER")]
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
    #[arg(long, value_name = "LESSON|FILE")]
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
    #[arg(id = "board_words", value_name = "LESSON|FILE", trailing_var_arg = true, allow_hyphen_values = true)]
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

#[derive(Debug, Args)]
pub struct ClusterCommandArgs {
    /// Where to listen, without --tls on this machine only; port 0 takes a free one
    ///
    /// 在哪个地址监听，没有 --tls 时只能是本机地址；端口 0 表示任选一个空闲端口
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = values::address)]
    pub listen: SocketAddr,
    /// Serve HTTPS, and only clients with the client certificate of the kubeconfig, or with a token
    ///
    /// 用 HTTPS 提供服务，只接受有 kubeconfig 里的客户端证书或有 token 的客户端
    #[arg(long)]
    pub tls: bool,
    /// With --tls, more names and addresses for the certificate: those by which other machines reach this one; may be given again
    ///
    /// 配合 --tls：证书里再加上这些域名和地址，供其他机器访问时使用；可以写多次
    #[arg(long, value_name = "NAME", requires = "tls", value_delimiter = ',')]
    pub tls_san: Vec<String>,
    /// With --tls, bearer tokens and their users: lines of token,user,uid,"group1,group2"
    ///
    /// 配合 --tls：bearer token 及其用户，每行 token,user,uid,"group1,group2"
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub token_auth_file: Option<PathBuf>,
    /// Keep everything in this folder, and go on with what is in it: nothing that was answered is lost, whatever ends the program;
    /// kubeconfigs and tokens hold after the next start
    ///
    /// 把全部数据保存在这个目录里，下次从中继续：无论怎样结束，已答复的写入都不会丢；kubeconfig 和 token 下次启动后仍然有效
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Where to write the kubeconfig; it stays [default: a temporary file, removed at the end]
    ///
    /// 把 kubeconfig 写到哪里，结束后保留 [默认：临时文件，结束时删除]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig_out: Option<PathBuf>,
    /// Which API server it is like: today's, or one of the tutorials' time (2023)
    ///
    /// 像哪个时代的 API server：今天的（modern），还是教程当时的（classic，2023 年）
    #[arg(long, value_enum, default_value = "modern", hide_possible_values = true, value_name = "classic|modern")]
    pub era: Era,
    /// How many nodes it has
    ///
    /// 有多少个节点
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = values::nodes)]
    pub nodes: usize,
    /// How many Events are kept; of more, the oldest are removed. kube-apiserver keeps all of the last hour
    ///
    /// 保留多少个 Event，超出时删除最旧的；kube-apiserver 保留最近一小时的全部 Event
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub events: usize,
    /// The API server alone, as envtest has it: no nodes, no scheduler, no kubelet, no controllers
    ///
    /// 只有 API server，和 envtest 一样：没有节点、scheduler、kubelet 和 controller
    #[arg(long, conflicts_with_all = ["nodes", "controllers", "admission", "stages"])]
    pub bare: bool,
    /// Which controllers run in it: all, those of garbage, namespaces and nodes (deletions), these and some of workloads
    /// (such as deployment,replicaset,job,endpointslice), or none, as in an API server alone
    ///
    /// 运行哪些 controller：all 是全部；deletions 是垃圾回收、namespace 和节点的
    /// controller；deployment,replicaset,job,endpointslice 这样的名字是在 deletions 之外再加上这几个工作负载的
    /// controller；none 是一个也没有，像单独的 API server
    #[arg(long, default_value = "all", value_name = "all|deletions|NAME,…|none", value_parser = values::controllers)]
    pub controllers: Controllers,
    /// What is added to new pods and namespaces: what kube-apiserver adds by default (priority, tolerations, service account;
    /// the service kubernetes, the roles that it begins with), or nothing
    ///
    /// 新建 Pod 和 namespace 时补充什么：kube 是 kube-apiserver 默认补充的内容（优先级、toleration、service account，
    /// 名为 kubernetes 的 Service，以及它自带的 role），plain 是什么也不补充
    #[arg(long, value_enum, default_value = "kube", hide_possible_values = true, value_name = "kube|plain")]
    pub admission: Admission,
    /// Who may do what: always-allow, or by roles and their bindings (rbac). The kubeconfig, and without --tls every client, is the
    /// administrator, since kubectl and client-go send no tokens without TLS; kubectl --as asks as another user
    ///
    /// 谁可以做什么：always-allow 是允许一切，rbac 是按 role 和 role binding 判断。kubeconfig 的用户是管理员；没有
    /// --tls 时所有客户端都是管理员，因为不用 TLS 时 kubectl 和 client-go 不会发送 token。用 kubectl --as 以其他用户
    /// 的身份请求
    #[arg(
        long,
        value_enum,
        default_value = "always-allow",
        hide_possible_values = true,
        value_name = "always-allow|rbac"
    )]
    pub authorization: Authorization,
    /// Which objects have managedFields, which say who owns their fields: those that server-side apply has written, from then on;
    /// all, as in kube-apiserver; or none, and server-side apply is refused
    ///
    /// 哪些对象有 managedFields，即字段归谁所有的记录：applied 是用 server-side apply 写过的对象，从那时起才有；all
    /// 是全部对象，像 kube-apiserver 一样；off 是一个也没有，并拒绝 server-side apply
    #[arg(long, value_enum, default_value = "applied", hide_possible_values = true, value_name = "applied|all|off")]
    pub managed_fields: ManagedFields,
    /// The pods at the start: so many that run already, or those of a file (YAML)
    ///
    /// 开始时有哪些 Pod：一个数，表示有这么多个已在运行的 Pod；或一个文件（YAML）里的 Pod
    #[arg(long, value_name = "N|FILE", allow_hyphen_values = true, value_parser = values::pods)]
    pub pods: Option<Pods>,
    /// What happens in it (YAML)
    ///
    /// 运行期间集群里发生什么（YAML）
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// What becomes of pods: a file (YAML), or one of run, fast, slow-image, bad-image, crash-loop, completed, error, evicted,
    /// never-ready; a pod's own label lab/lifecycle says the same for one pod [default: run]
    ///
    /// Pod 会怎样：一个文件（YAML），或
    /// run、fast、slow-image、bad-image、crash-loop、completed、error、evicted、never-ready 之一；Pod 自己的 label
    /// lab/lifecycle 只对它自己起同样的作用 [默认：run]
    #[arg(long, value_name = "NAME|FILE")]
    pub stages: Option<PathBuf>,
    /// What goes wrong from the start, such as 429:verb=list,times=3 or hide-events:times=2; a wrong name lists them all; may be given again
    ///
    /// 一开始就有的故障，例如 429:verb=list,times=3 或 hide-events:times=2；写错名字时会列出全部；可以写多次
    #[arg(long = "fault", value_name = "FAULT", value_parser = values::fault)]
    pub faults: Vec<Fault>,
    /// Let faults be started at /lab/faults too
    ///
    /// 也允许通过 /lab/faults 启动故障
    #[arg(long)]
    pub admin: bool,
    /// Run this with KUBECONFIG set, and end with it and its exit code
    ///
    /// 设置好 KUBECONFIG 后运行这条命令，随它一起结束，退出码也和它相同
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

// Groups of options have no doc comments, because clap would show them as the lesson's description.

// The options that choose the cluster and its content.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct SourceArgs {
    /// Watch a real cluster: the kubeconfig's current context, or the one that this pod runs in
    ///
    /// watch 真实的集群：kubeconfig 的当前 context，或者本 Pod 所在的集群
    #[arg(long)]
    pub cluster: bool,
    /// Watch the cluster of this kubeconfig
    ///
    /// watch 这个 kubeconfig 里的集群
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Watch the cluster of this kubeconfig context
    ///
    /// watch kubeconfig 里这个 context 的集群
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace to watch [default: default]
    ///
    /// watch 哪个 namespace [默认：default]
    #[arg(short, long, value_name = "NAME", value_parser = values::namespace)]
    pub namespace: Option<String>,
    /// What happens while the lesson watches (YAML)
    ///
    /// 课程 watch 期间集群里发生什么（YAML）
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The built-in cluster's pods at the start (YAML)
    ///
    /// 内置集群开始时有哪些 Pod（YAML）
    #[arg(long, value_name = "FILE")]
    pub pods: Option<PathBuf>,
    /// What the built-in cluster's kubelet does: a file (YAML), or a name such as crash-loop (cluster --help has them all)
    ///
    /// 内置集群的 kubelet 怎样处理 Pod：一个文件（YAML），或 crash-loop 之类的名字（cluster --help 列出全部）
    #[arg(long, value_name = "NAME|FILE")]
    pub stages: Option<PathBuf>,
    /// Let kubectl in another terminal drive the built-in cluster, at this address; as --follow does, the run goes on
    ///
    /// 让另一个终端里的 kubectl 通过这个地址操作内置集群；和 --follow 一样，运行会一直继续
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0", value_parser = values::loopback)]
    pub listen: Option<SocketAddr>,
    /// The era of the built-in cluster alone: an unordered watch cache, or one ordered by key that streams lists
    ///
    /// 只设置内置集群的时代：classic 的 watch cache 无序，modern 的按 key 排序并支持 streaming list
    #[arg(long, value_enum, hide_possible_values = true, value_name = "classic|modern", help_heading = "Era")]
    pub server: Option<Era>,
    #[command(flatten)]
    pub client: ClientArgs,
}

// The options that choose the era of the client and of the cluster.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Era")]
pub struct ClientArgs {
    /// The era of the cluster and of the client: classic is the tutorials' of 2023, modern is today's [default: classic]
    ///
    /// 集群和客户端的时代：classic 是教程当时的（2023 年），modern 是今天的 [默认：classic]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "classic|modern")]
    pub era: Option<Era>,
    /// The era of the client alone: DeltaFIFO and LIST, or RealFIFO and a streaming list; also with --cluster
    ///
    /// 只设置客户端的时代：classic 是 DeltaFIFO 加 LIST，modern 是 RealFIFO 加 streaming list；也可以和 --cluster 一起用
    #[arg(long, value_enum, hide_possible_values = true, value_name = "classic|modern")]
    pub client: Option<Era>,
}

// The options on a run's length and on the seed of its races.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Keep watching until Ctrl-C, in real time; the default with --cluster
    ///
    /// 一直 watch，直到 Ctrl-C（真实时间）；用 --cluster 时默认如此
    #[arg(long)]
    pub follow: bool,
    /// End after this long, such as 30s or 1m30s
    ///
    /// 多久之后结束，例如 30s 或 1m30s
    #[arg(long = "for", value_name = "DURATION", value_parser = values::duration, allow_hyphen_values = true)]
    pub limit: Option<Duration>,
    /// What decides the races: a number, or random
    ///
    /// 决定竞态结果的 seed：一个数，或 random
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<Seed>,
}

// The options on the output of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct PrintArgs {
    /// The pace of printing: 1 is the tutorials', 2 twice as fast, or max [default: 1 on a terminal, else max]
    ///
    /// 输出的速度：1 是教程的速度，2 快一倍，max 不停顿 [默认：终端上是 1，否则是 max]
    #[arg(long, value_name = "N")]
    pub speed: Option<Speed>,
    /// What standard output holds
    ///
    /// 标准输出里写什么
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
    /// When to colour
    ///
    /// 什么时候使用颜色
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// The narration's language [default: the locale's]
    ///
    /// 旁白和帮助的语言 [默认：取自 locale]
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Lang>,
    /// Show the narration, also where only the trace goes somewhere else
    ///
    /// 即使 trace 输出到别处，也显示旁白
    #[arg(long, global = true, overrides_with = "no_narrate")]
    pub narrate: bool,
    /// Leave the narration out
    ///
    /// 不显示旁白
    #[arg(long, global = true, overrides_with = "narrate")]
    pub no_narrate: bool,
    /// Show the steps between the lines of the trace [default: on a terminal]
    ///
    /// 显示 trace 各行之间的每一步 [默认：终端上显示]
    #[arg(long, global = true, overrides_with = "no_explain")]
    pub explain: bool,
    /// Leave the steps out
    ///
    /// 不显示这些步骤
    #[arg(long, global = true, overrides_with = "explain")]
    pub no_explain: bool,
    /// Write the trace and the narration into this file, in order: a handout
    ///
    /// 把 trace 和旁白按顺序写到这个文件里，可作讲义
    #[arg(long, global = true, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// All logs on standard error
    ///
    /// 在标准错误上输出全部日志
    #[arg(short, long, global = true)]
    pub verbose: bool,
}
