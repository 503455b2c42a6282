//! The Chinese texts of `--help`. A test in `help.rs` finds options without one.

pub const ABOUT: &str = "运行 client-go 的 informer，从中学习。每一课都通过真正的 Kubernetes 客户端访问本进程内的集群，\n\
                         加 --cluster 则访问你自己的集群。不带子命令时显示从哪里开始";

/// Returns the description of a subcommand, unless it is a lesson's: lessons are described in their catalog.
pub fn about(subcommand: &str) -> Option<&'static str> {
    Some(match subcommand {
        "lessons" => "列出所有课程和每一步，以及教程中的对应命令",
        "tour" => "依次运行每一课，每课之后停一下",
        "step" => "一次一个事件地看一次运行，可前可后",
        "board" => "在浏览器里看一次运行怎样进行：某一课，或一个记录",
        "replay" => "把录制的运行再打印一遍",
        "eras" => "同一课在两个时代各运行一次，并排比较，说明差别和原因",
        "read" => "阅读书中的一章；不写名字时列出各章",
        "cluster" => "内置集群，供本机的 kubectl 和其他程序使用",
        "envtest" => "给 KUBEBUILDER_ASSETS 用的目录：由本程序代替 kube-apiserver 和 etcd",
        "break" => "十个有错的程序等你来修：列出它们，或说明其中一个出了什么问题",
        "check" => "修好了吗？编译并判断（在仓库的克隆里执行）",
        "doctor" => "检查终端、语言、kubeconfig 和集群是否可用",
        "completions" => {
            "输出某种 shell 的补全脚本，例如 informer-lab completions bash >/etc/bash_completion.d/informer-lab"
        }
        "man" => "生成 man 手册页，每个子命令一页",
        "help" => "显示帮助",
        _ => return None,
    })
}

