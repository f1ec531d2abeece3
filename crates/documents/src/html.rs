//! HTML and XHTML: what readers see, with headings, lists, tables and code.

use html5ever::Attribute;
use markup5ever_rcdom::{Handle, NodeData};

use crate::extracted::{Extracted, one_line};
use crate::html_table::{Span, Table};
use crate::markdown::Markdown;
use crate::picture::words_for_picture;
use crate::script::raised;
use crate::{Limits, Markup, Unread, UnreadKind, Unreadable, encoding, html_tree};

/// The text of a page of HTML.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let mut markdown = Markdown::new(limits.max_text_bytes);
    let mut unread = Unread::default();
    let title = write(&encoding::html_text(bytes)?, limits, &mut markdown, &mut unread)?;
    Ok(Extracted { unread, ..Extracted::whole(title, Markup::Markdown, markdown.finish()) })
}

/// Writes a page, and returns its title.
pub(crate) fn write(
    text: &str,
    limits: &Limits,
    markdown: &mut Markdown,
    unread: &mut Unread,
) -> Result<Option<String>, Unreadable> {
    let dom = html_tree::parse(text, limits)?;
    let mut page = Page::new(limits, markdown);
    page.walk(&dom.document)?;
    page.end_block()?;
    unread.add(UnreadKind::Formulas, page.formulas);
    unread.add(UnreadKind::Embedded, page.embedded);
    Ok(page.title)
}

/// Elements that are not read: a page does not show them, or they are not its text.
const HIDDEN: [&str; 14] = [
    "script", "style", "template", "noscript", "nav", "svg", "math", "iframe", "object", "button", "select",
    "textarea", "audio", "video",
];

const BLOCKS: [&str; 26] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "aside",
    "blockquote",
    "figure",
    "figcaption",
    "address",
    "dl",
    "dt",
    "dd",
    "fieldset",
    "form",
    "hr",
    "body",
    "html",
    "details",
    "summary",
    "center",
    "caption",
    "legend",
    "hgroup",
];

struct Page<'m> {
    limits: Limits,
    markdown: &'m mut Markdown,
    title: Option<String>,
    /// The text of the block that is being read.
    block: String,
    tables: Vec<Table>,
    /// Where raised texts begin in the block.
    raised: Vec<usize>,
    lists: usize,
    /// The block is the first one of an item.
    begins_item: bool,
    heading: Option<u8>,
    is_preformatted: bool,
    is_title: bool,
    /// The numbers of formulas and embedded pages, which are not read.
    formulas: usize,
    embedded: usize,
}

/// A step through the tree of a page.
enum Visit {
    Enter(Handle, usize),
    Leave(String),
}

impl<'m> Page<'m> {
    fn new(limits: &Limits, markdown: &'m mut Markdown) -> Self {
        Self {
            limits: *limits,
            markdown,
            title: None,
            block: String::new(),
            tables: Vec::new(),
            raised: Vec::new(),
            lists: 0,
            begins_item: false,
            heading: None,
            is_preformatted: false,
            is_title: false,
            formulas: 0,
            embedded: 0,
        }
    }

    /// Visits all nodes. The stack is a list, which no nesting makes overflow.
    fn walk(&mut self, root: &Handle) -> Result<(), Unreadable> {
        let mut stack = vec![Visit::Enter(root.clone(), 0)];
        while let Some(visit) = stack.pop() {
            let (node, depth) = match visit {
                Visit::Enter(node, depth) => (node, depth),
                Visit::Leave(name) => {
                    self.leave(&name)?;
                    continue;
                }
            };
            if depth > self.limits.max_depth {
                return Err(Unreadable::damaged("its elements are nested too deep"));
            }
            match &node.data {
                NodeData::Text { contents } => self.text(&contents.borrow()),
                NodeData::Element { name, attrs, .. } => {
                    let name = name.local.to_ascii_lowercase().to_string();
                    if HIDDEN.contains(&name.as_str()) {
                        self.formulas += usize::from(name == "math");
                        self.embedded += usize::from(matches!(name.as_str(), "iframe" | "object"));
                        continue;
                    }
                    if name == "img" {
                        self.picture(&attrs.borrow());
                    }
                    self.enter(&name, &Span::of(&attrs.borrow()))?;
                    stack.push(Visit::Leave(name));
                }
                NodeData::Document
                | NodeData::Doctype { .. }
                | NodeData::Comment { .. }
                | NodeData::ProcessingInstruction { .. } => {}
            }
            stack.extend(node.children.borrow().iter().rev().map(|child| Visit::Enter(child.clone(), depth + 1)));
        }
        Ok(())
    }

