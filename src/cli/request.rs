//! Turns the parsed command line into one checked value, a [`Request`], that `main` carries out.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use clap_complete::Shell;
use informer_lab::board::BoardSettings;
use informer_lab::cluster::ClusterSettings;
use informer_lab::exercises::{CheckSettings, Exercise, ExerciseView, ProgramLanguage};
use informer_lab::lab::{BuiltIn, Follow, Seed, Settings, Source, Target};
use informer_lab::lessons::Row;
use informer_lab::lessons::tour::{TourLength, TourSettings};
use informer_lab::step::Predict;
use informer_lab::trace::{ColorChoice, Lang, Look, Output, Show, Speed, Verbosity};
use kube_testcluster::{Admin, Heartbeats};

use super::args::{Cli, ClusterCommandArgs, Command, DoctorArgs, LookArgs, PrintArgs, ReplayArgs, StepArgs, TourArgs};
use super::board::parse_board;
use super::check::{check, real_cluster_option};
use super::explain::{UsageError, conflict, explain, missing, unknown_command};
use super::lessons::{LessonArgs, WatchArgs};
use super::nested::{parse_eras, parse_record_source};
use super::values::open_address_needs_tls;

#[derive(Debug)]
pub struct Invocation {
    pub look: Look,
    pub verbosity: Verbosity,
    /// `None` for the default.
    pub speed: Option<Speed>,
    /// The file to record runs into.
    pub record: Option<PathBuf>,
    /// The file that gets the trace with its narration.
    pub transcript: Option<PathBuf>,
    pub request: Request,
}

