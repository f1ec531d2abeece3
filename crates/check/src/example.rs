//! Valid activities and assertions for tests of single rules.

use serde_json::{Value, json};

use super::{Channel, check};

/// A message with two cited sources: one with a URL, one with a passage, both with the same label.
pub(super) fn cited() -> Value {
    json!({
        "type": "message",
        "textFormat": "markdown",
        "text": "Keep it[1]\u{200b}[2].\n\n[1]: https://docs.example/1 \"One\"\n[2]: cite:2 \"Two\"\n",
        "entities": [{
            "type": "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "",
            "citation": [
                {
                    "@type": "Claim", "@id": "https://docs.example/1", "position": "1",
                    "appearance": {
                        "@type": "DigitalDocument", "name": "One", "url": "https://docs.example/1",
                        "usageInfo": {
                            "@id": "_:s1", "@type": "CreativeWork", "name": "Secret",
                            "keywords": ["encrypted-content", "EncryptedContent"],
                            "pattern": {
                                "@type": "DefinedTerm", "inDefinedTermSet": "https://www.w3.org/TR/css-color-4/",
                                "name": "color", "termCode": "orange",
                            },
                        },
                    },
                    "claimInterpreter": {"@type": "Project", "slogan": "By an example", "url": "https://docs.example/ai"},
                },
                {
                    "@type": "Claim", "@id": "_:c2", "position": "2",
                    "appearance": {"@type": "DigitalDocument", "name": "Two", "text": "The passage."},
                },
            ],
            "usageInfo": {"@id": "_:s1"},
        }],
    })
}

/// The codes and pointers of all findings in `document`.
pub(super) fn found(document: &Value) -> Vec<(&'static str, String)> {
    check(document, Channel::WebChat).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
}

/// [`cited`] with `value` at `pointer`, whose parent must exist.
pub(super) fn cited_with(pointer: &str, value: Value) -> Value {
    let mut document = cited();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer to a member");
    let parent = document.pointer_mut(parent).expect("a parent");
    match parent.as_array_mut() {
        Some(items) => items[key.parse::<usize>().expect("an index")] = value,
        None => parent[key] = value,
    }
    document
}

/// [`cited`] without the member at `pointer`.
pub(super) fn cited_without(pointer: &str) -> Value {
    let mut document = cited();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer to a member");
    let parent = document.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    parent.remove(key).expect("a member");
    document
}

/// Asserts that `document` has a finding with `code` at `pointer`, and that the unchanged [`cited`] has none.
#[track_caller]
pub(super) fn assert_finds(document: &Value, code: &str, pointer: &str) {
    let all = found(document);
    assert!(all.iter().any(|(found, at)| *found == code && at == pointer), "{code} at {pointer} not in {all:?}");
    assert_eq!(found(&cited()), []);
}

/// Asserts that a message with only this text has a finding with `code` at its text.
#[track_caller]
pub(super) fn assert_text_finds(text: &str, code: &str) {
    let all = found(&json!({"type": "message", "text": text}));
    assert!(all.iter().any(|(found, at)| *found == code && at == "/text"), "{code} not in {all:?}");
}

/// Asserts that a text has no findings, except that its Message entity is missing.
#[track_caller]
pub(super) fn assert_text_is_fine(text: &str) {
    let mut all = found(&json!({"type": "message", "text": text}));
    all.retain(|(code, _)| *code != "message-missing");
    assert_eq!(all, []);
}
