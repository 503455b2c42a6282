//! The stages that the binary carries with it, beside those of the documents.

use super::{Lifecycle, Stages};

/// A cluster in which each lifecycle can be had by its label.
const RUN: &str = include_str!("run.yaml");

impl Stages {
    /// The names that [`named`](Self::named) knows: `run`, and each lifecycle of it.
    pub const NAMES: [&str; 9] =
        ["run", "fast", "slow-image", "bad-image", "crash-loop", "completed", "error", "evicted", "never-ready"];

    /// Stages by name. With `run`, pods run as on a real node, and the label `lab/lifecycle` names another end for a pod:
    /// `fast` runs without any delay, `slow-image` cannot be pulled at first, `bad-image` never, `crash-loop` ends again and
    /// again, `completed` and `error` end once, `evicted` is thrown off its node, `never-ready` is what it says. What is
    /// not to be restarted (`kubectl run --restart=Never`) completes. Any other name makes that one the lifecycle of every
    /// pod that has no such label.
    ///
    /// ```
    /// use kube_testcluster::Stages;
    ///
    /// assert!(Stages::named("crash-loop").is_some());
    /// assert!(Stages::named("no-such-thing").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let run = Self::from_yaml(RUN, "run.yaml").expect("the embedded stages are tested");
        if name == "run" {
            return Some(run);
        }
        let usual = run.lifecycles.iter().find(|lifecycle| lifecycle.name == name)?;
        let usual = Lifecycle::everything(usual.run.clone(), usual.delete.clone());
        // By their labels only: what is not to be restarted goes through the usual, too.
        let labelled = run.lifecycles.into_iter().filter_map(|mut lifecycle| {
            lifecycle.selectors.retain(|selector| !selector.labels.is_everything());
            (!lifecycle.selectors.is_empty()).then_some(lifecycle)
        });
        Some(Self::of(labelled.collect(), usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lifecycle_has_its_name_in_the_list() {
        let run = Stages::named("run").unwrap();
        let mut lifecycles: Vec<_> = run.lifecycles.iter().map(|lifecycle| lifecycle.name.as_str()).collect();
        let others = lifecycles.pop();
        assert_eq!(others, Some(""));
        lifecycles.sort_unstable();
        let mut names = Stages::NAMES[1..].to_vec();
        names.sort_unstable();
        assert_eq!(lifecycles, names);
        assert!(Stages::NAMES.iter().all(|name| Stages::named(name).is_some()));
    }
}
