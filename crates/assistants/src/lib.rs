//! Assistants: what answers the questions that users type.
//!
//! An [`assistant`] asks one of the back ends in [`upstream`], which may get the passages of a library in [`document`]; its
//! documents may be in a [`bucket`].

use citewire_base::{clock, digest, egress, metrics, sealing, secret, secret_source, supervision};
use citewire_channels as channels;
use citewire_channels::answer_events;
use citewire_core::{activity, answer, convert, dialect, ingest, prompt, report, url};
use citewire_store as store;

pub mod assistant;
pub mod bucket;
pub mod document;
pub mod upstream;
