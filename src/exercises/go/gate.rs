//! A gate holds calls of the program back until the script opens it. So the order of events in a trial does not depend
//! on the speed of the machine.

use tokio::sync::watch;

/// A gate, open at first.
#[derive(Debug)]
pub(super) struct Gate {
    is_open: watch::Sender<bool>,
    /// The number of calls that have reached the gate since it was closed.
    reached: watch::Sender<usize>,
}

impl Default for Gate {
    fn default() -> Self {
        Self { is_open: watch::Sender::new(true), reached: watch::Sender::new(0) }
    }
}

impl Gate {
    pub(super) fn close(&self) {
        self.reached.send_replace(0);
        self.is_open.send_replace(false);
    }

    pub(super) fn open(&self) {
        self.is_open.send_replace(true);
    }

    /// Waits until the gate is open.
    pub(super) async fn pass(&self) {
        self.reached.send_modify(|reached| *reached += 1);
        wait_for(&self.is_open, |is_open| *is_open).await;
    }

    /// Waits until a call has reached the closed gate.
    pub(super) async fn wait_until_reached(&self) {
        wait_for(&self.reached, |reached| *reached > 0).await;
    }
}

async fn wait_for<T>(sender: &watch::Sender<T>, condition: impl FnMut(&T) -> bool) {
    sender.subscribe().wait_for(condition).await.expect("the gate has the sender");
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_closed_gate_holds_a_call_until_it_opens() {
        let gate = Gate::default();
        assert!(gate.pass().now_or_never().is_some(), "a gate is open at first");
        gate.close();
        assert!(gate.wait_until_reached().now_or_never().is_none(), "only calls to the closed gate count");
        let call = gate.pass();
        tokio::pin!(call);
        assert!(call.as_mut().now_or_never().is_none());
        assert!(gate.wait_until_reached().now_or_never().is_some());
        gate.open();
        assert!(call.now_or_never().is_some());
    }
}
