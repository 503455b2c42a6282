//! `informer-lab cluster`: the built-in cluster for other programs. It runs until it is stopped, or as long as its
//! command runs.

mod command;
mod controllers;
pub(crate) mod files;
mod kubeconfig_file;
mod listen;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use tokio_util::sync::CancellationToken;

use crate::console::{Console, Ended};
use crate::trace::{Failure, Printer};
use kube_testcluster::{Admin, Cluster, ClusterBuilder, Era, Fault, Scenario, pods_from_yaml};

pub use controllers::{Admission, Controllers};
pub use files::{Fixture, PODS_OF_THE_BOOK};
pub(crate) use kubeconfig_file::KubeconfigFile;
pub(crate) use listen::listen;

/// The options of `informer-lab cluster`.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// A loopback address; port 0 takes a free port.
    pub listen: SocketAddr,
    /// The path of the kubeconfig; `None` for a temporary file.
    pub kubeconfig: Option<PathBuf>,
    /// Which API server it simulates.
    pub era: Era,
    /// How many nodes it has.
    pub nodes: usize,
    /// Whether it is the API server alone, whatever the next two say.
    pub bare: bool,
    /// Which controllers run in it.
    pub controllers: Controllers,
    /// What is added to new pods and namespaces.
    pub admission: Admission,
    /// The pods at the start.
    pub pods: Option<Pods>,
    /// The scenario file to play.
    pub scenario: Option<PathBuf>,
    /// The kubelet's stages: a file, or a name in [`Stages::NAMES`](kube_testcluster::Stages::NAMES).
    pub stages: Option<PathBuf>,
    /// The faults to start with.
    pub faults: Vec<Fault>,
    /// Whether faults can be started over HTTP.
    pub admin: Admin,
    /// The command to run beside it; empty for none.
    pub command: Vec<OsString>,
}

/// The pods of a cluster at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pods {
    /// This many running pods.
    Crowd(usize),
    /// The pods in a file.
    File(PathBuf),
}

/// The default of `--stages`.
const USUAL_STAGES: &str = "run";

/// Runs the cluster until a signal comes or its command ends.
///
/// # Errors
/// A file that cannot be used, an address that cannot be bound, or a command that cannot be run.
pub fn run(settings: &ClusterSettings, console: &Console) -> Result<Ended> {
    let builder = builder(settings)?;
    let scenario = files::source(settings.scenario.as_deref(), "the scenario file", None)?
        .map(|source| source.parsed(files::SCENARIO, Scenario::from_yaml))
        .transpose()?;
    let listener = listen(settings.listen, "--listen")?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start the runtime")?;
    runtime.block_on(async {
        let mut cluster = builder.start();
        // Not earlier: a signal while many pods are created should end the process at once.
        let stop = console.interrupt.arm().context("cannot listen for Ctrl-C")?;
        let address =
            cluster.serve(listener).map_err(|error| Failure::new(("cannot listen", "无法监听端口")).because(error))?;
        let kubeconfig = KubeconfigFile::write(address, settings.kubeconfig.as_deref())?;
        settings.faults.iter().for_each(|fault| cluster.faults().start(fault.clone()));
        let playing = tokio::spawn(play(scenario, cluster.client("default"), console.printer.clone(), stop.clone()));
        let ended = if settings.command.is_empty() {
            stand(address, &kubeconfig, console, &stop).await
        } else {
            let path = std::path::absolute(kubeconfig.path()).context("there is no current directory")?;
            command::run(&settings.command, &path, &stop, &console.interrupt, &console.printer)
                .await
                .map(Ended::Command)
        };
        stop.cancel();
        // A panic of a task has been reported already.
        let _ = playing.await;
        cluster.shutdown().await;
        ended
    })
}

fn builder(settings: &ClusterSettings) -> Result<ClusterBuilder> {
    let stages = files::stages(settings.stages.as_deref().or(Some(Path::new(USUAL_STAGES))), None)?;
    let builder = Cluster::builder().era(settings.era).seed(fastrand::u64(..)).nodes(settings.nodes).stages(stages);
    let builder = builder.controllers(settings.controllers.into()).admission(settings.admission.into());
    let builder = builder.admin(settings.admin).first_revision(revision_of_the_clock());
    let builder = if settings.bare { builder.bare() } else { builder };
    Ok(match &settings.pods {
        None => builder,
        Some(Pods::Crowd(number)) => builder.crowd(*number),
        Some(Pods::File(path)) => {
            let source = files::source(Some(path), "the pods file", None)?.expect("a file was named");
            builder.pods(source.parsed(files::PODS, |text, name| pods_from_yaml(text, name, "default"))?)
        }
    })
}

/// The first revision of a cluster that other programs can reach: the microseconds since 1970. No cluster writes that
/// often, so a resourceVersion of an earlier cluster at the same address is too old, and its clients list again.
pub(crate) fn revision_of_the_clock() -> u64 {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}

/// Prints where the cluster is, and waits for a signal.
async fn stand(
    address: SocketAddr,
    kubeconfig: &KubeconfigFile,
    console: &Console,
    stop: &CancellationToken,
) -> Result<Ended> {
    let printer = &console.printer;
    let said = printer.page(&format!("http://{address}")).and_then(|()| {
        printer.tell("in another terminal:", "在另一个终端执行：");
        printer.page(&kubeconfig.export())
    });
    if let Ended::ReaderGone = Ended::of_writing(said)? {
        tracing::debug!("nobody reads where the cluster is");
    }
    printer.tell("Ctrl-C ends", "按 Ctrl-C 结束");
    stop.cancelled().await;
    Ok(console.interrupt.code().map_or(Ended::Done, Ended::Interrupted))
}

/// Plays the scenario. If a step fails, it reports the error, and the cluster keeps running.
async fn play(scenario: Option<Scenario>, client: kube::Client, printer: Printer, stop: CancellationToken) {
    let Some(scenario) = scenario else { return };
    let told = |step: &_| printer.tell(&format!("{step}"), &format!("{step}"));
    if let Some(Err(error)) = stop.run_until_cancelled(scenario.play(client, "default", told)).await {
        printer.report(&Failure::new(("the scenario cannot go on", "场景无法继续")).because(error).into());
    }
}
