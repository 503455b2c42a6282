//! The options on a lesson's run: the cluster, the era, the length and the seed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use informer_lab::lab::{Era, Seed};

use super::super::{completion, values};

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
    /// A file of changes to the cluster while the lesson watches (YAML)
    ///
    /// 课程 watch 期间集群里发生什么（YAML）
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The built-in cluster's pods at the start (YAML)
    ///
    /// 内置集群开始时有哪些 Pod（YAML）
    #[arg(long, value_name = "FILE")]
    pub pods: Option<PathBuf>,
    /// The work of the built-in cluster's kubelet: a file (YAML), or a name such as crash-loop (cluster --help lists the names)
    ///
    /// 内置集群的 kubelet 怎样处理 Pod：一个文件（YAML），或 crash-loop 之类的名字（cluster --help 列出全部）
    #[arg(long, value_name = "NAME|FILE", add = ArgValueCompleter::new(completion::stages))]
    pub stages: Option<PathBuf>,
    /// Serve the built-in cluster at this address for kubectl in another terminal; as with --follow, the run goes on
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
    /// The seed that decides races: a number, or random
    ///
    /// 决定竞态结果的 seed：一个数，或 random
    #[arg(long, value_name = "N", allow_hyphen_values = true, add = ArgValueCandidates::new(completion::seeds))]
    pub seed: Option<Seed>,
}
