//! Complaints of users of citation bots elsewhere, one test each: the number is that of the complaint, and the sentence
//! says what it was. Complaints about streams and delivery are tested where those are.

use std::collections::BTreeSet;

use citewire_check::{Channel, Severity, check};
use citewire_core::activity::{Activity, ActivityId};
use citewire_core::convert::{Conversion, Options, convert};
use citewire_core::dialect::{Dialect, Livestream};
use pulldown_cmark::{Event, LinkType, Parser, Tag};
use serde_json::{Value, json};

/// A converted answer.
struct Converted {
    activity: Value,
    report: Value,
}

impl Converted {
    fn text(&self) -> &str {
        // Channels with a form of their own have the text in the Message thing.
        self.activity["text"].as_str().or(self.message()["text"].as_str()).expect("a text")
    }

    fn message(&self) -> &Value {
        &self.activity["entities"][0]
    }

    fn claims(&self) -> &[Value] {
        self.message()["citation"].as_array().map_or(&[], Vec::as_slice)
    }

    fn shown(&self, n: usize) -> &Value {
        &self.claims()[n]["appearance"]
    }

    /// The numbers in brackets outside of code, in order.
    fn live(&self) -> Vec<u64> {
        let code: Vec<_> = Parser::new(self.text())
            .into_offset_iter()
            .filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))))
            .map(|(_, range)| range)
            .collect();
        let brackets = self.text().match_indices('[').filter(|(at, _)| !code.iter().any(|range| range.contains(at)));
        brackets.filter_map(|(at, _)| self.text()[at + 1..].split(']').next()?.parse().ok()).collect()
    }
}

fn to_with(dialect: Dialect, answer: &Value, options: Value) -> Converted {
    let mut conversion = Conversion::to(dialect);
    conversion.options = serde_json::from_value::<Options>(options).expect("options");
    let converted = convert(answer.to_string().as_bytes(), &conversion).expect("an activity");
    let activity = serde_json::to_value(converted.activities.last().expect("a message")).expect("JSON");
    if dialect == Dialect::Teams {
        let findings = check(&activity, Channel::Teams);
        let broken: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }
    Converted { activity, report: serde_json::to_value(&converted.report).expect("JSON") }
}

fn to(dialect: Dialect, answer: &Value) -> Converted {
    to_with(dialect, answer, json!({}))
}

fn teams(answer: &Value) -> Converted {
    to(Dialect::Teams, answer)
}

fn web_chat(answer: &Value) -> Converted {
    to(Dialect::WebChat, answer)
}

/// An answer over three documents.
fn answer(text: &str) -> Value {
    let source = |name: &str| {
        json!({"id": format!("id-{name}"), "title": name.to_uppercase(), "url": format!("https://docs.example/{name}"),
               "filepath": format!("{name}.pdf"), "content": format!("Passage {name}.")})
    };
    json!({"text": text, "sources": [source("a"), source("b"), source("c")]})
}

fn units(text: &Value) -> usize {
    text.as_str().expect("a text").encode_utf16().count()
}

/// The reference links of a Markdown text and where they lead.
fn references(text: &str) -> Vec<String> {
    let links = Parser::new(text).filter_map(|event| {
        let Event::Start(Tag::Link { link_type: LinkType::Shortcut, dest_url, .. }) = event else { return None };
        Some(dest_url.into_string())
    });
    links.collect()
}

/// A long excerpt made Teams refuse the whole answer, and the bot fell silent.
#[test]
fn ask_01_an_excerpt_never_exceeds_what_teams_takes() {
    for content in ["word ".repeat(400), "x".repeat(5_000), "👩‍👩‍👧‍👦".repeat(200), "e\u{301}".repeat(900)]
    {
        let answer = json!({"text": "a [1]", "sources": [{"content": content}]});
        assert!((1..=160).contains(&units(&teams(&answer).shown(0)["abstract"])));
        for (wish, limit) in [(480, 480), (9_000, 480), (20, 20)] {
            let converted = to_with(Dialect::Teams, &answer, json!({"abstract_max": wish}));
            assert!((1..=limit).contains(&units(&converted.shown(0)["abstract"])), "{wish}");
        }
    }
}

