//! clap's types for the command line: each doc comment is a text that `--help` shows. The lessons' subcommands are in
//! `lessons.rs`, because they are made from the catalog.

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
    Lessons,
    /// Every lesson in turn, with a pause after each
    Tour(TourArgs),
    /// A lesson in both eras, side by side, with what differs and why
    Eras(ErasArgs),
    /// A chapter of the book; without a name, the list of chapters
    Read(ReadArgs),
    /// A run one event at a time, forward and back: of a lesson, or of a record
    Step(StepArgs),
    /// A run that moves, in a browser: of a lesson, or of a record
    Board(BoardArgs),
    /// Print a recorded run again
    Replay(ReplayArgs),
    /// The built-in cluster, for kubectl and other programs on this machine
    Cluster(ClusterCommandArgs),
    /// A folder for KUBEBUILDER_ASSETS: this program in the place of kube-apiserver and etcd
    Envtest,
    /// Ten broken programs to mend: the list, or what is wrong with one of them
    Break(BreakArgs),
    /// Is a broken program mended? Compiles and judges it, in a clone of the repository
    Check(CheckArgs),
    /// Whether the terminal, the language, the kubeconfig and the cluster will do
    Doctor(DoctorArgs),
    /// The completions of a shell: informer-lab completions bash >/etc/bash_completion.d/informer-lab
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual pages, one for each subcommand
    Man {
        /// Where to write them [default: standard output, the first page only]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct TourArgs {
    /// The stop to begin with
    #[arg(value_parser = values::stop)]
    pub stop: Option<usize>,
    /// Also the lessons beyond the tutorials; with pauses, they are always there
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The cluster of this kubeconfig
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The cluster of this kubeconfig context
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace that will be watched
    #[arg(short, long, value_name = "NAME", default_value = "default", value_parser = values::namespace)]
    pub namespace: String,
}

#[derive(Debug, Args)]
pub struct ErasArgs {
    /// The lesson, with its options, such as: reflector --known-objects
    #[arg(value_name = "LESSON", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The chapter's name or number, or a lesson that it is about, such as: reflector, 04
    #[arg(value_name = "CHAPTER")]
    pub chapter: Option<String>,
}

#[derive(Debug, Args)]
pub struct StepArgs {
    /// Ask before decisive events what will come
    #[arg(long)]
    pub predict: bool,
    /// A lesson with its options, such as: reflector --known-objects; or a file that was written with --record
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
    #[arg(long)]
    pub predict: bool,
    /// Show another run beside it: one argument, such as 'reflector --known-objects', or a file
    #[arg(long, value_name = "LESSON|FILE")]
    pub beside: Option<OsString>,
    /// Write the page into this file, and serve nothing; the record alone, with its questions, if the name ends in .ndjson
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where a browser finds it, on this machine only; port 0 takes a free one [default: 127.0.0.1:0]
    #[arg(long, value_name = "ADDR", value_parser = values::loopback)]
    pub at: Option<SocketAddr>,
    /// A lesson with its options, such as: reflector --known-objects; or a file that was written with --record
    #[arg(id = "board_words", value_name = "LESSON|FILE", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// What a lesson wrote with --record
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct ClusterCommandArgs {
    /// Where to listen, without --tls on this machine only; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = values::address)]
    pub listen: SocketAddr,
    /// Serve HTTPS, and only clients with the client certificate of the kubeconfig, or with a token
    #[arg(long)]
    pub tls: bool,
    /// With --tls, more names and addresses for the certificate: those by which other machines reach this one; may be given again
    #[arg(long, value_name = "NAME", requires = "tls", value_delimiter = ',')]
    pub tls_san: Vec<String>,
    /// With --tls, bearer tokens and their users: lines of token,user,uid,"group1,group2"
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub token_auth_file: Option<PathBuf>,
    /// Keep everything in this folder, and go on with what is in it: nothing that was answered is lost, whatever ends the program;
    /// kubeconfigs and tokens hold after the next start
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Where to write the kubeconfig; it stays [default: a temporary file, removed at the end]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig_out: Option<PathBuf>,
    /// Which API server it is like: today's, or one of the tutorials' time (2023)
    #[arg(long, value_enum, default_value = "modern", hide_possible_values = true, value_name = "classic|modern")]
    pub era: Era,
    /// How many nodes it has
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = values::nodes)]
    pub nodes: usize,
    /// How many Events are kept; of more, the oldest are removed. kube-apiserver keeps all of the last hour
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub events: usize,
    /// The API server alone, as envtest has it: no nodes, no scheduler, no kubelet, no controllers
    #[arg(long, conflicts_with_all = ["nodes", "controllers", "admission", "stages"])]
    pub bare: bool,
    /// Which controllers run in it: all, those of garbage, namespaces and nodes (deletions), these and some of workloads
    /// (such as deployment,replicaset,job,endpointslice), or none, as in an API server alone
    #[arg(long, default_value = "all", value_name = "all|deletions|NAME,…|none", value_parser = values::controllers)]
    pub controllers: Controllers,
    /// What is added to new pods and namespaces: what kube-apiserver adds by default (priority, tolerations, service account;
    /// the service kubernetes, the roles that it begins with), or nothing
    #[arg(long, value_enum, default_value = "kube", hide_possible_values = true, value_name = "kube|plain")]
    pub admission: Admission,
    /// Who may do what: always-allow, or by roles and their bindings (rbac). The kubeconfig, and without --tls every client, is the
    /// administrator, since kubectl and client-go send no tokens without TLS; kubectl --as asks as another user
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
    #[arg(long, value_enum, default_value = "applied", hide_possible_values = true, value_name = "applied|all|off")]
    pub managed_fields: ManagedFields,
    /// The pods at the start: so many that run already, or those of a file (YAML)
    #[arg(long, value_name = "N|FILE", allow_hyphen_values = true, value_parser = values::pods)]
    pub pods: Option<Pods>,
    /// What happens in it (YAML)
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// What becomes of pods: a file (YAML), or one of run, fast, slow-image, bad-image, crash-loop, completed, error, evicted,
    /// never-ready; a pod's own label lab/lifecycle says the same for one pod [default: run]
    #[arg(long, value_name = "NAME|FILE")]
    pub stages: Option<PathBuf>,
    /// What goes wrong from the start, such as 429:verb=list,times=3 or hide-events:times=2; a wrong name lists them all; may be given again
    #[arg(long = "fault", value_name = "FAULT", value_parser = values::fault)]
    pub faults: Vec<Fault>,
    /// Let faults be started at /lab/faults too
    #[arg(long)]
    pub admin: bool,
    /// Run this with KUBECONFIG set, and end with it and its exit code
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

