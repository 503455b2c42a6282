//! Compares authorization, impersonation and escalation checks with kube-apiserver's decisions about random requests
//! under random policies. `peers/validation/authorization` recorded the decisions.

use std::collections::BTreeMap;

use axum::body::Body;
use http::Request;
use kube_testcluster::{Authorization, Cluster, User};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api};

const DECISIONS: &str = include_str!("../../../../fixtures/rbac/decisions.jsonl");
const SELF_REVIEW: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/// A policy (its roles and bindings), and what kube-apiserver decides under it.
#[derive(Deserialize)]
struct Line {
    objects: Vec<Value>,
    questions: Vec<Question>,
    reviews: Vec<Review>,
    rules: Vec<Rules>,
}

#[derive(Clone, Deserialize)]
struct Identity {
    name: String,
    #[serde(default)]
    uid: String,
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    extra: BTreeMap<String, Vec<String>>,
}

/// A request, and its outcome: the user in whose name it is handled, or the Status of the refusal.
#[derive(Deserialize)]
struct Question {
    #[serde(rename = "as")]
    asker: Identity,
    method: String,
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    body: Value,
    user: Option<Identity>,
    refused: Option<Value>,
}

/// The answer to a SubjectAccessReview about a user.
#[derive(Deserialize)]
struct Review {
    of: Identity,
    spec: Value,
    allowed: bool,
    #[serde(default)]
    reason: String,
}

/// The answer to a SelfSubjectRulesReview of a user.
#[derive(Deserialize)]
struct Rules {
    of: Identity,
    namespace: String,
    resources: Value,
    paths: Value,
    #[serde(default)]
    problem: String,
}

impl Identity {
    fn user(&self) -> User {
        let Self { name, uid, groups, extra } = self.clone();
        let mut user = User::new(name, groups);
        (user.uid, user.extra) = (uid, extra);
        user
    }

    fn info(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = json!(self.uid);
        }
        if !self.extra.is_empty() {
            info["extra"] = json!(self.extra);
        }
        info
    }
}

fn collection(object: &Value) -> String {
    let plural = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/{plural}"),
        None => format!("/apis/rbac.authorization.k8s.io/v1/{plural}"),
    }
}

/// Starts a server with the namespaces a, b and c, and with this policy in addition to the bootstrap policy.
async fn server(objects: &[Value]) -> Cluster {
    let cluster = Cluster::builder().bare().authorization(Authorization::Rbac).start();
    let api = Api::new(&cluster);
    for name in ["a", "b", "c"] {
        assert_eq!(api.post("/api/v1/namespaces", &json!({"metadata": {"name": name}})).await.status, 201);
    }
    for object in objects {
        let answer = api.post(&collection(object), object).await;
        assert_eq!(answer.status, 201, "{object}: {}", answer.body);
    }
    cluster
}

impl Question {
    async fn ask(&self, cluster: &Cluster) -> Answer {
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.url);
        for (name, values) in &self.headers {
            for value in values {
                request = request.header(name, value);
            }
        }
        let body = if self.body.is_null() { json!({}) } else { self.body.clone() };
        let request = request.header("content-type", "application/json").body(Body::from(body.to_string()));
        Api::from_router(cluster.router_as(self.asker.user())).answer(request.unwrap()).await
    }

    async fn check(&self, cluster: &Cluster) -> Result<(), String> {
        let answer = self.ask(cluster).await;
        let Answer { status, body, .. } = &answer;
        let question = format!("{} {} {} {:?} {}", self.asker.name, self.method, self.url, self.headers, self.body);
        match &self.refused {
            Some(refused) => {
                for field in ["message", "reason", "details", "code"] {
                    if body[field] != refused[field] {
                        return Err(format!("{question}\n  upstream: {refused}\n  here:     {body}"));
                    }
                }
                Ok(())
            }
            None if [401, 403].contains(status) => Err(format!("{question}\n  upstream allows it; here: {body}")),
            None if self.url == SELF_REVIEW => {
                let (found, user) = (&body["status"]["userInfo"], self.user.as_ref().unwrap().info());
                if *found == user {
                    Ok(())
                } else {
                    Err(format!("{question}\n  upstream: {user}\n  here:     {found}"))
                }
            }
            // An allowed write may still be invalid.
            None if !self.body.is_null() && ![200, 201, 422].contains(status) => {
                Err(format!("{question}\n  here: {body}"))
            }
            None => Ok(()),
        }
    }
}

impl Review {
    async fn check(&self, api: &Api) -> Result<(), String> {
        let Identity { name, uid, groups, extra } = &self.of;
        let mut spec = self.spec.clone();
        for (field, value) in
            [("user", json!(name)), ("uid", json!(uid)), ("groups", json!(groups)), ("extra", json!(extra))]
        {
            spec[field] = value;
        }
        let review = json!({"spec": spec});
        let answer = api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", &review).await;
        let mut expected = json!({"allowed": self.allowed});
        if !self.reason.is_empty() {
            expected["reason"] = json!(self.reason);
        }
        let found = &answer.body["status"];
        if *found == expected { Ok(()) } else { Err(format!("{review}\n  upstream: {expected}\n  here:     {found}")) }
    }
}

impl Rules {
    async fn check(&self, cluster: &Cluster) -> Result<(), String> {
        // Any authenticated user may ask for their own rules.
        let api = Api::from_router(cluster.router_as(self.of.user()));
        let review = json!({"spec": {"namespace": self.namespace}});
        let answer = api.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", &review).await;
        if answer.status == 403 {
            return Ok(()); // anonymous users may not ask
        }
        let mut expected =
            json!({"resourceRules": self.resources, "nonResourceRules": self.paths, "incomplete": false});
        if !self.problem.is_empty() {
            expected["evaluationError"] = json!(self.problem);
        }
        let found = &answer.body["status"];
        if *found == expected {
            Ok(())
        } else {
            Err(format!("{}\n  upstream: {expected}\n  here:     {found}", self.of.name))
        }
    }
}

#[tokio::test(start_paused = true)]
async fn decisions_are_those_of_upstream() {
    let (mut asked, mut wrong) = (0, Vec::new());
    // The variable names a file of decisions for another seed.
    let others = std::env::var("RBAC_DECISIONS").map(|file| std::fs::read_to_string(file).unwrap());
    for line in others.as_deref().unwrap_or(DECISIONS).lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        let cluster = server(&line.objects).await;
        let api = Api::new(&cluster);
        let mut results = Vec::new();
        for question in line.questions {
            results.push(question.check(&cluster).await);
        }
        for review in line.reviews {
            results.push(review.check(&api).await);
        }
        for rules in line.rules {
            results.push(rules.check(&cluster).await);
        }
        asked += results.len();
        wrong.extend(results.into_iter().filter_map(Result::err));
    }
    let shown = wrong.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty() && asked > 1_500, "{} of {asked}:\n{shown}", wrong.len());
}
