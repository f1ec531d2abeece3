use reqwest::StatusCode;
use serde_json::json;

use super::log;
use crate::app::{API_KEY, TestApp, answer};

/// A search could not be tuned: the parts of the score of a source were nowhere to be seen.
#[tokio::test]
async fn the_log_for_debugging_has_a_line_for_each_source_with_its_raw_scores() {
    log::keep();
    let app = TestApp::start();
    // No other test has this score.
    let document = json!({"title": "A", "content": "p", "url": "https://x.example/a", "chunk_id": "0",
        "original_search_score": 7.0625, "rerank_score": 3.0, "filter_reason": null});
    let citation = json!({"title": "A", "content": "p", "url": "https://x.example/a", "chunk_id": "0"});
    let context = json!({"citations": [citation], "all_retrieved_documents": [document]});
    let message = json!({"role": "assistant", "content": "Yes [doc1].", "context": context});
    let body =
        json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]});
    for (at, route) in ["/v1/activities", "/v1/records", "/v1/open-webui"].into_iter().enumerate() {
        let (status, told) = answer(app.post(route, API_KEY).json(&json!({"answer": body}))).await;
        assert_eq!(status, StatusCode::OK, "{route}: {told}");
        let lines = log::with("search_score=7.0625");
        assert_eq!(lines.len(), at + 1, "{route}: {lines:?}");
        assert!(lines[at].contains("DEBUG") && lines[at].contains("rerank_score=3"), "{lines:?}");
        assert!(lines[at].contains("at=\"/choices/0/message/context/citations/0\""), "{lines:?}");
    }
}
