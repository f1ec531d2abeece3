//! [Messages of OpenAI Assistants](https://platform.openai.com/docs/api-reference/messages/object): a thread whose
//! annotations cite files.

use super::Provider;
use super::format::Format;
use super::threads::{self, THREAD_MEMBERS, cites_pages, is_about_thread, is_message};
use super::threads_events::ThreadEvents;

pub(super) const FORMAT: Format = Format {
    provider: Provider::OpenAiAssistants,
    sign: "`thread.message`",
    members: &[THREAD_MEMBERS],
    is_whole: |members| is_message(members) && !cites_pages(members),
    // The first events of an Azure AI agents run look the same. `ThreadEvents` reads both formats.
    is_event: is_about_thread,
    parse: threads::parse,
    reader: || Box::new(ThreadEvents::default()),
};
