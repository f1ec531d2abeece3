//! Writes the HTML and the images of a passage as the Markdown that says the same, so that a dialog shows its words and nothing else.

use citewire_core::text::{ends_paragraph, escape_markdown};

use super::letters::letters;
use super::tag::{Piece, Tag, pieces};
use crate::address::Scheme;
use crate::markdown::Markdown;

/// Elements that stand in a paragraph of their own, beside those that end one.
const BLOCKS: [&str; 7] = ["body", "caption", "html", "legend", "optgroup", "option", "title"];

/// A passage without active parts; `None` if some would be left, or a word or an address would be lost.
pub(super) fn as_markdown(passage: &str) -> Option<String> {
    let markdown = Markdown::read(passage);
    let mut writer = Writer::default();
    let mut end = 0;
    for html in &markdown.html {
        writer.out.push_str(passage.get(end..html.span.start)?);
        let line = writer.out.rfind('\n').map_or(0, |at| at + 1);
        // The signs of a quote or list stand in each line of its block.
        if html.is_block && !writer.out[line..].trim().is_empty() {
            return None;
        }
        writer.html(passage.get(html.span.clone())?, html.is_block)?;
        end = html.span.end;
    }
    writer.out.push_str(passage.get(end..)?);
    let written = without_images(writer.out.trim());
    let rest = Markdown::read(&written);
    let is_clean = rest.html.is_empty() && rest.links.iter().all(|link| !link.image);
    let has_links = rest.links.len() == markdown.links.len() + writer.addresses.len()
        && writer.addresses.iter().all(|address| rest.links.iter().any(|link| link.url == *address));
    let of = |markdown: &Markdown| -> Vec<_> {
        markdown.definitions.iter().map(|found| (found.label.clone(), found.url.clone())).collect()
    };
    let says_same = has_links && of(&markdown) == of(&rest) && letters(passage)? == letters(&written)?;
    (is_clean && says_same && !written.trim().is_empty() && writer.links.is_empty()).then_some(written)
}

/// Makes images links, or takes their sign where they have no words.
fn without_images(text: &str) -> String {
    let images = Markdown::read(text).links.into_iter().filter(|link| link.image);
    let mut starts: Vec<(usize, bool)> = images.map(|link| (link.start, link.text.trim().is_empty())).collect();
    starts.sort_unstable();
    let mut written = text.to_owned();
    for (start, is_wordless) in starts.into_iter().rev() {
        written.replace_range(start..=start, if is_wordless { "\\!" } else { "" });
    }
    written
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The links that are open: the length of the text at their beginning, and their address.
    links: Vec<(usize, Option<String>)>,
    /// The addresses of the links that are written.
    addresses: Vec<String>,
    /// The lists that are open, with the number of the next item.
    lists: Vec<Option<u32>>,
    /// The place of the sign of an item that has no words yet.
    item: Option<std::ops::Range<usize>>,
    /// Whether the row that is open has a cell.
    has_cell: bool,
}

impl Writer {
    fn html(&mut self, source: &str, is_block: bool) -> Option<()> {
        for piece in pieces(source, is_block)? {
            match piece {
                Piece::Words(words) if is_block => self.words(words),
                // A tag of a paragraph stands alone, unless signs of a quote stand in it.
                Piece::Words(_) => return None,
                Piece::Tag(tag) => self.tag(&tag)?,
            }
        }
        Some(())
    }

    /// Writes words that are no Markdown.
    fn words(&mut self, words: &str) {
        for (index, line) in words.split('\n').enumerate() {
            if index > 0 && !self.begins_line() {
                self.out.push('\n');
            }
            let begins_line = self.begins_line();
            // Blanks at the beginning of a line would make code of it.
            let words = line.trim_start();
            if !begins_line && words.len() < line.len() {
                self.out.push(' ');
            }
            let escaped = escaped(words);
            let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
            let is_item = digits > 0 && escaped[digits..].starts_with(['.', ')']);
            if begins_line && (is_item || escaped.starts_with(['-', '+', '='])) {
                let sign = if is_item { digits } else { 0 };
                self.out.push_str(&escaped[..sign]);
                self.out.push('\\');
                self.out.push_str(&escaped[sign..]);
            } else {
                self.out.push_str(&escaped);
            }
        }
    }

    fn is_new_item(&self) -> bool {
        self.item.as_ref().is_some_and(|sign| sign.end == self.out.len())
    }

    fn begins_line(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n') || self.is_new_item()
    }

