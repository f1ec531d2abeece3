//! The bot behind the channel.

use std::time::Duration;

use super::reading::user_id;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!(
        "bot.endpoint",
        Said("none"),
        "The messaging endpoint of a bot that answers what users say, `http://127.0.0.1:3979/api/messages` for \
         instance.",
        |raw, endpoint| raw.bot.endpoint = Some(endpoint)
    ),
    choice!(
        "bot.delivery",
        Is("normal"),
        "How the bot answers: `normal`, by calling citewire, or `expect_replies`, in the answer to each post.",
        &["normal", "expect_replies"],
        |raw, delivery| raw.bot.options.delivery = delivery
    ),
    text!("bot.id", Is("bot"), "The id of the bot.", user_id, |raw, id| raw.bot.options.id = id),
    text!("bot.name", Is("Bot"), "The name of the bot.", |raw, name| raw.bot.options.name = name),
    secret!(
        "bot.secret",
        Said("generated on loopback"),
        "What the bot may show when it calls citewire, and the key of its tickets; at least 16 characters.",
        |raw, secret| raw.bot.secret = Some(secret)
    ),
    secret!("bot.token", Said("none"), "What citewire shows when it calls the bot.", |raw, token| raw
        .bot
        .options
        .token =
        Some(token)),
    flag!(
        "bot.tickets",
        Is("true"),
        "Put a ticket for the conversation into `serviceUrl`, so that a bot without credentials can answer.",
        |raw, tickets| raw.bot.options.tickets = tickets
    ),
    number!(
        "bot.ticket_hours",
        Is("168"),
        "How long a ticket is good for: 168 is a week. Each activity brings a new one.",
        1..=24 * 366,
        |raw, hours| raw.bot.options.ticket_lifetime = Duration::from_secs(hours * 3600)
    ),
    text!(
        "bot.service_url",
        Said("`public_url`, or the address that citewire listens on"),
        "How the bot reaches citewire.",
        |raw, url| raw.bot.options.service_url = Some(url)
    ),
    number!(
        "bot.timeout_seconds",
        Is("15"),
        "How long the bot may take to answer a post: 1 to 18.",
        1..=18,
        |raw, seconds| raw.bot.options.timeout = Duration::from_secs(seconds)
    ),
    text!(
        "bot.failure_text",
        Is("The bot did not answer. Please try again later."),
        "What users read when the bot did not answer.",
        |raw, failure_text| raw.bot.options.failure_text = failure_text
    ),
    flag!(
        "bot.cite",
        Is("false"),
        "Cite answers of the bot that carry their sources in `channelData.citewire`.",
        |raw, cite| raw.bot.options.cite = cite
    ),
    number!(
        "bot.max_activity_bytes",
        Is("1048576"),
        "The size of an activity that the bot may post.",
        1024..=64 * 1024 * 1024,
        |raw, bytes| raw.bot.options.max_activity_bytes = bytes
    ),
];
