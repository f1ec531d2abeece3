//! Rewritten answers as another Markdown engine reads them: properties over generated Markdown, markers and sources.
//!
//! The judge is comrak, which shares no code with the parser that the rewrite uses.
#![expect(clippy::wildcard_enum_match_arm, reason = "of all that an engine reports, few kinds matter here")]

use citewire::convert::{Conversion, convert};
use citewire::dialect::Dialect;
use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Pieces that have made rewriters stumble.
const PIECES: &[&str] = &[
    "[1]",
    "[2]",
    "[3]",
    "[9]",
    "[doc1]",
    "[doc9]",
    "[1, 2]",
    "[1-3]",
    "[^1^]",
    "[^2]",
    "【1】",
    "【4:0†a】",
    "【3†c.pdf】",
    "[[1]](https://evil.example)",
    "[1](https://evil.example)",
    "[2](2024)",
    "[text][1]",
    "[text](https://ok.example)",
    "![alt](https://evil.example/i.png)",
    "[1]: https://evil.example\n",
    "\n\n[2]: https://evil.example \"t\"\n",
    "\n[foo]: https://ok.example 'x'\n",
    "[foo]",
    "[a][foo]",
    "`",
    "``",
    "```",
    "\n```\n",
    "\n~~~\n",
    "*",
    "**",
    "_",
    "~~",
    "\\",
    "\\[1\\]",
    "!",
    "(",
    ")",
    "[",
    "]",
    ":",
    "<",
    ">",
    "<b>",
    "</b>",
    "<br>",
    "<div>",
    "\n<div>\n",
    "<!--",
    "-->",
    "<script>",
    "<img src=x>",
    "<https://ok.example/[1]>",
    "<javascript:x>",
    "[x](javascript:y)",
    "\n",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n> ",
    "\n    ",
    "\n# ",
    "\n---\n",
    "\n===\n",
    "| a | b |\n|---|---|\n| ",
    " | ",
    " ",
    "  \n",
    "\t",
    "\r\n",
    "word",
    "Word.",
    "1",
    "a[1]",
    "é",
    "😀",
    "日本",
    "&amp;",
    "&#91;",
    "&copy",
    "![x](https://evil.example/q [doc9])",
    "<img src=y [1, 2]>",
    "(https://ok.example [doc9])",
    "{aria-label=\"x\"}",
    "https://ok.example/a[1]",
    "www.ok.example",
];

fn sources() -> Value {
    json!([
        {"title": "A \"quoted\" & <b>", "url": "https://src.example/a (1)"},
        {"title": "B", "content": "passage ![x](https://evil.example/y)"},
        {"title": "C", "url": "https://src.example/c", "filepath": "c.pdf", "marker": "【4:0†a】"},
    ])
}

fn cited(text: &str) -> Value {
    let body = json!({"text": text, "sources": sources()}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
    serde_json::to_value(&converted.activities[0]).expect("JSON")
}

/// The content of a text for its reader: the links with their texts, the images, the HTML, the visible text.
#[derive(Debug, Default)]
struct Read {
    links: Vec<(String, String)>,
    images: usize,
    html: String,
    text: String,
    code: String,
}

/// The reading of the parser behind the rewrite for code, HTML and links, to tell where engines disagree about
/// Markdown.
fn read_by_pulldown(markdown: &str) -> (String, String, usize) {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let (mut code, mut html, mut links, mut in_code) = (String::new(), String::new(), 0, false);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Code(text) => code.push_str(&text),
            Event::Text(text) if in_code => code.push_str(&text),
            Event::Html(text) | Event::InlineHtml(text) => html.push_str(&text),
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => links += 1,
            _ => {}
        }
    }
    (code, html, links)
}

fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether both engines read the same code, HTML and links in a text.
fn engines_agree(markdown: &str) -> bool {
    let (code, html, links) = read_by_pulldown(markdown);
    let read = read(markdown);
    letters(&code) == letters(&read.code)
        && letters(&html) == letters(&read.html)
        && links == read.links.len() + read.images
}

fn read(markdown: &str) -> Read {
    let arena = Arena::new();
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    let mut read = Read::default();
    for node in parse_document(&arena, markdown, &options).descendants() {
        match &node.data.borrow().value {
            NodeValue::Link(link) => {
                let text: String = node
                    .descendants()
                    .filter_map(|inner| match &inner.data.borrow().value {
                        NodeValue::Text(text) => Some(text.to_string()),
                        _ => None,
                    })
                    .collect();
                read.links.push((text, link.url.clone()));
            }
            NodeValue::Image(_) => read.images += 1,
            NodeValue::Code(code) => read.code.push_str(&code.literal),
            NodeValue::CodeBlock(block) => read.code.push_str(&block.literal),
            NodeValue::HtmlBlock(block) => read.html.push_str(&block.literal),
            NodeValue::HtmlInline(tag) => read.html.push_str(tag),
            NodeValue::Text(text) => read.text.push_str(text),
            _ => {}
        }
    }
    read
}

/// Whether the engine leaves out what is around the badges with this number: cells of a table that has no column for them.
fn is_left_out(text: &str, position: &str) -> bool {
    let body = text.rsplit_once("\n\n[1]: ").map_or(text, |(body, _)| body);
    let Read { text, code, html, .. } = read(&body.replace(&format!("[{position}]"), "MARKED"));
    ![text, code, html].iter().any(|part| part.contains("MARKED"))
}

