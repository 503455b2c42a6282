//! Runs `informer-lab cluster` with its options.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Node;
use kube::Api;
use kube::api::ListParams;
use tokio_util::sync::CancellationToken;

use super::command::ProcessGroup;
use super::{
    Authorization, ClusterSettings, KubeconfigFile, Pods, command, files, listen, manifests, revision_of_the_clock,
    security,
};
use crate::console::{Console, Ended};
use crate::trace::{Failure, Printer};
use kube_testcluster::{Cluster, ClusterBuilder, DataError, Scenario, node_templates_from_yaml, pods_from_yaml};

/// The stages of a cluster without `--stages`.
const DEFAULT_STAGES: &str = "run";

/// Runs the cluster until a signal comes or its command ends.
///
/// # Errors
/// A file cannot be used, an address cannot be bound, or a command cannot be run.
pub fn run(settings: &ClusterSettings, console: &Console) -> Result<Ended> {
    let builder = builder(settings)?;
    let scenario = files::input_file(settings.scenario.as_deref(), "the scenario file", None)?
        .map(|source| source.parsed(files::SCENARIO, Scenario::from_yaml))
        .transpose()?;
    let manifests = manifests::read(&settings.manifests, std::io::stdin())?;
    let listener = listen(settings.listen, "--listen")?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start the runtime")?;
    runtime.block_on(async {
        let mut cluster = match &settings.data {
            None => builder.start(),
            Some(folder) => builder.start_in(folder).map_err(|error| data_failure(folder, error))?,
        };
        // Armed only now, so that a signal while many pods are created ends the process at once.
        let stop = console.interrupt.arm().context("cannot listen for Ctrl-C")?;
        // After `start_in`, because the key of a kept authority is in the cluster's folder.
        let (served, credentials) = match security::secure_serving(settings)? {
            None => (cluster.serve(listener), None),
            Some((serving, credentials)) => (cluster.serve_securely(listener, serving), Some(credentials)),
        };
        let address =
            reachable_address(served.map_err(|error| Failure::new(("cannot listen", "无法监听端口")).because(error))?);
        let scheme = if credentials.is_some() { "https" } else { "http" };
        let kubeconfig = KubeconfigFile::write_with(address, credentials.as_ref(), settings.kubeconfig.as_deref())?;
        if let Some(folder) = settings.data.as_deref().filter(|_| cluster.is_continued()) {
            announce_data(folder, settings, &console.printer);
        }
        if settings.authorization == Authorization::Rbac && credentials.is_none() {
            warn_that_tokens_need_tls(&console.printer);
        }
        let client = cluster.client("default");
        let introduction = introduction(client.clone()).await.context("the cluster does not answer")?;
        let kept = manifests::create(&client, &manifests).await?;
        if !cluster.is_continued() {
            kept.iter().for_each(|kept| announce_kept(kept, &console.printer));
        }
        settings.faults.iter().for_each(|fault| cluster.faults().start(fault.clone()));
        let playing = tokio::spawn(play_scenario(scenario, client, console.printer.clone(), stop.clone()));
        let ended = if settings.command.is_empty() {
            console.printer.notice(&introduction.0, &introduction.1);
            wait_for_signal(&format!("{scheme}://{address}"), &kubeconfig, console, &stop).await
        } else {
            let signals = console.interrupt.hand_over();
            command::run(&settings.command, &kubeconfig, ProcessGroup::choose(), signals, &console.printer)
                .await
                .map(Ended::Command)
        };
        stop.cancel();
        // A panic of the task has been reported already.
        let _ = playing.await;
        cluster.shutdown().await;
        ended
    })
}

/// Returns the address at which this machine reaches a listener. A listener on all addresses is reached at the loopback
/// address.
fn reachable_address(listener: SocketAddr) -> SocketAddr {
    let ip = match listener.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listener.port())
}

/// Introduces the cluster in English and Chinese: the program's version, the version of the API, and the nodes. Call
/// this before the faults start, because they apply to its requests too.
async fn introduction(client: kube::Client) -> kube::Result<(String, String)> {
    let (program, kubernetes) = (env!("CARGO_PKG_VERSION"), client.apiserver_version().await?.git_version);
    let nodes = Api::<Node>::all(client).list_metadata(&ListParams::default()).await?.items.len();
    let counted = match nodes {
        0 => "no nodes".to_owned(),
        1 => "1 node".to_owned(),
        more => format!("{more} nodes"),
    };
    Ok((
        format!("informer-lab {program}: an API server like that of Kubernetes {kubernetes}, with {counted}"),
        format!("informer-lab {program}：API server 相当于 Kubernetes {kubernetes}，{nodes} 个节点"),
    ))
}

/// Announces that the folder of `--data` holds a cluster already, which continues, and names the given options that
/// have no effect on it.
fn announce_data(folder: &Path, settings: &ClusterSettings, printer: &Printer) {
    let folder = folder.display();
    let given = [
        ("--nodes", settings.nodes.is_some()),
        ("--node-template", settings.node_template.is_some()),
        ("--pods", settings.pods.is_some()),
    ];
    let ignored: Vec<_> = given.into_iter().filter_map(|(option, given)| given.then_some(option)).collect();
    if ignored.is_empty() {
        printer.notice(&format!("continues with the data in {folder}"), &format!("继续使用 {folder} 里的数据"));
        return;
    }
    let are = if ignored.len() == 1 { "is" } else { "are" };
    printer.notice(
        &format!(
            "continues with the data in {folder}: {} {are} ignored, because the cluster keeps those of its first start",
            ignored.join(" and ")
        ),
        &format!("继续使用 {folder} 里的数据：忽略 {}，因为这个集群沿用首次启动时的设置", ignored.join("、")),
    );
}

