//! The commands of a live run, typed into the terminal or sent by the board's page.

use std::io::{self, IsTerminal};
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::ListParams;
use tokio::sync::mpsc::Receiver;

use super::Lab;
use super::cable::Cable;
use crate::console::{Followers, Typing};
use crate::trace::{Lang, Pipeline, Printer, Slot, in_one_line};
use kube_testcluster::Step;

#[derive(Debug, PartialEq, Eq)]
enum Command {
    Help,
    /// List the pods of the cluster.
    Get,
    /// Show the lesson's store.
    Store,
    /// Show the lesson's queue.
    Queue,
    /// Let every Reflector resync now.
    Resync,
    /// Add a handler to the running informer.
    Late,
    /// Let each handler of `late` take this long for a notification.
    Slow(Duration),
    /// Pull out the cable between the lesson and the cluster.
    Cut,
    /// Plug the cable in again.
    Heal,
    /// Change an object in the cluster, or start a fault.
    Step(Step),
}

/// The command `help`: each command with its meaning in English and Chinese.
const HELP: [(&str, &str, &str); 14] = [
    ("run NAME", "create a pod", "创建 Pod"),
    ("delete NAME", "delete it", "删除 Pod"),
    ("label NAME KEY=VALUE", "set a label; KEY- removes it", "打 label；KEY- 去掉"),
    ("scale NAME REPLICAS", "scale a ReplicaSet", "改变 ReplicaSet 的副本数"),
    ("get", "list the pods of the cluster", "列出集群里的 Pod"),
    ("store", "show the store of the lesson", "显示本课的 store"),
    ("queue", "show the queue of the lesson", "显示本课的队列"),
    (
        "fault FAULT",
        "start a fault, such as hide-events:times=1 or compact",
        "注入故障，例如 hide-events:times=1、compact",
    ),
    ("resync", "deliver the store's objects again", "把 store 里的对象再派发一遍"),
    (
        "late",
        "add a handler to the running informer of the lessons late and synced",
        "给 late、synced 两课正在运行的 informer 加一个 handler",
    ),
    (
        "slow MS",
        "set the time that a handler of late takes for a notification",
        "late 加入的 handler 处理一个通知要多少毫秒",
    ),
    ("cut", "cut the connection between the lesson and the cluster", "切断本课与集群之间的连接"),
    ("heal", "connect them again", "恢复连接"),
    ("Ctrl-C", "end the run", "结束运行"),
];

/// Carries out the commands of one live run. Its client does not go through the lesson's cable.
pub(super) struct Keyboard {
    client: kube::Client,
    cable: Cable,
    printer: Printer,
    other_changes: OtherChanges,
}

/// The other source of changes to the cluster while the user types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherChanges {
    /// A scenario changes the cluster too, until this time after the start.
    Scenario { until: Duration },
    /// No scenario: only the user changes the cluster.
    Nothing,
}

impl Keyboard {
    pub(super) fn new(client: kube::Client, cable: Cable, printer: Printer, other_changes: OtherChanges) -> Self {
        Self { client, cable, printer, other_changes }
    }

    /// Carries out each line that is typed or sent. Never returns: the caller drops it when the run ends.
    pub(super) async fn carry_out_commands(&self, lab: &Lab) {
        let mut typing = Typing::begin(&self.printer);
        let mut sent = lab.followers().and_then(Followers::take_commands);
        if io::stdin().is_terminal() {
            match self.other_changes {
                OtherChanges::Nothing => hand_over(lab),
                OtherChanges::Scenario { until } => announce_scenario(lab, until),
            }
        }
        loop {
            let line = tokio::select! {
                Some(line) = next_typed(&mut typing) => line,
                Some(line) = next_sent(&mut sent) => line,
                else => return std::future::pending().await, // no more commands come, but the run goes on
            };
            if line.trim().is_empty() {
                continue;
            }
            match Command::parse(&line) {
                Ok(command) => {
                    if let Err(error) = self.carry_out(command, lab).await {
                        lab.narrate(&in_one_line(&error, Lang::En), &in_one_line(&error, Lang::Zh));
                    }
                }
                Err(expected) => {
                    let (en, zh) = not_understood(line.trim(), &expected);
                    lab.narrate(&en, &zh);
                }
            }
        }
    }

    /// Hands the cluster over to the user at the end of the scenario, if there was one.
    pub(super) fn scenario_ends(&self, lab: &Lab) {
        let can_type = io::stdin().is_terminal() || lab.followers().is_some();
        if can_type && self.other_changes != OtherChanges::Nothing {
            hand_over(lab);
        }
    }

