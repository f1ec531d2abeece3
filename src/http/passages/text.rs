//! Writes the text of a passage as HTML: blocks of escaped text, and the mark.

use std::ops::Range;

use crate::claims::{BlockKind, PassageBlock, Writing, passage_blocks};
use crate::document::Passage;
use crate::text::visible;

/// Appends a passage. `part` of it is marked, each block of it for itself; the first mark is the place that the page shows at first.
pub(super) fn push_passage(out: &mut String, passage: &Passage, part: Option<&Range<usize>>) {
    let writing = if passage.is_plain() { Writing::Plain } else { Writing::MarkdownAndText };
    let blocks = passage_blocks(&passage.text, writing);
    let mut is_first = true;
    let mut table: Option<(usize, usize)> = None;
    for block in &blocks {
        table = push_table_marks(out, table, block.kind);
        let (start, end) = tags(block.kind, passage.is_plain());
        out.push_str(&start);
        let marked = part.and_then(|part| block.shown(part));
        push_block(out, block, marked.as_ref(), is_first);
        is_first &= marked.is_none();
        out.push_str(end);
    }
    close_table(out, table);
}

/// Opens and closes the table and the row around a block.
fn push_table_marks(out: &mut String, open: Option<(usize, usize)>, kind: BlockKind) -> Option<(usize, usize)> {
    let BlockKind::Cell { table, row } = kind else {
        close_table(out, open);
        return None;
    };
    match open {
        Some((same, before)) if same == table && before == row => {}
        Some((same, _)) if same == table => out.push_str("</tr>\n<tr>"),
        Some(_) | None => {
            close_table(out, open);
            out.push_str("<div class=\"table\"><table><tr>");
        }
    }
    Some((table, row))
}

fn close_table(out: &mut String, open: Option<(usize, usize)>) {
    if open.is_some() {
        out.push_str("</tr></table></div>\n");
    }
}

fn tags(kind: BlockKind, is_plain: bool) -> (String, &'static str) {
    match kind {
        BlockKind::Heading(_) => ("<h3 dir=\"auto\">".to_owned(), "</h3>\n"),
        BlockKind::Paragraph if is_plain => ("<p class=\"plain\" dir=\"auto\">".to_owned(), "</p>\n"),
        BlockKind::Paragraph => ("<p dir=\"auto\">".to_owned(), "</p>\n"),
        BlockKind::Item { depth, number } => {
            let sign = number.map_or_else(|| "•".to_owned(), |number| format!("{number}."));
            (format!("<p class=\"item in{}\" dir=\"auto\"><span>{sign}</span> ", depth.min(3)), "</p>\n")
        }
        BlockKind::Code => ("<pre dir=\"auto\">".to_owned(), "</pre>\n"),
        BlockKind::Cell { row: 0, .. } => ("<th dir=\"auto\">".to_owned(), "</th>"),
        BlockKind::Cell { .. } => ("<td dir=\"auto\">".to_owned(), "</td>"),
    }
}

fn push_block(out: &mut String, block: &PassageBlock, marked: Option<&Range<usize>>, is_first: bool) {
    let Some(marked) = marked else {
        out.push_str(&shown(&block.text));
        return;
    };
    let id = if is_first { " id=\"passage\"" } else { "" };
    let (before, rest) = block.text.split_at(marked.start);
    let (inner, behind) = rest.split_at(marked.end - marked.start);
    out.push_str(&format!("{}<mark{id}>{}</mark>{}", shown(before), shown(inner), shown(behind)));
}

/// A text as readers see it, and nothing that acts.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && !c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}
