//! Outputs for programs, in place of an activity: pure functions of an `Answer`.
//!
//! They follow the rules of their readers instead of the policies of channels. The text stays as the model wrote it, except
//! for its markers. No HTML, images or links are disarmed, because nothing here is drawn.

mod account;
mod assistanthub;
mod badge_stream;
mod chat;
mod chat_completion;
mod chat_options;
mod chat_stream;
mod chat_text;
mod document_links;
mod document_name;
mod domain;
mod download_links;
mod earlier_answer;
mod hub_citations;
mod numbered;
mod open_webui;
mod open_webui_source;
mod open_webui_text;
mod output;
mod records;
mod redirect;
mod source_list;

pub use account::{report, report_judged, report_numbered};
pub use assistanthub::{AssistantHub, AssistantHubOptions, assistanthub};
pub use chat::{Chat, ChatCompletion};
pub use chat_completion::{Completion, FinishReason, Usage};
pub use chat_options::{ChatForm, ChatOptions, UnknownChatForm};
pub use chat_stream::{ChatStream, ChatUpdate, chat};
pub use document_name::document_name;
pub use download_links::{DownloadLinks, LinkMode};
pub use earlier_answer::without_numbers;
pub use hub_citations::{HubCitations, HubSource};
pub use open_webui::{OpenWebUi, OpenWebUiOptions, WebUiCitations, open_webui};
pub use open_webui_source::{CardMetadata, WebUiEvent, WebUiEventKind, WebUiName, WebUiSource};
pub use output::{Output, UnknownOutput};
pub use records::{DomainKind, Record, Records, records, records_behind};
pub use redirect::{InvalidRedirector, Redirectors};
