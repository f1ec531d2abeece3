//! Finds text that Web Chat 4.18.1 loses because of raw HTML around it.
//!
//! It cuts the drawn HTML into elements, and drops text that stands in none. A block element ends the paragraph around it, so
//! the text behind it stands in none; and so does the text of an element that is not drawn, outside of paragraphs.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::drawn_html::is_drawn;

/// The elements that end a paragraph, after the HTML standard.
const ENDS_PARAGRAPH: [&str; 38] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
];

/// Elements without content.
const VOID: [&str; 2] = ["br", "hr"];

/// Elements whose content is no text for readers.
const NO_TEXT: [&str; 2] = ["script", "style"];

/// The byte at which text begins that is lost; `None` if nothing is.
pub(super) fn find(text: &str) -> Option<usize> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut walk = Walk::default();
    Parser::new_ext(text, options)
        .into_offset_iter()
        .find_map(|(event, range)| walk.take(&event).then_some(range.start))
}

/// Whether a piece of HTML, in lower case, has an element that ends a paragraph.
pub(super) fn ends_paragraph(html: &str) -> bool {
    parts(html).any(|part| match part {
        Part::Open(name) | Part::Close(name) => ENDS_PARAGRAPH.binary_search(&name).is_ok(),
        Part::Text(_) => false,
    })
}

/// The walk over one text.
#[derive(Default)]
struct Walk {
    /// The lists, quotes, tables and headings around the current event: they hold the text behind a block element.
    containers: usize,
    /// Emphasis and links around the current event.
    spans: usize,
    /// Whether text that stands in no element of HTML now is lost.
    bare: bool,
    /// The drawn elements of HTML that are open.
    open: Vec<String>,
}

impl Walk {
    /// Whether the event has text that is lost.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other event has text that can be lost")]
    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(Tag::Paragraph) => self.begin(false),
            Event::Start(Tag::HtmlBlock) => self.begin(true),
            Event::End(TagEnd::Paragraph | TagEnd::HtmlBlock) => self.bare = false,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }) => {
                self.spans += 1;
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image) => {
                self.spans = self.spans.saturating_sub(1);
            }
            Event::Start(_) => self.containers += 1,
            Event::End(_) => self.containers = self.containers.saturating_sub(1),
            Event::InlineHtml(html) | Event::Html(html) => return self.html(&html.to_ascii_lowercase()),
            Event::Text(text) => return self.is_lost(text),
            _ => {}
        }
        false
    }

    fn begin(&mut self, bare: bool) {
        self.bare = bare && self.containers == 0;
        self.open.clear();
    }

    fn is_lost(&self, text: &str) -> bool {
        self.bare && self.open.is_empty() && self.spans == 0 && self.containers == 0 && !text.trim().is_empty()
    }

    fn html(&mut self, html: &str) -> bool {
        if self.containers > 0 || html.trim_start().starts_with("<!--") {
            return false;
        }
        for part in parts(html) {
            match part {
                Part::Open(name) => {
                    self.bare |= ENDS_PARAGRAPH.binary_search(&name).is_ok();
                    if (is_drawn(name) || NO_TEXT.contains(&name)) && !VOID.contains(&name) {
                        self.open.push(name.to_owned());
                    }
                }
                Part::Close(name) => {
                    if let Some(at) = self.open.iter().rposition(|open| open == name) {
                        self.open.truncate(at);
                    }
                }
                Part::Text(text) if self.is_lost(text) => return true,
                Part::Text(_) => {}
            }
        }
        false
    }
}

/// A part of a piece of HTML.
enum Part<'h> {
    Open(&'h str),
    Close(&'h str),
    Text(&'h str),
}

fn parts(html: &str) -> impl Iterator<Item = Part<'_>> {
    let (before, tags) = html.split_once('<').map_or((html, None), |(before, tags)| (before, Some(tags)));
    let tags = tags.into_iter().flat_map(|tags| tags.split('<')).flat_map(|piece| {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        [if is_end { Part::Close(name) } else { Part::Open(name) }, Part::Text(text)]
    });
    std::iter::once(Part::Text(before)).chain(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each was drawn in Web Chat 4.18.1, without the text behind `|`.
    #[test]
    fn text_behind_a_block_element_is_lost() {
        assert!(ENDS_PARAGRAPH.is_sorted());
        for text in [
            "a <div>b</div>| c",
            "a <ul><li>b</li></ul>| c",
            "a <hr>| c",
            "a <details>|b</details> c",
            "a <section>|b</section>",
            "<p>b</p>| c",
            "<dl><dt>|b</dt></dl>",
            "<details>\n<summary>|s</summary>\nb\n</details>",
            "x <b>a <div>b</div> y</b>| z",
        ] {
            assert!(find(&text.replace('|', "")).is_some(), "{text}");
        }
    }

    #[test]
    fn text_in_an_element_is_drawn() {
        for text in [
            "a <b>b</b> c <sub>d</sub> e",
            "a <div>b</div>",
            "a <div>b</div> **c** [d](https://a.example/)",
            "<div>b</div>\n\nc",
            "<div>\nb\n</div>\n\nc",
            "<table><tr><td>b</td></tr></table>\n\nc",
            "- a <div>b</div> c",
            "> a <div>b</div> c",
            "# a <div>b</div> c\n\nd",
            "| a <div>b</div> c |\n| - |\n| d <div>e</div> f |",
            "a <tr>b</tr> c",
            "`<div>` c",
            "<script>b</script>\n\nc",
            "<!-- a <div> --> c",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
