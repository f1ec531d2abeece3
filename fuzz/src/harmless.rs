//! Nothing in a text can load, lead astray or act.

use citewire_core::url::WebUrl;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::engines::{self, Drawn};

/// What Web Chat knows besides CommonMark.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Panics when the text, read as Markdown, holds an image of another host than `x`, HTML that acts, or a link that is
/// neither http, https nor mailto, nor one to a passage, which only a text with definitions has.
pub fn check_harmless(text: &str, images: bool, definitions: bool) {
    // To this parser they are blanks, or part of an address; to the specification and the engines of Web Chat they are not.
    if text.contains(['\u{b}', '\u{c}', '\u{7f}']) {
        return;
    }
    let allowed = Allowed { images, definitions };
    let text = with_line_feeds(text);
    if let Some(harm) = allowed.harm(&text) {
        // It takes a tab for a part of a value without quotes, and reads other tables than the engines of Web Chat.
        let may_differ = may_hold_table(&text) || text.contains('\t') && text.contains('=');
        let harm = if may_differ { allowed.harm_to_engines(&text) } else { Some(harm) };
        assert!(harm.is_none(), "{}\n{text:?}", harm.unwrap_or_default());
    }
}

/// What a text may hold besides links to the web.
#[derive(Clone, Copy)]
struct Allowed {
    images: bool,
    definitions: bool,
}

impl Allowed {
    fn harm(self, text: &str) -> Option<String> {
        let mut html = String::new();
        for event in Parser::new_ext(text, OPTIONS) {
            match event {
                Event::Html(source) | Event::InlineHtml(source) => {
                    html.push_str(&source);
                    continue;
                }
                _ => {}
            }
            let harm = harm_of_html(&std::mem::take(&mut html)).or_else(|| match event {
                Event::Start(Tag::Image { dest_url, .. }) => self.harm_of_image(&dest_url),
                Event::Start(Tag::Link { link_type, dest_url, .. }) if link_type != LinkType::Email => {
                    self.harm_of_link(&dest_url)
                }
                _ => None,
            });
            if harm.is_some() {
                return harm;
            }
        }
        harm_of_html(&html)
    }

    fn harm_to_engines(self, text: &str) -> Option<String> {
        // What is peculiar to markdown-it matters in Web Chat alone.
        let engines: &[&str] = if self.definitions { &["markdown-it", "micromark-gfm"] } else { &["micromark-gfm"] };
        engines::draw(text, engines).iter().find_map(|drawn| match drawn {
            Drawn::Link(url) => self.harm_of_link(url),
            Drawn::Image(url) => self.harm_of_image(url),
            Drawn::Html(html) => harm_of_html(html),
        })
    }

    fn harm_of_image(self, url: &str) -> Option<String> {
        (!self.images || !has_host(url, "x")).then(|| format!("an image of {url:?}"))
    }

    fn harm_of_link(self, url: &str) -> Option<String> {
        let scheme = url.split_once(':').map_or(String::new(), |(scheme, _)| scheme.to_ascii_lowercase());
        let is_passage = self.definitions && scheme == "cite";
        let harms = !is_passage && !["http", "https", "mailto"].contains(&scheme.as_str());
        harms.then(|| format!("a link to {url:?}"))
    }
}

/// Whether a line looks like the one under the head of a table.
fn may_hold_table(text: &str) -> bool {
    text.lines().any(may_be_delimiters)
}

fn may_be_delimiters(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || c == '>');
    line.contains('-') && line.contains(['|', ':']) && line.trim_matches(['|', ':', '-', ' ', '\t']).is_empty()
}

/// Engines of Web Chat begin with this; to this parser a lone carriage return is not always the end of a line.
pub(crate) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn has_host(url: &str, host: &str) -> bool {
    url.parse::<WebUrl>().is_ok_and(|url| url.host() == host)
}

fn harm_of_html(html: &str) -> Option<String> {
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
        if !HARMLESS.contains(&name.as_str()) {
            return Some(format!("the HTML {html:?}"));
        }
        let attributes = tag.trim_start_matches('/').strip_prefix(name.as_str()).unwrap_or_default();
        let attributes = attributes.split_once('>').map_or(attributes, |(attributes, _)| attributes);
        if !attributes.trim_matches(['/', ' ', '\t', '\r', '\n']).is_empty() {
            return Some(format!("attributes in {html:?}"));
        }
    }
    None
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
