//! Adaptive Cards of sources: in messages of their own, never in a stream.

use citewire::check::{Channel, check};
use serde_json::{Value, json};

use super::{Flavour, Scene, pieces, told};

fn with_card() -> Vec<Value> {
    let mut events = told();
    events[0]["sources"][0]["metadata"] = json!({"card": {"type": "AdaptiveCard", "version": "1.5", "body": [
        {"type": "TextBlock", "text": "30 days", "wrap": true}, {"type": "Input.Text", "id": "x"}],
        "actions": [{"type": "Action.Submit", "title": "Send"}]}});
    events
}

fn cards(scene: &Scene) -> Vec<Value> {
    let claims = scene.chat().pop().expect("an answer").claims();
    claims.iter().map(|claim| claim["appearance"]["encodingFormat"].clone()).collect()
}

#[tokio::test]
async fn a_citation_in_a_message_of_its_own_has_the_card_of_its_source() {
    let scene = Scene::new(Flavour::Teams).await.in_group();
    assert_eq!(scene.answers(pieces(with_card())).await, None);
    assert_eq!(cards(&scene), [json!("application/vnd.microsoft.card.adaptive"), Value::Null]);
    let seen = scene.service.seen();
    assert_eq!(seen.len(), 1);
    let appearance = &seen[0].body["entities"][0]["citation"][0]["appearance"];
    let card: Value = serde_json::from_str(appearance["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(
        card,
        json!({"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "30 days", "wrap": true}]})
    );
    assert_eq!(check(&seen[0].body, Channel::Teams), []);
}

#[tokio::test]
async fn row_cards_in_citations_a_streamed_final_has_none() {
    let scene = Scene::new(Flavour::Teams).await;
    assert_eq!(scene.answers(pieces(with_card())).await, None);
    assert_eq!(cards(&scene), [Value::Null, Value::Null]);
    let seen = scene.service.seen();
    assert!(seen.iter().all(|seen| !seen.body.to_string().contains("AdaptiveCard")));
    assert_eq!(seen.last().map(|seen| seen.body["channelData"]["streamType"].clone()), Some(json!("final")));
}

#[tokio::test]
async fn copilot_which_supports_no_cards_gets_none() {
    let scene = Scene::new(Flavour::Copilot).await.in_group();
    assert_eq!(scene.answers(pieces(with_card())).await, None);
    assert_eq!(cards(&scene), [Value::Null, Value::Null]);
}
