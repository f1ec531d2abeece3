//! The payload of each channel by the schema that was written from the page of its vendor (`docs/api/channels`), for all samples
//! and for generated answers; and the same words and sources in all channels.

use std::collections::BTreeSet;
use std::path::Path;

use citewire_check::{Profile, check_profile};
use citewire_core::convert::{Conversion, Options, Outgoing, OutgoingForm, convert};
use citewire_core::dialect::Dialect;
use citewire_core::output::Completion;
use citewire_core::text::plain_text;
use jsonschema::Validator;
use proptest::prelude::*;
use regex::Regex;
use serde_json::{Value, json};

use crate::samples::{input, samples};

/// A channel: its conversion, where its payload stands in the activity, and the schema of that.
struct Channel {
    name: &'static str,
    conversion: Conversion,
    payload: &'static str,
    schema: Validator,
}

impl Channel {
    fn new(name: &'static str, schema: &str, dialect: Dialect, options: Value, payload: &'static str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/api/channels/{schema}.schema.json"));
        let text = std::fs::read_to_string(path).expect("a schema");
        let schema = jsonschema::validator_for(&serde_json::from_str(&text).expect("JSON")).expect("a schema");
        let options: Options = serde_json::from_value(options).expect("options");
        Self { name, conversion: Conversion { options, ..Conversion::to(dialect) }, payload, schema }
    }

    fn all() -> Vec<Self> {
        let none = || json!({});
        vec![
            Self::new("teams", "teams", Dialect::Teams, json!({"feedback": true, "updates": 0}), ""),
            Self::new("extended", "teams", Dialect::Teams, json!({"text_format": "extended", "updates": 0}), ""),
            Self::new("m365-copilot", "teams", Dialect::M365Copilot, json!({"updates": 0}), ""),
            Self::new("plain", "plain", Dialect::Plain, none(), ""),
            Self::new("slack", "slack", Dialect::Slack, none(), "/channelData"),
            Self::new("slack-blocks", "slack-blocks", Dialect::SlackBlocks, none(), "/channelData"),
            Self::new("google-chat", "google-chat", Dialect::GoogleChat, none(), "/channelData"),
            Self::new("telegram", "telegram", Dialect::Telegram, none(), "/channelData"),
            Self::new("line", "line", Dialect::Line, none(), ""),
            Self::new("email-html", "email-html", Dialect::EmailHtml, none(), "/channelData"),
        ]
    }

    /// The message of an answer, if the options do not refuse it.
    fn message(&self, body: &[u8]) -> Option<Value> {
        let converted = convert(body, &self.conversion).ok()?;
        let message = converted.activities.last().expect("a message");
        Some(serde_json::to_value(message).expect("JSON"))
    }

    /// The faults of a message by the schema. A message without text is no message to the channel.
    fn found(&self, message: &Value) -> Vec<String> {
        let is_empty =
            message["channelData"].is_null() && message["text"].as_str().unwrap_or_default().trim().is_empty();
        if is_empty {
            return Vec::new();
        }
        let Some(payload) = message.pointer(self.payload) else { return vec!["no payload".to_owned()] };
        self.schema
            .iter_errors(payload)
            .map(|error| format!("{}: {} at {}", self.name, error, error.instance_path()))
            .collect()
    }
}

/// Pieces of answers that say the same in each channel. Links, numbered lists and HTML are written as each channel has them.
const PIECES: [&str; 26] = [
    "Leave is 30 days",
    " **bold** ",
    " *slanted* ",
    " ~~struck~~ ",
    " `code` ",
    " [1]",
    " [2]",
    " [3][1]",
    ".",
    "\n\n",
    "\n\n- item one [1]\n- item two\n  - inner [2]\n\n",
    "\n\n> quoted [2]\n\n",
    "\n\n```\nlet a = b;\n```\n\n",
    "\n\n## Heading\n\n",
    "\n\n| Kind | Days |\n| --- | ---: |\n| Leave [1] | **30** |\n| | 2 |\n\n",
    " $x^2$ ",
    "\n\n$$\na + b\n$$\n\n",
    " $5 and $6 ",
    " $$ open ",
    "\n\n- [ ] task\n- [x] done\n\n",
    " ünï 日本 👩‍👩‍👧 ",
    " a & b < c > d ",
    " snake_case_name ",
    " \\* star ",
    " 1 | 2 ",
    "\n\n---\n\n",
];

