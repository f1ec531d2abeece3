//! Sentences that can be understood without their context.

use citewire_documents::Markup;
use pulldown_cmark::{Event, Parser, Tag};
use unicode_segmentation::UnicodeSegmentation as _;

use super::plain_lines;
use super::prose::{BETWEEN_CELLS, LOST, MARKDOWN, PassageLine, is_inline, prose};
use crate::answer::{MarkerForm, marker_word};

/// The least and the most characters of a sentence that is quoted.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=600;

/// The least characters of a step, which may be a single word: without it the steps around it say too little.
const STEP: usize = 2;

/// The least letters of words in brackets: `[x]` is a mark.
const WORD: usize = 3;

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
    /// The number of the item that it begins, in a list of steps.
    pub step: Option<u32>,
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

/// The sentences of a passage that can be quoted.
pub(super) fn quotable(text: &str, markup: Markup) -> Vec<Sentence> {
    let whole = plain_text(text);
    let (lines, as_written) = match markup {
        Markup::Markdown => (prose(text), None),
        // A mark of Markdown is a letter here: such a sentence would lose it.
        Markup::Plain => (plain_lines::lines(text).iter().map(PassageLine::of).collect(), Some(one_blank(text))),
    };
    let is_seen = |plain: &str| whole.contains(plain) && as_written.as_ref().is_none_or(|text| text.contains(plain));
    let mut quotable: Vec<Sentence> = Vec::new();
    for (block, line) in lines.iter().enumerate() {
        if let PassageLine::Code(code) = line {
            let leads = quotable.last_mut().filter(|last| last.block + 1 == block);
            leads.into_iter().for_each(|last| last.code = Some(code.clone()));
        }
        for (at, markdown) in sentences_of(line).into_iter().enumerate() {
            let step = if at == 0 { line.step() } else { None };
            let least = if step.is_some() { STEP } else { *LENGTH.start() };
            let Some(StandingAlone { markdown, plain }) = alone(markdown, markup, least) else { continue };
            let is_row = matches!(line, PassageLine::Row(_));
            let cells = is_row.then(|| plain.replace(BETWEEN_CELLS, " "));
            if is_seen(cells.as_deref().unwrap_or(&plain)) {
                quotable.push(Sentence { markdown, plain, block, is_row, step, code: None });
            }
        }
    }
    quotable
}

fn sentences_of(line: &PassageLine) -> Vec<&str> {
    match line {
        PassageLine::Text(line) => sentences(&line.text),
        PassageLine::Row(row) => vec![row],
        PassageLine::Code(_) => Vec::new(),
    }
}

/// A sentence that stands alone.
struct StandingAlone {
    markdown: String,
    plain: String,
}

/// A sentence with its visible text, if it stands alone: one paragraph of text, with nothing that could be taken for a
/// marker of a citation or could begin something that the next sentence ends.
fn alone(markdown: &str, markup: Markup, least: usize) -> Option<StandingAlone> {
    let words_in_brackets = words_in_brackets(markdown, markup);
    let mut text = String::new();
    // The text without code, where nothing begins a tag.
    let mut bare = String::new();
    let mut dollars = Vec::new();
    let mut paragraphs = 0;
    for (event, range) in Parser::new_ext(markdown, MARKDOWN).into_offset_iter() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is part of a sentence that stands alone")]
        match event {
            Event::Start(Tag::Paragraph) => paragraphs += 1,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) | Event::End(_) => {}
            Event::Text(part) => {
                let is_marker = |at| !words_in_brackets.contains(&(range.start + at));
                if part.char_indices().any(|(at, c)| is_suspicious(c) && is_marker(at)) {
                    return None;
                }
                for (at, _) in part.match_indices('$') {
                    dollars.push(range.start + at);
                }
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
    let length = text.chars().count();
    let fits = least <= length && length <= *LENGTH.end();
    let is_sentence = paragraphs == 1 && fits && text.contains(char::is_alphabetic);
    let stands_alone = is_sentence && !has_open_tag(&bare) && !markdown.ends_with('\\');
    let markdown = with_escaped_dollars(markdown, &dollars).filter(|_| stands_alone)?;
    Some(StandingAlone { markdown, plain: one_blank(&text) })
}

fn is_suspicious(c: char) -> bool {
    let is_bracket = MarkerForm::opened_by(c).or_else(|| MarkerForm::closed_by(c)).is_some();
    is_bracket || matches!(c, '`' | '\u{E200}'..='\u{E20F}' | LOST | char::REPLACEMENT_CHARACTER)
}

/// The places of square brackets around words that can be no marker of a citation and no link, as in *see Section 4.3 \[The Set
/// Builtin\]*: only what has a digit, a dot or a word such as `source` names one.
fn words_in_brackets(markdown: &str, markup: Markup) -> Vec<usize> {
    let mut places = Vec::new();
    for (open, _) in markdown.match_indices('[') {
        let Some((words, _)) = markdown[open + 1..].split_once(']') else { break };
        let close = open + 1 + words.len();
        let words = words.strip_suffix('\\').unwrap_or(words);
        let is_text = markup == Markup::Plain || is_escaped(markdown, open) && is_escaped(markdown, close);
        let is_of_words = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | ',' | '\'' | '’');
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        if is_text && letters >= WORD && words.chars().all(is_of_words) && marker_word(words).is_none() {
            places.extend([open, close]);
        }
    }
    places
}

