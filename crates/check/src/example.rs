//! Well-formed activities for the tests of single rules, and what to ask of them.

use serde_json::{Value, json};

use super::{Channel, check};

/// A message with two cited sources: one with a URL, one with a passage, both under one label.
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

/// Codes and pointers of all findings on `document`.
pub(super) fn found(document: &Value) -> Vec<(&'static str, String)> {
    check(document, Channel::WebChat).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
}

/// Puts `value` where `pointer` leads in [`cited`]; the parent must exist.
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

/// Removes what `pointer` leads to from [`cited`].
pub(super) fn cited_without(pointer: &str) -> Value {
    let mut document = cited();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer to a member");
    let parent = document.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
    parent.remove(key).expect("a member");
    document
}

/// Asserts that `document` has a finding with `code` at `pointer`, and that [`cited`], the mended form, has none.
#[track_caller]
pub(super) fn assert_finds(document: &Value, code: &str, pointer: &str) {
    let all = found(document);
    assert!(all.iter().any(|(found, at)| *found == code && at == pointer), "{code} at {pointer} not in {all:?}");
    assert_eq!(found(&cited()), []);
}

/// Asserts that a message of this text alone has a finding with `code` at its text.
#[track_caller]
pub(super) fn assert_text_finds(text: &str, code: &str) {
    let all = found(&json!({"type": "message", "text": text}));
    assert!(all.iter().any(|(found, at)| *found == code && at == "/text"), "{code} not in {all:?}");
}

/// Asserts that nothing is wrong with a text but what its lack of a Message thing explains.
#[track_caller]
pub(super) fn assert_text_is_fine(text: &str) {
    let mut all = found(&json!({"type": "message", "text": text}));
    all.retain(|(code, _)| *code != "message-missing");
    assert_eq!(all, []);
}
