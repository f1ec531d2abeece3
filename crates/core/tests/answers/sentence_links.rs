//! Links that lead to the cited sentence, in every dialect and output.

use citewire_check::{Channel, check};
use citewire_core::convert::{Conversion, Options, Streaming, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::ingest;
use citewire_core::output::{Output, Redirectors, records, records_behind};
use serde_json::{Value, json};

const BARE: &str = "https://hr.example/leave";
const LEAVE: &str = "Employees%20get%2030%20days%20of%20leave%20a%20year";
const NOON: &str = "The%20canteen%20opens%20at%20noon";

fn answer() -> Value {
    let content = "Welcome to all. Employees get 30 days of leave a year. The canteen opens at noon.";
    json!({
        "text": "Leave is 30 days a year for employees [1]. The canteen opens at noon [1].",
        "sources": [{"title": "Leave", "url": BARE, "content": content}],
    })
}

fn message(answer: &Value, dialect: Dialect, options: Value) -> Value {
    let options: Options = serde_json::from_value(options).expect("options");
    let converted = convert(answer.to_string().as_bytes(), &Conversion { options, ..Conversion::to(dialect) });
    serde_json::to_value(converted.expect("an activity").activities.pop().expect("a message")).expect("JSON")
}

fn claim(message: &Value) -> &Value {
    &message["entities"][0]["citation"][0]
}

#[test]
fn every_address_of_a_message_leads_to_the_sentences() {
    let deep = format!("{BARE}#:~:text={LEAVE}&text={NOON}");
    let web_chat = message(&answer(), Dialect::WebChat, json!({}));
    let url = &claim(&web_chat)["appearance"]["url"];
    assert_eq!((url, &claim(&web_chat)["@id"]), (&json!(deep), &json!(deep)));
    assert!(web_chat["text"].as_str().expect("a text").ends_with(&format!("\n\n[1]: {deep} \"Leave\"")), "{web_chat}");
    assert_eq!(
        check(&json!([web_chat]), Channel::WebChat).iter().filter(|found| found.code == "url-differs").count(),
        0
    );
    assert_eq!(claim(&message(&answer(), Dialect::Teams, json!({})))["appearance"]["url"], deep);
    assert_eq!(claim(&message(&answer(), Dialect::M365Copilot, json!({})))["appearance"]["url"], deep);
    for (dialect, written) in [
        (Dialect::Slack, deep.replace('&', "&amp;")),
        (Dialect::Telegram, deep.replace('&', "&amp;")),
        (Dialect::EmailHtml, deep.replace('&', "&amp;")),
        (Dialect::Line, deep.clone()),
    ] {
        let message = message(&answer(), dialect, json!({})).to_string();
        assert!(message.contains(&written), "{dialect} {message}");
    }
}

#[test]
fn what_people_read_and_what_open_webui_adds_to_has_the_plain_address() {
    for (dialect, options) in [
        (Dialect::Plain, json!({})),
        (Dialect::Line, json!({"sentence_links": false})),
        (Dialect::WebChat, json!({"sentence_links": false})),
    ] {
        let message = message(&answer(), dialect, options).to_string();
        assert!(message.contains(BARE) && !message.contains(":~:"), "{dialect} {message}");
    }
    let listed = message(&answer(), Dialect::Teams, json!({"self_contained": true}));
    assert!(listed["text"].as_str().expect("a text").ends_with(&format!("[1] Leave: {BARE}")), "{listed}");
    assert!(claim(&listed)["appearance"]["url"].as_str().is_some_and(|url| url.contains(":~:")), "{listed}");
    let read = ingest(answer().to_string().as_bytes(), None).expect("an answer");
    for output in [Output::OpenWebUi, Output::AssistantHub] {
        let written = String::from_utf8(output.write(&read, &[]).expect("JSON")).expect("UTF-8");
        assert!(written.contains(BARE) && !written.contains(":~:"), "{output} {written}");
    }
}

#[test]
fn records_have_both_addresses() {
    let read = ingest(answer().to_string().as_bytes(), None).expect("an answer");
    let found = serde_json::to_value(records(&read, &[])).expect("JSON");
    let source = &found["sources"][0];
    assert_eq!(
        (&source["url"], &source["deep_url"]),
        (&json!(BARE), &json!(format!("{BARE}#:~:text={LEAVE}&text={NOON}")))
    );
    let bare = records_behind(&Redirectors::default(), &read, &[], Vec::new());
    assert_eq!(serde_json::to_value(&bare).expect("JSON")["sources"][0]["deep_url"], Value::Null);
    // Without claims of their own, records find the sentences as well.
    assert_eq!(serde_json::to_value(bare.with_sentences(&read)).expect("JSON")["sources"][0], *source);
}

#[test]
fn nothing_is_quoted_of_what_is_withheld_or_says_something_else() {
    let mut encrypted = answer();
    encrypted["sources"][0]["label"] = json!({"name": "Secret", "encrypted": true});
    let shown = message(&encrypted, Dialect::WebChat, json!({"withhold_encrypted": true})).to_string();
    assert!(shown.contains(BARE) && !shown.contains(":~:"), "{shown}");
    assert!(message(&encrypted, Dialect::WebChat, json!({})).to_string().contains(":~:text="));
    let mut other = answer();
    other["sources"][0]["content"] =
        json!("Bicycles stand behind the house. Visitors register at the gate in the morning.");
    let shown = message(&other, Dialect::WebChat, json!({})).to_string();
    assert!(!shown.contains(":~:"), "{shown}");
}

#[test]
fn sources_of_one_document_are_one_claim_that_leads_to_each_sentence() {
    let mut parted = answer();
    parted["text"] = json!("Leave is 30 days a year for employees [1]. The canteen opens at noon [2].");
    let mut second = parted["sources"][0].clone();
    second["content"] = json!("The canteen opens at noon.");
    parted["sources"].as_array_mut().expect("a list").push(second);
    let shown = message(&parted, Dialect::WebChat, json!({}));
    assert_eq!(shown["entities"][0]["citation"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(claim(&shown)["appearance"]["url"], format!("{BARE}#:~:text={LEAVE}&text={NOON}"));
}

#[test]
fn while_an_answer_is_written_its_badges_lead_to_the_page() {
    let answer = answer();
    let mut streaming = Streaming::new(Conversion::to(Dialect::WebChat));
    let push = |streaming: &mut Streaming, event: Value| {
        streaming.push(format!("data: {event}\n\n").as_bytes()).expect("an event");
    };
    push(&mut streaming, json!({"sources": answer["sources"]}));
    push(&mut streaming, json!({"delta": answer["text"]}));
    push(&mut streaming, json!({"delta": " More words."}));
    let update = serde_json::to_value(streaming.so_far().expect("something to show")).expect("JSON");
    assert_eq!(claim(&update)["appearance"]["url"], BARE);
    let end = streaming.end().expect("a message");
    let last = serde_json::to_value(end.message).expect("JSON");
    assert_eq!(claim(&last)["appearance"]["url"], format!("{BARE}#:~:text={LEAVE}&text={NOON}"));
    assert!(end.continues);
}
