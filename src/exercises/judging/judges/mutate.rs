//! The judge of the exercise `mutate`: a handler changes the cached object, and the next handler sees a state that no event brought.

use std::collections::BTreeSet;

use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Two pods with a password and one without.
pub const PODS: &str = "
{metadata: {name: bare}, spec: {containers: [{name: main, image: nginx}]}}
---
{metadata: {name: web-1}, spec: {containers: [{name: main, image: nginx, env: [{name: PASSWORD, value: swordfish}]}]}}
---
{metadata: {name: web-2}, spec: {containers: [{name: main, image: nginx, env: [{name: PASSWORD, value: swordfish}]}]}}
";

/// Passes if the only alarm is about the pod without a password, all pods are logged, and the log contains no password.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let evidence = || outcome.excerpt(|kind| matches!(kind, EntryKind::Logged(_) | EntryKind::Alarm(_)));
    let lines =
        |wanted: fn(&EntryKind) -> Option<&str>| outcome.entries.iter().filter_map(move |entry| wanted(&entry.kind));
    let logged: Vec<&str> = lines(|kind| if let EntryKind::Logged(line) = kind { Some(line) } else { None }).collect();
    let alarms = lines(|kind| if let EntryKind::Alarm(about) = kind { Some(about) } else { None });
    let about: BTreeSet<&str> = alarms.filter_map(|alarm| alarm.split(' ').next()).collect();

    if let Some(false_alarm) = about.iter().find(|about| **about != "default/bare") {
        return Err(Mistake {
            sentence: Words::new(
                format!("The second handler raised an alarm about {false_alarm}, which has a password."),
                format!("{false_alarm} 有密码，第二个 handler 却发出了告警。"),
            ),
            evidence: evidence(),
            hint: Words::new(
                "No event took the password away: the API server still has it. Who wrote the object that both handlers read?",
                "没有任何事件删掉密码：API server 里它还在。两个 handler 读的是同一个对象，是谁改了它？",
            ),
        });
    }
    if logged.iter().any(|line| line.contains("swordfish")) {
        return Err(Mistake {
            sentence: Words::new("A password is in the log.", "日志里出现了密码。"),
            evidence: evidence(),
            hint: Words::new(
                "The first handler has to leave it out, in something of its own.",
                "第一个 handler 要去掉它，但只能改自己的那一份。",
            ),
        });
    }
    if about.is_empty() || logged.len() < 3 {
        return Err(Mistake {
            sentence: Words::new(
                "Not every pod was logged, or no alarm was raised about default/bare.",
                "有的 Pod 没有写进日志，或者没有对 default/bare 告警。",
            ),
            evidence: evidence(),
            hint: Words::new("Both handlers still have their work to do.", "两个 handler 的工作都还要做。"),
        });
    }
    Ok(())
}
