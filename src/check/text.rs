//! The text of a message on its own: what its Markdown does to readers.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{Scheme, first_odd_character};
use super::code;
use super::definition::Definition;
use super::findings::Findings;
use super::markdown::{Link, Markdown, is_number, normal_label};
use super::place::excerpt;
use super::pointer::Pointer;

/// Checks a text that Web Chat draws as Markdown. `positions` are those of the claims.
pub(super) fn check(
    text: &str,
    markdown: &Markdown,
    positions: &BTreeSet<&str>,
    at: &Pointer,
    findings: &mut Findings,
) {
    let mut rules = Rules { markdown, positions, at, findings, winners: BTreeMap::new() };
    rules.winners =
        markdown.definitions.iter().filter(|found| !found.loser).map(|found| (found.label.as_str(), found)).collect();
    rules.definitions();
    rules.attempts();
    markdown.links.iter().for_each(|link| rules.link(link));
    rules.swallowed();
    rules.html(text);
}

/// Reports the traces of a wrong character set.
pub(super) fn check_encoding(text: &str, at: &Pointer, findings: &mut Findings) {
    // U+200B, quotes and dashes all start with these two characters when their UTF-8 is read as Windows-1252.
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

struct Rules<'a> {
    markdown: &'a Markdown,
    positions: &'a BTreeSet<&'a str>,
    at: &'a Pointer,
    findings: &'a mut Findings,
    /// The definition that counts for each label.
    winners: BTreeMap<&'a str, &'a Definition>,
}

impl Rules<'_> {
    fn definitions(&mut self) {
        let mut by_url: BTreeMap<&str, &Definition> = BTreeMap::new();
        let mut last_number = 0;
        let mut in_order = true;
        for definition in &self.markdown.definitions {
            self.address(definition);
            if definition.nested {
                self.findings.add(
                    code::DEFINITION_NESTED,
                    self.at,
                    format!(
                        "The definition of [{}] (byte {}) stands inside a list or quote: its links work, but are no \
                         badges, and the reference list lacks it. Move it to the end, after a blank line.",
                        definition.written, definition.span.start
                    ),
                );
                continue;
            }
            if definition.loser {
                self.loser(definition);
                continue;
            }
            if let Ok(number) = definition.label.parse::<u32>() {
                in_order &= number >= last_number;
                last_number = number;
            }
            if let Some(first) = by_url.get(definition.url.as_str()) {
                self.duplicate(first, definition);
            } else {
                by_url.insert(&definition.url, definition);
            }
        }
        if !in_order {
            self.findings.add(
                code::DEFINITIONS_OUT_OF_ORDER,
                self.at,
                "The reference list shows the sources in the order of the definitions. Sort them by number.",
            );
        }
    }

    fn address(&mut self, definition: &Definition) {
        let (label, url) = (&definition.written, &definition.url);
        if label.starts_with('^') {
            self.findings.add(
                code::DEFINITION_LABEL_CARET,
                self.at,
                format!("[{label}] is a footnote in newer versions and breaks the message there. Use bare numbers."),
            );
        }
        match Scheme::of(url) {
            Scheme::Dangerous => {
                self.findings.add(
                    code::DEFINITION_SCHEME_UNSAFE,
                    self.at,
                    format!(
                        "The definition of [{label}] leads to {:?}: the reference list of 4.18.1 carries it as a live \
                         link. Send `http` or `https` only.",
                        excerpt(url)
                    ),
                );
                return;
            }
            Scheme::Program => self.findings.add(
                code::DEFINITION_SCHEME_UNUSUAL,
                self.at,
                format!("Pressing [{label}] opens another program for {:?}.", excerpt(url)),
            ),
            Scheme::Web => {
                if let Err(error) = url::Url::parse(url) {
                    self.findings.add(
                        code::IRI_INVALID,
                        self.at,
                        format!("[{label}] leads nowhere: {:?} is no URL ({error}).", excerpt(url)),
                    );
                    return;
                }
            }
            Scheme::Dialog => {}
        }
        if let Some(odd) = first_odd_character(url) {
            self.findings.add(
                code::DEFINITION_URL_CHARACTERS,
                self.at,
                format!(
                    "The URL of [{label}] contains {odd}: 4.18.1 draws its citations without brackets, as plain links, \
                     and a button does not open. Percent-encode it, and write hosts in punycode; the same in the claim."
                ),
            );
        }
    }

    fn loser(&mut self, definition: &Definition) {
        let first = self.winners.get(definition.label.as_str());
        let (start, url) = first.map_or((0, ""), |first| (first.span.start, first.url.as_str()));
        self.findings.add(
            code::DEFINITION_DUPLICATE_LABEL,
            self.at,
            format!(
                "[{}] is defined twice (bytes {start} and {}): the badge leads to the first address, {:?}, and the \
                 reference list shows both under the title of the claim. Remove definitions that came with the answer.",
                definition.written,
                definition.span.start,
                excerpt(url)
            ),
        );
    }

    fn duplicate(&mut self, first: &Definition, second: &Definition) {
        let (one, two, url) = (&first.written, &second.written, excerpt(&first.url));
        if Scheme::of(&first.url) == Scheme::Dialog {
            self.findings.add(
                code::DEFINITION_DUPLICATE_PASSAGE,
                self.at,
                format!("[{one}] and [{two}] share {url:?}: both badges open the first passage. Number them apart."),
            );
        } else {
            self.findings.add(
                code::DEFINITION_DUPLICATE_URL,
                self.at,
                format!(
                    "[{one}] and [{two}] lead to one URL, {url:?}: the second is drawn without brackets, as a plain \
                     link. Make them one source, or add a fragment to the second."
                ),
            );
        }
    }

    fn attempts(&mut self) {
        for attempt in &self.markdown.attempts {
            let (label, start) = (excerpt(&attempt.label), attempt.start);
            if attempt.continued {
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

    /// Whether a text between brackets stands for a citation of this message.
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
            } else {
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
        } else if !label.is_empty() && text != label && (is_number(&text) || self.is_marker(&text)) {
            self.findings.add(
                code::MARKERS_FUSED,
                self.at,
                format!(
                    "[{text}][{label}] (byte {start}) is one link with the text {text} to the source {label}: users see \
                     no badges, and one citation is gone. Put U+200B between the markers."
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

    fn html(&mut self, text: &str) {
        let mut others = 0;
        for range in &self.markdown.html {
            let Some(source) = text.get(range.clone()) else { continue };
            let tag = source.trim_start().to_ascii_lowercase();
            let start = range.start;
            if tag.contains("<button") {
                self.findings.add(
                    code::TEXT_FORGED_BUTTON,
                    self.at,
                    format!(
                        "The button at byte {start} is drawn like a citation of ours and opens whatever its `value` \
                         names. Remove it."
                    ),
                );
            } else if tag.contains("<img") {
                self.findings.add(
                    code::TEXT_IMAGE,
                    self.at,
                    format!(
                        "The HTML image at byte {start} is requested from its host as soon as the message is drawn. \
                         Remove it unless you trust the host."
                    ),
                );
            } else if !tag.starts_with("</") && !tag.starts_with("<!--") {
                others += 1;
            }
        }
        if others > 0 {
            self.findings.add(
                code::TEXT_HTML,
                self.at,
                format!(
                    "Raw HTML in {others} place(s): a few elements are drawn, others vanish with their content in \
                     4.18.1 and appear as text in newer versions. Write Markdown, or escape `<` as `&lt;`."
                ),
            );
        }
    }
}
