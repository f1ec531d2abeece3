//! What the model must not do, undone (policy P-06): definitions, images, raw HTML, links with odd schemes.
//!
//! Each pass edits the source by what the parser saw, and the result is parsed again, until nothing is left to do:
//! taking one thing away can bring another to light.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use url::Url;

use super::definition::push_title;
use super::html::{Harm, judge_tag};
use super::marker::{self, Marker};
use super::resolve::Resolver;
use super::structure::{Ink, Link, LinkKind, Structure};
use crate::answer::MarkerGrammar;
use crate::report::{Entry, Kind};
use crate::text::{Edits, Shift};
use crate::url::WebUrl;

/// From this pass on, definitions are escaped instead of cut, so that no further ones can come to light.
const ESCAPE_FROM_PASS: usize = 4;
const MAX_PASSES: usize = 8;

/// How many bytes of other definitions are looked past.
const MAX_LOOK_AHEAD: usize = 4 * 1024;

/// A text that holds nothing harmful, what the parser makes of it, and how it came from the original.
pub(super) struct Clean<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) structure: Structure,
    pub(super) trail: Trail,
}

/// The way from the original text to the present one.
#[derive(Default)]
pub(super) struct Trail(Vec<Shift>);

impl Trail {
    pub(super) fn push(&mut self, shift: Shift) {
        self.0.push(shift);
    }

    /// Where a place of the present text was in the original.
    pub(super) fn back(&self, place: usize) -> usize {
        self.0.iter().rev().fold(place, |place, shift| shift.back(place))
    }

    /// Where a place of the original is now.
    pub(super) fn forth(&self, place: usize) -> usize {
        self.0.iter().fold(place, |place, shift| shift.forth(place))
    }
}

/// Makes a passage harmless that a channel draws as Markdown: the dialog of a non-URL citation.
#[must_use]
pub fn make_harmless(passage: &str, image_hosts: &BTreeSet<String>) -> String {
    let start = Clean { text: passage.into(), structure: Structure::of(passage), trail: Trail::default() };
    let wishes = Wishes { image_hosts, hard_breaks: false, markdown: true };
    clean(start, &Resolver::new(&[]), wishes, &mut Vec::new()).text.into_owned()
}

/// What is asked of a clean text beside being harmless.
#[derive(Clone, Copy)]
pub(super) struct Wishes<'w> {
    pub(super) image_hosts: &'w BTreeSet<String>,
    pub(super) hard_breaks: bool,
    /// Where nothing is drawn, HTML is text like any other.
    pub(super) markdown: bool,
}

pub(super) fn clean<'t>(
    mut now: Clean<'t>,
    resolver: &Resolver,
    wishes: Wishes<'_>,
    entries: &mut Vec<Entry>,
) -> Clean<'t> {
    for pass in 0..MAX_PASSES {
        let mut cleaner = Cleaner {
            text: &now.text,
            structure: &now.structure,
            trail: &now.trail,
            resolver,
            image_hosts: wishes.image_hosts,
            apart: if wishes.markdown { "\u{200b}" } else { "" },
            escape_definitions: pass >= ESCAPE_FROM_PASS,
            edits: Edits::default(),
            entries,
        };
        cleaner.definitions();
        cleaner.links();
        if wishes.markdown {
            cleaner.html();
            if wishes.hard_breaks {
                cleaner.breaks();
            }
        }
        if cleaner.edits.is_empty() {
            return now;
        }
        let (text, shift) = cleaner.edits.apply(&now.text);
        now.trail.push(shift);
        now.structure = Structure::of(&text);
        now.text = text.into();
    }
    if !wishes.markdown {
        return now;
    }
    // No input known comes here. Whatever is still hidden needs one of these characters to do harm.
    let mut edits = Edits::default();
    for (at, _) in now.text.match_indices('<') {
        edits.replace(at..at + 1, "&lt;");
    }
    for (at, _) in now.text.match_indices("![") {
        edits.replace(at + 1..at + 1, "\u{200b}");
    }
    let (text, shift) = edits.apply(&now.text);
    entries.push(Entry::in_text(Kind::Neutralised, "unsettled", 0, "every < and every image was made text"));
    now.trail.push(shift);
    Clean { structure: Structure::of(&text), text: text.into(), trail: now.trail }
}

