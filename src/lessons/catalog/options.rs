//! The options of the lessons' subcommands as data. `src/cli/lessons.rs` makes clap's arguments from them.

use crate::trace::Both;

/// The options of a lesson's subcommand.
#[derive(Debug)]
pub struct Options {
    /// The options that many lessons share.
    pub common: CommonOptions,
    /// The option that chooses one of the lesson's rows; `None` if there is one row.
    pub choice: Option<Choice>,
    /// The option `--serve`; `None` if no run can be a server.
    pub serve: Option<Serve>,
}

/// The options that many lessons share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonOptions {
    /// The options on the output, for a lesson that is the same in both eras and cannot watch the user's own cluster.
    Print,
    /// The options on the output and the client's era, for a lesson that makes its own objects.
    Client,
    /// The options on the output, the eras, the cluster and the run, for a lesson that watches a cluster.
    Watch,
}

/// The option that chooses one of a lesson's rows.
#[derive(Debug)]
pub struct Choice {
    /// The option without its hyphens.
    pub name: &'static str,
    /// Its line in the lesson's help.
    pub help: Both,
    /// Its values.
    pub values: Values,
}

/// The values of the option that chooses a row.
#[derive(Debug)]
pub enum Values {
    /// No value: the option is a flag, such as `--known-objects`, which chooses the lesson's other row.
    Flag,
    /// One of several values, such as `--step list`.
    OneOf {
        /// The placeholder for a value in the help.
        name: &'static str,
        /// The value of the lesson's main row; `None` if that row is chosen by leaving the option out.
        usual: Option<&'static str>,
        /// Each value with its line in the help.
        all: &'static [(&'static str, Both)],
    },
}

/// The option `--serve` of a lesson.
#[derive(Debug)]
pub struct Serve {
    /// Its line in the lesson's help.
    pub help: Both,
    /// The address if the user names none.
    pub address: &'static str,
    /// The only value of the [`Choice`] that may be combined with `--serve`; `None` if the two options exclude each
    /// other.
    pub allows: Option<&'static str>,
}

const fn both(en: &'static str, zh: &'static str) -> Both {
    Both { en, zh }
}

impl Options {
    const fn new(common: CommonOptions) -> Self {
        Self { common, choice: None, serve: None }
    }

    const fn choice(self, name: &'static str, help: Both, values: Values) -> Self {
        Self { choice: Some(Choice { name, help, values }), ..self }
    }
}

pub(super) static PRINT: Options = Options::new(CommonOptions::Print);
pub(super) static CLIENT: Options = Options::new(CommonOptions::Client);
pub(super) static WATCH: Options = Options::new(CommonOptions::Watch);

pub(super) static DELTAFIFO: Options = Options::new(CommonOptions::Client).choice(
    "step",
    both("Run this step of the tutorial", "教程的哪一步"),
    Values::OneOf {
        name: "STEP",
        usual: Some("values"),
        all: &[
            (
                "values",
                both(
                    "The first key's deltas with their values, and a callback for each",
                    "第一个 key 的各个 delta 和它们的值，每个 delta 一次回调",
                ),
            ),
            ("list", both("The content of the queue after three additions", "加入三个对象之后，队列里有什么")),
            ("pop", both("Pop one key", "取出一个 key")),
            ("events", both("Pop a key that was added, updated and deleted", "取出一个先后被添加、更新和删除的 key")),
            ("callbacks", both("The same with a callback for each delta", "同上，每个 delta 一次回调")),
        ],
    },
);

pub(super) static REFLECTOR: Options = Options::new(CommonOptions::Watch).choice(
    "known-objects",
    both(
        "Give the DeltaFIFO a Store as known objects, so that Deleted comes out",
        "给 DeltaFIFO 一个 Store 作为 known objects，这样才能得到 Deleted",
    ),
    Values::Flag,
);

