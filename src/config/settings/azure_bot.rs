//! The bot behind Azure Bot Service.

use super::reading::issued;
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!(
        "azure_bot.app_id",
        Said("none"),
        "The app id of the bot in Azure, whose channels post to `/api/messages`.",
        |raw, id| raw.azure_bot.app_id = Some(id)
    ),
    secret!("azure_bot.app_secret", Said("none"), "The client secret of that app.", issued, |raw, secret| raw
        .azure_bot
        .app_secret =
        Some(secret)),
    text!(
        "azure_bot.tenant",
        Said("none, for a bot of many tenants"),
        "The id of the tenant to which the app belongs. Set it wherever there is one.",
        |raw, tenant| raw.azure_bot.tenant = Some(tenant)
    ),
    choice!(
        "azure_bot.cloud",
        Is("public"),
        "The cloud of the bot: `public`, `us-gov` or `china`.",
        &["public", "us-gov", "china"],
        |raw, cloud| raw.azure_bot.cloud = cloud
    ),
    text!(
        "azure_bot.allowed_callers",
        Said("none"),
        "Agents that may call the bot: app ids, separated by commas, or `*` for all of the accepted tenants.",
        |raw, callers| raw.azure_bot.allowed_callers = callers
    ),
    text!(
        "azure_bot.service_hosts",
        Said("none"),
        "Hosts besides those of the cloud to which the bot may answer, with its token: those of agents; separated \
         by commas.",
        |raw, service_hosts| raw.azure_bot.service_hosts = service_hosts
    ),
    flag!(
        "azure_bot.emulator",
        Is("false"),
        "Let the Bot Framework Emulator call, which shows the credentials of the bot itself; beside citewire on \
         the same machine, answers go to its `http://localhost` address.",
        |raw, emulator| raw.azure_bot.emulator = emulator
    ),
    flag!(
        "azure_bot.anonymous",
        Is("false"),
        "Let programs on this machine call without a token, as the Agents Playground does. For development: \
         refused unless `bind` is a loopback address.",
        |raw, anonymous| raw.azure_bot.anonymous = anonymous
    ),
    text!(
        "azure_bot.assistant",
        Said("the one that answers on the channel itself"),
        "The name of the assistant that answers.",
        |raw, assistant| raw.azure_bot.assistant = Some(assistant)
    ),
    flag!(
        "azure_bot.self_contained_for_agents",
        Is("true"),
        "Name the sources in the text of answers to agents, which may lose what stands beside the text.",
        |raw, wanted| raw.azure_bot.self_contained_for_agents = wanted
    ),
    flag!(
        "azure_bot.html_email",
        Is("false"),
        "Write answers by e-mail as HTML (the dialect `email-html`) and not as plain text.",
        |raw, wanted| raw.azure_bot.html_email = wanted
    ),
    number!(
        "azure_bot.max_turns",
        Is("64"),
        "How many questions are answered at one time: 1 to 10,000.",
        1..=10_000,
        |raw, count| raw.azure_bot.max_turns = count
    ),
    number!(
        "azure_bot.max_waiting",
        Is("1000"),
        "How many wait for that: 1 to 100,000; beyond, the sender is asked to come again. A conversation takes a \
         quarter of the room at most.",
        1..=100_000,
        |raw, count| raw.azure_bot.max_waiting = count
    ),
    text!(
        "azure_bot.channel_issuer",
        Said("that of the cloud"),
        "The issuer of the tokens of Azure Bot Service.",
        |raw, channel_issuer| raw.azure_bot.channel_issuer = Some(channel_issuer)
    ),
    text!(
        "azure_bot.channel_metadata",
        Said("that of the cloud"),
        "The OpenID metadata of the keys of Azure Bot Service.",
        |raw, url| raw.azure_bot.channel_metadata = Some(url)
    ),
    text!(
        "azure_bot.entra_metadata",
        Said("that of the cloud"),
        "The OpenID metadata of the keys of Entra.",
        |raw, url| raw.azure_bot.entra_metadata = Some(url)
    ),
    text!(
        "azure_bot.login",
        Said("that of the cloud"),
        "Where the bot gets its own tokens: the login service, without a tenant.",
        |raw, url| raw.azure_bot.login = Some(url)
    ),
];