/// Returns the description of a subcommand's option or argument, by clap's id of the argument.
pub fn option(subcommand: &str, id: &str) -> Option<&'static str> {
    Some(match id {
        "stages" if subcommand == "cluster" => {
            "kubelet 怎样处理 Pod：一个 YAML 文件，或 run、fast、slow-image、bad-image、crash-loop、completed、error、evicted、never-ready 之一；Pod 自己的标签 lab/lifecycle 只对它自己起同样的作用（默认：run）"
        }
        "listen" if subcommand == "cluster" => {
            "在哪个地址监听，没有 --tls 时只能是本机地址；端口 0 表示任选一个空闲端口"
        }
        "era" if subcommand == "cluster" => "像哪个时候的 API server：今天的，还是教程当时的（2023 年）",
        "chapter" => "章的名字或编号，或者它讲的那一课，例如 reflector、04",
        "step" => "教程的哪一步",
        "known-objects" => "给 DeltaFIFO 一个 Store 作为 known objects，这样才能得到 Deleted",
        "by" => "按什么建立索引",
        "serve" => "在这个地址用 HTTP 回答查询（不写地址时用该课的默认端口）",
        "act" => "只运行其中一幕",
        "cluster" => "watch 真实的集群：kubeconfig 的当前 context，或者本 Pod 所在的集群",
        "kubeconfig" => "使用这个 kubeconfig 里的集群",
        "context" => "使用 kubeconfig 里的这个 context",
        "namespace" => "watch 哪个 namespace",
        "scenario" => "运行期间集群里发生什么（YAML）",
        "pods" => "集群开始时有哪些 Pod：一个 YAML 文件；cluster 命令还可以写数量",
        "stages" => "kubelet 怎样处理 Pod：一个 YAML 文件，或 crash-loop 之类的名字（见 cluster --help）",
        "listen" => "在这个本机地址监听，供另一个终端里的 kubectl 使用；端口 0 表示任选一个空闲端口",
        "server" => "只设置内置集群的时代：watch cache 无序，或按 key 排序并支持 streaming list",
        "era" => "同时设置集群和客户端的时代：classic 是教程当时的，modern 是今天的",
        "client" => "只设置客户端的时代：DeltaFIFO 加 LIST，或 RealFIFO 加 streaming list；也可以和 --cluster 一起用",
        "follow" => "一直 watch，直到 Ctrl-C（真实时间）；用 --cluster 时默认如此",
        "limit" => "多久之后结束，例如 30s 或 1m30s",
        "seed" => "决定竞态的结果的 seed：一个数，或 random",
        "speed" => "输出的速度：1 是教程的速度，2 快一倍，max 不停顿（终端上默认 1，否则 max）",
        "output" => "标准输出里写什么",
        "color" => "什么时候使用颜色",
        "lang" => "旁白和帮助的语言（默认取自 locale）",
        "record" => "把这次运行录制到文件里，供 replay 和 step 使用；文件格式见 docs/record.md",
        "narrate" => "总是显示旁白，即使只有 trace 输出到别处",
        "no_narrate" => "不显示旁白",
        "explain" => "显示 trace 各行之间的每一步（终端上默认显示）",
        "no_explain" => "不显示这些步骤",
        "transcript" => "把 trace 和旁白按顺序写到这个文件里，可作讲义",
        "predict" => "在关键事件之前先问你接下来会发生什么",
        "board_words" => "课程和它的选项，例如 reflector --known-objects；或者用 --record 写的文件",
        "beside" => "旁边再显示一次运行：一个参数，例如 'reflector --known-objects'，或一个文件",
        "out" => "把页面写到这个文件里，不提供服务；文件名以 .ndjson 结尾时只写记录，其中含有问题",
        "at" => "浏览器用哪个本机地址打开；端口 0 表示任选一个空闲端口",
        "steps" => "课程和它的选项，例如 reflector --known-objects；或者用 --record 写的文件",
        "file" => "某一课用 --record 写的文件",
        "verbose" => "在标准错误上输出全部日志",
        "help" => "显示帮助",
        "version" => "显示版本",
        "stop" => "从第几站开始",
        "all" => "也包括教程之外的课程；有停顿时总是包括",
        "exercise" => "哪一个：名字或编号（check 默认：第一个还没修好的）",
        "hint" => "提示；写两次就再给一条",
        "solution" => "显示答案（你的程序修好之后）",
        "anyway" => "还没修好也显示答案",
        "reset" => "清空进度",
        "words" => "课程和它的选项，例如：reflector --known-objects",
        "shell" => "哪种 shell",
        "folder" => "写到哪个目录（默认：把第一页写到标准输出）",
        "kubeconfig_out" => "把 kubeconfig 写到哪里，结束后保留（默认：临时文件，结束时删除）",
        "nodes" => "有多少个节点",
        "tls" => "用 HTTPS 提供服务，只接受 kubeconfig 里的客户端证书或 token",
        "tls_san" => "配合 --tls：证书里再加上这些域名和地址，供其他机器访问时使用；可以重复",
        "token_auth_file" => "配合 --tls：bearer token 及其用户，每行 token,user,uid,\"group1,group2\"",
        "data" => {
            "把全部数据保存在这个目录里，下次从中继续：无论程序怎样结束，已答复的写入都不会丢；kubeconfig 和 token 下次启动后仍然有效"
        }
        "events" => "最多保留多少个 Event，超出时删除最旧的；kube-apiserver 保留最近一小时的全部 Event",
        "bare" => "只有 API server，和 envtest 一样：没有节点、调度器、kubelet 和控制器",
        "controllers" => {
            "运行哪些控制器：all 是全部，deletions 是垃圾回收、namespace 和节点的控制器，deployment,replicaset,job,endpointslice 这样的名字是再加上这几个控制器，none 是一个也没有，像单独的 API server"
        }
        "admission" => {
            "新建 Pod 和 namespace 时补充什么：kube 是 kube-apiserver 默认补充的内容（优先级、容忍度、服务账号，kubernetes 服务，以及它自带的角色），plain 是什么也不补充"
        }
        "authorization" => {
            "谁可以做什么：always-allow 是允许一切，rbac 按 Role 和 Binding 判断。kubeconfig 的用户是管理员，没有 --tls 时所有请求都来自管理员（不用 TLS 时，kubectl 和 client-go 不会发送 token）；用 kubectl --as 以其他用户的身份请求"
        }
        "managed_fields" => {
            "哪些对象在 managedFields 里记录字段归谁所有：applied 是从第一次服务端 apply 起的对象，all 是全部对象，像 kube-apiserver 一样，off 是一个也不记录，并拒绝服务端 apply"
        }
        "faults" => {
            "一开始就有的故障，例如 429:verb=list,times=3 或 hide-events:times=2；写错名字时会列出全部；可以写多次"
        }
        "admin" => "允许通过 /lab/faults 启动故障",
        "command" => "设置好 KUBECONFIG 后运行这条命令，并以它的退出码结束",
        _ => return None,
    })
}

pub const COMMANDS: &str = "命令";

/// Our own headings.
pub const HEADINGS: [&str; 5] = [COMMANDS, "集群", "时代", "运行", "输出"];

/// clap's headings for arguments and options without a heading of ours, in English and Chinese.
pub const HEADINGS_OF_CLAP: [(&str, &str); 2] = [("Arguments", "参数"), ("Options", "选项")];

pub fn heading(english: &str) -> &'static str {
    match english {
        "Cluster" => "集群",
        "Era" => "时代",
        "Run" => "运行",
        _ => "输出",
    }
}