fn sources() -> Value {
    json!([
        {"title": "Leave policy", "url": "https://hr.example/leave?a=1&b=2", "content": "Leave is **30 days**.", "author": "Ann"},
        {"title": "Handbook <1> & *more*", "content": "| Kind | Days |\n| --- | --- |\n| Leave | 30 |"},
        {"title": "Third", "url": "https://hr.example/(third)", "content": "e\u{301}"},
    ])
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12).prop_map(|pieces| pieces.concat())
}

fn body(text: &str) -> Vec<u8> {
    json!({"text": text, "sources": sources()}).to_string().into_bytes()
}

#[test]
fn every_sample_is_a_message_that_the_pages_of_the_vendors_allow() {
    let channels = Channel::all();
    let mut checked = 0;
    for case in samples() {
        for channel in &channels {
            let Some(message) = channel.message(&input(&case)) else { continue };
            assert_eq!(channel.found(&message), [] as [String; 0], "{}: {message:#}", case.display());
            checked += 1;
        }
    }
    assert!(checked > 500, "{checked}");
}

/// The letters and digits of a text: each channel has marks, blanks and invisible characters of its own.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The text without its list of sources, which begins with `[n] ` in a paragraph of its own.
fn without_list(text: &str) -> &str {
    let list =
        Regex::new(r"(?:^|\n\n)\\?\[\d+\\?\] (?:<[^>]*\|)?(?:Leave policy|Handbook|Third)").expect("an expression");
    list.find(text).map_or(text, |list| &text[..list.start()])
}

/// All texts of rich text, in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "only these are looked for")]
fn said(value: &Value, out: &mut String) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| said(value, out)),
        Value::Object(members) => {
            out.push_str(members.get("text").and_then(Value::as_str).unwrap_or_default());
            ["elements", "rows"].iter().filter_map(|name| members.get(*name)).for_each(|value| said(value, out));
        }
        _ => {}
    }
}

/// The words that readers of a channel see above the list of sources, each badge as its number.
fn words(channel: &str, message: &Value) -> String {
    let data = &message["channelData"];
    let unescaped = |text: &str| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let text = match channel {
        "slack-blocks" => {
            let mut blocks = data["blocks"].as_array().cloned().unwrap_or_default();
            let is_list = blocks.last().is_some_and(|last| {
                let mut list = String::new();
                said(last, &mut list);
                without_list(list.trim_start()).is_empty()
            });
            if is_list {
                blocks.pop();
            }
            let mut out = String::new();
            said(&Value::Array(blocks), &mut out);
            out
        }
        "slack" => {
            let link = Regex::new(r"<[^<>|]*\|([^<>|]*)>").expect("an expression");
            let text = without_list(data["text"].as_str().unwrap_or_default());
            unescaped(&link.replace_all(text, "$1"))
        }
        "google-chat" => {
            let tag = Regex::new(r"</?chat-citation[^>]*>").expect("an expression");
            plain_text(&tag.replace_all(without_list(data["text"].as_str().unwrap_or_default()), ""))
        }
        "teams" | "extended" => plain_text(message["text"].as_str().unwrap_or_default()),
        _ => without_list(message["text"].as_str().unwrap_or_default()).to_owned(),
    };
    letters(&text)
}