    /// Writes the words that stand for a picture.
    fn picture(&mut self, attributes: &[Attribute]) {
        let words = attributes.iter().find(|attribute| &*attribute.name.local == "alt");
        if let Some(words) = words.and_then(|words| words_for_picture(&words.value)) {
            self.text(&format!(" {words} "));
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_title {
            self.title.get_or_insert_default().push_str(text);
        } else if self.is_preformatted {
            self.block.push_str(text);
        } else {
            // Line ends of the source are blanks; those of `br` come from elsewhere.
            self.block.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
        }
    }

    fn enter(&mut self, name: &str, span: &Span) -> Result<(), Unreadable> {
        match name {
            "title" => self.is_title = self.title.is_none(),
            "sup" => self.raised.push(self.block.len()),
            "br" => self.block.push('\n'),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_block()?;
                self.heading = name[1..].parse().ok();
            }
            "pre" => {
                self.end_block()?;
                self.is_preformatted = true;
            }
            "ul" | "ol" | "menu" => {
                self.end_block()?;
                self.lists += 1;
            }
            "li" => {
                self.end_block()?;
                self.begins_item = true;
            }
            "table" => {
                self.end_block()?;
                self.tables.push(Table::default());
            }
            "tr" => {
                self.end_block()?;
                self.tables.last_mut().into_iter().for_each(Table::begin_row);
            }
            "td" | "th" => {
                self.end_block()?;
                self.tables.last_mut().into_iter().for_each(|table| table.begin_cell(span));
            }
            name if BLOCKS.contains(&name) => self.end_block()?,
            _ => {}
        }
        Ok(())
    }

    fn leave(&mut self, name: &str) -> Result<(), Unreadable> {
        match name {
            "title" => self.is_title = false,
            "sup" => self.end_raised(),
            "ul" | "ol" | "menu" => {
                self.end_block()?;
                self.lists = self.lists.saturating_sub(1);
                self.begins_item = false;
            }
            "pre" => {
                self.end_block()?;
                self.is_preformatted = false;
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_block()?;
                self.heading = None;
            }
            "td" | "th" => {
                self.end_block()?;
                self.tables.last_mut().into_iter().for_each(Table::end_cell);
            }
            "tr" => {
                self.end_block()?;
                self.tables.last_mut().into_iter().for_each(Table::end_row);
            }
            "li" => self.end_block()?,
            "table" => {
                self.end_block()?;
                let Some(rows) = self.tables.pop().map(Table::rows) else { return Ok(()) };
                // A table in a cell becomes text of that cell.
                if self.tables.is_empty() {
                    self.markdown.table(&rows)?;
                } else {
                    self.block.push_str(&rows.concat().join(" "));
                    self.end_block()?;
                }
            }
            name if BLOCKS.contains(&name) => self.end_block()?,
            _ => {}
        }
        Ok(())
    }

    /// Writes the text that has been read since the beginning of a raised one higher, unless a block ended in it.
    fn end_raised(&mut self) {
        let Some(start) = self.raised.pop().filter(|start| *start <= self.block.len()) else { return };
        let Some(text) = self.block.get(start..).map(str::to_owned) else { return };
        self.block.truncate(start);
        let raised = raised(self.block.chars().next_back(), &text);
        self.block.push_str(&raised);
    }

