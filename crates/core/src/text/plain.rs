//! The words of a passage without its markup.

#![expect(clippy::wildcard_enum_match_arm, reason = "all other events have no words of their own")]

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The longest part of a passage that is read: the places that show it cut it far shorter.
const MAX_READ_BYTES: usize = 16 * 1024;

/// A passage in Markdown as its words: without marks, tags and addresses of links. A block ends a line, and so does a row of a
/// table; cells are parted by a bar. Text that holds no Markdown stays as it is.
#[must_use]
pub fn plain_text(markdown: &str) -> String {
    let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ_BYTES)];
    if !markdown.contains(MARKS) && !markdown.contains("    ") {
        return markdown.trim().to_owned();
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Plain { out: String::with_capacity(markdown.len()), numbers: Vec::new(), cells: 0 };
    for event in Parser::new_ext(markdown, options) {
        writer.take(event);
    }
    writer.out.trim().to_owned()
}

/// Signs without which a text holds no markup.
const MARKS: [char; 17] = ['*', '_', '`', '#', '[', '<', '>', '|', '~', '\\', '&', '-', '+', '=', '!', ')', '.'];

struct Plain {
    out: String,
    /// The next number of each open list; `None` for a list with bullets.
    numbers: Vec<Option<u64>>,
    /// The number of cells of the row so far.
    cells: usize,
}

impl Plain {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) | Event::Code(text) => self.out.push_str(&text),
            Event::InlineHtml(html) | Event::Html(html) => self.html(&html),
            Event::SoftBreak | Event::HardBreak => self.out.push('\n'),
            Event::TaskListMarker(done) => self.out.push_str(if done { "[x] " } else { "[ ] " }),
            Event::Start(Tag::List(first)) => self.numbers.push(first),
            Event::End(TagEnd::List(_)) => {
                self.numbers.pop();
                self.end_line();
            }
            Event::Start(Tag::Item) => self.begin_item(),
            Event::Start(Tag::TableHead | Tag::TableRow) => self.cells = 0,
            Event::Start(Tag::TableCell) => {
                self.out.push_str(if self.cells > 0 { " | " } else { "" });
                self.cells += 1;
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => self.end_line(),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::Item
                | TagEnd::TableHead
                | TagEnd::TableRow
                | TagEnd::HtmlBlock,
            ) => self.end_line(),
            _ => {}
        }
    }

    fn begin_item(&mut self) {
        self.end_line();
        match self.numbers.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number = number.saturating_add(1);
            }
            Some(None) | None => self.out.push_str("• "),
        }
    }

    /// Writes HTML without its tags. What only begins like one, such as `Vec<String>`, is text.
    fn html(&mut self, html: &str) {
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            self.out.push_str(&rest[..at]);
            let tag = &rest[at..];
            let end = tag.find('>').map_or(tag.len(), |end| end + 1);
            if !is_tag(&tag[..end]) {
                self.out.push_str(&tag[..end]);
            } else if is_line_break(&tag[..end]) {
                self.out.push('\n');
            }
            rest = &tag[end..];
        }
        self.out.push_str(rest);
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }
}

fn is_line_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("<br"))
}

/// Whether this is a comment, or a tag with a name in lower case or with attributes, as writers of HTML have them.
fn is_tag(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.starts_with('!') || name.contains('=') || name.trim_end_matches(['>', '/', ' ']).chars().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        for (markdown, plain) in [
            ("Leave is **30 days** _a year_.", "Leave is 30 days a year."),
            ("## Leave\n\n30 `days`, see [the law](https://x.example).", "Leave\n30 days, see the law."),
            ("| Kind | Days |\n| --- | --- |\n| Leave | 30 |", "Kind | Days\nLeave | 30"),
            ("- a\n- b\n\n3. c\n4. d", "• a\n• b\n3. c\n4. d"),
            ("a<br>b <b>c</b> Vec<String> 1 < 2", "a\nb c Vec<String> 1 < 2"),
            ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
            ("plain", "plain"),
            ("![chart](https://x.example/a.png) & more &amp; more", "chart & more & more"),
            ("```rust\nlet a = 1;\n```\nend", "let a = 1;\nend"),
        ] {
            assert_eq!(plain_text(markdown), plain, "{markdown}");
        }
    }
}
