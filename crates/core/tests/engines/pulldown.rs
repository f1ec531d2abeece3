//! The parser behind the rewrite, read like the other engines: to know where engines read an answer in two ways before
//! anything was done to it.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::flow::{Flow, Item};

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Reads a text as it is, but for the definitions of labels that a marker could mean: these define another label.
pub(super) fn read(markdown: &str, is_marker: impl Fn(&str) -> bool) -> Flow {
    let mut markdown = markdown.to_owned();
    // A duplicate takes effect when the first is gone.
    for pass in 0.. {
        let parser = Parser::new_ext(&markdown, OPTIONS);
        let definitions = parser.reference_definitions();
        let first = definitions.iter().find(|(label, _)| is_marker(label)).map(|(_, found)| found.span.start);
        let Some(at) = first else { break };
        markdown.insert_str(at + 1, &format!("no{pass}"));
    }
    events(&markdown)
}

/// A link or an image whose end has not come.
struct Open {
    text: String,
    url: String,
    title: String,
    image: bool,
}

fn events(markdown: &str) -> Flow {
    let mut flow = Flow::new();
    let mut open: Vec<Open> = Vec::new();
    let mut block: Option<String> = None;
    for event in Parser::new_ext(markdown, OPTIONS) {
        if let Some(code) = &mut block {
            match event {
                Event::Text(text) => code.push_str(&text),
                _ => flow.push(Item::Block(block.take().unwrap_or_default())),
            }
            continue;
        }
        let inside = open.last_mut();
        match (event, inside) {
            (Event::Text(text) | Event::Code(text) | Event::InlineHtml(text), Some(link)) => link.text.push_str(&text),
            (Event::SoftBreak | Event::HardBreak, Some(link)) => link.text.push('\n'),
            (Event::Text(text), None) => flow.push(Item::Text(text.to_string())),
            (Event::SoftBreak, None) => flow.push(Item::Text("\n".into())),
            (Event::HardBreak, None) => flow.push(Item::Break),
            (Event::Code(text), None) => flow.push(Item::Code(text.to_string())),
            (Event::Html(source) | Event::InlineHtml(source), None) => flow.push(Item::Html(source.to_string())),
            (Event::Start(Tag::Link { link_type, dest_url, title, .. }), _) => {
                let url =
                    if link_type == LinkType::Email { format!("mailto:{dest_url}") } else { dest_url.to_string() };
                open.push(Open { text: String::new(), url, title: title.to_string(), image: false });
            }
            (Event::Start(Tag::Image { dest_url, title, .. }), _) => {
                let (url, title) = (dest_url.to_string(), title.to_string());
                open.push(Open { text: String::new(), url, title, image: true });
            }
            (Event::End(TagEnd::Link | TagEnd::Image), _) => {
                let Open { text, url, title, image } = open.pop().expect("an open link");
                match open.last_mut() {
                    Some(outer) => outer.text.push_str(&text),
                    None if image => flow.push(Item::Image { text, url, title }),
                    None => flow.push(Item::Link { text, url, title }),
                }
            }
            (Event::Start(Tag::CodeBlock(_)), _) => block = Some(String::new()),
            (Event::Rule, _) => flow.push(Item::Open("hr".into())),
            (Event::Start(tag), None) => flow.extend(name(&tag.to_end()).map(Item::Open)),
            (Event::End(tag), None) => flow.extend(name(&tag).map(Item::Close)),
            _ => {}
        }
    }
    flow
}

fn name(tag: &TagEnd) -> Option<String> {
    let name = match tag {
        TagEnd::Paragraph => "p",
        TagEnd::Heading(level) => return Some(level.to_string()),
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Table => "table",
        TagEnd::TableHead | TagEnd::TableRow => "tr",
        TagEnd::TableCell => "td",
        TagEnd::Emphasis => "em",
        TagEnd::Strong => "strong",
        _ => return None,
    };
    Some(name.to_owned())
}
