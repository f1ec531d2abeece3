//! The settings of the server and its pages.

use std::time::Duration;

use super::reading::{names, parsed};
use crate::config::setting::DefaultValue::{Is, Said};
use crate::config::setting::Setting;

pub(super) const SETTINGS: &[Setting] = &[
    text!("bind", Is("127.0.0.1:3978"), "Listen address; port 0: any free port.", |raw, bind| {
        raw.bind = bind;
    }),
    text!("public_url", Said("the request's `Host`"), "Address for clients; sets `streamUrl`.", |raw, url| raw
        .public_url =
        Some(url)),
    text!(
        "allowed_hosts",
        Said("none"),
        "More host names of the page; `*.contoso.example`: subdomains.",
        |raw, hosts| raw.allowed_hosts = hosts
    ),
    flag!(
        "trust_forwarded",
        Is("false"),
        "Trust `X-Forwarded-…` from loopback and private networks; proxies must overwrite them.",
        |raw, trust| raw.trust_forwarded = trust
    ),
    text!(
        "trusted_proxies",
        Said("none; see `trust_forwarded`"),
        "Proxies with trusted `X-Forwarded-…`: addresses or networks.",
        |raw, proxies| raw.trusted_proxies = proxies
    ),
    number!("workers", Is("0"), "Worker threads; 0: one per core.", 0..=1024, |raw, workers| raw.workers = workers),
    secret!("api_key", Said("generated on loopback"), "Key for all of `/v1`.", |raw, key| {
        raw.api_key = Some(key);
    }),
    text!(
        "data_dir",
        Said("`$XDG_DATA_HOME/citewire` or `~/.local/share/citewire`; on Windows `%LOCALAPPDATA%\\citewire`"),
        "Folder for generated secrets and the store.",
        |raw, path| raw.data_dir = Some(path)
    ),
    flag!("page", Is("true"), "Serve Web Chat at `/`, `/openapi.json`, `/docs`.", |raw, page| {
        raw.page = page;
    }),
    flag!(
        "page_answers",
        Said("true on loopback without trusted proxies"),
        "Page visitors may convert their own answers.",
        |raw, wanted| raw.page_answers = Some(wanted)
    ),
    flag!(
        "admin_page",
        Is("true"),
        "Serve the [settings page](../guides/assistants.md#the-settings-page) with `page`.",
        |raw, admin| {
            raw.admin_page = admin;
        }
    ),
    choice!(
        "chat_citations",
        Is("open-webui"),
        "[Form of the citations](chat-completions.md#the-forms-of-citations) of chat completions that name none.",
        &["open-webui", "open-webui-links", "assistanthub", "list", "none"],
        |raw, form| raw.chat_citations = form
    ),
    list!(
        "embed.origins",
        Said("none"),
        "Exact origins that may use [`/embed.js`](../start/embed.md).",
        parsed,
        |raw, origins| raw.embed.origins = origins
    ),
    flag!("embed.anonymous", Is("false"), "Visitors of embedding sites need no token.", |raw, anonymous| raw
        .embed
        .anonymous =
        anonymous),
    list!(
        "embed.assistants",
        Said("none"),
        "More assistants for embedding sites (`data-assistant`).",
        names,
        |raw, names| raw.embed.assistants = names
    ),
    text!(
        "webchat_js",
        Said("inside packages"),
        "Path of `dist/webchat.js` from `botframework-webchat`.",
        |raw, path| raw.webchat_js = Some(path)
    ),
    number!(
        "max_body_bytes",
        Is("16777216"),
        "Largest request to `/v1` or the page.",
        1024..=1024 * 1024 * 1024,
        |raw, bytes| raw.max_body_bytes = bytes
    ),
    number!(
        "limits.page_sessions_per_minute",
        Is("30"),
        "Page conversations per address; 0: unlimited.",
        0..,
        |raw, count| raw.limits.page_sessions_per_minute = count
    ),
    number!(
        "limits.posts_per_second",
        Is("5"),
        "Activities and uploads per token; 0: unlimited.",
        0..,
        |raw, count| raw.limits.posts_per_second = count
    ),
    number!("limits.posts_burst", Is("100"), "Posts at once; 0: `posts_per_second`.", 0.., |raw, count| raw
        .limits
        .posts_burst =
        count),
    number!(
        "limits.failed_credentials_per_minute",
        Is("20"),
        "Wrong credentials per address; 0: unlimited.",
        0..,
        |raw, count| raw.limits.failed_credentials_per_minute = count
    ),
    number!(
        "limits.uploads_per_conversation",
        Is("2"),
        "Uploads at one time per conversation, without a key; 0: unlimited.",
        0..,
        |raw, count| raw.limits.uploads_per_conversation = count
    ),
    number!(
        "limits.uploads_per_address",
        Is("64"),
        "Uploads at one time per address, without a key; 0: unlimited.",
        0..,
        |raw, count| raw.limits.uploads_per_address = count
    ),
    number!(
        "limits.upload_bytes_per_second",
        Is("65536"),
        "Least rate of an upload after 10 s; 0: none.",
        0..,
        |raw, rate| raw.limits.upload_bytes_per_second = rate
    ),
    number!(
        "limits.downloads",
        Is("128"),
        "Files sent at one time to readers, and as many to holders of keys; 0: unlimited.",
        0..,
        |raw, count| raw.limits.downloads = count
    ),
    number!(
        "limits.downloads_per_address",
        Is("32"),
        "Files sent at one time per address, without a key; 0: unlimited.",
        0..,
        |raw, count| raw.limits.downloads_per_address = count
    ),
    number!(
        "limits.downloads_per_minute",
        Is("1200"),
        "Requests for files per address, without a key; 0: unlimited.",
        0..,
        |raw, count| raw.limits.downloads_per_minute = count
    ),
    number!(
        "limits.download_bytes_per_second",
        Is("8192"),
        "Least rate at which a file is taken after 30 s; 0: none.",
        0..,
        |raw, rate| raw.limits.download_bytes_per_second = rate
    ),
    number!(
        "drain_seconds",
        Said("0, with PostgreSQL 5"),
        "Time between `/readyz` turning 503 and the sockets closing.",
        0..=3600,
        |raw, seconds| raw.drain = Some(Duration::from_secs(seconds))
    ),
    number!("shutdown_seconds", Is("10"), "Time for running requests at shutdown.", 0..=3600, |raw, seconds| raw
        .shutdown_grace =
        Duration::from_secs(seconds)),
    number!(
        "retention_hours",
        Is("24"),
        "Idle hours before deletion, [proactive references](../operate/operations.md#conversations-behind-azure-bot-service) included.",
        1..=24 * 366,
        |raw, hours| raw.retention = Duration::from_secs(hours * 3600)
    ),
    text!("log", Is("warn"), "`error`, `warn`, `info`, `debug` or filter.", |raw, log| raw.log = log),
    choice!("log_format", Is("text"), "`text` or `json` lines.", &["text", "json"], |raw, format| raw.log_format =
        format),
    text!(
        "assistant",
        Said("[depends](../guides/assistants.md#who-answers-where)"),
        "Answers on the channel: an assistant's name or `none`.",
        |raw, assistant| raw.assistant = Some(assistant)
    ),
];
