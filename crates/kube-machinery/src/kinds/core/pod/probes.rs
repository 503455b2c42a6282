//! The defaults of a container's probes and lifecycle hooks. Upstream: `SetDefaults_Probe`, `SetDefaults_HTTPGetAction`
//! in `pkg/apis/core/v1/defaults.go`.

use crate::conventions::edit::{object_field, set_default};
use crate::value::{Value, json};

pub(crate) fn container(container: &mut Value) {
    for field in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = object_field(container, field) else { continue };
        for (field, number) in
            [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
        {
            set_default(probe, field, json!(number));
        }
        http_get(probe);
        if let Some(grpc) = object_field(probe, "grpc").filter(|grpc| grpc["service"].is_null()) {
            grpc["service"] = json!("");
        }
    }
    let Some(lifecycle) = object_field(container, "lifecycle") else { return };
    for field in ["postStart", "preStop"] {
        if let Some(hook) = object_field(lifecycle, field) {
            http_get(hook);
        }
    }
}

fn http_get(action: &mut Value) {
    let Some(get) = object_field(action, "httpGet") else { return };
    set_default(get, "path", json!("/"));
    set_default(get, "scheme", json!("HTTP"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_and_hooks_get_their_defaults() {
        let mut web = json!({
            "livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 5},
            "startupProbe": {"grpc": {"port": 9000}},
            "lifecycle": {"preStop": {"httpGet": {"port": 80, "path": "/bye"}}},
        });
        container(&mut web);
        assert_eq!(
            web["livenessProbe"],
            json!({
                "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"},
                "periodSeconds": 5, "timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3,
            })
        );
        assert_eq!(web["startupProbe"]["grpc"], json!({"port": 9000, "service": ""}));
        assert_eq!(web["lifecycle"]["preStop"]["httpGet"], json!({"port": 80, "path": "/bye", "scheme": "HTTP"}));
    }
}
