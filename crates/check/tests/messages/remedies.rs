//! Remedies that once ended in no findings with something lost, or that made new ones.

use citewire_check::{Channel, mend};
use serde_json::{Value, json};

fn message(text: &str, claims: &Value) -> Value {
    json!({"type": "message", "text": text, "entities": [{"type": "https://schema.org/Message", "@type": "Message",
           "@context": "https://schema.org", "@id": "", "citation": claims}]})
}

fn claim(position: u32, url: &str) -> Value {
    json!({"@type": "Claim", "position": position, "appearance": {"@type": "DigitalDocument", "name": "Policy", "url": url}})
}

/// The mended document, and the codes that are left.
fn mended(document: &Value, channel: Channel) -> (Value, Vec<&'static str>) {
    let mended = mend(document, channel).expect("an activity");
    (mended.document, mended.findings.into_iter().map(|finding| finding.code).collect())
}

#[test]
fn a_line_that_lists_a_source_goes_when_its_definition_comes() {
    let claims = json!([claim(1, "https://docs.example/a")]);
    for line in
        ["    [1]: https://docs.example/a \"Policy\"", "[1] <https://docs.example/a>", "- [1] https://docs.example/a"]
    {
        let (document, left) = mended(&message(&format!("Keep it[1].\n\n{line}"), &claims), Channel::WebChat);
        assert_eq!(document["text"], "Keep it[1].\n\n[1]: https://docs.example/a \"Policy\"\n", "{line}");
        assert_eq!(left, [] as [&str; 0]);
    }
    for line in ["[1] https://docs.example/other", "[1] https://docs.example/a - the old policy"] {
        let fault = message(&format!("Keep it[1].\n\n{line}"), &claims);
        let (document, left) = mended(&fault, Channel::WebChat);
        assert_eq!(document, fault);
        assert!(left.contains(&"claim-without-definition"), "{left:?}");
    }
}

#[test]
fn a_list_of_definitions_leaves_no_empty_items() {
    let claims = json!([claim(1, "https://docs.example/a")]);
    for list in ["- [1]: https://docs.example/a", "1. [1]: https://docs.example/a", "> [1]: https://docs.example/a"] {
        let (document, left) = mended(&message(&format!("Keep it[1].\n\n{list}"), &claims), Channel::WebChat);
        let text = document["text"].as_str().expect("a text");
        assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), 2, "{text}");
        assert_eq!(left, [] as [&str; 0]);
    }
}

#[test]
fn what_contradicts_itself_stays_a_finding() {
    let definitions = "\n\n[1]: https://docs.example/a\n[2]: https://docs.example/b";
    let claims = json!([claim(0, "https://docs.example/a"), claim(1, "https://docs.example/b")]);
    let from_zero = message(&format!("Keep it[1] and that[2].{definitions}"), &claims);
    let (document, left) = mended(&from_zero, Channel::WebChat);
    assert_eq!(document, from_zero);
    assert!(left.contains(&"claim-without-definition"), "{left:?}");

    let card = json!({"type": "AdaptiveCard", "version": "1.6", "body": []}).to_string();
    let mut passage = message("Keep it[1].", &json!([claim(1, "")]));
    passage["entities"][0]["citation"][0]["appearance"] =
        json!({"@type": "DigitalDocument", "name": "Policy", "text": card});
    let (document, left) = mended(&passage, Channel::WebChat);
    assert_eq!(document, passage);
    assert!(left.contains(&"claim-without-definition") && left.contains(&"passage-card"), "{left:?}");

    let label = json!({"type": "message", "text": "a", "entities": [{"type": "https://schema.org/Message",
        "@context": "https://schema.org", "@type": "CreativeWork", "name": "Confidential"}]});
    assert_eq!(mended(&label, Channel::Teams), (label, vec!["teams-message-malformed"]));
}

#[test]
fn names_are_kept_under_the_member_that_is_read() {
    let definition = "\n\n[1]: https://docs.example/a \"Policy\"\n";
    let good = message(&format!("Keep it[1].{definition}"), &json!([claim(1, "https://docs.example/a")]));
    let mut named = good.clone();
    let thing = named["entities"][0].as_object_mut().expect("a thing");
    thing.remove("@id");
    thing.insert("id".into(), json!(""));
    assert_eq!(mended(&named, Channel::WebChat), (good.clone(), vec![]));

    let mut keyed = good.clone();
    let claims = keyed["entities"][0]["citation"][0].take();
    keyed["entities"][0]["citation"] = json!({"1": claims});
    assert_eq!(mended(&keyed, Channel::WebChat), (good, vec![]));
}

