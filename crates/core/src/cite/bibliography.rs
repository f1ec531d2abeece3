//! Finds a list of references that the model wrote at the end and that repeats the sources (policy P-06, rule AH-04).

use std::ops::Range;

use super::fence::Fence;
use super::marker::{self, MAX_INNER_BYTES};
use super::resolve::{Indices, Resolver};
use super::told::Told;
use crate::answer::{MarkerForm, MarkerGrammar, Source};

/// A longer list is text.
const MAX_BYTES: usize = 8 * 1024;

/// The characters of a blank line. Other white space is text to Markdown.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A longer entry is text.
const MAX_ENTRY: usize = 1024;

/// Holds back a list of references at the end while the text arrives.
///
/// A list under a heading such as *Sources* is removed when each of its lines begins with a marker that resolves. A list
/// under any other line must have two lines or more, and each must repeat the title, file name or address of its source,
/// because a numbered list at the end can also be the answer. A short line or heading of its own right above such a list
/// is its heading, in any language, and goes with it.
#[derive(Debug, Default)]
pub(super) struct Bibliography {
    /// Offset of the next line to read.
    at: usize,
    /// How far this line has been searched for its end.
    arrived: usize,
    /// Offset of the content of this line, as far as it has arrived.
    content: usize,
    list: Option<List>,
    /// Whether the current run of entries is known to be text, and no list of references.
    is_text: bool,
    /// Whether there is content before this line.
    after_content: bool,
    /// Whether the line before this one is blank.
    after_blank: bool,
    fence: Option<Fence>,
    /// Whether the unfinished line is known to belong to no list.
    settled: bool,
}

#[derive(Debug, Default)]
struct List {
    start: usize,
    entries: usize,
    headed: bool,
    /// Whether its first entry is a definition.
    defines: bool,
    /// Whether a blank line stands behind its last line.
    is_parted: bool,
    /// The unclosed bracket at the end of its last line, which may be the beginning of a marker that ends in the next line.
    /// A conversion joins the two parts.
    open: Option<String>,
}

impl List {
    /// Whether only the line that may be its heading has been read.
    fn is_title(&self) -> bool {
        self.entries == 0
    }

    /// Whether a line completes the marker in which the line before ends.
    fn goes_on(&self, content: &str, sources: &[Source], resolver: &Resolver) -> bool {
        let open_and_inner = self.open.as_ref().zip(content.split_once(']'));
        let marker = open_and_inner.map(|(open, (inner, _))| format!("{open} {inner}]"));
        marker.is_some_and(|marker| read_marker(&marker, sources, resolver).is_some())
    }
}

impl Bibliography {
    /// Reads the lines that have arrived. Returns the length of the text that is certainly no list at the end.
    pub(super) fn read(&mut self, text: &str, finished: bool, sources: &[Source], resolver: &Resolver) -> usize {
        if finished && self.arrived == 0 && !may_end_with_list(text) {
            return text.len();
        }
        loop {
            let (end, complete) = line_end(text, self.arrived, finished);
            if !complete {
                self.arrived = end;
                return if self.settled { end } else { self.unfinished_line(text, sources, resolver) };
            }
            self.settled = false;
            if self.at == text.len() {
                break;
            }
            self.line(text, self.at..end, sources, resolver);
            self.at = next_line(text, end);
            (self.arrived, self.content) = (self.at, self.at);
        }
        self.list.as_ref().map_or(text.len(), |list| list.start)
    }

    /// Whether the held-back end is a list to remove.
    pub(super) fn is_list(&self, text: &str) -> bool {
        self.list.as_ref().is_some_and(|list| {
            let enough = if list.headed { 1 } else { 2 };
            list.entries >= enough && text.len() - list.start <= MAX_BYTES
        })
    }

