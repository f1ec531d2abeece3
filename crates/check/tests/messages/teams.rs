//! Properties of what goes to Teams and of plain texts, whatever the answer.

use citewire_check::{Channel, check};
use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Pieces that make Markdown, markers, and what is neither.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[1]",
        "[2]",
        "[25]",
        "[doc3]",
        "[doc99]",
        "【4†x】",
        "[1, 2]",
        "[1-30]",
        "[^2^]",
        "[[1]](https://e/)",
        "[1](2024)",
        "\\[1\\]",
        "[9]",
        "[0]",
        "`",
        "```\n",
        "~~~\n",
        "\n",
        "\n\n",
        " ",
        "*",
        "**",
        "_",
        "> ",
        "- ",
        "1. ",
        "# ",
        "    ",
        "$",
        "$$",
        "<b>",
        "<!--",
        "-->",
        "&#8203;",
        "!",
        "(",
        ")",
        ":",
        "https://x/[1]",
        "](https://e/)",
        "[",
        "]",
        "[1]: https://evil\n",
        "word",
        "é",
        "👩‍👩‍👧",
        "\\",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn sources() -> Value {
    let label = |n: usize| json!({"id": format!("l{}", n % 3), "name": "Label", "description": format!("{}", n % 2), "priority": n % 4});
    let source = |n: usize| {
        json!({"title": "👩‍👩‍👧 long title ".repeat(n % 9), "content": "e\u{301}passage ".repeat(n * 7),
               "url": if n.is_multiple_of(4) { json!(null) } else { json!(format!("https://docs.example/{n}")) },
               "keywords": ["one", "two", "three", "a word of more than twenty-eight characters"], "icon": "pdf",
               "label": if n.is_multiple_of(5) { label(n) } else { json!(null) }})
    };
    (1..=30).map(source).collect()
}

fn converted(dialect: Dialect, text: &str) -> Value {
    let body = json!({"text": text, "sources": sources()}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(dialect)).expect("an activity");
    serde_json::to_value(&converted.activities[0]).expect("JSON")
}

proptest! {
    #[test]
    fn the_check_finds_nothing_in_any_message_to_teams(text in texts()) {
        let activity = converted(Dialect::Teams, &text);
        let mut findings = check(&activity, Channel::Teams);
        // Tables and formulas stay as the model wrote them, unless the extended format is chosen.
        findings.retain(|finding| finding.code != "teams-extended-format-missing");
        // A marker without a source stays visible on purpose.
        findings.retain(|finding| finding.code != "teams-marker-without-claim" && finding.code != "text-marker-raw");
        if activity["text"].as_str().is_some_and(|text| text.trim().is_empty()) {
            // An answer that says nothing is a message that says nothing, and no channel has anything better.
            findings.retain(|finding| finding.code != "teams-message-empty");
        }
        if text.contains('$') {
            // Math to one reader can be code to another, and a marker is placed for the first (policy P-02).
            findings.retain(|finding| finding.code != "teams-claim-without-marker");
        }
        prop_assert!(findings.is_empty(), "{activity:#} {findings:#?}");
    }

    #[test]
    fn a_plain_text_gets_no_invisible_character_and_lists_what_it_cites(text in texts()) {
        let activity = converted(Dialect::Plain, &text);
        let plain = activity["text"].as_str().expect("a text");
        prop_assert!(!plain.contains('\u{200b}'), "{plain:?}");
        prop_assert_eq!(&activity["textFormat"], "plain");
        prop_assert!(activity.get("entities").is_none());
    }
}

#[test]
fn a_number_in_a_comment_is_no_marker_that_anybody_sees() {
    let of = |text: &str| {
        json!({"type": "message", "text": text, "entities": [{"type": "https://schema.org/Message",
        "@type": "Message", "@context": "https://schema.org", "@id": ""}]})
    };
    let codes =
        |text: &str| -> Vec<_> { check(&of(text), Channel::Teams).iter().map(|finding| finding.code).collect() };
    assert_eq!(codes("Keep it <!-- [1] -->"), [] as [&str; 0]);
    assert_eq!(codes("Keep it <!-- [1] --> [2]"), ["marker-without-claim"]);
}

/// Separators are all that the writer leaves of such an answer.
#[test]
fn an_answer_of_markers_without_sources_says_nothing_and_the_report_says_so() {
    for text in ["[doc99]", " [doc98][doc99]\n", "\u{200b}"] {
        for dialect in [Dialect::Plain, Dialect::Teams, Dialect::WebChat, Dialect::Slack, Dialect::Line] {
            let body = json!({"text": text, "sources": sources()}).to_string();
            let converted = convert(body.as_bytes(), &Conversion::to(dialect)).expect("an activity");
            assert_eq!(converted.activities[0].text.as_deref().map(str::trim), Some(""), "{dialect} {text:?}");
            assert!(converted.report.notes.iter().any(|note| note.code == "empty-text"), "{dialect} {text:?}");
        }
    }
}

/// The activity for Teams of a text over two sources, and the codes of its report.
fn sent(text: &str, url: &str) -> (Value, Vec<&'static str>) {
    let body = json!({"text": text, "sources": [{"url": url}, {"url": "https://x.example/other"}]}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(Dialect::Teams)).expect("an activity");
    let lists = converted.report.lists().into_iter().filter(|(name, _)| *name != "cited");
    let codes = lists.flat_map(|(_, list)| list).map(|entry| entry.code).collect();
    (serde_json::to_value(&converted.activities[0]).expect("JSON"), codes)
}

