//! The options of `cluster`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use informer_lab::cluster::{Admission, Authorization, Controllers, ManagedFields, Pods};
use informer_lab::lab::Era;
use kube_testcluster::Fault;

use super::super::{completion, values};

#[derive(Debug, Args)]
pub struct ClusterCommandArgs {
    /// The address to listen on, without --tls one of this machine only; port 0 takes a free port
    ///
    /// 在哪个地址监听，没有 --tls 时只能是本机地址；端口 0 表示任选一个空闲端口
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = values::address)]
    pub listen: SocketAddr,
    /// Serve HTTPS, and only clients with the client certificate of the kubeconfig, or with a token
    ///
    /// 用 HTTPS 提供服务，只接受有 kubeconfig 里的客户端证书或有 token 的客户端
    #[arg(long)]
    pub tls: bool,
    /// With --tls: more names and addresses for the certificate, by which other machines reach this one; can be repeated
    ///
    /// 配合 --tls：证书里再加上这些域名和地址，供其他机器访问时使用；可以写多次
    #[arg(long, value_name = "NAME", requires = "tls", value_delimiter = ',')]
    pub tls_san: Vec<String>,
    /// With --tls: bearer tokens and their users, as lines of token,user,uid,"group1,group2"
    ///
    /// 配合 --tls：bearer token 及其用户，每行 token,user,uid,"group1,group2"
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub token_auth_file: Option<PathBuf>,
    /// Keep all data in this folder, and continue with its content: no acknowledged write is lost, however the program ends;
    /// kubeconfigs and tokens stay valid after the next start
    ///
    /// 把全部数据保存在这个目录里，下次从中继续：无论怎样结束，已答复的写入都不会丢；kubeconfig 里的凭据和 token 下次启动后仍然有效
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// The file for the kubeconfig, which stays after the end [default: a temporary file, removed at the end]
    ///
    /// 把 kubeconfig 写到哪里，结束后保留 [默认：临时文件，结束时删除]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig_out: Option<PathBuf>,
    /// The era of the API server: modern is today's, classic is that of the tutorials (2023)
    ///
    /// 像哪个时代的 API server：今天的（modern），还是教程当时的（classic，2023 年）
    #[arg(long, value_enum, default_value = "modern", hide_possible_values = true, value_name = "classic|modern")]
    pub era: Era,
    /// The number of nodes [default: 1]
    ///
    /// 有多少个节点 [默认：1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::nodes)]
    pub nodes: Option<usize>,
    /// The number of Events to keep; beyond it, the oldest are removed. kube-apiserver keeps all of the last hour
    ///
    /// 保留多少个 Event，超出时删除最旧的；kube-apiserver 保留最近一小时的全部 Event
    #[arg(long, value_name = "N", default_value_t = 10_000, allow_negative_numbers = true, value_parser = values::events)]
    pub events: usize,
    /// The API server alone, as envtest has it: no nodes, no scheduler, no kubelet, no controllers
    ///
    /// 只有 API server，和 envtest 一样：没有节点、scheduler、kubelet 和 controller
    #[arg(long, conflicts_with_all = ["nodes", "controllers", "admission", "stages"])]
    pub bare: bool,
    /// The controllers that run: all; deletions, those for garbage collection, namespaces and nodes; names such as
    /// deployment,replicaset,job,endpointslice, in addition to deletions; or none, as in an API server alone
    ///
    /// 运行哪些 controller：all 是全部；deletions 是垃圾回收、namespace 和节点的
    /// controller；deployment,replicaset,job,endpointslice 这样的名字是在 deletions 之外再加上这几个工作负载的
    /// controller；none 是一个也没有，像单独的 API server
    #[arg(
        long,
        default_value = "all",
        value_name = "all|deletions|NAME,…|none",
        value_parser = values::controllers,
        add = ArgValueCompleter::new(completion::controllers)
    )]
    pub controllers: Controllers,
    /// The admission of new pods and namespaces: kube adds the same as kube-apiserver by default (priority, tolerations, service
    /// account; the service kubernetes, and the roles that it begins with), plain adds nothing
    ///
    /// 新建 Pod 和 namespace 时补充什么：kube 是 kube-apiserver 默认补充的内容（优先级、toleration、service account，
    /// 名为 kubernetes 的 Service，以及它自带的 role），plain 是什么也不补充
    #[arg(long, value_enum, default_value = "kube", hide_possible_values = true, value_name = "kube|plain")]
    pub admission: Admission,
    /// The authorization of requests: always-allow, or rbac, by roles and their bindings. The kubeconfig's user is the administrator,
    /// and without --tls every client is, because kubectl and client-go send no tokens without TLS; kubectl --as asks as another user
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
    /// The objects with managedFields, which record the owner of each field: applied, those that server-side apply has written, from
    /// then on; all, as in kube-apiserver; or off, none, and server-side apply is refused
    ///
    /// 哪些对象有 managedFields，即字段归谁所有的记录：applied 是用 server-side apply 写过的对象，从那时起才有；all
    /// 是全部对象，像 kube-apiserver 一样；off 是一个也没有，并拒绝 server-side apply
    #[arg(long, value_enum, default_value = "applied", hide_possible_values = true, value_name = "applied|all|off")]
    pub managed_fields: ManagedFields,
    /// The pods at the start: a number of pods that run already, or a file of pods (YAML)
    ///
    /// 开始时有哪些 Pod：一个数，表示有这么多个已在运行的 Pod；或一个文件（YAML）里的 Pod
    #[arg(
        long,
        value_name = "N|FILE",
        allow_hyphen_values = true,
        value_parser = values::pods,
        value_hint = ValueHint::FilePath
    )]
    pub pods: Option<Pods>,
    /// A file of changes to the cluster while it runs (YAML)
    ///
    /// 运行期间集群里发生什么（YAML）
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The life of pods: a file (YAML), or one of run, fast, slow-image, bad-image, crash-loop, completed, error, evicted,
    /// never-ready; the label lab/lifecycle sets it for one pod [default: run]
    ///
    /// Pod 会怎样：一个文件（YAML），或
    /// run、fast、slow-image、bad-image、crash-loop、completed、error、evicted、never-ready 之一；Pod 自己的 label
    /// lab/lifecycle 只对它自己起同样的作用 [默认：run]
    #[arg(long, value_name = "NAME|FILE", add = ArgValueCompleter::new(completion::stages))]
    pub stages: Option<PathBuf>,
    /// A fault from the start on, such as 429:verb=list,times=3 or hide-events:times=2; a wrong name lists all faults; can be repeated
    ///
    /// 一开始就有的故障，例如 429:verb=list,times=3 或 hide-events:times=2；写错名字时会列出全部；可以写多次
    #[arg(
        long = "fault",
        value_name = "FAULT",
        value_parser = values::fault,
        add = ArgValueCandidates::new(completion::faults)
    )]
    pub faults: Vec<Fault>,
    /// Allow clients to start faults at /lab/faults
    ///
    /// 也允许通过 /lab/faults 启动故障
    #[arg(long)]
    pub admin: bool,
    /// A command to run with KUBECONFIG set; the cluster ends with it, and has its exit code
    ///
    /// 设置好 KUBECONFIG 后运行这条命令，随它一起结束，退出码也和它相同
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::AnyPath)]
    pub command: Vec<OsString>,
}