/// The sources of a message as its Message entity names them: number, title, address.
fn named(message: &Value) -> Vec<(String, String, Option<String>)> {
    let claims = message["entities"][0]["citation"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let claim = |claim: Value| {
        let document = &claim["appearance"];
        let url = document["url"].as_str().map(|url| url.replace("%28", "(").replace("%29", ")"));
        (
            text(&claim["position"]),
            text(&document["name"]),
            url.map(|url| url.split("#:~:").next().unwrap_or_default().to_owned()),
        )
    };
    claims.into_iter().map(claim).collect()
}

/// The numbers that a payload lets readers open by a citation of the channel.
fn opened(channel: &str, message: &Value) -> BTreeSet<String> {
    let pattern = match channel {
        "slack-blocks" => r#""text":"\[(\d+)\]","type":"citation""#,
        "google-chat" => r#"<chat-citation data-id=\\"c(\d+)\\">"#,
        _ => return BTreeSet::new(),
    };
    let wire = message["channelData"].to_string();
    let found = Regex::new(pattern).expect("an expression");
    found.captures_iter(&wire).map(|found| found[1].to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_answers_say_the_same_in_every_channel_and_no_page_forbids_them(text in texts()) {
        let channels = Channel::all();
        let messages: Vec<(&str, Value)> =
            channels.iter().map(|channel| (channel.name, channel.message(&body(&text)).expect("a message"))).collect();
        for (channel, (_, message)) in channels.iter().zip(&messages) {
            prop_assert_eq!(channel.found(message), Vec::<String>::new(), "{:#}", message);
        }
        let of = |wanted: &str| &messages.iter().find(|(name, _)| *name == wanted).expect("a channel").1;
        let expected = words("line", of("line"));
        for name in ["teams", "extended", "plain", "slack", "slack-blocks", "google-chat"] {
            prop_assert_eq!(words(name, of(name)), expected.clone(), "{}: {:#}", name, of(name));
        }
        let sources = named(of("teams"));
        for name in ["extended", "slack", "slack-blocks", "google-chat", "telegram", "line", "email-html"] {
            prop_assert_eq!(named(of(name)), sources.clone(), "{}", name);
        }
        // Badges inside code are text, so a message may open fewer numbers than it names; never others.
        let with_address: BTreeSet<String> =
            sources.iter().filter(|(_, _, url)| url.is_some()).map(|(number, ..)| number.clone()).collect();
        for name in ["slack-blocks", "google-chat"] {
            prop_assert!(opened(name, of(name)).is_subset(&with_address), "{name}: {:#}", of(name));
        }
    }
}

/// HTML between the pieces of an answer.
const TAGS: [&str; 14] = [
    "<b>",
    "</b>",
    "<br>",
    "<br/>\n",
    "<div>\n",
    "\n</div>\n\n",
    "<!-- x -->",
    "<script>",
    "</script>",
    "<details><summary>a</summary>",
    "<a href=x>",
    "<td class=\"a\">",
    "1. x\n\n1) y\n\n",
    "https://x.example/*a*[1]",
];

fn texts_with_tags() -> impl Strategy<Value = String> {
    let piece = prop_oneof![prop::sample::select(&PIECES[..]), prop::sample::select(&TAGS[..])];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_check_for_the_profile_finds_nothing_in_extended_markdown(text in texts_with_tags()) {
        let channel = Channel::all().into_iter().find(|channel| channel.name == "extended").expect("a channel");
        let message = channel.message(&body(&text)).expect("a message");
        let findings = check_profile(&message, Profile::TeamsExtended);
        let of_profile: Vec<_> = findings.iter().filter(|finding| finding.code.starts_with("teams-extended")).collect();
        prop_assert!(of_profile.is_empty(), "{message:#} {of_profile:#?}");
    }
}

/// The calls of a Slack stream for a body.
fn slack_calls(body: &[u8]) -> Vec<Value> {
    let completion = Completion { id: "c".to_owned(), created: 7, model: "m".to_owned() };
    let mut outgoing = Outgoing::new(OutgoingForm::Slack, completion, &Conversion::to(Dialect::WebChat));
    let mut calls = Vec::new();
    for piece in body.chunks(64) {
        let Ok(more) = outgoing.push(piece) else { return Vec::new() };
        calls.extend(more);
    }
    calls.extend(outgoing.end().map(|ended| ended.values).unwrap_or_default());
    calls.retain(|call| call.get("error").is_none());
    calls
}

#[test]
fn every_stream_of_the_samples_is_a_stream_that_slack_allows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api/channels/slack-stream.schema.json");
    let text = std::fs::read_to_string(path).expect("a schema");
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).expect("JSON")).expect("a schema");
    let mut streams = 0;
    for case in samples() {
        let calls = slack_calls(&input(&case));
        for call in &calls {
            let found: Vec<String> = schema.iter_errors(call).map(|error| error.to_string()).collect();
            assert_eq!(found, [] as [String; 0], "{}: {call:#}", case.display());
        }
        let methods: Vec<&str> = calls.iter().filter_map(|call| call["method"].as_str()).collect();
        if let [first, inner @ .., last] = &methods[..] {
            streams += 1;
            assert_eq!((*first, *last), ("chat.startStream", "chat.stopStream"), "{}", case.display());
            assert!(inner.iter().all(|method| *method == "chat.appendStream"), "{}", case.display());
        }
    }
    assert!(streams > 30, "{streams}");
}

