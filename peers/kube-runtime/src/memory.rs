//! Reads the memory of this process from /proc.

/// Returns the largest and the present resident size, in bytes.
pub fn resident() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is a Linux");
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel reports it");
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number of kilobytes");
        kilobytes * 1024.0
    };
    (field("VmHWM:"), field("VmRSS:"))
}
