//! Leaving: the tasks of removed handlers, which the processor keeps so that a stop can wait for their last callbacks.

use tokio_util::task::AbortOnDropHandle;

/// The tasks of removed handlers. Dropping it aborts them.
#[derive(Default)]
pub(super) struct Leaving {
    pub(super) tasks: Vec<AbortOnDropHandle<()>>,
    /// The number of tasks at which finished ones are next searched for and dropped.
    full: usize,
}

/// Fewer tasks than these are not searched for finished ones.
const FEW: usize = 16;

impl Leaving {
    /// Adds a task. The finished ones are dropped only when the number of tasks has doubled since the last search, so
    /// that adding a task takes constant time on average.
    pub fn push(&mut self, task: AbortOnDropHandle<()>) {
        if self.tasks.len() >= self.full {
            self.tasks.retain(|task| !task.is_finished());
            self.full = (2 * self.tasks.len()).max(FEW);
        }
        self.tasks.push(task);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test]
    async fn tasks_that_have_not_ended_are_searched_only_when_their_number_has_doubled() {
        let (mut leaving, mut searches) = (Leaving::default(), 0);
        for _ in 0..10_000 {
            let full = leaving.full;
            leaving.push(AbortOnDropHandle::new(tokio::spawn(pending())));
            searches += usize::from(leaving.full != full);
        }
        assert_eq!((leaving.tasks.len(), searches), (10_000, 11));
    }

    #[tokio::test]
    async fn tasks_that_have_ended_are_dropped() {
        let mut leaving = Leaving::default();
        for _ in 0..1_000 {
            leaving.push(AbortOnDropHandle::new(tokio::spawn(async {})));
            tokio::task::yield_now().await;
        }
        assert!(leaving.tasks.len() <= FEW, "{}", leaving.tasks.len());
    }
}
