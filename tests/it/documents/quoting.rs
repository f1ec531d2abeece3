//! Answers that quote documents, as readers get them.

use std::sync::Arc;
use std::time::Duration;

use citewire::assistant::LinkMode;
use citewire::clock::Clock;
use citewire::convert::{Conversion, Grounding, convert};
use citewire::dialect::Dialect;
use citewire::document::{DownloadKey, PublicLinks, SignedLinks};
use citewire::secret::Secret;
use citewire::upstream::{Ask, ChatMessage, Local, LocalOptions, Speaker, Upstream as _};
use futures_util::TryStreamExt as _;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use pulldown_cmark::{Event, Options, Parser};
use serde_json::{Value, json};
use tempfile::TempDir;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{clock, folder, library};
use crate::app::native;

const HANDBOOK: &[(&str, &str)] = &[
    (
        "hr/leave.md",
        "# Leave policy\n\n## Annual leave\n\nEmployees of Contoso get **30 days** of annual leave. Unused leave expires after\n\
         one year. The canteen is elsewhere.\n\n## Parental leave\n\nParents take 16 weeks of [parental leave](parental.md).\n",
    ),
    ("hr/germany.md", "# Germany\n\nIn Germany the annual leave is 32 days. Public holidays come on top of it.\n"),
    ("de/frist.txt", "Die Kündigungsfrist beträgt drei Monate. Sie endet am Quartalsende."),
    ("zh/nianjia.md", "# 年假\n\n员工每年享有十天带薪年假。未休的年假可以顺延到下一年。\n"),
    ("prices.md", "# Prices of parking\n\n| place | a month |\n|---|---|\n| garage | 90 € |\n"),
    ("it/vpn.md", "# Remote access\n\nStart the tunnel like this:\n\n    tunnel --up\n\n    tunnel --status\n\n"),
];

/// The body of an answer, and its events.
async fn body(local: &Local, turns: &[(Speaker, &str)]) -> (Vec<u8>, Vec<Value>) {
    let turns = turns.iter().map(|(speaker, text)| ChatMessage::new(*speaker, *text)).collect();
    let reply = local.ask(Ask::new(turns)).await.expect("a reply");
    let parts: Vec<_> = native::parts(reply).try_collect().await.expect("a whole reply");
    let bytes: Vec<u8> = parts.into_iter().flat_map(native::bytes).collect();
    let text = std::str::from_utf8(&bytes).expect("text");
    let events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.map(|event| serde_json::from_str(event).expect("JSON")).collect();
    (bytes, events)
}

fn text_of(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["delta"].as_str()).collect()
}

fn sources_of(events: &[Value]) -> Vec<Value> {
    events[0]["sources"].as_array().cloned().unwrap_or_default()
}

async fn handbook() -> (TempDir, Local) {
    let folder = folder(HANDBOOK);
    let library = library(&folder).await;
    (folder, Local::new(library, options(), clock()))
}

fn options() -> LocalOptions {
    LocalOptions { pace: Duration::ZERO, ..LocalOptions::default() }
}

async fn said(local: &Local, turns: &[(Speaker, &str)]) -> String {
    text_of(&body(local, turns).await.1)
}

