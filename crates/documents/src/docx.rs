//! Word files: paragraphs, headings by their styles, lists, tables, footnotes, heads and feet, words for pictures.

use std::collections::{BTreeMap, HashSet};

use crate::archive::Archive;
use crate::extracted::{Extracted, one_line};
use crate::markdown::Markdown;
use crate::picture::words_for_picture;
use crate::relationships;
use crate::script::raised;
use crate::xml::{Element, Step, walk};
use crate::{Limits, Markup, Unread, UnreadKind, Unreadable};

/// The text of a Word file.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let mut archive = Archive::open(bytes, limits)?;
    let main = relationships::main_part(&mut archive, limits, "word/document.xml")?;
    if !archive.has(&main) || !main.starts_with("word/") {
        return Err(Unreadable::NotWhatItsNameSays("DOCX".to_owned()));
    }
    let document = archive.needed(&main)?;
    let targets = relationships::of_part(&mut archive, &main, limits)?;
    let part_of = |kind: &str| targets.values().find(|target| target.kind == kind).map(|target| target.part.clone());
    let mut headings = BTreeMap::new();
    if let Some(part) = part_of("styles")
        && let Some(styles) = archive.part(&part)?
    {
        headings = heading_styles(&styles, limits)?;
    }
    let mut body = Body { headings, markdown: Markdown::new(limits.max_text_bytes), ..Body::empty() };
    // Sections repeat their heads and feet.
    let mut seen = HashSet::new();
    let mut of_kinds = |kinds: &[&str]| -> Result<Vec<Vec<u8>>, Unreadable> {
        let wanted = kinds.iter().flat_map(|kind| targets.values().filter(move |target| target.kind == *kind));
        let parts = wanted.map(|target| archive.part(&target.part)).collect::<Result<Vec<_>, _>>()?;
        Ok(parts.into_iter().flatten().filter(|part| seen.insert(part.clone())).collect())
    };
    let mut parts = of_kinds(&["header", "footer"])?;
    parts.push(document);
    parts.extend(of_kinds(&["footnotes", "endnotes", "diagramData"])?);
    for part in parts {
        walk(&part, limits, |step| body.take(step))?;
    }
    let mut unread = Unread::default();
    unread.add(UnreadKind::Comments, targets.values().filter(|target| target.kind == "comments").count());
    unread.add(UnreadKind::Charts, targets.values().filter(|target| target.kind == "chart").count());
    let title = relationships::title(&mut archive, limits)?;
    Ok(Extracted { unread, ..Extracted::whole(title, Markup::Markdown, body.markdown.finish()) })
}

