//! The work queue in three acts: an item is queued once, is added later, and is retried with back-off.
//!
//! Chapter: `lessons/15-workqueue`. Traces: `fixtures/traces/workqueue*.txt`.

use std::fmt::Display;
use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::workqueue::{Exponential, WorkQueue};

/// One layer of the work queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Act {
    /// Interface: an item is queued once, and is with one worker at a time
    Dedupe,
    /// DelayingInterface: an item is added later
    Delay,
    /// RateLimitingInterface: a failed item waits longer each time
    RateLimit,
}

/// Plays one act, or all of them.
pub async fn run(lab: &Lab, act: Option<Act>) -> Result<()> {
    for each in [Act::Dedupe, Act::Delay, Act::RateLimit] {
        if act.is_none_or(|act| act == each) {
            let clock = Clock(lab, Instant::now());
            match each {
                Act::Dedupe => dedupe(&clock).await,
                Act::Delay => delay(&clock).await,
                Act::RateLimit => rate_limit(&clock).await,
            }
        }
    }
    Ok(())
}

async fn dedupe(clock: &Clock<'_>) {
    let queue = WorkQueue::new();
    for item in ["a", "b", "a", "a"] {
        queue.add(item);
        clock.line(Style::Added, format_args!("add {item}: {} queued", queue.len()));
    }
    clock.tell("a was added three times and is queued once", "a 加入了三次，只排队一次");

    let a = queue.get().await;
    clock.got(a.as_deref());
    queue.add("a");
    clock.line(Style::Added, format_args!("add a, which a worker has: {} queued", queue.len()));
    clock.got(queue.get().await.as_deref());
    drop(a);
    clock.line(Style::Plain, format_args!("done a: {} queued", queue.len()));
    clock.got(queue.get().await.as_deref());
    clock.tell(
        "no two workers have the same item, and no change is lost: it comes once more after done",
        "同一个元素不会同时交给两个 worker，变化也不会丢：Done 之后它再来一次",
    );
}

async fn delay(clock: &Clock<'_>) {
    let queue = WorkQueue::new();
    for (item, delay) in [("late", 100), ("soon", 20), ("twice", 80), ("twice", 40), ("soon", 90), ("now", 0)] {
        queue.add_after(item, Duration::from_millis(delay));
        clock.line(Style::Added, format_args!("add {item} after {delay} ms"));
    }
    for _ in 0..4 {
        clock.got(queue.get().await.as_deref());
    }
    clock.tell(
        "in the order in which they are due; of two times for one item the earlier one stands",
        "按到期时间的先后出来；同一个元素有两个时间，以早的为准",
    );
}

async fn rate_limit(clock: &Clock<'_>) {
    let limiter = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000));
    let queue = WorkQueue::builder().limiter(limiter).build();
    queue.add("a");
    queue.add("b");
    clock.line(Style::Added, "add a, add b");
    for _ in 0..6 {
        let Some(item) = queue.get().await else { break };
        clock.got(Some(&item));
        let (name, failures) = (*item, queue.retries(&item));
        if (name, failures) == ("b", 1) || (name, failures) == ("a", 3) {
            item.forget();
            clock.line(Style::Deleted, format_args!("{name} succeeds: forget its failures"));
        } else {
            item.retry();
            clock.line(Style::Updated, format_args!("{name} fails, number {}", queue.retries(&name)));
        }
    }
    clock.tell(
        "5 ms, then twice as long each time, and for each item apart",
        "先 5 毫秒，以后每次加倍，每个元素分别计算",
    );
    queue.add_rate_limited("a");
    clock.line(Style::Updated, format_args!("a fails, number {}", queue.retries(&"a")));
    clock.got(queue.get().await.as_deref());
    clock.tell("after forget it begins with 5 ms again", "Forget 之后又从 5 毫秒开始");
}

/// Prints lines with their time: milliseconds since the act began, on the run's clock.
struct Clock<'a>(&'a Lab, Instant);

impl Clock<'_> {
    fn line(&self, style: Style, text: impl Display) {
        self.0.print(style, format_args!("{:>3} ms  {text}", self.1.elapsed().as_millis()));
    }

    fn got(&self, item: Option<&&str>) {
        self.line(Style::Synced, format_args!("get {}", item.unwrap_or(&"nothing")));
    }

    fn tell(&self, en: &str, zh: &str) {
        self.0.narrate(en, zh);
    }
}