const MAX_BYTES: usize = 80 * 1024;

fn bytes(activity: &Value) -> usize {
    2 * activity.to_string().encode_utf16().count()
}

#[test]
fn a_message_that_fits_is_left_alone() {
    let (activity, codes) = sent("a [1] b [2]", "https://x.example/");
    assert_eq!((&activity["text"], codes), (&json!("a [1] b [2]"), Vec::new()));
}

#[test]
fn a_text_that_is_too_large_is_cut_with_the_claims_behind_the_cut_and_the_report_says_so() {
    for filler in ["plain words\n\n", "\u{1}\u{2}\u{3} ", "😀 ", "x"] {
        let text = format!("Begin [1]. {}End [2].", filler.repeat(100_000 / filler.len()));
        let (activity, codes) = sent(&text, "https://x.example/");
        assert!((MAX_BYTES * 3 / 4..=MAX_BYTES).contains(&bytes(&activity)), "{filler:?}: {}", bytes(&activity));
        let text = activity["text"].as_str().expect("a text");
        assert!(text.starts_with("Begin [1]. ") && text.ends_with('…'), "{filler:?}");
        assert_eq!(activity["entities"][0]["citation"].as_array().map(Vec::len), Some(1));
        assert_eq!(codes, ["message-size"]);
        assert_eq!(check(&activity, Channel::Teams), []);
    }
}

#[test]
fn a_fence_that_the_cut_opens_is_closed() {
    let (activity, _) = sent(&format!("a [1]\n\n```\n{}```\n", "code\n".repeat(20_000)), "https://x.example/");
    assert!(activity["text"].as_str().is_some_and(|text| text.ends_with("code\n```\n\n…")));
}

#[test]
fn a_monstrous_address_goes_before_any_of_the_text_does() {
    let (activity, codes) = sent("a [1] b [2]", &format!("https://x.example/{}", "y".repeat(60_000)));
    assert_eq!((&activity["text"], codes), (&json!("a [1] b [2]"), vec!["long-url"]));
    assert_eq!(activity.pointer("/entities/0/citation/0/appearance/url"), None);
}

/// The activity of twenty sources under one label, each cited once, and the codes of the report.
fn sent_with_label(source: impl Fn(usize) -> Value, options: Value) -> (Value, Vec<&'static str>) {
    let text = (1..=20).map(|n| format!("w{n}[{n}]")).collect::<Vec<_>>().join(" ");
    let sources: Value = (1..=20).map(source).collect();
    let body = json!({"text": text, "sources": sources}).to_string();
    let mut conversion = Conversion::to(Dialect::Teams);
    conversion.options = serde_json::from_value(options).expect("options");
    let converted = convert(body.as_bytes(), &conversion).expect("an activity");
    let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
    let lists = [&converted.report.cut, &converted.report.dropped];
    let codes = lists.into_iter().flatten().map(|entry| entry.code).filter(|code| *code != "abstract").collect();
    (activity, codes)
}

/// Twenty copies of the description were more than a message may have, and the text went instead: nothing was left of it.
#[test]
fn a_long_label_is_shortened_before_any_of_the_text_is() {
    let label = json!({"id": "s1", "name": "Confidential", "description": "Internal readers only. ".repeat(100)});
    let source = |n: usize| json!({"url": format!("https://x.example/{n}"), "label": label});
    let (activity, codes) = sent_with_label(source, json!({}));
    assert!(bytes(&activity) <= MAX_BYTES);
    assert!(activity["text"].as_str().is_some_and(|text| text.ends_with(" w20[20]")), "{activity}");
    assert_eq!(activity["entities"][0]["citation"].as_array().map(Vec::len), Some(20));
    assert!(activity["entities"][0]["usageInfo"]["description"].as_str().is_some_and(|text| text.ends_with('…')));
    assert_eq!(codes, ["label-size"]);
    assert_eq!(check(&activity, Channel::Teams), []);
}

#[test]
fn claims_that_leave_no_room_for_a_short_text_go_and_the_text_stays() {
    let source = |n: usize| json!({"title": "\"".repeat(80), "url": format!("https://x.example/{n}/{}", "y".repeat(980)), "content": "\"".repeat(480)});
    let (activity, codes) = sent_with_label(source, json!({"abstract_max": 480}));
    assert!(bytes(&activity) <= MAX_BYTES);
    let claims = activity["entities"][0]["citation"].as_array().map_or(0, Vec::len);
    assert!((10..20).contains(&claims), "{claims}");
    let text = activity["text"].as_str().expect("a text");
    assert!(text.starts_with("w1[1] w2[2] ") && text.ends_with(" w20"), "{text:?}");
    assert_eq!(codes, ["claims-size"]);
    let mut findings = check(&activity, Channel::Teams);
    findings.retain(|finding| finding.code != "teams-abstract-long");
    assert_eq!(findings, []);
}

#[test]
fn a_message_without_a_text_is_a_finding() {
    let message = json!({"type": "message", "text": " "});
    assert_eq!(
        check(&message, Channel::Teams).iter().map(|finding| finding.code).collect::<Vec<_>>(),
        ["teams-message-empty"]
    );
    assert_eq!(check(&json!({"type": "message", "attachments": [{"contentType": "image/png"}]}), Channel::Teams), []);
}
