//! Results of web search tools: objects, or lines of text with an address in each.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde_json::Value;

use super::json::filled;
use super::location::{Located, web_url};
use crate::answer::{Source, SourceKind, contradict};
use crate::report::Entry;

/// Members of a tool item that may hold its results; the first that is not null is read.
const RESULTS: [&str; 4] = ["results", "output", "content", "text"];

/// Punctuation that may follow an address in a text and does not belong to it.
const BEHIND_URL: [char; 4] = ['.', ',', ';', ')'];

/// The results of all searches of an answer.
#[derive(Debug, Default)]
pub(super) struct WebResults {
    all: Vec<Source>,
    /// Place of each page in `all`, by its merge key (rule N-03).
    places: BTreeMap<String, usize>,
}

impl From<Vec<Source>> for WebResults {
    fn from(all: Vec<Source>) -> Self {
        let mut places = BTreeMap::new();
        for (at, result) in all.iter().enumerate() {
            if let Some(url) = &result.url {
                places.entry(url.merge_key().into_owned()).or_insert(at);
            }
        }
        Self { all, places }
    }
}

impl WebResults {
    /// The result that is the page of `source` (rule N-03).
    pub(super) fn of_page(&self, source: &Source) -> Option<&Source> {
        let key = source.url.as_ref().filter(|_| !self.all.is_empty())?.merge_key();
        self.places.get(key.as_ref()).map(|at| &self.all[*at]).filter(|result| !contradict(result, source))
    }

    /// All results, in the order of the searches.
    pub(super) fn into_list(self) -> Vec<Source> {
        self.all
    }
}

/// Whether an item is a web search, by its type.
pub(super) fn is_web_search(kind: &str) -> bool {
    matches!(kind, "web_search" | "web_search_preview" | "web_search_call")
}