/// Announces that an object of a manifest existed already, because a part of the manifest then has no effect.
fn announce_kept(object: &str, printer: &Printer) {
    printer.notice(&format!("{object} exists already and stays as it is"), &format!("{object} 已经存在，保持不变"));
}

/// Warns that clients send no token without TLS, because a test of an account's permissions would then see everything
/// allowed.
fn warn_that_tokens_need_tls(printer: &Printer) {
    printer.notice(
        "kubectl and client-go send tokens over HTTPS only: without --tls, such requests carry no token and run as the administrator",
        "kubectl 和 client-go 只在 HTTPS 上发送 token：没有 --tls 时，即使配置了 token，请求也会被当作管理员的",
    );
}

fn data_failure(folder: &Path, error: DataError) -> Failure {
    let shown = folder.display();
    match error {
        DataError::InUse(_) => Failure::new((
            format!("another cluster uses the folder {shown}"),
            format!("另一个集群正在使用目录 {shown}"),
        ))
        .next(("stop the other cluster, or choose another folder", "请停止那个集群，或换一个目录")),
        DataError::NotACluster(_) => Failure::new((
            format!("{shown} has other files, and no data of a cluster"),
            format!("目录 {shown} 里没有集群数据，却有别的文件"),
        ))
        .next(("choose an empty folder, or one that does not exist yet", "请换一个空目录，或尚不存在的目录")),
        DataError::Newer(_) => Failure::new((
            format!("the data in {shown} was written by a newer informer-lab"),
            format!("目录 {shown} 里的数据是由较新版本的 informer-lab 写入的"),
        ))
        .next(("use that version, or choose another folder", "请使用那个版本，或换一个目录")),
        DataError::Unusable { .. } if folder.is_file() => {
            Failure::new((format!("{shown} is a file, not a folder"), format!("{shown} 是文件，不是目录")))
                .next(("choose another folder", "请换一个目录"))
        }
        DataError::Unusable { path, why } => {
            let path = path.display();
            Failure::new((format!("cannot read or write {path}"), format!("无法读写 {path}")))
                .because(why)
                .next(("fix the cause, or choose another folder", "请先解决这个问题，或换一个目录"))
        }
        error => {
            let failure = Failure::new((
                format!("cannot use the data in {shown}: {error}"),
                format!("无法使用 {shown} 里的数据：{error}"),
            ));
            failure.next((
                "restore an earlier copy of the folder, or choose another folder",
                "请用之前的备份替换这个目录，或换一个目录",
            ))
        }
    }
}

fn builder(settings: &ClusterSettings) -> Result<ClusterBuilder> {
    let stages = files::stages(settings.stages.as_deref().or(Some(Path::new(DEFAULT_STAGES))), None)?;
    let builder =
        Cluster::builder().era(settings.era).seed(fastrand::u64(..)).nodes(settings.nodes.unwrap_or(1)).stages(stages);
    let builder = builder.controllers(settings.controllers.into()).admission(settings.admission.into());
    let builder = builder.scheduling(settings.scheduler.into()).heartbeats(settings.heartbeats);
    let builder = builder.authorization(settings.authorization.into());
    let builder = builder.managed_fields(settings.managed_fields.into());
    let builder = builder.max_events(settings.events).admin(settings.admin).first_revision(revision_of_the_clock());
    let builder = match files::input_file(settings.node_template.as_deref(), "the file of nodes", None)? {
        None => builder,
        Some(source) => {
            let templates = source.parsed(files::NODES, node_templates_from_yaml)?;
            builder.nodes(settings.nodes.unwrap_or(templates.len())).node_templates(templates)
        }
    };
    let builder = if settings.bare { builder.bare() } else { builder };
    Ok(match &settings.pods {
        None => builder,
        Some(Pods::Crowd(number)) => builder.crowd(*number),
        Some(Pods::File(path)) => {
            let source = files::input_file(Some(path), "the pods file", None)?.expect("a file was named");
            builder.pods(source.parsed(files::PODS, |text, name| pods_from_yaml(text, name, "default"))?)
        }
    })
}

/// Prints the cluster's address and the command that sets KUBECONFIG, and waits for a signal.
async fn wait_for_signal(
    url: &str,
    kubeconfig: &KubeconfigFile,
    console: &Console,
    stop: &CancellationToken,
) -> Result<Ended> {
    let printer = &console.printer;
    let printed = printer.page(url).and_then(|()| {
        printer.notice("in another terminal:", "在另一个终端执行：");
        printer.page(&kubeconfig.export())
    });
    if let Ended::ReaderGone = Ended::from_write(printed)? {
        tracing::debug!("the reader of standard output has gone before the cluster's address was printed");
    }
    printer.notice("Ctrl-C ends", "按 Ctrl-C 结束");
    stop.cancelled().await;
    Ok(console.interrupt.code().map_or(Ended::Done, Ended::Interrupted))
}

/// Plays the scenario. If a step fails, reports the error, and the cluster keeps running.
async fn play_scenario(scenario: Option<Scenario>, client: kube::Client, printer: Printer, stop: CancellationToken) {
    let Some(scenario) = scenario else { return };
    let print_step = |step: &_| printer.notice(&format!("{step}"), &format!("{step}"));
    if let Some(Err(error)) = stop.run_until_cancelled(scenario.play(client, "default", print_step)).await {
        printer.report(&Failure::new(("the scenario cannot continue", "场景无法继续")).because(error).into());
    }
}
