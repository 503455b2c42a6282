//! Loads the kubeconfig of a real cluster (`--cluster`), and explains kube's errors.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

use super::settings::{HOW_TO_NAME_ONE, Target};
use crate::trace::Failure;

/// Loads the configuration that `target` names. Writes nothing.
///
/// Without a file in `target`, it merges the files of `$KUBECONFIG`; else it reads `~/.kube/config`; else it uses the
/// service account of the pod in which this program runs.
pub(super) async fn load(target: &Target) -> Result<Config> {
    let files = match &target.kubeconfig {
        Some(file) => vec![file.clone()],
        None => default_files()?,
    };
    if files.is_empty() {
        return in_cluster(target);
    }
    let shown = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" and ");
    let mut merged = Kubeconfig::default();
    for file in &files {
        let next = read(file)?;
        let failure = |error| {
            Failure::new((
                format!("the kubeconfigs {shown} cannot be merged"),
                format!("这些 kubeconfig 不能合并：{shown}"),
            ))
            .because(error)
        };
        merged = merged.merge(next).map_err(failure)?;
    }
    let contexts: Vec<_> = merged.contexts.iter().map(|context| context.name.clone()).collect();
    let options = KubeConfigOptions { context: target.context.clone(), ..KubeConfigOptions::default() };
    Ok(Config::from_custom_kubeconfig(merged, &options).await.map_err(|error| unusable(error, &shown, &contexts))?)
}

/// Returns the kubeconfig files that kubectl would read: those in `$KUBECONFIG`, else `~/.kube/config`. Empty if there
/// is none.
fn default_files() -> Result<Vec<PathBuf>> {
    let named: Vec<_> = env::var_os("KUBECONFIG")
        .map(|paths| env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect())
        .unwrap_or_default();
    if !named.is_empty() {
        // As in kubectl, some of the files may be missing.
        let existing: Vec<_> = named.iter().filter(|file| file.exists()).cloned().collect();
        if existing.is_empty() {
            let shown = named.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
            return Err(Failure::new((
                format!("KUBECONFIG names no file that exists: {shown}"),
                format!("KUBECONFIG 指向的文件都不存在：{shown}"),
            ))
            .next(HOW_TO_NAME_ONE)
            .into());
        }
        return Ok(existing);
    }
    let file = env::home_dir().map(|home| home.join(".kube").join("config"));
    Ok(file.into_iter().filter(|file| file.exists()).collect())
}

/// Returns the configuration of the pod's service account. A pod has no contexts to choose from.
fn in_cluster(target: &Target) -> Result<Config> {
    if let Some(context) = &target.context {
        return Err(Failure::new((
            format!("no kubeconfig has a context {context}"),
            format!("没有哪个 kubeconfig 有名为 {context} 的 context"),
        ))
        .next(HOW_TO_NAME_ONE)
        .into());
    }
    let failure = |error| {
        Failure::new((
            "no kubeconfig found, and this program does not run in a pod",
            "没有找到 kubeconfig，本程序也不是在 Pod 里运行",
        ))
        .next(HOW_TO_NAME_ONE)
        .because(error)
    };
    Ok(Config::incluster().map_err(failure)?)
}

fn read(file: &Path) -> Result<Kubeconfig> {
    let shown = file.display();
    let failure = |error| match error {
        KubeconfigError::ReadConfig(error, _) if error.kind() == io::ErrorKind::InvalidData => Failure::new((
            format!("the kubeconfig {shown} is not UTF-8 text"),
            format!("kubeconfig {shown} 不是 UTF-8 文本"),
        ))
        .because(error),
        KubeconfigError::ReadConfig(error, _) => {
            Failure::new((format!("cannot read the kubeconfig {shown}"), format!("无法读取 kubeconfig {shown}")))
                .next(HOW_TO_NAME_ONE)
                .because(error)
        }
        KubeconfigError::Parse(error) => {
            let place =
                error.location().map(|place| format!(":{}:{}", place.line(), place.column())).unwrap_or_default();
            Failure::new((
                format!("{shown}{place}: the kubeconfig is malformed"),
                format!("{shown}{place}：kubeconfig 格式有误"),
            ))
            .because(without_values(&error.without_snippet().to_string()))
            .next(CORRECT_IT)
        }
        error => Failure::new((format!("the kubeconfig {shown} is malformed"), format!("kubeconfig {shown} 格式有误")))
            .because(error)
            .next(CORRECT_IT),
    };
    Ok(Kubeconfig::read_from(file).map_err(failure)?)
}

const CORRECT_IT: (&str, &str) = (
    "correct the file there, or name another kubeconfig with --kubeconfig FILE",
    "请改正文件的这个位置，或用 --kubeconfig FILE 指定另一个 kubeconfig",
);

/// Removes the values that a parser's message quotes, because a value in a kubeconfig may be a token or a key, and the
/// place, which the sentence above has.
fn without_values(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.rsplit_once(" at line ").map_or(line, |(line, _)| line);
    let pieces = line.split('"').enumerate().map(|(number, piece)| if number % 2 == 1 { "…" } else { piece });
    pieces.collect::<Vec<_>>().join("\"")
}

/// Explains why the merged kubeconfig names no usable cluster, and lists the contexts to choose from.
fn unusable(error: KubeconfigError, shown: &str, contexts: &[String]) -> Failure {
    let exist = match contexts {
        [] => (
            format!("add a cluster and a context to {shown}, or choose another file with --kubeconfig"),
            format!("请在 {shown} 里加上集群和 context，或用 --kubeconfig 指定另一个文件"),
        ),
        contexts => (
            format!("choose a context with --context: {}", contexts.join(", ")),
            format!("请用 --context 选一个 context：{}", contexts.join("、")),
        ),
    };
    match error {
        KubeconfigError::CurrentContextNotSet => {
            Failure::new((format!("{shown} has no current context"), format!("{shown} 没有 current-context")))
                .next(exist)
        }
        KubeconfigError::LoadContext(context) => Failure::new((
            format!("{shown} has no context {context}"),
            format!("{shown} 里没有名为 {context} 的 context"),
        ))
        .next(exist),
        KubeconfigError::LoadClusterOfContext(cluster) => Failure::new((
            format!("{shown} has no cluster {cluster}, but its context refers to it"),
            format!("{shown} 里没有 context 所指的集群 {cluster}"),
        ))
        .next(exist),
        KubeconfigError::MissingClusterUrl => Failure::new((
            format!("{shown} has no server address for the cluster"),
            format!("{shown} 里没有集群的 server 地址"),
        )),
        error => {
            Failure::new((format!("the kubeconfig {shown} cannot be used"), format!("无法使用 kubeconfig {shown}")))
                .because(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parsers_message_keeps_no_value_of_the_file() {
        let message = "invalid type: string \"s3cret\", expected a sequence at line 2, column 7\n 2 | users: s3cret";
        assert_eq!(without_values(message), "invalid type: string \"…\", expected a sequence");
    }
}