/// The list of sources disappeared as soon as the mark of machine-made text was switched off.
#[test]
fn ask_02_the_claims_do_not_depend_on_the_ai_label() {
    for dialect in [Dialect::Teams, Dialect::WebChat] {
        let marked = to(dialect, &answer("a [1] [2]"));
        let unmarked = to_with(dialect, &answer("a [1] [2]"), json!({"ai_label": false}));
        assert_eq!(marked.claims(), unmarked.claims());
        assert!(unmarked.message().get("additionalType").is_none() && unmarked.message().get("keywords").is_none());
    }
    assert_eq!(teams(&answer("a")).message()["additionalType"], json!(["AIGeneratedContent"]));
}

/// The provider's own markers stayed in the text, and no citation showed.
#[test]
fn ask_03_no_marker_of_the_provider_is_left_and_each_number_has_one_claim() {
    let converted = teams(&answer("a [doc2], b [doc1][doc2], c [doc9] `[doc1]`"));
    assert_eq!(converted.text(), "a [1], b [2][1], c `[doc1]`");
    let positions: BTreeSet<u64> = converted.claims().iter().filter_map(|claim| claim["position"].as_u64()).collect();
    assert_eq!(converted.live().into_iter().collect::<BTreeSet<_>>(), positions);
}

/// A number led to another document than the one that was meant.
#[test]
fn ask_05_a_claim_is_built_from_the_source_that_the_marker_named() {
    for dialect in [Dialect::Teams, Dialect::WebChat] {
        let converted = to(dialect, &answer("a [3] b [1]"));
        for (n, name) in [(0, "c"), (1, "a")] {
            let shown = converted.shown(n);
            assert_eq!(shown["name"], name.to_uppercase());
            assert_eq!(shown["url"], format!("https://docs.example/{name}"));
            assert_eq!(shown["abstract"], format!("Passage {name}."));
        }
    }
}

/// The sources of the first answer were shown again under the second one.
#[test]
fn ask_06_a_second_answer_names_its_own_sources_only() {
    let first = web_chat(&answer("a [1]"));
    let second = web_chat(&json!({"text": "a [1]", "sources": [{"title": "Z", "url": "https://other.example/z"}]}));
    assert!(!second.activity.to_string().contains("docs.example"), "{}", second.activity);
    assert_ne!(first.claims(), second.claims());
}

/// The title of a source showed, but nothing happened on a click, because the address had been lost.
#[test]
fn ask_07_a_source_with_an_address_keeps_exactly_that_address() {
    let url = "https://docs.example/a%20b?x=1&y=%2F#part";
    for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
        let converted = to(dialect, &json!({"text": "a [1]", "sources": [{"url": url}]}));
        assert_eq!(converted.shown(0)["url"], url, "{dialect}");
    }
}

