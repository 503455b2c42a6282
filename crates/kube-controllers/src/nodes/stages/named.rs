//! The built-in stages that users choose by name, such as `crash-loop` (`--stages` of the command line, or a label of
//! the pod).

use super::{Lifecycle, Stages};

/// The YAML text in which a label selects each lifecycle.
const RUN: &str = include_str!("run.yaml");

impl Stages {
    /// The names that [`named`](Self::named) accepts: `run`, and each of its lifecycles.
    pub const NAMES: [&str; 9] =
        ["run", "fast", "slow-image", "bad-image", "crash-loop", "completed", "error", "evicted", "never-ready"];

    /// Returns built-in stages. With `run`, pods run as on a real node, and the label `lab/lifecycle` selects another
    /// lifecycle: `fast` runs without delays, `slow-image` has an image that cannot be pulled at first, `bad-image` has
    /// one that can never be pulled, `crash-loop` ends again and again, `completed` and `error` end once, `evicted` is
    /// evicted from its node, and `never-ready` never becomes ready. Pods that are not restarted (`kubectl run
    /// --restart=Never`) complete. Any other name makes that lifecycle the default of all pods without the label.
    ///
    /// ```
    /// use kube_testcluster::Stages;
    ///
    /// assert!(Stages::named("crash-loop").is_some());
    /// assert!(Stages::named("no-such-thing").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        if !Self::NAMES.contains(&name) {
            return None;
        }
        let run = Self::from_yaml(RUN, "run.yaml").expect("the embedded stages are tested");
        if name == "run" {
            return Some(run);
        }
        let chosen = run.lifecycles.iter().find(|lifecycle| lifecycle.name == name)?;
        let chosen = Lifecycle::everything(chosen.run.clone(), chosen.init.clone(), chosen.delete.clone());
        // Keep only the lifecycles that a label selects, so pods that are not restarted have the default lifecycle
        // here.
        let labelled = run.lifecycles.into_iter().filter_map(|mut lifecycle| {
            lifecycle.selectors.retain(|selector| !selector.labels.is_everything());
            (!lifecycle.selectors.is_empty()).then_some(lifecycle)
        });
        Some(Self::of(labelled.collect(), chosen))
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
