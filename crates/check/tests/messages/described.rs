//! Answers as `expected.json` describes them, and the samples whose streams show something too early.

use citewire_core::answer::{Answer, Source, is_marker_span};
use citewire_core::cite::{Rules, cite};
use serde_json::{Value, json};

/// The text with the places of the sources as numbers, and the places that are cited, in the order of the text.
pub(crate) fn by_place(answer: &Answer) -> (String, Vec<usize>) {
    let cited = cite(answer, &Rules::numbered());
    let mut places: Vec<usize> = Vec::new();
    for place in cited.places.iter().filter_map(|place| usize::try_from(place.position.get()).ok()) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    (cited.text, places)
}

/// The first difference between a source and its description; `None` if they agree.
pub(crate) fn difference(source: &Source, expected: &Value) -> Option<String> {
    let text = |name: &str| expected[name].as_str();
    let found = source.url.as_ref().map(|url| url.merge_key().into_owned());
    let web = text("url").and_then(|url| url.parse::<citewire_core::url::WebUrl>().ok());
    let wanted = web.map(|url| url.merge_key().into_owned());
    if found != wanted {
        return Some(format!("the address is {found:?}, not {wanted:?}"));
    }
    let titles: Vec<&str> = match expected["title"].as_array() {
        Some(titles) => titles.iter().filter_map(Value::as_str).collect(),
        None => text("title").into_iter().collect(),
    };
    let shown = source.display_title().unwrap_or("Unknown Document".into());
    // Policy P-08 falls back to the host, where others show the whole address.
    let is_host = || source.title.is_none() && source.url.as_ref().is_some_and(|url| url.host() == shown);
    let fits = if titles.is_empty() { source.title.is_none() } else { titles.contains(&&*shown) || is_host() };
    if !fits {
        return Some(format!("the title is {shown:?}, not one of {titles:?}"));
    }
    if source.score != expected["score"].as_f64() {
        return Some(format!("the score is {:?}", source.score));
    }
    if let Some(snippet) = text("snippet")
        && !source.content.as_deref().is_some_and(|content| content.starts_with(snippet))
    {
        return Some(format!("the passage is {:?}", source.content));
    }
    let members = [("filepath", &source.filepath), ("doc_id", &source.id)];
    let members = members.into_iter().chain([("date", &source.modified), ("content_type", &source.media_type)]);
    let differs = |(name, found): (&str, &Option<String>)| {
        let wanted = text(name).filter(|wanted| found.as_deref().map(str::trim) != Some(wanted.trim()))?;
        Some(format!("{name} is {found:?}, not {wanted:?}"))
    };
    members.into_iter().find_map(differs)
}

/// The cited spans that are no markers, in code points.
pub(crate) fn claims(answer: &Answer) -> Value {
    let chars = |end: usize| answer.text[..end].chars().count();
    let spans = answer.citations.iter().filter(|citation| !is_marker_span(&answer.text[citation.span.range()]));
    let claim = |citation: &citewire_core::answer::Citation| {
        let sources: Vec<usize> = citation.sources.iter().map(|source| source.0 + 1).collect();
        let trimmed = answer.text[..citation.span.end()].trim_end().len();
        json!({"start": chars(citation.span.start()), "end": chars(trimmed), "sources": sources})
    };
    let mut merged: Vec<Value> = Vec::new();
    for claim in spans.map(claim) {
        let same = |other: &&mut Value| other["start"] == claim["start"] && other["end"] == claim["end"];
        match merged.iter_mut().find(same).and_then(|other| other["sources"].as_array_mut()) {
            Some(sources) => sources.extend(claim["sources"].as_array().cloned().unwrap_or_default()),
            None => merged.push(claim),
        }
    }
    merged.sort_by_key(|claim| (claim["start"].as_u64(), claim["end"].as_u64()));
    json!(merged)
}

/// Streams that bring spans for text before them, write all of their text anew, or withdraw a step, and give no sign of that
/// before. A channel whose text can only grow gets their message as a new one.
pub(crate) const LATE_WITHOUT_A_SIGN: [&str; 8] = [
    "agent-framework/updates",
    "langchain/server-stream",
    "openai-chat/litellm-gemini-stream",
    "openai-chat/ragflow-stream",
    "pydantic-ai/events",
    "vercel-ai-sdk/citations-stream",
    "vercel-ai-sdk/pydantic-ai",
    "vercel-ai-sdk/server-stream",
];