/// The levels of the styles that make a paragraph a heading, by the ids of the styles.
fn heading_styles(bytes: &[u8], limits: &Limits) -> Result<BTreeMap<String, u8>, Unreadable> {
    let mut levels = BTreeMap::new();
    let mut style = String::new();
    walk(bytes, limits, |step| {
        if let Step::Open(element) = step {
            let value = element.attribute("val").unwrap_or_default().to_lowercase();
            match element.name.as_str() {
                "style" => style = element.attribute("styleId").unwrap_or_default().to_owned(),
                "name" if value == "title" => {
                    levels.insert(style.clone(), 1);
                }
                "name" => {
                    if let Some(level) = value.strip_prefix("heading ").and_then(|level| level.parse().ok()) {
                        levels.insert(style.clone(), level);
                    }
                }
                "outlineLvl" => {
                    if let Some(level) = value.parse::<u8>().ok().filter(|level| *level < 9) {
                        levels.entry(style.clone()).or_insert(level + 1);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    })?;
    Ok(levels)
}

/// A paragraph that is being read.
#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    heading: Option<u8>,
    /// The depth in a list.
    item: Option<usize>,
}

/// A table that is being read.
#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
    cell: String,
}

#[derive(Debug)]
struct Body {
    headings: BTreeMap<String, u8>,
    markdown: Markdown,
    paragraphs: Vec<Paragraph>,
    tables: Vec<Table>,
    /// Inside of so many elements whose text is not that of the document.
    hidden: usize,
    is_text: bool,
    /// The run is written higher.
    is_raised: bool,
}

/// Elements without text of the document: codes of fields, deleted and moved text, and fallbacks for older programs.
const HIDDEN: [&str; 5] = ["instrText", "delText", "Fallback", "del", "moveFrom"];

impl Body {
    fn empty() -> Self {
        let (headings, markdown) = (BTreeMap::new(), Markdown::new(0));
        Self {
            headings,
            markdown,
            paragraphs: Vec::new(),
            tables: Vec::new(),
            hidden: 0,
            is_text: false,
            is_raised: false,
        }
    }

    fn take(&mut self, step: Step) -> Result<(), Unreadable> {
        match step {
            Step::Open(element) => self.open(&element),
            Step::Close(name) => return self.close(&name),
            Step::Text(text) if self.is_text && self.hidden == 0 => self.write(&text),
            Step::Text(_) => {}
        }
        Ok(())
    }

    fn write(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            let before = paragraph.text.chars().next_back();
            let raised = self.is_raised.then(|| raised(before, text));
            paragraph.text.push_str(raised.as_deref().unwrap_or(text));
        }
    }

    fn open(&mut self, element: &Element) {
        let value = element.attribute("val").unwrap_or_default();
        match element.name.as_str() {
            name if HIDDEN.contains(&name) => self.hidden += 1,
            _ if self.hidden > 0 => {}
            "p" => self.paragraphs.push(Paragraph::default()),
            "r" => self.is_raised = false,
            "vertAlign" => self.is_raised = value == "superscript",
            "t" => self.is_text = true,
            "tab" if !self.paragraphs.is_empty() => self.write(" "),
            "br" | "cr" => self.write("\n"),
            "noBreakHyphen" => self.write("\u{2011}"),
            "docPr" => {
                if let Some(words) = element.attribute("descr").and_then(words_for_picture) {
                    self.write(&format!(" {words} "));
                }
            }
            "tbl" => self.tables.push(Table::default()),
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            "pStyle" => {
                let heading = self.headings.get(value).copied();
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.heading = heading;
                }
            }
            "outlineLvl" => {
                if let (Some(paragraph), Ok(level @ 0..9)) = (self.paragraphs.last_mut(), value.parse::<u8>()) {
                    paragraph.heading = Some(level + 1);
                }
            }
            "ilvl" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.item = value.parse().ok();
                }
            }
            // The list 0 takes a paragraph out of the list of its style.
            "numId" if value == "0" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.item = None;
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) -> Result<(), Unreadable> {
        match name {
            name if HIDDEN.contains(&name) => self.hidden = self.hidden.saturating_sub(1),
            _ if self.hidden > 0 => {}
            "t" => self.is_text = false,
            "p" => return self.end_paragraph(),
            "tc" => {
                if let Some(table) = self.tables.last_mut() {
                    let cell = std::mem::take(&mut table.cell);
                    table.rows.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
                }
            }
            "tbl" => {
                let Some(table) = self.tables.pop() else { return Ok(()) };
                match self.tables.last_mut() {
                    // A table in a cell becomes text of that cell.
                    Some(outer) => {
                        for cell in table.rows.concat() {
                            outer.cell.push_str(&cell);
                            outer.cell.push(' ');
                        }
                    }
                    None => return self.markdown.table(&table.rows),
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end_paragraph(&mut self) -> Result<(), Unreadable> {
        let Some(Paragraph { text, heading, item }) = self.paragraphs.pop() else { return Ok(()) };
        if let Some(table) = self.tables.last_mut() {
            table.cell.push_str(&one_line(&text));
            table.cell.push(' ');
            return Ok(());
        }
        match (heading, item) {
            (Some(level), _) => self.markdown.heading(level, &text),
            (None, Some(depth)) => self.markdown.item(depth, &text),
            (None, None) => self.markdown.paragraph(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{docx, docx_with, zip};

    fn text(body: &str) -> Result<String, Unreadable> {
        extract(&docx(body), &Limits::default()).map(|extracted| extracted.pages[0].text.clone())
    }

    #[test]
    fn headings_lists_and_tables_become_markdown() {
        let body = r#"
            <w:p><w:pPr><w:pStyle w:val="Titel"/></w:pPr><w:r><w:t>The *Handbook*</w:t></w:r></w:p>
            <w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr><w:r><w:t>Leave</w:t></w:r></w:p>
            <w:p><w:r><w:t xml:space="preserve">Staff get </w:t></w:r><w:hyperlink r:id="x"><w:r><w:t>30 days</w:t></w:r></w:hyperlink><w:r><w:t> [1].</w:t></w:r></w:p>
            <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>
            <w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>two</w:t></w:r></w:p>
            <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>
            <w:tr><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>
            <w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"#;
        assert_eq!(
            text(body).as_deref(),
            Ok(
                "# The \\*Handbook\\*\n\n## Leave\n\nStaff get 30 days \\[1\\].\n\n- one\n  - two\n\n| a | b |\n| --- | --- |\n| c | |\n\nnew\n"
            )
        );
    }

    #[test]
    fn heads_feet_boxes_and_words_for_pictures_are_read_and_comments_are_counted() {
        let text = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
        let picture = r#"<w:p><w:r><w:drawing><wp:docPr id="1" descr="The way to the exit"/></w:drawing></w:r></w:p>"#;
        let boxed = format!(
            "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>{0}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>{0}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>",
            text("In a box")
        );
        let body = format!("{}{picture}{boxed}", text("Body"));
        let (head, note) = (text("Head"), text("Comment"));
        let more = [
            ("header", "header1.xml", head.as_str()),
            ("header", "header2.xml", head.as_str()),
            ("comments", "comments.xml", note.as_str()),
            ("chart", "charts/chart1.xml", "<c/>"),
        ];
        let extracted = extract(&docx_with(&body, &more), &Limits::default()).expect("text");
        assert_eq!(extracted.pages[0].text, "Head\n\nBody\n\nThe way to the exit\n\nIn a box\n");
        let loss = extracted.loss().expect("a loss");
        assert_eq!((loss.to_string().as_str(), loss.is_partial), ("not read: 1 part with comments, 1 chart", false));
    }

    #[test]
    fn an_exponent_is_no_part_of_the_number_before_it() {
        let body = r#"<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>
            <w:r><w:t xml:space="preserve"> cells</w:t></w:r></w:p>"#;
        assert_eq!(text(body).as_deref(), Ok("10⁶ cells\n"));
    }

    #[test]
    fn an_entity_of_the_document_is_not_read_and_a_broken_part_is_named_damaged() {
        let files = |document: &str| zip(&[("word/document.xml", document.as_bytes())]);
        let evil = r#"<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d><p><t>a&x;</t></p></d>"#;
        let extracted = extract(&files(evil), &Limits::default()).expect("text");
        assert_eq!(extracted.pages[0].text, "a\n");
        assert!(matches!(extract(&files("<d><p>"), &Limits::default()), Err(Unreadable::Damaged(_))));
        let other = zip(&[("mimetype", b"x".as_slice())]);
        assert_eq!(extract(&other, &Limits::default()), Err(Unreadable::NotWhatItsNameSays("DOCX".to_owned())));
    }

    #[test]
    fn no_more_is_unpacked_than_the_limits_allow() {
        let bomb = zip(&[("word/document.xml", vec![b' '; 1 << 20].as_slice())]);
        assert!(bomb.len() < 10_000);
        let limits = Limits { max_part_bytes: 1 << 19, ..Limits::default() };
        assert_eq!(extract(&bomb, &limits), Err(Unreadable::TooMuchUnpacked { limit: 1 << 19 }));
        let limits = Limits { max_parts: 0, ..Limits::default() };
        assert!(matches!(extract(&bomb, &limits), Err(Unreadable::TooMuchUnpacked { .. })));
    }
}