#[derive(Debug)]
pub enum Request {
    /// Show the start page.
    Menu,
    Lessons,
    Tour(TourSettings),
    /// List the stops of the tour.
    TourStops,
    Lesson(&'static Row, Settings),
    Eras(&'static Row, Settings),
    /// Show a chapter, or look up a word; for an empty text, list the chapters.
    Read(String),
    Replay(PathBuf),
    Step(RecordSource, Predict),
    /// A page of up to two recorded runs.
    Board(Vec<RecordSource>, BoardSettings),
    /// A page that follows a live run, served at this address.
    BoardLive(&'static Row, Settings, SocketAddr),
    Cluster(ClusterSettings),
    /// Print the path of the folder for `KUBEBUILDER_ASSETS`.
    Envtest,
    /// Check the terminal, the language and this cluster, with this namespace.
    Doctor(Option<Target>, String),
    Completions(Shell),
    Man(Option<PathBuf>),
    Exercises(ProgramLanguage),
    Exercise(&'static Exercise, ProgramLanguage, ExerciseView),
    Check(CheckSettings),
    ResetExercises,
}

#[derive(Debug)]
pub enum RecordSource {
    Lesson(&'static Row, Settings),
    File(PathBuf),
}

/// Parses and checks the command line.
///
/// # Errors
/// A usage error, or, as in clap, a request for help or the version.
pub fn parse(args: &[OsString]) -> Result<Invocation, UsageError> {
    let Cli { look, command } = parse_cli(args).map_err(unknown_command)?;
    let nothing = PrintArgs { speed: None, output: Output::Text, record: None };
    match command {
        None => Ok(invocation(look, &nothing, Request::Menu)),
        Some(Command::Lesson(lesson)) => {
            let settings = checked_settings(&lesson)?;
            Ok(invocation(look, &lesson.print, Request::Lesson(lesson.run, settings)))
        }
        Some(Command::Lessons) => Ok(invocation(look, &nothing, Request::Lessons)),
        Some(Command::Tour(TourArgs { list: true, .. })) => Ok(invocation(look, &nothing, Request::TourStops)),
        Some(Command::Tour(TourArgs { first, all, print, .. })) => {
            let length = if all { TourLength::All } else { TourLength::Documents };
            Ok(invocation(look, &print, Request::Tour(TourSettings { first, length })))
        }
        Some(Command::Doctor(DoctorArgs { kubeconfig, context, namespace })) => {
            let named = kubeconfig.is_some() || context.is_some();
            let target = named.then_some(Target { kubeconfig, context });
            Ok(invocation(look, &nothing, Request::Doctor(target, namespace)))
        }
        Some(Command::Completions { shell }) => Ok(invocation(look, &nothing, Request::Completions(shell))),
        Some(Command::Man { folder }) => Ok(invocation(look, &nothing, Request::Man(folder))),
        Some(Command::Eras(eras)) => {
            let (inner, request) = parse_eras(args, &eras)?;
            Ok(invocation(look.or(inner), &nothing, request))
        }
        Some(Command::Read(read)) => Ok(invocation(look, &nothing, Request::Read(read.words.join(" ")))),
        Some(Command::Step(StepArgs { predict, mut words })) => {
            // clap gives an option of `step` that stands after the lesson as one of the lesson's words.
            let before = words.len();
            words.retain(|word| word != "--predict");
            let predict = if predict || words.len() < before { Predict::Yes } else { Predict::No };
            let (inner, source) = parse_record_source("step", args, &words)?;
            Ok(invocation(look.or(inner), &nothing, Request::Step(source, predict)))
        }
        Some(Command::Board(board)) => {
            let (inner, print, request) = parse_board(args, board)?;
            Ok(invocation(look.or(inner), &print, request))
        }
        Some(Command::Replay(ReplayArgs { file, print })) => {
            if print.record.is_some() {
                return Err(conflict(
                    "replay",
                    ("replay reads a record: remove --record", "replay 读取记录：请去掉 --record"),
                ));
            }
            Ok(invocation(look, &print, Request::Replay(file)))
        }
        Some(Command::Cluster(cluster)) => {
            if cluster.command.is_empty() && args.last().is_some_and(|last| last == "--") {
                return Err(missing("cluster", ("expected a COMMAND after --", "-- 后面要有一条命令")));
            }
            if !cluster.tls && !cluster.listen.ip().is_loopback() {
                return Err(conflict("cluster", open_address_needs_tls()));
            }
            Ok(invocation(look, &nothing, Request::Cluster(cluster.settings())))
        }
        Some(Command::Envtest) => Ok(invocation(look, &nothing, Request::Envtest)),
        Some(Command::Break(args)) => Ok(invocation(look, &nothing, args.request())),
        Some(Command::Check(args)) => Ok(invocation(look, &nothing, Request::Check(args.settings()))),
    }
}

pub(super) fn parse_cli(args: &[OsString]) -> Result<Cli, UsageError> {
    Cli::try_parse_from(args).map_err(|error| explain(error, args))
}

fn invocation(look: LookArgs, print: &PrintArgs, request: Request) -> Invocation {
    let verbosity = if look.verbose { Verbosity::All } else { Verbosity::Warnings };
    let transcript = look.transcript.clone();
    let look = Look {
        narrate: show(look.narrate, look.no_narrate),
        explain: show(look.explain, look.no_explain),
        ..Look::new(print.output, look.color, look.lang.unwrap_or_else(Lang::from_env))
    };
    Invocation { look, verbosity, speed: print.speed, record: print.record.clone(), transcript, request }
}

/// Returns the choice that a pair of flags makes, such as `--narrate` and `--no-narrate`.
fn show(yes: bool, no: bool) -> Show {
    match (yes, no) {
        (true, _) => Show::Yes,
        (_, true) => Show::No,
        (false, false) => Show::Auto,
    }
}

/// Returns an error if the options do not fit together.
pub(super) fn checked_settings(lesson: &LessonArgs) -> Result<Settings, UsageError> {
    let settings = settings(lesson);
    match check(lesson, &settings) {
        Ok(()) => Ok(settings),
        Err(message) => Err(conflict(lesson.run.lesson_name(), message)),
    }
}

/// Returns the settings of a run. `--era` chooses the era of both sides, unless `--client` or `--server` is given.
fn settings(lesson: &LessonArgs) -> Settings {
    let era = lesson.client.and_then(|args| args.era);
    let client = lesson.client.and_then(|args| args.client).or(era).unwrap_or_default();
    let without_cluster = Settings { client, serve: lesson.serve, ..Settings::default() };
    let Some(WatchArgs { source, run }) = &lesson.watch else { return without_cluster };
    Settings {
        source: if real_cluster_option(source).is_some() {
            Source::Real(Target { kubeconfig: source.kubeconfig.clone(), context: source.context.clone() })
        } else {
            let server = source.server.or(era).unwrap_or_default();
            Source::BuiltIn(BuiltIn { pods: source.pods.clone(), stages: source.stages.clone(), server })
        },
        namespace: source.namespace.clone().unwrap_or(without_cluster.namespace),
        scenario: source.scenario.clone(),
        follow: if run.follow { Follow::Yes } else { Follow::No },
        limit: run.limit,
        seed: run.seed.unwrap_or(Seed::Default),
        listen: source.listen,
        ..without_cluster
    }
}

impl LookArgs {
    /// Takes options that were left out from `others`, because options on output may stand before `step` or in the
    /// lesson behind it.
    fn or(self, others: Self) -> Self {
        Self {
            color: if self.color == ColorChoice::Auto { others.color } else { self.color },
            lang: self.lang.or(others.lang),
            narrate: self.narrate || others.narrate,
            no_narrate: self.no_narrate || others.no_narrate,
            explain: self.explain || others.explain,
            no_explain: self.no_explain || others.no_explain,
            transcript: self.transcript.or(others.transcript),
            verbose: self.verbose || others.verbose,
        }
    }
}

impl ClusterCommandArgs {
    fn settings(self) -> ClusterSettings {
        let Self {
            listen,
            tls,
            tls_san,
            token_auth_file,
            data,
            kubeconfig_out: kubeconfig,
            era,
            nodes,
            heartbeats,
            node_template,
            manifests,
            events,
            bare,
            controllers,
            scheduler,
            admission,
            authorization,
            managed_fields,
            pods,
            scenario,
            stages,
            faults,
            admin,
            command,
        } = self;
        // Scenarios may start faults, which need the admin endpoints.
        let admin = if admin || scenario.is_some() { Admin::On } else { Admin::Off };
        let heartbeats = if heartbeats { Heartbeats::On } else { Heartbeats::Off };
        let era = era.into();
        ClusterSettings {
            listen,
            tls,
            tls_san,
            token_auth_file,
            data,
            kubeconfig,
            era,
            nodes,
            heartbeats,
            node_template,
            manifests,
            events,
            bare,
            controllers,
            scheduler,
            admission,
            authorization,
            managed_fields,
            pods,
            scenario,
            stages,
            faults,
            admin,
            command,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use informer_lab::lab::{Era, Pace};

    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn usage_error(line: &str) -> String {
        let error = parse(&words(line)).expect_err(line).error;
        assert_eq!(error.exit_code(), 2, "{line}");
        error.to_string()
    }

    fn settings_of(line: &str) -> Settings {
        let invocation = parse(&words(line)).expect(line);
        let Request::Lesson(_, settings) = invocation.request else { panic!("{line}") };
        settings
    }

    #[test]
    fn claps_types_pass_claps_own_check() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_option_that_a_lesson_cannot_use_is_a_usage_error() {
        for (line, expected) in [
            ("informer-lab deltafifo --cluster", "deltafifo doesn't accept --cluster; architecture, listwatch, "),
            ("informer-lab --speed 3 reflector", "--speed goes after the lesson: informer-lab reflector --speed"),
            ("informer-lab deltafifo --seed 1", "deltafifo doesn't accept --seed"),
            ("informer-lab resync --known-objects", "resync doesn't accept --known-objects; reflector and relist do"),
            ("informer-lab tour --pods a.yaml", "tour doesn't accept --pods"),
            ("informer-lab listwatch --serve", "listwatch doesn't accept --serve; indexer and factory do"),
            ("informer-lab indexer --pods a.yaml", "indexer uses --pods only with --serve"),
            ("informer-lab indexer --seed 1", "indexer uses --seed only with --serve"),
            ("informer-lab indexer --serve --by namespace", "--serve supports only --by label"),
            ("informer-lab shared --follow", "shared uses --follow only with --step list-watch"),
            ("informer-lab shared --context a", "shared uses --context only with --step list-watch"),
            ("informer-lab shared --step listener -n a", "shared uses --namespace only with --step list-watch"),
            ("informer-lab reflector --cluster --pods a.yaml", "--pods sets up the built-in cluster"),
            ("informer-lab reflector --kubeconfig a --stages a.yaml", "it cannot be used with --kubeconfig"),
            ("informer-lab factory --context a --era modern", "with --context, choose the client's era by --client"),
            ("informer-lab factory --context a --server modern", "it cannot be used with --context"),
            ("informer-lab reflector known-objects", "write --known-objects"),
            ("informer-lab myinformer --follow --speed 2", "--speed paces a recorded run"),
            ("informer-lab factory --serve --speed 0.5", "--speed paces a recorded run"),
            ("informer-lab cluster --", "expected a COMMAND"),
            ("informer-lab cluster kubectl", "a command comes after two hyphens: informer-lab cluster -- kubectl"),
            ("informer-lab 04", "04 is not a subcommand; read the chapter with: informer-lab read 04"),
            (
                "informer-lab xyzzy",
                "there is no lesson or command xyzzy\n  next: informer-lab lessons lists the lessons",
            ),
            ("informer-lab reflectr", "there is no lesson or command reflectr\n  next: did you mean reflector"),
            ("informer-lab tombstone", "next: informer-lab read tombstone finds the word in the book; "),
            ("informer-lab cluster --nodes -1", "expected a number of nodes"),
            ("informer-lab cluster --events -5", "expected a number of Events"),
            ("informer-lab cluster -5", "unexpected argument '-5'"),
            (
                "informer-lab cluster --controllers hpa",
                "replicaset, deployment, job, cronjob, daemonset, statefulset, endpointslice",
            ),
            ("informer-lab tour lop", "a lesson, or resume: did you mean loop?"),
            ("informer-lab tour 99", "a lesson, or resume; informer-lab tour --list shows the stops"),
            ("informer-lab tour -5", "expected a number from 1 to "),
            ("informer-lab cluster --pods -1", "expected a number of pods"),
            ("informer-lab eras", "<LESSON>"),
            ("informer-lab eras nothing", "there is no lesson nothing"),
            (
                "informer-lab step reflektor",
                "there is no lesson reflektor, and no file of that name: did you mean reflector?",
            ),
            ("informer-lab eras tour", "eras compares one lesson"),
            ("informer-lab eras eras reflector", "eras compares one lesson"),
            ("informer-lab list --era modern", "remove --era"),
            ("informer-lab eras listwatch --cluster", "remove --cluster"),
            ("informer-lab step a.ndjson reflector", "step shows one lesson or one record"),
            ("informer-lab step reflector --record a.ndjson", "remove --speed, --output, --record"),
            ("informer-lab step --predict reflector --speed 2", "remove --speed, --output, --record"),
            ("informer-lab eras indexer --serve", "remove --cluster"),
            ("informer-lab eras queue --era modern", "remove --era"),
            ("informer-lab eras queue --output json", "remove --speed, --output, --record"),
        ] {
            let error = usage_error(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn a_bad_value_says_what_was_expected() {
        for (line, expected) in [
            ("informer-lab indexer --serve nowhere", "expected an IP address and a port"),
            ("informer-lab factory --serve 1.2.3.4", "expected an IP address and a port"),
            ("informer-lab reflector --for 5", "expected a duration"),
            ("informer-lab reflector --seed x", "expected a number"),
            ("informer-lab reflector --speed 0", "expected a number from 0.01 upwards, or max"),
            ("informer-lab reflector -n Default", "expected a namespace"),
            ("informer-lab reflector --era ancient", "possible values: classic, modern"),
        ] {
            let error = usage_error(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn an_error_of_clap_has_the_colours_of_the_trace() {
        let error = parse(&words("informer-lab cluster --nodez 1")).expect_err("an unknown option").error;
        let coloured = error.render().ansi().to_string();
        let codes: Vec<_> =
            coloured.split("\u{1b}[").skip(1).filter_map(|part| Some(part.split_once('m')?.0)).collect();
        let is_basic = |code: &str| (30..=37).chain(90..=97).any(|basic| code == basic.to_string());
        assert!(codes.contains(&"38;5;131") && codes.contains(&"38;5;29"), "{codes:?}");
        assert!(!codes.iter().any(|code| is_basic(code)), "{codes:?}");
    }

    #[test]
    fn a_usage_error_is_shown_in_chinese_too() {
        for (line, expected) in [
            ("informer-lab reflectr", "错误：没有课程或命令 reflectr\n  下一步：是不是想写 reflector、"),
            ("informer-lab reflector --nodes 1", "错误：reflector 不接受 --nodes；接受它的是 cluster"),
            ("informer-lab reflector --for 5", "--for <DURATION> 的值 5 无效：应为不超过一周的时长"),
            ("informer-lab reflector --era ancient", "的值 ancient 无效\n  可选：classic、modern"),
            ("informer-lab eras", "错误：缺少参数 <LESSON>"),
            ("informer-lab list --era modern", "错误：list 会向两个时代的集群都发请求"),
        ] {
            let chinese = parse(&words(line)).expect_err(line).in_chinese();
            assert!(chinese.contains(expected), "{line}: {chinese}");
        }
    }

    #[test]
    fn a_kubeconfig_or_a_context_implies_the_cluster() {
        for line in [
            "informer-lab reflector --cluster",
            "informer-lab reflector --kubeconfig a",
            "informer-lab reflector --context a",
        ] {
            let settings = settings_of(line);
            assert!(matches!(settings.source, Source::Real(_)), "{line}");
            assert_eq!(settings.pace(), Pace::Live, "{line}");
        }
    }

    #[test]
    fn a_time_limit_alone_stays_in_virtual_time() {
        let settings = settings_of("informer-lab listwatch --for 1h --seed random");
        assert_eq!(settings.pace(), Pace::Virtual);
        assert_eq!(settings.seed, Seed::Random);
    }

    #[test]
    fn a_scenario_may_be_played_on_a_real_cluster() {
        assert!(settings_of("informer-lab reflector --cluster --scenario a.yaml").scenario.is_some());
    }

    #[test]
    fn serve_has_a_default_address_of_each_lesson() {
        let address = |line| settings_of(line).serve.map(|address| address.to_string());
        assert_eq!(address("informer-lab indexer --serve").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(address("informer-lab factory --serve").as_deref(), Some("127.0.0.1:4000"));
    }

    #[test]
    fn era_sets_both_sides_and_each_side_can_be_set_alone() {
        for (line, client, server) in [
            ("", Era::Classic, Era::Classic),
            ("--era modern", Era::Modern, Era::Modern),
            ("--client modern", Era::Modern, Era::Classic),
            ("--server modern", Era::Classic, Era::Modern),
            ("--era modern --client classic", Era::Classic, Era::Modern),
        ] {
            let settings = settings_of(&format!("informer-lab reflector {line}"));
            let Source::BuiltIn(BuiltIn { server: chosen, .. }) = settings.source else { panic!("{line}") };
            assert_eq!((settings.client, chosen), (client, server), "{line}");
        }
        let real = settings_of("informer-lab reflector --cluster --client modern");
        assert_eq!(real.client, Era::Modern);
    }
}
