//! The headings of a plain text, and its table of contents.

use std::collections::BTreeMap;
use std::ops::Range;

/// A heading has no more letters.
const LONGEST: usize = 80;

/// A line that stands alone more often is no heading, but `Note` or `Example`.
const MOST_OFTEN: usize = 2;

/// A paragraph of fewer lines is no table of contents.
const LEAST_OF_CONTENTS: usize = 3;

/// The levels of headings: of the title, of chapters, and of lines without a number. Between these is one for each part of a number.
const TITLE: u8 = 0;
const CHAPTER: u8 = 1;
const UNNUMBERED: u8 = 6;

/// A block of a plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlainBlock {
    /// A heading with its level, from 0 to 6.
    Heading(u8, Range<usize>),
    Paragraph(Range<usize>),
    /// A paragraph of headings.
    Contents,
}

/// The blocks of a text: what empty lines separate. A heading is a line that stands alone above a paragraph, or is underlined.
pub(super) fn blocks_of(text: &str) -> Vec<PlainBlock> {
    let paragraphs = paragraphs(text);
    let mut often: BTreeMap<&str, usize> = BTreeMap::new();
    for range in &paragraphs {
        *often.entry(text[range.clone()].trim()).or_default() += 1;
    }
    let is_title = |at: usize| at == 0 && paragraphs.len() > 1;
    let levels: Vec<Option<u8>> = paragraphs
        .iter()
        .enumerate()
        .map(|(at, range)| {
            let line = text[range.clone()].trim();
            let level = underlined(line).or_else(|| level(line)).filter(|_| often.get(line) <= Some(&MOST_OFTEN));
            level.map(|level| if is_title(at) { TITLE } else { level })
        })
        .collect();
    let headings = with_text_below(&levels);
    let block = |(at, range): (usize, Range<usize>)| match headings.get(at).copied().flatten() {
        Some(level) => PlainBlock::Heading(level, heading_of(text, range)),
        None if is_contents(&text[range.clone()], &often) => PlainBlock::Contents,
        None => PlainBlock::Paragraph(range),
    };
    paragraphs.iter().cloned().enumerate().map(block).collect()
}

/// The ranges of paragraphs with the empty lines behind them.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let (mut start, mut at, mut has_text, mut has_ended) = (0, 0, false, false);
    for line in text.split_inclusive('\n') {
        let is_empty = line.trim().is_empty();
        if has_ended && !is_empty {
            paragraphs.push(start..at);
            (start, has_text, has_ended) = (at, false, false);
        }
        has_ended |= has_text && is_empty;
        has_text |= !is_empty;
        at += line.len();
    }
    paragraphs.extend((start < at).then_some(start..at));
    paragraphs
}

/// The level of a line with a line of signs below it.
fn underlined(paragraph: &str) -> Option<u8> {
    let (line, below) = paragraph.split_once('\n')?;
    let below = below.trim();
    let sign = below.chars().next()?;
    let is_rule = "=-~^*#".contains(sign) && below.len() >= LEAST_OF_CONTENTS && below.chars().all(|c| c == sign);
    let is_line = line.chars().count() <= LONGEST && line.contains(char::is_alphabetic);
    (is_rule && is_line).then_some(if sign == '=' { CHAPTER + 1 } else { CHAPTER + 2 })
}

/// The level of a line that may be a heading.
fn level(line: &str) -> Option<u8> {
    let is_short = !line.contains('\n') && line.chars().count() <= LONGEST;
    let ends_like_text = line.ends_with(['.', ',', ';', ':', '!', '。', '，', '：']);
    if !is_short || ends_like_text || line.chars().filter(|c| c.is_alphabetic()).nth(1).is_none() {
        return None;
    }
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let parts = first.trim_end_matches(['.', ')']).split('.');
    let is_number = |part: &str| !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit());
    let starts_high = |text: &str| text.trim_start().starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    if parts.clone().all(is_number) {
        let depth = u8::try_from(parts.count()).unwrap_or(UNNUMBERED);
        return starts_high(rest).then(|| CHAPTER.saturating_add(depth).min(UNNUMBERED - 1));
    }
    let is_chapter =
        ["Chapter", "Part", "Appendix", "Kapitel", "Teil", "Anhang", "Chapitre", "Partie"].contains(&first);
    match starts_high(line) {
        true if is_chapter => Some(CHAPTER),
        true => Some(UNNUMBERED),
        false => None,
    }
}

