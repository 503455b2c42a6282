//! Tests an informer against a cluster whose process is stopped with SIGSTOP, so that its connections stay open but silent.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, PostParams};
use kube_informers::cache::{HandlerOptions, ListWatch, Notification, ReflectorOptions, SharedIndexInformer};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time;
use tokio_util::sync::CancellationToken;

use crate::cli::command;

/// A process of `informer-lab cluster`, killed on drop.
struct Process(Child);

impl Process {
    fn start() -> (Self, http::Uri) {
        let mut child = command("cluster").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find(|line| line.as_ref().unwrap().contains("http://")).unwrap().unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        (Self(child), url.parse().unwrap())
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.0.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn an_informer_reports_a_stopped_server_and_continues_when_the_server_does() {
    let (process, uri) = Process::start();
    let mut config = kube::Config::new(uri);
    config.default_retry = false; // an informer retries by its own rules
    let client = kube::Client::try_from(config).unwrap();

    let (send_error, mut errors) = unbounded_channel();
    let options = ReflectorOptions::new().on_error(move |error| send_error.send(error.to_string()).unwrap_or_default());
    let source = ListWatch::<Namespace>::all(client.clone());
    let informer = SharedIndexInformer::builder(source).reflector(options).build();
    let mut changes = informer.subscribe(HandlerOptions::new()).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    informer.synced().await.unwrap();

    process.signal("STOP");
    time::pause(); // the server is silent, so the paused clock jumps to the informer's time limit at once
    let error = errors.recv().await.unwrap();
    assert!(error.contains("namespaces"), "{error}");
    time::resume();
    process.signal("CONT");

    let mut late = Namespace::default();
    late.metadata.name = Some("late".into());
    Api::all(client).create(&PostParams::default(), &late).await.unwrap();
    let is_late = |change: &Notification<Namespace>| matches!(change, Notification::Add { object, .. } if object.metadata.name.as_deref() == Some("late"));
    while !is_late(&changes.next().await.unwrap()) {}
    stop.cancel();
    running.await.unwrap().unwrap();
}
