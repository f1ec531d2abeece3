//! `citewire convert`.

use std::io::{self, Write as _};

use anyhow::{Context as _, anyhow, bail};

use super::args::{CitationsArg, ConvertArgs, DownloadLinksArg, OutputArgs, ScoreArgs};
use super::conversion_args::{from, grounding, support, text_format};
use super::input::{Input, print, without_mark};
use super::report::describe;
use super::{Outcome, explain, outputs};
use crate::convert::{self, Conversion};
use crate::dialect::Dialect;
use crate::ingest::{AnswerFormat, AzureScores, empty_search, ingest};
use crate::output::Output;
use crate::text::in_terminal;

pub(super) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    if args.explain {
        return explain::run(args);
    }
    let output = args.to.parse::<Output>();
    if let Some(why) = misplaced(args, output.as_ref().ok().copied()) {
        bail!("{why}");
    }
    match output {
        Ok(output) => match &args.stream {
            Some(how) => outputs::stream(args, output, how),
            None => outputs::run(args, output),
        },
        Err(_) => to_activity(args),
    }
}

/// The reason why a flag does not work with the output.
fn misplaced(args: &ConvertArgs, output: Option<Output>) -> Option<&'static str> {
    let OutputArgs { citations, download_links, download_base, assistant } = &args.outputs;
    let ScoreArgs { rerank_max, bm25_max, prefer_rerank, exact_scores } = args.scores;
    let usual = AzureScores::default();
    let scores_otherwise =
        prefer_rerank || exact_scores || (rerank_max, bm25_max) != (usual.rerank_max, usual.bm25_max);
    let has_links = *download_links != DownloadLinksArg::Given || !download_base.is_empty() || assistant.is_some();
    let streams = matches!(output, Some(Output::OpenWebUi | Output::AssistantHub));
    if args.stream.is_some() && !streams {
        Some("--stream works only with --to open-webui or --to assistanthub")
    } else if args.stream.is_some()
        && (args.report || scores_otherwise || has_links || *citations != CitationsArg::Badges)
    {
        Some("--stream does not work with --report, score options, --citations or --download-links; leave out --stream")
    } else if args.resolve_redirects && output != Some(Output::Records) {
        Some("--resolve-redirects works only with --to records")
    } else if *citations != CitationsArg::Badges && output != Some(Output::OpenWebUi) {
        Some("--citations works only with --to open-webui")
    } else if has_links && output != Some(Output::AssistantHub) {
        Some("--download-links, --download-base and --assistant work only with --to assistanthub")
    } else if scores_otherwise && output.is_none() {
        Some("score options work only with --to open-webui, assistanthub or records: an activity has no scores")
    } else {
        None
    }
}

fn to_activity(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let conversion = conversion(args)?;
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let body = without_mark(&bytes);
    let converted = match convert::convert(body, &conversion) {
        Ok(converted) => converted,
        Err(error) if error.is_refusal() => {
            if args.report {
                tell_of_vain_search(body, &conversion.from)?;
            }
            writeln!(io::stderr(), "citewire: {input}: {error}")?;
            return Ok(Outcome::Found);
        }
        Err(error) => bail!("{input}: {error}"),
    };
    if args.report {
        write!(io::stderr(), "{}", describe(&converted.report))?;
        tell_of_vain_search(body, &conversion.from)?;
    } else if let Some(empty) = converted.report.notes.iter().find(|note| note.code == "empty-text") {
        writeln!(io::stderr(), "citewire: {input}: {}", empty.message)?;
    }
    let message = converted.activities.last().context("the conversion produced no message")?;
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    print(&line)?;
    Ok(Outcome::Done)
}

/// Rule RC-07: what there is in an answer whose provider searched, and of which no source came out.
fn tell_of_vain_search(body: &[u8], from: &AnswerFormat) -> io::Result<()> {
    let vain = ingest(body, from).ok().and_then(|answer| empty_search(body, &answer));
    vain.map_or(Ok(()), |vain| writeln!(io::stderr(), "{}", in_terminal(&vain.to_string())))
}

fn conversion(args: &ConvertArgs) -> anyhow::Result<Conversion> {
    let dialect = args.to.parse::<Dialect>();
    let dialect =
        dialect.map_err(|error| anyhow!("--to: {error}; other outputs: open-webui, assistanthub, records"))?;
    let mut conversion = Conversion::to(dialect);
    // The command prints the message alone.
    conversion.options.updates = Some(0);
    conversion.from = from(args)?;
    conversion.options.require_grounding = grounding(args);
    conversion.options.require_support = support(args);
    conversion.options.ref_is_tracking = args.ref_is_tracking;
    conversion.options.text_format = text_format(args);
    Ok(conversion)
}