#[test]
fn an_icon_keeps_its_name_where_one_is_meant() {
    for (icon, name) in [
        (json!({"type": "ImageObject", "name": "Image"}), Some("Image")),
        (json!({"@type": "ImageObject", "name": "Word"}), Some("Microsoft Word")),
        (json!({"@type": "ImageObject", "name": "pdf"}), Some("PDF")),
        (json!({"@type": "ImageObject", "name": "Papyrus"}), None),
    ] {
        let mut fault = message("Keep it [1].", &json!([claim(1, "https://docs.example/a")]));
        fault["entities"][0]["citation"][0]["appearance"]["image"] = icon;
        let (document, left) = mended(&fault, Channel::Teams);
        let image = &document["entities"][0]["citation"][0]["appearance"]["image"];
        let expected = name.map_or(Value::Null, |name| json!({"@type": "ImageObject", "name": name}));
        assert_eq!((image, left), (&expected, vec![]));
    }
}

#[test]
fn a_kind_of_feedback_beside_the_older_form_is_the_one_that_users_get() {
    for (key, kind) in [("type", "custom"), ("feedbackLoopType", "custom"), ("feedbackLoopType", "Custom")] {
        let fault = json!({"type": "message", "text": "a", "channelData": {"feedbackLoopEnabled": true, key: kind}});
        let (document, left) = mended(&fault, Channel::Teams);
        assert_eq!(document["channelData"], json!({"feedbackLoop": {"type": "custom"}}));
        assert_eq!(left, [] as [&str; 0]);
    }
}

/// Without `streamId`, half an answer stays, whatever else the final says.
#[test]
fn a_final_that_names_no_stream_stays_a_finding() {
    let last = json!({"type": "typing", "channelData": {"streamType": "final"}});
    let (document, left) = mended(&last, Channel::WebChat);
    assert_eq!(document, json!({"type": "message", "text": "", "channelData": {"streamType": "final"}}));
    assert_eq!(left, ["stream-chunk-without-id"]);
}

/// JSON has two ways to write a position, which are one to every client.
#[test]
fn a_position_is_a_number_however_it_is_written() {
    let one = claim(1, "https://docs.example/a");
    let mut text = one.clone();
    text["position"] = json!("1");
    let mut second = message("Keep it [1].", &json!([one]));
    let mut thing = second["entities"][0].clone();
    thing["citation"] = json!([text]);
    second["entities"].as_array_mut().expect("entities").push(thing);
    let (document, left) = mended(&second, Channel::Teams);
    assert_eq!((document, left), (message("Keep it [1].", &json!([one])), vec![]));

    let mut beside = message("Keep it [1].", &json!([one]));
    text["appearance"]["url"] = json!("https://docs.example/b");
    beside["channelData"] = json!({"citation": [text]});
    let (document, left) = mended(&beside, Channel::Teams);
    assert_eq!((document, left), (beside, vec!["message-misplaced"]));
}

#[test]
fn claims_for_teams_become_a_list_of_claims_or_stay() {
    let good = message("Keep it [1].", &json!([claim(1, "https://docs.example/a")]));
    let with = |citation: Value| {
        let mut fault = good.clone();
        fault["entities"][0]["citation"] = citation;
        fault
    };
    for citation in [json!({"1": claim(1, "https://docs.example/a")}), claim(1, "https://docs.example/a")] {
        assert_eq!(mended(&with(citation), Channel::Teams), (good.clone(), vec![]));
    }
    for citation in [json!({}), json!({"first": claim(1, "https://docs.example/a")})] {
        let (document, left) = mended(&with(citation.clone()), Channel::Teams);
        assert_eq!(document["entities"][0]["citation"], citation);
        assert!(left.contains(&"teams-citation-not-list"), "{left:?}");
    }
}

#[test]
fn a_message_with_two_names_keeps_both() {
    let definition = "\n\n[1]: https://docs.example/a \"Policy\"\n";
    let mut named = message(&format!("Keep it[1].{definition}"), &json!([claim(1, "https://docs.example/a")]));
    named["entities"][0]["@id"] = json!(null);
    named["entities"][0]["id"] = json!("x");
    let (document, left) = mended(&named, Channel::WebChat);
    assert_eq!(document, named);
    assert!(left.contains(&"message-id-not-string"), "{left:?}");
}

