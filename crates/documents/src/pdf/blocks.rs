//! The lines of a page as blocks of Markdown: headings, paragraphs, and the steps and items of lists.

use super::headings::Headings;
use super::joining::{Joined, joined};
use super::lines::Line;
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
}

/// The text of a page in Markdown, with its words.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    in_list: bool,
}

/// Writes the lines of a page and the values of its fields.
pub(super) fn written(lines: &[&Line], headings: &Headings, values: &[String]) -> Written {
    let mut written = Written::default();
    for block in with_text_below(blocks(lines, headings)) {
        written.block(&block);
    }
    for value in values {
        let lines: Vec<Line> = value
            .lines()
            .map(|line| Line { text: crate::extracted::one_line(line), ..Line::default() })
            .filter(|line| !line.text.is_empty())
            .collect();
        written.block(&Block { kind: Kind::Paragraph, lines: lines.iter().collect() });
    }
    written
}

fn blocks<'l>(lines: &[&'l Line], headings: &Headings) -> Vec<Block<'l>> {
    let mut blocks: Vec<Block<'l>> = Vec::new();
    let mut step = 0;
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        if let Some((level, count)) = heading(&lines[at..], headings) {
            blocks.push(Block { kind: Kind::Heading(level), lines: lines[at..at + count].to_vec() });
            at += count;
            continue;
        }
        at += 1;
        if let Some(kind) = item(line, step) {
            if let Kind::Item { mark, .. } = &kind {
                step = mark.trim_end_matches(['.', ')']).parse().unwrap_or(step);
            }
            blocks.push(Block { kind, lines: vec![line] });
            continue;
        }
        match blocks.last_mut() {
            Some(last) if goes_on(last, line) => last.lines.push(line),
            _ => blocks.push(Block { kind: Kind::Paragraph, lines: vec![line] }),
        }
    }
    blocks
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

/// The item of a list that begins with this line, behind the step of this number.
fn item(line: &Line, step: u32) -> Option<Kind> {
    let (mark, text) = line.text.split_once(' ')?;
    if text.is_empty() {
        return None;
    }
    let taken = mark.len() + 1;
    let bullet = || Kind::Item { mark: "-".to_owned(), taken };
    match mark {
        "•" | "◦" | "▪" | "‣" | "●" | "○" | "■" | "□" | "∙" | "·" | "–" | "➢" | "➤" | "✓" | "✔" | "❖" | "*" =>
        {
            return Some(bullet());
        }
        "-" | "—" | "o" if line.begins_paragraph => return Some(bullet()),
        _ => {}
    }
    let number = mark.strip_suffix(['.', ')'])?;
    let value: u32 = number.parse().ok().filter(|_| number.len() <= 3)?;
    // A line of a paragraph may begin with the number that ends a sentence.
    (line.begins_paragraph || value == 1 || value == step + 1).then(|| Kind::Item { mark: mark.to_owned(), taken })
}

/// Whether a line goes on with the block before.
fn goes_on(block: &Block<'_>, line: &Line) -> bool {
    let Some(first) = block.lines.first() else { return false };
    match block.kind {
        Kind::Heading(_) => false,
        Kind::Paragraph => !line.begins_paragraph,
        Kind::Item { .. } => !line.begins_paragraph && line.x > first.x - OUTDENT * line.size,
    }
}

/// A heading without text below it is text: else its words would be in no passage.
fn with_text_below(mut blocks: Vec<Block<'_>>) -> Vec<Block<'_>> {
    for at in (0..blocks.len()).rev() {
        let Kind::Heading(level) = blocks[at].kind else { continue };
        let has_text = match blocks.get(at + 1).map(|next| &next.kind) {
            Some(Kind::Heading(below)) => *below > level,
            Some(Kind::Paragraph | Kind::Item { .. }) => true,
            None => false,
        };
        if !has_text {
            blocks[at].kind = Kind::Paragraph;
        }
    }
    blocks
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
        written(&pages[0].lines.iter().collect::<Vec<_>>(), &headings, &[]).text
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
        let written = written(&[&line], &headings, &[]);
        assert_eq!(written.text, "- a \\[b\\] \\\\ c\n");
        let found: Vec<&str> = written
            .words
            .iter()
            .map(|word| &written.text[word.range.start as usize..word.range.end as usize])
            .collect();
        assert_eq!(found, ["a", "\\[b\\]", "\\\\", "c"]);
    }
}
