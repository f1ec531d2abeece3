//! Proposes a mapping for a whole answer: the text, the list of sources, the positions beside the text.

use std::cmp::Reverse;

use serde_json::Value;

use super::super::super::span::Unit;
use super::super::options::{MappingOptions, MarkerOptions, Names, OffsetUnit, SpanOptions};
use super::super::path::{Found, Path};
use super::super::several::Several;
use super::roles::{Members, Roles, members, roles};
use super::survey::{OF_USERS, Survey, last_name};
use crate::answer::marker_word;
use crate::text::OffsetIndex;

/// A list that looks like the sources of an answer.
#[derive(Debug)]
pub(super) struct SourceList<'v> {
    pub(super) path: String,
    pub(super) entries: Vec<&'v Value>,
    pub(super) roles: Roles,
}

/// Names of lists that hold sources, the most telling first.
const SOURCE_LISTS: &[&str] = &[
    "sources",
    "citations",
    "references",
    "documents",
    "docs",
    "searchresults",
    "sourcedocuments",
    "contexts",
    "context",
    "passages",
    "chunks",
    "retrieved",
    "attributions",
    "annotations",
    "hits",
    "results",
    "evidence",
    "links",
    "footnotes",
];

/// Names of the text of an answer, the most telling first.
const TEXTS: &[&str] = &[
    "answer",
    "text",
    "content",
    "response",
    "output",
    "reply",
    "message",
    "completion",
    "result",
    "generatedtext",
    "markdown",
    "summary",
    "outputtext",
    "responsetext",
    "answertext",
    "textresponse",
    "body",
    "delta",
    "token",
    "chunk",
    "value",
];

/// Names of texts that are no answer.
const NO_TEXTS: &[&str] = &[
    "question",
    "query",
    "prompt",
    "input",
    "instructions",
    "system",
    "reasoning",
    "thinking",
    "thought",
    "title",
    "name",
    "id",
    "user",
    "model",
    "type",
    "url",
    "role",
    "status",
    "error",
    "sender",
    "endpoint",
    "who",
    "speaker",
];

/// Proposes a mapping for a whole answer. A member whose string holds JSON is opened, if the answer stands in it.
pub(super) fn propose(value: &Value) -> Option<MappingOptions> {
    if value.is_string() {
        return None;
    }
    let (opened, json_in) = opened(value);
    let within = |options: &MappingOptions| -> Vec<String> {
        let paths = options.text.0.iter().chain(&options.sources.0);
        let holds =
            |json: &&String| paths.clone().any(|path| path.len() > json.len() && path.starts_with(json.as_str()));
        json_in.iter().filter(holds).cloned().collect()
    };
    let of_opened = Some(&opened).filter(|_| !json_in.is_empty()).and_then(closed);
    let of_opened = of_opened.map(|options| MappingOptions { json_in: Several(within(&options)), ..options });
    of_opened.filter(|options| !options.json_in.is_empty()).or_else(|| closed(value))
}

/// A body in which strings that hold JSON are opened, and the paths of these.
fn opened(value: &Value) -> (Value, Vec<String>) {
    let inner = |text: &str| {
        let holds_json = text.trim_start().starts_with(['{', '[']);
        holds_json
            .then(|| serde_json::from_str::<Value>(text).ok())
            .flatten()
            .filter(|value| !value.is_array() || value[0].is_object())
    };
    let survey = Survey::of(value);
    let holding = survey.strings.iter().filter(|(_, texts)| texts.iter().all(|text| inner(text).is_some()));
    let paths: Vec<String> = holding.map(|(path, _)| path.clone()).filter(|path| path != "$").collect();
    let mut opened = value.clone();
    for path in paths.iter().filter_map(|path| Path::absolute(path).ok()) {
        for Found { pointer, .. } in path.find(value, "") {
            if let Some(place) = opened.pointer_mut(&pointer)
                && let Some(inner) = place.as_str().and_then(inner)
            {
                *place = inner;
            }
        }
    }
    (opened, paths)
}

