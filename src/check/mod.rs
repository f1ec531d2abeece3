//! The rules of a valid activity: what Web Chat and Teams really accept.

mod finding;

pub use finding::{Finding, Severity};