    async fn carry_out(&self, command: Command, lab: &Lab) -> Result<()> {
        match command {
            Command::Help => {
                for (typed, en, zh) in HELP {
                    lab.narrate(&format!("{typed:<22}{en}"), &format!("{typed:<22}{zh}"));
                }
            }
            Command::Get => {
                let pods: Api<Pod> = Api::namespaced(self.client.clone(), lab.namespace());
                let pods = pods.list(&ListParams::default()).await?;
                if pods.items.is_empty() {
                    lab.narrate("no pods", "没有 Pod");
                }
                narrate_each(lab, pods.iter().map(pod_line));
            }
            Command::Store => {
                if lacks_store(lab) {
                    lab.narrate("this lesson has no store", "这一课没有 store");
                    return Ok(());
                }
                let stores = lab.picture().pipelines.into_values().map(|pipeline| pipeline.store);
                let line = |(key, version)| format!("{key}  resourceVersion {version}");
                show(lab, stores.flatten().map(line).collect());
            }
            Command::Queue => {
                if lacks(lab, |pipeline| pipeline.queue_name.is_some()) {
                    lab.narrate("this lesson has no queue", "这一课没有队列");
                    return Ok(());
                }
                let queues = lab.picture().pipelines.into_values().map(|pipeline| pipeline.queue);
                show(lab, queues.flatten().map(slot_line).collect());
            }
            Command::Resync if self.cable.is_out() => lab.narrate(
                "the resync timer runs only while a Reflector watches, and the connection is cut: type heal first",
                "Reflector 只有在 watch 期间才会 resync，而连接已切断：先输入 heal",
            ),
            Command::Resync => match lab.resync() {
                0 => lab.narrate(
                    "the resync timer runs only while a Reflector watches, and no Reflector watches now",
                    "Reflector 只有在 watch 期间才会 resync，而现在没有 Reflector 在 watch",
                ),
                _ if lacks_store(lab) => lab.narrate(
                    "there is nothing to deliver: this DeltaFIFO has no known objects",
                    "没有可以派发的对象：这个 DeltaFIFO 没有 known objects",
                ),
                _ => lab.narrate("resync", "resync"),
            },
            Command::Late => drop(late(lab)?),
            Command::Slow(takes) => {
                if lab.latecomers().any() || late(lab)? {
                    lab.latecomers().slow_down(takes);
                    let ms = takes.as_millis();
                    lab.narrate(
                        &format!("the handlers that you added take {ms} ms for each notification"),
                        &format!("你加入的 handler 处理每个通知要 {ms} 毫秒"),
                    );
                }
            }
            Command::Cut => match self.cable.pull_out() {
                true => lab.narrate("the connection is cut; heal connects it again", "连接已切断；输入 heal 恢复"),
                false => lab.narrate("it is cut already; heal connects it again", "连接早已切断；输入 heal 恢复"),
            },
            Command::Heal => match self.cable.plug_in() {
                true => lab.narrate(
                    "connected again; the next attempt gets through, after its back-off",
                    "连接已恢复；退避结束后的下一次重试就能成功",
                ),
                false => lab.narrate("nothing was cut", "连接没有被切断过"),
            },
            Command::Step(step) => {
                lab.narrate(&step.to_string(), &step.to_string());
                step.perform(&self.client, lab.namespace()).await?;
            }
        }
        Ok(())
    }
}

/// Announces that a scenario changes the cluster first.
fn announce_scenario(lab: &Lab, until: Duration) {
    let seconds = until.as_secs() + u64::from(until.subsec_nanos() > 0);
    lab.narrate(
        &format!(
            "first comes the lesson's own scenario, {seconds} s: it prints the lines with kubectl. Then it is your turn"
        ),
        &format!("先执行本课自己的场景，需要 {seconds} 秒：带 kubectl 的行就是场景的步骤。之后轮到你"),
    );
}

/// Announces that only the user's commands change the cluster from now on.
fn hand_over(lab: &Lab) {
    lab.narrate(
        "your turn: type run NAME, delete NAME, scale NAME REPLICAS, cut, heal, get … ; help lists everything",
        "轮到你了：可以输入 run NAME、delete NAME、scale NAME REPLICAS、cut、heal、get 等；help 列出全部",
    );
}

/// Returns the next line from the terminal, or `None` if standard input has ended or is not read.
async fn next_typed(typing: &mut Option<Typing>) -> Option<String> {
    typing.as_mut()?.next().await
}

