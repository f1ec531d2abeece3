//! The lines of a page as blocks of Markdown: headings, paragraphs, and the steps and items of lists.

use super::headings::Headings;
use super::items::{Mark, item, step_of};
use super::joining::{Joined, joined};
use super::lines::Line;
use super::tables::{PagePart, Table, parts};
use crate::extracted::{Word, number};
use crate::markdown::escaped;

/// A heading has so many lines.
const HEADING_LINES: usize = 3;
/// A line this much further left than its item, in sizes of the font, is no part of it.
const OUTDENT: f32 = 0.5;

/// A block of text.
#[derive(Debug)]
struct Block<'l> {
    kind: Kind,
    lines: Vec<&'l Line>,
    table: Option<Table>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Heading(u8),
    Paragraph,
    /// An item, with what it is written behind, and the bytes of the mark in its first line.
    Item {
        mark: String,
        taken: usize,
    },
    Table,
}

/// The text of a page in Markdown, with its words.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    in_list: bool,
}

/// Writes the lines of each page and the values of its fields.
pub(super) fn written(pages: &[(Vec<&Line>, &[String])], headings: &Headings) -> Vec<Written> {
    let mut blocks: Vec<Vec<Block<'_>>> = pages.iter().map(|(lines, _)| blocks(lines, headings)).collect();
    keep_text_below(&mut blocks);
    blocks.iter().zip(pages).map(|(blocks, (_, values))| of_page(blocks, values)).collect()
}

fn of_page(blocks: &[Block<'_>], values: &[String]) -> Written {
    let mut written = Written::default();
    for block in blocks {
        written.block(block);
    }
    for value in values {
        let lines: Vec<Line> = value
            .lines()
            .map(|line| Line { text: crate::extracted::one_line(line), ..Line::default() })
            .filter(|line| !line.text.is_empty())
            .collect();
        written.block(&Block { kind: Kind::Paragraph, lines: lines.iter().collect(), table: None });
    }
    written
}

fn blocks<'l>(lines: &[&'l Line], headings: &Headings) -> Vec<Block<'l>> {
    let mut blocks: Vec<Block<'l>> = Vec::new();
    let mut step = 0;
    let mut open: Vec<&'l Line> = Vec::new();
    for part in parts(lines, headings.largest_text()) {
        match part {
            PagePart::Line(line) => open.push(line),
            PagePart::Table(table) => {
                add_lines(&mut blocks, &std::mem::take(&mut open), headings, &mut step);
                blocks.push(Block { kind: Kind::Table, lines: Vec::new(), table: Some(table) });
            }
        }
    }
    add_lines(&mut blocks, &open, headings, &mut step);
    blocks
}

/// Adds the blocks of lines that are no table, behind the step of this number.
fn add_lines<'l>(blocks: &mut Vec<Block<'l>>, lines: &[&'l Line], headings: &Headings, step: &mut u32) {
    let block = |kind, lines| Block { kind, lines, table: None };
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        if let Some((level, count)) = heading(&lines[at..], headings) {
            blocks.push(block(Kind::Heading(level), lines[at..at + count].to_vec()));
            at += count;
            continue;
        }
        at += 1;
        if let Some(Mark { mark, taken }) = item(line, *step) {
            *step = step_of(line).unwrap_or(*step);
            blocks.push(block(Kind::Item { mark, taken }, vec![line]));
            continue;
        }
        match blocks.last_mut() {
            Some(last) if goes_on(last, line) => last.lines.push(line),
            _ => blocks.push(block(Kind::Paragraph, vec![line])),
        }
    }
}

