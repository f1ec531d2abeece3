//! The result of a delivery.

use std::sync::Arc;

use crate::activity::{Activity, ActivityId};
use crate::report::Report;

/// A delivered answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivered {
    /// The id of the message.
    pub id: ActivityId,
    /// The message as everyone reads it.
    pub activity: Arc<Activity>,
    /// The report of the conversion.
    pub report: Report,
}
