//! Where conversations are kept.

use super::reading::store_url;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!(
        "store.url",
        Is("sqlite:"),
        "Where conversations are kept: `sqlite:` in `citewire.db` in the data directory, `sqlite:PATH` in that \
         file, `memory:` nowhere.",
        store_url,
        |raw, url| raw.store.url = url
    ),
    number!(
        "store.max_conversations",
        Said("1000000, in memory 10000"),
        "How many conversations are kept.",
        1..,
        |raw, count| raw.store.max_conversations = Some(count)
    ),
    number!(
        "store.max_activities",
        Said("100000, in memory 10000"),
        "How many activities of a conversation are kept.",
        1..,
        |raw, count| raw.store.max_activities = Some(count)
    ),
    number!(
        "store.max_bytes",
        Said("8589934592, in memory 268435456"),
        "The size of the file; in memory, of all activities and attachments.",
        1_048_576..,
        |raw, bytes| raw.store.max_bytes = Some(bytes)
    ),
    number!(
        "store.max_conversation_bytes",
        Said("67108864, at most an eighth of `store.max_bytes`"),
        "The size of one conversation with its files, so that it does not take the room of others; 0 is no limit.",
        0..,
        |raw, bytes| raw.store.max_conversation_bytes = Some(bytes)
    ),
];
