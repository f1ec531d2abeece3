//! The server itself, and its pages.

use std::time::Duration;

use super::reading::{names, parsed};
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!("bind", Is("127.0.0.1:3978"), "Address and port to listen on; port 0 takes a free one.", |raw, bind| {
        raw.bind = bind;
    }),
    text!(
        "public_url",
        Said("what clients say in `Host`"),
        "How clients reach the server; `streamUrl` is made from it.",
        |raw, url| raw.public_url = Some(url)
    ),
    text!(
        "allowed_hosts",
        Said("none"),
        "Names of hosts besides that of `public_url` under which the page is served, `*.contoso.example` for all \
         below it; separated by commas.",
        |raw, hosts| raw.allowed_hosts = hosts
    ),
    flag!(
        "trust_forwarded",
        Is("false"),
        "Believe `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-For` of proxies on this machine and in \
         private networks; only behind a proxy that sets them.",
        |raw, trust| raw.trust_forwarded = trust
    ),
    text!(
        "trusted_proxies",
        Said("none; with `trust_forwarded`, loopback and private networks"),
        "Addresses and networks of the proxies whose `X-Forwarded-…` headers are believed, separated by commas.",
        |raw, proxies| raw.trusted_proxies = proxies
    ),
    number!("workers", Is("0"), "Worker threads; 0 is one for each core.", 0..=1024, |raw, workers| raw.workers =
        workers),
    secret!("api_key", Said("generated on loopback"), "The key of `/v1`; at least 16 characters.", |raw, key| {
        raw.api_key = Some(key);
    }),
    text!(
        "data_dir",
        Said("`$XDG_DATA_HOME/citewire` or `~/.local/share/citewire`; on Windows `%LOCALAPPDATA%\\citewire`"),
        "Where generated secrets and the conversations are kept.",
        |raw, path| raw.data_dir = Some(path)
    ),
    flag!("page", Is("true"), "Serve the page with Web Chat at `/`, `/openapi.json` and `/docs`.", |raw, page| {
        raw.page = page;
    }),
    flag!(
        "page_answers",
        Said("true on a loopback address without trusted proxies, else false"),
        "Let visitors of the page convert answers that they paste or choose.",
        |raw, wanted| raw.page_answers = Some(wanted)
    ),
    list!(
        "embed.origins",
        Said("none"),
        "The web sites whose pages may have the chat by [`/embed.js`](../start/embed.md): exact origins, \
         `https://www.contoso.example`, in a list or separated by commas. None switches it off.",
        parsed,
        |raw, origins| raw.embed.origins = origins
    ),
    flag!(
        "embed.anonymous",
        Is("false"),
        "Let visitors of these sites chat without a token of the site.",
        |raw, anonymous| raw.embed.anonymous = anonymous
    ),
    list!(
        "embed.assistants",
        Said("none"),
        "Assistants that such visitors may choose (`data-assistant`), besides the one of the channel.",
        names,
        |raw, names| raw.embed.assistants = names
    ),
    text!(
        "webchat_js",
        Said("the one inside packages"),
        "The file `dist/webchat.js` of `botframework-webchat`.",
        |raw, path| raw.webchat_js = Some(path)
    ),
    number!(
        "max_body_bytes",
        Is("16777216"),
        "The size of a request body on `/v1` and of the page.",
        1024..=1024 * 1024 * 1024,
        |raw, bytes| raw.max_body_bytes = bytes
    ),
    number!(
        "limits.page_sessions_per_minute",
        Is("30"),
        "How many conversations an address may start on the page in a minute; 0 for any number.",
        0..,
        |raw, count| raw.limits.page_sessions_per_minute = count
    ),
    number!(
        "limits.posts_per_second",
        Is("5"),
        "How many activities and uploads the holder of a token may post in a second, in the long run; 0 for any \
         number.",
        0..,
        |raw, count| raw.limits.posts_per_second = count
    ),
    number!(
        "limits.posts_burst",
        Is("100"),
        "How many of them at once; 0 for as many as in a second.",
        0..,
        |raw, count| raw.limits.posts_burst = count
    ),
    number!(
        "limits.failed_credentials_per_minute",
        Is("20"),
        "How many credentials that are not good an address is told of in a minute; 0 for any number.",
        0..,
        |raw, count| raw.limits.failed_credentials_per_minute = count
    ),
    number!(
        "shutdown_seconds",
        Is("10"),
        "How long a shutdown waits for requests in progress.",
        0..=3600,
        |raw, seconds| raw.shutdown_grace = Duration::from_secs(seconds)
    ),
    number!(
        "retention_hours",
        Is("24"),
        "Idle conversations are deleted after so long, those [behind Azure Bot \
         Service](../operate/operations.md#conversations-behind-azure-bot-service) with the way to them.",
        1..=24 * 366,
        |raw, hours| raw.retention = Duration::from_secs(hours * 3600)
    ),
    text!("log", Is("warn"), "What is logged: `error`, `warn`, `info`, `debug` or a filter.", |raw, log| raw.log = log),
    choice!(
        "log_format",
        Is("text"),
        "How lines on stderr are written: `text`, or `json`, an object a line: `timestamp`, `level`, `target`, \
         `message` and the fields of the line.",
        &["text", "json"],
        |raw, format| raw.log_format = format
    ),
    text!(
        "assistant",
        Said(
            "the only one in the file; `docs`, which knows citewire's own documentation, where there is neither one nor a bot"
        ),
        "Who answers on the channel itself: the name of an assistant, or `none`.",
        |raw, assistant| raw.assistant = Some(assistant)
    ),
];