/// Whether a backslash takes away the meaning of the character at this place.
fn is_escaped(markdown: &str, at: usize) -> bool {
    markdown[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The sentence with a backslash before each dollar sign that may begin math, as that of `$name` may; where an amount follows, it
/// does not. `None` where a dollar sign is written as something else.
fn with_escaped_dollars(markdown: &str, dollars: &[usize]) -> Option<String> {
    let mut escaped = String::with_capacity(markdown.len() + dollars.len());
    let mut last = 0;
    for &at in dollars {
        let behind = markdown.get(at..)?.strip_prefix('$')?;
        let is_amount = behind.starts_with(|c: char| c.is_ascii_digit() || c == ' ');
        escaped.push_str(&markdown[last..at]);
        escaped.push_str(if is_amount || is_escaped(markdown, at) { "" } else { "\\" });
        last = at;
    }
    escaped.push_str(&markdown[last..]);
    Some(escaped)
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
            "# A heading is none.",
            "    code is none at all",
            "```\nneither is this code\n```",
            r"It is in \[source files\] alone.",
            r"It is in \[plan.pdf\] alone.",
            r"It is in \\[The plan\\] alone.",
            "It is &#36;x in math.",
            "short",
            "12345 67890",
        ] {
            assert_eq!(of(text), [""; 0], "{text}");
        }
        assert_eq!(
            of("It costs $5 or less than < 6 € a day. It is ~5 days."),
            ["It costs $5 or less than < 6 € a day.", "It is ~5 days."]
        );
        assert_eq!(of("It is $x in math, $y."), [r"It is \$x in math, \$y."]);
        assert_eq!(of(r"It is \$x and `$y`."), [r"It is \$x and `$y`."]);
        assert_eq!(of("Put `<script src=\"$a\">` into it."), ["Put `<script src=\"$a\">` into it."]);
    }

    #[test]
    fn words_in_brackets_are_text_where_no_source_has_their_name() {
        let text = r"It ends (see Section 3.2 \[The Set Builtin\], page 67) so.";
        assert_eq!(of(text), [text]);
        let plain = "It ends [see there] so.";
        assert_eq!(quotable(plain, Markup::Plain)[0].markdown, plain);
        for marker in
            ["It ends [1] so.", "It ends [doc1] so.", "It ends [x] so.", "It ends [source so] so.", "It [[is]] so."]
        {
            assert_eq!(quotable(marker, Markup::Plain), [], "{marker}");
        }
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
    fn steps_keep_their_numbers_and_items_within_them_have_none() {
        let steps = |text: &str, markup| -> Vec<(Option<u32>, String)> {
            quotable(text, markup).into_iter().map(|sentence| (sentence.step, sentence.markdown)).collect()
        };
        let step = |number, text: &str| (number, text.to_owned());
        assert_eq!(
            steps(
                "Do so:\n\n3. Open the **door**. Do it slowly.\n4. Go\n   - to the left hall\n5. Ok\n",
                Markup::Markdown
            ),
            [
                step(Some(3), "Open the **door**."),
                step(None, "Do it slowly."),
                step(Some(4), "Go"),
                step(None, "to the left hall"),
                step(Some(5), "Ok"),
            ]
        );
        assert_eq!(
            steps("1) Open the door.\n2) Go\n", Markup::Plain),
            [step(Some(1), "Open the door."), step(Some(2), "Go")]
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