// Groups of options have no doc comments, because clap would show them as the lesson's description.

// The options that choose the cluster and its content.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct SourceArgs {
    /// Watch a real cluster: the kubeconfig's current context, or the one that this pod runs in
    #[arg(long)]
    pub cluster: bool,
    /// Watch the cluster of this kubeconfig
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Watch the cluster of this kubeconfig context
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace to watch [default: default]
    #[arg(short, long, value_name = "NAME", value_parser = values::namespace)]
    pub namespace: Option<String>,
    /// What happens while the lesson watches (YAML)
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The built-in cluster's pods at the start (YAML)
    #[arg(long, value_name = "FILE")]
    pub pods: Option<PathBuf>,
    /// What the built-in cluster's kubelet does: a file (YAML), or a name such as crash-loop (cluster --help has them all)
    #[arg(long, value_name = "NAME|FILE")]
    pub stages: Option<PathBuf>,
    /// Let kubectl in another terminal drive the built-in cluster, at this address; as --follow does, the run goes on
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0", value_parser = values::loopback)]
    pub listen: Option<SocketAddr>,
    /// The era of the built-in cluster alone: an unordered watch cache, or one ordered by key that streams lists
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
    #[arg(long, value_enum, hide_possible_values = true, value_name = "classic|modern")]
    pub era: Option<Era>,
    /// The era of the client alone: DeltaFIFO and LIST, or RealFIFO and a streaming list; also with --cluster
    #[arg(long, value_enum, hide_possible_values = true, value_name = "classic|modern")]
    pub client: Option<Era>,
}

// The options on a run's length and on the seed of its races.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Keep watching until Ctrl-C, in real time; the default with --cluster
    #[arg(long)]
    pub follow: bool,
    /// End after this long, such as 30s or 1m30s
    #[arg(long = "for", value_name = "DURATION", value_parser = values::duration, allow_hyphen_values = true)]
    pub limit: Option<Duration>,
    /// What decides the races: a number, or random
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<Seed>,
}

// The options on the output of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct PrintArgs {
    /// The pace of printing: 1 is the tutorials', 2 twice as fast, or max [default: 1 on a terminal, else max]
    #[arg(long, value_name = "N")]
    pub speed: Option<Speed>,
    /// What standard output holds
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
    /// Record the run into this file, for replay and step; docs/record.md describes the file
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// How everything is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LookArgs {
    /// When to colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// The narration's language [default: the locale's]
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Lang>,
    /// Show the narration, also where only the trace goes somewhere else
    #[arg(long, global = true, overrides_with = "no_narrate")]
    pub narrate: bool,
    /// Leave the narration out
    #[arg(long, global = true, overrides_with = "narrate")]
    pub no_narrate: bool,
    /// Show the steps between the lines of the trace [default: on a terminal]
    #[arg(long, global = true, overrides_with = "no_explain")]
    pub explain: bool,
    /// Leave the steps out
    #[arg(long, global = true, overrides_with = "explain")]
    pub no_explain: bool,
    /// Write the trace and the narration into this file, in order: a handout
    #[arg(long, global = true, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// All logs on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,
}
