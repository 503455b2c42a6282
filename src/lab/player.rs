//! Plays a lesson: sets up its lab, runs it with its scenario, ends it, and prints it.

use std::io;
use std::net::TcpListener;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::clusters::Clusters;
use super::connect;
use super::defaults::{ClusterDefaults, Defaults};
use super::files;
use super::interrupt::Interrupt;
use super::keyboard;
use super::kubeconfig_file::KubeconfigFile;
use super::moments::Waits;
use super::serve;
use super::settings::{BuiltIn, Pace, Seed, Settings, Source};
use super::{Lab, Parts, Sink};
use crate::trace::{Failure, Printer, Record, Speed};
use kube_testcluster::{Cluster, Era, Scenario};

/// How long nothing must happen before a run ends, in the run's own time.
const AT_REST: Duration = Duration::from_secs(1);

/// The longest time to stop. Without a limit, a lesson that hangs would let virtual time wait for ever.
const STOPS_WITHIN: Duration = Duration::from_secs(3600);

/// The outputs and the speed of a run, and its interrupts.
pub struct Console {
    /// Standard output and standard error.
    pub printer: Printer,
    /// The speed at which a recorded run is printed.
    pub speed: Speed,
    /// Ctrl-C and SIGTERM.
    pub interrupt: Interrupt,
}

/// How a run ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything was shown.
    Done,
    /// The reader of standard output has gone.
    ReaderGone,
    /// A signal ended it, with this exit code.
    Interrupted(u8),
    /// The command ended, with this exit code.
    Command(u8),
}

impl Ended {
    /// The outcome of writing to standard output.
    pub(crate) fn of_writing(result: io::Result<()>) -> Result<Self> {
        match result {
            Ok(()) => Ok(Self::Done),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Self::ReaderGone),
            Err(error) => Err(anyhow::Error::new(error).context("cannot write to standard output")),
        }
    }
}

/// A lesson as a value, so that the player is not compiled once for each lesson.
pub struct LessonFn(Play);

type Play = Box<dyn for<'lab> FnOnce(&'lab Lab) -> LocalBoxFuture<'lab, Result<()>>>;

impl LessonFn {
    /// A lesson that the player can run.
    pub fn new(lesson: impl AsyncFnOnce(&Lab) -> Result<()> + 'static) -> Self {
        Self(Box::new(move |lab| lesson(lab).boxed_local()))
    }
}

/// Plays `lesson` with `defaults` and `settings`, and prints it.
///
/// # Errors
/// A file that cannot be used, a cluster that cannot be reached, a scenario that fails, or the lesson's own error.
pub fn play(defaults: &Defaults, settings: &Settings, console: &Console, lesson: LessonFn) -> Result<Ended> {
    let Played { records, result, reader_gone } = perform(defaults, settings, console, lesson)?;
    if let Some(code) = console.interrupt.code() {
        return Ok(Ended::Interrupted(code));
    }
    let shown = Ended::of_writing(console.printer.play(&records, console.speed, thread::sleep))?;
    result.map(|()| if reader_gone { Ended::ReaderGone } else { shown })
}

/// Plays a finite run and returns its records instead of printing them.
///
/// # Errors
/// As [`play`].
pub fn record(defaults: &Defaults, settings: &Settings, console: &Console, lesson: LessonFn) -> Result<Vec<Record>> {
    let Played { records, result, .. } = perform(defaults, settings, console, lesson)?;
    result.map(|()| records)
}

fn perform(defaults: &Defaults, settings: &Settings, console: &Console, lesson: LessonFn) -> Result<Played> {
    let pace = settings.pace();
    tracing::debug!(?settings, "playing");
    let setup = Setup::read(defaults, settings, &console.printer)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(pace == Pace::Virtual)
        .build()
        .context("cannot start the runtime")?;
    let stop = match pace {
        Pace::Live => console.interrupt.arm().context("cannot listen for Ctrl-C")?,
        Pace::Virtual => CancellationToken::new(),
    };
    let played = runtime.block_on(setup.run(stop, &console.printer, lesson));
    // A DNS lookup may still run on another thread. Do not wait for it.
    runtime.shutdown_background();
    Ok(played)
}