    fn tag(&mut self, tag: &Tag<'_>) -> Option<()> {
        match (tag.name.as_str(), tag.is_end) {
            ("a", true) => {
                let Some((start, Some(address))) = self.links.pop() else { return Some(()) };
                // A link without words leads nowhere.
                if self.out[start..].trim().is_empty() {
                    return None;
                }
                self.out.push_str(&format!("](<{address}>)"));
                let read = Markdown::read(&format!("[a](<{address}>)")).links.pop()?.url;
                self.addresses.push(read);
            }
            ("a", false) => {
                let address = address(tag)?;
                self.out.push_str(if address.is_some() { "[" } else { "" });
                self.links.push((self.out.len(), address));
            }
            ("img", _) => self.out.push_str(&escaped(tag.attribute("alt").unwrap_or_default())),
            ("br", _) if !self.begins_line() => self.out.push_str("  \n"),
            ("ol" | "ul", false) => {
                let first = tag.attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push((tag.name == "ol").then_some(first));
                self.begin(2);
            }
            ("ol" | "ul", true) => {
                self.lists.pop();
                self.begin(2);
            }
            ("li" | "dt" | "dd", is_end) => {
                if let Some(sign) = self.item.take_if(|sign| sign.end == self.out.len()) {
                    self.out.truncate(sign.start);
                }
                self.begin(1);
                if !is_end {
                    self.begin_item();
                }
            }
            ("tr", _) => {
                self.begin(1);
                self.has_cell = false;
            }
            ("td" | "th", false) => {
                if self.has_cell && !self.begins_line() {
                    self.out.push_str(" | ");
                }
                self.has_cell = true;
            }
            ("button", _) if !self.begins_line() && !self.out.ends_with(' ') => self.out.push(' '),
            (name, _) if BLOCKS.contains(&name) || ends_paragraph(&format!("<{name}>")) => self.begin(2),
            _ => {}
        }
        Some(())
    }

    fn begin_item(&mut self) {
        let start = self.out.len();
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number = number.saturating_add(1);
            }
            Some(None) | None => self.out.push_str("- "),
        }
        self.item = Some(start..self.out.len());
    }

    /// Begins a line or a paragraph, unless one has begun.
    fn begin(&mut self, breaks: usize) {
        if self.is_new_item() || self.out.chars().all(char::is_whitespace) {
            return;
        }
        let there = self.out.len() - self.out.trim_end_matches('\n').len();
        (there..breaks).for_each(|_| self.out.push('\n'));
    }
}

/// A text as Markdown reads it, with its entities.
fn escaped(text: &str) -> String {
    escape_markdown(text).replace("\\&", "&")
}

