//! Parsers of option values for clap. Each error names the expected form in English and in Chinese.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use informer_lab::cluster::{Controllers, Pods};
use informer_lab::exercises::{self, Exercise};
use informer_lab::lessons::tour::{self, FirstStop};
use informer_lab::trace::Words;
use k8s_openapi::jiff::SignedDuration;
use kube_testcluster::{BadFault, ControllerName, ControllerSet, Fault};

/// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or a port alone, which means this machine.
pub fn address(text: &str) -> Result<SocketAddr, Words> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let expected = (
        "expected an IP address and a port, such as 127.0.0.1:8080, or a port alone",
        "应为 IP 地址加端口，例如 127.0.0.1:8080，或只写端口",
    );
    text.parse().map_err(|_| expected.into())
}

/// Parses an address as [`address`] does, but accepts only addresses of this machine.
pub fn loopback(text: &str) -> Result<SocketAddr, Words> {
    let address = address(text)?;
    if address.ip().is_loopback() { Ok(address) } else { Err(only_of_this_machine()) }
}

/// Returns the error of a cluster without TLS whose address other machines can reach.
pub fn open_address_needs_tls() -> Words {
    (
        "expected an address of this machine only, such as 127.0.0.1:8080, or --tls: without TLS there is no \
         authentication, so every client that reaches the address may do everything",
        "只能用本机地址，例如 127.0.0.1:8080，或者加上 --tls：没有 TLS 就没有认证，能访问这个地址的客户端都可以执行任何操作",
    )
        .into()
}

/// Returns the error of a lesson whose address other machines can reach. Lessons have no TLS.
fn only_of_this_machine() -> Words {
    (
        "expected an address of this machine only, such as 127.0.0.1:8080: there is no authentication, so every \
         client that reaches the address has the lesson's rights",
        "只能用本机地址，例如 127.0.0.1:8080：没有认证，能访问这个地址的客户端都拥有这一课的权限",
    )
        .into()
}

/// Parses the stop that the tour begins with: its number, the name of a lesson, or `resume`.
pub fn first_stop(text: &str) -> Result<FirstStop, Words> {
    if text == "resume" {
        return Ok(FirstStop::Bookmark);
    }
    tour::find_stop(text).map(FirstStop::At).map_err(|meant| {
        let count = tour::learners_stops().len();
        let en = format!("expected a number from 1 to {count}, a lesson, or resume");
        let zh = format!("应为 1 到 {count} 的编号、课程名，或 resume");
        match meant {
            Some(lesson) => (format!("{en}: did you mean {lesson}?"), format!("{zh}：是不是想写 {lesson}？")),
            None => (
                format!("{en}; informer-lab tour --list shows the stops"),
                format!("{zh}；informer-lab tour --list 列出各站"),
            ),
        }
        .into()
    })
}

/// Parses `all`, `housekeeping`, `none`, or the names of controllers.
pub fn controllers(text: &str) -> Result<Controllers, Words> {
    match text {
        "all" => return Ok(Controllers::All),
        "housekeeping" => return Ok(Controllers::Housekeeping),
        "none" => return Ok(Controllers::None),
        _ => {}
    }
    let chosen: Option<ControllerSet> = text.split(',').map(ControllerName::named).collect();
    let expected = || {
        let names = ControllerName::ALL.map(ControllerName::name);
        let en = format!("expected all, housekeeping, none, or names with commas between them: {}", names.join(", "));
        (en, format!("应为 all、housekeeping、none，或用逗号隔开的名字：{}", names.join("、")))
    };
    chosen.map(Controllers::Only).ok_or_else(|| expected().into())
}

/// Parses a number of pods, or the path of a file with pods.
pub fn pods(text: &str) -> Result<Pods, Words> {
    const MOST: usize = 1_000_000;
    match text.parse() {
        Ok(number) if number <= MOST => Ok(Pods::Crowd(number)),
        Ok(_) => Err((format!("expected at most {MOST} pods"), format!("最多 {MOST} 个 Pod")).into()),
        Err(_) if text.is_empty() || text.starts_with('-') => {
            Err(("expected a number of pods, or a file", "应为 Pod 的数量，或一个文件").into())
        }
        Err(_) => Ok(Pods::File(text.into())),
    }
}

