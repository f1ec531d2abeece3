//! Checks the Markdown text of a message on its own.

use std::collections::{BTreeMap, BTreeSet};

use citewire_core::text::is_drawn;

use super::address::Scheme;
use super::code;
use super::definition::Definition;
use super::definition_rules;
use super::findings::Findings;
use super::joined;
use super::link_label::{is_number, normal_label};
use super::lost_text;
use super::markdown::{Link, Markdown};
use super::newer;
use super::place::excerpt;
use super::pointer::Pointer;
use super::provider_marker;
use super::raw_html::{is_inside, opened, requests_image};

/// Checks a text that Web Chat draws as Markdown. `positions` are the positions of the claims.
pub(super) fn check(
    text: &str,
    markdown: &Markdown,
    positions: &BTreeSet<&str>,
    at: &Pointer,
    findings: &mut Findings,
) {
    let mut rules = Rules { text, markdown, positions, at, findings, winners: BTreeMap::new() };
    rules.winners =
        markdown.definitions.iter().filter(|found| !found.loser).map(|found| (found.label.as_str(), found)).collect();
    definition_rules::check(markdown, at, rules.findings);
    rules.attempts();
    markdown.links.iter().for_each(|link| rules.link(link));
    rules.swallowed();
    let is_known = |number: u64| rules.is_marker(&number.to_string());
    let joined: Vec<_> = markdown.joined.iter().filter(|marker| marker.is_meant(is_known)).collect();
    joined::check(text, &joined, at, rules.findings);
    rules.lost(text);
    rules.html(text);
    newer::check(text, markdown, at, rules.findings);
    let is_label = |label: &str| rules.winners.contains_key(label) || positions.contains(label);
    provider_marker::check(text, &markdown.prose, is_label, at, rules.findings);
}

/// Reports traces of a wrong character encoding.
pub(super) fn check_encoding(text: &str, at: &Pointer, findings: &mut Findings) {
    // The UTF-8 of U+200B, quotes and dashes begins with these two characters in Windows-1252.
    let count = text.matches("â€").count();
    if count > 0 {
        findings.add(
            code::TEXT_MOJIBAKE,
            at,
            format!(
                "Users see characters such as â€‹ in {count} place(s): UTF-8 was read as Windows-1252 somewhere. Decode \
                 the text as UTF-8; between badges belongs U+200B."
            ),
        );
    }
}

/// Signs that 4.18.1 replaces by typographic ones.
const TYPOGRAPHY: [&str; 8] = ["\"", "'", "--", "...", "(c)", "(r)", "(tm)", "+-"];

struct Rules<'a> {
    text: &'a str,
    markdown: &'a Markdown,
    positions: &'a BTreeSet<&'a str>,
    at: &'a Pointer,
    findings: &'a mut Findings,
    /// The effective definition of each label.
    winners: BTreeMap<&'a str, &'a Definition>,
}

