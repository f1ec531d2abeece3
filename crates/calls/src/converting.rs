//! Answers to activities.

use serde::Serialize;

use crate::activity::Activity;
use crate::convert::convert;
use crate::error::CallError;
use crate::report::Report;
use crate::request::{Request, parameters, read_member};

/// The activities, and the report of the conversion.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ActivitiesAnswer<'a> {
    /// The activities. The last one is the message; those before it are updates of a stream.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub activities: &'a [Activity],
    /// Absent with `report=false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<&'a Report>,
}

/// The parameters of a conversion: those of a wrapped answer, and whether the report is wanted.
const KNOWN: [&str; 4] = ["from", "channel", "options", "report"];

pub(crate) fn activities(body: &[u8], given: &[u8]) -> Result<Vec<u8>, CallError> {
    let members = parameters(given, &KNOWN)?;
    let wants_report = read_member(&members, "report", "true or false is required")?.unwrap_or(true);
    let Request { answer, at, conversion, .. } = Request::beside(body, &members)?;
    let converted = convert(&answer, &conversion).map_err(|source| CallError::Convert { source, at })?;
    let report = wants_report.then_some(&converted.report);
    Ok(serde_json::to_vec(&ActivitiesAnswer { activities: &converted.activities, report })?)
}
