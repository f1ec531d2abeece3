//! Finds Markdown and HTML in a text whose format is plain: users see the signs.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::code;
use super::findings::Findings;
use super::place::{Place, excerpt};
use super::raw_html::opened;

/// Elements of HTML that a text has for its form. Names in angle brackets that are no elements are words.
const ELEMENTS: [&str; 24] = [
    "a", "b", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "hr", "i", "img", "li", "ol", "p", "pre", "span",
    "strong", "table", "td", "th", "tr", "ul",
];

/// Elements that need no end.
const EMPTY: [&str; 3] = ["br", "hr", "img"];

/// A markup whose signs users see in a plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    Markdown,
    Html,
}

/// The first markup of a text that cannot be meant as it stands, and its byte offset.
#[expect(clippy::wildcard_enum_match_arm, reason = "only markup is looked for")]
pub(super) fn find(text: &str) -> Option<(Markup, usize)> {
    let lower = text.to_ascii_lowercase();
    // Looked for once: a text may have many tags.
    let closed: BTreeSet<&str> = lower
        .split("</")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default())
        .collect();
    let is_element = |html: &str| {
        let html = html.to_ascii_lowercase();
        let mut names = opened(&html).filter(|name| ELEMENTS.contains(name));
        names.any(|name| EMPTY.contains(&name) || closed.contains(name))
    };
    Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter().find_map(|(event, range)| {
        let source = text.get(range.clone()).unwrap_or_default();
        let markup = match event {
            Event::Html(html) | Event::InlineHtml(html) if is_element(&html) => Markup::Html,
            Event::Start(Tag::Strong)
                if source.starts_with("**")
                    && source.contains(char::is_alphabetic)
                    && !is_behind_a_word(text, range.start) =>
            {
                Markup::Markdown
            }
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. })
                if dest_url.starts_with("https://") || dest_url.starts_with("http://") =>
            {
                Markup::Markdown
            }
            _ => return None,
        };
        Some((markup, range.start))
    })
}

/// `2**3**4` is a calculation.
fn is_behind_a_word(text: &str, start: usize) -> bool {
    text[..start].ends_with(char::is_alphanumeric)
}

/// Reports markup in the `text` of an activity whose `format` is plain.
pub(super) fn check(text: &str, format: &Place<'_>, findings: &mut Findings) {
    let Some((markup, start)) = find(text) else { return };
    let (signs, remedy) = match markup {
        Markup::Markdown => ("Markdown", "Write \"textFormat\": \"markdown\", or leave the signs out"),
        Markup::Html => ("HTML", "Write Markdown with \"textFormat\": \"markdown\", or leave the tags out"),
    };
    findings.add(
        code::PLAIN_TEXT_MARKUP,
        &format.at,
        format!(
            "The text is drawn as it stands, and users see the {signs} at byte {start}, {:?}, as signs. {remedy}.",
            excerpt(text[start..].lines().next().unwrap_or_default())
        ),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Channel, check as check_all, mend};
    use super::*;

    #[test]
    fn unmistakable_signs_are_found() {
        for text in ["a **b** c", "[a](https://a.example/)", "- **a**"] {
            assert_eq!(find(text).map(|(markup, _)| markup), Some(Markup::Markdown), "{text}");
        }
        for text in ["<p>a</p>", "a <a href=\"https://a.example/\">b</a>", "a<br>b", "<UL>\n<LI>a</LI>\n</UL>"] {
            assert_eq!(find(text).map(|(markup, _)| markup), Some(Markup::Html), "{text}");
        }
        for text in [
            "2**3**4",
            "a * b * c",
            "Press <Enter>",
            "the tag <p> begins",
            "x < y > z",
            "__init__",
            "[1](2024)",
            "`**a**`",
            "# a",
            "f(a)[b]",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn they_are_named_in_both_channels_and_markdown_gets_its_format() {
        for channel in [Channel::WebChat, Channel::Teams] {
            let codes = |text: &str, format: &str| {
                let found = check_all(&json!({"type": "message", "text": text, "textFormat": format}), channel);
                found.into_iter().map(|finding| (finding.code, finding.pointer)).collect::<Vec<_>>()
            };
            let expected = [("plain-text-markup", "/textFormat".to_owned())];
            assert_eq!(codes("a **b** c", "plain"), expected);
            assert_eq!(codes("<p>a</p>", "plain"), expected);
            assert_eq!(codes("a **b** c", "markdown"), []);
            assert_eq!(codes("a 2 * 3", "plain"), []);
            let mended = mend(&json!({"type": "message", "text": "a **b** c", "textFormat": "plain"}), channel);
            assert_eq!(mended.expect("an activity").document["textFormat"], "markdown");
            let html = json!({"type": "message", "text": "**b** <p>a</p>", "textFormat": "plain"});
            assert_eq!(mend(&html, channel).expect("an activity").document, html);
        }
    }
}
