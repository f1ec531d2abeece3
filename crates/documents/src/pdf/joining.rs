//! Joins words and addresses that a line end divides.

use super::lines::{Line, PlacedWord};

/// A line as it is written: perhaps several lines of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Joined {
    pub(super) text: String,
    pub(super) words: Vec<PlacedWord>,
}

/// Lines of the page as lines of text: a word or an address that a line end divides is whole.
pub(super) fn joined(lines: &[&Line]) -> Vec<Joined> {
    let mut written: Vec<Joined> = Vec::new();
    for line in lines {
        match written.last_mut() {
            Some(last) if is_divided_word(&last.text, &line.text) => {
                last.text.pop();
                if let Some(word) = last.words.last_mut() {
                    word.range.end = word.range.end.min(last.text.len());
                }
                last.append(line);
            }
            Some(last) if is_divided_address(&last.text, &line.text) => last.append(line),
            _ => written.push(Joined { text: line.text.clone(), words: line.words.clone() }),
        }
    }
    written
}

impl Joined {
    fn append(&mut self, line: &Line) {
        let start = self.text.len();
        self.text.push_str(&line.text);
        self.words.extend(line.words.iter().map(|word| PlacedWord {
            range: word.range.start + start..word.range.end + start,
            rectangle: word.rectangle,
        }));
    }
}

/// Whether a hyphen at the end of a line only divides a word.
fn is_divided_word(line: &str, next: &str) -> bool {
    let Some(word) = line.strip_suffix('-') else { return false };
    next.starts_with(char::is_lowercase) && word.ends_with(char::is_alphabetic) && !is_address(last_word(line))
}

/// Whether a line ends inside an address of the web or of a mailbox.
fn is_divided_address(line: &str, next: &str) -> bool {
    let (before, behind) = (last_word(line), next.split(' ').next().unwrap_or_default());
    if before.ends_with("http:") || before.ends_with("https:") {
        return behind.starts_with("//");
    }
    if !is_address(before) || behind.is_empty() {
        return false;
    }
    let goes_on = |c: char| c.is_alphanumeric() || "/?#&=%~_-".contains(c);
    match before.chars().next_back() {
        Some('/' | '-' | '_' | '?' | '&' | '=' | '#' | '%' | '@' | '~' | '+') => behind.starts_with(goes_on),
        // A full stop may end the sentence: what follows has to look like the rest of a name.
        Some('.') => {
            behind.starts_with(|c: char| c.is_ascii_lowercase()) && behind.trim_end_matches('.').contains(['.', '/'])
        }
        _ => {
            let mut characters = behind.chars();
            let begins = characters.next().is_some_and(|c| "/?#&=%_.@".contains(c));
            begins && characters.next().is_some_and(char::is_alphanumeric)
        }
    }
}

fn last_word(line: &str) -> &str {
    line.rsplit(' ').next().unwrap_or_default()
}

fn is_address(word: &str) -> bool {
    let is_mailbox = word.split_once('@').is_some_and(|(name, _)| name.ends_with(char::is_alphanumeric));
    word.contains("://") || word.trim_start_matches(['(', '<', '[']).starts_with("www.") || is_mailbox
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> String {
        let lines: Vec<Line> = lines.iter().map(|text| Line { text: (*text).to_owned(), ..Line::default() }).collect();
        let lines = joined(&lines.iter().collect::<Vec<_>>());
        lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn words_and_addresses_are_whole() {
        for (lines, expected) in [
            (["the hand-", "book"], "the handbook"),
            (["North-", "South"], "North-\nSouth"),
            (["and 3-", "d"], "and 3-\nd"),
            (["see https:", "//qa.example.org/orphaned.html."], "see https://qa.example.org/orphaned.html."),
            (["see https://x.example/a-", "b for more"], "see https://x.example/a-b for more"),
            (["see https://x.example/", "index.html"], "see https://x.example/index.html"),
            (["team@security.", "example.org now"], "team@security.example.org now"),
            (["mail team@x.example.", "then wait"], "mail team@x.example.\nthen wait"),
            (["see https://x.example.", "The end"], "see https://x.example.\nThe end"),
            (["see https://x.example", "/path"], "see https://x.example/path"),
            (["at home/", "work"], "at home/\nwork"),
        ] {
            assert_eq!(text(&lines), expected);
        }
    }
}