impl Rules<'_> {
    fn attempts(&mut self) {
        for attempt in &self.markdown.attempts {
            let (label, start) = (excerpt(&attempt.label), attempt.start);
            if attempt.behind {
                self.findings.add(
                    code::DEFINITION_LITERAL,
                    self.at,
                    format!(
                        "The definition of [{label}] (byte {start}) stands behind other text on its line: users see it as \
                         text, and nothing is linked. Put each definition on a line of its own, after a blank line."
                    ),
                );
            } else if attempt.continued {
                self.findings.add(
                    code::DEFINITION_LITERAL,
                    self.at,
                    format!(
                        "The definition of [{label}] (byte {start}) stands right under other text: users see it as \
                         text, and nothing is linked. Put a blank line before the definitions, and mend the line above \
                         when that is a definition as well."
                    ),
                );
            } else {
                self.findings.add(
                    code::DEFINITION_MALFORMED,
                    self.at,
                    format!(
                        "The definition of [{label}] (byte {start}) is no valid Markdown: users see it as text, and so \
                         everything below it. Escape quotes in the title, encode blanks and brackets in the URL."
                    ),
                );
            }
        }
    }

    /// Whether a text between brackets is a citation of this message.
    fn is_marker(&self, label: &str) -> bool {
        self.winners.contains_key(label) || self.positions.contains(label)
    }

    fn link(&mut self, link: &Link) {
        let text = normal_label(&link.text);
        let label = normal_label(&link.label);
        let start = link.start;
        if link.image {
            if !link.inline && text == label && self.is_marker(&label) {
                self.findings.add(
                    code::MARKER_IS_IMAGE,
                    self.at,
                    format!(
                        "After `!` the marker [{text}] (byte {start}) is an image: users see no citation, and the \
                         source is requested as a picture. Put U+200B between `!` and `[`."
                    ),
                );
            } else if !is_inside(&link.url) && !newer::is_raw_picture(link) {
                self.findings.add(
                    code::TEXT_IMAGE,
                    self.at,
                    format!(
                        "Drawing the message requests {:?} (byte {start}) at once, in every version: a way to leak what \
                         the URL carries. Make it a link unless you trust the host.",
                        excerpt(&link.url)
                    ),
                );
            }
        } else if link.inline {
            self.inline_link(link, &text);
        } else if !label.is_empty()
            && text != label
            && (is_number(&text) || self.is_marker(&text))
            && self.is_written_full(link)
        {
            self.findings.add(
                code::MARKERS_FUSED,
                self.at,
                format!(
                    "[{text}][{label}] (byte {start}) is one link with the text {text} to the source {label}: users see \
                     no badges, and one citation is gone. Put U+200B between the markers."
                ),
            );
        } else if self.is_changed(link, &text, &label) {
            let place = if text == label { " in 4.18.1" } else { "" };
            self.findings.add(
                code::MARKER_LABEL_CHANGED,
                self.at,
                format!(
                    "[{}] (byte {start}) is drawn as a plain link{place}: quotes, dashes, dots or markup of the label are \
                     shown otherwise than they are written, so it is no badge. Use bare numbers.",
                    excerpt(&link.label)
                ),
            );
        } else if let Some(definition) = self.winners.get(label.as_str())
            && text == label
            && definition.written.trim() != link.label.trim()
        {
            self.findings.add(
                code::MARKER_CASE_DIFFERS,
                self.at,
                format!(
                    "[{}] (byte {start}) is drawn as a plain link, because the definition says [{}]. Write both alike.",
                    excerpt(&link.label),
                    excerpt(&definition.written)
                ),
            );
        }
    }

    /// Whether a bracket follows the text of a link at once. The parser also takes one behind a backslash, which is text.
    fn is_written_full(&self, link: &Link) -> bool {
        let rest = self.text.get(link.start..).unwrap_or_default();
        rest.split_once(']').is_some_and(|(_, rest)| rest.starts_with('['))
    }

    /// Whether a marker shows other signs than its label has.
    fn is_changed(&self, link: &Link, text: &str, label: &str) -> bool {
        let is_shortcut = self
            .text
            .get(link.start + 1..)
            .and_then(|rest| rest.strip_prefix(link.label.as_str()))
            .is_some_and(|rest| rest.starts_with(']'));
        let is_marker = is_shortcut && self.is_marker(label) && !label.is_empty();
        is_marker && (text != label || TYPOGRAPHY.iter().any(|signs| label.contains(signs)))
    }

    fn inline_link(&mut self, link: &Link, text: &str) {
        let start = link.start;
        let same_source = self.winners.get(text).is_some_and(|definition| definition.url == link.url);
        if self.is_marker(text) && !same_source {
            self.findings.add(
                code::MARKER_IS_LINK,
                self.at,
                format!(
                    "[{text}] (byte {start}) looks like the citation of a source, but leads to {:?}. Put U+200B between \
                     `]` and `(`, or remove the address.",
                    excerpt(&link.url)
                ),
            );
        } else if Scheme::of(&link.url) == Scheme::Dangerous {
            self.findings.add(
                code::LINK_SCHEME_UNSAFE,
                self.at,
                format!(
                    "The link to {:?} (byte {start}) is shown as raw text or as a dead button. Remove the address.",
                    excerpt(&link.url)
                ),
            );
        }
    }

    fn swallowed(&mut self) {
        let loose = self.markdown.loose.iter().filter(|loose| loose.before_bracket);
        for marker in loose.filter(|marker| self.winners.contains_key(marker.label.as_str())) {
            self.findings.add(
                code::MARKER_SWALLOWED,
                self.at,
                format!(
                    "The marker [{}] (byte {}) is not a link, because another bracket follows at once: users see it as \
                     text. Put U+200B between them.",
                    marker.label, marker.start
                ),
            );
        }
    }

    fn lost(&mut self, text: &str) {
        if self.markdown.html.is_empty() {
            return;
        }
        if let Some(start) = lost_text::find(text) {
            self.findings.add(
                code::TEXT_LOST,
                self.at,
                format!(
                    "4.18.1 does not draw the text at byte {start}, because a block element of HTML has ended its paragraph, \
                     or because its element is not drawn. Write Markdown, or escape `<` as `&lt;`."
                ),
            );
        }
    }

    fn html(&mut self, text: &str) {
        let mut others = 0;
        for html in &self.markdown.html {
            let Some(source) = text.get(html.span.clone()) else { continue };
            let tag = source.trim_start().to_ascii_lowercase();
            let start = html.span.start;
            if !tag.starts_with("<!--") {
                others += opened(&tag).filter(|name| !is_drawn(name) && !["button", "img"].contains(name)).count();
            }
            if tag.contains("<button") {
                let told = if tag.contains("pure-identifier") {
                    "is drawn like a badge, though no definition of the text belongs to it"
                } else {
                    "is no badge: users see a button"
                };
                self.findings.add(
                    code::TEXT_FORGED_BUTTON,
                    self.at,
                    format!(
                        "The HTML button at byte {start} {told}. Pressing it opens the passage or the page that its `value` names, \
                         or nothing. Remove it."
                    ),
                );
            } else if tag.contains("<img") {
                if !requests_image(&tag) {
                    continue;
                }
                self.findings.add(
                    code::TEXT_IMAGE,
                    self.at,
                    format!(
                        "The HTML image at byte {start} is requested from its host as soon as the message is drawn. \
                         Remove it unless you trust the host."
                    ),
                );
            }
        }
        if others > 0 {
            self.findings.add(
                code::TEXT_HTML,
                self.at,
                format!(
                    "Raw HTML that is not drawn in {others} place(s): the tags vanish, in 4.18.1 scripts and styles with \
                     their content, which newer versions show as text. Write Markdown, or escape `<` as `&lt;`."
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::{assert_text_finds, assert_text_is_fine};

    const DEFINITIONS: &str = "\n\n[1]: https://docs.example/1\n[2]: https://docs.example/2\n";

    fn with_definitions(text: &str) -> String {
        format!("{text}{DEFINITIONS}")
    }

    #[test]
    fn adjacent_markers_need_something_between_them() {
        assert_text_finds(&with_definitions("a[1][2]."), "markers-fused");
        assert_text_finds(&with_definitions("a[1][2][1]."), "markers-fused");
        for separator in ["\u{200b}", " ", ", "] {
            assert_text_is_fine(&with_definitions(&format!("a[1]{separator}[2].")));
        }
        assert_text_is_fine(&with_definitions("a[1]\\[2] b[2]."));
        assert_text_is_fine(&with_definitions("a[1][1] b[**2**][2] [see this][1]."));
    }

    #[test]
    fn what_stands_around_a_marker_can_change_its_meaning() {
        assert_text_finds(&with_definitions("a[1](2024) b[2]."), "marker-is-link");
        assert_text_is_fine(&with_definitions("a[1]\u{200b}(2024) b[2]."));
        assert_text_finds(&with_definitions("a![1] b[2]."), "marker-is-image");
        assert_text_is_fine(&with_definitions("a!\u{200b}[1] b[2]."));
        assert_text_finds(&with_definitions("a[1][x] b[2]."), "marker-swallowed");
        assert_text_is_fine(&with_definitions("a[1]\u{200b}[x] b[2]."));
        assert_text_is_fine(&with_definitions("a[1](https://docs.example/1) b[2]."));
    }

    #[test]
    fn case_matters_between_marker_and_definition() {
        assert_text_finds("a[b].\n\n[B]: https://docs.example/\n", "marker-case-differs");
        assert_text_is_fine("a[b].\n\n[b]: https://docs.example/\n");
    }

    /// Only numbers and words are safe: JSON in a label was once called good, and is no badge.
    #[test]
    fn a_label_that_is_drawn_otherwise_is_no_badge() {
        for label in ["{\"id\":1}", "it's", "a--b", "*a*", "`a`"] {
            assert_text_finds(&format!("a[{label}].\n\n[{label}]: https://docs.example/\n"), "marker-label-changed");
        }
        for label in ["1", "doc 1", "a-b", "a.b", "a_b"] {
            assert_text_is_fine(&format!("a[{label}].\n\n[{label}]: https://docs.example/\n"));
        }
        assert_text_is_fine("a [*see* this][1].\n\n[1]: https://docs.example/\n");
    }

    #[test]
    fn definitions_need_a_blank_line_and_sound_titles() {
        assert_text_finds("a[1].\n[1]: https://docs.example/\n", "definition-literal");
        assert_text_finds("- a[1].\n[1]: https://docs.example/\n", "definition-literal");
        assert_text_finds("a[1].\n\n[1]: https://docs.example/ \"a \"b\" c\"\n", "definition-malformed");
        assert_text_finds("a[1].\n\n[1]: https://docs.example/(\n", "definition-malformed");
        assert_text_is_fine("a[1].\n\n[1]: https://docs.example/ \"a \\\"b\\\" c\"\n");
    }

    #[test]
    fn a_picture_in_its_address_is_not_requested() {
        for text in [
            "![a](data:image/png;base64,AA==)",
            "a <img alt=\"x\" src=\"data:image/svg+xml;utf8,b\">",
            "a <img src=\"\">",
        ] {
            assert_text_is_fine(text);
        }
        assert_text_finds("![a](https://docs.example/a.png)", "text-image");
    }

    #[test]
    fn html_images_and_forged_buttons_are_told_apart() {
        assert_text_finds("<button value=\"cite:1\">1</button>", "text-forged-button");
        assert_text_finds("a <img src=x>", "text-image");
        assert_text_finds("<p>\n<svg>a</svg>\n<img src=\"\">\n</p>", "text-html");
        assert_text_finds("![a](https://docs.example/a.png)", "text-image");
        assert_text_finds("<div>\n<script>x</script>\n</div>", "text-html");
        assert_text_finds("[x](JavaScript:alert(1))", "link-scheme-unsafe");
        assert_text_finds("H<sub>2</sub>O", "text-html");
        assert_text_is_fine("a<br>b <B>c</B>\n\n<table>\n<tr><td>1 < 2</td></tr>\n</table>\n");
        assert_text_is_fine("1 < 2, `<button>`, <!-- note --> and [x](https://docs.example/).");
    }

    #[test]
    fn a_wrong_character_set_is_recognised() {
        assert_text_finds("a â€‹ b", "text-mojibake");
        assert_text_is_fine("a\u{200b}b – “c” € â");
    }
}
