//! The format, the required grounding and the required support from the arguments of `citewire convert`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::args::{ConvertArgs, GroundingArg, SupportArg, TextFormatArg};
use crate::config::mapping_file;
use crate::convert;
use crate::ingest::{AnswerFormat, Mappings};

/// The format that was named: by a mapping, or by its slug.
pub(super) fn format(map: Option<&Path>, from: &str) -> anyhow::Result<AnswerFormat> {
    match map {
        Some(file) => Ok(AnswerFormat::Mapped(Arc::new(mapping_file(file).context("--map")?))),
        None => AnswerFormat::named(from, &Mappings::default()).context("--from"),
    }
}

/// The format of the answer to convert.
pub(super) fn from(args: &ConvertArgs) -> anyhow::Result<AnswerFormat> {
    format(args.map.as_deref(), &args.from)
}

/// How far the verdicts about its citations reach.
pub(super) fn support(args: &ConvertArgs) -> convert::Support {
    match args.require_support {
        SupportArg::Off => convert::Support::Off,
        SupportArg::Report => convert::Support::Report,
        SupportArg::Mark => convert::Support::Mark,
        SupportArg::Refuse => convert::Support::Refuse,
    }
}

/// The form of the text for Teams.
pub(super) fn text_format(args: &ConvertArgs) -> convert::TextFormat {
    match args.text_format {
        TextFormatArg::Markdown => convert::TextFormat::Markdown,
        TextFormatArg::Extended => convert::TextFormat::Extended,
    }
}

/// The sources that the answer must rest on.
pub(super) fn grounding(args: &ConvertArgs) -> convert::Grounding {
    match args.require_grounding {
        None => convert::Grounding::NotRequired,
        Some(GroundingArg::Extracted) => convert::Grounding::Extracted,
        Some(GroundingArg::Any) => convert::Grounding::Any,
        Some(GroundingArg::Anchored) => convert::Grounding::Anchored,
    }
}
