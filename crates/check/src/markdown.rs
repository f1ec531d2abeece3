//! Reads a message's Markdown by CommonMark: links, definitions, and text that only looks like them.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::container::Containers;
use super::definition::{self, Attempt, Definition};
use super::joined::{self, Joined};
use super::link_label::{bracketed_numbers, is_number, normal_label};

/// The extensions of CommonMark that Web Chat supports.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// The longest text of a link, and the longest text between brackets, that is kept, in bytes.
const MAX_LABEL: usize = 200;

/// A text in the reading of Web Chat's parsers.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    /// All definitions in the order of the text, including repetitions without effect.
    pub(super) definitions: Vec<Definition>,
    /// All links and images.
    pub(super) links: Vec<Link>,
    /// `[7]` and other brackets that were meant as markers and are drawn as text.
    pub(super) loose: Vec<Loose>,
    /// `[1, 2]` and the like.
    pub(super) joined: Vec<Joined>,
    /// The numbers in brackets in code.
    pub(super) coded: BTreeSet<String>,
    /// The byte ranges of code between backticks or fences.
    pub(super) code: Vec<Range<usize>>,
    /// The byte ranges of plain text, outside of code, links and definitions.
    pub(super) prose: Vec<Range<usize>>,
    /// Lines of paragraphs that were meant as definitions.
    pub(super) attempts: Vec<Attempt>,
    /// All raw HTML.
    pub(super) html: Vec<Html>,
}

/// A piece of raw HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Html {
    /// The byte range in the text.
    pub(super) span: Range<usize>,
    /// True if it is a block of its own, in which Markdown is not read.
    pub(super) is_block: bool,
}

/// A link or an image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) image: bool,
    /// True if the link has its destination in parentheses, as in `[text](destination)`.
    pub(super) inline: bool,
    /// The visible text, without markup.
    pub(super) text: String,
    /// The label as written; empty for inline links.
    pub(super) label: String,
    pub(super) url: String,
    /// The byte offset in the text.
    pub(super) start: usize,
}

/// A bracket that is not a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Loose {
    /// The normalized label, see [`normal_label`].
    pub(super) label: String,
    /// The byte offset in the text.
    pub(super) start: usize,
    /// True if another bracket directly follows this one.
    pub(super) before_bracket: bool,
    /// True if it begins a line with an address, as in a list of sources.
    pub(super) lists_source: bool,
    /// True if it follows a word at once.
    pub(super) follows_word: bool,
}

impl Markdown {
    /// Reads `text` in linear time.
    pub(super) fn read(text: &str) -> Self {
        let parser = Parser::new_ext(text, OPTIONS);
        let mut definitions = definition::known(&parser);
        let labels = definitions.iter().map(|definition| definition.label.clone()).collect();
        let mut reader = Reader::new(text, labels);
        for (event, range) in parser.into_offset_iter() {
            reader.take(event, range);
        }
        reader.end_run();
        reader.containers.mark_nested(text, &mut definitions);
        definition::add_losers(text, &mut definitions, &reader.blocks);
        let joined = joined::find(text, &reader.found.prose);
        Self { definitions, joined, ..reader.found }
    }

    /// The definitions that Web Chat lists: those outside lists and quotes.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(|definition| !definition.nested)
    }
}

/// Whether a text has a table, a formula between `$$`, a task list or an image, which only extended Markdown of Teams draws.
pub(super) fn has_extended_parts(text: &str) -> bool {
    let options = OPTIONS | Options::ENABLE_TASKLISTS | Options::ENABLE_MATH;
    Parser::new_ext(text, options).any(|event| {
        matches!(
            event,
            Event::Start(Tag::Table(_) | Tag::Image { .. }) | Event::DisplayMath(_) | Event::TaskListMarker(_)
        )
    })
}