    /// Whether the text ends with the heading of a list that has no entries.
    pub(super) fn ends_with_heading(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.headed && list.entries == 0)
    }

    fn unfinished_line(&mut self, text: &str, sources: &[Source], resolver: &Resolver) -> usize {
        let line = &text[self.at..];
        // Lines may be long and deltas short, so blanks are skipped only once.
        self.content = text.len() - text[self.content..].trim_start_matches(BLANKS).len();
        let content = &text[self.content..];
        // The carriage return may be half of a line end.
        let content = content.strip_suffix('\r').unwrap_or(content);
        let may_go_on =
            |list: &List| list.open.is_some() && !content.contains(']') || list.goes_on(content, sources, resolver);
        let may_be_entry = self.after_content
            && !self.is_text
            && self.fence.is_none()
            && line.len() < MAX_ENTRY
            && (begins_entry(content) || self.list.as_ref().is_some_and(may_go_on));
        let may_be_heading = self.after_content
            && self.fence.is_none()
            && (begins_heading(content)
                || !sources.is_empty() && may_begin_title(content, self.after_blank)
                || self.list.as_ref().is_some_and(List::is_title) && is_underline(content));
        if may_be_entry || may_be_heading || content.is_empty() {
            return self.list.as_ref().map_or(self.at, |list| list.start);
        }
        // Later text cannot make this line part of a list.
        self.list = None;
        self.settled = true;
        text.len()
    }

    fn line(&mut self, text: &str, line: Range<usize>, sources: &[Source], resolver: &Resolver) {
        let content = without_blanks(&text[line.clone()]);
        let after_blank = std::mem::replace(&mut self.after_blank, content.is_empty());
        if content.is_empty() {
            if let Some(list) = &mut self.list {
                list.open = None;
                list.is_parted = true;
            }
            return;
        }
        if self.is_fenced(content) {
            self.list = None;
            self.is_text = false;
            self.after_content = true;
            return;
        }
        let blanks = text[line.clone()].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).take(4);
        // A tab reaches to the fourth column at least.
        let indent: usize = blanks.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum();
        let entry = if line.len() < MAX_ENTRY && indent < 4 { read_entry(content, sources, resolver) } else { None };
        let is_short = line.len() < MAX_ENTRY;
        if let Some(list) = self.list.as_mut().filter(|list| is_short && list.goes_on(content, sources, resolver)) {
            list.open = open_marker(content);
        } else if let Some(entry) = entry {
            self.entry(&entry, line, sources);
            if let Some(list) = &mut self.list {
                list.open = open_marker(content);
            }
        } else if is_heading(text[line.clone()].trim_start_matches(BLANKS)) {
            // A heading at the very beginning belongs to the answer. A heading behind another list extends that list, or the
            // next conversion would remove the first of the two.
            let start =
                self.list.take().filter(|list| list.headed && list.entries > 0).map_or(line.start, |list| list.start);
            self.list = self.after_content.then_some(List { start, headed: true, ..List::default() });
            self.is_text = !self.after_content;
            self.after_content = true;
        } else if !(is_underline(content) && self.list.as_ref().is_some_and(List::is_title)) {
            let is_title = self.after_content && is_title(content, after_blank);
            self.list = is_title.then(|| List { start: line.start, ..List::default() });
            self.is_text = false;
            self.after_content = true;
        }
    }

    fn entry(&mut self, entry: &Line<'_>, line: Range<usize>, sources: &[Source]) {
        if self.is_text || !self.after_content {
            // A text that holds only a list is the answer.
            self.is_text = true;
            self.after_content = true;
            return;
        }
        // A single entry is no list, and definitions behind it do not make it one: an earlier conversion may have written
        // them.
        let is_one = |list: &List| !list.headed && list.entries == 1;
        self.list.take_if(|list| is_one(list) && entry.defines && (list.is_parted || !list.defines));
        let begun = List { start: line.start, defines: entry.defines, ..List::default() };
        let list = self.list.get_or_insert(begun);
        if list.is_title() && !list.headed && entry.defines {
            // An earlier conversion may have written the definitions, and then the line above them is the end of the text.
            *list = List { start: line.start, defines: true, ..List::default() };
        }
        list.entries += 1;
        list.is_parted = false;
        let repeats = list.headed || entry.sources.iter().any(|index| mentions(entry.rest, &sources[index.0]));
        if !repeats || line.end - list.start > MAX_BYTES {
            self.list = None;
            self.is_text = true;
        }
    }

    /// Whether the line opens, closes or belongs to fenced code.
    fn is_fenced(&mut self, content: &str) -> bool {
        let stands_before = |c| matches!(c, ' ' | '\t' | '>' | '-' | '+' | '*' | '.' | ')' | '0'..='9');
        let before = self.fence;
        self.fence = Fence::behind(before, content.trim_start_matches(stands_before));
        before.or(self.fence).is_some()
    }
}

