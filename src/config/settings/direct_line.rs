//! The embedded channel, and conversations on another Direct Line.

use std::time::Duration;

use super::reading::user_id;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    secret!(
        "direct_line.secret",
        Said("generated on loopback"),
        "The secret of the Direct Line channel; at least 16 characters. Tokens hold as long as it stays the same.",
        |raw, secret| raw.direct_line_secret = Some(secret)
    ),
    secret!(
        "direct_line.second_secret",
        Said("none"),
        "Another secret of the channel, while the secret is exchanged: it opens the same, and tokens signed with \
         it hold.",
        |raw, secret| raw.second_direct_line_secret = Some(secret)
    ),
    number!("direct_line.token_seconds", Is("1800"), "How long a token is good for.", 900..=86_400, |raw, seconds| {
        raw.direct_line.token_seconds = seconds
    }),
    number!(
        "direct_line.max_activity_bytes",
        Is("262144"),
        "The size of an activity that a client may post.",
        1024..=64 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_activity_bytes = bytes
    ),
    number!(
        "direct_line.max_upload_bytes",
        Is("16777216"),
        "The size of an upload of files.",
        1024..=1024 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_upload_bytes = bytes
    ),
    number!(
        "direct_line.max_sockets_per_conversation",
        Is("8"),
        "How many streams of one conversation may be open; one more is refused.",
        1..=1_000_000,
        |raw, count| raw.direct_line.max_sockets_per_conversation = count
    ),
    number!(
        "direct_line.max_turns",
        Is("64"),
        "How many questions are answered at one time.",
        1..=10_000,
        |raw, count| raw.direct_line.max_turns = count
    ),
    number!(
        "direct_line.max_question_bytes",
        Is("8192"),
        "The longest question that goes to an assistant; who asks a longer one is asked for a shorter one.",
        16..=16 * 1024 * 1024,
        |raw, bytes| raw.direct_line.max_question_bytes = bytes
    ),
    number!(
        "direct_line.answer_seconds",
        Is("110"),
        "How long an answer of an assistant may take in all; what has come until then is shown.",
        1..=3600,
        |raw, seconds| raw.direct_line.answer_within = Duration::from_secs(seconds)
    ),
    flag!(
        "direct_line.require_dl_ids",
        Is("false"),
        "Refuse users whose ids do not begin with `dl_`, as Azure does with enhanced authentication.",
        |raw, required| raw.direct_line.require_dl_ids = required
    ),
    text!("direct_line.bot_id", Is("citewire"), "The id under which answers appear.", |raw, bot_id| raw
        .direct_line
        .bot_id =
        bot_id),
    text!("direct_line.bot_name", Is("citewire"), "The name under which answers appear.", |raw, bot_name| raw
        .direct_line
        .bot_name =
        bot_name),
    text!(
        "direct_line_client.url",
        Said("none"),
        "Another Direct Line, up to `/v3/directline`, whose conversations get their answers from here.",
        |raw, url| raw.direct_line_client.url = Some(url)
    ),
    secret!(
        "direct_line_client.token",
        Said("none"),
        "A token of one conversation there. It is renewed while citewire runs.",
        |raw, token| raw.direct_line_client.token = Some(token)
    ),
    secret!(
        "direct_line_client.secret",
        Said("none"),
        "The secret of that Direct Line, in place of a token.",
        |raw, secret| raw.direct_line_client.secret = Some(secret)
    ),
    text!(
        "direct_line_client.user",
        Said("`citewire`"),
        "The user id under which answers go out there.",
        user_id,
        |raw, user| raw.direct_line_client.user = Some(user)
    ),
    text!(
        "direct_line_client.conversations",
        Said("none"),
        "Which conversations are there: ids, or beginnings of ids with `*` after them, separated by commas.",
        |raw, conversations| raw.direct_line_client.conversations = conversations
    ),
];
