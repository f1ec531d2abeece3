//! `citewire convert --to` another output than an activity.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};

use super::Outcome;
use super::args::{self, CitationsArg, ConvertArgs, OutputArgs, ScoreArgs};
use super::conversion_args::{from, grounding, support};
use super::input::{Input, print, without_mark};
use super::report::describe;
use crate::cite::Numbering;
use crate::clock::{Clock as _, SystemClock};
use crate::convert::{Conversion, Ended, Outgoing, OutgoingForm, empty_text, grounded, judged, refuse_conflicts};
use crate::dialect::Dialect;
use crate::egress::EgressOptions;
use crate::ingest::{
    AnswerFormat, AzureScores, Provider, empty_search, ingest, ingest_azure_on_your_data, source_objects,
};
use crate::output::{
    AssistantHubOptions, CardMetadata, Completion, DownloadLinks, LinkMode, OpenWebUiOptions, Output, Records,
    Redirectors, WebUiCitations, assistanthub, open_webui, records_behind, report_numbered,
};
use crate::redirects::{RedirectLimits, Redirects};
use crate::text::in_terminal;
use crate::url::Tracking;

pub(super) fn run(args: &ConvertArgs, output: Output) -> anyhow::Result<Outcome> {
    let (from, wanted) = (from(args)?, grounding(args));
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let body = without_mark(&bytes);
    let scores = scores(&args.scores)?;
    let answer = if from == AnswerFormat::Known(Provider::AzureOnYourData) {
        ingest_azure_on_your_data(body, scores)
    } else if scores == AzureScores::default() {
        ingest(body, from)
    } else {
        bail!("score options work only with --from azure-oyd")
    };
    let mut answer = answer.map_err(|error| anyhow!("{input}: {error}"))?;
    if args.ref_is_tracking {
        answer.merge_pages(Tracking::RefToo);
    }
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.options.require_support = support(args);
    let judged = judged(&answer, &conversion);
    let conflicts = judged.as_ref().map_or(Ok(()), |judged| refuse_conflicts(judged, support(args)));
    if args.report {
        let mut stderr = io::stderr();
        let numbering = numbering(output, args.outputs.citations);
        write!(stderr, "{}", describe(&report_numbered(&answer, output, numbering, judged.as_ref())))?;
        if let Some(vain) = empty_search(body, &answer) {
            writeln!(stderr, "{}", in_terminal(&vain.to_string()))?;
        }
    }
    if let Some(empty) = empty_text(&answer) {
        writeln!(io::stderr(), "citewire: {input}: {}", empty.message)?;
    }
    let refusal = grounded(&answer, wanted).and(conflicts).err();
    if let Some(error) = &refusal {
        writeln!(io::stderr(), "citewire: {input}: {error}")?;
    }
    // Records show their reader that sources are missing; the outputs for readers are held back.
    if refusal.is_none() || output == Output::Records {
        let objects = source_objects(body, &answer.sources);
        let mut line = match output {
            Output::Records => {
                let claims = judged.map(|judged| judged.claims).unwrap_or_default();
                let records =
                    records_behind(&Redirectors::default(), &answer, &objects, claims).with_sentences(&answer);
                serde_json::to_vec(&if args.resolve_redirects { resolved(records)? } else { records })?
            }
            Output::OpenWebUi => serde_json::to_vec(&open_webui(&answer, &web_ui_options(&args.outputs)))?,
            Output::AssistantHub => serde_json::to_vec(&assistanthub(&answer, &hub_options(&args.outputs)))?,
        };
        line.push(b'\n');
        print(&line)?;
    }
    Ok(if refusal.is_some() { Outcome::Found } else { Outcome::Done })
}