/// A source without a title made the service refuse the message.
#[test]
fn ask_08_a_name_is_never_missing_and_never_too_long() {
    let sources = json!([{}, {"title": null, "filepath": "hr/leave.docx"}, {"url": "https://www.docs.example/x"},
                         {"title": "Two\nlines"}, {"title": "long ".repeat(60)}, {"title": "👩‍👩‍👧‍👦".repeat(60)}]);
    let converted = teams(&json!({"text": "[1] [2] [3] [4] [5] [6]", "sources": sources}));
    let names: Vec<_> = (0..4).map(|n| converted.shown(n)["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["Document 1", "leave.docx", "docs.example", "Two lines"]);
    assert!((4..6).all(|n| (1..=80).contains(&units(&converted.shown(n)["name"]))));
}

/// Label, citations and AI mark came as several entities, which the service refuses.
#[test]
fn ask_09_there_is_one_root_entity_whatever_it_carries() {
    let mut labelled = answer("a [1]");
    labelled["label"] = json!({"id": "s", "name": "Secret"});
    labelled["sources"][0]["label"] = json!({"id": "s", "name": "Secret"});
    for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
        let converted = to_with(dialect, &labelled, json!({"feedback": true}));
        assert_eq!(converted.activity["entities"].as_array().map(Vec::len), Some(1), "{dialect}");
    }
}

/// A source that was cited twice was listed twice, or broke the message.
#[test]
fn ask_10_a_source_that_is_cited_often_is_one_claim() {
    let converted = teams(&answer("a [1] b [1] c [1]"));
    assert_eq!((converted.claims().len(), converted.live()), (1, vec![1, 1, 1]));
}

/// Everything that had been retrieved was listed, whether the answer used it or not.
#[test]
fn ask_11_only_cited_sources_are_claims() {
    let converted = teams(&answer("a [2]"));
    assert_eq!((converted.claims().len(), &converted.shown(0)["name"]), (1, &json!("B")));
    assert!(teams(&answer("a")).message().get("citation").is_none());
}

/// The markers of file search were shown as they came, and nothing was cited.
#[test]
fn ask_12_markers_in_lenticular_brackets_become_numbers() {
    let mut annotated = answer("a【4:0†source】 b【7:3†source】.");
    let end = "a【4:0†source】".len();
    annotated["annotations"] = json!([{"start": 1, "end": end, "sources": ["id-c"]}]);
    let converted = teams(&annotated);
    assert_eq!(converted.shown(0)["name"], "C");
    assert!(!converted.text().contains('†'), "{}", converted.text());
    assert_eq!(teams(&answer("a【2†source】 b【9†source】.")).text(), "a[1] b.");
}

/// Several numbers in one bracket were taken for text.
#[test]
fn ask_13_several_numbers_in_one_bracket_are_separate_markers() {
    for (text, numbers) in [("a [1, 2]", vec![1, 2]), ("a [1-3]", vec![1, 2, 3]), ("a [doc1, doc2]", vec![1, 2])] {
        let converted = teams(&answer(text));
        assert_eq!((converted.live(), converted.claims().len()), (numbers.clone(), numbers.len()), "{text}");
    }
}

/// Indexes of arrays in code turned into citations.
#[test]
fn ask_14_code_stays_as_it_is_and_cites_nothing() {
    let text = "`a[1]`\n\n```rust\nb[2] = a[1];\n```\n\n    c[3]\n";
    for dialect in Dialect::ALL.into_iter().filter(|dialect| !dialect.is_drawn()) {
        let converted = to(dialect, &answer(text));
        // Fenced, an indented block of code is code wherever it stands.
        let shown = text.replace("    c[3]", "```\nc[3]\n```");
        let expected = if dialect.rules().markdown { shown.as_str() } else { text };
        assert_eq!((converted.text(), converted.claims().len()), (expected, 0), "{dialect}");
    }
}

/// Words in brackets were eaten.
#[test]
fn ask_15_brackets_that_are_no_marker_stay() {
    let text = "120 [km/h] in [2019]\n\n- [ ] open\n- [x] done [sic]";
    for dialect in Dialect::ALL {
        let shown = match dialect {
            dialect if dialect.is_drawn() => text.replace("- ", "• "),
            // A blank line parts the items of a list there.
            dialect if dialect.rules().loose_lists => text.replace("\n- [x]", "\n\n- [x]"),
            _ => text.to_owned(),
        };
        assert_eq!(to(dialect, &answer(text)).text(), shown, "{dialect}");
    }
}

/// A file name in brackets was not understood as a citation.
#[test]
fn ask_16_a_bracket_that_names_a_file_is_a_marker() {
    for marker in ["[b.pdf]", "[b.pdf#page=1]", "[id-b]"] {
        let mut answer = answer(&format!("a {marker}"));
        answer["sources"][1]["page"] = json!(1);
        let converted = teams(&answer);
        assert_eq!((converted.text(), &converted.shown(0)["name"]), ("a [1]", &json!("B")), "{marker}");
    }
}

/// A passage in the place of an Adaptive Card, or half a card, made the service refuse the message.
#[test]
fn ask_18_text_and_format_of_a_card_never_come_alone() {
    let source = json!({"title": "A", "content": "Passage.", "media_type": "text/plain"});
    for dialect in [Dialect::Teams, Dialect::M365Copilot] {
        let converted = to(dialect, &json!({"text": "a [1]", "sources": [source]}));
        let shown = converted.shown(0);
        assert!(shown.get("text").is_none() && shown.get("encodingFormat").is_none(), "{shown}");
    }
}

/// A finished message with a citation that opens an Adaptive Card.
fn with_card() -> Activity {
    let converted = teams(&answer("Leave is 30 days [1]."));
    let mut message = converted.activity;
    let card = json!({"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "30 days"}]});
    message["entities"][0]["citation"][0]["appearance"]["text"] = json!(card.to_string());
    let format = "application/vnd.microsoft.card.adaptive";
    message["entities"][0]["citation"][0]["appearance"]["encodingFormat"] = json!(format);
    serde_json::from_value(message).expect("an activity")
}

/// A card in a citation worked, until the message was streamed: then the service failed.
#[test]
fn ask_19_a_streamed_final_has_no_card_and_a_message_of_its_own_keeps_it() {
    for dialect in [Dialect::Teams, Dialect::M365Copilot] {
        let mut stream = Livestream::new(dialect).expect("a stream").answer();
        assert!(stream.update("Leave is").is_some());
        let last = serde_json::to_value(stream.last(with_card())).expect("JSON");
        let shown = &last["entities"][0]["citation"][0]["appearance"];
        assert!(shown.get("text").is_none() && shown.get("encodingFormat").is_none(), "{shown}");
        assert_eq!((&shown["name"], &shown["abstract"]), (&json!("A"), &json!("Passage a.")));
        let mut sent = last.clone();
        sent["entities"].as_array_mut().expect("a list").iter_mut().for_each(|entity| {
            if entity["type"] == "streaminfo" {
                entity["streamId"] = json!("a-1");
            }
        });
        assert_eq!(check(&sent, Channel::Teams), []);

        let whole = Livestream::new(dialect).expect("a stream").last(with_card());
        assert_eq!(whole, with_card());
    }
}

/// The final message of a stream carried a number, which is against the contract, and was refused.
#[test]
fn ask_20_updates_are_numbered_from_one_and_the_final_has_only_the_name_of_the_stream() {
    let given: ActivityId = serde_json::from_value(json!("a-1")).expect("an id");
    let converted = teams(&answer("Leave is 30 days [1]."));
    let message: Activity = serde_json::from_value(converted.activity).expect("an activity");
    let mut waiting = Livestream::new(Dialect::Teams).expect("a stream");
    let first = waiting.informative("Looking it up …").expect("a text");
    let mut answering = waiting.answer();
    let mut sent = vec![first];
    for text in ["Leave is", "Leave is 30", "Leave is 30 days [1]"] {
        sent.push(answering.update(text).expect("something new").with_stream_id(&given));
    }
    sent.push(answering.last(message).with_stream_id(&given));
    let sent: Value = sent.iter().map(|activity| serde_json::to_value(activity).expect("JSON")).collect();

    let info = |n: usize| {
        let entities = sent[n]["entities"].as_array().expect("a list");
        let mut info = entities.iter().find(|entity| entity["type"] == "streaminfo").expect("metadata").clone();
        info.as_object_mut().expect("an object").remove("type");
        assert_eq!(info, sent[n]["channelData"], "both places say the same");
        info
    };
    assert_eq!(info(0), json!({"streamType": "informative", "streamSequence": 1}));
    for (n, sequence) in [(1, 2), (2, 3), (3, 4)] {
        assert_eq!(info(n), json!({"streamType": "streaming", "streamSequence": sequence, "streamId": "a-1"}));
    }
    assert_eq!(info(4), json!({"streamType": "final", "streamId": "a-1"}));
    assert_eq!(check(&sent, Channel::Teams), []);
}

/// The list of references was lost, because nothing separated it from the text.
#[test]
fn ask_21_a_parser_finds_as_many_definitions_as_sources() {
    for text in ["a [1] b [3]", "- a [1]\n- b [3]", "> a [1] [3]", "```\ncode\n```\n[1] [3]", "a [1] [3]\n\n```\nopen"]
    {
        let converted = web_chat(&answer(text));
        let parser = Parser::new(converted.text());
        assert_eq!(parser.reference_definitions().iter().count(), 2, "{}", converted.text());
    }
}

/// Users did not find a way to send a list of references with a message.
#[test]
fn ask_22_each_cited_source_has_a_definition_whose_label_is_its_position() {
    let converted = web_chat(&answer("a [3] b [1]"));
    let parser = Parser::new(converted.text());
    for claim in converted.claims() {
        let position = claim["position"].as_str().expect("a label");
        let definition = parser.reference_definitions().get(position).expect("a definition");
        assert_eq!(claim["appearance"]["url"], &*definition.dest);
    }
}

/// Markers side by side were drawn as one link.
#[test]
fn ask_23_adjacent_markers_are_separate_links() {
    let converted = web_chat(&answer("a[1][2][3]"));
    assert_eq!(references(converted.text()), ["a", "b", "c"].map(|name| format!("https://docs.example/{name}")));
}

/// Positions as strings and out of order gave a wrong list in Teams.
#[test]
fn ask_25_positions_are_rising_numbers() {
    for numbering in ["dense", "provider"] {
        let converted = to_with(Dialect::Teams, &answer("a [3] b [1] c [2]"), json!({"numbering": numbering}));
        let positions: Vec<_> = converted.claims().iter().map(|claim| claim["position"].clone()).collect();
        assert_eq!(positions, [json!(1), json!(2), json!(3)], "{numbering}");
    }
}

/// The address of a source was a file name, and clients failed on it.
#[test]
fn ask_26_what_is_no_web_address_is_never_sent_as_one() {
    for url in ["leave.pdf", "javascript:alert(1)", "file:///c/leave.pdf", "//docs.example/x"] {
        for dialect in [Dialect::Teams, Dialect::WebChat] {
            let converted = to(dialect, &json!({"text": "a [1]", "sources": [{"url": url, "content": "x"}]}));
            assert!(converted.shown(0).get("url").is_none(), "{url}");
        }
    }
    let named = teams(&json!({"text": "a [1]", "sources": [{"url": "hr/leave.pdf"}]}));
    assert_eq!(named.shown(0)["name"], "leave.pdf");
}

/// Blanks and brackets in an address broke the link.
#[test]
fn ask_27_an_address_with_blanks_and_brackets_parses_back() {
    let answer = json!({"text": "a [1]", "sources": [{"url": "https://docs.example/Q1 plan (final) [2].pdf"}]});
    let converted = web_chat(&answer);
    assert_eq!(references(converted.text()), [converted.shown(0)["url"].as_str().expect("an address")]);
    assert_eq!(teams(&answer).shown(0)["url"], "https://docs.example/Q1%20plan%20(final)%20[2].pdf");
}

/// Readers wanted to land on the page, not at the start of a long document.
#[test]
fn ask_28_a_page_is_part_of_the_address_of_a_pdf() {
    let page = |n: u32| json!({"url": "https://docs.example/plan.pdf", "page": n});
    let answer = json!({"text": "a [1] b [2]", "sources": [page(3), page(7)]});
    let merged = teams(&answer);
    assert_eq!((merged.claims().len(), &merged.shown(0)["url"]), (1, &json!("https://docs.example/plan.pdf#page=3")));
    let split = to_with(Dialect::Teams, &answer, json!({"pages": "split"}));
    assert_eq!((split.claims().len(), &split.shown(1)["url"]), (2, &json!("https://docs.example/plan.pdf#page=7")));
}

/// The model invented numbers, and readers saw them.
#[test]
fn ask_29_an_invented_marker_leaves_no_trace() {
    for dialect in Dialect::ALL {
        let converted = to(dialect, &answer("One [doc9]. Two【12†x】."));
        assert_eq!(converted.text(), "One. Two.", "{dialect}");
        assert_eq!(converted.report["unresolved"].as_array().map(Vec::len), Some(2));
    }
}

/// An answer with dozens of sources was refused as a whole.
#[test]
fn ask_30_the_first_twenty_sources_stay_and_the_others_are_counted() {
    let text: String = (1..=47).map(|n| format!("Fact {n} [{n}]. ")).collect();
    let sources: Vec<_> = (1..=47).map(|n| json!({"url": format!("https://docs.example/{n}")})).collect();
    let converted = teams(&json!({"text": text, "sources": sources}));
    assert_eq!((converted.claims().len(), converted.live()), (20, (1..=20).collect()));
    assert!(converted.text().contains("Fact 47. "), "{}", converted.text());
    let dropped = converted.report["dropped"].as_array().expect("a list");
    assert_eq!(dropped.iter().filter(|entry| entry["code"] == "claims-limit").count(), 27);
    let note = &converted.report["notes"][0];
    assert!(note["code"] == "claims-left-out" && note["message"].as_str().is_some_and(|text| text.starts_with("27 ")));
}

/// In place of the name of a source it said just "source".
#[test]
fn ask_32_titles_are_those_of_the_sources() {
    let converted = web_chat(&answer("a [2]"));
    let parser = Parser::new(converted.text());
    let definition = parser.reference_definitions().get("1").expect("a definition");
    assert_eq!((definition.title.as_deref(), &converted.shown(0)["name"]), (Some("B"), &json!("B")));
    assert!(to(Dialect::Plain, &answer("a [2]")).text().ends_with("\n\n[1] B: https://docs.example/b"));
}

/// The form for feedback did not open, because its kind stood in the wrong member.
#[test]
fn ask_33_feedback_is_asked_for_in_one_form_and_only_in_teams() {
    let asked = |dialect| to_with(dialect, &answer("a"), json!({"feedback": true})).activity["channelData"].clone();
    assert_eq!(asked(Dialect::Teams), json!({"feedbackLoop": {"type": "default"}}));
    for dialect in [Dialect::WebChat, Dialect::M365Copilot, Dialect::Plain] {
        assert_eq!(asked(dialect), Value::Null, "{dialect}");
    }
    assert_eq!(teams(&answer("a")).activity.get("channelData"), None);
}

/// Line breaks and code blocks were lost on the way to Teams.
#[test]
fn ask_34_text_outside_of_markers_stays_byte_for_byte() {
    let text = "# T\r\n\r\na\nb  \n\n```\nx\ny\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n*e* &copy; <br> 😀\n";
    assert_eq!(teams(&answer(text)).text(), text);
    assert_eq!(teams(&answer(&format!("{text}[1]"))).text(), format!("{text}[1]"));
    let broken = to_with(Dialect::Teams, &answer("a\nb\n\n```\nx\ny\n```"), json!({"hard_breaks": true}));
    assert_eq!(broken.text(), "a  \nb\n\n```\nx\ny\n```");
}

/// Everyone had to write the way from the search back end to citations by hand.
#[test]
fn ask_36_a_response_of_azure_openai_is_taken_as_it_is() {
    let response = json!({"choices": [{"message": {"role": "assistant", "content": "Leave is 30 days [doc1].",
        "context": {"citations": [{"title": "Leave", "url": "https://hr.example/leave", "content": "30 days."}]}}}]});
    let converted = teams(&response);
    assert_eq!(converted.text(), "Leave is 30 days [1].");
    assert_eq!(converted.shown(0)["url"], "https://hr.example/leave#:~:text=30%20days");
}

/// Some callers drop everything but the text, and with it the sources.
#[test]
fn ask_37_the_text_alone_can_name_the_sources() {
    for dialect in [Dialect::Teams, Dialect::M365Copilot] {
        let converted = to_with(dialect, &answer("a [2]\n\n```\nopen"), json!({"self_contained": true}));
        assert_eq!(converted.text(), "a [1]\n\n```\nopen\n```\n\n[1] B: https://docs.example/b", "{dialect}");
    }
    assert_eq!(references(web_chat(&answer("a [2]")).text()), ["https://docs.example/b"]);
}

/// Sensitivity labels were refused, or missing.
#[test]
fn ask_38_a_label_of_a_claim_has_its_twin_on_the_message() {
    let label = json!({"id": "s", "name": "Secret", "description": "Board only", "priority": 2, "color": "red"});
    let mut labelled = answer("a [1] b [2]");
    labelled["sources"][0]["label"] = label;
    labelled["sources"][1]["label"] = json!({"id": "i", "name": "Internal", "priority": 1});
    let converted = teams(&labelled);
    let node = json!({"@type": "CreativeWork", "@id": "_:s", "name": "Secret", "description": "Board only"});
    assert_eq!((&converted.message()["usageInfo"], &converted.shown(0)["usageInfo"]), (&node, &node));
    assert_eq!(converted.shown(1).get("usageInfo"), None);
    assert_eq!(converted.report["dropped"][0]["code"], "label");
    assert!(!to(Dialect::M365Copilot, &labelled).activity.to_string().contains("usageInfo"));
}

/// Buttons for citations were shown although there were none.
#[test]
fn ask_39_nothing_cited_gives_nothing_to_press() {
    for dialect in Dialect::ALL {
        let converted = to(dialect, &answer("Nothing."));
        assert_eq!((converted.text(), converted.claims().len()), ("Nothing.", 0), "{dialect}");
        assert!(!converted.activity.to_string().contains("citation"));
    }
}

/// Only one of the passages that were used could be seen.
#[test]
fn ask_40_all_passages_of_a_document_can_be_read_in_web_chat() {
    let chunk = |content: &str| json!({"url": "https://docs.example/a", "content": content});
    let answer = json!({"text": "a [1] b [2]", "sources": [chunk("First."), chunk("Second.")]});
    let converted = web_chat(&answer);
    let shown = converted.shown(0);
    assert_eq!((&shown["abstract"], &shown["text"]), (&json!("First."), &json!("First.\n\nSecond.")));
    let converted = teams(&answer);
    assert_eq!(converted.shown(0)["abstract"], "First.");
    assert_eq!(converted.report["dropped"][0]["code"], "passages");
}