/// Proposes a mapping for a body as it stands.
fn closed(value: &Value) -> Option<MappingOptions> {
    let survey = Survey::of(value);
    let sources = source_lists(&survey);
    let (text_path, text) = text(&survey, &sources)?;
    let mut options = MappingOptions { text: Several(vec![text_path]), ..MappingOptions::default() };
    describe(&mut options, &survey, sources.into_iter().next(), &text);
    // A list of sources may be empty.
    let sources = options.sources.0.iter().map(|path| path.trim_end_matches("[*]").trim_end_matches(".*"));
    options.recognize = Several(options.text.0.iter().map(String::as_str).chain(sources).map(str::to_owned).collect());
    Some(options)
}

/// Describes sources, markers and spans.
pub(super) fn describe(options: &mut MappingOptions, survey: &Survey<'_>, sources: Option<SourceList<'_>>, text: &str) {
    if let Some(SourceList { path, entries, roles }) = sources {
        options.spans = spans(survey, &path, &entries, &roles, text).unwrap_or_default();
        let members = members(&entries);
        options.source = roles.options;
        options.source.marker = marker(&members, text).into_iter().collect();
        if options.source.marker.0.is_empty()
            && let Some(id) = id_in_brackets(&members, &options.source.id, text)
        {
            options.source.id = Several(vec![id]);
        }
        options.markers = markers(text, &entries, options);
        options.sources = Several(vec![path]);
    }
}

/// The lists that look like sources, the likeliest first.
pub(super) fn source_lists<'v>(survey: &Survey<'v>) -> Vec<SourceList<'v>> {
    let mut lists: Vec<SourceList<'v>> = survey
        .lists
        .iter()
        .filter(|(_, entries)| !entries.is_empty() && !holds_messages(entries))
        .map(|(path, entries)| SourceList { path: path.clone(), entries: entries.clone(), roles: roles(entries) })
        .filter(|list| list.roles.likeness > 0)
        .collect();
    // A list that holds another list of sources says of them only where they are cited.
    let rank = |list: &SourceList<'_>| {
        let named = SOURCE_LISTS.iter().position(|name| *name == last_name(list.path.trim_end_matches(".*")));
        (list.roles.likeness + if named.is_some() { 4 } else { 0 }, Reverse(named.unwrap_or(SOURCE_LISTS.len())))
    };
    lists.sort_by_key(|list| Reverse(rank(list)));
    lists
}

/// Whether a list holds messages, or the parts of one: texts among others.
fn holds_messages(entries: &[&Value]) -> bool {
    let is_text = |entry: &&&Value| entry.get("type").is_some_and(|kind| kind == "text");
    let texts = entries.iter().filter(is_text).count();
    (0 < texts && texts < entries.len()) || entries.iter().any(|entry| entry.get("role").is_some())
}

/// The text: the longest string that is called like one, and is no part of a source.
fn text(survey: &Survey<'_>, sources: &[SourceList<'_>]) -> Option<(String, String)> {
    let in_source = |path: &str| {
        sources.iter().any(|list| path.starts_with(list.path.trim_end_matches("[*]").trim_end_matches(".*")))
    };
    let candidates = survey.strings.iter().filter(|(path, _)| !in_source(path));
    let scored = candidates.filter_map(|(path, texts)| {
        let text = texts.concat();
        let score = likeness(path, &text);
        (score > 0).then_some((score, path, text))
    });
    scored.max_by_key(|(score, path, _)| (*score, Reverse(path.len()))).map(|(_, path, text)| (path.clone(), text))
}

/// How much a string looks like the text of an answer.
pub(super) fn likeness(path: &str, text: &str) -> i64 {
    let name = last_name(path);
    let words = i64::try_from(text.split_whitespace().count()).unwrap_or(i64::MAX).min(60);
    if words == 0 || (words == 1 && text.contains("://")) {
        return 0;
    }
    let called =
        TEXTS.iter().position(|called| *called == name).map_or(0, |rank| 40 - i64::try_from(rank).unwrap_or(0));
    // A role in the path says more than names: `[?@.role == 'user']`.
    let said = if is_question(path) || path.contains("'system'") || path.contains("'tool") { -100 } else { 0 };
    let said = said + if path.contains("'reasoning'") || path.contains("'thinking'") { -100 } else { 0 };
    // Tags stay in the text that readers get, and a text without them is often beside it.
    let tagged = if is_html(text) { -20 } else { 0 };
    let not = if NO_TEXTS.contains(&name.as_str()) { -60 } else { 0 };
    let marked = if brackets(text).next().is_some() { 25 } else { 0 };
    words + called + said + not + marked + tagged
}

