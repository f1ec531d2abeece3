//! xAI: responses and chats with `[[n]](url)` in the text, and with a list of all pages that were seen.

use super::chat::ChatKind;
use super::event::ReadEvents;
use super::format::{Format, Members, is_something};
use super::openai_chat::{self, ChatEvents};
use super::openai_responses::{flavour_of, kind};
use super::responses::{self, Flavour, is_grok};
use super::responses_events::ResponsesEvents;
use super::told_later::ToldLater;
use super::{IngestError, Provider, json};
use crate::answer::{Answer, MarkerGrammar};

pub(super) const FORMAT: Format = Format {
    provider: Provider::Xai,
    slug: "xai",
    sign: "`citations`",
    is_whole: |members| ChatKind::Xai.is_whole(members) || flavour_of(members) == Some(Flavour::Xai),
    is_event: |members| {
        let model = members.get("response").and_then(|response| response["model"].as_str());
        ChatKind::of(members) == Some(ChatKind::Xai) || kind(members).starts_with("response.") && is_grok(model)
    },
    parse,
    reader: || Box::new(ToldLater::new(MarkerGrammar::NONE, reader)),
};

fn parse(body: &str) -> Result<Answer, IngestError> {
    let members: Members = json::read(body)?;
    if is_something(&members, "choices") {
        openai_chat::parse(body, true)
    } else {
        responses::parse(body, Some(Flavour::Xai))
    }
}

fn reader(members: &Members) -> Box<dyn ReadEvents> {
    if members.contains_key("choices") {
        Box::new(ChatEvents::new(true))
    } else {
        Box::new(ResponsesEvents::new(Some(Flavour::Xai)))
    }
}