/// The heading that begins with these lines: its level and the number of its lines.
fn heading(lines: &[&Line], headings: &Headings) -> Option<(u8, usize)> {
    let first = lines.first()?;
    let is_alone = |count: usize| lines.get(count).is_none_or(|next| next.begins_paragraph);
    let belongs =
        |line: &&&Line| (line.size - first.size).abs() < 0.5 && line.is_bold == first.is_bold && !line.begins_paragraph;
    let more = 1 + lines[1..].iter().take(HEADING_LINES - 1).take_while(belongs).count();
    // The title in the outline says where the heading ends; without it, the change of the type does.
    let by_outline = (1..=HEADING_LINES.min(lines.len())).find_map(|count| {
        let text: Vec<&str> = lines[..count].iter().map(|line| line.text.as_str()).collect();
        headings.of_outline(&text.join(" ")).map(|level| (level.clamp(1, 6), count))
    });
    let by_type = || is_alone(more).then(|| headings.level(&lines[..more])).flatten().map(|level| (level, more));
    by_outline.or_else(|| first.begins_paragraph.then(by_type).flatten())
}

/// Whether a line goes on with the block before.
fn goes_on(block: &Block<'_>, line: &Line) -> bool {
    let Some(first) = block.lines.first() else { return false };
    match block.kind {
        Kind::Heading(_) | Kind::Table => false,
        Kind::Paragraph => !line.begins_paragraph,
        Kind::Item { .. } => !line.begins_paragraph && line.x > first.x - OUTDENT * line.size,
    }
}