/// Whether a text may end with a list or its heading, by its last lines alone. Most texts end with a sentence, and are not read.
fn may_end_with_list(text: &str) -> bool {
    let text = text.trim_end_matches(BLANKS);
    let (before, last) = last_line(text);
    let last = without_blanks(last);
    let goes_on = || open_marker(last_line(before.strip_suffix('\r').unwrap_or(before)).1).is_some();
    last.len() <= MAX_HEADING || begins_entry(last) || is_underline(last) || last.contains(']') && goes_on()
}

/// The last line of a text, behind the text before its line end.
fn last_line(text: &str) -> (&str, &str) {
    memchr::memrchr2(b'\n', b'\r', text.as_bytes()).map_or(("", text), |end| (&text[..end], &text[end + 1..]))
}

/// The line without blanks at its ends.
fn without_blanks(line: &str) -> &str {
    let is_content = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let Some(from) = line.bytes().position(|byte| is_content(&byte)) else { return "" };
    let to = line.as_bytes().iter().rposition(is_content).map_or(from, |last| last + 1);
    &line[from..to]
}

fn without_bullet(content: &str) -> &str {
    content.strip_prefix(['-', '*', '+']).map_or(content, |rest| rest.trim_start_matches(BLANKS))
}

/// Whether a line with this beginning may be an entry.
fn begins_entry(content: &str) -> bool {
    let content = without_bullet(content);
    content.is_empty() || content.starts_with(MarkerForm::ALL.map(MarkerForm::open))
}

/// Whether a line with this beginning may be a heading.
fn begins_heading(content: &str) -> bool {
    if content.len() > MAX_HEADING {
        return false;
    }
    let words = content.trim_matches(stands_around_heading);
    if words.len() > MAX_HEADING_WORDS {
        return false;
    }
    let words = words.to_lowercase();
    HEADINGS.iter().any(|heading| heading.starts_with(&*words))
}

struct Line<'t> {
    sources: Indices,
    /// Whether it has the form of a definition.
    defines: bool,
    rest: &'t str,
}

/// Reads `[1] text`, `- [doc2]: text`, `[^3]: text`, `【4】 text`, `[plan.pdf] text`: all forms that a conversion turns into
/// `[1] text`.
fn read_entry<'t>(content: &'t str, sources: &[Source], resolver: &Resolver) -> Option<Line<'t>> {
    let content = without_bullet(content);
    let (found, rest) = read_marker(content, sources, resolver)?;
    // An earlier conversion separated the badge from the colon.
    let rest = rest.trim_start_matches('\u{200b}');
    let defines = rest.starts_with(':');
    let rest = rest.trim_start_matches([':', '.', ')']).trim();
    let apart = [' ', '\u{200b}'];
    let mut words = rest.trim_start_matches(apart);
    // A line of markers alone is no entry.
    while let Some((_, behind)) = read_marker(words, sources, resolver) {
        words = behind.trim_start_matches(apart);
    }
    (!words.is_empty()).then_some(Line { sources: found, defines, rest })
}

