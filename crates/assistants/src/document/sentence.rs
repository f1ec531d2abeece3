//! Sentences that can be understood without their context.

use citewire_documents::Markup;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use unicode_segmentation::UnicodeSegmentation as _;

use super::plain_lines;
use crate::answer::MarkerForm;

/// The Markdown of passages.
pub(super) const MARKDOWN: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES);

/// The least and the most characters of a sentence that is quoted.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=600;

/// Longer blocks of code are not quoted.
const CODE_BYTES: usize = 1_500;

/// Stands where something stood that a sentence cannot take along. No text has it: a Markdown text gets another one there.
const LOST: char = '\u{0}';

/// Stands between the cells of a row of a table.
const BETWEEN_CELLS: &str = " – ";

/// A sentence, or a row of a table, that can be taken out of its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence on one line: code and emphasis as they stand, links as their texts, a dash between the cells of a row.
    pub markdown: String,
    /// The visible text.
    pub plain: String,
    /// The paragraph, item or row of its passage in which it stands, counted from 0.
    pub block: usize,
    /// Whether it is a row of a table.
    pub is_row: bool,
    /// The block of code that follows the sentence, between fences.
    pub code: Option<String>,
}

/// The visible text of Markdown: no marks, no HTML, one blank for any number of blanks and line ends.
#[must_use]
pub fn plain_text(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    for event in Parser::new_ext(markdown, MARKDOWN) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "everything else has no text of its own")]
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak | Event::Rule => text.push(' '),
            Event::End(end) if !is_inline(end) => text.push(' '),
            _ => {}
        }
    }
    one_blank(&text)
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_inline(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// The sentences of a passage that can be quoted.
pub(super) fn quotable(text: &str, markup: Markup) -> Vec<Sentence> {
    let whole = plain_text(text);
    let (lines, as_written) = match markup {
        Markup::Markdown => (prose(text), None),
        // A mark of Markdown is a letter here: such a sentence would lose it.
        Markup::Plain => (
            plain_lines::lines(text).iter().map(|line| PassageLine::Text(one_blank(line))).collect(),
            Some(one_blank(text)),
        ),
    };
    let is_seen = |plain: &str| whole.contains(plain) && as_written.as_ref().is_none_or(|text| text.contains(plain));
    let mut quotable: Vec<Sentence> = Vec::new();
    for (block, line) in lines.iter().enumerate() {
        if let PassageLine::Code(code) = line {
            let leads = quotable.last_mut().filter(|last| last.block + 1 == block);
            leads.into_iter().for_each(|last| last.code = Some(code.clone()));
        }
        for markdown in line.sentences() {
            let Some(plain) = plain_alone(markdown) else { continue };
            let is_row = matches!(line, PassageLine::Row(_));
            let cells = is_row.then(|| plain.replace(BETWEEN_CELLS, " "));
            if is_seen(cells.as_deref().unwrap_or(&plain)) {
                quotable.push(Sentence { markdown: markdown.to_owned(), plain, block, is_row, code: None });
            }
        }
    }
    quotable
}

/// A part of a passage on one line.
#[derive(Debug, PartialEq, Eq)]
enum PassageLine {
    /// A paragraph, or an item of a list.
    Text(String),
    /// A row of a table, which is quoted as a whole.
    Row(String),
    /// A block of code between fences that begin and end it.
    Code(String),
}

impl PassageLine {
    fn sentences(&self) -> Vec<&str> {
        match self {
            Self::Text(line) => sentences(line),
            Self::Row(row) => vec![row],
            Self::Code(_) => Vec::new(),
        }
    }
}

/// The visible text of a sentence, if it stands alone: one paragraph of text, with nothing that could be taken for a
/// marker of a citation or could begin something that the next sentence ends.
fn plain_alone(markdown: &str) -> Option<String> {
    let mut text = String::new();
    // The text without code, where nothing begins a tag or math.
    let mut bare = String::new();
    let mut paragraphs = 0;
    for event in Parser::new_ext(markdown, MARKDOWN) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is part of a sentence that stands alone")]
        match event {
            Event::Start(Tag::Paragraph) => paragraphs += 1,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) | Event::End(_) => {}
            Event::Text(part) if !part.contains(is_suspicious) => {
                text.push_str(&part);
                bare.push_str(&part);
            }
            Event::Code(part) => {
                text.push_str(&part);
                bare.push('`');
            }
            _ => return None,
        }
    }
    let begins_nothing = !has_open_dollar(&bare) && !has_open_tag(&bare) && !markdown.ends_with('\\');
    let is_sentence = paragraphs == 1 && LENGTH.contains(&text.chars().count()) && text.contains(char::is_alphabetic);
    (is_sentence && begins_nothing).then(|| one_blank(&text))
}