#[test]
fn a_listing_in_code_stays() {
    let code = "Keep it[1].\n\n```\n[1]: https://docs.example/a\n```";
    let (document, left) = mended(&message(code, &json!([claim(1, "https://docs.example/a")])), Channel::WebChat);
    assert_eq!(document["text"], format!("{code}\n\n[1]: https://docs.example/a \"Policy\"\n"));
    assert_eq!(left, [] as [&str; 0]);
}

#[test]
fn claims_that_count_from_zero_are_defined_where_the_text_does_so_too() {
    let claims = [claim(0, "https://docs.example/a"), claim(1, "https://docs.example/b")];
    let keyed = |claims: &[Value]| json!({"0": claims[0], "1": claims[1]});
    let unnumbered = claims.clone().map(|mut claim| {
        claim.as_object_mut().expect("a claim").remove("position");
        claim
    });
    let from_one = message("Keep it[1] and that[2].", &json!(claims));
    assert_eq!(mended(&from_one, Channel::WebChat).0, from_one);
    let bare = message("Keep it[1] and that[2].", &keyed(&unnumbered));
    let (document, left) = mended(&bare, Channel::WebChat);
    assert_eq!(document, bare);
    assert!(left.contains(&"nested-type-missing"), "{left:?}");
    let placed = message("Keep it[1] and that[2].", &keyed(&claims));
    assert_eq!(mended(&placed, Channel::WebChat).0, from_one);
    let from_zero = message("Keep it[0] and that[1].", &json!(claims));
    let (document, left) = mended(&from_zero, Channel::WebChat);
    let definitions = "[0]: https://docs.example/a \"Policy\"\n[1]: https://docs.example/b \"Policy\"\n";
    assert_eq!(document["text"], format!("Keep it[0] and that[1].\n\n{definitions}"));
    assert_eq!(left, [] as [&str; 0]);
}

#[test]
fn a_second_source_at_one_position_stays_a_finding_wherever_it_stands() {
    for with in [
        json!({"channelData": {"message": {"citation": [claim(1, "https://docs.example/a")]},
                               "entities": [{"citation": [claim(1, "https://docs.example/b")]}]}}),
        json!({"channelData": {"message": {"usageInfo": {"@type": "CreativeWork", "name": "One"}},
                               "value": {"usageInfo": {"@type": "CreativeWork", "name": "Two"}}}}),
    ] {
        for channel in [Channel::WebChat, Channel::Teams] {
            let mut fault = json!({"type": "message", "text": "Keep it[1]."});
            fault["channelData"] = with["channelData"].clone();
            let (document, left) = mended(&fault, channel);
            assert!(left.contains(&"message-misplaced"), "{left:?} {document}");
            assert!(document["entities"][0].is_object(), "{document}");
        }
    }
}

#[test]
fn an_update_for_teams_gets_no_label_and_keeps_its_text() {
    let info = json!({"type": "streaminfo", "streamType": "streaming", "streamSequence": 1});
    let mut update = message("Keep it [1].", &json!([claim(1, "https://docs.example/a")]));
    update["type"] = json!("typing");
    update["entities"][0]["keywords"] = json!(["AIGeneratedContent"]);
    update["entities"].as_array_mut().expect("entities").push(info);
    assert_eq!(mended(&update, Channel::Teams), (update.clone(), vec!["teams-stream-claims-early"]));

    let texts = ["Keep it[1].\n\n[1]: https://docs.example/a", "Keep it[1].\n\n[1]: https://docs.example/a\n\nAnd"];
    let stream: Vec<Value> = texts
        .iter()
        .zip(1..)
        .map(|(text, number)| {
            let mut chunk = update.clone();
            chunk["text"] = json!(text);
            chunk["entities"] = json!([{"type": "streaminfo", "streamType": "streaming", "streamSequence": number}]);
            if number == 1 {
                chunk["entities"].as_array_mut().expect("entities").push(update["entities"][0].clone());
            }
            chunk
        })
        .collect();
    let (document, left) = mended(&json!(stream), Channel::Teams);
    assert_eq!(document, json!(stream));
    assert!(left.contains(&"teams-definition-in-text") && !left.contains(&"teams-stream-text-changed"), "{left:?}");
}
