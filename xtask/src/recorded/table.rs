//! The table of a run, and its summary.

use super::reading::Outcome;
use super::row::Row;
use std::collections::BTreeMap;

/// The widest name that is shown whole, in characters.
const NAME: usize = 72;

/// One line for each body, under a head.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines =
        vec![["", "file", "format found", "auto", "by name", "sources", "places", "notes"].map(str::to_owned)];
    lines.extend(rows.iter().map(line));
    aligned(&lines)
}

fn line(row: &Row) -> [String; 8] {
    // The counts are those of detection, else those of the reading by name.
    let reading = row.auto.read().or_else(|| row.named.as_ref()?.read());
    let dash = || "-".to_owned();
    let count = |count: Option<usize>| count.map_or_else(dash, |count| count.to_string());
    let mut notes = row.verdict.clone();
    if let (Outcome::Refused(why), true) = (&row.auto, row.verdict.is_empty()) {
        notes.push(why.clone());
    }
    notes.extend(reading.into_iter().flat_map(|reading| &reading.notes).map(|(note, count)| match count {
        1 => note.clone(),
        count => format!("{note} ×{count}"),
    }));
    [
        if row.verdict.is_empty() { "ok" } else { "NO" }.to_owned(),
        shortened(&one_line(&row.name), NAME),
        row.auto.read().map_or_else(dash, |reading| reading.format.clone()),
        outcome(&row.auto).to_owned(),
        row.named.as_ref().map_or("-", outcome).to_owned(),
        count(reading.map(|reading| reading.sources)),
        count(reading.map(|reading| reading.places)),
        one_line(&notes.join("; ")),
    ]
}

fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Read(_) => "read",
        Outcome::Refused(_) => "refused",
    }
}

/// One line for each format: how many bodies were read, and what they hold together.
pub(super) fn summary(rows: &[Row]) -> String {
    let mut formats: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for row in rows {
        let reading = row.auto.read();
        let counts = [
            1,
            usize::from(reading.is_some()),
            usize::from(row.named.as_ref().is_some_and(|named| named.read().is_some())),
            reading.map_or(0, |reading| reading.sources),
            reading.map_or(0, |reading| reading.places),
            usize::from(!row.verdict.is_empty()),
        ];
        for name in [row.format.as_deref().unwrap_or("(unknown)"), "~all"] {
            let sums = formats.entry(name).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    let mut lines =
        vec![["format", "bodies", "read", "by name", "sources", "places", "not as expected"].map(str::to_owned)];
    lines.extend(formats.iter().map(|(format, counts)| {
        let [bodies, read, named, sources, places, wrong] = counts.map(|count| count.to_string());
        [format.trim_start_matches('~').to_owned(), bodies, read, named, sources, places, wrong]
    }));
    aligned(&lines)
}

/// Columns of equal width, numbers to the right; nothing stands behind the last column.
fn aligned<const N: usize>(lines: &[[String; N]]) -> String {
    let wide = |text: &String| text.chars().count();
    let widths: Vec<usize> = (0..N).map(|at| lines.iter().map(|line| wide(&line[at])).max().unwrap_or(0)).collect();
    let is_number = |text: &String| text == "-" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    let numbers: Vec<bool> = (0..N).map(|at| lines.iter().skip(1).all(|line| is_number(&line[at]))).collect();
    let mut table = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).zip(&numbers).map(|((cell, width), number)| {
            let blanks = " ".repeat(width - wide(cell));
            if *number { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
        });
        table.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        table.push('\n');
    }
    table
}

/// A long name without its middle: its folder and its end tell it from others.
fn shortened(name: &str, width: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= width {
        return name.to_owned();
    }
    let head = (width - 1) / 2;
    let tail = width - 1 - head;
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

/// A name or a message may hold line ends and other signs that would move the table about.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reading::Reading;
    use super::*;

    fn row(name: &str, auto: Outcome, verdict: &[&str]) -> Row {
        let verdict = verdict.iter().map(|told| (*told).to_owned()).collect();
        Row { name: name.to_owned(), format: Some("cohere".to_owned()), auto, named: None, verdict }
    }

    fn read(sources: usize, places: usize) -> Outcome {
        let notes = BTreeMap::from([("notes moved".to_owned(), 2)]);
        Outcome::Read(Reading { format: "cohere".to_owned(), sources, places, notes })
    }

    #[test]
    fn the_table_is_aligned_and_tells_why() {
        let rows = [
            row("cohere/a.json", read(10, 2), &[]),
            row("b.json", Outcome::Refused("not JSON".to_owned()), &["refused: not JSON"]),
        ];
        let expected = "    file           format found  auto     by name  sources  places  notes
ok  cohere/a.json  cohere        read           -       10       2  notes moved ×2
NO  b.json         -             refused        -        -       -  refused: not JSON
";
        assert_eq!(table(&rows), expected);
    }

    #[test]
    fn the_summary_counts_each_format_and_all() {
        let rows = [row("a.json", read(10, 2), &[]), row("b.json", read(1, 1), &["wrong"])];
        let expected = "\
format  bodies  read  by name  sources  places  not as expected
cohere       2     2        0       11       3                1
all          2     2        0       11       3                1
";
        assert_eq!(summary(&rows), expected);
    }

    #[test]
    fn a_long_name_keeps_its_folder_and_its_end() {
        assert_eq!(shortened("cohere/abcdefghij.json", 13), "cohere…j.json");
        assert_eq!(shortened("cohere/é.json", 13), "cohere/é.json");
    }

    #[test]
    fn a_name_with_line_ends_stays_in_its_line() {
        assert_eq!(one_line("a\r\nb"), "a\u{fffd}\u{fffd}b");
    }
}
