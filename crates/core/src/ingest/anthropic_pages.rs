//! Pages that Claude's [web search](https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool) found and its
//! [web fetch](https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool) read, whether or not the answer
//! cites them.

use std::collections::HashMap;

use serde_json::Value;

use super::json::filled;
use super::location::{Located, web_url};
use crate::answer::{Source, SourceKind};
use crate::report::{Entry, Kind};

/// The pages in the order in which the tools returned them, each once (rule N-03).
#[derive(Debug, Default)]
pub(super) struct FoundPages {
    all: Vec<Found>,
    /// The place of each page in `all`, by its merge key.
    by_address: HashMap<String, usize>,
}

#[derive(Debug)]
struct Found {
    page: Source,
    /// Claude read the page as a document. Citations name it by its title alone.
    is_fetched: bool,
    is_cited: bool,
}

impl FoundPages {
    /// Adds the results of a tool from the `content` of its block. An error of the tool becomes a warning.
    pub(super) fn add(&mut self, content: &Value, pointer: &str, warnings: &mut Vec<Entry>) {
        if let Some(code) = content["error_code"].as_str() {
            let message = format!("the web tool failed: {code:?}");
            warnings.push(Entry::in_input(Kind::Note, "tool-error", pointer, message));
        }
        if let Some(results) = content.as_array() {
            for (at, result) in results.iter().enumerate() {
                let age = text(&result["page_age"]);
                self.page(result, text(&result["title"]), age, &format!("{pointer}/{at}"), warnings);
            }
        } else if let Some(at) = self.page(content, text(&content["content"]["title"]), None, pointer, warnings) {
            self.all[at].is_fetched = true;
        }
    }

    /// Adds a page, or finds it. Returns its place; `None` without an address.
    fn page(
        &mut self,
        result: &Value,
        title: Option<String>,
        modified: Option<String>,
        pointer: &str,
        warnings: &mut Vec<Entry>,
    ) -> Option<usize> {
        let Located { url, address, .. } = web_url(text(&result["url"]), || format!("{pointer}/url"), warnings);
        let key = url.as_ref()?.merge_key().into_owned();
        let (kind, pointer) = (Some(SourceKind::Web), pointer.to_owned());
        let page = Source { url, address, title, modified, kind, pointer, ..Source::default() };
        let next = self.all.len();
        let at = *self.by_address.entry(key).or_insert(next);
        match self.all.get_mut(at) {
            Some(known) => known.page.fill_in(page),
            None => self.all.push(Found { page, is_fetched: false, is_cited: false }),
        }
        Some(at)
    }

    /// Fills in a cited page from the result with its address.
    pub(super) fn complete_page(&mut self, cited: &mut Source) {
        let at = cited.url.as_ref().and_then(|url| self.by_address.get(url.merge_key().as_ref()));
        if let Some(found) = at.and_then(|at| self.all.get_mut(*at)) {
            found.is_cited = true;
            cited.fill_in(found.page.clone());
        }
    }

    /// Gives a cited document its address if its title is that of one fetched page.
    pub(super) fn complete_document(&mut self, cited: &mut Source) {
        let Some(title) = cited.title.as_ref() else { return };
        let mut named =
            self.all.iter_mut().filter(|found| found.is_fetched && found.page.title.as_ref() == Some(title));
        if let (Some(found), None) = (named.next(), named.next()) {
            found.is_cited = true;
            cited.kind = found.page.kind;
            cited.fill_in(found.page.clone());
        }
    }

    /// The pages that nothing cites.
    pub(super) fn into_uncited(self) -> impl Iterator<Item = Source> {
        self.all.into_iter().filter(|found| !found.is_cited).map(|found| found.page)
    }
}

fn text(value: &Value) -> Option<String> {
    filled(value.as_str().map(str::to_owned))
}
