use citewire::http::{Access, LimitOptions, OPEN, ROUTES};
use reqwest::{Method, StatusCode};

use crate::app::{API_KEY, DIRECT_LINE_SECRET, TestApp};

fn method(name: &str) -> Method {
    Method::from_bytes(name.as_bytes()).expect("a method")
}

#[tokio::test]
async fn every_route_needs_a_credential_or_is_a_named_exception() {
    let app = TestApp::start();
    for route in ROUTES {
        let request = app.request(method(route.method), &route.path.replace("{id}", "c1"));
        let status = request.send().await.expect("an answer").status();
        // The metrics are open on loopback as well.
        if OPEN.contains(&route.path) || Access::of(route.path) == Access::Metrics {
            assert_ne!(status, StatusCode::UNAUTHORIZED, "{} is open", route.path);
        } else {
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{} {}", route.method, route.path);
        }
    }
}

#[tokio::test]
async fn a_credential_opens_only_what_it_is_for() {
    let app = TestApp::with(|setup| setup.http.limits = LimitOptions::NONE);
    for route in ROUTES {
        let wrong = match Access::of(route.path) {
            Access::Open => continue,
            Access::Key(_) | Access::Download | Access::Metrics => DIRECT_LINE_SECRET,
            Access::DirectLine | Access::Page | Access::Bot => API_KEY,
        };
        let request = app.request(method(route.method), &route.path.replace("{id}", "c1"));
        let status = request.bearer_auth(wrong).send().await.expect("an answer").status();
        let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        assert!(refused.contains(&status), "{} {}: {status}", route.method, route.path);
    }
}

#[tokio::test]
async fn a_method_that_is_not_offered_is_405_and_needs_the_credential_too() {
    let app = TestApp::start();
    let delete = |bearer: Option<&str>| {
        let request = app.request(Method::DELETE, "/v1/activities");
        bearer.iter().fold(request, reqwest::RequestBuilder::bearer_auth).send()
    };
    assert_eq!(delete(None).await.expect("an answer").status(), StatusCode::UNAUTHORIZED);
    assert_eq!(delete(Some(API_KEY)).await.expect("an answer").status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[test]
fn every_exception_is_a_route() {
    for path in OPEN {
        assert!(ROUTES.iter().any(|route| route.path == *path), "{path}");
    }
}

#[tokio::test]
async fn a_near_miss_of_a_path_opens_nothing() {
    let app = TestApp::start();
    for path in [
        "/v1/activities/",
        "//v1/activities",
        "/v1//activities",
        "/V1/activities",
        "/v1/activities/x",
        "/v1/%61ctivities",
    ] {
        let request = app.request(Method::POST, path).body(r#"{"text":"x"}"#);
        let status = request.send().await.expect("an answer").status();
        let refused = [StatusCode::NOT_FOUND, StatusCode::UNAUTHORIZED];
        assert!(refused.contains(&status), "{path}: {status}");
    }
}
