//! Writes the activity that is all good, as far as the activity itself says how.
//!
//! Each finding whose remedy is known changes the document, until no finding does. The check is asked after each round, so a
//! remedy that does not help is not repeated.

mod citation;
mod claim;
mod definition;
mod entity;
mod letters;
mod misplaced;
mod passage;
mod pointers;
mod tag;
mod teams;
mod text;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::{Channel, Finding, check, code};

/// The maximum number of rounds. Each round mends at most 100 findings of each code.
const MAX_ROUNDS: usize = 40;

/// The maximum of what all rounds and remedies may read together, in bytes: each reads its part of the document again.
const MAX_WORK: usize = 100_000_000;

/// The codes whose remedies move items, which makes the other pointers of the round wrong.
const MOVES: [&str; 9] = [
    "message-wrapped",
    "entity-null",
    "entity-not-object",
    "foreign-entity-fatal",
    "message-not-first",
    "message-second",
    "message-misplaced",
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
    /// The findings that remain, because the document does not say how to mend them or has too many.
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
    mend_within(MAX_WORK, document, channel)
}

fn mend_within(max_work: usize, document: &Value, channel: Channel) -> Result<Mended, NotAnActivity> {
    let mut document = document.clone();
    let mut changes = Vec::new();
    let mut findings = check(&document, channel);
    if let Some(finding) = findings.iter().find(|finding| finding.code == code::NOT_AN_ACTIVITY.code) {
        return Err(NotAnActivity(finding.clone()));
    }
    let mut work = 0;
    for _ in 0..MAX_ROUNDS {
        work += size(&document);
        let before = changes.len();
        // A remedy knows only code and pointer of a finding, so it fails for all findings with both.
        let mut hopeless = BTreeSet::new();
        for finding in &findings {
            if hopeless.contains(&(finding.code, finding.pointer.as_str())) {
                continue;
            }
            work += document.pointer(pointers::activity(&finding.pointer)).map_or(0, size);
            if work > max_work {
                break;
            }
            let change = mend_one(&mut document, finding, channel);
            if change.is_none() {
                hopeless.insert((finding.code, finding.pointer.as_str()));
            }
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

/// About the size of a value, in bytes.
fn size(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.iter().map(|(key, value)| key.len() + size(value)).sum(),
    };
    inner + size_of::<Value>()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_work_has_an_end_and_the_rest_stays_a_finding() {
        let definition = "[1]: https://docs.example/1 \"One\"\n";
        let text = format!("a[1].\n\n{}", definition.repeat(9));
        let document = json!({"type": "message", "textFormat": "markdown", "text": text});
        let count =
            |mended: &Mended| mended.document["text"].as_str().map_or(0, |text| text.matches(definition).count());
        let whole = mend(&document, Channel::WebChat).expect("an activity");
        assert_eq!((count(&whole), whole.changes.len()), (1, 8));
        let part = mend_within(5 * size(&document), &document, Channel::WebChat).expect("an activity");
        assert!((2..9).contains(&count(&part)), "{:?}", part.changes);
        assert_eq!(part.findings, check(&part.document, Channel::WebChat));
        assert!(part.findings.iter().any(|finding| finding.code == "definition-duplicate-label"));
    }
}
