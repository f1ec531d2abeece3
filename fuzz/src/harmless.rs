//! Nothing in a text can load, lead astray or act.

use citewire::url::WebUrl;
use comrak::nodes::NodeValue;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

/// What Web Chat knows besides CommonMark.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Panics when the text, read as Markdown, holds an image of another host than `x`, HTML that acts, or a link that is
/// neither http, https nor mailto, nor one to a passage.
pub fn check_harmless(text: &str, images: bool, passages: bool) {
    // To this parser they are blanks, or part of an address; to the specification and the engines of Web Chat they are not.
    if text.contains(['\u{b}', '\u{c}', '\u{7f}']) {
        return;
    }
    let mut html = String::new();
    for event in Parser::new_ext(&with_line_feeds(text), OPTIONS) {
        match event {
            Event::Html(source) | Event::InlineHtml(source) => {
                html.push_str(&source);
                continue;
            }
            Event::Start(Tag::Link { link_type: LinkType::Email, .. }) => {}
            Event::Start(Tag::Image { dest_url, .. }) => {
                let harms = |url: &str| !(images && has_host(url, "x"));
                assert!(!harms(&dest_url) || is_a_table_for_others(text, harms), "an image of {dest_url}\n{text:?}");
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let harms = |url: &str| {
                    let scheme = url.split_once(':').map_or(String::new(), |(scheme, _)| scheme.to_ascii_lowercase());
                    let is_passage = passages && scheme == "cite";
                    !is_passage && !["http", "https", "mailto"].contains(&scheme.as_str())
                };
                assert!(!harms(&dest_url) || is_a_table_for_others(text, harms), "a link to {dest_url:?}\n{text:?}");
            }
            _ => {}
        }
        if !html.is_empty() {
            check_html(&html, text);
            html.clear();
        }
    }
    check_html(&html, text);
}

/// Whether this parser alone sees a link over the cells of a table. To it, a table begins with its paragraph; to the engines
/// of Web Chat, and to comrak, also with a later line of one.
fn is_a_table_for_others(text: &str, harms: impl Fn(&str) -> bool) -> bool {
    let is_delimiters = |line: &str| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '>');
        line.contains('-') && line.contains(['|', ':']) && line.trim_matches(['|', ':', '-', ' ', '\t']).is_empty()
    };
    let text = with_line_feeds(text);
    if !text.lines().any(is_delimiters) {
        return false;
    }
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, &text, &options);
    !root.descendants().any(|node| match &node.data.borrow().value {
        NodeValue::Link(link) | NodeValue::Image(link) => harms(&link.url),
        _ => false,
    })
}

/// Engines of Web Chat begin with this; to this parser a lone carriage return is not always the end of a line.
pub(crate) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn has_host(url: &str, host: &str) -> bool {
    url.parse::<WebUrl>().is_ok_and(|url| url.host() == host)
}

fn check_html(html: &str, text: &str) {
    let shown: String = html
        .split("<!--")
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once("-->").map_or("", |(_, shown)| shown) })
        .collect();
    let shown = shown.to_ascii_lowercase();
    for tag in shown.split('<').skip(1) {
        let name = tag.strip_prefix("/").unwrap_or(tag);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || "!?".contains(c)) {
            continue;
        }
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(HARMLESS.contains(&name.as_str()), "the HTML {html:?}\n{text:?}");
        let attributes = tag.trim_start_matches('/').strip_prefix(name.as_str()).unwrap_or_default();
        let attributes = attributes.split_once('>').map_or(attributes, |(attributes, _)| attributes);
        assert!(attributes.trim_matches(['/', ' ', '\t', '\r', '\n']).is_empty(), "attributes in {html:?}\n{text:?}");
    }
}

/// Elements that may reach a reader, all of them without attributes.
const HARMLESS: [&str; 50] = [
    "abbr",
    "b",
    "blockquote",
    "br",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "var",
];
