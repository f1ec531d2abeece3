//! Writes Markdown, in which texts stay texts.

use crate::Unreadable;
use crate::extracted::one_line;

/// A Markdown text that grows block by block.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    text: String,
    limit: usize,
    /// The last block is an item of a list, behind which the next one needs no empty line.
    in_list: bool,
}

impl Markdown {
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, in_list: false }
    }

    /// The text, or that it was too much.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    pub(crate) fn heading(&mut self, level: u8, text: &str) -> Result<(), Unreadable> {
        let text = one_line(text);
        if text.is_empty() {
            return Ok(());
        }
        self.begin_block();
        let marks = "#".repeat(usize::from(level.clamp(1, 6)));
        self.push(&format!("{marks} {}\n", escaped(&text)))
    }

    /// A paragraph. Its lines stay lines.
    pub(crate) fn paragraph(&mut self, text: &str) -> Result<(), Unreadable> {
        let text = lines(text, "");
        if text.is_empty() {
            return Ok(());
        }
        self.begin_block();
        self.push(&text)
    }

    /// An item of a list; `depth` is 0 for one that is in no other.
    pub(crate) fn item(&mut self, depth: usize, text: &str) -> Result<(), Unreadable> {
        let indent = "  ".repeat(depth.min(5) + 1);
        let text = lines(text, &indent);
        if text.is_empty() {
            return Ok(());
        }
        if !self.in_list {
            self.begin_block();
        }
        self.in_list = true;
        let bullet = format!("{}- {}", &indent[2..], text.trim_start());
        self.push(&bullet)
    }

    /// A table, whose first row is its head. One column is no table.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) -> Result<(), Unreadable> {
        let filled: Vec<&Vec<String>> =
            rows.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())).collect();
        let columns = filled.iter().map(|row| width(row)).max().unwrap_or(0);
        if columns < 2 {
            return filled.iter().filter_map(|row| row.first()).try_for_each(|cell| self.paragraph(cell));
        }
        self.begin_block();
        for (at, row) in filled.into_iter().enumerate() {
            self.row(row, columns)?;
            if at == 0 {
                self.push(&format!("|{}\n", " --- |".repeat(columns)))?;
            }
        }
        Ok(())
    }

    fn row(&mut self, cells: &[String], columns: usize) -> Result<(), Unreadable> {
        let mut row = "|".to_owned();
        for column in 0..columns {
            let cell = cells.get(column).map(|cell| escaped(&one_line(cell))).unwrap_or_default();
            row.push(' ');
            row.push_str(&cell);
            row.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        row.push('\n');
        self.push(&row)
    }

    /// A block of code.
    pub(crate) fn code(&mut self, text: &str) -> Result<(), Unreadable> {
        let text = text.trim_end().trim_start_matches('\n');
        if text.trim().is_empty() {
            return Ok(());
        }
        self.begin_block();
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.push(&format!("{fence}\n{text}\n{fence}\n"))
    }

    fn begin_block(&mut self) {
        self.in_list = false;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn push(&mut self, text: &str) -> Result<(), Unreadable> {
        if self.text.len() + text.len() > self.limit {
            return Err(Unreadable::TooMuchText { limit: self.limit });
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// How many cells a row has up to its last one that is not empty.
fn width(row: &[String]) -> usize {
    row.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1)
}

/// The lines of a text that are not empty, each behind the indent and with a line end.
fn lines(text: &str, indent: &str) -> String {
    let lines = text.lines().map(one_line).filter(|line| !line.is_empty());
    lines.map(|line| format!("{indent}{}\n", escaped(&line))).collect()
}

/// One line with a backslash before everything that Markdown would read as more than text.
pub(crate) fn escaped(line: &str) -> String {
    let mut written = String::with_capacity(line.len() + 8);
    let mut before = None;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        let is_mark = match c {
            '\\' | '`' | '*' | '[' | ']' | '|' => true,
            // Between letters it is none.
            '_' => !(before.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)),
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
            '&' => next.is_some_and(|next| next.is_ascii_alphabetic() || next == '#'),
            '~' => next == Some('~') || before == Some('~'),
            '#' | '>' | '+' | '-' | '=' => before.is_none(),
            '.' | ')' => next.is_none_or(|next| next == ' ') && is_number(&written),
            _ => false,
        };
        if is_mark {
            written.push('\\');
        }
        written.push(c);
        before = Some(c);
    }
    written
}

fn is_number(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Markdown) -> Result<(), Unreadable>) -> String {
        let mut markdown = Markdown::new(1000);
        write(&mut markdown).expect("room");
        markdown.finish()
    }

    #[test]
    fn what_is_no_markdown_stays_text() {
        for (text, expected) in [
            ("a *b* _c_ snake_case", r"a \*b\* \_c\_ snake_case"),
            ("see [1] | [b](c)", r"see \[1\] \| \[b\](c)"),
            ("# no heading", r"\# no heading"),
            ("1. no item\n- none", "1\\. no item\n\\- none"),
            ("a < b <br> AT&T &amp; x & y", r"a < b \<br> AT\&T \&amp; x & y"),
            ("version 1.2 of C:\\x `y` ~~z~~", r"version 1.2 of C:\\x \`y\` \~\~z\~\~"),
            ("   four    blanks", "four blanks"),
        ] {
            assert_eq!(written(|markdown| markdown.paragraph(text)), format!("{expected}\n"), "{text}");
        }
    }

    #[test]
    fn blocks_stand_apart_and_items_together() {
        let text = written(|markdown| {
            markdown.heading(2, "A\nb")?;
            markdown.paragraph("one")?;
            markdown.item(0, "two")?;
            markdown.item(1, "three\nfour")?;
            markdown.code("x ``` y\n")?;
            markdown.table(&[vec!["a".into(), "b|c".into()], vec![], vec!["d".into(), String::new()]])?;
            markdown.table(&[vec!["alone".into(), String::new()]])
        });
        let expected = "## A b\n\none\n\n- two\n  - three\n    four\n\n````\nx ``` y\n````\n\n\
                        | a | b\\|c |\n| --- | --- |\n| d | |\n\nalone\n";
        assert_eq!(text, expected);
        assert_eq!(Markdown::new(3).paragraph("four"), Err(Unreadable::TooMuchText { limit: 3 }));
    }
}