/// The sources of the marker that a text begins with, and the text behind it.
fn read_marker<'t>(text: &'t str, sources: &[Source], resolver: &Resolver) -> Option<(Indices, &'t str)> {
    let open = text.chars().next()?;
    let form = MarkerForm::opened_by(open)?;
    let (inner, rest) = text[open.len_utf8()..].split_once(form.close())?;
    let token = &text[..text.len() - rest.len()];
    let marker = marker::read(form, inner, &MarkerGrammar::ALL)?;
    // A stream reads the list before all of the text has come, so that only this line may tell what the marker means.
    let told = Told { text: token, is_whole: false, grammar: &MarkerGrammar::ALL };
    Some((resolver.resolve(sources, token, &marker, told).found()?, rest))
}

/// The end of a line, from an unclosed bracket on.
fn open_marker(line: &str) -> Option<String> {
    let at = line.rfind('[')?;
    let open = &line[at..];
    (open.len() < MAX_INNER_BYTES && !open.contains(']')).then(|| open.to_owned())
}

fn mentions(rest: &str, source: &Source) -> bool {
    let rest = rest.to_lowercase();
    source.names().any(|name| rest.contains(&name.to_lowercase()))
}

/// Whether a character may stand around the words of a heading.
fn stands_around_heading(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}' | '#' | '*' | '_' | ':' | '：')
}

/// A longer line is no heading.
const MAX_HEADING: usize = 64;

/// Headings of lists of references, in lower case.
const HEADINGS: [&str; 29] = [
    "references",
    "reference",
    "sources",
    "source",
    "bibliography",
    "citations",
    "works cited",
    "quellen",
    "quellenangaben",
    "literatur",
    "fuentes",
    "referencias",
    "bibliografía",
    "références",
    "bibliographie",
    "fonti",
    "riferimenti",
    "fontes",
    "referências",
    "bronnen",
    "źródła",
    "источники",
    "来源",
    "來源",
    "参考文献",
    "参考资料",
    "出典",
    "引用",
    "출처",
];

/// The length of the longest of them in bytes.
const MAX_HEADING_WORDS: usize = 24;

fn is_heading(line: &str) -> bool {
    if line.len() > MAX_HEADING {
        return false;
    }
    let words = line.trim_matches(stands_around_heading);
    if words.len() > MAX_HEADING_WORDS {
        return false;
    }
    if words.is_ascii() {
        return HEADINGS.iter().any(|heading| heading.eq_ignore_ascii_case(words));
    }
    HEADINGS.contains(&&*words.to_lowercase())
}

/// A longer line above a list is a sentence, unless it has the form of a heading.
const MAX_TITLE: usize = 32;

/// The most words of such a line.
const MAX_TITLE_WORDS: usize = 3;

/// Whether a line may be the heading of the list below it: a heading, bold text alone, or a few words behind a blank line
/// that end no sentence.
fn is_title(content: &str, after_blank: bool) -> bool {
    may_begin_title(content, after_blank)
        && !content.ends_with(['.', '!', '?', '。', '！', '？', '…', ',', ';', '\u{200b}'])
}

/// Whether a line with this beginning may be such a heading.
fn may_begin_title(content: &str, after_blank: bool) -> bool {
    let is_formed = content.starts_with('#') || content.starts_with("**") || content == "*";
    let is_short = content.len() <= if is_formed { MAX_HEADING } else { MAX_TITLE };
    if !is_short || !is_formed && !after_blank {
        return false;
    }
    let words = content.trim_matches(stands_around_heading);
    words.split(' ').nth(MAX_TITLE_WORDS).is_none()
        && !words.contains(['[', ']', '【', '|', '`', '<', '>', '\\', '$'])
        && (is_formed && words.is_empty() || words.starts_with(char::is_alphabetic))
}

/// Whether a line may be the underline of a heading.
fn is_underline(content: &str) -> bool {
    content.len() < MAX_ENTRY && [b'=', b'-'].into_iter().any(|sign| content.bytes().all(|byte| byte == sign))
}

/// The end of the line that holds `at`, without its line end, and whether the line is complete. A carriage return at the
/// very end may be half of a line end.
fn line_end(text: &str, at: usize, finished: bool) -> (usize, bool) {
    match memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]) {
        Some(found) => {
            let end = at + found;
            (end, finished || end + 1 < text.len() || text.as_bytes()[end] == b'\n')
        }
        None => (text.len(), finished),
    }
}

