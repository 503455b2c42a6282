//! A disk without room: writes are refused with the reason, nothing that was answered is lost, and the log goes on when
//! there is room again.

use super::super::simulated_disk::{Crash, SimulatedDisk};
use super::support::{MAPS, Watch, ask, builder, create, end, get, names, seeds, start};
use serde_json::{Value, json};

const FULL: &str = "the log cannot be written: no storage space";

#[tokio::test(start_paused = true)]
async fn a_write_is_refused_while_the_disk_is_full_and_reads_go_on() {
    let disk = SimulatedDisk::new(1);
    let cluster = start(&disk, builder()).unwrap();
    let router = cluster.router();
    assert_eq!(create(&router, "before", 10).await.status, 201);
    disk.leave_room(Some(100));
    // The first write is in the store already when the disk turns out to be full, and gets the room of the reserve.
    assert_eq!(create(&router, "last", 1000).await.status, 201);
    for name in ["a", "b"] {
        let refused = create(&router, name, 1000).await;
        let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": FULL, "code": 500});
        assert_eq!((refused.status, refused.body), (500, status));
    }
    assert_eq!(ask(&router, "DELETE", &format!("{MAPS}/before"), &Value::Null).await.body["message"], FULL);
    assert_eq!(ask(&router, "DELETE", MAPS, &Value::Null).await.body["message"], FULL);
    let dry = ask(&router, "POST", &format!("{MAPS}?dryRun=All"), &json!({"metadata": {"name": "dry"}})).await;
    assert_eq!(dry.status, 201, "a dry run writes nothing");
    assert_eq!(names(&router).await, ["before", "last"]);
    assert_eq!(get(&router, "/readyz").await.status, 500);

    disk.leave_room(None);
    assert_eq!(create(&router, "after", 1000).await.status, 201);
    assert_eq!(get(&router, "/readyz").await.status, 200);
    let disk_after = disk.after(Crash::Power);
    drop(cluster);
    let again = start(&disk_after, builder()).unwrap();
    assert_eq!(names(&again.router()).await, ["after", "before", "last"]);
}

#[tokio::test(start_paused = true)]
async fn what_the_reserve_cannot_take_is_refused_with_the_reads_that_show_it_until_there_is_room() {
    let disk = SimulatedDisk::new(1);
    let cluster = start(&disk, builder()).unwrap();
    let router = cluster.router();
    let listed = create(&router, "before", 10).await.revision();
    let mut watch = Watch::open(&router, &format!("{MAPS}?watch=true&resourceVersion={listed}")).await;
    disk.leave_room(Some(0));
    for _ in 0..2 {
        assert_eq!(create(&router, "large", 100_000).await.body["message"], FULL);
        assert_eq!(get(&router, MAPS).await.body["message"], FULL);
    }
    assert_eq!(watch.events().await, [Value::Null; 0], "no event leaves before its write is on the disk");
    disk.leave_room(None);
    assert_eq!(names(&router).await, ["before", "large"]);
    assert_eq!(create(&router, "after", 10).await.status, 201);
    end(cluster).await;
    let again = start(&disk.after(Crash::Power), builder()).unwrap();
    assert_eq!(names(&again.router()).await, ["after", "before", "large"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_that_was_answered_is_lost_however_much_room_the_disk_has_from_write_to_write() {
    for seed in seeds(40) {
        let mut random = fastrand::Rng::with_seed(seed);
        let disk = SimulatedDisk::new(seed);
        let cluster = start(&disk, builder()).unwrap();
        let router = cluster.router();
        let (mut answered, mut refused) = (Vec::new(), Vec::new());
        for n in 0..random.usize(5..40) {
            match random.u8(0..4) {
                0 => disk.leave_room(Some(random.u64(0..5_000))),
                1 => disk.leave_room(None),
                _ => {}
            }
            let name = format!("m{n:02}");
            let answer = create(&router, &name, random.usize(0..3_000) * [1, 1, 1, 30][random.usize(0..4)]).await;
            match answer.status {
                201 => answered.push(name),
                _ => {
                    assert_eq!(answer.body["message"], FULL, "seed {seed}: {}", answer.body);
                    refused.push(name);
                }
            }
        }
        let crash = if random.bool() { Crash::Process } else { Crash::Power };
        let again = start(&disk.after(crash), builder()).unwrap();
        let found = names(&again.router()).await;
        assert!(answered.iter().all(|name| found.contains(name)), "seed {seed}: {answered:?} {found:?}");
        assert!(found.iter().all(|name| answered.contains(name) || refused.contains(name)), "seed {seed}");
        end(cluster).await;
        end(again).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_without_room_is_refused_and_changes_nothing() {
    let disk = SimulatedDisk::new(1);
    let cluster = start(&disk, builder()).unwrap();
    assert_eq!(create(&cluster.router(), "kept", 10).await.status, 201);
    end(cluster).await;
    for room in (0..90_000).step_by(5_000) {
        disk.leave_room(Some(room));
        match start(&disk, builder()) {
            Err(error) => assert!(error.to_string().ends_with(".snap cannot be used"), "{error}"),
            Ok(cluster) => end(cluster).await,
        }
        disk.leave_room(None);
        let cluster = start(&disk.after(Crash::Power), builder()).unwrap();
        assert_eq!(names(&cluster.router()).await, ["kept"], "{room}");
        end(cluster).await;
    }
}