/// Returns the next line from a browser.
async fn next_sent(sent: &mut Option<Receiver<String>>) -> Option<String> {
    sent.as_mut()?.recv().await
}

impl Command {
    /// Parses a line. A line that is not a command of this file is a step of a scenario, such as `run web`.
    fn parse(line: &str) -> Result<Self, String> {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["help" | "?"] => Ok(Self::Help),
            ["get"] | ["get", "pods" | "pod" | "po"] | ["kubectl", "get", "pods" | "pod" | "po"] => Ok(Self::Get),
            ["store"] => Ok(Self::Store),
            ["queue"] => Ok(Self::Queue),
            ["resync"] => Ok(Self::Resync),
            ["late"] => Ok(Self::Late),
            ["slow", ms] => match ms.parse() {
                Ok(ms) if ms <= MOST_MS => Ok(Self::Slow(Duration::from_millis(ms))),
                _ => Err(format!("expected slow MS, a number of milliseconds up to {MOST_MS}: {ms}")),
            },
            ["slow", ..] => Err("expected slow MS, such as slow 2000".to_owned()),
            ["cut"] => Ok(Self::Cut),
            ["heal"] => Ok(Self::Heal),
            _ => line.parse().map(Self::Step),
        }
    }
}

/// Returns the usage of the command that the line begins with, or the list of commands.
fn not_understood(typed: &str, expected: &str) -> (String, String) {
    let first = typed.split_whitespace().next().unwrap_or_default();
    let usage = HELP.iter().map(|(usage, _, _)| *usage).find(|usage| usage.split(' ').next() == Some(first));
    match usage {
        Some(usage) => {
            // The parser's message lists every step's form; only this command's form helps here.
            let expected = match expected.starts_with("expected run") {
                true => format!("{typed}: expected {usage}"),
                false => expected.to_owned(),
            };
            (format!("{expected}; help lists everything"), format!("看不懂“{typed}”：应为 {usage}；help 列出全部"))
        }
        None => {
            let all: Vec<_> = HELP.iter().map(|(usage, _, _)| *usage).filter(|usage| *usage != "Ctrl-C").collect();
            (
                format!("{typed} is not a command: {}, help; Ctrl-C ends the run", all.join(", ")),
                format!("没有 {typed} 这个命令，可以输入：{}、help；Ctrl-C 结束运行", all.join("、")),
            )
        }
    }
}

/// The longest time of a handler for a notification, in milliseconds.
const MOST_MS: u64 = 60_000;

/// Adds a handler. Returns false if the lesson has no informer that takes one.
fn late(lab: &Lab) -> Result<bool> {
    let informers = lab.latecomers().join(lab)?;
    match informers {
        0 => lab.narrate(
            "this lesson takes no other handler: the command works in the lessons late and synced",
            "这一课不能再加 handler：这个命令只用于 late 和 synced 两课",
        ),
        _ => lab.narrate(
            "a handler is added: it first receives the objects in the store",
            "又加入一个 handler：它先收到 store 里已有的对象",
        ),
    }
    Ok(informers > 0)
}

fn lacks_store(lab: &Lab) -> bool {
    lacks(lab, |pipeline| pipeline.has_store)
}

/// Returns true if the lesson certainly lacks a part (a store or a queue). The picture learns of a part only from the
/// part's first event, so the lack is certain only after the first list has passed through, or if no Reflector brings
/// in objects.
fn lacks(lab: &Lab, has: fn(&Pipeline) -> bool) -> bool {
    let pipelines = lab.picture().pipelines;
    let any = |is: fn(&Pipeline) -> bool| pipelines.values().any(is);
    let first_list_passed = any(|pipeline| pipeline.queue_name.is_some() || !pipeline.listed.is_empty());
    (first_list_passed || !any(|pipeline| pipeline.reflects)) && !any(has)
}

fn show(lab: &Lab, lines: Vec<String>) {
    if lines.is_empty() {
        lab.narrate("empty", "空");
    }
    narrate_each(lab, lines);
}

fn narrate_each(lab: &Lab, lines: impl IntoIterator<Item = String>) {
    lines.into_iter().for_each(|line| lab.narrate(&line, &line));
}

fn slot_line(slot: Slot) -> String {
    let deltas: Vec<_> = slot.deltas.into_iter().map(|delta| delta.delta).collect();
    format!("{}  {}", slot.key, deltas.join(", "))
}

fn pod_line(pod: &Pod) -> String {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default();
    let version = pod.metadata.resource_version.as_deref().unwrap_or_default();
    format!("{name}  {phase}  resourceVersion {version}")
}
