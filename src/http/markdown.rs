//! Markdown as HTML for pages of this server: its documentation, and likenesses of channels.
//!
//! HTML in the Markdown never becomes HTML of the page, and links lead to the web or to a place that the caller names.

use std::collections::HashMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::document::heading_anchor;

/// What becomes of HTML in the Markdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RawHtml {
    /// It is shown as text.
    Shown,
    /// Comments go, the rest is shown as text.
    WithoutComments,
}

/// The Markdown of a message. Links lead to the web or begin a mail; images are their descriptions, because nothing is loaded from
/// elsewhere.
pub(super) fn likeness(text: &str) -> String {
    let is_web = |address: &str| ["https://", "http://", "mailto:"].iter().any(|scheme| address.starts_with(scheme));
    written(text, RawHtml::Shown, |address, kind| (kind == Kind::Link && is_web(address)).then(|| address.to_owned()))
}

/// A page of the documentation. `lead` gives the address that stands in place of one in the page, or `None` where nothing is served.
pub(super) fn page(text: &str, lead: impl Fn(&str) -> Option<String>) -> String {
    written(text, RawHtml::WithoutComments, |address, _| lead(address))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    Image,
}

fn written(text: &str, raw: RawHtml, lead: impl Fn(&str, Kind) -> Option<String>) -> String {
    let mut options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    // A message has no head that readers do not see.
    options.set(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS, raw == RawHtml::WithoutComments);
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    name_headings(&mut events);
    // Whether each open link or image leads somewhere.
    let mut open = Vec::new();
    let kept = events.into_iter().filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => {
            let is_left_out = raw == RawHtml::WithoutComments && html.trim_start().starts_with("<!--");
            (!is_left_out).then_some(Event::Text(html))
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let address = lead(&dest_url, Kind::Link);
            open.push(address.is_some());
            address.map(|address| Event::Start(Tag::Link { link_type, dest_url: address.into(), title, id }))
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let address = lead(&dest_url, Kind::Image);
            open.push(address.is_some());
            address.map(|address| Event::Start(Tag::Image { link_type, dest_url: address.into(), title, id }))
        }
        Event::End(TagEnd::Link | TagEnd::Image) => open.pop().unwrap_or_default().then_some(event),
        event @ (Event::Start(_)
        | Event::End(_)
        | Event::Text(_)
        | Event::Code(_)
        | Event::InlineMath(_)
        | Event::DisplayMath(_)
        | Event::FootnoteReference(_)
        | Event::SoftBreak
        | Event::HardBreak
        | Event::Rule
        | Event::TaskListMarker(_)) => Some(event),
    });
    let mut out = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut out, kept);
    out
}

/// Gives each heading its place in the address of the page, as sites that show Markdown do: a second heading with the same words
/// gets a number.
fn name_headings(events: &mut [Event<'_>]) {
    let mut known: HashMap<String, usize> = HashMap::new();
    for at in 0..events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let words = events[at..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = words
            .filter_map(|event| if let Event::Text(text) | Event::Code(text) = event { Some(&**text) } else { None })
            .collect();
        let anchor = heading_anchor(&words);
        let times = known.entry(anchor.clone()).or_default();
        let anchor = if *times == 0 { anchor } else { format!("{anchor}-{times}") };
        *times += 1;
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(anchor.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_others_is_shown_and_never_run() {
        let hostile = "x <script>alert(1)</script> <b onclick=x>b</b> [a](javascript:alert(1)) [b](https://b.example \"t\") \
                       ![picture](https://c.example/x.png)\n\n<img src=x onerror=y>\n\n[c]: data:text/html,x\n\n[c] [d](//d.example)";
        let html = likeness(hostile);
        for part in ["<script", "<b ", "<img", "javascript:", "data:", "c.example", "//d.example"] {
            assert!(!html.contains(part), "{part} in {html}");
        }
        assert!(
            html.contains("&lt;script&gt;") && html.contains("<a href=\"https://b.example\" title=\"t\">b</a>"),
            "{html}"
        );
        assert!(html.contains("picture"), "the description stays: {html}");
    }

    #[test]
    fn headings_have_places_that_links_lead_to() {
        let html = page(
            "## What does `[2]` mean?\n\n## Limits\n\n## Limits\n\n<!-- not run -->\n\n[a](b.md#c) ![x](y.png) [out](../z)",
            |address| (!address.starts_with("..")).then(|| address.to_owned()),
        );
        for part in [
            "<h2 id=\"what-does-2-mean\">",
            "<h2 id=\"limits\">",
            "<h2 id=\"limits-1\">",
            "<a href=\"b.md#c\">a</a>",
            "<img src=\"y.png\" alt=\"x\"",
            "out",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("not run") && !html.contains("../z"), "{html}");
    }
}