fn is_suspicious(c: char) -> bool {
    let is_bracket = MarkerForm::opened_by(c).or_else(|| MarkerForm::closed_by(c)).is_some();
    is_bracket || matches!(c, '`' | '\u{E200}'..='\u{E20F}' | LOST | char::REPLACEMENT_CHARACTER)
}

/// Whether a dollar sign may begin math: where an amount follows, it does not.
fn has_open_dollar(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| !text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == ' '))
}

fn has_open_tag(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_alphabetic() || "!?/".contains(c)))
}

/// The sentences of a line of Markdown. None ends inside of emphasis or code.
fn sentences(line: &str) -> Vec<&str> {
    let closed = closed_parts(line);
    let mut sentences = Vec::new();
    let mut start = 0;
    let ends = line.split_sentence_bound_indices().map(|(at, sentence)| at + sentence.len());
    for end in ends {
        let is_inside = closed.iter().any(|part| part.start < end && end < part.end);
        let sentence = line[start..end].trim();
        if end < line.len() && (is_inside || ends_in_abbreviation(sentence)) {
            continue;
        }
        sentences.push(sentence);
        start = end;
    }
    sentences
}

/// The ranges of emphasis and code.
fn closed_parts(line: &str) -> Vec<std::ops::Range<usize>> {
    let events = Parser::new_ext(line, MARKDOWN).into_offset_iter();
    let is_part = |event: &Event<'_>| {
        matches!(event, Event::Code(_) | Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough))
    };
    events.filter(|(event, _)| is_part(event)).map(|(_, range)| range).collect()
}

/// Whether a full stop belongs to the last word: `Dr.`, `z. B.`, `1.`
fn ends_in_abbreviation(sentence: &str) -> bool {
    const KNOWN: [&str; 16] =
        ["Dr", "Prof", "Mr", "Mrs", "Ms", "St", "Nr", "Art", "Abs", "bzw", "ca", "inkl", "vgl", "approx", "Fig", "vs"];
    let Some(rest) = sentence.strip_suffix('.') else { return false };
    let start = rest
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
    let word = &rest[start..];
    let is_short_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.chars().count() == 1 || is_short_number && !word.is_empty() || KNOWN.contains(&word)
}

/// The paragraphs, the items of lists and the rows of tables but for their heads, each on one line, links as their texts.
fn prose(text: &str) -> Vec<PassageLine> {
    let mut prose = Prose { source: text, ..Prose::default() };
    for (event, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
        prose.take(&event, range);
    }
    prose.end_line();
    prose.lines
}

/// Takes the lines of a text together. What stands between two parts of a line is copied with them, so that the marks of
/// emphasis and code stay as they are.
#[derive(Default)]
struct Prose<'s> {
    source: &'s str,
    lines: Vec<PassageLine>,
    line: String,
    /// The source is copied up to here; `None` where what comes next is not to be copied along.
    copied: Option<usize>,
    /// The depth within elements that have no sentences.
    skipped: usize,
}

