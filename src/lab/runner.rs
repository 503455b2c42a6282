//! Runs a lesson together with its scenario (changes to the cluster at given times) until one of several conditions
//! ends it, and prints the record or returns it.

use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::connect;
use super::defaults::Defaults;
use super::keyboard::{Keyboard, OtherChanges};
use super::lesson_clusters::LessonClusters;
use super::plan::{Plan, Until};
use super::races::Waits;
use super::settings::{Pace, Settings};
use super::{Lab, LabConfig, Sink};
use crate::cluster::KubeconfigFile;
use crate::console::{Console, Ended, Progress};
use crate::trace::{Failure, Printer, Record};
use kube_testcluster::{Cluster, Scenario};

/// The time without an event after which a run without a time limit ends, on the run's own clock.
const AT_REST: Duration = Duration::from_secs(1);

/// The longest virtual time that a lesson has to stop. Without this limit, a lesson that hangs would run for ever.
const STOPS_WITHIN: Duration = Duration::from_secs(3600);

/// A lesson as a function, as the rows of the catalog hold it.
pub type LessonFn = for<'lab> fn(&'lab Lab) -> LocalBoxFuture<'lab, Result<()>>;

/// Runs `lesson` with `defaults` and `settings`, and prints it.
///
/// # Errors
/// A file cannot be used, a cluster cannot be reached, a scenario fails, or the lesson itself fails.
pub fn run_and_print(
    command: &str,
    defaults: &Defaults,
    settings: &Settings,
    console: &Console,
    lesson: LessonFn,
) -> Result<Ended> {
    let RunResult { records, result, reader_gone } = perform(command, defaults, settings, console, lesson)?;
    if let Some(code) = console.interrupt.code() {
        return Ok(Ended::Interrupted(code));
    }
    let shown = console.print(&records)?;
    result.map(|()| if reader_gone { Ended::ReaderGone } else { shown })
}

/// Runs a lesson to its end, and returns its records instead of printing them.
///
/// # Errors
/// The same as [`run_and_print`].
pub fn record(
    command: &str,
    defaults: &Defaults,
    settings: &Settings,
    console: &Console,
    lesson: LessonFn,
) -> Result<Vec<Record>> {
    let RunResult { records, result, .. } = perform(command, defaults, settings, console, lesson)?;
    result.map(|()| records)
}

/// Runs a lesson on a runtime of its own: with paused time for a run in virtual time, with real time for a live run.
fn perform(
    command: &str,
    defaults: &Defaults,
    settings: &Settings,
    console: &Console,
    lesson: LessonFn,
) -> Result<RunResult> {
    #[cfg(target_family = "wasm")]
    if settings.pace() == Pace::Live {
        return Err(Failure::not_in_a_page().into());
    }
    tracing::debug!(?settings, "playing");
    let plan = Plan::new(command, defaults, settings, &console.printer)?;
    let pace = plan.pace;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(pace == Pace::Virtual)
        .build()
        .context("cannot start the runtime")?;
    let stop = match pace {
        Pace::Live => console.interrupt.arm().context("cannot listen for Ctrl-C")?,
        Pace::Virtual => CancellationToken::new(),
    };
    let result = runtime.block_on(plan.run(stop, console, lesson));
    // A DNS lookup may still run on another thread, and is not waited for.
    runtime.shutdown_background();
    Ok(result)
}

struct RunResult {
    records: Vec<Record>,
    result: Result<()>,
    /// True if the reader of standard output has gone, such as `head` in a pipe.
    reader_gone: bool,
}

impl RunResult {
    /// Returns the result of a run that did not begin: the cluster could not be reached, or a signal came before.
    fn not_begun(result: Result<()>) -> Self {
        Self { records: Vec::new(), result, reader_gone: false }
    }
}

impl Plan {
    /// Carries out the plan: connects, makes the lab, announces the run, runs the lesson and shuts the clusters down.
    async fn run(mut self, stop: CancellationToken, console: &Console, lesson: LessonFn) -> RunResult {
        let began = Instant::now(); // the time limit includes connecting
        let connecting =
            self.is_real().then(|| Progress::begin(&console.printer, ("connecting to the cluster", "正在连接集群")));
        let clusters = tokio::select! {
            biased;
            () = stop.cancelled() => return RunResult::not_begun(Ok(())),
            clusters = LessonClusters::reach(&self) => clusters,
        };
        let reached = clusters.and_then(|mut clusters| {
            let kubeconfig = clusters.serve_built_in(self.cluster_listener.take())?;
            Ok((clusters, kubeconfig))
        });
        drop(connecting);
        let (LessonClusters { client, cluster, real, each_era, others }, kubeconfig) = match reached {
            Ok(reached) => reached,
            Err(error) => return RunResult::not_begun(Err(error)),
        };
        let sink = match self.pace {
            Pace::Virtual => Sink::Recorded(Mutex::default()),
            Pace::Live => Sink::Live(console.printer.clone()),
        };
        let lab = Lab::new(LabConfig {
            client,
            each_era,
            namespace: self.namespace.clone(),
            stop: stop.clone(),
            sink,
            record: console.record.clone(),
            followers: console.followers.clone(),
            seed: self.seed,
            client_era: self.client,
            waits: if real.is_some() { Waits::Never } else { Waits::Seeded },
            listener: self.listener.take(),
        });
        lab.record_header(self.header.clone());
        if let Some(cluster) = &cluster {
            lab.record_writes(cluster);
        }
        if let Some(address) = real {
            self.narrate_cluster(&lab, &address);
        }
        self.narrate_commands(&lab, kubeconfig.as_ref());
        if matches!(self.until, Until::Stopped) {
            lab.narrate("Ctrl-C ends", "按 Ctrl-C 结束");
        }
        if self.is_real() {
            lab.show_progress(Progress::begin(&console.printer, ("waiting for the first list", "等待首次 list")));
        }
        let result = self.run_lesson(&lab, cluster.as_ref(), lesson, began, &console.printer).await;
        lab.hide_progress();
        lab.latecomers().close();
        if kubeconfig.is_some() {
            lab.narrate(
                "the cluster ends with the lesson; in the other terminal: unset KUBECONFIG",
                "集群随本课结束；请在另一个终端执行 unset KUBECONFIG",
            );
        }
        stop.cancel();
        let result = lab.take_failure().map_or(result, Err);
        for cluster in cluster.into_iter().chain(others) {
            cluster.shutdown().await;
        }
        let result = result.map_err(|error| connect::explain(error, &self.namespace));
        RunResult { records: lab.take_records(), result, reader_gone: lab.reader_gone() }
    }

