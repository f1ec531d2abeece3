//! Perplexity's agent: responses in which `[n]` is the id of a search result.

use super::Provider;
use super::format::Format;
use super::openai_responses::{flavour_of, kind};
use super::responses::{self, Flavour};
use super::responses_events::ResponsesEvents;

pub(super) const FORMAT: Format = Format {
    provider: Provider::PerplexityAgent,
    slug: "perplexity-agent",
    sign: "`search_results` in `output`",
    is_whole: |members| flavour_of(members) == Some(Flavour::Perplexity),
    is_event: |members| {
        let item = members.get("item").and_then(|item| item["type"].as_str());
        kind(members) == "response.reasoning.search_results"
            || kind(members).starts_with("response.") && item == Some("search_results")
    },
    parse: |body| responses::parse(body, Some(Flavour::Perplexity)),
    reader: || Box::new(ResponsesEvents::new(Some(Flavour::Perplexity))),
};
