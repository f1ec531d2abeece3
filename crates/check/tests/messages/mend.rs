//! Mended activities: what is changed, what is left, and that no word of a text and no source is lost.

use std::collections::{BTreeMap, BTreeSet};

use citewire_check::{Channel, Severity, check, mend};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const CHANNELS: [Channel; 2] = [Channel::WebChat, Channel::Teams];

/// A message with these words before its definitions, and two claims.
fn message(text: &str, definitions: &str) -> Value {
    json!({
        "type": "message", "textFormat": "markdown", "text": format!("{text}{definitions}"),
        "entities": [{
            "type": "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "",
            "citation": [
                {"@type": "Claim", "@id": "https://docs.example/1", "position": "1",
                 "appearance": {"@type": "DigitalDocument", "name": "One", "url": "https://docs.example/1"}},
                {"@type": "Claim", "@id": "_:c2", "position": "2",
                 "appearance": {"@type": "DigitalDocument", "name": "Two", "text": "The passage."}},
            ],
        }],
    })
}

const DEFINITIONS: &str = "\n\n[1]: https://docs.example/1 \"One\"\n[2]: cite:2 \"Two\"\n";

fn good() -> Value {
    message("Keep it[1]\u{200b}[2].", DEFINITIONS)
}

/// [`good`] with another value at `pointer`; `null` removes the member.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = good();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer to a member");
    let parent = document.pointer_mut(parent).expect("a parent");
    match parent.as_object_mut() {
        Some(object) if value.is_null() => drop(object.remove(key)),
        Some(object) => drop(object.insert(key.to_owned(), value)),
        None => parent[key.parse::<usize>().expect("an index")] = value,
    }
    document
}

fn worse_than_notes(document: &Value, channel: Channel) -> Vec<String> {
    let found = check(document, channel).into_iter().filter(|finding| finding.severity != Severity::Note);
    found.map(|finding| format!("{} {}", finding.code, finding.pointer)).collect()
}

#[track_caller]
fn assert_mends(document: &Value, channel: Channel, code: &str) -> Value {
    assert!(check(document, channel).iter().any(|finding| finding.code == code), "{code} is not found");
    let mended = mend(document, channel).expect("an activity");
    assert!(mended.changes.iter().any(|change| change.code == code), "{code} is not mended: {mended:#?}");
    assert_eq!(worse_than_notes(&mended.document, channel), [] as [String; 0], "{:#}", mended.document);
    assert_eq!(check(&mended.document, channel), mended.findings);
    let again = mend(&mended.document, channel).expect("an activity");
    assert_eq!((again.document, again.changes), (mended.document.clone(), vec![]), "it is not idempotent");
    mended.document
}

#[test]
fn names_with_blanks_and_kinds_in_capitals_are_written_as_they_are_meant() {
    let given = json!({"type": "typing", "text ": "Looking", "channelData": {"streamType": "Informative", "streamSequence": 1},
                       "entities": [{"type": "streaminfo", "streamType": "Informative", "streamSequence": 1}]});
    let mended = mend(&given, Channel::Teams).expect("an activity").document;
    assert_eq!(mended["text"], "Looking");
    assert_eq!(mended["channelData"]["streamType"], "informative");
    assert_eq!(mended["entities"][0]["streamType"], "informative");
}

#[test]
fn a_message_entity_that_cannot_be_read_has_one_finding() {
    let mut given = with("/entities/0/@type", Value::Null);
    given["timestamp"] = json!(1_767_322_800_000_u64);
    let codes: Vec<_> = check(&given, Channel::WebChat).into_iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["message-at-type-missing"]);
}

#[test]
fn a_good_activity_stays_as_it_is() {
    let mended = mend(&good(), Channel::WebChat).expect("an activity");
    assert_eq!((mended.document, mended.changes, mended.findings), (good(), vec![], vec![]));
}

#[test]
fn names_and_types_with_one_right_value_are_written() {
    let claim = "/entities/0/citation/0";
    let label = json!({"@type": "CreativeWork", "name": "Secret", "keywords": "HasEncryption"});
    for (document, code) in [
        (with("/entities/0/@context", json!("http://schema.org")), "message-context-wrong"),
        (with("/entities/0/@id", Value::Null), "message-id-missing"),
        (with("/entities/0/@id", json!("x")), "message-id-not-empty"),
        (with("/entities/0/@type", Value::Null), "message-at-type-missing"),
        (with("/entities/0/type", json!("Message")), "message-type-wrong"),
        (with("/entities", good()["entities"][0].clone()), "entities-not-list"),
        (with("/textFormat", json!("plain")), "text-format-plain"),
        (with(&format!("{claim}/@type"), Value::Null), "nested-type-missing"),
        (with(&format!("{claim}/position"), json!(" 01")), "position-unmatchable"),
        (with(&format!("{claim}/name"), json!("")), "claim-name-empty"),
        (with(&format!("{claim}/usageInfo"), label.clone()), "claim-member-misplaced"),
        (with(&format!("{claim}/appearance/usageInfo"), label), "label-lock-missing"),
        (with(&format!("{claim}/appearance"), Value::Null), "appearance-missing"),
    ] {
        assert_mends(&document, Channel::WebChat, code);
    }
    let mut misspelt = good();
    let claims = misspelt["entities"][0].as_object_mut().expect("a thing").remove("citation").expect("claims");
    misspelt["entities"][0]["citations"] = claims;
    assert_eq!(assert_mends(&misspelt, Channel::WebChat, "citation-misspelt"), good());
}