impl Seed {
    /// The seed's number. A random one is printed.
    pub fn draw(self, defaults: &Defaults, printer: &Printer) -> u64 {
        match self {
            Self::Default => defaults.seed,
            Self::Fixed(seed) => seed,
            Self::Random => {
                // Short, so that it can be typed again.
                let seed = fastrand::u64(0..1_000_000);
                printer.tell(&format!("--seed {seed}"), &format!("--seed {seed}"));
                seed
            }
        }
    }
}

/// The result of a run.
struct Played {
    records: Vec<Record>,
    result: Result<()>,
    reader_gone: bool,
}

impl Played {
    fn not_begun(result: Result<()>) -> Self {
        Self { records: Vec::new(), result, reader_gone: false }
    }
}

/// When a run ends by itself.
#[derive(Clone, Copy, Debug)]
enum Until {
    AtRest,
    Elapsed(Duration),
    Stopped,
}

/// Everything that is known before the clock starts.
struct Setup<'a> {
    settings: &'a Settings,
    cluster: Option<&'a ClusterDefaults>,
    seed: u64,
    until: Until,
    scenario: Option<Scenario>,
    /// The scenario that the reader is asked to perform.
    by_hand: Option<Scenario>,
    listener: Option<TcpListener>,
    /// The listener of `--listen`.
    cluster_listener: Option<TcpListener>,
}

impl<'a> Setup<'a> {
    fn read(defaults: &'a Defaults, settings: &'a Settings, printer: &Printer) -> Result<Self> {
        let cluster = defaults.cluster.as_ref();
        let until = match (settings.limit, settings.pace(), defaults.lasts) {
            (Some(limit), _, _) => Until::Elapsed(limit),
            (None, Pace::Live, _) => Until::Stopped,
            (None, Pace::Virtual, Some(lasts)) => Until::Elapsed(lasts),
            (None, Pace::Virtual, None) => Until::AtRest,
        };
        let usual = cluster.and_then(|cluster| cluster.scenario);
        let source = files::source(settings.scenario.as_deref(), "the scenario file", usual)?;
        let scenario = source.map(|source| Scenario::from_yaml(&source.text, &source.name)).transpose()?;
        // On a cluster that the reader can reach, the default scenario is not played; the reader can perform it.
        let reachable = matches!(settings.source, Source::Real(_)) || settings.listen.is_some();
        let (scenario, by_hand) =
            if reachable && settings.scenario.is_none() { (None, scenario) } else { (scenario, None) };
        let listener = settings.serve.map(|address| serve::listen(address, "--serve")).transpose()?;
        let cluster_listener = settings.listen.map(|address| serve::listen(address, "--listen")).transpose()?;
        let seed = settings.seed.draw(defaults, printer);
        Ok(Self { settings, cluster, seed, until, scenario, by_hand, listener, cluster_listener })
    }

    async fn run(mut self, stop: CancellationToken, printer: &Printer, lesson: LessonFn) -> Played {
        let began = Instant::now(); // connecting counts
        let clusters = tokio::select! {
            biased;
            () = stop.cancelled() => return Played::not_begun(Ok(())),
            clusters = Clusters::reach(self.cluster, self.settings, self.seed) => clusters,
        };
        let opened = clusters.and_then(|mut clusters| {
            let kubeconfig = clusters.open(self.cluster_listener.take())?;
            Ok((clusters, kubeconfig))
        });
        let (Clusters { client, cluster, real, each_era, others }, kubeconfig) = match opened {
            Ok(opened) => opened,
            Err(error) => return Played::not_begun(Err(error)),
        };
        let sink = match self.settings.pace() {
            Pace::Virtual => Sink::Recorded(Mutex::default()),
            Pace::Live => Sink::Live(printer.clone()),
        };
        let lab = Lab::new(Parts {
            client,
            each_era,
            namespace: self.settings.namespace.clone(),
            stop: stop.clone(),
            sink,
            seed: self.seed,
            era: self.era(),
            waits: if real.is_some() { Waits::Never } else { Waits::Seeded },
            listener: self.listener.take(),
        });
        if let Some(address) = real {
            self.welcome(&lab, &address);
        }
        self.tell_what_to_type(&lab, kubeconfig.as_ref());
        if matches!(self.until, Until::Stopped) {
            lab.tell("Ctrl-C ends", "按 Ctrl-C 结束");
        }
        let result = self.play(&lab, cluster.as_ref(), lesson, began).await;
        stop.cancel();
        let result = lab.take_failure().map_or(result, Err);
        for cluster in cluster.into_iter().chain(others) {
            cluster.shutdown().await;
        }
        let result = result.map_err(|error| connect::explain(error, &self.settings.namespace));
        Played { records: lab.take_records(), result, reader_gone: lab.reader_gone() }
    }

