//! The settings of the bot behind the embedded channel.

use std::time::Duration;

use super::reading::user_id;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!("bot.endpoint", Said("none"), "Messaging endpoint of your bot.", |raw, endpoint| raw.bot.endpoint =
        Some(endpoint)),
    choice!(
        "bot.delivery",
        Is("normal"),
        "`normal` (bot calls citewire) or `expect_replies` (in responses).",
        &["normal", "expect_replies"],
        |raw, delivery| raw.bot.options.delivery = delivery
    ),
    text!("bot.id", Is("bot"), "Id of the bot.", user_id, |raw, id| raw.bot.options.id = id),
    text!("bot.name", Is("Bot"), "Name of the bot.", |raw, name| raw.bot.options.name = name),
    secret!("bot.secret", Said("generated on loopback"), "Credential of the bot; signs tickets.", |raw, secret| {
        raw.bot.secret = Some(secret);
    }),
    secret!("bot.token", Said("none"), "Credential that citewire sends the bot.", |raw, token| raw.bot.options.token =
        Some(token)),
    flag!("bot.tickets", Is("true"), "Ticket in `serviceUrl` for bots without credentials.", |raw, tickets| raw
        .bot
        .options
        .tickets =
        tickets),
    number!(
        "bot.ticket_hours",
        Is("168"),
        "Lifetime of tickets; each activity renews it.",
        1..=24 * 366,
        |raw, hours| raw.bot.options.ticket_lifetime = Duration::from_secs(hours * 3600)
    ),
    text!("bot.service_url", Said("`public_url`, else `bind`"), "Address of citewire for the bot.", |raw, url| {
        raw.bot.options.service_url = Some(url);
    }),
    number!("bot.timeout_seconds", Is("15"), "Time for bot responses: 1 to 18.", 1..=18, |raw, seconds| raw
        .bot
        .options
        .timeout =
        Duration::from_secs(seconds)),
    text!(
        "bot.failure_text",
        Is("The bot did not answer. Please try again later."),
        "Shown when the bot fails.",
        |raw, failure_text| raw.bot.options.failure_text = failure_text
    ),
    flag!("bot.cite", Is("false"), "Cite answers that have `channelData.citewire`.", |raw, cite| raw
        .bot
        .options
        .cite = cite),
    number!(
        "bot.max_activity_bytes",
        Is("1048576"),
        "Largest activity of the bot.",
        1024..=64 * 1024 * 1024,
        |raw, bytes| raw.bot.options.max_activity_bytes = bytes
    ),
];