/// Finds an exercise by its name, its number or its file's name.
pub fn exercise(text: &str) -> Result<&'static Exercise, Words> {
    let expected = || {
        let (most, names) = (exercises::ALL.len(), exercises::ALL.map(|exercise| exercise.name).join(", "));
        let en = format!("expected a number from 1 to {most}, or one of {names}");
        (en, format!("应为 1 到 {most} 的编号，或以下名字之一：{}", names.replace(", ", "、")))
    };
    Exercise::find(text).ok_or_else(|| expected().into())
}

/// Parses the largest number of kept Events.
pub fn events(text: &str) -> Result<usize, Words> {
    text.parse().map_err(|_| ("expected a number of Events, 0 or more", "应为 Event 的个数，0 或更大").into())
}

pub fn nodes(text: &str) -> Result<usize, Words> {
    const MOST: usize = 5_000;
    let number = text.parse().ok().filter(|number| *number <= MOST);
    let expected = || (format!("expected a number of nodes from 0 to {MOST}"), format!("应为 0 到 {MOST} 的节点数"));
    number.ok_or_else(|| expected().into())
}

/// Parses a fault. The error keeps its English text and gets a Chinese one.
pub fn fault(text: &str) -> Result<Fault, Words> {
    let words = |error: BadFault| {
        let error = error.to_string();
        let zh = match error.split_once("; expected one of ") {
            Some((_, names)) => format!(
                "没有这种故障，可选 {}；选项写在冒号后面，例如 429:verb=list,times=3",
                names.replace(", ", "、")
            ),
            None => format!("应为 名字 或 名字:选项=值,选项=值…，例如 429:verb=list,times=3（{error}）"),
        };
        Words::from((error.to_string(), zh))
    };
    text.parse().map_err(words)
}

/// The longest duration that is accepted. It can be added to a clock without an overflow.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Parses a duration in jiff's friendly format. Negative durations are refused, and also days and weeks, which jiff
/// treats as calendar units.
pub fn duration(text: &str) -> Result<Duration, Words> {
    let parsed = text.parse::<SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
    let fits = parsed.filter(|duration| *duration <= LONGEST);
    let expected = (
        "expected a duration of at most a week, such as 500ms, 30s or 1m30s",
        "应为不超过一周的时长，例如 500ms、30s 或 1m30s",
    );
    fits.ok_or_else(|| expected.into())
}

/// Parses a namespace: a DNS label, as the API server requires.
pub fn namespace(text: &str) -> Result<String, Words> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fits = (1..=63).contains(&text.len()) && text.chars().all(inner);
    if fits && !text.starts_with('-') && !text.ends_with('-') {
        return Ok(text.to_owned());
    }
    let expected = (
        "expected a namespace: at most 63 of a-z, 0-9 and -, with no - at either end",
        "应为 namespace 的名字：最多 63 个 a-z、0-9 和 -，首尾不能是 -",
    );
    Err(expected.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_ip_and_port_or_a_port_alone() {
        for (text, address_) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("0.0.0.0:1", "0.0.0.0:1"),
            ("[::1]:80", "[::1]:80"),
            ("localhost:4000", "127.0.0.1:4000"),
            ("4000", "127.0.0.1:4000"),
        ] {
            assert_eq!(address(text), Ok(address_.parse().unwrap()));
        }
        for bad in ["", "127.0.0.1", "localhost", "example.com:80", "127.0.0.1:99999", "http://127.0.0.1:80", ":80"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_lesson_listens_on_this_machine_only() {
        assert_eq!(loopback("[::1]:80"), Ok("[::1]:80".parse().unwrap()));
        assert!(loopback("0.0.0.0:80").unwrap_err().to_string().contains("no authentication"));
    }

    #[test]
    fn pods_are_a_number_or_a_file() {
        assert_eq!(pods("100"), Ok(Pods::Crowd(100)));
        assert_eq!(pods("pods.yaml"), Ok(Pods::File("pods.yaml".into())));
        assert!(pods("1000001").is_err() && pods("").is_err());
    }

    #[test]
    fn a_duration_is_not_negative() {
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("150ms"), Ok(Duration::from_millis(150)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        for bad in ["", "5", "-5s", "5 parsecs", "1d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_namespace_is_a_dns_label() {
        assert!(namespace("kube-system").is_ok());
        for bad in ["", "-a", "a-", "A", "a.b", "../a", &"a".repeat(64)] {
            assert!(namespace(bad).is_err(), "{bad}");
        }
    }
}