    /// Runs the lesson together with everything that can end it.
    async fn play(&self, lab: &Lab, cluster: Option<&Cluster>, lesson: LessonFn, began: Instant) -> Result<()> {
        let mut lesson = (lesson.0)(lab);
        let ended = tokio::select! {
            biased;
            result = &mut lesson => return result,
            ended = self.end(lab, cluster, began) => ended,
        };
        if let Err(error) = ended {
            lab.fail(error);
        }
        lab.stop().cancel();
        match self.settings.pace() {
            Pace::Live => lesson.await,
            Pace::Virtual => timeout(STOPS_WITHIN, lesson)
                .await
                .unwrap_or_else(|_| Err(Failure::new("the lesson does not stop").into())),
        }
    }

    /// Plays the scenario, and returns when the run must end.
    async fn end(&self, lab: &Lab, cluster: Option<&Cluster>, began: Instant) -> Result<()> {
        let time_is_over = async {
            match self.until {
                Until::Elapsed(limit) => sleep(limit.saturating_sub(began.elapsed())).await,
                Until::AtRest | Until::Stopped => std::future::pending().await,
            }
        };
        let all_is_shown = async {
            if let Some(scenario) = &self.scenario {
                let told = |step: &_| lab.tell(&format!("{step}"), &format!("{step}"));
                let played = scenario.play(lab.client(), lab.namespace(), told).await;
                match played {
                    // The reader may have done the same step first, at the keyboard or with kubectl.
                    Err(error) if self.settings.pace() == Pace::Live && cluster.is_some() => {
                        lab.tell(&format!("{error}; the scenario ends"), &format!("{error}；场景到此结束"));
                    }
                    played => {
                        played.map_err(|error| Failure::new("the scenario cannot go on").because(error))?;
                    }
                }
            }
            match self.until {
                Until::AtRest => rest(cluster).await,
                Until::Elapsed(_) | Until::Stopped => std::future::pending().await,
            }
            Ok(())
        };
        let typed = async {
            match (self.settings.pace(), cluster) {
                (Pace::Live, Some(_)) => keyboard::perform_typed_steps(lab).await,
                _ => std::future::pending().await,
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

    fn era(&self) -> Era {
        match &self.settings.source {
            Source::BuiltIn(BuiltIn { era, .. }) => *era,
            Source::Real(_) => Era::Classic,
        }
    }

    /// Tells which real cluster is watched.
    fn welcome(&self, lab: &Lab, address: &str) {
        let namespace = lab.namespace();
        lab.tell(
            &format!("watching pods in namespace {namespace} of {address}"),
            &format!("正在监听 {address} 的 {namespace} 命名空间中的 Pod"),
        );
    }

    /// Tells what to type into a second terminal.
    fn tell_what_to_type(&self, lab: &Lab, kubeconfig: Option<&KubeconfigFile>) {
        let mut lines: Vec<String> = kubeconfig.iter().map(|file| file.export()).collect();
        let steps = self.by_hand.iter().flat_map(Scenario::steps);
        lines.extend(steps.map(|step| step.in_namespace(lab.namespace()).to_string()));
        if !lines.is_empty() {
            let lines = lines.join("\n");
            lab.tell(&format!("in another terminal:\n{lines}"), &format!("在另一个终端执行：\n{lines}"));
        }
    }
}

/// Returns when nothing has happened for a while and nothing will.
async fn rest(cluster: Option<&Cluster>) {
    loop {
        sleep(AT_REST).await;
        let Some(cluster) = cluster else { return };
        if cluster.settled().now_or_never().is_some() {
            return;
        }
        cluster.settled().await;
    }
}
