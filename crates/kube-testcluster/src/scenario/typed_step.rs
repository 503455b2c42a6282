//! Parses one step that a user types at a prompt of the tutorial, in a small part of kubectl's syntax. Steps in files
//! have another form: YAML, see [`Scenario`](super::Scenario).

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use super::{Action, IMAGE, Step};
use crate::faults::BadFault;

/// The error for a text that is not a step.
const USAGE: &str =
    "expected run NAME, delete NAME, label NAME KEY=VALUE (or KEY- to take it away), or scale NAME REPLICAS";

impl FromStr for Step {
    type Err = String;

    /// Parses `run NAME [--image=IMAGE]`, `delete NAME`, `label NAME KEY=VALUE… KEY-…`, `scale NAME REPLICAS`, `fault
    /// FAULT`. A leading `kubectl`, and the words `pod` and `replicaset`, are optional. The step's time is zero.
    ///
    /// # Errors
    /// Any other text. The message says what was expected.
    fn from_str(line: &str) -> Result<Self, String> {
        const FILLERS: [&str; 7] = ["kubectl", "pod", "pods", "po", "replicaset", "rs", "--overwrite"];
        let words: Vec<&str> = line.split_whitespace().filter(|word| !FILLERS.contains(word)).collect();
        let action = match words[..] {
            ["run", name] => run(name, IMAGE),
            ["run", name, image] => run(name, image.strip_prefix("--image=").ok_or(USAGE)?),
            ["delete", name] => Action::Delete { name: bare(name) },
            ["label", name, ref pairs @ ..] if !pairs.is_empty() => {
                Action::Label { name: bare(name), set: pairs.iter().map(|pair| label(pair)).collect::<Result<_, _>>()? }
            }
            ["scale", name, number] => {
                let number = number.trim_start_matches("--replicas=");
                Action::Scale { name: bare(name), replicas: number.parse().map_err(|_| USAGE)? }
            }
            ["fault", fault] => Action::Fault(fault.parse().map_err(|error: BadFault| error.to_string())?),
            _ => return Err(USAGE.to_owned()),
        };
        Ok(Self { at: Duration::ZERO, namespace: None, action })
    }
}

fn run(name: &str, image: &str) -> Action {
    Action::Run { name: name.to_owned(), image: image.to_owned(), labels: BTreeMap::new() }
}

/// Strips a kind: `pod/web` becomes `web`.
fn bare(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_owned()
}

fn label(pair: &str) -> Result<(String, Option<String>), String> {
    match (pair.split_once('='), pair.strip_suffix('-')) {
        (Some((key, value)), _) if !key.is_empty() => Ok((key.to_owned(), Some(value.to_owned()))),
        (None, Some(key)) if !key.is_empty() => Ok((key.to_owned(), None)),
        _ => Err(USAGE.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_step_prints_as_the_kubectl_command() {
        for (typed, command) in [
            ("run nettool", "kubectl run nettool --image=nginx"),
            (" kubectl run nettool  --image=cr7258/nettool:v1 ", "kubectl run nettool --image=cr7258/nettool:v1"),
            ("delete nettool", "kubectl delete pod nettool"),
            ("delete pod/nettool", "kubectl delete pod nettool"),
            ("kubectl delete pod nettool", "kubectl delete pod nettool"),
            ("label web tier=front old-", "kubectl label pod web old- tier=front"),
            ("scale rs web --replicas=3", "kubectl scale replicaset web --replicas=3"),
            ("scale web 3", "kubectl scale replicaset web --replicas=3"),
        ] {
            assert_eq!(typed.parse::<Step>().unwrap().to_string(), command, "{typed}");
        }
    }

    #[test]
    fn a_fault_is_typed_as_in_a_scenario() {
        let typed = "fault hide-events:times=1".parse::<Step>().unwrap();
        assert_eq!(typed.action, Action::Fault("hide-events:times=1".parse().unwrap()));
        assert!("fault nonsense".parse::<Step>().unwrap_err().contains("nonsense"), "it says what was wrong");
    }

    #[test]
    fn any_other_text_is_refused_with_the_usage() {
        for bad in
            ["", "run", "run a b", "delete", "label a", "label a =b", "label a b", "scale a", "scale a -1", "exec a"]
        {
            assert_eq!(bad.parse::<Step>(), Err(USAGE.to_owned()), "{bad}");
        }
    }
}
