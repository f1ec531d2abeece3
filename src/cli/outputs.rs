//! `citewire convert --to` something that is no activity.

use std::io::{self, Write as _};
use std::sync::Arc;

use anyhow::anyhow;

use super::Outcome;
use super::args::ConvertArgs;
use super::convert::{describe, from, grounding};
use super::input::{Input, print, without_mark};
use crate::answer::Answer;
use crate::cite::{Rules, cite};
use crate::clock::SystemClock;
use crate::convert::grounded;
use crate::egress::EgressOptions;
use crate::ingest::{ingest, search_in_vain, source_objects};
use crate::output::{Output, Records, records};
use crate::redirects::{RedirectLimits, Redirects};
use crate::report::Report;

pub(super) fn run(args: &ConvertArgs, output: Output) -> anyhow::Result<Outcome> {
    let (from, wanted) = (from(args)?, grounding(args));
    let input = Input::named(args.file.as_deref());
    let bytes = input.read()?;
    let body = without_mark(&bytes);
    let answer = ingest(body, from).map_err(|error| anyhow!("{input}: {error}"))?;
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
        let mut line = if args.resolve_redirects {
            serde_json::to_vec(&resolved(records(&answer, &objects))?)?
        } else {
            output.write(&answer, &objects)?
        };
        line.push(b'\n');
        print(&line)?;
    }
    Ok(if ungrounded.is_some() { Outcome::Found } else { Outcome::Done })
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
