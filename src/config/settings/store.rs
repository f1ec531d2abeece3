//! The settings of the store.

use std::time::Duration;

use super::reading::store_url;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!(
        "store.url",
        Is("sqlite:"),
        "`sqlite:`, `sqlite:PATH`, `postgres://…` (several hosts with commas), or `memory:` (lost at shutdown).",
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
        Said("8589934592, in memory 268435456, in PostgreSQL unlimited"),
        "Largest file, or total of messages and files.",
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
    number!("store.connections", Is("12"), "Most connections to PostgreSQL.", 8..=1000, |raw, count| {
        raw.store.postgres.connections = count;
    }),
    number!(
        "store.write_timeout_seconds",
        Is("10"),
        "How long requests wait while PostgreSQL cannot be reached, and the end of an answer while the disk of a file fails.",
        1..=300,
        |raw, seconds| raw.store.postgres.write_timeout = Duration::from_secs(seconds)
    ),
    number!(
        "cluster.heartbeat_milliseconds",
        Is("3000"),
        "Time between two signs of life of a node in PostgreSQL.",
        50..=60_000,
        |raw, time| raw.store.postgres.heartbeat = Duration::from_millis(time)
    ),
    number!(
        "cluster.dead_after_milliseconds",
        Is("12000"),
        "Silence after which other nodes answer what a node has left; at least three times the first.",
        500..=600_000,
        |raw, time| raw.store.postgres.dead_after = Duration::from_millis(time)
    ),
];