/// Leaves out lines that have no text below them: lines of one level that follow each other are a list.
fn with_text_below(levels: &[Option<u8>]) -> Vec<Option<u8>> {
    let follows = |at: usize| at.checked_add(1).and_then(|next| levels.get(next)).copied();
    let is_listed = |at: usize, level: u8| {
        let before = at.checked_sub(1).and_then(|before| levels.get(before)).copied().flatten();
        before == Some(level) || follows(at).is_none_or(|next| next.is_some_and(|next| next <= level))
    };
    levels.iter().enumerate().map(|(at, level)| level.filter(|level| !is_listed(at, *level))).collect()
}

/// The heading without the line below it.
fn heading_of(text: &str, range: Range<usize>) -> Range<usize> {
    let whole = &text[range.clone()];
    let start = range.start + whole.len() - whole.trim_start().len();
    let line = text[start..range.end].lines().next().unwrap_or_default();
    start..start + line.trim_end().len()
}

/// Whether most lines of a paragraph stand alone elsewhere in the text, as headings do.
fn is_contents(paragraph: &str, often: &BTreeMap<&str, usize>) -> bool {
    let lines: Vec<&str> = paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let headings = lines.iter().filter(|line| often.contains_key(*line)).count();
    lines.len() >= LEAST_OF_CONTENTS && headings * 2 > lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let seen = |block: PlainBlock| match block {
            PlainBlock::Heading(level, range) => format!("{level} {}", &text[range]),
            PlainBlock::Paragraph(range) => text[range].trim().to_owned(),
            PlainBlock::Contents => "contents".to_owned(),
        };
        blocks_of(text).into_iter().map(seen).collect()
    }

    #[test]
    fn a_line_that_stands_alone_above_a_paragraph_is_a_heading() {
        assert_eq!(
            seen("The Manual\n\n1. Mail\n\n   1.1. Reading\n\nPress Enter.\n\n2. Keys\n\nPress q.\nOr x.\n"),
            ["0 The Manual", "2 1. Mail", "3 1.1. Reading", "Press Enter.", "2 2. Keys", "Press q.\nOr x."]
        );
        assert_eq!(
            seen("Leave\n=====\n\nTen days.\n\nSick\n----\nCall us."),
            ["0 Leave", "Ten days.", "Sick\n----\nCall us."]
        );
        assert_eq!(
            seen("Rules of the house\n\n1. Pets need a permit.\n2. Be quiet."),
            ["0 Rules of the house", "1. Pets need a permit.\n2. Be quiet.",]
        );
    }

    #[test]
    fn lines_that_follow_each_other_are_a_list_and_others_are_text() {
        for text in [
            "Bring:\n\n1. Bread\n\n2. Milk\n\n3. Tea\n\nThen go.",
            "it begins low\n\nand goes on.",
            "One line.\n\nAnother line.",
            "A single line",
            "Text first.\n\nA last line",
            "Text.\n\nNote\n\nOne.\n\nNote\n\nTwo.\n\nNote\n\nThree.",
            "",
        ] {
            let is_heading = |block: &PlainBlock| matches!(block, PlainBlock::Heading(..));
            assert!(!blocks_of(text).iter().any(is_heading), "{text}");
        }
    }

    #[test]
    fn a_paragraph_of_headings_is_the_table_of_contents() {
        let text =
            "Manual\n\n1. Mail\n2. Keys\n3. Folders\n\n1. Mail\n\nText.\n\n2. Keys\n\nText.\n\n3. Folders\n\nText.";
        assert_eq!(seen(text)[..3], ["0 Manual", "contents", "2 1. Mail"]);
    }
}
