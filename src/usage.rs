//! Parses the command line; options that contradict each other are usage errors.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, Parser};
use informer_lab::lab::{Pace, Settings};
use informer_lab::lessons::indexer::By;
use informer_lab::lessons::shared::SharedStep;
use informer_lab::trace::{ColorChoice, Speed};

use crate::cli::{
    Cli, ClusterArgs, EraArgs, FactoryArgs, IndexerArgs, Lesson, LookArgs, ReflectorArgs, RunArgs, SharedArgs,
    WatchArgs,
};
use crate::run_settings::{first, real, settings};

/// Parses and checks the command line.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, Error> {
    let args: Vec<_> = args.into_iter().collect();
    let mut cli = Cli::try_parse_from(&args).map_err(|error| explain(error, &args))?;
    if let Some(Lesson::Eras(eras)) = &mut cli.lesson {
        let words = args.iter().take(1).chain(&eras.words).cloned();
        let inner = parse(words)?;
        let LookArgs { color, lang, verbose } = inner.look;
        eras.lesson = inner.lesson.map(Box::new);
        cli.look.lang = lang.or(cli.look.lang);
        cli.look.color = if color == ColorChoice::Auto { cli.look.color } else { color };
        cli.look.verbose |= verbose;
    }
    if let Some(Lesson::Cluster(cluster)) = &cli.lesson
        && cluster.command.is_empty()
        && args.last().is_some_and(|last| last == "--")
    {
        return Err(Cli::command().error(ErrorKind::MissingRequiredArgument, "expected a COMMAND behind --"));
    }
    if let Some(lesson) = &cli.lesson {
        check(lesson).map_err(|message| Cli::command().error(ErrorKind::ArgumentConflict, message))?;
    }
    Ok(cli)
}

fn check(lesson: &Lesson) -> Result<(), String> {
    match lesson {
        Lesson::Deltafifo(_)
        | Lesson::Queue(_)
        | Lesson::Mutate(_)
        | Lesson::Workqueue(_)
        | Lesson::Tour(_)
        | Lesson::Cluster(_) => Ok(()),
        Lesson::Eras(args) => args.run().map(|_| ()),
        Lesson::List(watch) if watch.cluster.era.era.is_some() => {
            Err("list asks a cluster of each era: leave --era out".to_owned())
        }
        Lesson::List(watch)
        | Lesson::Controller(watch)
        | Lesson::Listwatch(watch)
        | Lesson::Myinformer(watch)
        | Lesson::Late(watch)
        | Lesson::Resync(watch)
        | Lesson::Synced(watch)
        | Lesson::Relist(ReflectorArgs { watch, .. })
        | Lesson::Reflector(ReflectorArgs { watch, .. }) => watches(watch, settings(watch)),
        Lesson::Indexer(IndexerArgs { by, serve: Some(_), .. }) if *by != By::Label => {
            Err("--serve answers by label: leave --by namespace out".to_owned())
        }
        Lesson::Indexer(IndexerArgs { serve: None, watch, .. }) => match cluster_option(&watch.cluster)
            .or_else(|| run_option(&watch.run))
        {
            Some(option) => Err(format!("indexer uses {option} only with --serve: without it, it watches no cluster")),
            None => Ok(()),
        },
        Lesson::Indexer(IndexerArgs { serve, watch, .. }) | Lesson::Factory(FactoryArgs { serve, watch }) => {
            watches(watch, Settings { serve: *serve, ..settings(watch) })
        }
        Lesson::Shared(SharedArgs { step, watch }) => match cluster_option(&watch.cluster) {
            Some(option) if *step != SharedStep::ListWatch => Err(format!(
                "shared uses {option} only with --step list-watch: its other steps make their pods themselves"
            )),
            _ => watches(watch, settings(watch)),
        },
    }
}