/// Whether a path leads to what the user said.
pub(super) fn is_question(path: &str) -> bool {
    ["'user'", "'human'", "'User'"].iter().any(|user| path.contains(user))
        || OF_USERS.iter().any(|name| path.contains(&format!("@.{name} == true")))
}

/// Whether a text is HTML.
fn is_html(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("</")
}

/// The member that repeats the markers of the text, with their brackets.
fn marker(members: &Members<'_>, text: &str) -> Option<String> {
    let is_marker = |value: &&Value| {
        value.as_str().is_some_and(|marker| marker.starts_with(['[', '【', '(']) && text.contains(marker))
    };
    members.iter().find(|(_, values)| values.iter().all(is_marker)).map(|(path, _)| path.clone())
}

/// The member whose words stand in brackets of the text, where those of the `id` do not: an id, whatever its name is. Numbers
/// have other meanings too.
fn id_in_brackets(members: &Members<'_>, id: &Several<String>, text: &str) -> Option<String> {
    let cited: Vec<&str> = brackets(text).filter(|inner| inner.parse::<usize>().is_err()).collect();
    let is_cited = |value: &&Value| value.as_str().is_some_and(|word| cited.contains(&word));
    if values_at(members, id).iter().any(is_cited) {
        return None;
    }
    let names_one = |values: &[&Value]| values.iter().all(|value| value.is_string()) && values.iter().any(is_cited);
    members.iter().find(|(_, values)| names_one(values)).map(|(path, _)| path.clone())
}

/// The texts in square and lenticular brackets.
fn brackets(text: &str) -> impl Iterator<Item = &str> {
    text.split(['[', '【']).skip(1).filter_map(|rest| {
        let (inner, _) = rest.split_once([']', '】'])?;
        (!inner.is_empty() && inner.len() <= 64 && !inner.contains('\n')).then_some(inner)
    })
}

/// The meaning of the numbers in the text's markers: ids where all are ids, places from 0 where there is a 0.
fn markers(text: &str, entries: &[&Value], options: &MappingOptions) -> MarkerOptions {
    let numbers: Vec<usize> = brackets(text).flat_map(numbers).collect();
    let members = members(entries);
    let ids: Vec<String> = values_at(&members, &options.source.id).iter().map(|value| plain(value)).collect();
    let are_ids = !numbers.is_empty() && numbers.iter().all(|number| ids.contains(&number.to_string()));
    let in_order = ids.iter().enumerate().all(|(at, id)| *id == (at + 1).to_string());
    let from_zero = numbers.contains(&0) && numbers.iter().all(|number| *number < entries.len());
    let numbers = match (are_ids, from_zero) {
        (true, _) if !in_order => Names::Ids,
        (_, true) => Names::PlacesFrom0,
        (_, false) => Names::Places,
    };
    MarkerOptions { forms: None, numbers }
}

/// The numbers in a bracket, with or without a word: `1, 2`, `ID:0`.
fn numbers(inner: &str) -> impl Iterator<Item = usize> {
    let counted = marker_word(inner).map_or(inner, |(_, rest)| rest);
    counted.split([',', ';']).filter_map(|number| number.trim().trim_matches('^').parse().ok())
}

fn values_at<'v>(members: &Members<'v>, paths: &Several<String>) -> Vec<&'v Value> {
    paths.0.iter().filter_map(|path| members.get(path)).flatten().copied().collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Names of the cited text.
const QUOTES: &[&str] = &[
    "quote",
    "quotedtext",
    "citedtext",
    "text",
    "content",
    "span",
    "segment",
    "sentence",
    "phrase",
    "claim",
    "substring",
];

const STARTS: &[&str] = &["start", "begin", "from", "offset"];
const ENDS: &[&str] = &["end", "stop", "until", "to"];