struct Cleaner<'c> {
    text: &'c str,
    structure: &'c Structure,
    trail: &'c Trail,
    resolver: &'c Resolver,
    image_hosts: &'c BTreeSet<String>,
    /// What keeps two constructs apart where Markdown is drawn; nothing where the text is read as it stands.
    apart: &'static str,
    escape_definitions: bool,
    edits: Edits,
    entries: &'c mut Vec<Entry>,
}

impl Cleaner<'_> {
    fn report(&mut self, code: &'static str, at: usize, message: impl Into<String>) {
        self.entries.push(Entry::in_text(Kind::Neutralised, code, self.trail.back(at), message));
    }

    /// Definitions go: those that take effect, their duplicates, and footnotes that name a source.
    fn definitions(&mut self) {
        let structure = self.structure;
        let mut covered = 0;
        for definition in &structure.definitions {
            self.definition(definition.range.clone(), &definition.label);
        }
        let mut known = structure.definitions.iter().map(|definition| &definition.range).peekable();
        for (at, _) in self.text.match_indices('[') {
            while known.next_if(|range| range.end <= at).is_some() {}
            let in_known = known.peek().is_some_and(|range| range.contains(&at));
            if at < covered || in_known {
                continue;
            }
            // Only a bracket that can begin a definition or a footnote is worth reading on: the rest of the line may be long.
            let footnote =
                structure.ink(at) == Ink::Text && self.text[at + 1..].starts_with('^') && self.starts_line(at);
            if structure.ink(at) != Ink::Markup && !footnote {
                continue;
            }
            let line_end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
            let Some((label, rest)) = self.text[at + 1..line_end].split_once("]:") else { continue };
            if !footnote && !self.escape_definitions && !ends_with_its_line(rest, &self.text[line_end..]) {
                // Its end is known when it is the first of its label, in the next pass.
                continue;
            }
            if !footnote {
                // Neither text nor part of a link: a definition whose label is taken already.
                self.definition(at..line_end, label);
                covered = line_end;
            } else if self.names_source_of_footnote(label) {
                covered = self.footnote_end(line_end);
                self.report("footnote", at, format!("the footnote [{label}] gives way to the source of that number"));
                self.edits.cut(self.line_start(at)..covered);
            }
        }
    }

    fn definition(&mut self, range: Range<usize>, label: &str) {
        let message =
            format!("the answer's own definition of [{}] was taken out; only sources define links", label.trim());
        self.report("definition", range.start, message);
        if self.escape_definitions {
            self.edits.replace(range.start..range.start, "\\");
            return;
        }
        let line_start = self.line_start(range.start);
        if !self.text[line_start..range.start].trim().is_empty() {
            // In a quote or a list, the line keeps its prefix. An item without anything in it would not be one behind a
            // paragraph: `-` would make that a heading.
            let prefix = self.text[line_start..range.start].trim_end();
            let is_item = prefix.ends_with(['-', '+', '*', '.', ')']);
            self.edits.replace(range, if is_item { self.apart } else { "" });
            return;
        }
        let rest_of_line = self.text[range.end..].find('\n').map_or(self.text.len(), |newline| range.end + newline + 1);
        let mut end = if self.text[range.end..rest_of_line].trim().is_empty() { rest_of_line } else { range.end };
        // What follows was the rest of the same paragraph; indented, it would now be code.
        let next = self.text[end..].len() - self.text[end..].trim_start_matches([' ', '\t']).len();
        if self.structure.ink(end + next) == Ink::Text {
            end += next;
        }
        if line_start == 0 {
            // No blank lines at the top, where nobody wrote any.
            end += self.text[end..].len() - self.text[end..].trim_start_matches(['\r', '\n']).len();
        }
        if self.parts_from_indented(line_start, range.end) {
            self.edits.replace(line_start..end, format!("{}<!---->\n", &self.text[line_start..range.start]));
        } else {
            self.edits.cut(line_start..end);
        }
    }

    /// Whether an indented block behind a definition would belong to the list or code before it, were the definition gone.
    fn parts_from_indented(&self, start: usize, end: usize) -> bool {
        let Structure { lists, code_blocks, .. } = self.structure;
        // Other definitions behind it go as well.
        let limit = self.text.len().min(end + MAX_LOOK_AHEAD);
        let next = (end..limit).find(|at| self.structure.ink(*at) != Ink::Markup).unwrap_or(limit);
        let line = self.line_start(next).max(end);
        let indented = self.text.as_bytes()[line..].first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let follows = |blocks: &[Range<usize>]| {
            let before = blocks[..blocks.partition_point(|block| block.start < start)].last();
            before.is_some_and(|before| self.text[before.end.min(start)..start].trim().is_empty())
        };
        indented && (follows(lists) || follows(code_blocks))
    }

    fn names_source_of_footnote(&self, label: &str) -> bool {
        let marker = marker::in_square_brackets(label, &MarkerGrammar::ALL);
        marker
            .is_some_and(|marker| matches!(marker, Marker::Footnote(_)) && self.resolver.resolve("", &marker).is_some())
    }

    /// A footnote reaches to the next blank line or the next footnote.
    fn footnote_end(&self, first_line_end: usize) -> usize {
        let mut end = (first_line_end + 1).min(self.text.len());
        while end < self.text.len() {
            let line = self.text[end..].split_inclusive('\n').next().unwrap_or_default();
            if line.trim().is_empty() || line.trim_start().starts_with("[^") {
                break;
            }
            end += line.len();
        }
        end
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    fn starts_line(&self, at: usize) -> bool {
        let indent = self.text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b' ').take(4).count();
        indent <= 3 && (at == indent || self.text.as_bytes()[at - indent - 1] == b'\n')
    }

    fn links(&mut self) {
        for link in &self.structure.links {
            if !link.nested && names_source(self.text, link, self.resolver).is_some() {
                continue;
            }
            let allowed = allowed_url(link);
            match (&link.kind, allowed) {
                (LinkKind::Autolink, Some(_)) => {}
                (LinkKind::Autolink, None) if self.apart.is_empty() => {}
                (LinkKind::Autolink, None) => {
                    self.report(
                        "link-scheme",
                        link.range.start,
                        format!("the address {:?} is shown as text", link.url),
                    );
                    // Not `&lt;`, which could stand in the address of an autolink that begins before, nor a backslash, which
                    // a bare address could swallow.
                    self.edits.replace(link.range.start + 1..link.range.start + 1, self.apart);
                }
                (LinkKind::Reference(label), _) if is_number_label(label) => {}
                (LinkKind::Reference(_), _)
                    if !link.nested && shows_source(self.text, link, self.resolver).is_some() =>
                {
                    // As `[1](#)`: a badge, whatever the label meant.
                    let after = link.inner.end + 1;
                    self.edits.replace(after.min(link.range.end)..link.range.end, "(#)");
                }
                (_, None) => {
                    let message =
                        format!("the address {:?} is neither http, https nor mailto; its text stays", link.url);
                    self.report("link-scheme", link.range.start, message);
                    self.unlink(link);
                }
                (_, Some(url)) if link.image => self.image(link, &url),
                (LinkKind::Reference(_), Some(url)) => self.inline(link, &url),
                (LinkKind::Inline, Some(_)) => {}
            }
        }
    }

    fn image(&mut self, link: &Link, url: &str) {
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_lowercase));
        if host.is_some_and(|host| self.image_hosts.contains(&host)) {
            if matches!(link.kind, LinkKind::Reference(_)) {
                self.inline(link, url);
            }
            return;
        }
        self.report(
            "image",
            link.range.start,
            format!("the image {:?} became a link, so that nothing is loaded", link.url),
        );
        if link.nested {
            self.unlink(link);
            return;
        }
        let fuses = self.text[..link.range.start].ends_with(['!', '\\']);
        self.edits.replace(link.range.start..link.range.start + 1, if fuses { self.apart } else { "" });
        self.describe(link);
        if matches!(link.kind, LinkKind::Reference(_)) {
            self.inline(link, url);
        }
    }

    /// An image without description would be a link that nobody sees.
    fn describe(&mut self, image: &Link) {
        if self.text[image.inner.clone()].trim().is_empty() {
            self.edits.replace(image.inner.clone(), "image");
        }
    }

    /// `[text][label]` becomes `[text](url "title")`, since the definition goes.
    fn inline(&mut self, link: &Link, url: &str) {
        let after = link.inner.end + 1;
        if !self.text[link.inner.end..].starts_with(']') || after > link.range.end {
            self.unlink(link);
            return;
        }
        let mut target = format!("({url}");
        if !link.title.is_empty() {
            target.push(' ');
            push_title(&mut target, &link.title.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        target.push(')');
        self.edits.replace(after..link.range.end, target);
    }

    fn unlink(&mut self, link: &Link) {
        if link.image {
            self.describe(link);
        }
        self.edits.cut(link.range.start..link.inner.start);
        self.edits.cut(link.inner.end..link.range.end);
    }

    /// Two blanks make a line end one that readers see.
    fn breaks(&mut self) {
        for at in &self.structure.soft_breaks {
            self.edits.replace(*at..*at, "  ");
        }
    }

    fn html(&mut self) {
        let mut ranges = self.structure.html.iter().cloned().peekable();
        while let Some(mut range) = ranges.next() {
            while let Some(next) = ranges.next_if(|next| next.start == range.end) {
                range.end = next.end;
            }
            self.html_range(range);
        }
    }

    fn html_range(&mut self, range: Range<usize>) {
        let mut at = range.start;
        let mut comments_end = true;
        while let Some(found) = self.text[at..range.end].find('<') {
            at += found;
            let rest = &self.text[at..range.end];
            let (harm, end) = if let Some(comment) = rest.strip_prefix("<!--") {
                let end = if comments_end { comment.find("-->") } else { None };
                comments_end = end.is_some();
                end.map_or((Harm::Tag, 4), |end| (Harm::None, 4 + end + 3))
            } else {
                judge_tag(rest)
            };
            let end = at + end;
            match harm {
                Harm::None => {}
                Harm::Attributes(name_end) => {
                    self.report(
                        "html-attributes",
                        at,
                        format!("the attributes of {} were taken out", &self.text[at..end]),
                    );
                    let close = if self.text[..end].ends_with("/>") { end - 2 } else { end - 1 };
                    self.edits.cut(at + name_end..close);
                }
                Harm::Tag => {
                    let shown: String = self.text[at..end].chars().take(60).collect();
                    self.report("html", at, format!("{shown} is shown as text"));
                    self.edits.replace(at..at + 1, "&lt;");
                }
            }
            at = end;
        }
    }
}

/// The sources that a link or image names when all that it shows is a marker: `[1](url)`, `[[1]](url)`.
pub(super) fn names_source(text: &str, link: &Link, resolver: &Resolver) -> Option<Vec<crate::answer::SourceIndex>> {
    if link.kind == LinkKind::Inline { shows_source(text, link, resolver) } else { None }
}

fn shows_source(text: &str, link: &Link, resolver: &Resolver) -> Option<Vec<crate::answer::SourceIndex>> {
    let inner = text[link.inner.clone()].trim();
    let bracketed = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner);
    let marker = marker::in_square_brackets(bracketed, &MarkerGrammar::ALL)?;
    if matches!(marker, Marker::Name(_)) {
        return None;
    }
    resolver.resolve(&format!("[{bracketed}]"), &marker)
}

