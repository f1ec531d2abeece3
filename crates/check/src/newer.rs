//! Checks Markdown that the versions of Web Chat draw in different ways, or not at all: formulas, task lists, pictures inside
//! the text, and Markdown inside HTML.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::code;
use super::findings::Findings;
use super::formula::{self, Formula};
use super::link_label::normal_label;
use super::markdown::{Link, Markdown};
use super::pointer::Pointer;

/// The kinds of pictures that 4.18.1 draws from an address that holds them.
const DRAWN_PICTURES: [&str; 4] = ["png", "jpeg", "gif", "webp"];

pub(super) fn check(text: &str, markdown: &Markdown, at: &Pointer, findings: &mut Findings) {
    formulas(text, at, findings);
    footnotes(text, markdown, at, findings);
    let tasks = task_markers(text).len();
    if tasks > 0 {
        findings.add(
            code::TEXT_TASK_LIST,
            at,
            format!(
                "4.18.1 shows the boxes of a task list as `[ ]` and `[x]` ({tasks}); newer versions draw boxes. Write ☐ and ☑."
            ),
        );
    }
    for link in markdown.links.iter().filter(|link| is_raw_picture(link)) {
        findings.add(
            code::TEXT_IMAGE_RAW,
            at,
            format!(
                "4.18.1 shows the picture at byte {} as its source: its address is neither a web address nor a PNG, JPEG, GIF or \
                 WebP. Give its web address.",
                link.start
            ),
        );
    }
    if let Some((start, label)) = marker_in_html(text, markdown) {
        findings.add(
            code::MARKER_IN_HTML,
            at,
            format!(
                "[{label}] in the HTML at byte {start} is shown as it is written: in a block of HTML, Markdown is read behind a \
                 blank line only, and no badge leads to this source. Put blank lines around it, or write no HTML."
            ),
        );
    } else if let Some(start) = in_html(text, markdown) {
        findings.add(
            code::TEXT_MARKDOWN_IN_HTML,
            at,
            format!(
                "Markdown in the HTML at byte {start} is shown as it is written: in a block of HTML it is read behind a blank line \
                 only. Put blank lines around it, or write no HTML."
            ),
        );
    }
}

/// Reports footnotes.
fn footnotes(text: &str, markdown: &Markdown, at: &Pointer, findings: &mut Findings) {
    if let Some(label) = footnote(text, markdown) {
        findings.add(
            code::TEXT_FOOTNOTE,
            at,
            format!("4.18.1 shows the footnote [^{label}] and its text as they are written; newer versions draw it. Define a link."),
        );
    }
}

/// The label of a footnote that is no definition of a link.
fn footnote(text: &str, markdown: &Markdown) -> Option<String> {
    if !text.contains("[^") {
        return None;
    }
    let is_link =
        |label: &str| markdown.definitions.iter().any(|found| found.label == normal_label(&format!("^{label}")));
    Parser::new_ext(text, Options::ENABLE_FOOTNOTES).find_map(|event| {
        let Event::Start(Tag::FootnoteDefinition(label)) = event else { return None };
        (!is_link(&label)).then(|| label.to_string())
    })
}

fn formulas(text: &str, at: &Pointer, findings: &mut Findings) {
    let all = formula::find(text);
    let Some(Formula { start, is_escape, is_inline }) = all.first().copied() else { return };
    let told = if is_escape {
        "Newer versions draw what stands between `\\(` and `\\)`, or `\\[` and `\\]`, as a formula, without its blanks. Write \
         `&#91;` or `&#40;` for a bracket"
    } else if is_inline {
        "No version draws a formula between single dollars: users see its source. Newer versions draw `\\(…\\)`"
    } else {
        "Only newer versions draw formulas: users of 4.18.1 see the source. Write it in words as well, or as characters"
    };
    findings.add(code::TEXT_FORMULA, at, format!("{told} (byte {start}, {} in all).", all.len()));
}

/// The byte ranges of the boxes of task lists, which stand for `[ ]` and `[x]`.
pub(super) fn task_markers(text: &str) -> Vec<(std::ops::Range<usize>, bool)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    if !text.contains(['[']) {
        return Vec::new();
    }
    let events = Parser::new_ext(text, options).into_offset_iter();
    let boxes = events.filter_map(|(event, range)| {
        let Event::TaskListMarker(done) = event else { return None };
        Some((range, done))
    });
    boxes.collect()
}

/// Whether 4.18.1 shows a picture as its source. One with a web address is requested.
pub(super) fn is_raw_picture(link: &Link) -> bool {
    let Some((scheme, rest)) = link.url.trim_start().split_once(':') else { return false };
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    let kind = || rest.get(..6).filter(|start| start.eq_ignore_ascii_case("image/")).and(rest[6..].split(';').next());
    let is_drawn = || kind().is_some_and(|kind| DRAWN_PICTURES.iter().any(|known| known.eq_ignore_ascii_case(kind)));
    link.image && (["javascript", "vbscript", "file"].into_iter().any(is) || is("data") && !is_drawn())
}

/// The first block of HTML with a marker whose source has none elsewhere, and the label.
fn marker_in_html(text: &str, markdown: &Markdown) -> Option<(usize, String)> {
    let cited: BTreeSet<String> = markdown.links.iter().map(|link| normal_label(&link.label)).collect();
    let labels: BTreeSet<&str> = markdown.definitions.iter().map(|found| found.label.as_str()).collect();
    let blocks = markdown.html.iter().filter(|html| html.is_block);
    blocks.filter_map(|html| Some((html.span.start, words(text.get(html.span.clone())?)))).find_map(|(start, words)| {
        let inner = words.split('[').skip(1).filter_map(|part| Some(normal_label(part.split_once(']')?.0)));
        let mut lost = inner.filter(|label| labels.contains(label.as_str()) && !cited.contains(label));
        lost.next().map(|label| (start, label))
    })
}

