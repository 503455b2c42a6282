//! Finds the operations that the server offers: those of its own OpenAPI v3 documents, and a GET of each other path that
//! its index `/` lists.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use serde_json::{Map, Value};

use crate::http::{Read, answer, request};

/// A method and a path of the API.
#[derive(Debug)]
pub struct Operation {
    pub method: String,
    /// The path, with parameters in braces.
    pub path: String,
    /// The names of the parameters of the query.
    pub parameters: Vec<String>,
    /// The schema of the object that the path is about; null if there is no such object.
    pub schema: Value,
}

/// All operations, and the schemas that their schemas refer to by name.
#[derive(Debug, Default)]
pub struct Operations {
    pub all: Vec<Operation>,
    pub schemas: Map<String, Value>,
}

impl Operations {
    pub async fn of(address: SocketAddr) -> Self {
        let mut operations = Self::default();
        let index = get(address, "/openapi/v3").await;
        for document in index["paths"].as_object().unwrap().values() {
            let mut document = get(address, document["serverRelativeURL"].as_str().unwrap()).await;
            if let Value::Object(schemas) = document["components"]["schemas"].take() {
                operations.schemas.extend(schemas);
            }
            for (path, item) in document["paths"].as_object().unwrap() {
                operations.add(path, item);
            }
        }
        let documented: BTreeSet<String> = operations.all.iter().map(|operation| operation.path.clone()).collect();
        for path in get(address, "/").await["paths"].as_array().unwrap() {
            let path = path.as_str().unwrap().to_owned();
            if !documented.contains(&path) {
                let (method, parameters, schema) = ("GET".to_owned(), Vec::new(), Value::Null);
                operations.all.push(Operation { method, path, parameters, schema });
            }
        }
        operations
    }

    /// Adds the operations of a path. `item` is OpenAPI's Path Item Object.
    fn add(&mut self, path: &str, item: &Value) {
        let of_body = |method: &str| body_schema(&item[method]["requestBody"]);
        let of_answer = || body_schema(&item["get"]["responses"]["200"]);
        let object = of_body("put").or_else(|| of_body("post")).or_else(of_answer).unwrap_or_default();
        for method in ["get", "put", "post", "delete", "patch", "options", "head"] {
            let Some(operation) = item.get(method) else { continue };
            let parameters = [&item["parameters"], &operation["parameters"]].into_iter().filter_map(Value::as_array);
            self.all.push(Operation {
                method: method.to_uppercase(),
                path: path.to_owned(),
                parameters: parameters
                    .flatten()
                    .filter(|parameter| parameter["in"] == "query")
                    .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
                    .collect(),
                // A patch also gets the schema of the whole object, because the documents give a patch none of its own.
                schema: match method {
                    "delete" => of_body(method).unwrap_or_default(),
                    _ => object.clone(),
                },
            });
        }
    }
}

fn body_schema(body: &Value) -> Option<Value> {
    Some(body["content"].as_object()?.values().next()?["schema"].clone())
}

async fn get(address: SocketAddr, path: &str) -> Value {
    answer(address, &request("GET", path, &[], b""), Read::All).await.unwrap().json()
}
