//! Scores of search services, from the options of a request to every output.

use serde_json::json;

use crate::app::{API_KEY, TestApp, answer};

/// Maxima and the preference for the ranker were flags of the command alone, and nothing showed what a score was made of.
#[tokio::test]
async fn scores_are_read_as_the_options_say_and_the_report_has_the_raw_ones() {
    let app = TestApp::start();
    let document = json!({"title": "A", "content": "p", "url": "https://src.example/a", "chunk_id": "0", "original_search_score": 25.0,
        "rerank_score": 3.0, "filter_reason": null});
    let citation = json!({"title": "A", "content": "p", "url": "https://src.example/a", "chunk_id": "0"});
    let context = json!({"citations": [citation], "all_retrieved_documents": [document]});
    let message = json!({"role": "assistant", "content": "Yes [doc1].", "context": context});
    let body =
        json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]});
    for (options, score) in [
        (json!({}), 0.25),
        (json!({"bm25_max": 50}), 0.5),
        (json!({"prefer_rerank": true}), 0.75),
        (json!({"prefer_rerank": true, "rerank_max": 6}), 0.5),
    ] {
        let asked = json!({"answer": body, "options": options});
        let (_, records) = answer(app.post("/v1/records", API_KEY).json(&asked)).await;
        assert_eq!(records["sources"][0]["score"], score, "{options}");
        let (_, cards) = answer(app.post("/v1/open-webui", API_KEY).json(&asked)).await;
        assert_eq!(cards["events"][0]["data"]["distances"], json!([score]), "{options}: {cards}");
        let (_, converted) = answer(app.post("/v1/activities", API_KEY).json(&asked)).await;
        let told = &converted["report"]["scores"][0];
        assert_eq!((&told["score"], &told["rerank_score"]), (&json!(score), &json!(3.0)), "{options}");
        assert_eq!(told["search_score"], 25.0);
    }
}