impl Prose<'_> {
    fn take(&mut self, event: &Event<'_>, range: std::ops::Range<usize>) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "all other marks end the line that they stand in")]
        match event {
            Event::Start(Tag::Image { .. }) if self.skipped == 0 => {
                self.lose(&range);
                self.skipped = 1;
            }
            Event::Start(tag) if self.skipped > 0 || !has_sentences(tag) => {
                if self.skipped == 0 {
                    self.end_line();
                    self.code(tag, &range);
                }
                self.skipped += 1;
            }
            Event::End(end) if self.skipped > 0 => {
                self.skipped -= 1;
                if self.skipped == 0 && !is_inline(*end) {
                    self.end_line();
                }
            }
            _ if self.skipped > 0 => {}
            Event::Start(Tag::TableCell) => {
                self.copied = None;
                if !self.line.is_empty() && !self.line.ends_with(BETWEEN_CELLS) {
                    self.line.push_str(BETWEEN_CELLS);
                }
            }
            Event::End(TagEnd::TableCell) => self.copied = None,
            Event::End(TagEnd::TableRow) => {
                let row = std::mem::take(&mut self.line);
                self.copied = None;
                let row = row.trim_end_matches(BETWEEN_CELLS).trim();
                if !row.is_empty() {
                    self.lines.push(PassageLine::Row(row.to_owned()));
                }
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => {
                self.copied.get_or_insert(range.start);
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) | Event::Text(_) | Event::Code(_) => {
                self.copy(range.start, range.end);
                self.copied = Some(range.end);
            }
            Event::Start(Tag::Link { .. }) => {
                self.copy(range.start, range.start);
                self.copied = None;
            }
            Event::End(TagEnd::Link) | Event::TaskListMarker(_) => self.copied = Some(range.end),
            Event::SoftBreak | Event::HardBreak => {
                self.copy(range.start, range.start);
                self.line.push(' ');
                self.copied = None;
            }
            Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                self.lose(&range);
            }
            _ => self.end_line(),
        }
    }

    /// Copies the rest up to `end`; the part that is copied begins at `start`.
    fn copy(&mut self, start: usize, end: usize) {
        let from = self.copied.unwrap_or(start);
        self.line.push_str(self.source.get(from..end).unwrap_or_default());
    }

    /// Takes a block of code that nothing is around: with its fences, or in fences where it is indented.
    fn code(&mut self, tag: &Tag<'_>, range: &std::ops::Range<usize>) {
        let Tag::CodeBlock(kind) = tag else { return };
        let before = &self.source[..range.start];
        let indent = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let code = self.source[range.clone()].trim_end();
        let fenced = match kind {
            CodeBlockKind::Fenced(_) => {
                let fence: String = code.chars().take_while(|c| *c == '`').collect();
                let ends = code.lines().count() > 2 && code.lines().last() == Some(fence.as_str());
                let fits = ends && fence.len() >= 3 && indent.is_empty();
                // The language is left out: Web Chat's newer highlighter complains of those that it does not know, such
                // as TOML.
                code.split_once('\n').filter(|_| fits).map(|(_, rest)| format!("{fence}\n{rest}"))
            }
            CodeBlockKind::Indented => {
                let whole = format!("{indent}{code}");
                let lines =
                    whole.lines().map(|line| line.strip_prefix("    ").or(line.trim().is_empty().then_some("")));
                let lines: Option<Vec<&str>> = lines.collect();
                lines.filter(|_| !code.contains("```")).map(|lines| format!("```\n{}\n```", lines.join("\n")))
            }
        };
        self.lines.extend(fenced.filter(|code| code.len() <= CODE_BYTES).map(PassageLine::Code));
    }

    fn lose(&mut self, range: &std::ops::Range<usize>) {
        self.copy(range.start, range.start);
        self.line.push(LOST);
        self.copied = Some(range.end);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.copied = None;
        if !line.trim().is_empty() {
            self.lines.push(PassageLine::Text(line.trim().to_owned()));
        }
    }
}

