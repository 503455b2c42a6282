//! Checks that the options of a lesson fit together, where clap cannot know it.

use informer_lab::lab::{Pace, Settings};
use informer_lab::lessons::catalog::{Choice, Serve};
use informer_lab::lessons::{Row, rows};
use informer_lab::trace::{Speed, Words};

use super::args::{ClientArgs, RunArgs, SourceArgs};
use super::lessons::{LessonArgs, WatchArgs};

/// Returns the first conflict, as a sentence for the user.
pub fn check(lesson: &LessonArgs, settings: &Settings) -> Result<(), Words> {
    let LessonArgs { run, value, serve, .. } = lesson;
    // The server of `--serve` may belong to one value of the lesson's own option only.
    if let (Some(_), Some(value), Some(choice)) = (serve, value, &run.options.choice)
        && let Some(Serve { allows: Some(allowed), .. }) = run.options.serve
        && value != allowed
    {
        let Choice { name, .. } = choice;
        let en = format!("--serve supports only --{name} {allowed}: remove --{name} {value}");
        return Err((en, format!("--serve 只支持 --{name} {allowed}：请去掉 --{name} {value}")).into());
    }
    let Some(watch) = &lesson.watch else { return Ok(()) };
    if run.shows_both_eras()
        && let Some(option) = era_option(&watch.source)
    {
        let name = run.lesson_name();
        let en = format!("{name} sends its requests to a cluster of each era: remove {option}");
        return Err((en, format!("{name} 会向两个时代的集群都发请求：请去掉 {option}")).into());
    }
    watches_a_cluster(run, watch)?;
    fits_a_real_cluster(watch)?;
    // `--speed 1` and `--speed max` are harmless: they are also the defaults.
    let paced = !matches!(lesson.print.speed, None | Some(Speed::Documents | Speed::Max));
    if paced && settings.pace() == Pace::Live {
        let en = "--speed paces a recorded run: a live one (--cluster, --follow, --listen, --serve) is printed as it happens";
        return Err(
            (en, "--speed 只用于录制的运行：实时运行（--cluster、--follow、--listen、--serve）按实际时间输出").into()
        );
    }
    Ok(())
}

/// Refuses options of a cluster for a row that makes its own objects, and names the rows of the lesson that take them.
fn watches_a_cluster(row: &Row, watch: &WatchArgs) -> Result<(), Words> {
    if row.defaults.cluster.is_some() {
        return Ok(());
    }
    let option = source_option(&watch.source);
    let of_run = match row.defaults.lasts {
        None => run_option(&watch.run),
        Some(_) => watch.run.follow.then_some("--follow"), // such a run ends by itself, and a typed command would have no cluster
    };
    let Some(option) = option.or(of_run) else { return Ok(()) };
    let lesson = row.lesson_name();
    let others: Vec<_> = rows()
        .filter(|other| other.lesson_name() == lesson && other.defaults.cluster.is_some())
        .filter_map(|other| other.command.strip_prefix(lesson))
        .map(str::trim)
        .collect();
    let en = format!("{lesson} uses {option} only with {}: without it, it watches no cluster", others.join(" or "));
    Err((en, format!("{lesson} 只有加上 {} 才能用 {option}：否则它不 watch 集群", others.join(" 或 "))).into())
}

/// Refuses options of the built-in cluster for a run that watches a real one.
fn fits_a_real_cluster(WatchArgs { source, run }: &WatchArgs) -> Result<(), Words> {
    let Some(real) = real_cluster_option(source) else { return Ok(()) };
    if source.client.era.is_some() {
        let en = format!("--era sets up the built-in cluster too: with {real}, choose the client's era by --client");
        return Err((en, format!("--era 也会设置内置集群：用 {real} 时，请用 --client 选择客户端的时代")).into());
    }
    let built_in = [
        ("--pods", source.pods.is_some()),
        ("--stages", source.stages.is_some()),
        ("--listen", source.listen.is_some()),
        ("--server", source.server.is_some()),
        ("--seed", run.seed.is_some()),
    ];
    match first(&built_in) {
        Some(option) => {
            let en = format!("{option} sets up the built-in cluster: it cannot be used with {real}");
            Err((en, format!("{option} 用来设置内置集群，不能和 {real} 一起用")).into())
        }
        None => Ok(()),
    }
}

pub fn real_cluster_option(args: &SourceArgs) -> Option<&'static str> {
    let SourceArgs { cluster, kubeconfig, context, .. } = args;
    first(&[("--cluster", *cluster), ("--kubeconfig", kubeconfig.is_some()), ("--context", context.is_some())])
}

pub fn era_option(args: &SourceArgs) -> Option<&'static str> {
    client_option(&args.client).or_else(|| first(&[("--server", args.server.is_some())]))
}

pub fn client_option(ClientArgs { era, client }: &ClientArgs) -> Option<&'static str> {
    first(&[("--era", era.is_some()), ("--client", client.is_some())])
}

fn source_option(args: &SourceArgs) -> Option<&'static str> {
    let SourceArgs { namespace, scenario, pods, stages, listen, .. } = args;
    let others = [
        ("--namespace", namespace.is_some()),
        ("--scenario", scenario.is_some()),
        ("--pods", pods.is_some()),
        ("--stages", stages.is_some()),
        ("--listen", listen.is_some()),
    ];
    real_cluster_option(args).or_else(|| first(&others)).or_else(|| era_option(args))
}

fn run_option(RunArgs { follow, limit, seed }: &RunArgs) -> Option<&'static str> {
    first(&[("--follow", *follow), ("--for", limit.is_some()), ("--seed", seed.is_some())])
}

/// Returns the name of the first option that was given.
fn first(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find_map(|&(option, given)| given.then_some(option))
}
