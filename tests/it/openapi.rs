use std::collections::BTreeSet;
use std::path::Path;

use citewire::http::{Access, ROUTES, UNDOCUMENTED, document};
use reqwest::{Method, StatusCode, header};
use serde_json::Value;

use crate::app::{TestApp, answer};

fn json() -> Value {
    serde_json::to_value(document()).expect("JSON")
}

/// Rewritten with `CITEWIRE_UPDATE=1`.
#[test]
fn the_document_in_the_repository_is_the_one_that_is_served() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api/openapi.json");
    let rebuilt = format!("{}\n", serde_json::to_string_pretty(&json()).expect("JSON"));
    if std::env::var_os("CITEWIRE_UPDATE").is_some() {
        std::fs::write(&path, &rebuilt).expect("written");
    }
    let kept = std::fs::read_to_string(&path).expect("docs/api/openapi.json");
    assert!(kept == rebuilt, "docs/api/openapi.json is out of date: run the tests with CITEWIRE_UPDATE=1");
}

#[test]
fn every_route_is_documented_or_named_as_undocumented() {
    let json = json();
    let mut documented = BTreeSet::new();
    for (path, operations) in json["paths"].as_object().expect("paths") {
        for method in operations.as_object().expect("operations").keys() {
            documented.insert((method.to_uppercase(), path.clone()));
        }
    }
    let routes: BTreeSet<_> = ROUTES
        .iter()
        .filter(|route| !UNDOCUMENTED.contains(&route.path))
        .map(|route| (route.method.to_owned(), route.path.to_owned()))
        .collect();
    assert_eq!(documented, routes);
}

#[test]
fn every_operation_says_which_credential_it_needs() {
    let json = json();
    for route in ROUTES.iter().filter(|route| !UNDOCUMENTED.contains(&route.path)) {
        let operation = &json["paths"][route.path][route.method.to_lowercase()];
        let needed = operation["security"][0].as_object().and_then(|needed| needed.keys().next().map(String::as_str));
        let expected = match Access::of(route.path) {
            Access::Open => None,
            Access::Key(_) | Access::Metrics => Some("api_key"),
            Access::DirectLine => Some("direct_line"),
            Access::Page => Some("page"),
            Access::Download => Some("reader"),
            Access::Bot => Some("bot"),
        };
        assert_eq!(needed, expected, "{}", route.path);
    }
}

/// The words of Power Platform's connectors: OpenAPI 2, in which Copilot Studio reads neither references nor several types at once.
#[test]
fn connectors_of_copilot_studio_call_what_is_there() {
    let served = json();
    let schemas = &served["components"]["schemas"];
    let read = |name: &str| -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/copilot-studio").join(name);
        serde_json::from_str(&std::fs::read_to_string(path).expect(name)).expect(name)
    };
    let tools = read("mcp.swagger.json");
    assert!(ROUTES.iter().any(|route| (route.method, route.path) == ("POST", "/mcp")));
    assert_eq!(tools["paths"]["/mcp"]["post"]["x-ms-agentic-protocol"], "mcp-streamable-1.0");
    let connector = read("connector.swagger.json");
    assert!(is_plain(&connector) && is_plain(&tools));
    for (path, operations) in connector["paths"].as_object().expect("paths") {
        let operation = &served["paths"][path]["post"];
        assert!(operation.is_object() && operations["post"].is_object(), "{path}");
        let known = operation["parameters"].as_array().into_iter().flatten().map(|known| &known["name"]);
        let known: Vec<&Value> = known.collect();
        for parameter in operations["post"]["parameters"].as_array().expect("parameters") {
            assert!(parameter["in"] == "body" || known.contains(&&parameter["name"]), "{path}: {parameter}");
        }
    }
    let members = |schema: &Value| -> Vec<String> {
        schema["properties"].as_object().expect("members").keys().cloned().collect()
    };
    let result = |path: &str| connector["paths"][path]["post"]["responses"]["200"]["schema"].clone();
    let records = result("/v1/records");
    let source = &records["properties"]["sources"]["items"];
    for (named, schema) in [
        (&records, "RecordsAnswer"),
        (source, "Record"),
        (&result("/v1/activities"), "ActivitiesAnswer"),
        (&result("/v1/chat/completions"), "ChatCompletion"),
    ] {
        let known = members(&schemas[schema]);
        assert!(members(named).iter().all(|name| known.contains(name)), "{schema}: {known:?}");
    }
}

/// Whether no part of a document refers to another one or has several types.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().all(|(name, value)| {
            name != "$ref" && (name != "type" || value.is_string() || value.is_object()) && is_plain(value)
        }),
        Value::Array(items) => items.iter().all(is_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[tokio::test]
async fn the_document_and_its_viewer_are_served() {
    let app = TestApp::start();
    let (status, body) = answer(app.request(Method::GET, "/openapi.json")).await;
    assert_eq!((status, body), (StatusCode::OK, json()));
    // The client follows the redirect.
    let page = app.request(Method::GET, "/docs").send().await.expect("an answer");
    let policy = page.headers()["content-security-policy"].to_str().expect("text").to_owned();
    assert!(policy.contains("script-src 'self';") && policy.starts_with("default-src 'none'"), "{policy}");
    let html = page.text().await.expect("text");
    for script in html.split("<script").skip(1) {
        assert!(script.trim_start().starts_with("src="), "the policy lets no inline script run: {script}");
    }
    for (file, media_type) in
        [("swagger-ui-bundle.js", "javascript"), ("swagger-ui.css", "css"), ("swagger-initializer.js", "javascript")]
    {
        let response = app.request(Method::GET, &format!("/docs/{file}")).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK, "{file}");
        assert!(response.headers()[header::CONTENT_TYPE].to_str().expect("text").contains(media_type), "{file}");
    }
    let initializer = app.request(Method::GET, "/docs/swagger-initializer.js").send().await.expect("an answer");
    assert!(initializer.text().await.expect("text").contains("/openapi.json"));
    assert_eq!(answer(app.request(Method::GET, "/docs/../Cargo.toml")).await.0, StatusCode::NOT_FOUND);
}
