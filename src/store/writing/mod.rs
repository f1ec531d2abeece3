//! Parts that the stores with a writer have in common: changes that wait to be written together, and the rows that a
//! group of them means.

mod change;
mod health;
mod lines;
mod plan;
mod reply;

pub(in crate::store) use change::{Append, Change, Create, Keep, Note, Pending, Placed, Queue, Refer, recorded_before};
pub(in crate::store) use health::{FailureKind, Health, Standing};
pub(in crate::store) use lines::{FirstTurn, LineState, Lines, TurnRow};
pub(in crate::store) use plan::{Before, Head, Known, Plan, rows};
pub(in crate::store) use reply::Reply;
