//! The columns that `kubectl get` shows for Jobs and CronJobs. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use jiff::Timestamp;

use super::workloads::{self, CONTAINERS, IMAGES, selector};
use super::{AGE, Column, NAME, age, number, text};
use crate::value::{Array, Value};

/// The conditions that the status column shows, by precedence. A Job has ended if it has one of the first two.
const STATES: [&str; 5] = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"];

pub(in crate::kinds) const JOBS: &[Column] = &[
    NAME,
    Column::new("Status", "Status of the job.", |job, _| status(job).into()),
    Column::new("Completions", "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.", |job, _| completions(job).into()),
    Column::new("Duration", "Time required to complete the job.", |job, now| duration(job, now).into()),
    AGE,
    CONTAINERS,
    IMAGES,
    Column::new("Selector", "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors", |job, _| selector(&job["spec"]["selector"])).wide(),
];

pub(in crate::kinds) const CRON_JOBS: &[Column] = &[
    NAME,
    Column::new("Schedule", "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.", |job, _| text(job, "/spec/schedule")),
    Column::new("Timezone", "The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones", |job, _| job["spec"]["timeZone"].as_str().unwrap_or("<none>").into()),
    Column::new("Suspend", "This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.", |job, _| {
        job["spec"]["suspend"].as_bool().map_or("<unset>", |suspended| if suspended { "True" } else { "False" }).into()
    }).boolean(),
    Column::new("Active", "A list of pointers to currently running jobs.", |job, _| job["status"]["active"].as_array().map_or(0, Array::len).into()).integer(),
    Column::new("Last Schedule", "Information when was the last time the job was successfully scheduled.", |job, now| {
        let last = &job["status"]["lastScheduleTime"];
        if last.is_null() { "<none>".into() } else { age(last, now).into() }
    }),
    AGE,
    Column::new("Containers", "Names of each container in the template.", |job, _| workloads::containers(&job["spec"]["jobTemplate"]["spec"], "name")).wide(),
    Column::new("Images", "Images referenced by each container in the template.", |job, _| workloads::containers(&job["spec"]["jobTemplate"]["spec"], "image")).wide(),
    Column::new("Selector", "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors", |job, _| selector(&job["spec"]["jobTemplate"]["spec"]["selector"])).wide(),
];

fn status(job: &Value) -> &'static str {
    let conditions = job["status"]["conditions"].as_array().map_or(&[][..], Array::as_slice);
    let has =
        |state: &&str| conditions.iter().any(|condition| condition["type"] == **state && condition["status"] == "True");
    // `Terminating`, for a Job that is being deleted, ranks behind the two final states.
    let (ended, others) = STATES.split_at(2);
    if let Some(end) = ended.iter().find(|state| has(state)) {
        return end;
    }
    if !job["metadata"]["deletionTimestamp"].is_null() {
        return "Terminating";
    }
    others.iter().find(|state| has(state)).copied().unwrap_or("Running")
}

fn completions(job: &Value) -> String {
    let succeeded = number(job, "/status/succeeded");
    match (job["spec"]["completions"].as_i64(), number(job, "/spec/parallelism").as_i64()) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, Some(parallelism)) if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        _ => format!("{succeeded}/1"),
    }
}

fn duration(job: &Value, now: Timestamp) -> String {
    let (start, end) = (&job["status"]["startTime"], &job["status"]["completionTime"]);
    if start.is_null() {
        return String::new();
    }
    age(start, end.as_str().and_then(|end| end.parse().ok()).unwrap_or(now))
}
