//! Writes the activity that is all good, as far as the activity itself says how.
//!
//! Each finding whose remedy is known changes the document, until no finding does. The check is asked after each round, so a
//! remedy that does not help is not repeated.

mod claim;
mod definition;
mod entity;
mod pointers;
mod teams;
mod text;

use serde::Serialize;
use serde_json::Value;

use super::{Channel, Finding, check, code};

/// The maximum number of rounds. Each round mends at most 100 findings of each code.
const MAX_ROUNDS: usize = 40;

/// The codes whose remedies move items, which makes the other pointers of the round wrong.
const MOVES: [&str; 6] = [
    "entity-not-object",
    "foreign-entity-fatal",
    "message-not-first",
    "message-second",
    "teams-message-second",
    "teams-positions-out-of-order",
];

/// A change that mended a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Change {
    /// The code of the finding, which says why.
    pub code: &'static str,
    /// A JSON pointer into the document before the change.
    pub pointer: String,
    /// The change.
    pub message: String,
}

/// A mended document.
#[derive(Clone, Debug, PartialEq)]
pub struct Mended {
    /// The document after all changes.
    pub document: Value,
    /// The changes, in their order.
    pub changes: Vec<Change>,
    /// The findings that remain, because the document does not say how to mend them.
    pub findings: Vec<Finding>,
}

/// The document is not an activity, so there is nothing to mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing to mend: {}", .0.message)]
pub struct NotAnActivity(pub Finding);

/// Changes `document` until [`check()`] finds nothing that the document itself says how to mend.
///
/// No word of a text and no source is lost: what cannot be known, such as a missing address, remains a finding. Passages and
/// titles above a limit at which the channel refuses the message are cut, and the change says so.
///
/// # Errors
/// When a part of the document is not an activity.
///
/// # Examples
///
/// ```
/// use citewire_check::{Channel, mend};
///
/// let activity = serde_json::json!({"type": "message", "text": "a[1][2].\n\n[1]: https://a.example/\n[2]: https://b.example/"});
/// let mended = mend(&activity, Channel::WebChat)?;
/// assert!(mended.document["text"].as_str().is_some_and(|text| text.starts_with("a[1]\u{200b}[2].")));
/// assert_eq!(mended.changes[0].code, "markers-fused");
/// # Ok::<(), citewire_check::NotAnActivity>(())
/// ```
pub fn mend(document: &Value, channel: Channel) -> Result<Mended, NotAnActivity> {
    let mut document = document.clone();
    let mut changes = Vec::new();
    let mut findings = check(&document, channel);
    if let Some(finding) = findings.iter().find(|finding| finding.code == code::NOT_AN_ACTIVITY.code) {
        return Err(NotAnActivity(finding.clone()));
    }
    for _ in 0..MAX_ROUNDS {
        let before = changes.len();
        for finding in &findings {
            let change = mend_one(&mut document, finding, channel);
            let moves = change.is_some() && MOVES.contains(&finding.code);
            changes.extend(change);
            if moves {
                break;
            }
        }
        if changes.len() == before {
            break;
        }
        findings = check(&document, channel);
    }
    Ok(Mended { document, changes, findings })
}

/// Mends one finding.
fn mend_one(document: &mut Value, finding: &Finding, channel: Channel) -> Option<Change> {
    let scope = pointers::activity(&finding.pointer);
    let before = document.pointer(scope)?.clone();
    let done = entity::mend(document, finding).or_else(|| claim::mend(document, finding)).or_else(|| match channel {
        Channel::WebChat => text::mend(document, finding).or_else(|| definition::mend(document, finding)),
        Channel::Teams => teams::mend(document, finding),
    });
    match done {
        Some(message) if document.pointer(scope) != Some(&before) => {
            Some(Change { code: finding.code, pointer: finding.pointer.clone(), message })
        }
        _ => {
            *document.pointer_mut(scope)? = before;
            None
        }
    }
}
