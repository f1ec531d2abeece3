use citewire_core::convert::convert;
use citewire_core::dialect::Dialect;
use citewire_core::ingest::{ingest, source_objects};
use citewire_core::output::{
    AssistantHubOptions, CardMetadata, OpenWebUiOptions, WebUiCitations, assistanthub, open_webui, records,
};
use citewire_core::prompt::{Options, Style, build};
use serde_json::{Value, json};

use crate::samples::to_message;

/// An activity called `…/docs/fourth.pdf` after its host and Open WebUI called it after its file.
#[test]
fn a_source_without_title_has_the_same_name_in_every_output() {
    for (source, name) in [
        (json!({"filepath": "hr/leave.docx", "url": "https://x.example/a.pdf"}), "leave.docx"),
        (json!({"url": "https://account.blob.core.windows.net/docs/fourth.pdf?sv=1&sig=secret"}), "fourth.pdf"),
        (json!({"url": "https://contoso.example/hr/Leave%20policy.pdf"}), "Leave policy.pdf"),
        (json!({"url": "https://hr.contoso.example/handbook"}), "hr.contoso.example"),
        (json!({"url": "https://www.contoso.example/"}), "contoso.example"),
        (json!({"url": "https://contoso.example/%FF.pdf"}), "%FF.pdf"),
        (json!({"url": "https://contoso.example/invoice%E2%80%AEfdp.exe%00"}), "contoso.example"),
    ] {
        let mut source = source;
        source["content"] = "30 days.".into();
        let body = json!({"text": "30 days [1].", "sources": [source]}).to_string().into_bytes();
        let answer = ingest(&body, None).expect("an answer");
        let activity = |dialect| json!(convert(&body, &to_message(dialect)).expect("an activity").activities[0]);
        let (web_chat, teams) = (activity(Dialect::WebChat), activity(Dialect::Teams));
        let links = WebUiCitations::Links(CardMetadata::Named);
        let links = OpenWebUiOptions { citations: links, ..OpenWebUiOptions::default() };
        let badges = json!(open_webui(&answer, &OpenWebUiOptions::default()));
        let links = json!(open_webui(&answer, &links));
        let hub = json!(assistanthub(&answer, &AssistantHubOptions::default()));
        let records = json!(records(&answer, &source_objects(&body, &answer.sources)));
        let at = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let named = [
            at(&web_chat, "/entities/0/citation/0/appearance/name"),
            at(&teams, "/entities/0/citation/0/appearance/name"),
            at(&badges, "/events/0/data/source/name"),
            at(&links, "/events/0/data/source/name").map(|name| name.replace("[doc1] - ", "")),
            at(&hub, "/citations/sources/0/document_name"),
            at(&records, "/sources/0/title"),
        ];
        assert_eq!(named, std::array::from_fn(|_| Some(name.to_owned())), "{source}");
        let text = at(&web_chat, "/text").expect("a text");
        assert!(text.ends_with(&format!(" \"{name}\"")), "{text}");
        for style in [Style::Numbered, Style::Tags] {
            let asked = build(&answer.sources, &Options::new(style)).text;
            assert!(asked.contains(&format!("\"{name}\"")), "{asked}");
        }
    }
}