/// The message of a text, and the codes of its report.
fn told(name: &str, text: &str, options: &Value) -> (Value, Vec<&'static str>) {
    let mut channel = Channel::all().into_iter().find(|channel| channel.name == name).expect("a channel");
    let given: Value = options.clone();
    if !given.is_null() {
        channel.conversion.options = serde_json::from_value(given).expect("options");
    }
    let converted = convert(&body(text), &channel.conversion).expect("a message");
    let message = serde_json::to_value(converted.activities.last().expect("a message")).expect("JSON");
    assert_eq!(channel.found(&message), [] as [String; 0], "{message:#}");
    let codes =
        converted.report.lists().iter().flat_map(|(_, entries)| entries.iter().map(|entry| entry.code)).collect();
    (message, codes)
}

#[test]
fn a_table_of_sixty_columns_stays_one_where_it_may_and_is_code_in_slack() {
    let row = |cell: &str| format!("|{}", format!(" {cell} |").repeat(60));
    let text = format!("{}\n{}\n{}", row("head"), row("---"), row("cell [1]"));
    let (teams, codes) = told("extended", &text, &Value::Null);
    assert_eq!(teams["textFormat"], "extendedmarkdown");
    assert_eq!(teams["text"].as_str().expect("a text").matches('|').count(), 3 * 61);
    assert!(!codes.contains(&"message-size"));
    let (slack, codes) = told("slack-blocks", &text, &Value::Null);
    assert!(codes.contains(&"table-as-code"), "{codes:?}");
    assert_eq!(slack["channelData"]["blocks"][0]["elements"][0]["type"], "rich_text_preformatted");
    let (chat, _) = told("google-chat", &text, &Value::Null);
    assert!(chat["channelData"]["text"].as_str().expect("a text").starts_with("```\nhead "));
}

#[test]
fn a_table_arrives_as_a_table_with_its_citations() {
    let text = "| Kind | Days |\n| :-- | --: |\n| Leave [1] | 30 |\n\nend [2]";
    let (slack, codes) = told("slack-blocks", text, &Value::Null);
    let table = &slack["channelData"]["blocks"][0];
    assert_eq!((&table["type"], &table["column_settings"][1]["align"]), (&json!("table"), &json!("right")));
    let cell = &table["rows"][1][0]["elements"][0]["elements"][1];
    assert_eq!((&cell["type"], &cell["index"], &cell["text"]), (&json!("citation"), &json!(1), &json!("[1]")));
    assert_eq!(cell["details"]["snippet"], "Leave is 30 days.");
    assert!(!codes.contains(&"table-as-code"));
    // Slack takes one table a message.
    let (slack, codes) = told("slack-blocks", &format!("{text}\n\n{text}"), &Value::Null);
    assert_eq!(slack["channelData"]["blocks"].to_string().matches("\"type\":\"table\"").count(), 1);
    assert!(codes.contains(&"table-as-code"));
}