/// Prints an answer while it arrives.
pub(super) fn stream(args: &ConvertArgs, output: Output, how: &str) -> anyhow::Result<Outcome> {
    let form = match output {
        Output::AssistantHub => OutgoingForm::AssistantHub,
        Output::OpenWebUi | Output::Records => how.parse().context("--stream")?,
    };
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.from = from(args)?;
    conversion.options.require_grounding = grounding(args);
    conversion.options.require_support = support(args);
    conversion.options.ref_is_tracking = args.ref_is_tracking;
    let now = SystemClock.now();
    let completion = Completion {
        id: format!("chatcmpl-{}", now.timestamp_micros()),
        created: u64::try_from(now.timestamp()).unwrap_or_default(),
        model: "citewire".to_owned(),
    };
    let mut outgoing = Outgoing::new(form, completion, &conversion);
    let input = Input::named(args.file.as_deref());
    let mut reader = input.open()?;
    let mut piece = vec![0; 16 * 1024];
    let ended = loop {
        let length = reader.read(&mut piece).with_context(|| format!("{input} cannot be read"))?;
        if length == 0 {
            break outgoing.end();
        }
        match outgoing.push(&piece[..length]) {
            Ok(values) => print_lines(&values)?,
            Err(error) => {
                print_lines(&outgoing.failed(&error.to_string()).unwrap_or_default().values)?;
                bail!("{input}: {error}");
            }
        }
    };
    match ended {
        Ok(Ended { values, report }) => {
            print_lines(&values)?;
            if report.sources.unread > 0 {
                let unread = report.sources.unread;
                writeln!(
                    io::stderr(),
                    "citewire: {input}: {unread} sources were not read; --report without --stream names them"
                )?;
            }
            Ok(Outcome::Done)
        }
        Err(error) if error.is_refusal() => {
            writeln!(io::stderr(), "citewire: {input}: {error}")?;
            Ok(Outcome::Found)
        }
        Err(error) => bail!("{input}: {error}"),
    }
}

fn print_lines(values: &[serde_json::Value]) -> io::Result<()> {
    values.iter().try_for_each(|value| print(format!("{value}\n").as_bytes()))
}

fn scores(args: &ScoreArgs) -> anyhow::Result<AzureScores> {
    let ScoreArgs { rerank_max, bm25_max, prefer_rerank, exact_scores } = *args;
    for (flag, max) in [("--rerank-max", rerank_max), ("--bm25-max", bm25_max)] {
        if !(max.is_finite() && max > 0.0) {
            bail!("{flag}: {max} is not a positive number");
        }
    }
    let mut scores = AzureScores::default();
    (scores.rerank_max, scores.bm25_max) = (rerank_max, bm25_max);
    (scores.prefer_rerank, scores.exact_match) = (prefer_rerank, exact_scores);
    Ok(scores)
}

fn web_ui_options(args: &OutputArgs) -> OpenWebUiOptions {
    let citations = match args.citations {
        CitationsArg::Badges => WebUiCitations::Badges,
        CitationsArg::Links => WebUiCitations::Links(CardMetadata::Named),
        CitationsArg::LinksByAddress => WebUiCitations::Links(CardMetadata::Addressed),
    };
    OpenWebUiOptions { citations, ..OpenWebUiOptions::default() }
}

fn hub_options(args: &OutputArgs) -> AssistantHubOptions {
    let assistant = args.assistant.as_deref().unwrap_or_default();
    let links = |mode| DownloadLinks::of_mode(mode, &args.download_base, assistant);
    let links = match args.download_links {
        args::DownloadLinksArg::Given => DownloadLinks::Given,
        args::DownloadLinksArg::None => DownloadLinks::None,
        args::DownloadLinksArg::Authenticated => links(LinkMode::Authenticated),
        args::DownloadLinksArg::Public => links(LinkMode::Public),
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

/// The numbering of the text of an output.
fn numbering(output: Output, citations: CitationsArg) -> Numbering {
    let is_dense = output == Output::OpenWebUi && citations == CitationsArg::Badges;
    if is_dense { Numbering::Dense } else { Numbering::Provider }
}
