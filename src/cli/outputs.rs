//! `citewire convert --to` something that is no activity.

use std::io::{self, Write as _};
use std::sync::Arc;

use anyhow::{anyhow, bail};

use super::Outcome;
use super::args::{self, Citations, ConvertArgs, OutputArgs, ScoreArgs};
use super::convert::{describe, from, grounding};
use super::input::{Input, print, without_mark};
use crate::answer::Answer;
use crate::cite::{Rules, cite};
use crate::clock::SystemClock;
use crate::convert::grounded;
use crate::egress::EgressOptions;
use crate::ingest::{AzureScores, Provider, ingest, ingest_azure_on_your_data, search_in_vain, source_objects};
use crate::output::{
    AssistantHubOptions, CardMetadata, DownloadLinks, LinkMode, OpenWebUiOptions, Output, Records, WebUiCitations,
    assistanthub, open_webui, records,
};
use crate::redirects::{RedirectLimits, Redirects};
use crate::report::Report;
use crate::url::Tracking;

pub(super) fn run(args: &ConvertArgs, output: Output) -> anyhow::Result<Outcome> {
    let (from, wanted) = (from(args)?, grounding(args));
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let body = without_mark(&bytes);
    let scores = scores(&args.scores)?;
    let answer = match from {
        Some(Provider::AzureOnYourData) => ingest_azure_on_your_data(body, scores),
        _ if scores != AzureScores::default() => {
            bail!("options on scores: only one format has such scores; add --from azure-oyd")
        }
        _ => ingest(body, from),
    };
    let mut answer = answer.map_err(|error| anyhow!("{input}: {error}"))?;
    if args.ref_is_tracking {
        answer.merge_pages(Tracking::RefToo);
    }
    if args.report {
        let mut stderr = io::stderr();
        write!(stderr, "{}", describe(&report(&answer)))?;
        if let Some(vain) = search_in_vain(body, &answer) {
            writeln!(stderr, "{vain}")?;
        }
    }
    let ungrounded = grounded(&answer, wanted).err();
    if let Some(error) = &ungrounded {
        writeln!(io::stderr(), "citewire: {input}: {error}")?;
    }
    // Who reads records sees in them what is missing; what goes on to readers is held back.
    if ungrounded.is_none() || output == Output::Records {
        let objects = source_objects(body, &answer.sources);
        let mut line = match output {
            Output::Records if args.resolve_redirects => serde_json::to_vec(&resolved(records(&answer, &objects))?)?,
            Output::OpenWebUi => serde_json::to_vec(&open_webui(&answer, &web_ui_options(&args.outputs)))?,
            Output::AssistantHub => serde_json::to_vec(&assistanthub(&answer, &hub_options(&args.outputs)))?,
            Output::Records => output.write(&answer, &objects)?,
        };
        line.push(b'\n');
        print(&line)?;
    }
    Ok(if ungrounded.is_some() { Outcome::Found } else { Outcome::Done })
}

fn scores(args: &ScoreArgs) -> anyhow::Result<AzureScores> {
    let ScoreArgs { rerank_max, bm25_max, prefer_rerank, exact_scores } = *args;
    for (flag, max) in [("--rerank-max", rerank_max), ("--bm25-max", bm25_max)] {
        if !(max.is_finite() && max > 0.0) {
            bail!("{flag}: {max} is no score that others could be divided by");
        }
    }
    let mut scores = AzureScores::default();
    (scores.rerank_max, scores.bm25_max) = (rerank_max, bm25_max);
    (scores.prefer_rerank, scores.exact_match) = (prefer_rerank, exact_scores);
    Ok(scores)
}

fn web_ui_options(args: &OutputArgs) -> OpenWebUiOptions {
    let citations = match args.citations {
        Citations::Badges => WebUiCitations::Badges,
        Citations::Links => WebUiCitations::Links(CardMetadata::Named),
        Citations::LinksByAddress => WebUiCitations::Links(CardMetadata::Addressed),
    };
    OpenWebUiOptions { citations, ..OpenWebUiOptions::default() }
}

fn hub_options(args: &OutputArgs) -> AssistantHubOptions {
    let assistant = args.assistant.as_deref().unwrap_or_default();
    let links = |mode| DownloadLinks::of_mode(mode, &args.download_base, assistant);
    let links = match args.download_links {
        args::DownloadLinks::Given => DownloadLinks::Given,
        args::DownloadLinks::None => DownloadLinks::None,
        args::DownloadLinks::Authenticated => links(LinkMode::Authenticated),
        args::DownloadLinks::Public => links(LinkMode::Public),
    };
    AssistantHubOptions { links, ..AssistantHubOptions::default() }
}

/// The records with the pages in the place of redirects, as far as those can be found.
fn resolved(mut records: Records) -> anyhow::Result<Records> {
    let redirects = Redirects::new(EgressOptions::default(), RedirectLimits::default(), Arc::new(SystemClock))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(redirects.settle(&mut records));
    Ok(records)
}

/// What there is to say of an answer that becomes no activity.
fn report(answer: &Answer) -> Report {
    let mut report = Report { complete: answer.complete, tools_invoked: answer.tools_invoked, ..Report::default() };
    report.error = answer.error.as_ref().map(|error| serde_json::json!(error));
    report.extend(answer.oddities.iter().cloned());
    report.extend(cite(answer, &Rules::numbered()).entries);
    report
}
