//! The back ends of the assistants in the configuration, for commands that name them.

use std::collections::BTreeMap;

use super::assistant_section::LOCAL;
use super::assistants::of_channel;
use super::load::{ConfigSources, load};
use super::{ConfigError, ConfigFault, FaultOrigin};
use crate::assistant::BackEnd;
use crate::upstream::UpstreamOptions;

/// The kinds of back ends, by assistant. Assistants that are stored over HTTP are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackEnds {
    by_assistant: BTreeMap<String, &'static str>,
    of_channel: Option<String>,
}

impl BackEnds {
    /// The kind of the back end of an assistant, `None` being that which answers on the secret of the channel; such as `openai`.
    #[must_use]
    pub fn kind(&self, assistant: Option<&str>) -> Option<&'static str> {
        self.by_assistant.get(assistant.or(self.of_channel.as_deref())?).copied()
    }
}

/// The back ends that the configuration names. Secrets need not be set for that.
///
/// # Errors
///
/// When anything in the configuration is wrong: with everything that is.
pub fn back_ends(sources: &ConfigSources) -> Result<BackEnds, ConfigError> {
    let (raw, faults) = load(sources);
    if !faults.is_empty() {
        return Err(ConfigError(faults));
    }
    let of_channel = of_channel(raw.assistant.as_deref(), &raw.assistants, raw.bot.endpoint.is_some())
        .map_err(|wrong| ConfigError(vec![ConfigFault::new(FaultOrigin::Together, wrong)]))?;
    let kinds = raw.assistants.iter().map(|plan| (plan.name.clone(), kind(&plan.back_end)));
    Ok(BackEnds { by_assistant: kinds.collect(), of_channel })
}

/// The name of the table that configures the back end.
fn kind(back_end: &BackEnd) -> &'static str {
    match back_end {
        BackEnd::Local => LOCAL,
        BackEnd::Called(options) => match options {
            UpstreamOptions::OpenAi(_) => "openai",
            UpstreamOptions::Azure(_) => "azure",
            UpstreamOptions::OpenAiResponses(_) => "openai-responses",
            UpstreamOptions::Gemini(_) => "gemini",
            UpstreamOptions::Anthropic(_) => "anthropic",
            UpstreamOptions::Http(_) => "http",
        },
    }
}