/// The address of a link, if it has one that leads anywhere; `None` if no link of Markdown can have it.
#[expect(clippy::option_option, reason = "a link without an address is no fault")]
fn address(link: &Tag<'_>) -> Option<Option<String>> {
    let Some(address) = link.attribute("href").map(str::trim).filter(|href| !href.is_empty()) else {
        return Some(None);
    };
    let is_script = ["javascript:", "vbscript:"]
        .iter()
        .any(|scheme| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    if address.starts_with('#') || is_script {
        return Some(None);
    }
    let is_safe = matches!(Scheme::of(address), Scheme::Web | Scheme::Program);
    (is_safe && !address.contains(['<', '>', '\\', '\n', '\r'])).then(|| Some(address.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::as_markdown;

    #[test]
    fn words_and_links_stay_and_tags_go() {
        for (html, markdown) in [
            ("<h1>Closing</h1> Document ID: 102", "Closing\n\nDocument ID: 102"),
            ("<p>Keep it.</p>\n<ul>\n<li>One</li>\n<li>Two</li>\n</ul>", "Keep it.\n\n- One\n- Two"),
            ("See <a href=\"https://a.example/\" title=\"x\">this</a>.", "See [this](<https://a.example/>)."),
            ("<div><script>if (a < b) alert(1)</script>Words</div>", "Words"),
            ("a <img src=\"https://a.example/p.png\" alt=\"plan\"> b", "a plan b"),
            ("a ![plan](https://a.example/p.png)", "a [plan](https://a.example/p.png)"),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b"),
            ("x <custom-element y=\"1\">z</custom-element>", "x z"),
        ] {
            assert_eq!(as_markdown(html).as_deref(), Some(markdown), "{html}");
        }
        assert_eq!(as_markdown("<img src=\"https://a.example/p.png\">"), None);
    }

    #[test]
    fn a_sign_that_is_no_tag_is_a_word() {
        let over = "<div>Over 65? a < b, see page 9</div>";
        assert_eq!(as_markdown(over).as_deref(), Some("Over 65? a \\< b, see page 9"));
        assert_eq!(as_markdown("<div title=\"a > b\">One</div>").as_deref(), Some("One"));
        for unclosed in ["<div>One <b", "<div>One</div\n", "<div><script>One", "<div>\n<!-- One\n</div>"] {
            assert_eq!(as_markdown(unclosed), None, "{unclosed}");
        }
        assert_eq!(as_markdown("<div>See <https://a.example/></div>"), None);
    }

    #[test]
    fn what_stands_apart_stays_apart() {
        for (html, markdown) in [
            ("<details><summary>One</summary>Two</details>", "One\n\nTwo"),
            ("<div>One<hr>Two</div>", "One\n\nTwo"),
            ("<div><figure>One</figure><nav>Two</nav><address>Three</address></div>", "One\n\nTwo\n\nThree"),
            ("<div><select><option>One<option>Two</select></div>", "One\n\nTwo"),
            ("<table><tr><td>One<td>Two<tr><th>Three</table>", "One | Two\nThree"),
        ] {
            assert_eq!(as_markdown(html).as_deref(), Some(markdown), "{html}");
        }
    }

    #[test]
    fn words_of_a_block_are_no_markdown() {
        for (html, markdown) in [
            ("<div>[1]: https://a.example/</div>", "\\[1\\]: https://a.example/"),
            ("<div>2 *3* 4 &amp; &lt;b&gt;</div>", "2 \\*3\\* 4 &amp; &lt;b&gt;"),
            ("<div>One\n---\n# Two\n- Three\n4. Four</div>", "One\n\\---\n\\# Two\n\\- Three\n4\\. Four"),
        ] {
            assert_eq!(as_markdown(html).as_deref(), Some(markdown), "{html}");
        }
        for swallowed in
            ["x <div>[1]: https://a.example/</div>", "x <p># One</p>", "x <p>- One</p>", "> <div>\n> One</div>"]
        {
            assert_eq!(as_markdown(swallowed), None, "{swallowed}");
        }
    }

    #[test]
    fn links_keep_their_address() {
        for (html, markdown) in [
            ("See <a\nhref=https://a.example/>this</a>.", "See [this](<https://a.example/>)."),
            ("See <a href = \"mailto:a@a.example\">this</a>.", "See [this](<mailto:a@a.example>)."),
            ("<p><a href='tel:1'>a [1]</a></p>", "[a \\[1\\]](<tel:1>)"),
            ("<a href=\"https://a.example/\"><img src=x alt=plan></a>", "[plan](<https://a.example/>)"),
            ("<a href=\"https://a.example/?b&amp;c\">d</a> <sub>e</sub>", "[d](<https://a.example/?b&amp;c>) e"),
            ("See <a href=\"#top\">this</a> <a name=x>one</a>.", "See this one."),
        ] {
            assert_eq!(as_markdown(html).as_deref(), Some(markdown), "{html}");
        }
        for lost in [
            "See <a href=\"https://a.example/\">this.",
            "See <a href=\"https://a.example/\">th]is</a>.",
            "See <a href=\"/policy\">this</a>.",
            "One <a href=\"https://a.example/\"><img src=x></a>",
            "<a href=\"https://a.example/\">![plan](https://a.example/p.png)</a>",
            "<a href=\"https://a.example/\"><div>One</div></a>",
        ] {
            assert_eq!(as_markdown(lost), None, "{lost}");
        }
    }

    #[test]
    fn items_have_their_words_and_numbers() {
        for (html, markdown) in [
            ("<ul><li><p>One</p></li><li>\n<p>Two</p></li></ul>", "- One\n\n- Two"),
            ("<ul><li><blockquote>One</blockquote></li><li></li></ul>", "- One"),
            ("<ol><li>One</li><li>Two<ul><li>Three</li></ul></li></ol>", "1. One\n2. Two\n\n- Three"),
            ("<ul><li><ul><li>One</li></ul></li></ul>", "- One"),
            ("<ol start=\"3\"><li>One<li>1. Two</ol>", "3. One\n4. 1\\. Two"),
        ] {
            assert_eq!(as_markdown(html).as_deref(), Some(markdown), "{html}");
        }
    }
}
