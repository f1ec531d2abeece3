//! The elements of raw HTML that Web Chat draws, and the text that it loses because of them.
//!
//! Web Chat 4.18.1 cuts the drawn HTML into elements, and drops text that stands in none. A block element ends the paragraph
//! around it, so the text behind it stands in none; and so does the text of an element that is not drawn, outside of paragraphs.

/// The elements that Web Chat 4.18.1 and newer versions draw, without their attributes; observed in both bundles.
const DRAWN: [&str; 34] = [
    "a",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strike",
    "strong",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

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

/// The parts of a table, which hold no text themselves: the standard puts such text before the table.
const TABLE: [&str; 5] = ["table", "tbody", "tfoot", "thead", "tr"];

/// The elements that are drawn in a table alone.
const IN_TABLE: [&str; 7] = ["caption", "tbody", "td", "tfoot", "th", "thead", "tr"];

/// Elements without content.
const VOID: [&str; 2] = ["br", "hr"];

/// Elements that are not drawn as HTML, and whose text is not lost: it is no text for readers, or that of a button.
const OTHERS: [&str; 3] = ["button", "script", "style"];

/// Whether Web Chat draws an element, by its name in lower case.
#[must_use]
pub fn is_drawn(name: &str) -> bool {
    DRAWN.binary_search(&name).is_ok()
}

/// Whether a piece of HTML has an element that ends a paragraph.
#[must_use]
pub fn ends_paragraph(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    parts(&html).any(|part| match part {
        Part::Open(name) | Part::Close(name) => ENDS_PARAGRAPH.binary_search(&name).is_ok(),
        Part::Text(_) => false,
    })
}

/// Whether text of a block of HTML, which stands in no list, quote or table of Markdown, is lost.
#[must_use]
pub fn loses_text(html: &str) -> bool {
    RawHtml::block().read(html)
}

/// The elements around the text that is read.
#[derive(Debug, Default)]
pub struct RawHtml {
    /// Whether text that stands in no drawn element is lost.
    bare: bool,
    /// The drawn elements that are open.
    open: Vec<String>,
    in_comment: bool,
    /// The beginning of a tag that goes on in the next piece.
    begun: String,
}

impl RawHtml {
    /// Begins a block of HTML. A paragraph begins with the default.
    #[must_use]
    pub fn block() -> Self {
        Self { bare: true, ..Self::default() }
    }

    /// Whether text that stands here is lost.
    #[must_use]
    pub fn loses(&self, text: &str) -> bool {
        self.bare && self.open.iter().all(|name| TABLE.contains(&&**name)) && !text.trim().is_empty()
    }

    /// Reads a piece of HTML: tags and comments with text between them. Tells whether text in it is lost.
    pub fn read(&mut self, html: &str) -> bool {
        let mut html = std::mem::take(&mut self.begun) + &self.without_comments(&html.to_ascii_lowercase());
        if let Some(at) = html.rfind('<').filter(|at| !html[*at..].contains('>')) {
            self.begun = html.split_off(at);
        }
        for part in parts(&html) {
            match part {
                Part::Open(name) => self.begin(name),
                Part::Close(name) => self.end(name),
                Part::Text(text) if self.loses(text) => return true,
                Part::Text(_) => {}
            }
        }
        false
    }

    /// The HTML without its comments; one may go on in the next piece.
    fn without_comments(&mut self, html: &str) -> String {
        let mut out = String::with_capacity(html.len());
        let mut rest = html;
        loop {
            let sign = if self.in_comment { "-->" } else { "<!--" };
            let (before, behind) = rest.split_once(sign).map_or((rest, None), |(before, rest)| (before, Some(rest)));
            if !self.in_comment {
                out.push_str(before);
            }
            let Some(behind) = behind else { return out };
            self.in_comment = !self.in_comment;
            rest = behind;
        }
    }

    fn begin(&mut self, name: &str) {
        if ENDS_PARAGRAPH.binary_search(&name).is_ok() {
            self.bare = true;
            if let Some(at) = self.open.iter().rposition(|open| open == "p") {
                self.open.truncate(at);
            }
        }
        let has_place = !IN_TABLE.contains(&name) || self.open.iter().any(|open| open == "table");
        if has_place && (is_drawn(name) || OTHERS.contains(&name)) && !VOID.contains(&name) {
            self.open.push(name.to_owned());
        }
    }

    fn end(&mut self, name: &str) {
        match self.open.iter().rposition(|open| open == name) {
            Some(at) => self.open.truncate(at),
            // It ends the paragraph of Markdown.
            None => self.bare |= name == "p",
        }
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

    #[test]
    fn the_names_are_sorted_so_that_each_is_found() {
        assert!(DRAWN.is_sorted() && ENDS_PARAGRAPH.is_sorted());
        assert!(DRAWN.into_iter().all(is_drawn) && !is_drawn("sub"));
    }

    /// Each was drawn in Web Chat 4.18.1: the first ones lose text, the others none.
    #[test]
    fn text_of_a_block_is_lost_outside_of_drawn_elements() {
        for html in [
            "<div>b</div> c",
            "<DIV>b</DIV> c",
            "<p>a <div>b</div> c</p>",
            "<dl><dt>b</dt></dl>",
            "<details>\n<summary>s</summary>",
            "<kbd>\nb\n</kbd>",
            "<b>\na\n</b> b",
            "<table>b</table>",
            "<td>b</td>",
            "<tr><td>b</td></tr>",
            "<hr>b</hr>",
        ] {
            assert!(loses_text(html), "{html}");
        }
        for html in [
            "<div>b</div>",
            "<div>",
            "</details>",
            "<!-- a <b> -->",
            "<ul><li>a<li>b</ul>",
            "<p>a\n<p>b",
            "<table><tr><td>a</td><td>b</td></tr></table>",
            "<div><span>a</span> <kbd>b</kbd></div>",
        ] {
            assert!(!loses_text(html), "{html}");
        }
    }
}
