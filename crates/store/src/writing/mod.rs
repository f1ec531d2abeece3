//! Parts that the stores with a writer have in common: changes that wait to be written together, and the rows that a
//! group of them means.

mod change;
mod health;
mod plan;
mod queues;
mod reply;

pub(crate) use change::{Append, Change, Create, Keep, Note, Pending, Placed, Queue, Refer};
pub(crate) use health::{FailureKind, Health, Standing};
pub(crate) use plan::{Before, Head, Known, Plan, rows};
pub(crate) use queues::{FirstTurn, GroupQueues, QueueState, TurnRow};
pub(crate) use reply::Reply;
