//! The format and the required grounding from the arguments of `citewire convert`.

use anyhow::Context as _;

use super::args::{ConvertArgs, Grounding};
use crate::convert;
use crate::ingest::Provider;

/// The format that was named; `None` looks at the answer.
pub(super) fn from(args: &ConvertArgs) -> anyhow::Result<Option<Provider>> {
    if args.from == "auto" { Ok(None) } else { args.from.parse().map(Some).context("--from") }
}

/// What the answer must rest on.
pub(super) fn grounding(args: &ConvertArgs) -> convert::Grounding {
    match args.require_grounding {
        None => convert::Grounding::NotRequired,
        Some(Grounding::Extracted) => convert::Grounding::Extracted,
        Some(Grounding::Any) => convert::Grounding::Any,
        Some(Grounding::Anchored) => convert::Grounding::Anchored,
    }
}