/// Whether a definition is over at the end of its first line, given what follows its label there and the text behind it.
fn ends_with_its_line(rest: &str, behind: &str) -> bool {
    let rest = rest.trim();
    let title = match rest.strip_prefix('<') {
        Some(address) => address.split_once('>').map_or("", |(_, title)| title),
        None => rest.split_once([' ', '\t']).map_or("", |(_, title)| title),
    };
    let title = title.trim_start();
    if let Some(open) = title.chars().next() {
        return title.len() > 1 && title.ends_with(if open == '(' { ')' } else { open });
    }
    let next = behind.trim_start_matches(['\r', '\n', ' ', '\t', '>']);
    !rest.is_empty() && !next.starts_with(['"', '\'', '('])
}

fn is_number_label(label: &str) -> bool {
    let marker = marker::in_square_brackets(label, &MarkerGrammar::ALL);
    marker.is_some_and(|marker| !matches!(marker, Marker::Name(_)))
}

/// The address as it may be written between parentheses, when readers may be led there.
fn allowed_url(link: &Link) -> Option<String> {
    if link.kind == LinkKind::Autolink && !link.url.contains(':') {
        return Some(link.url.clone());
    }
    if let Ok(url) = link.url.parse::<WebUrl>() {
        return Some(url.markdown());
    }
    let url = Url::parse(link.url.trim()).ok().filter(|url| url.scheme() == "mailto")?;
    Some(
        url.as_str()
            .replace('(', "%28")
            .replace(')', "%29")
            .replace('<', "%3C")
            .replace('>', "%3E")
            .replace(' ', "%20"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harmless(text: &str) -> String {
        make_harmless(text, &BTreeSet::from(["img.contoso.com".to_owned()]))
    }

    #[test]
    fn p06_definitions_go_and_their_uses_become_inline_links() {
        for (given, expected) in [
            (
                "See [the plan][p].\n\n[p]: https://x/plan \"The\n plan\"\n",
                "See [the plan](https://x/plan \"The plan\").\n\n",
            ),
            ("[P] and [p][]\n\n[p]: https://x", "[P](https://x/) and [p](https://x/)\n\n"),
            ("a\n\n[x]: https://x\n[x]: https://y\n[X]: https://z\nb", "a\n\nb"),
            ("a\n\n[x]: https://x\n\n[x]: <https://y>\n'a\ntitle'\n\nb", "a\n\n\n\nb"),
            ("- a\n\n[x]: https://x\n\n    code", "- a\n\n<!---->\n\n    code"),
            ("    a\n\n[x]: https://x\n[x]: https://y\n\n    b", "    a\n\n<!---->\n\n    b"),
            ("a\n- [x]: https://x\n", "a\n- \u{200b}\n"),
            ("> [x]: https://x\n> b [x]", "> \n> b [x](https://x/)"),
            ("[x]: https://x\n    b", "b"),
            ("`[x]: https://x`", "`[x]: https://x`"),
            ("[x]: javascript:alert(1)\n\n[x]", "x"),
        ] {
            assert_eq!(harmless(given), expected, "{given:?}");
        }
    }

    #[test]
    fn p06_images_become_links_unless_their_host_is_allowed() {
        for (given, expected) in [
            ("![a](https://evil/x.png)", "[a](https://evil/x.png)"),
            ("![](https://evil/x.png)", "[image](https://evil/x.png)"),
            ("!![a](https://evil/x)", "!\u{200b}[a](https://evil/x)"),
            ("![a][i]\n\n[i]: https://evil/x", "[a](https://evil/x)\n\n"),
            ("[![a](https://evil/x)](https://y)", "[a](https://y)"),
            ("![a](data:image/png;base64,AAAA)", "a"),
            ("![a](https://IMG.contoso.com/x)", "![a](https://IMG.contoso.com/x)"),
        ] {
            assert_eq!(harmless(given), expected, "{given:?}");
        }
    }

    #[test]
    fn p06_links_keep_http_https_and_mailto_and_lose_every_other_address() {
        for (given, expected) in [
            (
                "[a](https://x) [b](mailto:a@x) <https://x> <a@x.y>",
                "[a](https://x) [b](mailto:a@x) <https://x> <a@x.y>",
            ),
            ("[**a**](javascript:alert(1)) b", "**a** b"),
            ("[a](/docs) [b](#top) [c]()", "a b c"),
            ("<javascript:alert(1)>", "<\u{200b}javascript:alert(1)>"),
            ("<https://x/<javascript:y>", "<https://x/<\u{200b}javascript:y>"),
        ] {
            assert_eq!(harmless(given), expected, "{given:?}");
        }
    }

    #[test]
    fn p06_html_that_can_act_is_shown_as_text() {
        for (given, expected) in [
            ("a<br>b <sub>c</sub>", "a<br>b <sub>c</sub>"),
            ("<button value=\"cite:1\">1</button>", "&lt;button value=\"cite:1\">1&lt;/button>"),
            ("<b onclick='x>y' style=\"z\">a</b> <br class=x/>", "<b>a</b> <br/>"),
            ("<img src=https://evil/x>", "&lt;img src=https://evil/x>"),
            ("<div>\n<script>x</script>\n</div>", "<div>\n&lt;script>x&lt;/script>\n</div>"),
            ("<script>\n<b>\n[a](javascript:x)", "&lt;script>\n<b>\na"),
            ("a <!-- b --> c", "a <!-- b --> c"),
            ("<!-- open\n\nb", "&lt;!-- open\n\nb"),
            ("1 < 2 `<img>`", "1 < 2 `<img>`"),
            ("<?php x ?> <!DOCTYPE a>", "&lt;?php x ?> &lt;!DOCTYPE a>"),
        ] {
            assert_eq!(harmless(given), expected, "{given:?}");
        }
    }
}
