//! Reads a finished text for drawing: without raw HTML and images, and with links only to web and mail addresses.

#![expect(clippy::wildcard_enum_match_arm, reason = "pulldown-cmark knows more than such a text holds")]

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream};
use url::Url;

use crate::url::WebUrl;

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece<'t> {
    /// An event of pulldown-cmark; never HTML or an image.
    Event(Event<'t>),
    /// The number of a source, and its address if it has one.
    Badge { number: CowStr<'t>, url: Option<String> },
}

/// Reads a Markdown text into pieces.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut reader = Reader { pieces: Vec::new(), open: Vec::new() };
    for event in TextMergeStream::new(Parser::new_ext(text, OPTIONS)) {
        reader.take(event);
    }
    reader.pieces
}

/// The address of a link if it is http(s) or `mailto`, with characters percent-encoded that end an address in some channel's
/// markup.
pub(crate) fn address(given: &str) -> Option<String> {
    let address = match given.parse::<WebUrl>() {
        Ok(url) => url.as_str().to_owned(),
        Err(_) => Url::parse(given).ok().filter(|url| url.scheme() == "mailto")?.into(),
    };
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '|' | '`' | '*');
    Some(address.chars().fold(String::with_capacity(address.len()), |mut out, c| {
        if ends(c) {
            out.extend(percent_encoding::utf8_percent_encode(
                c.encode_utf8(&mut [0; 4]),
                percent_encoding::NON_ALPHANUMERIC,
            ));
        } else {
            out.push(c);
        }
        out
    }))
}

/// An open Markdown element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A link that stays a link.
    Link,
    /// A link or image that is reduced to its text.
    Text,
    /// A badge, whose text is its number.
    Badge,
}

struct Reader<'t> {
    pieces: Vec<Piece<'t>>,
    open: Vec<Open>,
}

impl<'t> Reader<'t> {
    fn take(&mut self, event: Event<'t>) {
        if self.open.last() == Some(&Open::Badge) && event != Event::End(TagEnd::Link) {
            return;
        }
        match event {
            Event::Start(Tag::Link { link_type: LinkType::Shortcut, dest_url, id, .. }) if is_number(&id) => {
                self.open.push(Open::Badge);
                self.pieces.push(Piece::Badge { number: id, url: address(&dest_url) });
            }
            Event::Start(Tag::Link { link_type: LinkType::Email, dest_url, .. }) => {
                self.open(&format!("mailto:{dest_url}"));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => self.open(&dest_url),
            Event::End(TagEnd::Link | TagEnd::Image) => self.close(),
            Event::Start(Tag::HtmlBlock) => self.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => self.push(Event::End(TagEnd::Paragraph)),
            Event::InlineHtml(html) if is_line_break(&html) => self.push(Event::HardBreak),
            Event::Html(html) | Event::InlineHtml(html) => {
                let text = without_tags(&html);
                if !text.is_empty() {
                    self.push(Event::Text(text.into()));
                }
            }
            Event::Text(text) => self.text(text),
            event => self.push(event),
        }
    }

    fn push(&mut self, event: Event<'t>) {
        self.pieces.push(Piece::Event(event));
    }

    /// Takes a text. Drops the zero-width space that separates a badge from text (policy P-09), which only Markdown needs.
    fn text(&mut self, text: CowStr<'t>) {
        let behind_badge = matches!(self.pieces.last(), Some(Piece::Badge { .. }));
        match text.strip_prefix('\u{200b}').filter(|_| behind_badge) {
            Some("") => {}
            Some(rest) => self.push(Event::Text(rest.to_owned().into())),
            None => self.push(Event::Text(text)),
        }
    }

    fn open(&mut self, to: &str) {
        // An image inside a link is a part of the link's text.
        let url = address(to).filter(|_| !self.open.contains(&Open::Link));
        self.open.push(if url.is_some() { Open::Link } else { Open::Text });
        if let Some(url) = url {
            let (title, id) = (CowStr::Borrowed(""), CowStr::Borrowed(""));
            self.push(Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url: url.into(), title, id }));
        }
    }

    fn close(&mut self) {
        if self.open.pop() != Some(Open::Link) {
            return;
        }
        // An image may have no text; its link then shows its address.
        if let Some(Piece::Event(Event::Start(Tag::Link { dest_url, .. }))) = self.pieces.last() {
            let shown = dest_url.clone();
            self.push(Event::Text(shown));
        }
        self.push(Event::End(TagEnd::Link));
    }
}

fn is_number(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_line_break(html: &str) -> bool {
    html.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("<br"))
}

/// The text of HTML without tags. `cite` leaves harmless tags in the text (decision 2), but channels with their own markup
/// would show them.
fn without_tags(html: &str) -> String {
    let (mut out, mut rest) = (String::new(), html);
    while let Some(at) = rest.find('<') {
        let begins_tag = rest[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let end = rest[at..].find('>').filter(|_| begins_tag);
        out.push_str(&rest[..at]);
        match end {
            Some(end) => rest = &rest[at + end + 1..],
            None => {
                out.push('<');
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_the_web_or_to_a_mail_box_and_end_where_they_end() {
        for (given, written) in [
            ("https://x.example/a|b>c\"d", Some("https://x.example/a%7Cb%3Ec%22d")),
            ("http://user:word@x.example", Some("http://x.example/")),
            ("mailto:a@b.example?subject=<x|y>", Some("mailto:a@b.example?subject=%3Cx%7Cy%3E")),
            ("javascript:alert(1)", None),
            ("tg://user?id=1", None),
            ("data:text/html,x", None),
            ("cite:1", None),
            ("/path", None),
        ] {
            assert_eq!(address(given).as_deref(), written, "{given}");
        }
    }

    #[test]
    fn tags_go_and_what_is_none_stays() {
        assert_eq!(without_tags("<div class=\"a\">1 < 2 <b>x</b><!-- y --></div>"), "1 < 2 x");
        assert_eq!(without_tags("a <b"), "a <b");
    }
}