/// The checks for every lesson that watches.
fn watches(args: &WatchArgs, settings: Settings) -> Result<(), String> {
    let WatchArgs { cluster, run, print } = args;
    if let Some(real) = real(cluster) {
        let built_in = [
            ("--pods", cluster.pods.is_some()),
            ("--stages", cluster.stages.is_some()),
            ("--listen", cluster.listen.is_some()),
            ("--era", cluster.era.era.is_some()),
            ("--seed", run.seed.is_some()),
        ];
        if let Some(option) = first(&built_in) {
            return Err(format!("{option} sets up the built-in cluster: it cannot be used with {real}"));
        }
    }
    let paced = !matches!(print.speed, None | Some(Speed::Documents | Speed::Max));
    if paced && settings.pace() == Pace::Live {
        return Err("--speed paces a recorded run: a live one (--cluster, --follow, --listen, --serve) is printed as it happens"
            .to_owned());
    }
    Ok(())
}

fn cluster_option(args: &ClusterArgs) -> Option<&'static str> {
    let ClusterArgs { namespace, scenario, pods, stages, listen, era: EraArgs { era }, .. } = args;
    real(args).or_else(|| {
        first(&[
            ("--namespace", namespace.is_some()),
            ("--scenario", scenario.is_some()),
            ("--pods", pods.is_some()),
            ("--stages", stages.is_some()),
            ("--listen", listen.is_some()),
            ("--era", era.is_some()),
        ])
    })
}

fn run_option(RunArgs { follow, limit, seed }: &RunArgs) -> Option<&'static str> {
    first(&[("--follow", *follow), ("--for", limit.is_some()), ("--seed", seed.is_some())])
}