fn has_sentences(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph
            | Tag::List(_)
            | Tag::Item
            | Tag::BlockQuote(_)
            | Tag::Table(_)
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        quotable(text, Markup::Markdown).into_iter().map(|sentence| sentence.markdown).collect()
    }

    #[test]
    fn sentences_keep_code_and_emphasis_and_lose_their_line_ends() {
        assert_eq!(
            of("Leave is **30 days. Really.** a year\nfor *all*. Use `a. B` for it!\n\n> It is\n> written so.\n"),
            ["Leave is **30 days. Really.** a year for *all*.", "Use `a. B` for it!", "It is written so."]
        );
        assert_eq!(
            of("- The first one.\n- The second\n  one. Really so.\n"),
            ["The first one.", "The second one.", "Really so."]
        );
    }

    #[test]
    fn a_link_becomes_its_text() {
        let text = "See [the *plan*](../plan.md) and [more][1] now. Or <https://x.example/> and so on.\n\n[1]: https://x.example/\n";
        assert_eq!(of(text), ["See the *plan* and more now.", "Or https://x.example/ and so on."]);
    }

    #[test]
    fn what_means_something_else_elsewhere_is_left_out() {
        for text in [
            "As shown in [1] it is so.",
            r"As shown in \[1\] it is so.",
            "As shown in 【1】 it is so.",
            "As shown in [nothing] it is so.",
            "As [^1] shows it is so.\n\n[^1]: a note",
            "It opens `a code span.",
            "It has an ![image](a.png) in it.",
            "It has <b>tags</b> in it.",
            "It opens <b in it.",
            "It is $x in math.",
            "# A heading is none.",
            "    code is none at all",
            "```\nneither is this code\n```",
            "short",
            "12345 67890",
        ] {
            assert_eq!(of(text), [""; 0], "{text}");
        }
        assert_eq!(
            of("It costs $5 or less than < 6 € a day. It is ~5 days."),
            ["It costs $5 or less than < 6 € a day.", "It is ~5 days."]
        );
        assert_eq!(of("Put `<script src=\"$a\">` into it."), ["Put `<script src=\"$a\">` into it."]);
    }

    #[test]
    fn a_row_of_a_table_is_quoted_with_dashes_between_its_cells() {
        assert_eq!(
            of(
                "| name | default | what |\n|---|---|---|\n| `bind` | | The *address*. Of the [server](a.md). |\n| a\\|b | `c\\|d` | gone |\n| port | 80 | e |\n"
            ),
            ["`bind` – The *address*. Of the server.", "port – 80 – e"]
        );
    }

    #[test]
    fn a_sentence_takes_along_the_code_behind_it_without_its_language() {
        let code = |text: &str| quotable(text, Markup::Markdown).remove(0).code;
        let fenced = Some("```\na = 1\n\nb\n```".to_owned());
        assert_eq!(code("Write this into it:\n\n```toml\na = 1\n\nb\n```\n"), fenced);
        assert_eq!(code("Write this into it:\n\n    a = 1\n\n    b\n\nMore."), fenced);
        for other in ["Write this into it:\n\n```toml\nit has no end", "Write this into it.\n\nMore.\n\n    a = 1"] {
            assert_eq!(code(other), None, "{other}");
        }
    }

    #[test]
    fn a_full_stop_within_a_sentence_does_not_end_it() {
        assert_eq!(
            of("Dr. Kim decides am 1. Januar, z. B. Über alles. Danach nicht mehr."),
            ["Dr. Kim decides am 1. Januar, z. B. Über alles.", "Danach nicht mehr."]
        );
        assert_eq!(
            of("员工每年享有十天带薪年假。未休的年假可以顺延。"),
            ["员工每年享有十天带薪年假。", "未休的年假可以顺延。"]
        );
    }

    #[test]
    fn plain_text_is_quoted_where_markdown_reads_it_the_same() {
        let of = |text: &str| -> Vec<String> {
            quotable(text, Markup::Plain).into_iter().map(|sentence| sentence.markdown).collect()
        };
        assert_eq!(
            of("It is\nso for all. A *b* c is not.\n\n  * an item is one, too\n"),
            ["It is so for all.", "an item is one, too"]
        );
        assert_eq!(
            of("1. Pets need a permit from us.\n2. After 21 days, tenants may paint\n   the walls blue. [1]\n"),
            ["Pets need a permit from us.", "After 21 days, tenants may paint the walls blue."]
        );
    }

    #[test]
    fn what_readers_see_has_no_marks() {
        assert_eq!(
            plain_text("# A *b*\n\n- `c`\n- [d](e)  \nf<br>g\n\n| h | i |\n|-|-|\n| j | k |"),
            "A b c d fg h i j k"
        );
    }
}
