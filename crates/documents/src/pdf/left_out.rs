//! Lines that belong to the paper and not to the text: tables of contents, running heads and page numbers.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::lines::{Line, sizes, usual_size};
use super::outline::letters;
use crate::extracted::LeftOutReason;

/// A page has a table of contents from this many lines with leaders on.
const LEAST_ENTRIES: usize = 3;
/// A line is a running head if it stands on this many pages at least, at one height.
const LEAST_PAGES: usize = 3;
/// Heads and feet stand in this part of a page at either end, and are so many lines.
const MARGIN: f32 = 0.1;
const MARGIN_LINES: usize = 3;
/// Lines of two pages are at one height within this many points.
const SAME_HEIGHT: f32 = 3.0;

/// A page with its lines.
#[derive(Debug, Default)]
pub(super) struct PageLines {
    pub(super) height: f32,
    pub(super) lines: Vec<Line>,
}

/// Why each line of each page is left out, if it is.
pub(super) fn reasons(pages: &[PageLines]) -> Vec<Vec<Option<LeftOutReason>>> {
    let titles: HashSet<u64> = pages.iter().flat_map(|page| &page.lines).map(|line| title(&line.text)).collect();
    let mut reasons: Vec<Vec<Option<LeftOutReason>>> =
        pages.iter().map(|page| contents(&page.lines, &titles)).collect();
    for (page, line) in repeated(pages) {
        if let Some(reason) = reasons.get_mut(page).and_then(|page| page.get_mut(line)) {
            reason.get_or_insert(LeftOutReason::Repeated);
        }
    }
    reasons
}

/// The lines of a table of contents. Its page numbers go up, which those of a list of prices do not.
fn contents(lines: &[Line], titles: &HashSet<u64>) -> Vec<Option<LeftOutReason>> {
    let mut reasons = vec![None; lines.len()];
    let mut entries: Vec<(usize, Option<u32>)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, led_to(&line.text)?))).collect();
    if entries.len() < LEAST_ENTRIES {
        entries = without_leaders(lines, titles);
    }
    if entries.len() < LEAST_ENTRIES {
        return reasons;
    }
    let numbers: Vec<u32> = entries.iter().filter_map(|(_, page)| *page).collect();
    let steps = numbers.len().saturating_sub(1);
    let upwards = numbers.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    if upwards * 10 < steps * 9 {
        return reasons;
    }
    for (at, _) in &entries {
        reasons[*at] = Some(LeftOutReason::Contents);
    }
    let (first, last) = (entries[0].0, entries[entries.len() - 1].0);
    for at in first.saturating_sub(1)..(last + 2).min(lines.len()) {
        // A chapter has no leaders, and a long title has them in its second line alone.
        let is_chapter = lines[at].text.rsplit_once(' ').is_some_and(|(_, page)| page_number(page).is_some());
        let is_between = at > first && at < last && reasons[at - 1].is_some() && led_to(&lines[at + 1].text).is_some();
        if reasons[at].is_none() && (is_chapter || is_between) {
            reasons[at] = Some(LeftOutReason::Contents);
        }
    }
    reasons
}

/// The entries of a table of contents without leaders: lines that end in page numbers below each other, most of whose titles stand in the
/// document again.
fn without_leaders(lines: &[Line], titles: &HashSet<u64>) -> Vec<(usize, Option<u32>)> {
    let mut right = None;
    let mut known = 0;
    let entry = |(at, line): (usize, &Line)| {
        let last = line.cells.last().filter(|_| line.cells.len() > 1)?;
        let (name, page) = (line.text.get(..last.start)?, page_number(line.text.get(last.start..)?.trim())?);
        let is_below = (last.right - *right.get_or_insert(last.right)).abs() <= SAME_HEIGHT;
        let is_entry = is_below && name.contains(char::is_alphabetic);
        known += usize::from(is_entry && titles.contains(&title(name)));
        is_entry.then_some((at, page))
    };
    let entries: Vec<(usize, Option<u32>)> = lines.iter().enumerate().filter_map(entry).collect();
    if entries.len() > LEAST_ENTRIES && known * 2 > entries.len() { entries } else { Vec::new() }
}