#[test]
fn a_cell_without_a_column_is_left_out_by_the_engine() {
    let row = |cells: &str| format!("| a | b |\n|---|---|\n{cells}\n\n[1]: https://x.example");
    assert!(is_left_out(&row("| c | d | [1] |"), "1") && !is_left_out(&row("| c | [1] |"), "1"));
}

/// Whether a line that is indented like code stands right behind what may be a row of a table.
fn may_end_in_code(text: &str) -> bool {
    let is_indented = |line: &str| line.contains("    ") || line.contains('\t');
    text.lines().zip(text.lines().skip(1)).any(|(row, line)| row.contains('|') && is_indented(line))
}

/// 2,000 cases, or as many as `PROPTEST_CASES` says; a fifth of them may be answers that the engines read in two ways.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    ProptestConfig { cases, max_global_rejects: cases / 5, ..ProptestConfig::default() }
}

/// The HTML without its comments, as a browser finds them: `<!-->` is one, and `<!--` in one is nothing.
fn without_comments(html: &str) -> String {
    let mut kept = String::new();
    let mut rest = html;
    while let Some((before, behind)) = rest.split_once("<!--") {
        kept.push_str(before);
        let closed_at_once = [">", "->"].iter().find_map(|end| behind.strip_prefix(end));
        let closed = || behind.split_once("-->").map_or("", |(_, behind)| behind);
        rest = closed_at_once.unwrap_or_else(closed);
    }
    kept + rest
}

#[test]
fn a_comment_ends_where_a_browser_ends_it() {
    for (html, kept) in
        [("a<!-- b -->c", "ac"), ("<!--<script><!-->d", "d"), ("<!--><script>", "<script>"), ("a<!-- b", "a")]
    {
        assert_eq!(without_comments(html), kept, "{html}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn another_engine_reads_every_badge_as_a_link_to_its_source_and_nothing_harmful(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..14)
    ) {
        // comrak stops resolving links when their addresses outweigh the text, so the text is given some weight.
        let given = format!("{}\n\n{}", "w\n".repeat(400), pieces.concat());
        prop_assume!(engines_agree(&given), "the engines read the answer itself in two ways");
        prop_assume!(!may_end_in_code(&given), "Web Chat ends a table at indented code, this engine does not");
        let activity = cited(&given);
        let text = activity["text"].as_str().expect("a text");
        let read = read(text);
        prop_assert_eq!(read.images, 0, "an image in {:?}", text);
        // Comments are neither drawn nor run.
        let html = without_comments(&read.html);
        let html = html.to_lowercase();
        for harm in ["<img", "<script", "<button", "<a "] {
            prop_assert!(!html.contains(harm), "{} in {:?}", harm, text);
        }
        let empty = Vec::new();
        let claims = activity["entities"][0]["citation"].as_array().unwrap_or(&empty);
        for claim in claims {
            let position = claim["position"].as_str().expect("a position").to_owned();
            let url = claim["appearance"]["url"].as_str().map_or_else(|| format!("cite:{position}"), str::to_owned);
            let is_badge = read.links.contains(&(position.clone(), url));
            prop_assert!(
                is_badge || is_left_out(text, &position),
                "no badge for {} in {:?}: {:?}", claim, text, read.links
            );
        }
        for (label, url) in &read.links {
            prop_assert!(!url.starts_with("javascript"), "{} in {:?}", url, text);
            if let Some(claim) = claims.iter().find(|claim| claim["position"] == **label) {
                let expected = claim["appearance"]["url"].as_str().map_or_else(|| format!("cite:{label}"), str::to_owned);
                prop_assert_eq!(url, &expected, "the badge {} was moved in {:?}", label, text);
            }
        }
        prop_assert!(!read.text.contains("]: https://src.example"), "a definition is visible in {:?}", text);
    }
}

/// Text that a rewriter could be slow or lost in: it answers, and every byte is accounted for.
#[test]
fn hostile_texts_of_a_megabyte_are_converted() {
    let many = |piece: &str| piece.repeat(1_000_000 / piece.len());
    for piece in [
        "[",
        "]",
        "[1]",
        "`",
        "[1](",
        "![",
        "<",
        "<b ",
        "> ",
        "- ",
        "*",
        "_a",
        "[a]: b\n",
        "[1]: b\n\n",
        "\\",
        "(",
        "【",
        "|",
        "&",
        "[doc9] ",
        "[9]",
    ] {
        let activity = cited(&many(piece));
        assert!(activity["text"].is_string(), "{piece:?}");
    }
}

#[test]
fn ten_thousand_sources_and_a_hundred_thousand_markers_are_converted() {
    let sources: Vec<Value> =
        (0..10_000).map(|n| json!({"title": format!("T{n}"), "url": format!("https://src.example/{n}"), "label": {"id": "s", "name": n.to_string()}})).collect();
    let text: String = (0..100_000).map(|n| format!("w[{}] ", n % 10_000 + 1)).collect();
    let body = json!({"text": text, "sources": sources}).to_string();
    let converted = convert(body.as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
    let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
    assert_eq!(activity["entities"][0]["citation"].as_array().map(Vec::len), Some(10_000));
    assert!(activity["text"].as_str().expect("a text").ends_with("[10000]: https://src.example/9999 \"T9999\""));
}
