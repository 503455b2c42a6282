//! The options of the lessons' subcommands as data. `src/cli/lessons.rs` makes clap's arguments from them.

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
    pub help: &'static str,
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
        all: &'static [(&'static str, &'static str)],
    },
}

/// The option `--serve` of a lesson.
#[derive(Debug)]
pub struct Serve {
    /// Its line in the lesson's help.
    pub help: &'static str,
    /// The address if the user names none.
    pub address: &'static str,
    /// The only value of the [`Choice`] that may be combined with `--serve`; `None` if the two options exclude each
    /// other.
    pub allows: Option<&'static str>,
}

impl Options {
    const fn new(common: CommonOptions) -> Self {
        Self { common, choice: None, serve: None }
    }

    const fn choice(self, name: &'static str, help: &'static str, values: Values) -> Self {
        Self { choice: Some(Choice { name, help, values }), ..self }
    }
}

pub(super) static PRINT: Options = Options::new(CommonOptions::Print);
pub(super) static CLIENT: Options = Options::new(CommonOptions::Client);
pub(super) static WATCH: Options = Options::new(CommonOptions::Watch);

pub(super) static DELTAFIFO: Options = Options::new(CommonOptions::Client).choice(
    "step",
    "The tutorial's step",
    Values::OneOf {
        name: "STEP",
        usual: Some("values"),
        all: &[
            ("values", "The first key's deltas with their values, and a callback for each"),
            ("list", "What the queue holds after three additions"),
            ("pop", "Pop one key"),
            ("events", "Pop a key that was added, updated and deleted"),
            ("callbacks", "The same with a callback for each delta"),
        ],
    },
);

pub(super) static REFLECTOR: Options = Options::new(CommonOptions::Watch).choice(
    "known-objects",
    "Give the DeltaFIFO a Store as known objects, so that Deleted comes out",
    Values::Flag,
);

pub(super) static INDEXER: Options = Options {
    serve: Some(Serve {
        help: "Keep the index up to date from a cluster and answer GET /?app=VALUE with its keys [default address: 127.0.0.1:8080]",
        address: "127.0.0.1:8080",
        allows: Some("label"),
    }),
    ..Options::new(CommonOptions::Watch).choice(
        "by",
        "What the pods are indexed by",
        Values::OneOf {
            name: "BY",
            usual: Some("label"),
            all: &[("label", "The value of the label `app`"), ("namespace", "The namespace")],
        },
    )
};

pub(super) static SHARED: Options = Options::new(CommonOptions::Watch).choice(
    "step",
    "How much of the shared informer is put together",
    Values::OneOf {
        name: "STEP",
        usual: Some("simulate"),
        all: &[
            ("simulate", "A sharedProcessor with two handlers, a pod a second for each"),
            ("listener", "One processorListener, a pod a second"),
            ("slow-listener", "A processorListener with a handler that is slower than the pods come"),
            ("stages", "The two stages of a processorListener, by hand"),
            ("list-watch", "Two handlers over list and watch"),
            ("by-hand", "The same, put together by hand"),
        ],
    },
);

pub(super) static FACTORY: Options = Options {
    serve: Some(Serve {
        help: "Answer GET / with the indexer's list as JSON [default address: 127.0.0.1:4000]",
        address: "127.0.0.1:4000",
        allows: None,
    }),
    ..Options::new(CommonOptions::Watch).choice(
        "step",
        "Who makes the informers",
        Values::OneOf {
            name: "STEP",
            usual: Some("library"),
            all: &[
                ("library", "The library's SharedInformerFactory"),
                ("by-hand", "The tutorials' own factory: a map from types to informers"),
                ("apart", "No factory: an informer for each that asks, and twice the requests"),
            ],
        },
    )
};

pub(super) static WORKQUEUE: Options = Options::new(CommonOptions::Print).choice(
    "act",
    "One act instead of all three",
    Values::OneOf {
        name: "ACT",
        usual: None,
        all: &[
            ("dedupe", "Interface: an item is queued once, and is with one worker at a time"),
            ("delay", "DelayingInterface: an item is added later"),
            ("rate-limit", "RateLimitingInterface: a failed item waits longer each time"),
        ],
    },
);
