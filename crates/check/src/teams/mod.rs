//! Checks for Microsoft Teams: what the service refuses, drops or shows wrongly (`docs/guides/teams.md`).

mod activity;
mod appearance;
mod card;
mod claim;
mod label;
mod length;
mod markers;
mod message;
mod stream;
mod streamed;
mod update;

pub(super) use activity::check;
pub(super) use message::check_bare;
pub(super) use stream::check as check_streams;

/// A text with each number of its joined markers in brackets of its own.
pub(super) fn parted(text: &str, is_claimed: impl Fn(u64) -> bool) -> String {
    markers::Markers::of(text).parted(text, is_claimed)
}