/// The offset of the next line; `end` is the end of this one.
fn next_line(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        let source = |title: &str, file: &str| Source {
            title: Some(title.into()),
            filepath: Some(file.into()),
            id: Some(file.into()),
            ..Source::default()
        };
        let sources = [source("Leave policy", "leave.pdf"), source("Travel policy", "travel.pdf")];
        let mut bibliography = Bibliography::default();
        let kept = bibliography.read(text, true, &sources, &Resolver::default());
        let kept = if bibliography.is_list(text) { text[..kept].trim_end_matches(['\r', '\n']) } else { text };
        kept.to_owned()
    }

    #[test]
    fn a_list_that_repeats_the_manifest_goes_with_its_heading_and_the_blank_lines_before() {
        for list in [
            "\n\n[1] Leave policy\n[2] Travel policy, 2024",
            "\n\n\n## Sources\n\n[1] Leave\n[2] Travel\n\n",
            "\r\n\r\n**References:**\r\n- [doc1]: https://x\r\n- [doc2]: https://y\r\n",
            "\n\nSources:\n[1] somewhere",
            "\n\n[1]: https://x \"Leave policy\"\n[2]: https://y \"Travel policy\"",
            "\nBibliography\n【1】 a\n[^2]: b",
            // The first conversion once kept these, and the second one removed all or part of them.
            "\n\nSources\n[leave.pdf] Leave policy\n[2] Travel policy",
            "\n\nSources\n\u{e200}cite\u{e202}leave.pdf\u{e201} Leave\n[2] Travel policy",
            "\n\nSources:\n[1] Leave policy\n\nReferences:\n[2] Travel policy",
        ] {
            assert_eq!(without(&format!("Answer [1].{list}")), "Answer [1].", "{list:?}");
        }
    }

    /// A conversion joins a marker that is split over two lines. The second conversion then removed the list.
    #[test]
    fn an_entry_goes_on_with_the_marker_in_which_its_line_ends() {
        for end in ["[1] Leave, see [\n2] as well", "[1] Leave, see [1,\r\n2]\n[2] Travel"] {
            assert_eq!(without(&format!("Answer [1].\n\nSources\n{end}")), "Answer [1].", "{end:?}");
        }
        let text = "Answer [1].\n\nSources\n[1] Leave, see [\n9] as well";
        assert_eq!(without(text), text);
    }

    #[test]
    fn blanks_at_the_end_of_the_last_line_stay_so_that_a_second_conversion_changes_nothing() {
        let list = "\n\n[1]: https://x \"Leave policy\"\n[2]: https://y \"Travel policy\"";
        for kept in ["Answer [1] ", "Answer [1]\n\n- ", "Answer [1]\u{a0}"] {
            assert_eq!(without(&format!("{kept}{list}")), kept);
        }
    }

    #[test]
    fn a_list_that_says_something_else_is_text() {
        for text in [
            "Steps:\n\n[1] Open the valve\n[2] Close the valve",
            "[1] Leave policy\n[2] Travel policy",
            "Answer.\n\n[1] Leave policy",
            "Answer.\n\n[1] Leave policy\n\n[1]: https://x \"Leave policy\"",
            "Answer.\n[1]: Leave policy\n\n[1]: https://x \"Leave policy\"",
            "Answer.\n\nSources\n[1] Leave policy\n[9] Other",
            "Answer.\n\nSources:\n[1] Leave policy\n[1, 2]",
            "Answer.\n\nSources:\n[1] Leave policy\n[1]\u{200b}[2]",
            "Answer.\n\nSources:\n[1] Leave policy\n\nReferences:",
            "Answer.\n\n```\nSources\n[1] Leave policy\n[2] Travel policy\n```",
            "Sources are good",
        ] {
            assert_eq!(without(text), text);
        }
        let long = format!("Answer.\n\nSources\n[1] {}\n[2] b", "x".repeat(MAX_BYTES));
        assert_eq!(without(&long), long);
    }
}
