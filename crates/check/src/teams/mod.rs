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