/// Explains an option that another lesson has, instead of clap's "unexpected argument".
fn explain(error: Error, args: &[OsString]) -> Error {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let mut command = Cli::command();
    command.build();
    let known = |long: &str| {
        command.get_subcommands().any(|lesson| lesson.get_arguments().any(|arg| arg.get_long() == Some(long)))
    };
    let elsewhere = argument.strip_prefix("--").is_some_and(known);
    let lesson =
        args.iter().skip(1).find_map(|arg| command.find_subcommand(arg)).map(|lesson| lesson.get_name().to_owned());
    match lesson.and_then(|name| command.find_subcommand_mut(name)) {
        Some(lesson) if error.kind() == ErrorKind::UnknownArgument && elsewhere => {
            let takes = lesson.get_arguments().any(|arg| arg.get_long() == argument.strip_prefix("--"));
            let name = lesson.get_name();
            let message = match takes {
                true => format!("{argument} goes after the lesson: informer-lab {name} {argument}"),
                false => format!("{name} has no use for {argument}"),
            };
            lesson.error(ErrorKind::UnknownArgument, message)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use informer_lab::lab::{Seed, Source};

    use super::*;

    fn usage_error(line: &str) -> String {
        let args = line.split_whitespace().map(OsString::from);
        let error = parse(args).expect_err(line);
        assert_eq!(error.exit_code(), 2, "{line}");
        error.to_string()
    }

    fn parsed(line: &str) -> Cli {
        parse(line.split_whitespace().map(OsString::from)).expect(line)
    }

    #[test]
    fn the_types_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_option_that_a_lesson_cannot_use_is_a_usage_error() {
        for (line, said) in [
            ("informer-lab deltafifo --cluster", "deltafifo has no use for --cluster"),
            ("informer-lab --speed 3 reflector", "--speed goes after the lesson: informer-lab reflector --speed"),
            ("informer-lab deltafifo --seed 1", "deltafifo has no use for --seed"),
            ("informer-lab tour --pods a.yaml", "tour has no use for --pods"),
            ("informer-lab listwatch --serve", "listwatch has no use for --serve"),
            ("informer-lab indexer --pods a.yaml", "indexer uses --pods only with --serve"),
            ("informer-lab indexer --seed 1", "indexer uses --seed only with --serve"),
            ("informer-lab indexer --serve --by namespace", "--serve answers by label"),
            ("informer-lab shared --context a", "shared uses --context only with --step list-watch"),
            ("informer-lab shared --step listener -n a", "shared uses --namespace only with --step list-watch"),
            ("informer-lab reflector --cluster --pods a.yaml", "--pods sets up the built-in cluster"),
            ("informer-lab reflector --kubeconfig a --stages a.yaml", "it cannot be used with --kubeconfig"),
            ("informer-lab factory --context a --era modern", "it cannot be used with --context"),
            ("informer-lab myinformer --follow --speed 2", "--speed paces a recorded run"),
            ("informer-lab factory --serve --speed 0.5", "--speed paces a recorded run"),
            ("informer-lab cluster --", "expected a COMMAND"),
            ("informer-lab cluster --nodes -1", "expected a number of nodes"),
            ("informer-lab cluster --pods -1", "expected a number of pods"),
            ("informer-lab eras", "<LESSON>"),
            ("informer-lab eras nothing", "unrecognized subcommand"),
            ("informer-lab eras tour", "eras compares one lesson"),
            ("informer-lab eras eras reflector", "eras compares one lesson"),
            ("informer-lab list --era modern", "leave --era out"),
            ("informer-lab eras list", "list shows both eras already"),
            ("informer-lab eras mutate", "mutate has no counterpart"),
            ("informer-lab eras shared", "shared has no counterpart"),
            ("informer-lab eras workqueue --act delay", "workqueue --act delay has no counterpart"),
            ("informer-lab eras listwatch --cluster", "leave --cluster"),
            ("informer-lab eras indexer --serve", "leave --cluster"),
            ("informer-lab eras queue --era modern", "leave --era out"),
            ("informer-lab eras queue --output json", "leave --speed and --output out"),
        ] {
            let error = usage_error(line);
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn a_bad_value_says_what_was_expected() {
        for (line, said) in [
            ("informer-lab indexer --serve nowhere", "expected an IP address and a port"),
            ("informer-lab factory --serve 1.2.3.4", "expected an IP address and a port"),
            ("informer-lab reflector --for 5", "expected a duration"),
            ("informer-lab reflector --seed x", "expected a number"),
            ("informer-lab reflector --speed 0", "expected a number above 0, or max"),
            ("informer-lab reflector -n Default", "expected a namespace"),
            ("informer-lab reflector --era ancient", "possible values: classic, modern"),
        ] {
            let error = usage_error(line);
            assert!(error.contains(said), "{line}: {error}");
        }
    }

    #[test]
    fn a_kubeconfig_or_a_context_implies_the_cluster() {
        for line in [
            "informer-lab reflector --cluster",
            "informer-lab reflector --kubeconfig a",
            "informer-lab reflector --context a",
        ] {
            let Some(Lesson::Reflector(args)) = parsed(line).lesson else { panic!("{line}") };
            let settings = settings(&args.watch);
            assert!(matches!(settings.source, Source::Real(_)), "{line}");
            assert_eq!(settings.pace(), Pace::Live, "{line}");
        }
    }

    #[test]
    fn a_time_limit_alone_stays_in_virtual_time() {
        let Some(Lesson::Listwatch(args)) = parsed("informer-lab listwatch --for 1h --seed random").lesson else {
            panic!()
        };
        let settings = settings(&args);
        assert_eq!(settings.pace(), Pace::Virtual);
        assert_eq!(settings.seed, Seed::Random);
    }

    #[test]
    fn a_scenario_may_be_played_on_a_real_cluster() {
        parsed("informer-lab reflector --cluster --scenario a.yaml");
    }

    #[test]
    fn serve_has_a_default_address_of_each_lesson() {
        let Some(Lesson::Indexer(args)) = parsed("informer-lab indexer --serve").lesson else { panic!() };
        assert_eq!(args.serve.map(|a| a.to_string()).as_deref(), Some("127.0.0.1:8080"));
        let Some(Lesson::Factory(args)) = parsed("informer-lab factory --serve").lesson else { panic!() };
        assert_eq!(args.serve.map(|a| a.to_string()).as_deref(), Some("127.0.0.1:4000"));
    }
}
