//! The settings of the embedded channel, and of conversations on another Direct Line.

use std::time::Duration;

use super::reading::user_id;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    secret!("direct_line.secret", Said("generated on loopback"), "Channel secret; signs tokens.", |raw, secret| {
        raw.direct_line_secret = Some(secret);
    }),
    secret!(
        "direct_line.second_secret",
        Said("none"),
        "Also valid, [while you replace the first](#exchanging-a-secret).",
        |raw, secret| raw.second_direct_line_secret = Some(secret)
    ),
    number!("direct_line.token_seconds", Is("1800"), "Lifetime of tokens.", 900..=86_400, |raw, seconds| raw
        .direct_line
        .token_seconds =
        seconds),
    number!(
        "direct_line.max_activity_bytes",
        Is("262144"),
        "Largest activity of a client.",
        1024..=64 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_activity_bytes = bytes
    ),
    number!(
        "direct_line.max_upload_bytes",
        Is("16777216"),
        "Largest upload.",
        1024..=1024 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_upload_bytes = bytes
    ),
    number!(
        "direct_line.max_uploads",
        Is("8"),
        "Uploads of the largest size that fit in memory together; as many again for keys and secrets.",
        1..=1024,
        |raw, count| raw.direct_line.max_uploads = count
    ),
    number!(
        "direct_line.max_sockets_per_conversation",
        Is("8"),
        "Most open streams in one conversation.",
        1..=1_000_000,
        |raw, count| { raw.direct_line.max_sockets_per_conversation = count }
    ),
    number!("direct_line.max_turns", Is("64"), "Questions answered at once.", 1..=10_000, |raw, count| raw
        .direct_line
        .max_turns =
        count),
    number!(
        "direct_line.max_question_bytes",
        Is("8192"),
        "Longest question; beyond, users must shorten it.",
        16..=16 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_question_bytes = bytes
    ),
    number!(
        "direct_line.max_answer_bytes",
        Is("1048576"),
        "Longest answer; its beginning stays.",
        1024..=64 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_answer_bytes = bytes
    ),
    number!(
        "direct_line.answer_seconds",
        Is("110"),
        "Longest answer time; text so far stays.",
        1..=3600,
        |raw, seconds| raw.direct_line.answer_within = Duration::from_secs(seconds)
    ),
    flag!("direct_line.require_dl_ids", Is("false"), "Refuse user ids without prefix `dl_`.", |raw, required| {
        raw.direct_line.require_dl_ids = required;
    }),
    text!("direct_line.bot_id", Is("citewire"), "Sender id of answers.", |raw, bot_id| raw.direct_line.bot_id = bot_id),
    text!("direct_line.bot_name", Is("citewire"), "Sender name of answers.", |raw, bot_name| raw
        .direct_line
        .bot_name = bot_name),
    text!(
        "direct_line_client.url",
        Said("none"),
        "[Another Direct Line](direct-line-client.md), up to `/v3/directline`.",
        |raw, url| raw.direct_line_client.url = Some(url)
    ),
    secret!(
        "direct_line_client.token",
        Said("none"),
        "Token of one conversation there; citewire renews it.",
        |raw, token| raw.direct_line_client.token = Some(token)
    ),
    secret!("direct_line_client.secret", Said("none"), "Its secret, instead of a token.", |raw, secret| raw
        .direct_line_client
        .secret =
        Some(secret)),
    text!("direct_line_client.user", Said("`citewire`"), "User id of answers there.", user_id, |raw, user| raw
        .direct_line_client
        .user =
        Some(user)),
    text!(
        "direct_line_client.conversations",
        Said("none"),
        "Conversation ids there; `*` completes a prefix.",
        |raw, conversations| raw.direct_line_client.conversations = conversations
    ),
];