    /// Runs the lesson until it returns, or until its time, its scenario, a signal or an error ends it.
    async fn run_lesson(
        &self,
        lab: &Lab,
        cluster: Option<&Cluster>,
        lesson: LessonFn,
        began: Instant,
        printer: &Printer,
    ) -> Result<()> {
        let mut lesson = lesson(lab);
        let ended = tokio::select! {
            biased;
            result = &mut lesson => return result,
            ended = self.wait_for_end(lab, cluster, began, printer) => ended,
        };
        if let Err(error) = ended {
            lab.fail(error);
        }
        lab.stop().cancel();
        match self.pace {
            Pace::Live => lesson.await,
            Pace::Virtual => timeout(STOPS_WITHIN, lesson)
                .await
                .unwrap_or_else(|_| Err(Failure::new(("the lesson does not stop", "这一课停不下来")).into())),
        }
    }

    /// Performs the scenario and carries out the user's commands, and returns when the run must end.
    async fn wait_for_end(
        &self,
        lab: &Lab,
        cluster: Option<&Cluster>,
        began: Instant,
        printer: &Printer,
    ) -> Result<()> {
        let time_is_over = async {
            match self.until {
                Until::Elapsed(limit) => sleep(limit.saturating_sub(began.elapsed())).await,
                Until::AtRest | Until::Stopped => std::future::pending().await,
            }
        };
        let other_changes = match self.scenario.iter().flat_map(Scenario::steps).last() {
            Some(step) => OtherChanges::Scenario { until: step.at() },
            None => OtherChanges::Nothing,
        };
        // The scenario and the keyboard reach the cluster without the cable, which only the lesson's client uses.
        let (client, keyboard) = match (cluster, &self.cable) {
            (Some(cluster), Some(cable)) => {
                let client = cluster.client(lab.namespace());
                (Some(client.clone()), Some(Keyboard::new(client, cable.clone(), printer.clone(), other_changes)))
            }
            _ => (None, None),
        };
        let all_is_shown = async {
            if let Some(scenario) = &self.scenario {
                let narrate_step = |step: &_| lab.narrate(&format!("{step}"), &format!("{step}"));
                let result = scenario.play(client.unwrap_or_else(|| lab.client()), lab.namespace(), narrate_step).await;
                match result {
                    // The user may have done the same step first, at the keyboard or with kubectl.
                    Err(error) if self.pace == Pace::Live && cluster.is_some() => {
                        lab.narrate(&format!("{error}; the scenario ends"), &format!("{error}；场景到此结束"));
                    }
                    result => {
                        result.map_err(|error| {
                            Failure::new(("the scenario cannot continue", "场景无法继续")).because(error)
                        })?;
                    }
                }
            }
            if let Some(keyboard) = &keyboard {
                wait_until_at_rest(cluster).await; // the last step's effects are printed above the hand-over
                keyboard.scenario_ends(lab);
            }
            match self.until {
                Until::AtRest => wait_until_at_rest(cluster).await,
                Until::Elapsed(_) | Until::Stopped => std::future::pending().await,
            }
            Ok(())
        };
        let typed = async {
            match &keyboard {
                Some(keyboard) => keyboard.carry_out_commands(lab).await,
                None => std::future::pending().await,
            }
        };
        let stop = lab.stop();
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(()),
            () = time_is_over => Ok(()),
            result = all_is_shown => result,
            () = typed => Ok(()),
        }
    }

    fn narrate_cluster(&self, lab: &Lab, address: &str) {
        let namespace = lab.namespace();
        lab.narrate(
            &format!("watching pods in namespace {namespace} of {address}"),
            &format!("正在 watch {address} 的 namespace {namespace} 中的 Pod"),
        );
    }

    fn narrate_commands(&self, lab: &Lab, kubeconfig: Option<&KubeconfigFile>) {
        let mut lines: Vec<String> = kubeconfig.iter().map(|file| file.export()).collect();
        let steps = self.by_hand.iter().flat_map(Scenario::steps);
        lines.extend(steps.map(|step| step.in_namespace(lab.namespace()).to_string()));
        if !lines.is_empty() {
            lab.narrate("in another terminal:", "在另一个终端执行：");
            lines.iter().for_each(|line| lab.narrate(line, line));
        }
    }
}

/// Waits until the cluster is at rest: nothing has happened for a while, and no event is scheduled.
async fn wait_until_at_rest(cluster: Option<&Cluster>) {
    loop {
        sleep(AT_REST).await;
        let Some(cluster) = cluster else { return };
        if cluster.settled().now_or_never().is_some() {
            return;
        }
        cluster.settled().await;
    }
}