/// A list with two offsets in each entry, and what it cites.
fn spans(
    survey: &Survey<'_>,
    sources: &str,
    source_entries: &[&Value],
    roles: &Roles,
    text: &str,
) -> Option<SpanOptions> {
    let (each, entries) = survey.lists.iter().find(|(_, entries)| has_offsets(entries))?;
    let members = members(entries);
    let offset = |names: &[&str]| members.iter().find(|(path, values)| is_offset(path, values, names));
    let (start, starts) = offset(STARTS)?;
    let (end, ends) = offset(ENDS).map_or((None, None), |(path, values)| (Some(path), Some(values)));
    let length = offset(&["length", "len", "count"]).filter(|_| end.is_none()).map(|(path, _)| path);
    let repeats = |value: &&Value| value.as_str().is_some_and(|quote| quote.len() > 1 && text.contains(quote));
    let quotes = members
        .iter()
        .filter(|(path, values)| QUOTES.contains(&last_name(path).as_str()) && values.iter().all(repeats));
    let quote =
        quotes.max_by_key(|(_, values)| values.iter().filter_map(|value| value.as_str()).map(str::len).sum::<usize>());
    let unit =
        ends.map_or(OffsetUnit::Char, |ends| unit(text, starts, ends, quote.map(|(_, values)| values.as_slice())));
    let ids: Vec<String> =
        values_at(&self::members(source_entries), &roles.options.id).iter().map(|id| plain(id)).collect();
    let stands_apart = !each.starts_with(sources) && !sources.starts_with(each.as_str());
    let named = members.iter().filter(|(path, _)| *path != start && Some(*path) != end && Some(*path) != length);
    let named = named
        .filter(|_| stands_apart)
        .find_map(|(path, values)| Some((path, names(values, &ids, source_entries.len())?)));
    Some(SpanOptions {
        each: Several(vec![each.clone()]),
        start: Several(vec![start.clone()]),
        end: Several(end.into_iter().cloned().collect()),
        length: Several(length.into_iter().cloned().collect()),
        unit: (unit != OffsetUnit::Char).then_some(unit),
        text: Several(quote.into_iter().map(|(path, _)| path.clone()).collect()),
        sources: Several(named.into_iter().map(|(path, _)| path.clone()).collect()),
        names: named.map(|(_, names)| names).unwrap_or_default(),
    })
}

fn has_offsets(entries: &[&Value]) -> bool {
    let members = members(entries);
    let has = |names: &[&str]| members.iter().any(|(path, values)| is_offset(path, values, names));
    has(STARTS) && (has(ENDS) || has(&["length", "len"]))
}

/// Whether the numbers at a path are offsets in the text, and not lines or pages of a file: `@.loc.lines.from`.
fn is_offset(path: &str, values: &[&Value], names: &[&str]) -> bool {
    let lower = path.to_lowercase();
    let is_of_file = ["line", "page", "row", "column"].iter().any(|place| lower.contains(place));
    !is_of_file
        && values.iter().any(|value| value.is_u64())
        && names.iter().any(|name| last_name(path).starts_with(name))
}

/// The unit in which the offsets cover the quotes; code points where nothing says it.
fn unit(text: &str, starts: &[&Value], ends: &[&Value], quotes: Option<&[&Value]>) -> OffsetUnit {
    let index = OffsetIndex::new(text);
    let fits = |unit: Unit| {
        let quotes = quotes.unwrap_or_default();
        let mut places = starts.iter().zip(ends).zip(quotes);
        !quotes.is_empty()
            && places.all(|((start, end), quote)| {
                let byte = |offset: &Value| offset.as_u64().and_then(|offset| usize::try_from(offset).ok());
                let range =
                    byte(start).zip(byte(end)).map(|(start, end)| unit.byte(&index, start)..unit.byte(&index, end));
                range.and_then(|range| text.get(range)) == quote.as_str()
            })
    };
    let units = [(OffsetUnit::Char, Unit::Char), (OffsetUnit::Utf16, Unit::Utf16), (OffsetUnit::Utf8, Unit::Utf8)];
    units.into_iter().find(|(_, unit)| fits(*unit)).map_or(OffsetUnit::Char, |(named, _)| named)
}

/// How values name sources, if they do.
fn names(values: &[&Value], ids: &[String], count: usize) -> Option<Names> {
    if values.is_empty() {
        return None;
    }
    if values.iter().all(|value| ids.contains(&plain(value))) {
        return Some(Names::Ids);
    }
    let places: Option<Vec<usize>> =
        values.iter().map(|value| value.as_u64().and_then(|place| usize::try_from(place).ok())).collect();
    let places = places?;
    if places.contains(&0) {
        places.iter().all(|place| *place < count).then_some(Names::PlacesFrom0)
    } else {
        places.iter().all(|place| *place <= count).then_some(Names::Places)
    }
}