#[tokio::test]
async fn an_answer_is_sentences_of_documents_with_one_marker_behind_those_of_a_passage() {
    let (_folder, local) = handbook().await;
    let (bytes, events) = body(&local, &[(Speaker::User, "How many days of annual leave do employees get?")]).await;
    assert_eq!(
        text_of(&events),
        "This is what the documents say:\n\nEmployees of Contoso get **30 days** of annual leave. Unused leave expires \
         after one year. The canteen is elsewhere. [1]"
    );
    let sources = sources_of(&events);
    assert_eq!(sources[0]["title"], "Leave policy");
    assert_eq!(sources[0]["filepath"], "hr/leave.md");
    assert_eq!(sources[0]["metadata"]["heading"], "Leave policy > Annual leave");
    assert!(sources.iter().all(|source| source["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score))));
    assert_eq!(events.last(), Some(&json!({"done": true})));
    let converted = convert(&bytes, &Conversion::to(Dialect::WebChat)).expect("an activity");
    assert!(converted.report.complete);
    assert_eq!(converted.report.cited.len(), 1);
    let text = said(&local, &[(Speaker::User, "annual leave in days")]).await;
    assert!(text.contains("**30 days** of annual leave.") && text.contains("annual leave is 32 days."), "{text}");
    assert_eq!(text.matches(" [").count(), 2, "{text}");
}

#[tokio::test]
async fn questions_in_german_and_chinese_are_answered_in_their_words() {
    let (_folder, local) = handbook().await;
    assert_eq!(
        said(&local, &[(Speaker::User, "Wie lang sind die Kuendigungsfristen, also die Kündigungsfristen?")]).await,
        "This is what the documents say:\n\nDie Kündigungsfrist beträgt drei Monate. Sie endet am Quartalsende. [1]"
    );
    let chinese = said(&local, &[(Speaker::User, "年假有多少天？")]).await;
    assert!(chinese.contains("员工每年享有十天带薪年假。 未休的年假可以顺延到下一年。 [1]"), "{chinese}");
}

#[tokio::test]
async fn a_link_becomes_its_text_and_a_row_or_the_code_behind_a_sentence_is_quoted() {
    let (_folder, local) = handbook().await;
    let text = said(&local, &[(Speaker::User, "How long is parental leave?")]).await;
    assert!(text.contains("Parents take 16 weeks of parental leave. [1]"), "{text}");
    let (_, events) = body(&local, &[(Speaker::User, "What are the prices of parking in the garage?")]).await;
    assert_eq!(text_of(&events), "This is what the documents say:\n\n- garage – 90 € [1]");
    assert_eq!(sources_of(&events)[0]["content"], "| place | a month |\n|---|---|\n| garage | 90 € |");
    assert_eq!(
        said(&local, &[(Speaker::User, "How do I start the tunnel for remote access?")]).await,
        "This is what the documents say:\n\nStart the tunnel like this: [1]\n\n```\ntunnel --up\n\ntunnel --status\n```"
    );
    let code = folder(&[("proxy.md", "# Proxy\n\n```\nexport proxy=x\n```\n")]);
    let local = Local::new(library(&code).await, options(), clock());
    let (_, events) = body(&local, &[(Speaker::User, "proxy?")]).await;
    assert_eq!(text_of(&events), "These passages fit the question best: [1]");
    assert_eq!(sources_of(&events)[0]["content"], "```\nexport proxy=x\n```");
}

/// Asks a library of these files.
async fn asked(files: &[(&str, &str)], question: &str) -> String {
    let folder = folder(files);
    let local = Local::new(library(&folder).await, options(), clock());
    said(&local, &[(Speaker::User, question)]).await
}

#[tokio::test]
async fn the_passage_that_fits_best_comes_first_wherever_it_stands_and_alone_where_others_hardly_fit() {
    let manual = [(
        "manual.md",
        "# Manual\n\n## Going on vacation\n\nA package waits while its maintainer is on vacation.\n\n\
         ## Reports\n\nSomebody may orphan a report.\n\n\
         ## Orphaning a package\n\nTo orphan a package, set its maintainer to the group. The orphaned package is then listed.\n",
    )];
    let text = asked(&manual, "How do I orphan a package?").await;
    let first = text.split("\n\n").nth(1).expect("a quote");
    assert!(first.starts_with("To orphan a package, set its maintainer"), "{text}");
    assert!(!text.contains("vacation"), "{text}");
}

#[tokio::test]
async fn a_list_is_quoted_below_the_sentence_that_leads_to_it() {
    let house = [(
        "house.md",
        "# House\n\nTo paint the walls, tenants do this:\n\n1. Ask the owner for a permit.\n2. Wait for 21 days.\n\n\
         The bins are emptied on Monday, and the yard is swept by the tenants in turn, each of them for a week of the month.\n",
    )];
    assert_eq!(
        asked(&house, "How do tenants paint the walls?").await.split("The bins").next(),
        Some(
            "This is what the documents say:\n\nTo paint the walls, tenants do this:\n\n1. Ask the owner for a permit.\n\n2. \
             Wait for 21 days.\n\n"
        )
    );
    let idle = [("house.md", "# House\n\nTo paint the walls, tenants do this:\n\n```\npaint\n")];
    assert_eq!(asked(&idle, "How do tenants paint the walls?").await, "These passages fit the question best: [1]");
}

#[tokio::test]
async fn steps_are_quoted_as_a_whole_with_their_numbers() {
    let rules = [(
        "rules.txt",
        "Rules of the house\n\n1. Pets need a permit.\n2. Be quiet.\n3. After the 21 days delay, tenants may paint\n   the walls blue.\n",
    )];
    assert_eq!(
        asked(&rules, "When may tenants paint the walls?").await,
        "This is what the documents say:\n\n1. Pets need a permit.\n\n2. Be quiet.\n\n3. After the 21 days delay, tenants may \
         paint the walls blue. [1]"
    );
    let steps: String = (1..=11).map(|step| format!("{step}. Press button {step}. It gets green.\n")).collect();
    let printer = format!("# Printer\n\nTo clean the printer, do this:\n\n{steps}\nThe office is red.\n");
    let text = asked(&[("printer.md", &printer)], "How do I clean the printer?").await;
    for step in 1..=6 {
        assert!(text.contains(&format!("\n\n{step}. Press button {step}. It gets green.")), "{text}");
    }
    let text = asked(
        &[
            ("a.md", "# Doors\n\nTo open the door:\n\n1. Turn the key.\n2. Push the door.\n"),
            ("b.md", "# Gates\n\nTo open the door of the gate:\n\n1. Ring the bell.\n2. Wait for the door.\n"),
        ],
        "How do I open the door?",
    )
    .await;
    assert!(text.contains("\n\n1. Turn the key.") && text.contains("\n\n1) Ring the bell."), "{text}");
}

#[tokio::test]
async fn questions_on_a_small_folder_are_answered_in_other_forms_of_their_words_and_others_are_declined() {
    let reports = [
        (
            "q3.md",
            "# Q3 report\n\n## Results\n\nRevenue grew 15 % in Q3.\n\n## Guidance\n\nRevenue will stay as it is in Q4.\n",
        ),
        ("staff.md", "# Staff\n\nThe company has 80 people, and Q3 brought ten of them.\n"),
    ];
    let text = asked(&reports, "How did revenue grow in Q3?").await;
    assert!(text.starts_with("This is what the documents say:\n\nRevenue grew 15 % in Q3. [1]"), "{text}");
    let text = asked(&reports, "What is the outlook on revenue for Q4?").await;
    assert!(text.starts_with("This is what the documents say:\n\nRevenue will stay as it is in Q4. [1]"), "{text}");
    for question in ["Who painted the Mona Lisa?", "How many people live in Spain?", "When did the Roman Empire fall?"]
    {
        assert_eq!(asked(&reports, question).await, "The documents say nothing about this.", "{question}");
    }
}

#[tokio::test]
async fn where_the_documents_say_nothing_the_answer_says_so_and_required_grounding_refuses_it() {
    let (_folder, local) = handbook().await;
    for question in ["How many moons does Mars have?", "", "What?", "\"*\" OR (", "火星有几个月亮？"] {
        let (bytes, events) = body(&local, &[(Speaker::User, question)]).await;
        assert_eq!(text_of(&events), "The documents say nothing about this.", "{question}");
        assert_eq!(sources_of(&events), [] as [Value; 0]);
        let mut conversion = Conversion::to(Dialect::WebChat);
        assert_eq!(convert(&bytes, &conversion).expect("an activity").report.cited, []);
        conversion.options.require_grounding = Grounding::Any;
        assert!(convert(&bytes, &conversion).is_err());
    }
}

#[tokio::test]
async fn a_short_question_leans_on_the_one_before_it() {
    let (_folder, local) = handbook().await;
    let before = (Speaker::User, "How many days of annual leave do employees get?");
    let answered = (Speaker::Assistant, "Employees get 30 days.");
    let text = said(&local, &[before, answered, (Speaker::User, "And in Germany?")]).await;
    assert_eq!(
        text,
        "This is what the documents say:\n\nIn Germany the annual leave is 32 days. Public holidays come on top of it. [1]"
    );
    let text = said(&local, &[before, answered, (Speaker::User, "And why is that?")]).await;
    assert!(text.contains("**30 days**"), "{text}");
    let text = said(&local, &[before, answered, (Speaker::User, "Kündigungsfrist?")]).await;
    assert!(text.contains("drei Monate") && !text.contains("30 days"), "{text}");
    let text = said(&local, &[before, answered, (Speaker::User, "And on Mars?")]).await;
    assert_eq!(text, "The documents say nothing about this.");
}

#[tokio::test]
async fn an_answer_appears_word_by_word_at_its_pace() {
    let folder = folder(HANDBOOK);
    let clock = clock();
    let start = clock.now();
    let local = Local::new(library(&folder).await, LocalOptions::default(), Arc::clone(&clock) as Arc<dyn Clock>);
    let (_, events) = body(&local, &[(Speaker::User, "Kündigungsfrist")]).await;
    let words = events.iter().filter(|event| event["delta"].is_string()).count();
    assert_eq!(words, text_of(&events).split(' ').count());
    assert_eq!((clock.now() - start).num_milliseconds(), 15 * i64::try_from(words).expect("a number"));
}

#[tokio::test]
async fn an_answer_that_nobody_sees_growing_waits_for_no_pace() {
    let folder = folder(HANDBOOK);
    let clock = clock();
    let start = clock.now();
    let local = Local::new(library(&folder).await, LocalOptions::default(), Arc::clone(&clock) as Arc<dyn Clock>);
    let mut ask = Ask::new(vec![ChatMessage::new(Speaker::User, "Kündigungsfrist")]);
    ask.at_once = true;
    let parts: Vec<_> = native::parts(local.ask(ask).await.expect("a reply")).try_collect().await.expect("all of it");
    assert!(parts.len() > 10, "it comes word by word all the same");
    assert_eq!(clock.now(), start);
}

#[tokio::test]
async fn documents_without_an_address_get_that_of_the_link_mode() {
    let folder = folder(HANDBOOK);
    let library = library(&folder).await;
    let server = "https://bot.example/".parse().expect("an address");
    let key = DownloadKey::new(&Secret::parse("the-secret-of-these-tests").expect("a secret"));
    let signed: Arc<dyn PublicLinks> =
        Arc::new(SignedLinks::new(key, "https://bot.example/".parse().expect("an address"), chrono::Duration::days(1)));
    let clock = clock() as Arc<dyn Clock>;
    for (mode, part) in [
        (LinkMode::None, None),
        (LinkMode::Authenticated, Some("/download")),
        (LinkMode::Public, Some("/download?expires=")),
    ] {
        let links = mode.links("hr", &server, &signed, &clock);
        let local = Local::new(Arc::clone(&library), options(), Arc::clone(&clock)).with_links(links);
        let (bytes, events) = body(&local, &[(Speaker::User, "annual leave in Germany")]).await;
        let converted = convert(&bytes, &Conversion::to(Dialect::WebChat)).expect("an activity");
        let text = converted.activities[converted.activities.len() - 1].text.clone().unwrap_or_default();
        for source in sources_of(&events) {
            let url = source["url"].as_str();
            assert_eq!(url.is_some(), part.is_some(), "{source}");
            if let (Some(url), Some(part)) = (url, part) {
                assert!(url.starts_with("https://bot.example/v1/documents/hr.") && url.contains(part), "{url}");
                assert!(text.contains(url), "{text}");
            }
        }
    }
}

/// The visible text of Markdown, in this test's own reading.
fn seen(markdown: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
    let mut text = String::new();
    for event in Parser::new_ext(markdown, options) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is not seen")]
        match event {
            Event::Text(part) => text.push_str(&part),
            // A bracket in code is no marker.
            Event::Code(part) => text.push_str(&part.replace('[', "⟦")),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(end) if format!("{end:?}").starts_with(['P', 'H', 'I', 'C', 'T']) => text.push(' '),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of the blocks of code in an answer, and the answer without them.
fn without_code(text: &str) -> (Vec<String>, String) {
    let code = regex::Regex::new(r"(?s)\n\n(`{3,})[^\n`]*\n(.*?)\n`{3,}").expect("an expression");
    let lines = code.captures_iter(text).flat_map(|found| found[2].lines().map(str::to_owned).collect::<Vec<_>>());
    (lines.collect(), code.replace_all(text, "").into_owned())
}

/// The text with one blank in place of the dash between two cells, and without spaces of no width: one may end a sentence behind its
/// mark, before one that is left out.
fn comparable(text: &str) -> String {
    text.replace(" – ", " ").replace('\u{200b}', "")
}

/// Whether words stand in a passage: together, or parted where one of them ends a sentence, and then in their order. A quote leaves out
/// what says nothing, such as a price alone, and then two sentences look like one.
fn stands_in(words: &str, passage: &str) -> bool {
    let parted = || {
        words.match_indices(['.', '!', '?']).any(|(at, mark)| {
            let (first, rest) = words.split_at(at + mark.len());
            let rest = rest.trim_start();
            let behind = passage.split_once(first).map(|(_, behind)| behind);
            !rest.is_empty() && behind.is_some_and(|behind| stands_in(rest, behind))
        })
    };
    passage.contains(words) || parted()
}

#[test]
fn words_stand_in_a_passage_together_or_sentence_by_sentence_in_their_order() {
    let passage = "One is here. $5 two is there! three";
    for words in ["is here. $5 two", "One is here. two is there!", "One is here. three"] {
        assert!(stands_in(words, passage), "{words}");
    }
    for words in ["two is there! One is here.", "One is there!", "One is three", "One is here. One is here."] {
        assert!(!stands_in(words, passage), "{words}");
    }
}

/// The sentences of an answer with the number behind the paragraphs in which they stand.
fn sentences(text: &str) -> Vec<(String, usize)> {
    let marker = regex::Regex::new(r" \[(\d+)\]$").expect("an expression");
    let (mut sentences, mut waiting) = (Vec::new(), Vec::new());
    for paragraph in text.split("\n\n").skip(1).map(seen) {
        let number = marker.captures(&paragraph).map(|found| found[1].parse().expect("a number"));
        let said = marker.replace(&paragraph, "");
        waiting.extend(said.unicode_sentences().map(|sentence| sentence.trim().to_owned()));
        if let Some(number) = number {
            sentences.extend(waiting.drain(..).map(|sentence| (sentence, number)));
        }
    }
    assert!(waiting.is_empty(), "what stands behind the last marker is from no document: {waiting:?}");
    sentences
}

/// Pieces of Markdown, and texts that could be taken for a citation.
const PIECES: &[&str] = &[
    "The item is here. ",
    "A second item was there! ",
    "Is that item a word? ",
    "word item ",
    "Item *one* ",
    "**item** ",
    "`item` ",
    "[item link](a.md) ",
    "[item](https://x.example/) ",
    "<https://item.example/> ",
    "[1] ",
    "[item] ",
    "\\[2\\] ",
    "【1】 ",
    "[^1] ",
    "![item](i.png) ",
    "<b>item</b> ",
    "<!-- ",
    "\n",
    "  \n",
    "\\\n",
    "\n\n",
    "\n\n# Item heading\n\n",
    "\n\n## *Other*\n\n",
    "\n- item ",
    "\n  - [ ] task item ",
    "\n1. item ",
    "\n> item ",
    "\n\n| item | b |\n|---|---|\n| c | d |\n\n",
    "\n\n```\nitem code\n```\n\n",
    "\n\n    item code\n\n",
    "*",
    "**",
    "_",
    "__",
    "`",
    "``",
    "~",
    "~~",
    "$",
    "$x",
    "$5 ",
    "\\",
    "<",
    "<i",
    ">",
    "|",
    ":",
    ". ",
    "! ",
    "。",
    "年假 item 。",
    "item ü. ",
    "&amp; ",
    "&#91;1&#93; ",
    "[1]: https://x.example/ \"t\"\n",
    "\n\n[item]: https://x.example/\n\n",
    "\n\n---\n\n",
    "---\nitem: x\n---\n",
    "e.g. item. ",
    "Dr. Item said so. ",
    "\u{200b}",
    "\u{e200}cite\u{e201}",
    "http://item.example/a_b_c. ",
    "(",
    ")",
    "](",
    "\t",
    "\u{0}",
    "[[item]]",
    "item[1](x) ",
    "https://x.example/\u{202e} ",
    "Sources:\n",
    "\n\nItem references:\n\n1. item one of these\n",
];

proptest! {
    #[test]
    fn whatever_the_documents_hold_each_sentence_of_an_answer_is_in_the_passage_that_it_cites(
        documents in proptest::collection::vec(proptest::collection::vec(proptest::sample::select(PIECES), 1..40), 1..3),
        plain in any::<bool>(),
        question in proptest::sample::select(&["item", "word item one", "what is said of the second item?", "年假", "link code heading item"][..]),
    ) {
        let files: Vec<(String, String)> = documents
            .iter()
            .enumerate()
            .map(|(at, pieces)| (format!("{at}.{}", if plain { "txt" } else { "md" }), pieces.concat()))
            .collect();
        let folder = folder(&files);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (bytes, events) = runtime.block_on(async {
            let local = Local::new(library(&folder).await, options(), clock());
            body(&local, &[(Speaker::User, question)]).await
        });
        let (text, sources) = (text_of(&events), sources_of(&events));
        let (code, prose) = without_code(&text);
        for (sentence, number) in sentences(&prose) {
            let passage = sources[number - 1]["content"].as_str().expect("a passage");
            prop_assert!(stands_in(&comparable(&sentence), &comparable(&seen(passage))), "{sentence:?} is not in {passage:?}");
        }
        let passages: Vec<&str> = sources.iter().filter_map(|source| source["content"].as_str()).collect();
        for line in code {
            prop_assert!(passages.iter().any(|passage| passage.contains(&line)), "{line:?} is in none of {passages:?}");
        }
        let converted = convert(&bytes, &Conversion::to(Dialect::WebChat)).expect("an activity");
        let report = &converted.report;
        prop_assert_eq!(report.cited.len(), sources.len(), "{}", text);
        // Harmful text of a document is in its passage as well, and is made harmless there. Invisible letters are part
        // of the sentence as the document has it, and go where the text is written.
        let in_text =
            report.neutralised.iter().filter(|entry| entry.at.offset().is_some() && entry.code != "unseen").count();
        let written = converted.activities.last().and_then(|message| message.text.as_deref()).unwrap_or_default();
        prop_assert!(!written.contains('\u{202e}'), "{}", written);
        prop_assert!(report.unresolved.is_empty() && in_text == 0, "{} {:?}", text, report);
    }
}

#[test]
fn no_question_fails() {
    let words = r#"(leave|NEAR|AND|OR|NOT|title:|"|\*|\(){0,8}"#;
    let question =
        proptest::string::string_regex(&format!("[^\\n]{{0,60}}|[\"*()^:{{}}+\\-, a-zA-Z年假ü\u{0}]{{0,40}}|{words}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (_folder, local) = runtime.block_on(handbook());
    let mut runner =
        TestRunner::new(ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(2_000) });
    let outcome = runner.run(&question.expect("an expression"), |question| {
        let (events, asked_before) = runtime.block_on(async {
            let alone = body(&local, &[(Speaker::User, &question)]).await.1;
            (alone, body(&local, &[(Speaker::User, "annual leave"), (Speaker::User, &question)]).await.1)
        });
        for events in [events, asked_before] {
            prop_assert_eq!(events.last(), Some(&json!({"done": true})));
            prop_assert!(!text_of(&events).is_empty());
        }
        Ok(())
    });
    outcome.expect("every question is answered");
}