/// The pages in a tool item, each with its rank, from 1. `pointer` is the JSON pointer of the item.
pub(super) fn web_results(item: &Value, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
    let held = RESULTS.iter().find_map(|name| Some((name, item.get(*name).filter(|value| !value.is_null())?)));
    let Some((name, results)) = held else { return Vec::new() };
    let pointer = format!("{pointer}/{name}");
    let mut pages = Vec::new();
    match results {
        Value::Array(results) => {
            for (at, result) in results.iter().enumerate() {
                let pointer = format!("{pointer}/{at}");
                match result.as_str() {
                    Some(text) => pages.extend(lines(text, &pointer, warnings)),
                    None => pages.extend(page(result, pointer, warnings)),
                }
            }
        }
        Value::String(text) => pages.extend(lines(text, &pointer, warnings)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
    for (page, rank) in pages.iter_mut().zip((1..).map_while(NonZeroU32::new)) {
        page.rank = Some(rank);
    }
    pages
}

/// The pages that a search consulted (`web_search_call.action.sources`), or the page that was opened or searched. A source of
/// kind `api` has a name instead of an address.
pub(super) fn consulted(action: &Value, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
    let listed = action["sources"].as_array().into_iter().flatten().enumerate();
    let listed = listed.map(|(at, source)| (format!("{pointer}/sources/{at}"), source));
    let opened = action["url"].is_string().then(|| (pointer.to_owned(), action));
    let consulted = listed.chain(opened).filter_map(|(pointer, source)| {
        let name = source["name"].as_str().map(|name| Source {
            title: filled(Some(name.to_owned())),
            kind: Some(SourceKind::Tool),
            pointer: pointer.clone(),
            ..Source::default()
        });
        page(source, pointer, warnings).or(name)
    });
    consulted.collect()
}

/// Reads a result object; `None` without a web address.
fn page(result: &Value, pointer: String, warnings: &mut Vec<Entry>) -> Option<Source> {
    let text = |name: &str| filled(result[name].as_str().map(str::to_owned));
    let Located { url, address, .. } = web_url(text("url"), || format!("{pointer}/url"), warnings);
    let (title, content) = (text("title"), text("snippet").or_else(|| text("text")));
    let kind = result["source_type"].as_str().and_then(SourceKind::named).or(Some(SourceKind::Web));
    url.map(|url| Source { url: Some(url), address, title, content, kind, pointer, ..Source::default() })
}

/// Reads each line with an address as a page. The text before the address is its title.
fn lines(text: &str, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
    let found = text.lines().filter_map(|line| {
        let at = ["https://", "http://"].iter().filter_map(|scheme| line.find(scheme)).min()?;
        let (before, rest) = line.split_at(at);
        let end = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(BEHIND_URL).to_owned();
        let Located { url, address, .. } = web_url(Some(address), || pointer.to_owned(), warnings);
        let (title, kind, pointer) = (title(before), Some(SourceKind::Web), pointer.to_owned());
        url.map(|url| Source { url: Some(url), address, title, kind, pointer, ..Source::default() })
    });
    found.collect()
}

/// Removes list and link syntax around a title: `1. `, `- `, `[`, `](`, `: `.
fn title(before: &str) -> Option<String> {
    let text = before.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '•' | '+' | '['));
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = text[digits..].strip_prefix(['.', ')', ']']).filter(|_| digits > 0);
    let text = numbered.unwrap_or(text).trim_start_matches(|c: char| c.is_whitespace() || c == '[');
    let text = text.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '|' | '(' | '[' | ']' | '<' | ',')
    });
    filled(Some(text.to_owned()))
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::*;

    type Page = (String, Option<String>, u32, String);

    fn found(item: Value) -> Vec<Page> {
        let pages = web_results(&item, "/output/0", &mut Vec::new()).into_iter();
        let page = |page: Source| {
            let url = page.url.map(|url| url.as_str().to_owned()).unwrap_or_default();
            (url, page.title, page.rank.map_or(0, NonZeroU32::get), page.pointer)
        };
        pages.map(page).collect()
    }

    fn page(url: &str, title: Option<&str>, rank: u32, pointer: &str) -> Page {
        (url.to_owned(), title.map(str::to_owned), rank, format!("/output/0/{pointer}"))
    }

    #[test]
    fn results_are_objects_with_their_ranks() {
        let item = json!({"results": [{"url": "https://x.example/a", "title": "A", "snippet": "s"},
            {"title": "no address"}, {"url": "https://y.example/", "title": " "}, null]});
        let wanted =
            [page("https://x.example/a", Some("A"), 1, "results/0"), page("https://y.example/", None, 2, "results/2")];
        assert_eq!(found(item.clone()), wanted);
        assert_eq!(web_results(&item, "", &mut Vec::new())[0].content.as_deref(), Some("s"));
    }

    #[test]
    fn results_are_lines_of_text_with_a_title_before_each_address() {
        let text = "Found:\n1. Tunnel to open: https://x.example/a.\n- City news (https://y.example/b?c=(d));\n\
            https://z.example/\n* [Linked](https://w.example/e) and more https://v.example/\n2) — http://u.example/f, then";
        let wanted = |pointer: &str| {
            [
                page("https://x.example/a", Some("Tunnel to open"), 1, pointer),
                page("https://y.example/b?c=(d", Some("City news"), 2, pointer),
                page("https://z.example/", None, 3, pointer),
                page("https://w.example/e", Some("Linked"), 4, pointer),
                page("http://u.example/f", None, 5, pointer),
            ]
        };
        assert_eq!(found(json!({"results": text})), wanted("results"));
        assert_eq!(found(json!({"results": null, "content": text})), wanted("content"));
        assert_eq!(found(json!({"output": [text]})), wanted("output/0"));
    }

    #[test]
    fn a_search_without_results_is_no_error() {
        for item in [json!({}), json!({"results": []}), json!({"results": {}}), json!({"content": "nothing found"})] {
            assert_eq!(found(item), []);
        }
    }
}