/// The byte at which a block of HTML begins in which Markdown is written.
fn in_html(text: &str, markdown: &Markdown) -> Option<usize> {
    let labels: BTreeSet<&str> = markdown.definitions.iter().map(|definition| definition.label.as_str()).collect();
    let blocks = markdown.html.iter().filter(|html| html.is_block);
    let mut written = blocks.filter_map(|html| Some((html.span.start, words(text.get(html.span.clone())?))));
    written.find(|(_, words)| has_markup(words, &labels)).map(|(start, _)| start)
}

/// The text of a block of HTML, without its tags and without what code and scripts hold.
fn words(html: &str) -> String {
    let mut words = String::new();
    let mut rest = html;
    // The element whose content is no text, until it ends.
    let mut skipped: Option<String> = None;
    while let Some(open) = rest.find('<') {
        if skipped.is_none() {
            words.push_str(&rest[..open]);
        }
        let end = if rest[open..].starts_with("<!--") { "-->" } else { ">" };
        let Some(length) = rest[open..].find(end) else { return words };
        let tag = rest[open + 1..open + length].to_ascii_lowercase();
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if tag.starts_with('/') {
            skipped = skipped.filter(|skipped| *skipped != name);
        } else if skipped.is_none() && ["pre", "code", "kbd", "samp", "script", "style", "textarea"].contains(&&*name) {
            skipped = Some(name);
        }
        rest = &rest[open + length + end.len()..];
    }
    if skipped.is_none() {
        words.push_str(rest);
    }
    words
}

/// Whether a text has Markdown that readers would see as signs, or a marker that should be a link.
fn has_markup(words: &str, labels: &BTreeSet<&str>) -> bool {
    let is_marker = |part: &str| part.split_once(']').is_some_and(|(label, _)| labels.contains(&*normal_label(label)));
    let is_markup = |event: Event<'_>| {
        let is_code = matches!(event, Event::Code(_));
        let Event::Start(tag) = event else { return is_code };
        matches!(tag, Tag::Strong | Tag::Strikethrough | Tag::Heading { .. } | Tag::Image { .. } | Tag::Link { .. })
    };
    words.split('[').skip(1).any(is_marker) || Parser::new_ext(words, Options::ENABLE_STRIKETHROUGH).any(is_markup)
}

#[cfg(test)]
mod tests {
    use super::super::example::{assert_text_finds, assert_text_is_fine};

    /// Each was drawn in 4.18.1 and the main branch.
    #[test]
    fn boxes_of_task_lists_are_found() {
        for text in ["- [ ] a\n- [x] b", "1. [ ] a", "* [X] a", "> - [ ] a"] {
            assert_text_finds(text, "text-task-list");
        }
        for text in ["[ ] a", "a [x] b", "`- [ ] a`", "    - [ ] a"] {
            assert_text_is_fine(text);
        }
    }

    #[test]
    fn pictures_that_are_shown_as_their_source_are_found() {
        for address in [
            "data:image/svg+xml;utf8,b",
            "data:image/jpg;base64,AA==",
            "file:///x.png",
            "javascript:1",
            "DATA:text/html,x",
        ] {
            assert_text_finds(&format!("![a]({address})"), "text-image-raw");
        }
        for address in ["data:image/png;base64,AA==", "DATA:image/jpeg;base64,AA==", "data:image/webp;base64,AA=="] {
            assert_text_is_fine(&format!("![a]({address})"));
        }
    }

    #[test]
    fn markdown_in_a_block_of_html_is_found() {
        for html in [
            "<div>\n**bold**\n</div>",
            "<div>**bold**</div>",
            "<div>\n# head\n</div>",
            "<div>a `code` b</div>",
            "<div>See [2](https://a.example) now</div>",
            "<table><tr><td>**b**</td></tr></table>",
        ] {
            assert_text_finds(html, "text-markdown-in-html");
        }
        assert_text_finds("<div>\nSee [1].\n</div>\n\n[1]: https://a.example/", "marker-in-html");
        assert_text_finds("<div>\nSee [1].\n</div>\n\nAs[1] says.\n\n[1]: https://a.example/", "text-markdown-in-html");
        for html in
            ["<div>\n\n**bold**\n\n</div>", "a <b>**b**</b> c", "<div>a_b_c 2*3*4</div>", "<pre>\n**x**\n</pre>"]
        {
            assert_text_is_fine(html);
        }
        assert_text_is_fine("<div><pre>\n**x**\n</pre></div>");
    }

    #[test]
    fn footnotes_are_found() {
        assert_text_finds("A note[^a].\n\n[^a]: The whole note.", "text-footnote");
        assert_text_is_fine("A note[^a], `[^b]`.");
    }

    #[test]
    fn formulas_are_found() {
        for text in ["$$x^2$$", "a $$x$$ b", "is \\(x\\)", "\\[x\\]", "the sum $x^2$ is", "- $A = \\pi r^2$ b"] {
            assert_text_finds(text, "text-formula");
        }
        for text in ["cost $5 and $6", "a \\\\(x\\\\) b", "`\\(x\\)` `$$x$$`", "f\\(x) and g\\(y)", "```\n$$x$$\n```"] {
            assert_text_is_fine(text);
        }
        assert_text_is_fine("a[1].\n\n[1]: https://a.example/ \"Costs $$a$$\"");
    }
}
