//! [Messages of Azure AI agents](https://learn.microsoft.com/azure/ai-foundry/agents/concepts/threads-runs-messages): a
//! thread whose annotations may cite web pages.

use super::Provider;
use super::format::Format;
use super::threads::{self, THREAD_MEMBERS, cites_pages, is_about_thread, is_message};
use super::threads_events::ThreadEvents;

pub(super) const FORMAT: Format = Format {
    provider: Provider::AzureAgents,
    sign: "`url_citation`",
    members: &[THREAD_MEMBERS],
    is_whole: |members| is_message(members) && cites_pages(members),
    is_event: |members| is_about_thread(members) && cites_pages(members),
    parse: threads::parse,
    reader: || Box::new(ThreadEvents::default()),
};
