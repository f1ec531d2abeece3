//! Guesses which members of a list's entries are the title, the address and the passage of a source.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::options::SourceOptions;
use super::super::several::Several;
use super::survey::{last_name, leaves};

/// The members of the entries of a list: each path with its values.
pub(super) type Members<'v> = BTreeMap<String, Vec<&'v Value>>;

/// The members of entries.
pub(super) fn members<'v>(entries: &[&'v Value]) -> Members<'v> {
    let mut members = Members::new();
    for (path, value) in entries.iter().flat_map(|entry| leaves(entry)) {
        members.entry(path).or_default().push(value);
    }
    members
}

const URLS: &[&str] = &[
    "url",
    "link",
    "href",
    "uri",
    "sourceurl",
    "weburl",
    "documenturl",
    "pageurl",
    "permalink",
    "webpage",
    "address",
    "location",
    "sourceuri",
    "docurl",
    "source",
];
const TITLES: &[&str] = &[
    "title",
    "doctitle",
    "documenttitle",
    "documentname",
    "docname",
    "name",
    "headline",
    "heading",
    "subject",
    "label",
    "caption",
    "displayname",
    "sourcename",
];
const FILES: &[&str] =
    &["filename", "filepath", "file", "path", "documentpath", "filetitle", "document", "doc", "source"];
const CONTENTS: &[&str] = &[
    "content",
    "text",
    "passage",
    "snippet",
    "excerpt",
    "chunk",
    "pagecontent",
    "body",
    "quote",
    "highlights",
    "highlight",
    "extract",
    "description",
    "summary",
    "chunktext",
    "paragraph",
    "abstract",
];
const IDS: &[&str] = &[
    "id",
    "docid",
    "documentid",
    "sourceid",
    "ref",
    "refid",
    "key",
    "uid",
    "uuid",
    "citationid",
    "number",
    "index",
    "position",
    "n",
    "nr",
    "no",
];
const CHUNKS: &[&str] = &["chunkid", "segmentid", "passageid", "nodeid"];
const PAGES: &[&str] = &["page", "pagenumber", "pageno", "pagenum"];
const SCORES: &[&str] =
    &["score", "relevance", "similarity", "relevancescore", "confidence", "rerankscore", "similarityscore"];
const DATES: &[&str] = &[
    "modified",
    "date",
    "updatedat",
    "lastmodified",
    "updated",
    "publisheddate",
    "published",
    "createdat",
    "timestamp",
];
const AUTHORS: &[&str] = &["author", "authors", "owner", "editor"];
const LABELS: &[&str] = &["sensitivity", "sensitivitylabel", "classification", "confidentiality"];

fn is_address(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("https://") || text.starts_with("http://"))
}

fn is_name(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty() && !is_address(value))
}

fn is_file(value: &Value) -> bool {
    let has_ending =
        |text: &str| text.rsplit_once('.').is_some_and(|(name, end)| !name.is_empty() && (2..=5).contains(&end.len()));
    value.as_str().is_some_and(|text| !is_address(value) && (has_ending(text) || text.contains('/')))
}

fn is_id(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| !text.is_empty() && !text.contains(char::is_whitespace))
}

/// The path whose name stands first in `names`, and most of whose values fit. Of paths with one name, the shortest.
fn best<'m>(
    members: &'m Members<'_>,
    names: &[&str],
    taken: &[&str],
    fits: impl Fn(&Value) -> bool,
) -> Option<&'m String> {
    let mostly = |values: &[&Value]| 2 * values.iter().filter(|value| fits(value)).count() >= values.len();
    let ranked = members.iter().filter(|(path, values)| !taken.contains(&path.as_str()) && mostly(values));
    let ranked = ranked.filter_map(|(path, _)| Some((names.iter().position(|name| *name == last_name(path))?, path)));
    ranked.min_by_key(|(rank, path)| (*rank, path.len())).map(|(_, path)| path)
}

/// The meaning of the members of sources, and how much they look like sources.
#[derive(Debug, Default)]
pub(super) struct Roles {
    pub(super) options: SourceOptions,
    /// 0 for what is no source.
    pub(super) likeness: usize,
}

/// Guesses what the members of the entries of a list mean.
pub(super) fn roles(entries: &[&Value]) -> Roles {
    if !entries.is_empty() && entries.iter().all(|entry| is_address(entry)) {
        return Roles { likeness: 4, ..Roles::default() };
    }
    let members = members(entries);
    let mut taken: Vec<&str> = Vec::new();
    let mut options = SourceOptions::default();
    let mut take = |role: &mut Several<String>, names, fits: &dyn Fn(&Value) -> bool, otherwise: Option<&'_ String>| {
        let otherwise = otherwise.filter(|path| !taken.contains(&path.as_str()));
        let path = best(&members, names, &taken, fits).or(otherwise)?;
        let path = members.get_key_value(path)?.0;
        taken.push(path);
        *role = Several(vec![path.clone()]);
        Some(())
    };
    let addressed =
        members.iter().find(|(_, values)| values.iter().all(|value| is_address(value))).map(|(path, _)| path);
    let has_url = take(&mut options.url, URLS, &is_address, addressed).is_some();
    let has_title = take(&mut options.title, TITLES, &is_name, None).is_some();
    let has_file = take(&mut options.filepath, FILES, &is_file, None).is_some();
    let longest = members
        .iter()
        .filter(|(_, values)| {
            values.iter().any(|value| value.as_str().is_some_and(|text| text.len() > 60 && !is_address(value)))
        })
        .max_by_key(|(_, values)| values.iter().filter_map(|value| value.as_str()).map(str::len).sum::<usize>())
        .map(|(path, _)| path);
    let has_content = take(&mut options.content, CONTENTS, &is_name, longest).is_some();
    let has_id = take(&mut options.id, IDS, &is_id, None).is_some();
    let has_chunk = take(&mut options.chunk_id, CHUNKS, &is_id, None).is_some();
    let has_page = take(&mut options.page, PAGES, &Value::is_number, None).is_some();
    let has_score = take(&mut options.score, SCORES, &Value::is_number, None).is_some();
    take(&mut options.modified, DATES, &|value| is_name(value) || value.is_number(), None);
    take(&mut options.author, AUTHORS, &is_name, None);
    take(&mut options.label, LABELS, &is_name, None);
    let named = usize::from(has_url) * 4 + usize::from(has_title) * 2 + usize::from(has_file) * 3;
    let passage = usize::from(has_content && (has_id || has_chunk || has_page || has_score || named > 0)) * 2;
    let more = [has_id, has_chunk, has_page, has_score].into_iter().filter(|has| *has).count();
    // A title alone may be anything: a button, a tool, a choice.
    let likeness = if named + passage > 2 { named + passage + more } else { 0 };
    Roles { options, likeness }
}
