//! The options of `cluster`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use informer_lab::cluster::{Admission, Authorization, Controllers, ManagedFields, Pods, Scheduler};
use informer_lab::lab::Era;
use kube_testcluster::Fault;

use super::super::{completion, values};

#[derive(Debug, Args)]
pub struct ClusterCommandArgs {
    /// Listen at this address. Without --tls, only loopback addresses are allowed. Port 0 picks a free port
    ///
    /// 在这个地址监听；没有 --tls 时只能是本机地址；端口 0 表示任选一个空闲端口
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = values::address)]
    pub listen: SocketAddr,
    /// Serve HTTPS. A client must present the kubeconfig's client certificate, or a token
    ///
    /// 用 HTTPS 提供服务：客户端必须出示 kubeconfig 里的客户端证书，或带上 token
    #[arg(long)]
    pub tls: bool,
    /// With --tls, add a host name or an address to the server's certificate, for access from other machines. Can be
    /// repeated
    ///
    /// 配合 --tls：在服务器证书里加上这个域名或地址，供其他机器访问时使用；可以写多次
    #[arg(long, value_name = "NAME", requires = "tls", value_delimiter = ',')]
    pub tls_san: Vec<String>,
    /// With --tls, read tokens and their users from this file. Each line has the form token,user,uid,"group1,group2"
    ///
    /// 配合 --tls：从这个文件读取 token 及其用户，每行一个：token,user,uid,"group1,group2"
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub token_auth_file: Option<PathBuf>,
    /// Store all data in this folder, and reuse it at the next start. No acknowledged write is lost, even after
    /// kill -9. Kubeconfigs and tokens stay valid
    ///
    /// 把全部数据保存在这个目录里，下次启动时接着用；无论程序怎样结束，已返回响应的写入都不会丢；kubeconfig 里的凭据和
    /// token 仍然有效
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Write the kubeconfig to this file, and keep it when the cluster stops [default: a temporary file, removed at the end]
    ///
    /// 把 kubeconfig 写到这个文件里，结束后保留 [默认：临时文件，结束时删除]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig_out: Option<PathBuf>,
    /// Behave like today's API server (modern), or like one of the tutorials' time, 2023 (classic)
    ///
    /// 模拟哪个时代的 API server：今天的（modern），还是教程写作时的（classic，2023 年）
    #[arg(long, value_enum, default_value = "modern", hide_possible_values = true, value_name = "classic|modern")]
    pub era: Era,
    /// Start with this many nodes [default: 1]
    ///
    /// 启动时的节点数 [默认：1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::nodes)]
    pub nodes: Option<usize>,
    /// Let the nodes renew their Leases every 10 seconds and report their status every 5 minutes, as real kubelets do
    ///
    /// 让节点像真正的 kubelet 一样，每 10 秒续约一次 Lease，每 5 分钟上报一次状态
    #[arg(long)]
    pub heartbeats: bool,
    /// Keep the newest N Events, each for an hour. kube-apiserver keeps all Events of the last hour
    ///
    /// 最多保留 N 个 Event，各保留一小时，超出时删除最旧的；kube-apiserver 保留最近一小时的全部 Event
    #[arg(long, value_name = "N", default_value_t = 10_000, allow_negative_numbers = true, value_parser = values::events)]
    pub events: usize,
    /// Start only the API server, as envtest does: no nodes, scheduler, kubelet or controllers
    ///
    /// 只启动 API server，和 envtest 一样：没有节点、调度器、kubelet 和控制器
    #[arg(
        long,
        conflicts_with_all = ["nodes", "heartbeats", "controllers", "scheduler", "admission", "stages", "node_template"]
    )]
    pub bare: bool,
    /// Choose the controllers. all: every controller; housekeeping: only those of garbage collection, namespaces, service
    /// accounts, aggregated roles and nodes; NAME,…: housekeeping and the named controllers, such as
    /// deployment,replicaset,job,endpointslice; none: no controllers, as in an API server alone
    ///
    /// 运行哪些控制器。all：全部；housekeeping：只有垃圾回收、namespace、service account、聚合的 ClusterRole
    /// 和节点的控制器；NAME,…：在 housekeeping 之外再加上这几个控制器，例如
    /// deployment,replicaset,job,endpointslice；none：一个也不运行，像单独的 API server
    #[arg(
        long,
        default_value = "all",
        value_name = "all|housekeeping|NAME,…|none",
        value_parser = values::controllers,
        add = ArgValueCompleter::new(completion::controllers)
    )]
    pub controllers: Controllers,
    /// simulated: bind pods to nodes as kube-scheduler does; none: leave pods to another scheduler. With --controllers
    /// none --tls, the real kube-scheduler and kube-controller-manager can run on this cluster
    ///
    /// simulated：像 kube-scheduler 一样把 Pod 绑定到节点；none：把 Pod 留给别的调度器。加上 --controllers none --tls，
    /// 真正的 kube-scheduler 和 kube-controller-manager 就可以在这个集群上运行
    #[arg(long, value_enum, default_value = "simulated", hide_possible_values = true, value_name = "simulated|none")]
    pub scheduler: Scheduler,
    /// kube: run the admission plugins that kube-apiserver runs by default, which add fields (priority, tolerations,
    /// service account, …) and refuse objects (Pod Security, limit ranges, …); plain: add and refuse nothing
    ///
    /// kube：运行 kube-apiserver 默认的准入插件，它们补充字段（优先级、容忍度、服务账号……），也会拒绝对象（Pod
    /// Security、LimitRange……）；plain：既不补充也不拒绝
    #[arg(long, value_enum, default_value = "kube", hide_possible_values = true, value_name = "kube|plain")]
    pub admission: Admission,
    /// Allow every request (always-allow), or decide by roles and bindings (rbac). With --tls, the kubeconfig's user is
    /// the administrator. Without --tls, a client without a token is the administrator with rbac, and system:anonymous
    /// with always-allow. kubectl and client-go send tokens over TLS only. Use kubectl --as to send a request as another
    /// user
    ///
    /// 允许一切请求（always-allow），或者按 role 和 role binding 判断（rbac）。有 --tls 时，kubeconfig 的用户是管理员；没有
    /// --tls 时，不带 token 的客户端在 rbac 下是管理员，在 always-allow 下是 system:anonymous，而 kubectl 和 client-go
    /// 只在 TLS 上发送 token。用 kubectl --as 以其他用户的身份请求
    #[arg(
        long,
        value_enum,
        default_value = "always-allow",
        hide_possible_values = true,
        value_name = "always-allow|rbac"
    )]
    pub authorization: Authorization,
    /// Record the owners of fields in managedFields. applied: for an object from its first server-side apply on; all:
    /// for every object, as in kube-apiserver; off: for no object, and server-side apply is refused
    ///
    /// 在 managedFields 里记录字段归谁所有。applied：用 server-side apply 写过的对象（从第一次 apply 起记录）；all：
    /// 全部对象，像 kube-apiserver 一样；off：都不记录，并拒绝 server-side apply
    #[arg(long, value_enum, default_value = "applied", hide_possible_values = true, value_name = "applied|all|off")]
    pub managed_fields: ManagedFields,
    /// Copy labels, annotations, taints and resources from the Nodes in this YAML file. There is one node for each Node
    /// in the file; with --nodes N, there are N nodes, which use the Nodes in turn. Their names stay node-1, node-2 and so
    /// on
    ///
    /// 让节点带上这个文件（YAML）里 Node 的标签、污点和资源：每个 Node 一个节点，或按 --nodes 的数目轮流使用。名字仍是
    /// node-1、node-2……
    #[arg(long, value_name = "FILE")]
    pub node_template: Option<PathBuf>,
    /// Create the objects of this YAML file, of all YAML files in this folder, in order, or of standard input (-). Can
    /// be repeated
    ///
    /// 启动时按顺序创建这个文件（YAML）、这个目录里全部 YAML 文件或标准输入（-）中的对象；可以写多次
    #[arg(long, value_name = "FILE|DIR|-", value_hint = ValueHint::AnyPath)]
    pub manifests: Vec<PathBuf>,
    /// Start with N running pods, or with the pods of a YAML file
    ///
    /// 启动时已有 N 个运行中的 Pod，或一个文件（YAML）里的 Pod
    #[arg(
        long,
        value_name = "N|FILE",
        allow_hyphen_values = true,
        value_parser = values::pods,
        value_hint = ValueHint::FilePath
    )]
    pub pods: Option<Pods>,
    /// Perform the steps of this scenario, a YAML file, in the cluster
    ///
    /// 在集群里执行这个场景文件（YAML）中的步骤
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Set the lifecycle of pods: a YAML file, or one of run, fast, slow-image, bad-image, crash-loop, completed,
    /// error, evicted, never-ready. The label lab/lifecycle sets it for a single pod [default: run]
    ///
    /// Pod 会经历怎样的过程：写一个文件（YAML），或 run、fast、slow-image、bad-image、crash-loop、completed、error、
    /// evicted、never-ready 之一；也可以用 label lab/lifecycle 单独指定某个 Pod [默认：run]
    #[arg(long, value_name = "NAME|FILE", add = ArgValueCompleter::new(completion::stages))]
    pub stages: Option<PathBuf>,
    /// Start with this fault, such as 429:verb=list,times=3 or hide-events:times=2. An unknown name prints the list of
    /// faults. Can be repeated
    ///
    /// 启动时带上这个故障，例如 429:verb=list,times=3 或 hide-events:times=2；写错名字时会列出全部；可以写多次
    #[arg(
        long = "fault",
        value_name = "FAULT",
        value_parser = values::fault,
        add = ArgValueCandidates::new(completion::faults)
    )]
    pub faults: Vec<Fault>,
    /// Let clients start faults at /lab/faults
    ///
    /// 允许客户端通过 /lab/faults 注入故障
    #[arg(long)]
    pub admin: bool,
    /// Run this command with KUBECONFIG set. When it ends, stop the cluster and return its exit code
    ///
    /// 设好 KUBECONFIG 后运行这条命令；命令结束时停止集群，并以它的退出码退出
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::AnyPath)]
    pub command: Vec<OsString>,
}
