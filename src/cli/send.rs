//! `citewire send`.

use std::io::{self, Write as _};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use serde::Serialize;

use super::args::SendArgs;
use super::input::{Input, print, without_mark};
use super::{Outcome, conversion_args};
use crate::activity::ActivityId;
use crate::channels::direct_line_client::{
    ConversationName, Credential, DirectLineClient, DirectLineUrl, NOTICE, PostError,
};
use crate::clock::{RandomIds, SystemClock};
use crate::convert::{Conversion, convert};
use crate::dialect::Dialect;
use crate::egress::{Client, EgressOptions};
use crate::report::Report;
use crate::secret::Secret;

const TOKEN: &str = "CITEWIRE_SEND_TOKEN";
const SECRET: &str = "CITEWIRE_SEND_SECRET";

/// The output: the response of `POST /v1/conversations/{id}/answers`.
#[derive(Serialize)]
struct SentOutput<'a> {
    id: &'a ActivityId,
    report: &'a Report,
}

pub(super) fn run(args: &SendArgs) -> anyhow::Result<Outcome> {
    let url: DirectLineUrl = args.directline.parse().context("--directline")?;
    let conversation: ConversationName = args.conversation.parse().context("--conversation")?;
    let credential = credential(args, |name| std::env::var(name).ok().filter(|text| !text.is_empty()))?;
    if args.user.trim().is_empty() {
        bail!("--user: the user id must not be empty");
    }
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.options.updates = Some(0);
    conversion.from = conversion_args::format(args.map.as_deref(), &args.from)?;
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let converted = convert(without_mark(&bytes), &conversion).map_err(|error| anyhow!("{input}: {error}"))?;
    let message = converted.activities.into_iter().next_back().context("the conversion produced no message")?;

    let mut egress = EgressOptions::default();
    if let Some(host) = url.host() {
        // The address on the command line is the user's own choice, wherever its host is.
        egress.allow.add(&host);
    }
    let http = Client::new(egress)?;
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
    let client = DirectLineClient::new(http, url, credential, args.user.clone(), clock, ids);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match runtime.block_on(client.post(&conversation, message, None)) {
        Ok(posted) => {
            if !posted.by_citewire {
                writeln!(io::stderr(), "citewire: {NOTICE} (user {})", args.user)?;
            }
            let mut line = serde_json::to_vec(&SentOutput { id: &posted.id, report: &converted.report })?;
            line.push(b'\n');
            print(&line)?;
            Ok(Outcome::Done)
        }
        Err(error @ PostError::Failed { .. }) => {
            writeln!(io::stderr(), "citewire: {error}")?;
            Ok(Outcome::Refused)
        }
        Err(error @ (PostError::TooLong { .. } | PostError::ChannelData | PostError::Conversation(_))) => {
            bail!("{input}: {error}")
        }
    }
}

/// The credential from the arguments, or else from the environment. Errors never repeat it.
fn credential(args: &SendArgs, environment: impl Fn(&str) -> Option<String>) -> anyhow::Result<Credential> {
    let typed = |unseen: &Option<super::args::Unseen>| unseen.as_ref().map(|unseen| unseen.0.clone());
    let (token, secret, [token_name, secret_name]) = match (typed(&args.token), typed(&args.secret)) {
        (None, None) => (environment(TOKEN), environment(SECRET), [TOKEN, SECRET]),
        (token, secret) => (token, secret, ["--token", "--secret"]),
    };
    match (token, secret) {
        (Some(token), None) => Ok(Credential::Token(Secret::parse(&token).context(token_name)?)),
        (None, Some(secret)) => Ok(Credential::Secret(Secret::parse(&secret).context(secret_name)?)),
        (Some(_), Some(_)) => bail!("{token_name} and {secret_name}: only one of them can be used"),
        (None, None) => bail!("a credential is needed: --token or --secret, or {TOKEN} or {SECRET} in the environment"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    const LONG: &str = "sixteen-or-more-characters";

    fn chosen(typed: &[&str], set: &[(&str, &str)]) -> anyhow::Result<Credential> {
        let fixed = ["citewire", "send", "--directline", "https://bot.example/v3/directline", "--conversation", "c1"];
        let cli = Cli::try_parse_from(fixed.iter().chain(typed)).expect("arguments");
        assert!(!format!("{cli:?}").contains(LONG), "arguments do not print");
        let Command::Send(args) = cli.command else { panic!("another command") };
        credential(&args, |name| set.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned()))
    }

    #[test]
    fn what_is_typed_comes_before_the_environment() {
        let secret = || Secret::parse(LONG).expect("a secret");
        let both = [(TOKEN, "another-one-that-is-long"), (SECRET, "another-one-that-is-long")];
        assert_eq!(chosen(&["--token", LONG], &both).ok(), Some(Credential::Token(secret())));
        assert_eq!(chosen(&["--secret", LONG], &both).ok(), Some(Credential::Secret(secret())));
        assert_eq!(chosen(&[], &[(TOKEN, LONG)]).ok(), Some(Credential::Token(secret())));
        assert_eq!(chosen(&[], &[(SECRET, LONG)]).ok(), Some(Credential::Secret(secret())));
    }

    #[test]
    fn a_credential_is_needed_and_only_one_and_none_is_repeated() {
        for (typed, set, named) in [
            (&[][..], &[][..], "--token"),
            (&[], &[(TOKEN, LONG), (SECRET, LONG)], SECRET),
            (&["--token", "too-short"], &[], "--token"),
            (&[], &[(SECRET, "too-short")], SECRET),
        ] {
            let words = format!("{:#}", chosen(typed, set).expect_err("unusable"));
            assert!(words.contains(named) && !words.contains("too-short") && !words.contains(LONG), "{words}");
        }
    }
}