/// A heading without text below it, on its page or the next, is text: else its words would be in no passage.
fn keep_text_below(pages: &mut [Vec<Block<'_>>]) {
    let mut next: Option<&Kind> = None;
    for block in pages.iter_mut().flatten().rev() {
        let has_text = |level: u8| match next {
            Some(Kind::Heading(below)) => *below > level,
            Some(Kind::Paragraph | Kind::Table | Kind::Item { .. }) => true,
            None => false,
        };
        if matches!(block.kind, Kind::Heading(level) if !has_text(level)) {
            block.kind = Kind::Paragraph;
        }
        next = Some(&block.kind);
    }
}

impl Written {
    fn block(&mut self, block: &Block<'_>) {
        let is_item = matches!(block.kind, Kind::Item { .. });
        let goes_on = is_item && self.in_list;
        if !self.text.is_empty() && !goes_on {
            self.text.push('\n');
        }
        self.in_list = is_item;
        let lines = joined(&block.lines);
        match &block.kind {
            Kind::Heading(level) => {
                self.text.push_str(&"#".repeat(usize::from(*level)));
                for line in &lines {
                    self.text.push(' ');
                    self.line(line, 0);
                }
                self.text.push('\n');
            }
            Kind::Paragraph => lines.iter().for_each(|line| {
                self.line(line, 0);
                self.text.push('\n');
            }),
            Kind::Table => block.table.iter().for_each(|table| self.table(table)),
            Kind::Item { mark, taken } => {
                let indent = " ".repeat(mark.len() + 1);
                for (at, line) in lines.iter().enumerate() {
                    if at == 0 {
                        self.text.push_str(mark);
                        self.text.push(' ');
                    } else {
                        self.text.push_str(&indent);
                    }
                    self.line(line, if at == 0 { *taken } else { 0 });
                    self.text.push('\n');
                }
            }
        }
    }

    /// Writes a table. One whose first row names no columns has a head without names, so that each row is one.
    fn table(&mut self, table: &Table) {
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        if !table.has_head {
            self.text.push_str(&format!("|{}\n", " |".repeat(columns)));
            self.text.push_str(&format!("|{}\n", " --- |".repeat(columns)));
        }
        for (at, row) in table.rows.iter().enumerate() {
            self.text.push('|');
            for cell in row {
                let lines = joined(&cell.iter().collect::<Vec<_>>());
                for line in &lines {
                    self.text.push(' ');
                    self.line(line, 0);
                }
                self.text.push_str(" |");
            }
            self.text.push('\n');
            if at == 0 && table.has_head {
                self.text.push_str(&format!("|{}\n", " --- |".repeat(columns)));
            }
        }
    }

    /// Writes a line from a place on, with a backslash where Markdown needs one, and notes where its words are.
    fn line(&mut self, line: &Joined, from: usize) {
        let text = line.text.get(from..).unwrap_or_default();
        let escaped = escaped(text);
        let start = self.text.len();
        if !line.words.is_empty() {
            let places = places(text, &escaped);
            let place = |at: usize| places.get(at.saturating_sub(from)).copied().unwrap_or(escaped.len()) + start;
            for word in line.words.iter().filter(|word| word.range.end > from) {
                let [begin, end] = [place(word.range.start), place(word.range.end)];
                self.words.push(Word { range: number(begin)..number(end), rectangle: word.rectangle });
            }
        }
        self.text.push_str(&escaped);
    }
}

/// Where each byte of a text is in its escaped form.
fn places(text: &str, escaped: &str) -> Vec<usize> {
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    for c in text.chars() {
        let is_escaped = escaped[at..].starts_with('\\') && (c == '\\' || !escaped[at..].starts_with(c));
        // A mark belongs to the word that it stands in.
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
        at += usize::from(is_escaped) + c.len_utf8();
    }
    places.push(at);
    places
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::extracted::Rectangle;
    use crate::pdf::left_out::PageLines;
    use crate::pdf::lines::PlacedWord;

    fn line(text: &str, size: f32, begins_paragraph: bool) -> Line {
        Line { text: text.to_owned(), size, begins_paragraph, ..Line::default() }
    }

    fn text(lines: Vec<Line>, outline: &[(&str, u8)]) -> String {
        let outline: HashMap<String, u8> = outline.iter().map(|(title, level)| ((*title).to_owned(), *level)).collect();
        let pages = [PageLines { height: 800.0, lines }];
        let headings = Headings::new(outline, &pages);
        text_of(&pages[0].lines, &headings)
    }

    fn text_of(lines: &[Line], headings: &Headings) -> String {
        written(&[(lines.iter().collect(), &[])], headings).remove(0).text
    }

    #[test]
    fn steps_and_items_are_items_and_a_number_in_a_paragraph_is_none() {
        let lines = vec![
            line("Rules of the house", 10.0, true),
            line("1. Pets need a", 10.0, true),
            line("permit.", 10.0, false),
            line("2. Be quiet.", 10.0, false),
            line("• Not at noon", 10.0, true),
            line("They are from", 10.0, true),
            line("12. May.", 10.0, false),
        ];
        let expected = "Rules of the house\n\n1. Pets need a\n   permit.\n2. Be quiet.\n- Not at noon\n\nThey are from\n12\\. May.\n";
        assert_eq!(text(lines, &[]), expected);
    }

    #[test]
    fn headings_come_from_the_outline_and_from_larger_letters_and_have_text_below() {
        let body = "Text of a paragraph with some words in it.";
        let lines = vec![
            line("Handbook", 20.0, true),
            line("5.9.4 Orphaning a", 10.0, true),
            line("package", 10.0, false),
            line(body, 10.0, true),
            line("Alone", 20.0, true),
        ];
        let expected = format!("# Handbook\n\n## 5.9.4 Orphaning a package\n\n{body}\n\nAlone\n");
        let outline = [("handbook", 1), ("orphaningapackage", 2)];
        assert_eq!(text(lines, &outline), expected);
    }

    #[test]
    fn words_are_where_they_stand_in_the_escaped_text() {
        let rectangle = Rectangle { left: 1.0, top: 2.0, right: 3.0, bottom: 4.0 };
        let mut line = line("• a [b] \\ c", 10.0, true);
        let words = ["a", "[b]", "\\", "c"].map(|word| line.text.find(word).map(|at| at..at + word.len()));
        line.words = words.into_iter().flatten().map(|range| PlacedWord { range, rectangle }).collect();
        let headings = Headings::new(HashMap::new(), &[]);
        let written = written(&[(vec![&line], &[])], &headings).remove(0);
        assert_eq!(written.text, "- a \\[b\\] \\\\ c\n");
        let found: Vec<&str> = written
            .words
            .iter()
            .map(|word| &written.text[word.range.start as usize..word.range.end as usize])
            .collect();
        assert_eq!(found, ["a", "\\[b\\]", "\\\\", "c"]);
    }
}
