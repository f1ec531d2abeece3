//! The settings of the store.

use super::reading::store_url;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!(
        "store.url",
        Is("sqlite:"),
        "`sqlite:`, `sqlite:PATH`, or `memory:` (lost at shutdown).",
        store_url,
        |raw, url| raw.store.url = url
    ),
    number!("store.max_conversations", Said("1000000, in memory 10000"), "Most conversations.", 1.., |raw, count| {
        raw.store.max_conversations = Some(count);
    }),
    number!(
        "store.max_activities",
        Said("100000, in memory 10000"),
        "Most activities per conversation.",
        1..,
        |raw, count| raw.store.max_activities = Some(count)
    ),
    number!(
        "store.max_bytes",
        Said("8589934592, in memory 268435456"),
        "Largest file, or total in memory.",
        1_048_576..,
        |raw, bytes| raw.store.max_bytes = Some(bytes)
    ),
    number!(
        "store.max_conversation_bytes",
        Said("67108864, at most an eighth of `store.max_bytes`"),
        "Largest conversation with files; 0: unlimited.",
        0..,
        |raw, bytes| raw.store.max_conversation_bytes = Some(bytes)
    ),
];