/// The letters and digits of a line, as a number.
fn title(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    letters(text).hash(&mut hasher);
    hasher.finish()
}

/// The page that an entry of a table of contents leads to, behind a row of dots; its number if it is no Roman one.
fn led_to(text: &str) -> Option<Option<u32>> {
    let rest = text.trim_end();
    let title = rest.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let page = page_number(&rest[title.len()..])?;
    let without = title.trim_end_matches([' ', '.', '·', '…', '_']);
    let leaders = &title[without.len()..];
    let dots: usize = leaders.chars().map(|c| if c == '…' { 3 } else { usize::from(c != ' ') }).sum();
    (dots >= 3 && without.contains(char::is_alphabetic)).then_some(page)
}

/// Whether a text is a page number, and its value if it is no Roman one.
fn page_number(text: &str) -> Option<Option<u32>> {
    let is_roman = !text.is_empty() && text.len() <= 7 && text.chars().all(|c| "ivxlcIVXLC".contains(c));
    match text.parse::<u32>() {
        Ok(number) if text.len() <= 4 => Some(Some(number)),
        _ => is_roman.then_some(None),
    }
}

/// Lines that stand at the head or foot of many pages: with the number of each page, or the same letter for letter. Of those, the first
/// one stays.
fn repeated(pages: &[PageLines]) -> Vec<(usize, usize)> {
    let size = usual_size(&sizes(pages.iter().flat_map(|page| &page.lines)));
    let mut seen: BTreeMap<Shape, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, page) in pages.iter().enumerate() {
        for at in in_margins(page) {
            let line = &page.lines[at];
            seen.entry(Shape::Same(line.text.clone())).or_default().push((number, at));
            // A title that counts its pages, such as `Step 1`, is larger than a page number.
            if line.size <= size * 1.05 {
                for shape in numbered(&line.text, number) {
                    seen.entry(shape).or_default().push((number, at));
                }
            }
        }
    }
    let mut repeated = Vec::new();
    for (shape, places) in seen {
        let height = |place: &(usize, usize)| pages[place.0].lines[place.1].y;
        let heights: Vec<f32> = places.iter().map(height).collect();
        // Left and right pages may differ: each height counts for itself.
        let is_usual =
            |y: f32| heights.iter().filter(|other| (**other - y).abs() <= SAME_HEIGHT).count() >= LEAST_PAGES;
        let usual = places.iter().filter(|place| is_usual(height(place))).copied();
        repeated.extend(usual.skip(usize::from(matches!(shape, Shape::Same(_)))));
    }
    repeated
}

/// The shape by which lines of different pages are one running line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Same(String),
    /// A Roman page number.
    Roman,
    /// A text with a number that grows with the page: the text with marks for all numbers, the place of the number among them, and its
    /// distance from the page.
    Numbered(String, usize, i64),
}

/// The shapes of a line for each number in it that may be that of its page.
fn numbered(text: &str, page: usize) -> Vec<Shape> {
    if page_number(text) == Some(None) {
        return vec![Shape::Roman];
    }
    let mut pattern = String::with_capacity(text.len());
    let mut numbers = Vec::new();
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !bare.is_empty() && bare.len() <= 5 && bare.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers.extend(bare.parse::<i64>());
            pattern.push('#');
            pattern.push_str(&word[bare.len()..]);
        } else {
            pattern.push_str(word);
        }
    }
    let page = i64::try_from(page).unwrap_or(i64::MAX);
    let shapes = numbers.iter().enumerate();
    shapes.map(|(at, number)| Shape::Numbered(pattern.clone(), at, number - page)).collect()
}