#[test]
fn math_that_does_not_end_is_text_in_extended_markdown() {
    let (teams, codes) = told("extended", "a $$x^2 [1]\n\nb $y$ and $5, $6 [2]", &Value::Null);
    assert_eq!(teams["text"], "a &#36;&#36;x^2 [1]\n\nb $y$ and &#36;5, &#36;6 [2]");
    assert!(codes.contains(&"math"), "{codes:?}");
}

#[test]
fn an_image_of_a_private_host_becomes_a_link_in_extended_markdown() {
    let hosts = ["x.example", "10.0.0.1", "intranet", "printer.local"];
    let options = json!({"text_format": "extended", "image_hosts": hosts});
    for (url, is_image) in [
        ("https://x.example/a.png", true),
        ("http://x.example/a.png", false),
        ("https://10.0.0.1/a.png", false),
        ("https://intranet/a.png", false),
        ("https://printer.local/a.png", false),
        ("https://other.example/a.png", false),
    ] {
        let (teams, codes) = told("extended", &format!("![chart]({url}) [1]"), &options);
        let shown = if is_image { format!("![chart]({url}) [1]") } else { format!("[chart]({url}) [1]") };
        assert_eq!(teams["text"], shown);
        assert_eq!(codes.contains(&"image"), !is_image, "{url}");
    }
}

#[test]
fn extended_markdown_has_no_html() {
    for (given, written, code) in [
        ("a<br>b [1]", "a\\\nb [1]", ""),
        ("a<br>\nb [1]", "a  \nb [1]", ""),
        ("| a |\n| - |\n| b<br>c [1] |", "| a |\n| - |\n| b c [1] |", ""),
        ("a <b>b</b> c [1]", "a \u{200b}b c [1]", "html-left-out"),
        ("a <!-- x -->b [1]", "a \u{200b}b [1]", "html-left-out"),
        ("<div>\na\nb\n</div>\n\nc [1]", "a\\\nb\n\nc [1]", "html-left-out"),
        ("a\n\n<br>\n\nb [1]", "a\n\n\u{200b}\n\nb [1]", ""),
        ("a <script>x</script> [1]", "a &lt;script>x&lt;/script> [1]", "html"),
    ] {
        let (teams, codes) = told("extended", given, &Value::Null);
        assert_eq!(teams["text"], written, "{given}");
        assert!(code.is_empty() || codes.contains(&code), "{given}: {codes:?}");
    }
}

#[test]
fn a_message_beyond_the_limits_of_its_channel_is_cut_and_says_so() {
    let text = "A sentence of some words [1]. ".repeat(4_000);
    for (name, bytes) in [("slack-blocks", 13_000), ("google-chat", 32_000)] {
        let (message, codes) = told(name, &text, &Value::Null);
        assert!(codes.contains(&"message-size"), "{name}: {codes:?}");
        let payload = message["channelData"].get("blocks").unwrap_or(&message["channelData"]).to_string();
        assert!(payload.len() <= bytes, "{name}: {}", payload.len());
    }
    let items = "---\n\nword\n\n".repeat(200);
    let (message, codes) = told("slack-blocks", &items, &Value::Null);
    assert!(message["channelData"]["blocks"].as_array().expect("blocks").len() <= 50);
    assert!(codes.contains(&"message-size"));
}

#[test]
fn a_reader_of_text_gets_text() {
    let text = "**Leave** [1]\n\n| Kind | Days |\n| --- | --- |\n| a<br>b | 30 [2] |\n\n- one\n- two\n\n`code` ![x](https://x.example/a.png)";
    let (plain, _) = told("plain", text, &Value::Null);
    assert_eq!(
        plain["text"],
        "Leave [1]\n\nKind | Days\na b | 30 [2]\n\n• one\n• two\n\ncode x (https://x.example/a.png)\n\n\
         [1] Leave policy: https://hr.example/leave?a=1&b=2\n[2] Handbook <1> & *more*: Kind | Days Leave | 30"
    );
}