pub(super) static INDEXER: Options = Options {
    serve: Some(Serve {
        help: both(
            "Keep the index up to date from a cluster and answer GET /?app=VALUE with its keys [default address: 127.0.0.1:8080]",
            "让索引与集群保持一致，并用索引里的 key 回答 GET /?app=VALUE [默认地址：127.0.0.1:8080]",
        ),
        address: "127.0.0.1:8080",
        allows: Some("label"),
    }),
    ..Options::new(CommonOptions::Watch).choice(
        "by",
        both("Index pods by this value", "按什么为 Pod 建立索引"),
        Values::OneOf {
            name: "BY",
            usual: Some("label"),
            all: &[
                ("label", both("The value of the label `app`", "label `app` 的值")),
                ("namespace", both("The namespace", "所在的 namespace")),
                (
                    "misnamed",
                    both("The label, in an index with the name `namespace`", "按 label，但索引的名字是 `namespace`"),
                ),
            ],
        },
    )
};

pub(super) static SHARED: Options = Options::new(CommonOptions::Watch).choice(
    "step",
    both("Run this stage of the shared informer", "shared informer 组装到什么程度"),
    Values::OneOf {
        name: "STEP",
        usual: Some("simulate"),
        all: &[
            (
                "simulate",
                both(
                    "A sharedProcessor with two handlers, a pod a second for each",
                    "一个 sharedProcessor 和两个 handler，每个 handler 每秒收到一个 Pod",
                ),
            ),
            ("listener", both("One processorListener, a pod a second", "一个 processorListener，每秒一个 Pod")),
            (
                "slow-listener",
                both(
                    "A processorListener whose handler is slower than the pods arrive",
                    "一个 processorListener，handler 处理得比 Pod 到来得慢",
                ),
            ),
            ("stages", both("The two stages of a processorListener, by hand", "手写 processorListener 的两个阶段")),
            (
                "list-watch",
                both("Two handlers that share one list and one watch", "在 list 和 watch 之上的两个 handler"),
            ),
            ("by-hand", both("The same, put together by hand", "同上，手工组装")),
            (
                "as-published",
                both(
                    "The same with the mistake of a published listing, and a pod that changes",
                    "同上，但带着一份公开代码里的错误，而且有一个 Pod 发生变化",
                ),
            ),
        ],
    },
);

pub(super) static LIST: Options = Options::new(CommonOptions::Watch).choice(
    "lag",
    both(
        "Send some of the lists while the watch cache does not have the newest pod",
        "在 watch cache 还没有最新的 Pod 时，发送其中的一部分 list",
    ),
    Values::Flag,
);

pub(super) static FACTORY: Options = Options {
    serve: Some(Serve {
        help: both(
            "Answer GET / with the indexer's list as JSON [default address: 127.0.0.1:4000]",
            "用 indexer 的列表（JSON）回答 GET / [默认地址：127.0.0.1:4000]",
        ),
        address: "127.0.0.1:4000",
        allows: None,
    }),
    ..Options::new(CommonOptions::Watch).choice(
        "step",
        both("Make the informers in this way", "由谁创建 informer"),
        Values::OneOf {
            name: "STEP",
            usual: Some("library"),
            all: &[
                ("library", both("The library's SharedInformerFactory", "库里的 SharedInformerFactory")),
                (
                    "by-hand",
                    both(
                        "The tutorials' own factory: a map from types to informers",
                        "教程自己写的 factory：从类型到 informer 的 map",
                    ),
                ),
                (
                    "apart",
                    both(
                        "No factory: an informer for each user, and twice the requests",
                        "没有 factory：每个使用者各有一个 informer，请求也就多一倍",
                    ),
                ),
            ],
        },
    )
};

pub(super) static WORKQUEUE: Options = Options::new(CommonOptions::Print).choice(
    "act",
    both("Run one act instead of all three", "只运行三幕中的一幕"),
    Values::OneOf {
        name: "ACT",
        usual: None,
        all: &[
            (
                "dedupe",
                both(
                    "Interface: an item is queued once, and processed by one worker at a time",
                    "Interface：一个 item 只排队一次，同一时间只由一个 worker 处理",
                ),
            ),
            ("delay", both("DelayingInterface: an item is added later", "DelayingInterface：过一会儿再加入 item")),
            (
                "rate-limit",
                both(
                    "RateLimitingInterface: a failed item waits longer each time",
                    "RateLimitingInterface：失败的 item 每次等得更久",
                ),
            ),
        ],
    },
);
