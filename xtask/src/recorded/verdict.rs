//! Whether a body was read as expected.

use super::expected::Expected;
use super::reading::{Outcome, Reading};

/// The differences from expectations; nothing when all is well.
///
/// Without an expectation a body is expected to be read, as the format that its name tells, and by name as by detection.
pub(super) fn verdict(
    auto: &Outcome,
    named: Option<&Outcome>,
    known: Option<&str>,
    expected: Option<&Expected>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    if expected.is_some_and(|expected| expected.refused) {
        if auto.read().is_some() {
            wrong.push("read, but expected to be refused".to_owned());
        }
        if named.is_some_and(|named| named.read().is_some()) {
            wrong.push("read by name, but expected to be refused".to_owned());
        }
        return wrong;
    }
    match auto {
        Outcome::Refused(why) => wrong.push(format!("refused: {why}")),
        Outcome::Read(reading) => {
            if let Some(known) = known
                && reading.format != known
            {
                wrong.push(format!("read as {}, but expected as {known}", reading.format));
            }
            wrong.extend(counts(reading, expected).map(|count| format!("auto: {count}")));
        }
    }
    match named {
        Some(refusal @ Outcome::Refused(why)) if refusal != auto => wrong.push(format!("refused by name: {why}")),
        // Where detection found another format the counts by name speak of the known one.
        Some(Outcome::Read(reading)) if auto.read() != Some(reading) => {
            let counts: Vec<String> = counts(reading, expected).collect();
            wrong.extend(counts.iter().map(|count| format!("by name: {count}")));
            if let (Some(auto), true) = (auto.read(), counts.is_empty())
                && (auto.sources, auto.places) != (reading.sources, reading.places)
                && !wrong.iter().any(|told| told.starts_with("auto: "))
            {
                wrong.push(format!("by name: {} sources, {} places", reading.sources, reading.places));
            }
        }
        _ => {}
    }
    wrong
}

fn counts(reading: &Reading, expected: Option<&Expected>) -> impl Iterator<Item = String> {
    let count = |what: &str, got: usize, wanted: Option<usize>| {
        wanted.filter(|wanted| *wanted != got).map(|wanted| format!("{got} {what}, but expected {wanted}"))
    };
    let sources = count("sources", reading.sources, expected.and_then(|expected| expected.sources));
    let places = count("places", reading.places, expected.and_then(|expected| expected.places));
    sources.into_iter().chain(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn read(format: &str, sources: usize, places: usize) -> Outcome {
        Outcome::Read(Reading { format: format.to_owned(), sources, places, notes: BTreeMap::new() })
    }

    fn refused() -> Outcome {
        Outcome::Refused("not JSON".to_owned())
    }

    fn expected(sources: usize, places: usize) -> Expected {
        Expected { sources: Some(sources), places: Some(places), ..Expected::default() }
    }

    #[test]
    fn a_body_without_expectation_is_to_be_read() {
        assert!(verdict(&read("xai", 1, 1), None, None, None).is_empty());
        assert_eq!(verdict(&refused(), None, None, None), ["refused: not JSON"]);
    }

    #[test]
    fn detection_is_to_find_the_format_that_the_name_tells() {
        let wrong = verdict(&read("openai-chat", 1, 0), Some(&read("perplexity", 1, 2)), Some("perplexity"), None);
        assert_eq!(wrong, ["read as openai-chat, but expected as perplexity", "by name: 1 sources, 2 places"]);
    }

    #[test]
    fn counts_are_held_against_the_expectation() {
        let reading = read("xai", 3, 2);
        assert!(verdict(&reading, Some(&reading), Some("xai"), Some(&expected(3, 2))).is_empty());
        let wrong = verdict(&reading, Some(&reading), Some("xai"), Some(&expected(4, 2)));
        assert_eq!(wrong, ["auto: 3 sources, but expected 4"]);
        let wrong = verdict(&refused(), Some(&reading), Some("xai"), Some(&expected(3, 1)));
        assert_eq!(wrong, ["refused: not JSON", "by name: 2 places, but expected 1"]);
    }

    #[test]
    fn the_same_refusal_is_told_once() {
        assert_eq!(verdict(&refused(), Some(&refused()), Some("xai"), None), ["refused: not JSON"]);
    }

    #[test]
    fn what_is_no_answer_is_to_be_refused_by_both() {
        let no_answer = Expected { refused: true, ..Expected::default() };
        assert!(verdict(&refused(), Some(&refused()), Some("xai"), Some(&no_answer)).is_empty());
        let wrong = verdict(&read("xai", 0, 0), None, None, Some(&no_answer));
        assert_eq!(wrong, ["read, but expected to be refused"]);
    }
}
