//! A cluster in a process of its own, so that the memory that a test measures is the server's. The process is this test
//! binary again, and it runs nothing but [`a_cluster_until_its_input_ends`]. A panic ends the process, so a test notices
//! each panic that a request causes, whatever answer the request gets.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kube_testcluster::{Admission, Cluster, Controllers};

/// The environment variable that makes the process serve a cluster. Its value is the limit of the history in bytes.
const SERVES: &str = "ABUSED_CLUSTER";

/// The limit of a cluster's history unless a test asks for another, in bytes. It is that of the library.
pub const HISTORY: usize = 128 * 1024 * 1024;

/// The text before the cluster's address in the output of the process.
const LISTENS: &str = "the cluster listens on ";

/// A running cluster. Its process ends when this is dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a cluster with kube-apiserver's admission, and without controllers that create objects by themselves.
    /// Its history has at most so many bytes.
    pub fn start(history_bytes: usize) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "server::a_cluster_until_its_input_ends", "--ignored", "--nocapture"])
            .env(SERVES, history_bytes.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once(LISTENS)?.1.parse().unwrap()));
        std::thread::spawn(move || lines.for_each(drop)); // the process would end if it could not write a line
        Self { process, address: address.expect("the process of the cluster says where it listens") }
    }

    /// Returns true if the process still runs. A panic ends it.
    pub fn runs(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Returns the resident memory of the process, in megabytes; 0 on other systems than Linux.
    pub fn memory(&self) -> usize {
        self.status("VmRSS:")
    }

    /// Returns the highest resident memory since the start or since [`Server::forget_peak`], in megabytes.
    pub fn peak(&self) -> usize {
        self.status("VmHWM:")
    }

    /// Makes the next [`Server::peak`] count from the present memory, so that a test sees the memory of one request.
    pub fn forget_peak(&self) {
        if cfg!(target_os = "linux") {
            std::fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5").unwrap();
        }
    }

    /// Returns the processor time that the process has taken, to a hundredth of a second; zero on other systems than
    /// Linux. Unlike the elapsed time, it does not depend on how busy the machine is.
    pub fn processor_time(&self) -> Duration {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())) else {
            return Duration::ZERO;
        };
        // The user and the system time are fields 14 and 15, in ticks of 10 ms; the third field follows the parenthesis.
        let fields = stat.rsplit(')').next().unwrap().split_whitespace();
        Duration::from_millis(fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum())
    }

    /// Returns the memory in a line of `/proc/PID/status`, in megabytes.
    fn status(&self, name: &str) -> usize {
        let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())) else { return 0 };
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
        line.split_whitespace().next().unwrap().parse::<usize>().unwrap() / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serves until its input ends, that is, until the process that has started it ends.
#[test]
#[ignore = "the process of a cluster, which other tests start"]
fn a_cluster_until_its_input_ends() {
    let Ok(history_bytes) = std::env::var(SERVES) else { return };
    let history_bytes = history_bytes.parse().unwrap();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::abort();
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let builder = Cluster::builder().controllers(Controllers::Housekeeping).admission(Admission::Kube);
        let mut cluster = builder.history_bytes(history_bytes).start();
        let address = cluster.serve(TcpListener::bind("127.0.0.1:0").unwrap()).unwrap();
        println!("{LISTENS}{address}");
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let _ = ended.await;
    });
}
