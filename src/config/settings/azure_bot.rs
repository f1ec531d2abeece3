//! The settings of the bot behind Azure Bot Service.

use super::reading::issued;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!("azure_bot.app_id", Said("none"), "App id of the Azure bot.", |raw, id| raw.azure_bot.app_id = Some(id)),
    secret!("azure_bot.app_secret", Said("none"), "Client secret of the app.", issued, |raw, secret| raw
        .azure_bot
        .app_secret =
        Some(secret)),
    text!("azure_bot.tenant", Said("none"), "Tenant of a single-tenant app.", |raw, tenant| raw.azure_bot.tenant =
        Some(tenant)),
    choice!(
        "azure_bot.cloud",
        Is("public"),
        "`public`, `us-gov` or `china`.",
        &["public", "us-gov", "china"],
        |raw, cloud| raw.azure_bot.cloud = cloud
    ),
    text!(
        "azure_bot.allowed_callers",
        Said("none"),
        "Agents that may call: app ids or `*` (accepted tenants).",
        |raw, callers| raw.azure_bot.allowed_callers = callers
    ),
    text!("azure_bot.service_hosts", Said("none"), "More hosts that get the bot's token.", |raw, service_hosts| {
        raw.azure_bot.service_hosts = service_hosts;
    }),
    flag!(
        "azure_bot.emulator",
        Is("false"),
        "Accept Bot Framework Emulator with the bot's credentials.",
        |raw, emulator| raw.azure_bot.emulator = emulator
    ),
    flag!(
        "azure_bot.anonymous",
        Is("false"),
        "Accept local programs without token; loopback `bind` only.",
        |raw, anonymous| raw.azure_bot.anonymous = anonymous
    ),
    text!("azure_bot.assistant", Said("as `assistant`"), "Assistant that answers.", |raw, assistant| raw
        .azure_bot
        .assistant =
        Some(assistant)),
    flag!("azure_bot.self_contained_for_agents", Is("true"), "Name sources in the text for agents.", |raw, wanted| {
        raw.azure_bot.self_contained_for_agents = wanted;
    }),
    flag!("azure_bot.html_email", Is("false"), "Send email as HTML (`email-html`).", |raw, wanted| raw
        .azure_bot
        .html_email =
        wanted),
    flag!(
        "azure_bot.quote_questions",
        Is("false"),
        "Quote questions in group chats of Teams (preview).",
        |raw, wanted| raw.azure_bot.quote_questions = wanted
    ),
    flag!(
        "azure_bot.private_apologies",
        Is("false"),
        "In groups of Teams, only who asked sees [refusals and apologies](../guides/teams.md#where-answers-appear).",
        |raw, wanted| raw.azure_bot.private_apologies = wanted
    ),
    number!("azure_bot.max_turns", Is("64"), "Questions answered at once.", 1..=10_000, |raw, count| raw
        .azure_bot
        .max_turns =
        count),
    number!(
        "azure_bot.max_waiting",
        Is("1000"),
        "Waiting questions, a quarter per conversation; beyond: 503.",
        1..=100_000,
        |raw, count| raw.azure_bot.max_waiting = count
    ),
    text!(
        "azure_bot.channel_issuer",
        Said("the cloud's"),
        "Token issuer of Azure Bot Service.",
        |raw, channel_issuer| raw.azure_bot.channel_issuer = Some(channel_issuer)
    ),
    text!("azure_bot.channel_metadata", Said("the cloud's"), "OpenID metadata of Azure Bot Service.", |raw, url| {
        raw.azure_bot.channel_metadata = Some(url);
    }),
    text!("azure_bot.entra_metadata", Said("the cloud's"), "OpenID metadata of Entra.", |raw, url| raw
        .azure_bot
        .entra_metadata =
        Some(url)),
    text!("azure_bot.login", Said("the cloud's"), "Login service, without tenant.", |raw, url| raw.azure_bot.login =
        Some(url)),
];