#[test]
fn texts_are_mended_where_they_are_wrong() {
    for (text, code, expected) in [
        ("a[1][2].", "markers-fused", "a[1]\u{200b}[2]."),
        ("a[1](2024) b[2].", "marker-is-link", "a[1]\u{200b}(2024) b[2]."),
        ("a![1] b[2].", "marker-is-image", "a!\u{200b}[1] b[2]."),
        ("a[1][x] b[2].", "marker-swallowed", "a[1]\u{200b}[x] b[2]."),
        ("a[1] b[2] ![c](https://docs.example/c.png)", "text-image", "a[1] b[2] [c](https://docs.example/c.png)"),
        ("a[1] b[2] H<sub>2</sub>O", "text-html", "a[1] b[2] H&lt;sub>2&lt;/sub>O"),
        ("a[1] b[2] \u{e2}\u{20ac}\u{153}c", "text-mojibake", "a[1] b[2] \u{201c}c"),
        ("a[1] b[2] [x](javascript:y)", "link-scheme-unsafe", "a[1] b[2] \\[x](javascript:y)"),
    ] {
        let mended = assert_mends(&message(text, DEFINITIONS), Channel::WebChat, code);
        assert_eq!(mended["text"], format!("{expected}{DEFINITIONS}"));
    }
}

#[test]
fn definitions_are_put_where_they_are_read() {
    let one = "[1]: https://docs.example/1 \"One\"";
    for (definitions, code) in [
        (format!("\n{one}\n[2]: cite:2 \"Two\"\n"), "definition-literal"),
        (format!("\n\n{one}\n\n> [2]: cite:2 \"Two\"\n"), "definition-nested"),
        (format!("\n\n{one}\n{one}\n[2]: cite:2 \"Two\"\n"), "definition-duplicate-label"),
        (format!("\n\n[2]: cite:2 \"Two\"\n{one}\n"), "definitions-out-of-order"),
        ("\n\n[2]: cite:2 \"Two\"\n".to_owned(), "claim-without-definition"),
        (format!("\n\n{one}\n\n[2]: cite:2 \"The \"second\" one\"\n"), "definition-malformed"),
    ] {
        let mended = assert_mends(&message("a[1] b[2].", &definitions), Channel::WebChat, code);
        let text = mended["text"].as_str().expect("a text");
        assert!(text.contains(one) && text.contains("\n[2]: cite:2 \""), "{text}");
    }
}

#[test]
fn an_address_is_encoded_in_text_and_claim() {
    let mut document = message("a[1] b[2].", "\n\n[1]: https://docs.example/ü|b \"One\"\n[2]: cite:2 \"Two\"\n");
    document["entities"][0]["citation"][0]["appearance"]["url"] = json!("https://docs.example/ü|b");
    let mended = assert_mends(&document, Channel::WebChat, "definition-url-characters");
    assert_eq!(mended["entities"][0]["citation"][0]["appearance"]["url"], "https://docs.example/%C3%BC%7Cb");
}

#[test]
fn what_nobody_knows_is_left_as_a_finding() {
    for document in [
        with("/entities/0/citation/1/appearance/text", Value::Null),
        with("/entities/0/citation/0/appearance/url", json!("https://elsewhere.example/")),
        with("/entities/0/citation/1/position", json!("1")),
        message("a[1] b[2].", "\n\n[1]: javascript:alert(1)\n[2]: cite:2 \"Two\"\n"),
    ] {
        let mended = mend(&document, Channel::WebChat).expect("an activity");
        assert!(!mended.findings.is_empty(), "{:#}", mended.document);
    }
}

#[test]
fn garbage_is_refused_with_its_finding() {
    for garbage in [json!(7), json!("x"), json!({"a": 1}), json!({"text": "a", "sources": []}), json!([7])] {
        for channel in CHANNELS {
            let refused = mend(&garbage, channel).expect_err("no activity");
            assert_eq!(refused.0.code, "not-an-activity");
        }
    }
}

