//! Measures the memory of this process, read from `/proc/self/status`, for the benchmarks that report the memory per object.

use std::fs;

use crate::timing::Figure;

/// Returns the peak and the current resident size in bytes, or `None` if the system does not report them (only Linux does).
pub fn resident() -> Option<(u64, u64)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    };
    Some((field("VmHWM:")?, field("VmRSS:")?))
}

/// Returns the growth of the resident size since `before`, in bytes per object.
pub fn bytes_per_object(before: Option<(u64, u64)>, objects: u64) -> Option<Figure> {
    let grown = resident()?.1.saturating_sub(before?.1);
    Some(Figure::new("bytes", grown as f64 / objects as f64, "B", objects))
}