/// The lines at the head and the foot of a page.
fn in_margins(page: &PageLines) -> Vec<usize> {
    let mut lines: Vec<usize> = (0..page.lines.len()).filter(|at| !page.lines[*at].is_turned).collect();
    lines.sort_by(|one, other| page.lines[*one].y.total_cmp(&page.lines[*other].y));
    let head = lines.iter().take(MARGIN_LINES).filter(|at| page.lines[**at].y < page.height * MARGIN);
    let foot = lines.iter().rev().take(MARGIN_LINES).filter(|at| page.lines[**at].y > page.height * (1.0 - MARGIN));
    let mut found: Vec<usize> = head.chain(foot).copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::lines::LineCell;

    #[test]
    fn a_title_that_grows_with_the_page_or_a_year_is_text() {
        let pages: Vec<PageLines> = (1..=4)
            .map(|number| page(&[(&format!("Revenue {}", 2020 + number * 2), 30.0), ("Text.", 400.0)]))
            .collect();
        assert!(left_out(&pages).is_empty());
        let step = |number: usize| {
            let mut page = page(&[(&format!("Step {number}"), 30.0), ("Text of a long paragraph.", 400.0)]);
            page.lines[0].size = 24.0;
            page
        };
        assert!(left_out(&(1..=4).map(step).collect::<Vec<_>>()).is_empty());
    }

    fn page(lines: &[(&str, f32)]) -> PageLines {
        let lines =
            lines.iter().map(|(text, y)| Line { text: (*text).to_owned(), y: *y, size: 10.0, ..Line::default() });
        PageLines { height: 800.0, lines: lines.collect() }
    }

    fn left_out(pages: &[PageLines]) -> Vec<String> {
        let reasons = reasons(pages);
        let all = pages.iter().zip(&reasons).flat_map(|(page, reasons)| page.lines.iter().zip(reasons));
        all.filter_map(|(line, reason)| reason.as_ref().map(|_| line.text.clone())).collect()
    }

    #[test]
    fn a_table_of_contents_is_known_by_its_leaders_and_numbers_and_a_list_of_prices_is_none() {
        let contents = page(&[
            ("Contents", 100.0),
            ("1 Scope 1", 120.0),
            ("1.1 About this . . . . . . 1", 140.0),
            ("1.2 A title of which the first line is long and", 160.0),
            ("the second is short ........ 3", 180.0),
            ("2 Packages … 12", 200.0),
            ("This text follows it in 12 lines.", 400.0),
        ]);
        let expected = [1, 2, 3, 4, 5].map(|at| contents.lines[at].text.clone());
        assert_eq!(left_out(&[contents]), expected);
        let prices = page(&[("Tea ..... 3", 100.0), ("Coffee ..... 2", 120.0), ("Water ..... 1", 140.0)]);
        assert!(left_out(&[prices]).is_empty());
    }

    #[test]
    fn a_table_of_contents_without_leaders_is_known_by_the_titles_that_come_again() {
        let entry = |text: &str, number: &str, y: f32| {
            let cell = |start, left, right| LineCell { start, left, right };
            let cells = vec![cell(0, 50.0, 200.0), cell(text.len() + 1, 490.0, 500.0)];
            Line { text: format!("{text} {number}"), y, size: 10.0, cells, ..Line::default() }
        };
        let titles = ["Scope", "Leave", "Travel", "Sick days"];
        let numbers = ["1", "2", "5", "9"];
        let lines = (0_u8..).zip(titles).zip(numbers);
        let lines = lines.map(|((row, title), number)| entry(title, number, 100.0 + f32::from(row) * 20.0));
        let contents = || PageLines { height: 800.0, lines: lines.clone().collect() };
        let body = page(&[("Scope", 100.0), ("Leave", 200.0), ("Travel", 300.0), ("Text.", 400.0)]);
        assert_eq!(left_out(&[contents(), body]).len(), 4);
        assert!(left_out(&[contents()]).is_empty(), "a list of prices");
    }

    #[test]
    fn running_heads_and_page_numbers_are_left_out_but_for_the_first_of_equal_ones() {
        let of = |number: usize| {
            let number_text = number.to_string();
            let chapter = format!("{number} Chapter 5. Packages");
            let text = format!("Text of page {number}.");
            page(&[("House Rules 2026", 30.0), (&text, 400.0), (&chapter, 760.0), (&number_text, 780.0)])
        };
        let pages: Vec<PageLines> = (1..=4).map(of).collect();
        let left_out = left_out(&pages);
        assert_eq!(left_out.len(), 3 + 4 + 4, "{left_out:?}");
        assert!(!left_out.iter().any(|text| text.starts_with("Text")));
        assert_eq!(left_out.iter().filter(|text| text.starts_with("House")).count(), 3);
        assert!(super::reasons(&pages[..2]).concat().iter().all(Option::is_none), "two pages repeat nothing");
    }
}
