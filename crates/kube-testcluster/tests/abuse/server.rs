//! A cluster in a process of its own, so that the memory that a test measures is the server's. The process is this test
//! binary again, and it runs nothing but [`a_cluster_until_its_input_ends`]. A panic ends the process, so that a test
//! notices a panic that a request has caused, whatever the request was answered.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kube_testcluster::{Admission, Cluster, Controllers};

/// The variable that says to the process that it is a cluster.
const SERVES: &str = "ABUSED_CLUSTER";

/// The beginning of the line that says where the cluster listens.
const LISTENS: &str = "the cluster listens on ";

/// A running cluster. Its process ends when this is dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a cluster with kube-apiserver's admission, and without controllers that create objects by themselves.
    pub fn start() -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "server::a_cluster_until_its_input_ends", "--ignored", "--nocapture"])
            .env(SERVES, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once(LISTENS)?.1.parse().unwrap()));
        std::thread::spawn(move || lines.for_each(drop)); // the process would end if it could not write a line
        Self { process, address: address.expect("the process of the cluster says where it listens") }
    }

    /// Whether the process still runs. It does not after a panic.
    pub fn runs(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// The resident memory of the process, in megabytes; 0 on other systems than Linux.
    pub fn memory(&self) -> usize {
        self.status("VmRSS:")
    }

    /// The highest resident memory since the start or since [`Server::forget_peak`], in megabytes.
    pub fn peak(&self) -> usize {
        self.status("VmHWM:")
    }

    /// Lets the next [`Server::peak`] begin at the present memory, so that a test sees what one request takes.
    pub fn forget_peak(&self) {
        if cfg!(target_os = "linux") {
            std::fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5").unwrap();
        }
    }

    /// The processor time that the process has taken, to a hundredth of a second. It says what a request costs on a busy
    /// machine too.
    pub fn processor_time(&self) -> Duration {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())) else {
            return Duration::ZERO;
        };
        let fields = stat.rsplit(')').next().unwrap().split_whitespace();
        Duration::from_millis(fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum())
    }

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
    if std::env::var_os(SERVES).is_none() {
        return;
    }
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::abort();
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut cluster = Cluster::builder().controllers(Controllers::Housekeeping).admission(Admission::Kube).start();
        let address = cluster.serve(TcpListener::bind("127.0.0.1:0").unwrap()).unwrap();
        println!("{LISTENS}{address}");
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let _ = ended.await;
    });
}
