//! Tests RBAC: authorization by roles and bindings, impersonation, and escalation checks.

use axum::body::Body;
use http::Request;
use kube_testcluster::{Admission, Authorization, Cluster, ClusterBuilder, ManagedFields, User};
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, pod, quiet};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const SELF_REVIEW: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

fn guarded() -> ClusterBuilder {
    quiet().authorization(Authorization::Rbac).admission(Admission::Kube)
}

fn user(cluster: &Cluster, name: &str) -> Api {
    Api::from_router(cluster.router_as(User::new(name, ["developers"])))
}

async fn bind(cluster: &Cluster, role: &str, subject: Value) {
    let name = format!("{role}-{}", subject["name"].as_str().unwrap());
    let binding = json!({"metadata": {"name": name}, "subjects": [subject],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}});
    let answer = Api::new(cluster).post(&format!("{RBAC}/clusterrolebindings"), &binding).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

async fn role(cluster: &Cluster, name: &str, rules: Value) {
    let role = json!({"metadata": {"name": name}, "rules": rules});
    let answer = Api::new(cluster).post(&format!("{RBAC}/clusterroles"), &role).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

async fn with_header(api: &Api, method: &str, path: &str, name: &str, value: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).header(name, value);
    api.answer(request.header("content-type", "application/json").body(Body::from("{}")).unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn a_user_may_only_do_what_a_role_allows() {
    let cluster = guarded().start();
    let ada = user(&cluster, "ada");
    let refused = ada.get(PODS).await;
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "pods is forbidden: User \"ada\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"",
        "reason": "Forbidden", "details": {"kind": "pods"}, "code": 403,
    });
    assert_eq!((refused.status, refused.body), (403, expected));
    assert_eq!(
        (ada.get("/api").await.status, ada.get("/healthz").await.status),
        (200, 200),
        "every authenticated user may read them"
    );
    bind(&cluster, "view", json!({"kind": "Group", "name": "developers"})).await;
    assert_eq!(ada.get(PODS).await.status, 200);
    assert_eq!(ada.get(&format!("{PODS}/a")).await.status, 404);
    let refused = ada.post(PODS, &pod("a", &json!({}))).await;
    let why = "pods is forbidden: User \"ada\" cannot create resource \"pods\" in API group \"\" in the namespace \"default\"";
    assert_eq!((refused.status, refused.message()), (403, why));
    Api::new(&cluster).delete(&format!("{RBAC}/clusterrolebindings/view-developers")).await;
    assert_eq!(ada.get(PODS).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn anonymous_clients_may_only_read_health_and_version() {
    let cluster = guarded().start();
    let anonymous = Api::from_router(cluster.router_as(User::new("system:anonymous", ["system:unauthenticated"])));
    assert_eq!((anonymous.get("/healthz").await.status, anonymous.get("/version").await.status), (200, 200));
    let refused = anonymous.get("/api").await;
    let why = "forbidden: User \"system:anonymous\" cannot get path \"/api\"";
    assert_eq!((refused.status, refused.message()), (403, why));
}

#[tokio::test(start_paused = true)]
async fn a_client_without_credentials_is_the_administrator() {
    let cluster = guarded().start();
    let api = Api::new(&cluster);
    assert_eq!(api.post(PODS, &pod("a", &json!({}))).await.status, 201);
    let me = api.post(SELF_REVIEW, &json!({})).await;
    let expected = json!({"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]});
    assert_eq!(me.body["status"]["userInfo"], expected);
}

#[tokio::test(start_paused = true)]
async fn a_service_account_token_has_the_permissions_of_the_accounts_roles() {
    let cluster = guarded().start();
    let api = Api::new(&cluster);
    let token = api.post("/api/v1/namespaces/default/serviceaccounts/default/token", &json!({"spec": {}})).await;
    let bearer = format!("Bearer {}", token.body["status"]["token"].as_str().unwrap());
    let refused = with_header(&api, "GET", PODS, "authorization", &bearer).await;
    assert!(
        refused.message().contains("User \"system:serviceaccount:default:default\" cannot list"),
        "{}",
        refused.body
    );
    bind(&cluster, "view", json!({"kind": "ServiceAccount", "name": "default", "namespace": "default"})).await;
    assert_eq!(with_header(&api, "GET", PODS, "authorization", &bearer).await.status, 200);
    assert_eq!(with_header(&api, "GET", PODS, "authorization", "Bearer a.b.c").await.status, 401);
}

#[tokio::test(start_paused = true)]
async fn impersonation_needs_permission_and_changes_the_user() {
    let cluster = guarded().start();
    let admin = Api::new(&cluster);
    let me = with_header(&admin, "POST", SELF_REVIEW, "impersonate-user", "system:serviceaccount:default:robot").await;
    let groups = ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"];
    let expected = json!({"username": "system:serviceaccount:default:robot", "groups": groups});
    assert_eq!(me.body["status"]["userInfo"], expected);
    assert_eq!(with_header(&admin, "GET", PODS, "impersonate-user", "ada").await.status, 403);
    let ada = user(&cluster, "ada");
    let refused = with_header(&ada, "GET", PODS, "impersonate-user", "bob").await;
    let why = "users \"bob\" is forbidden: User \"ada\" cannot impersonate resource \"users\" in API group \"\" at the \
        cluster scope";
    assert_eq!((refused.status, refused.message()), (403, why));
}

#[tokio::test(start_paused = true)]
async fn impersonation_also_works_if_everything_is_allowed() {
    let cluster = quiet().start();
    let me = with_header(&Api::new(&cluster), "POST", SELF_REVIEW, "impersonate-user", "ada").await;
    assert_eq!(me.body["status"]["userInfo"], json!({"username": "ada", "groups": ["system:authenticated"]}));
}

#[tokio::test(start_paused = true)]
async fn a_user_cannot_grant_permissions_that_they_do_not_hold() {
    let cluster = guarded().start();
    let ada = user(&cluster, "ada");
    let group = json!(["rbac.authorization.k8s.io"]);
    role(&cluster, "writer", json!([{"verbs": ["*"], "apiGroups": group, "resources": ["roles", "rolebindings"]}]))
        .await;
    role(&cluster, "reader", json!([{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["secrets"]}])).await;
    bind(&cluster, "writer", json!({"kind": "User", "name": "ada"})).await;
    let roles = format!("{RBAC}/namespaces/default/roles");
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    // `*` includes the verb escalate for roles. Binding a cluster role needs its permissions or the verb bind on it.
    let wanted =
        json!({"metadata": {"name": "r"}, "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]});
    assert_eq!(ada.post(&roles, &wanted).await.status, 201);
    let of = |name: &str| json!({"kind": "ClusterRole", "name": name});
    let binding = |role| json!({"metadata": {"name": "b"}, "roleRef": role, "subjects": []});
    let refused = ada.post(&bindings, &binding(of("reader"))).await;
    let why = "rolebindings.rbac.authorization.k8s.io \"b\" is forbidden: user \"ada\" (groups=[\"developers\" \
        \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], \
        Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}";
    assert_eq!((refused.status, refused.message()), (403, why));
    let missing = ada.post(&bindings, &binding(of("missing"))).await;
    let why = "rolebindings.rbac.authorization.k8s.io \"missing\" not found"; // named as the resource of the request
    assert_eq!((missing.status, missing.message()), (404, why));
    bind(&cluster, "reader", json!({"kind": "User", "name": "ada"})).await;
    assert_eq!(ada.post(&bindings, &binding(of("reader"))).await.status, 201, "ada holds the permissions of the role");
}

#[tokio::test(start_paused = true)]
async fn the_escalation_check_of_a_role_with_billions_of_permissions_is_fast() {
    let cluster = guarded().start();
    let ada = user(&cluster, "ada");
    let writing = json!([{"verbs": ["create", "get"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"]},
        {"verbs": ["*"], "apiGroups": ["own"], "resources": ["*"]}]);
    role(&cluster, "writer", writing).await;
    bind(&cluster, "writer", json!({"kind": "User", "name": "ada"})).await;
    let many = |of: &str| (0..3000).map(|n| json!(format!("{of}{n}"))).collect::<Value>();
    let roles = format!("{RBAC}/namespaces/default/roles");
    let wanted = |name: &str, groups: Value| json!({"metadata": {"name": name}, "rules": [{"verbs": many("v"), "apiGroups": groups, "resources": many("r"), "resourceNames": many("n")}]});
    assert_eq!(ada.post(&roles, &wanted("r", many("g"))).await.status, 403);
    assert_eq!(
        ada.post(&roles, &wanted("s", json!(["own"]))).await.status,
        201,
        "a single rule of ada covers the whole role"
    );
}

#[tokio::test(start_paused = true)]
async fn a_binding_to_a_missing_role_cannot_be_changed() {
    let cluster = guarded().start();
    let (admin, ada) = (Api::new(&cluster), user(&cluster, "ada"));
    let group = json!(["rbac.authorization.k8s.io"]);
    role(
        &cluster,
        "writer",
        json!([{"verbs": ["get", "create", "update"], "apiGroups": group, "resources": ["rolebindings"]}]),
    )
    .await;
    bind(&cluster, "writer", json!({"kind": "User", "name": "ada"})).await;
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    let gone = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "gone"});
    let made = admin.post(&bindings, &json!({"metadata": {"name": "b"}, "roleRef": gone})).await;
    let mut changed = made.body;
    changed["subjects"] = json!([{"kind": "User", "name": "bob"}]);
    let put = ada.send("PUT", &format!("{bindings}/b"), "application/json", changed.to_string()).await;
    assert_eq!((put.status, put.message()), (404, "rolebindings.rbac.authorization.k8s.io \"gone\" not found"));
}

/// Upstream names the resource of the request, and not that of the role.
#[tokio::test(start_paused = true)]
async fn an_apply_of_a_binding_to_a_missing_role_names_the_binding() {
    let cluster = guarded().start();
    let ada = user(&cluster, "ada");
    let rule = json!({"verbs": ["*"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["rolebindings"]});
    role(&cluster, "writer", json!([rule])).await;
    bind(&cluster, "writer", json!({"kind": "User", "name": "ada"})).await;
    for kind in ["Role", "ClusterRole"] {
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "b"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "missing"},
            "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}],
        });
        let path = format!("{RBAC}/namespaces/default/rolebindings/b?fieldManager=kubectl");
        let applied = ada.send("PATCH", &path, "application/apply-patch+yaml", binding.to_string()).await;
        let told = "rolebindings.rbac.authorization.k8s.io \"missing\" not found";
        assert_eq!((applied.status, applied.message()), (404, told), "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn changing_only_finalizers_of_a_role_needs_no_escalation_check() {
    let cluster = guarded().start();
    let ada = user(&cluster, "ada");
    let group = json!(["rbac.authorization.k8s.io"]);
    let verbs = json!(["get", "update", "patch"]);
    role(&cluster, "writer", json!([{"verbs": verbs, "apiGroups": group, "resources": ["clusterroles"]}])).await;
    bind(&cluster, "writer", json!({"kind": "User", "name": "ada"})).await;
    let admin = format!("{RBAC}/clusterroles/cluster-admin");
    let mut role = ada.get(&admin).await.body;
    role["metadata"]["finalizers"] = json!(["example.com/a"]);
    assert_eq!(ada.put(&admin, &role).await.status, 200);
    assert_eq!(ada.merge(&admin, &json!({"metadata": {"finalizers": null}})).await.status, 200);
    assert_eq!(ada.merge(&admin, &json!({"metadata": {"labels": {"a": "b"}}})).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn an_apply_or_put_that_creates_an_object_needs_the_create_verb() {
    let cluster = guarded().managed_fields(ManagedFields::Kept).start();
    let ada = user(&cluster, "ada");
    role(
        &cluster,
        "patcher",
        json!([{"verbs": ["update", "patch"], "apiGroups": ["", "rbac.authorization.k8s.io"],
        "resources": ["configmaps", "services"]}]),
    )
    .await;
    bind(&cluster, "patcher", json!({"kind": "User", "name": "ada"})).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let path = "/api/v1/namespaces/default/configmaps/a";
    let applied =
        ada.send("PATCH", &format!("{path}?fieldManager=x"), "application/apply-patch+yaml", map.to_string()).await;
    let why = "configmaps \"a\" is forbidden: User \"ada\" cannot create resource \"configmaps\" in API group \"\" in the \
        namespace \"default\"";
    assert_eq!((applied.status, applied.message()), (403, why));
    let service = json!({"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}});
    let put = ada.put("/api/v1/namespaces/default/services/s", &service).await;
    assert_eq!((put.status, put.body["details"]["kind"].as_str()), (403, Some("services")), "{}", put.body);
}

#[tokio::test(start_paused = true)]
async fn access_reviews_give_the_decision_and_its_reason() {
    let cluster = guarded().start();
    bind(&cluster, "view", json!({"kind": "User", "name": "ada"})).await;
    let api = Api::new(&cluster);
    let asked = |verb: &str| json!({"user": "ada", "resourceAttributes": {"verb": verb, "resource": "pods"}});
    let reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    let answer = api.post(reviews, &json!({"spec": asked("list")})).await;
    let reason = "RBAC: allowed by ClusterRoleBinding \"view-ada\" of ClusterRole \"view\" to User \"ada\"";
    assert_eq!(answer.body["status"], json!({"allowed": true, "reason": reason}));
    let answer = api.post(reviews, &json!({"spec": asked("delete")})).await;
    assert_eq!(answer.body["status"], json!({"allowed": false}));
    let own = json!({"spec": {"resourceAttributes": {"verb": "list", "resource": "secrets", "namespace": "default"}}});
    let answer = user(&cluster, "ada").post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &own).await;
    assert_eq!(answer.body["status"], json!({"allowed": false}));
}

#[tokio::test(start_paused = true)]
async fn the_clusters_own_controllers_need_no_permissions() {
    let cluster = Cluster::builder().authorization(Authorization::Rbac).start();
    let api = Api::new(&cluster);
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template});
    let set = json!({"metadata": {"name": "s"}, "spec": spec});
    assert_eq!(api.post("/apis/apps/v1/namespaces/default/replicasets", &set).await.status, 201);
    let mut watch = api.watch("").await;
    loop {
        let event = watch.next().await.unwrap();
        if event["object"]["status"]["phase"] == "Running" {
            break;
        }
    }
}

/// Upstream: `RespondWithError` in `endpoints/handlers/responsewriters`, and Go's `http.Error`.
#[tokio::test(start_paused = true)]
async fn refusals_and_texts_have_the_nosniff_header() {
    let cluster = guarded().start();
    let ada = user(&cluster, "ada");
    let sniffing =
        |answer: Answer| answer.headers.get("x-content-type-options").map(|value| value.to_str().unwrap().to_owned());
    let nosniff = Some("nosniff".to_owned());
    assert_eq!(sniffing(ada.get(PODS).await), nosniff);
    assert_eq!(sniffing(with_header(&ada, "GET", PODS, "impersonate-user", "eve").await), nosniff);
    let admin = Api::new(&cluster);
    for text in ["/nosuch", "/healthz", "/livez?verbose"] {
        assert_eq!(sniffing(admin.get(text).await), nosniff, "{text}");
    }
    for object in [PODS, "/api/v1/nosuch", "/version"] {
        assert_eq!(sniffing(admin.get(object).await), None, "{object}");
    }
    assert_eq!(sniffing(with_header(&admin, "GET", PODS, "authorization", "Bearer nobody's").await), None);
}