/// The state of one pass over the parser's events.
struct Reader<'t> {
    text: &'t str,
    /// The labels with a definition.
    labels: BTreeSet<String>,
    found: Markdown,
    /// The byte ranges of the top-level blocks, in order.
    blocks: Vec<Range<usize>>,
    /// The lists and quotes among them.
    containers: Containers,
    depth: usize,
    in_code: bool,
    /// The open links, whose text is being collected.
    open: Vec<Link>,
    /// The byte range of the plain text that is being collected.
    run: Option<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, labels: BTreeSet<String>) -> Self {
        Self {
            text,
            labels,
            found: Markdown::default(),
            blocks: Vec::new(),
            containers: Containers::default(),
            depth: 0,
            in_code: false,
            open: Vec::new(),
            run: None,
        }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.depth == 0 {
            self.blocks.push(range.clone());
        }
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.words(&words, range),
            Event::SoftBreak | Event::HardBreak => {
                self.end_run();
                self.gather(" ");
                self.line(range.end, true);
            }
            Event::Code(code) => {
                self.end_run();
                self.found.code.push(range.clone());
                self.code(range);
                self.gather(&code);
            }
            Event::InlineHtml(_) => {
                self.end_run();
                self.found.html.push(Html { span: range, is_block: false });
            }
            Event::Html(_)
            | Event::Rule
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => self.end_run(),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        self.end_run();
        if self.depth == 0 && matches!(tag, Tag::List(_) | Tag::BlockQuote(_)) {
            self.containers.ranges.push(range.clone());
        } else if self.depth == 1 && matches!(tag, Tag::Item) {
            self.containers.items.push(range.start);
        }
        self.depth += 1;
        if let Tag::Link { link_type, dest_url, id, .. } | Tag::Image { link_type, dest_url, id, .. } = tag {
            self.open.push(Link {
                image: matches!(tag, Tag::Image { .. }),
                inline: *link_type == LinkType::Inline,
                text: String::new(),
                label: id.to_string(),
                url: dest_url.to_string(),
                start: range.start,
            });
        } else if matches!(tag, Tag::Paragraph) {
            self.line(range.start, false);
        } else if matches!(tag, Tag::HtmlBlock) {
            self.html_block(range);
        } else if matches!(tag, Tag::TableRow) {
            self.line(range.start, true);
        } else if let Tag::CodeBlock(kind) = tag {
            self.in_code = true;
            if matches!(kind, CodeBlockKind::Fenced(_)) {
                self.found.code.push(range.clone());
            }
            self.code(range);
        }
    }

    fn end(&mut self, tag: TagEnd) {
        self.end_run();
        self.depth = self.depth.saturating_sub(1);
        if matches!(tag, TagEnd::CodeBlock) {
            self.in_code = false;
        }
        if matches!(tag, TagEnd::Link | TagEnd::Image)
            && let Some(link) = self.open.pop()
        {
            self.found.links.push(link);
        }
    }

    fn words(&mut self, words: &str, range: Range<usize>) {
        self.gather(words);
        let source = self.text.get(range.clone());
        if self.in_code || !self.open.is_empty() || source != Some(words) {
            self.end_run();
            return;
        }
        match &mut self.run {
            Some(run) if run.end == range.start => run.end = range.end,
            _ => {
                self.end_run();
                self.run = Some(range);
            }
        }
    }

    /// Adds to the text of the innermost link.
    fn gather(&mut self, words: &str) {
        if let Some(link) = self.open.last_mut()
            && link.text.len() + words.len() <= MAX_LABEL
        {
            link.text.push_str(words);
        }
    }

    fn code(&mut self, range: Range<usize>) {
        let code = self.text.get(range).unwrap_or_default();
        self.found.coded.extend(bracketed_numbers(code).map(ToOwned::to_owned));
    }

    /// Looks for brackets in the collected plain text.
    fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        self.found.prose.push(run.clone());
        let bytes = self.text.as_bytes();
        let mut open = None;
        for index in run.clone() {
            match bytes[index] {
                b'[' => {
                    // The parser begins a new text behind the backslash of an escaped bracket.
                    let escaped = index == run.start && index > 0 && bytes[index - 1] == b'\\';
                    open = (!escaped).then_some(index);
                }
                b']' => {
                    let Some(start) = open.take() else { continue };
                    let Some(inner) = self.text.get(start + 1..index).filter(|inner| inner.len() <= MAX_LABEL) else {
                        continue;
                    };
                    let label = normal_label(inner);
                    if is_number(&label) || self.labels.contains(&label) {
                        let before_bracket = bytes.get(index + 1) == Some(&b'[');
                        self.found.attempts.extend(definition::attempt_behind(self.text, &label, start, index));
                        let lists_source = definition::lists_source(self.text, start, index);
                        let follows_word = definition::follows_word(self.text, start);
                        self.found.loose.push(Loose { label, start, before_bracket, lists_source, follows_word });
                    }
                }
                _ => {}
            }
        }
    }

    /// Records a block of HTML, and its lines that were meant as definitions: only a blank line ends most blocks.
    fn html_block(&mut self, range: Range<usize>) {
        let block = self.text.get(range.clone()).unwrap_or_default();
        let ends_by_itself = ["<!", "<?", "<pre", "<script", "<style", "<textarea"];
        let start = block.trim_start().to_ascii_lowercase();
        if !ends_by_itself.iter().any(|tag| start.starts_with(tag)) {
            for (end, _) in block.match_indices('\n') {
                self.line(range.start + end + 1, true);
            }
        }
        self.found.html.push(Html { span: range, is_block: true });
    }

    /// Records a line of a paragraph that was meant as a definition.
    fn line(&mut self, start: usize, continued: bool) {
        if let Some(attempt) = definition::attempt(self.text, start, continued) {
            self.found.attempts.push(attempt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_markers_are_read_as_one_link() {
        let markdown = Markdown::read("a[1][2].\n\n[1]: https://a.example/\n[2]: https://b.example/\n");
        let [link] = &markdown.links[..] else { panic!("{:?}", markdown.links) };
        assert_eq!((link.text.as_str(), link.label.as_str(), link.url.as_str()), ("1", "2", "https://b.example/"));
    }

    #[test]
    fn brackets_in_code_and_escaped_brackets_are_text() {
        let markdown = Markdown::read("`[1]` \\[2\\] \\[3] &#91;4]\n\n    [5]\n\n```\n[6]\n```\n");
        assert_eq!(markdown.loose, []);
        assert_eq!(
            Markdown::read("x [7].").loose,
            [Loose { label: "7".into(), start: 2, before_bracket: false, lists_source: false, follows_word: false }]
        );
    }

    #[test]
    fn a_defined_marker_before_another_bracket_is_loose() {
        let markdown = Markdown::read("a[1][9].\n\n[1]: https://a.example/\n");
        assert_eq!(markdown.links, []);
        assert_eq!(
            markdown.loose[0],
            Loose { label: "1".into(), start: 1, before_bracket: true, lists_source: false, follows_word: true }
        );
    }
}