#[test]
fn an_activity_for_web_chat_becomes_one_for_teams() {
    let mut document = good();
    document["entities"][0]["citation"][1]["appearance"]["url"] = json!("https://docs.example/2");
    document["text"] =
        json!("a[1] b[2].\n\n[1]: https://docs.example/1 \"One\"\n[2]: https://docs.example/2 \"Two\"\n");
    let mended = assert_mends(&document, Channel::Teams, "teams-definition-in-text");
    assert_eq!(mended["text"], "a[1] b[2].");
    assert_eq!(mended["entities"][0]["citation"][0]["position"], 1);
    assert_eq!(mended["entities"][0]["citation"][1]["appearance"]["abstract"], "The passage.");
}

#[test]
fn what_teams_refuses_is_written_as_it_takes_it() {
    let claim =
        |position: Value, appearance: Value| json!({"@type": "Claim", "position": position, "appearance": appearance});
    let document = json!({
        "type": "message", "text": "a [1, 2] b [3].", "textFormat": "plain",
        "entities": [{
            "type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": "x",
            "keywords": ["AIGeneratedContent"],
            "citation": [
                claim(json!(2), json!({"@type": "DigitalDocument", "name": "", "url": "https://docs.example/2"})),
                claim(json!("1"), json!({"name": "word ".repeat(30), "text": "A passage"})),
                claim(json!(3), json!({"@type": "DigitalDocument", "name": "Three", "image": {"name": "?"},
                                       "keywords": ["a", "b", "c", "d"]})),
            ],
        }],
    });
    let mended = mend(&document, Channel::Teams).expect("an activity");
    assert_eq!(worse_than_notes(&mended.document, Channel::Teams), [] as [String; 0], "{:#}", mended.document);
    assert_eq!(mended.document["text"], "a [1][2] b [3].");
    let cut = mended.changes.iter().find(|change| change.code == "teams-name-too-long").expect("a cut");
    assert!(cut.message.contains("characters"), "{cut:?}");
}

#[test]
fn a_title_that_a_claim_of_teams_has_no_place_for_is_told() {
    let mut document = message("a[1].", "\n\n[1]: https://docs.example/1 \"Another title\"\n");
    document["entities"][0]["citation"].as_array_mut().expect("claims").truncate(1);
    let mended = mend(&document, Channel::Teams).expect("an activity");
    assert_eq!(mended.document["text"], "a[1].");
    assert_eq!(mended.document["entities"][0]["citation"][0]["appearance"]["name"], "One");
    let moved = mended.changes.iter().find(|change| change.code == "teams-definition-in-text").expect("a change");
    assert!(moved.message.contains("\"Another title\""), "{moved:?}");
}

#[test]
fn an_address_is_not_guessed_from_a_title_without_quotes() {
    for line in ["[1]: https://docs.example/1 One", "[1]: https://docs.example/1 'One' of 'two'"] {
        let document = message("a[1] b[2].", &format!("\n\n{line}\n\n[2]: cite:2 \"Two\"\n"));
        let mended = mend(&document, Channel::WebChat).expect("an activity");
        let text = mended.document["text"].as_str().expect("a text");
        assert!(text.contains(line) && !text.contains("%20"), "{text}");
        assert!(mended.findings.iter().any(|finding| finding.code == "definition-malformed"), "{text}");
    }
}

#[test]
fn a_member_of_the_bot_keeps_its_name() {
    let mut document = good();
    for name in ["mode", "form", "option", "section", "table"] {
        document[name] = json!("its own");
    }
    document["textformatt"] = document.as_object_mut().expect("an object").remove("textFormat").expect("a format");
    for channel in CHANNELS {
        let mended = mend(&document, channel).expect("an activity");
        for name in ["mode", "form", "option", "section", "table"] {
            assert_eq!(mended.document[name], "its own", "{name} in {channel}");
        }
        assert_eq!(mended.document["textFormat"], "markdown");
    }
}

/// The words of the text outside definitions, and every address and title of a source, told without the code under test.
fn contents(activity: &Value) -> (BTreeMap<String, usize>, BTreeSet<String>) {
    let text = activity["text"].as_str().unwrap_or_default();
    let mut words = BTreeMap::new();
    let mut sources = BTreeSet::new();
    for line in text.lines() {
        let bare = line.trim_start_matches(['>', '-', ' ', '\u{200b}']);
        let definition = bare.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        if let Some((_, rest)) = definition {
            sources.insert(rest.split_whitespace().next().unwrap_or_default().to_owned());
            continue;
        }
        let line = line.replace("&lt;", "<").replace("\u{e2}\u{20ac}\u{2122}", "\u{2019}");
        for word in line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *words.entry(word.to_owned()).or_default() += 1;
        }
    }
    let things = activity["entities"].as_array().cloned().unwrap_or_default();
    for thing in things {
        for claim in thing["citation"].as_array().cloned().unwrap_or_default() {
            for key in ["url", "name", "text", "abstract"] {
                let value = claim["appearance"][key].as_str().or(claim[key].as_str());
                // Tags of a passage go, and their words stay.
                let words = |value: &str| value.replace("<script>", "").replace("</script>", "");
                sources.extend(value.filter(|value| !value.is_empty()).map(words));
            }
        }
    }
    (words, sources)
}

