//! What this process holds, from the system.

use std::fs;

/// The largest resident size so far and the present one, in bytes; nothing where the system does not tell.
pub fn resident() -> Option<(u64, u64)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    };
    Some((field("VmHWM:")?, field("VmRSS:")?))
}
