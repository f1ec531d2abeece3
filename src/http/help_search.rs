//! `GET /help/search?q=…`: finds pages of the documentation.

use std::collections::BTreeSet;

use tokio::sync::OnceCell;

use super::help_pages::{HELP, escaped, page_text};
use crate::assistant::documentation_pages;
use crate::document::{Found, Library, LibraryError};
use crate::text::{cut_at_word, one_line, plain_text};

/// An origin that stands before the addresses of the pages, and is cut off them.
const ORIGIN: &str = "http://localhost";

/// The most results, and the most passages among which they are: several passages may stand under one heading.
const RESULTS: usize = 12;
const PASSAGES: usize = 4 * RESULTS;

/// The longest words that are searched for, in bytes, and the longest text of a result, in UTF-16 code units.
const MAX_WORDS: usize = 256;
const MAX_SHOWN: usize = 220;

/// All pages, indexed at the first search.
static PAGES: OnceCell<Library> = OnceCell::const_new();

/// The results for these words as HTML, with their heading.
///
/// # Errors
/// When the pages cannot be searched.
pub(super) async fn results(words: &str) -> Result<String, LibraryError> {
    let words = one_line(words);
    let words = words[..words.floor_char_boundary(MAX_WORDS)].trim();
    if words.is_empty() {
        return Ok("<h1>Search</h1>\n<p>Type words above: a setting, an error code, a question.</p>".to_owned());
    }
    let found = PAGES.get_or_try_init(index).await?.search(words, PASSAGES).await?;
    let shown = escaped(words);
    if found.is_empty() {
        return Ok(format!("<h1>Search</h1>\n<p role=\"status\">Nothing is found for “{shown}”. Try other words.</p>"));
    }
    let mut shown_places = BTreeSet::new();
    let results = found.iter().map(|found| (address(found), found));
    let results = results.filter(|(address, _)| shown_places.insert(address.clone())).take(RESULTS);
    let items: String = results.map(|(address, found)| item(&address, found)).collect();
    Ok(format!("<h1>Search</h1>\n<p role=\"status\">Found for “{shown}”:</p>\n<ol class=\"found\">\n{items}</ol>"))
}

async fn index() -> Result<Library, LibraryError> {
    let pages = documentation_pages().into_iter().filter_map(|path| Some((path, page_text(path)?)));
    Library::built_in_at(pages, format!("{ORIGIN}{HELP}").parse().ok()).await
}

/// The place that shows a passage.
fn address(found: &Found) -> String {
    let url = found.source().url;
    let address = url.as_ref().and_then(|url| url.as_str().strip_prefix(ORIGIN));
    address.unwrap_or(HELP).to_owned()
}

fn item(address: &str, found: &Found) -> String {
    let name = found.source().display_title().unwrap_or_default().replace('`', "");
    let text = plain_text(best(found).as_str());
    let text = cut_at_word(&text, MAX_SHOWN);
    format!("<li><a href=\"{}\">{}</a><p>{}</p></li>\n", escaped(address), escaped(&name), escaped(&one_line(&text)))
}

/// The passage from the sentence on that has most of the words.
fn best(found: &Found) -> String {
    let sentences = found.passage.sentences();
    let weights: Vec<f64> = sentences.iter().map(|sentence| found.weight_of(&sentence.plain)).collect();
    let most = weights.iter().copied().fold(0.0, f64::max);
    let from = weights.iter().position(|weight| *weight >= most).unwrap_or_default();
    let shown: Vec<&str> = sentences.iter().skip(from).map(|sentence| sentence.plain.as_str()).collect();
    if shown.is_empty() { found.passage.text.clone() } else { shown.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn words_lead_to_the_heading_of_a_page_and_are_shown_as_text() {
        let html = results("page_answers").await.expect("results");
        assert!(html.contains("<a href=\"/help/reference/settings.md\""), "{html}");
        let teams = results("When Teams refuses a call").await.expect("results");
        assert!(teams.contains("href=\"/help/guides/teams.md#when-teams-refuses-a-call\""), "{teams}");
        for words in ["<script>alert(1)</script> xyzzyx", "\u{202e}\"><img src=x> plugh"] {
            let html = results(words).await.expect("results");
            assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        }
        assert!(results("xyzzyx").await.expect("results").contains("Nothing is found for “xyzzyx”"));
        assert!(results(" \n").await.expect("results").contains("Type words above"));
    }

    #[tokio::test]
    async fn every_result_leads_to_a_page_that_is_served() {
        for words in ["settings", "teams citations", "how do I install", "Slack", "policy P-08"] {
            let html = results(words).await.expect("results");
            let links: Vec<&str> =
                html.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next()).collect();
            assert!(!links.is_empty(), "{words}");
            let places: BTreeSet<&str> =
                html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            assert_eq!(places.len(), links.len(), "each place is there once: {html}");
            for link in links {
                let path = link.strip_prefix(HELP).expect("a page");
                assert!(page_text(path).is_some(), "{link}");
            }
        }
    }
}