const PIECES: &[&str] = &[
    "Keep the receipt ",
    "[1]",
    "[2]",
    "[1][2]",
    "[1](2024)",
    "![1]",
    "[9]",
    "[1, 2]",
    " and ",
    "\n\n- item ",
    "\n> quote ",
    "`code [1]`",
    "<b>bold</b>",
    "<sub>2</sub>",
    "<div>\nblock\n",
    "\n\n",
    "\n",
    "![pic](https://img.example/a.png)",
    "[link](https://ok.example)",
    "[bad](javascript:x)",
    "| a |\n| - |\n| b [1] |\n",
    "\u{e2}\u{20ac}\u{2122}",
    "\\[1]",
    "**",
    "\n```\ncode\n```\n",
];

const ENDS: &[&str] = &[
    "\n\n[1]: https://docs.example/1 \"One\"\n[2]: cite:2 \"Two\"\n",
    "\n[1]: https://docs.example/1 \"One\"\n[2]: cite:2 \"Two\"\n",
    "\n\n[2]: cite:2 \"Two\"\n[1]: https://docs.example/1 \"One\"\n",
    "\n\n> [1]: https://docs.example/1 \"One\"\n\n[2]: cite:2 \"Two\"\n",
    "\n\n[1]: https://docs.example/1 \"One\"\n[1]: https://elsewhere.example/\n",
    "\n\n[1]: https://docs.example/1 \"One\"\n[2]: https://docs.example/1 \"Two\"\n",
    "\n\n[1]: https://docs.example/1 \"One \"quoted\" title\"\n",
    "\n\n[1]: javascript:alert(1)\n[2]: cite:1\n",
    "",
];

/// Members that are wrong, each at its place.
fn faults() -> Vec<(&'static str, Value)> {
    vec![
        ("/entities/0/@id", json!("x")),
        ("/entities/0/@context", json!("http://schema.org")),
        ("/entities/0/type", json!("Message")),
        ("/entities/0/additionaltype", json!("AIGeneratedContent")),
        ("/entities/0/keywords", json!(["AIGeneratedContent"])),
        ("/entities/0/citation/0/position", json!(" 01")),
        ("/entities/0/citation/0/position", json!("2")),
        ("/entities/0/citation/1/@type", Value::Null),
        ("/entities/0/citation/1/appearance/text", json!("x <script>y</script>")),
        ("/entities/0/citation/1/appearance/text", Value::Null),
        ("/entities/0/citation/1/appearance/url", json!("https://docs.example/2")),
        ("/entities/0/citation/0/appearance/abstract", json!("The abstract")),
        ("/entities/0/citation/0/appearance/name", json!("")),
        ("/entities/0/citation/0/appearance/tilte", json!("A")),
        ("/entities/0/citation/0/name", json!("")),
        ("/textFormat", json!("plain")),
        ("/Entites", json!([])),
        ("/type", Value::Null),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mending_is_idempotent_and_loses_no_word_and_no_source(
        pieces in proptest::collection::vec(select(PIECES), 1..8),
        end in select(ENDS),
        faults in proptest::collection::vec(select(faults()), 0..4),
        channel in select(&CHANNELS[..]),
    ) {
        let mut document = message(&pieces.concat(), end);
        for (pointer, value) in faults {
            let (parent, key) = pointer.rsplit_once('/').expect("a member");
            let Some(object) = document.pointer_mut(parent).and_then(Value::as_object_mut) else { continue };
            if value.is_null() { object.remove(key); } else { object.insert(key.to_owned(), value); }
        }
        let mended = mend(&document, channel).expect("an activity");
        let again = mend(&mended.document, channel).expect("an activity");
        prop_assert_eq!(&again.document, &mended.document, "{:?}", again.changes);
        prop_assert!(again.changes.is_empty(), "{:?}", again.changes);
        let (before, after) = (contents(&document), contents(&mended.document));
        // Marks around an image or a link are words no more and no less.
        prop_assert_eq!(&before.0, &after.0, "{} -> {}", document["text"], mended.document["text"]);
        let lost: Vec<_> = before.1.iter().filter(|source| !mended.document.to_string().contains(
            json!(source).to_string().trim_matches('"')) && !after.1.contains(*source)).collect();
        prop_assert!(lost.is_empty(), "{lost:?} of {document} in {:?}", mended.document);
    }
}