    /// Writes the block that has been read.
    fn end_block(&mut self) -> Result<(), Unreadable> {
        let block = std::mem::take(&mut self.block);
        if block.trim().is_empty() {
            return Ok(());
        }
        let cell = self.tables.last_mut().and_then(Table::cell);
        if let Some(cell) = cell {
            cell.push_str(&one_line(&block));
            cell.push(' ');
            return Ok(());
        }
        let begins_item = std::mem::take(&mut self.begins_item);
        match self.heading {
            Some(level) => self.markdown.heading(level, &block),
            None if self.is_preformatted => self.markdown.code(&block),
            None if begins_item => self.markdown.item(self.lists.saturating_sub(1), &block),
            None => self.markdown.paragraph(&block),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        extract(html.as_bytes(), &Limits::default()).expect("text").pages[0].text.clone()
    }

    #[test]
    fn what_readers_see_becomes_markdown() {
        let html = "<!doctype html><title>The  title</title><style>x</style><nav>menu</nav><h2>A <em>b</em> *c*</h2>\n\
                    <p>One <a href=https://x.example/>two</a>\nthree &amp; four [1].<p>five<br>six\n\
                    <ul><li>a<ul><li>b</ul><li><p>c</p><p>more</p></ul><pre><code>x = 1\n  y</code></pre>\n\
                    <table><tr><th>h<th>i<tr><td>j|k<td><p>l</p><p>m</p></table><script>no</script>";
        let expected = "## A b \\*c\\*\n\nOne two three & four \\[1\\].\n\nfive\nsix\n\n- a\n  - b\n- c\n\nmore\n\n\
                        ```\nx = 1\n  y\n```\n\n| h | i |\n| --- | --- |\n| j\\|k | l m |\n";
        assert_eq!(text(html), expected);
        let extracted = extract(html.as_bytes(), &Limits::default()).expect("text");
        assert_eq!(extracted.title.as_deref(), Some("The title"));
    }

    #[test]
    fn exponents_and_cells_over_several_rows_and_columns_stay_where_they_belong() {
        assert_eq!(text("<p>10<sup>6</sup> cells per m<sup>2</sup>, 5<sup>th</sup>"), "10⁶ cells per m², 5th\n");
        let table = "<table><tr><th>Grade<th colspan=2>Leave<tr><td rowspan=2>A<td>paid<td>30<tr><td>sick<td>10<tr><td>B<td>paid<td>20</table>";
        let expected =
            "| Grade | Leave | |\n| --- | --- | --- |\n| A | paid | 30 |\n| A | sick | 10 |\n| B | paid | 20 |\n";
        assert_eq!(text(table), expected);
        let endless =
            "<table><tr><td rowspan=65534 colspan=1000>x".to_owned() + &"<tr><td colspan=1000>y".repeat(3_000);
        assert!(text(&endless).len() < 100_000_000);
    }

    #[test]
    fn words_for_pictures_are_read_and_formulas_and_embedded_pages_are_counted() {
        let html =
            "<p>Go <img src=a.png alt='to the left'> now.<p><img alt='b.png'><math><mi>x</mi></math><iframe></iframe>";
        let extracted = extract(html.as_bytes(), &Limits::default()).expect("text");
        assert_eq!(extracted.pages[0].text, "Go to the left now.\n");
        assert_eq!(extracted.loss().expect("a loss").to_string(), "not read: 1 formula, 1 embedded page");
    }

    #[test]
    fn xhtml_with_empty_elements_is_read_to_its_end() {
        let xhtml = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script/></head>\
                     <body><p><a id='x'/>All of it.</p></body></html>";
        assert_eq!(text(xhtml), "All of it.\n");
    }

    fn refused(html: &str) -> String {
        extract(html.as_bytes(), &Limits::default()).expect_err("refused").to_string()
    }

    #[test]
    fn elements_that_are_nested_without_end_are_refused_at_once() {
        // A parser that looks through all open elements for each new one takes hours for these.
        let bold: String = (0..60_000).map(|number| format!("<p><b id={number}>")).collect();
        for open in ["<div>", "<template>", "<svg><g>", "<ul><li>", "<table><tr><td>", "<?xml version='1.0'?><a><a>"] {
            let html = format!("{}x", open.repeat(60_000));
            assert!(refused(&html).contains("nested too deep"), "{open}");
        }
        assert!(refused(&bold).contains("nested too deep"));
    }

    #[test]
    fn attributes_without_end_are_refused_at_once_and_many_are_none() {
        let attributes = |count: usize| (0..count).map(|number| format!(" a{number}=''")).collect::<String>();
        for start in ["<p", "<?xml version='1.0'?><p", "<!-- <p x=\" --><p"] {
            assert!(refused(&format!("{start}{}>x", attributes(60_000))).contains("too many attributes"), "{start}");
        }
        assert_eq!(
            text(&format!("<p{}>one</p><p x='{}'>two", attributes(2_000), "a ".repeat(300_000))),
            "one\n\ntwo\n"
        );
    }

    #[test]
    fn a_long_list_of_siblings_is_no_long_search() {
        let cells = "<b>x</b>".repeat(20_000);
        assert!(text(&format!("<table>{cells}")).starts_with("xxx"));
        assert!(text(&"<p>x".repeat(20_000)).starts_with("x\n\nx"));
        assert_eq!(
            text(&format!(
                "<select><selectedcontent></selectedcontent>{}</select>y",
                "<option selected>x".repeat(5_000)
            )),
            "y\n"
        );
    }
}
