//! Reads the earlier messages of a conversation for a back end.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag};
use serde_json::Value;

use crate::activity::{Activity, ConversationId, Entity, Role, Watermark};
use crate::prompt::estimate_tokens;
use crate::store::{ConversationStore, StoreError};
use crate::upstream::{ChatMessage, Speaker};

/// The number of activities of a conversation's history that are considered.
const LOOK_BACK: u64 = 200;

/// The number of activities behind a question, recorded while it waited, that are considered.
const LOOK_AHEAD: u64 = 200;

/// The number of activities to read at a time, from the question back: what fits into the history is mostly among the first of them.
const STEP: u64 = 24;

/// The messages up to a question, which comes last, as far back as these tokens reach; the question alone where nothing of it is
/// recorded or can be read.
pub(super) async fn up_to(
    store: &dyn ConversationStore,
    id: &ConversationId,
    place: Option<Watermark>,
    question: &str,
    tokens: usize,
) -> Vec<ChatMessage> {
    let recorded = match place {
        Some(place) => turns(store, id, place, tokens).await,
        None => Ok(Vec::new()),
    };
    let recorded = recorded.unwrap_or_else(|error| {
        tracing::error!(conversation.id = %id, %error, "a question is answered without the earlier messages");
        Vec::new()
    });
    if recorded.is_empty() { vec![ChatMessage::new(Speaker::User, question)] } else { recorded }
}

/// The messages before the question at this place is answered, which comes last. Answers to questions before it that were
/// given while it waited are among it; what users have said behind it in the meantime are questions of their own.
///
/// # Errors
/// When the store fails.
async fn turns(
    store: &dyn ConversationStore,
    id: &ConversationId,
    question: Watermark,
    tokens: usize,
) -> Result<Vec<ChatMessage>, StoreError> {
    let (mut before, mut asked) = (Vec::new(), None);
    let page = store.read(id, question.previous(), (1 + LOOK_AHEAD) as usize).await?;
    for recorded in page.iter().flat_map(|page| &page.recorded) {
        let Some(turn) = turn(&recorded.activity) else { continue };
        match recorded.watermark.cmp(&question) {
            Ordering::Equal => asked = Some(turn),
            Ordering::Greater if turn.speaker == Speaker::User => {}
            Ordering::Less | Ordering::Greater => before.push(turn),
        }
    }
    let mut left = tokens.saturating_sub(length(&before));
    let (mut first, last) = (question.index(), question.index().saturating_sub(LOOK_BACK));
    while left > 0 && first > last {
        let next = first.saturating_sub(STEP).max(last);
        let after = next.checked_sub(1).map(Watermark::from_index);
        let Some(page) = store.read(id, after, (first - next) as usize).await? else { break };
        let mut earlier: Vec<ChatMessage> =
            page.recorded.iter().filter_map(|recorded| turn(&recorded.activity)).collect();
        left = left.saturating_sub(length(&earlier));
        earlier.append(&mut before);
        (before, first) = (earlier, next);
    }
    before.extend(asked);
    Ok(before)
}

fn length(turns: &[ChatMessage]) -> usize {
    turns.iter().map(|turn| estimate_tokens(&turn.text)).sum()
}

fn turn(activity: &Activity) -> Option<ChatMessage> {
    let text = activity.text.as_deref().filter(|text| !text.trim().is_empty())?;
    if activity.kind != "message" {
        return None;
    }
    match activity.from.as_ref()?.role.as_ref()? {
        Role::User => Some(ChatMessage::new(Speaker::User, text)),
        Role::Bot => Some(ChatMessage::new(Speaker::Assistant, without_citations(text, &claimed(activity)))),
        Role::Other(_) => None,
    }
}

/// The numbers of the claims of an answer, as they stand in its text.
fn claimed(activity: &Activity) -> BTreeSet<String> {
    let mut claimed = BTreeSet::new();
    for entity in activity.entities.iter().flatten() {
        match entity {
            Entity::Message(message) => {
                claimed.extend(message.citation.iter().map(|claim| claim.position.position().to_string()));
            }
            Entity::Other(members) => {
                let claims = members.get("citation").and_then(Value::as_array);
                claimed.extend(claims.into_iter().flatten().filter_map(|claim| match claim.get("position")? {
                    Value::String(position) => Some(position.clone()),
                    Value::Number(position) => Some(position.to_string()),
                    Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
                }));
            }
            Entity::Odd(_) => {}
        }
    }
    claimed
}

/// The text of an answer without its badges and definitions. The numbers of one answer mean nothing in the next: a model
/// that saw them would use them again, for other sources. In Web Chat a number is a badge because of its definition; in Teams,
/// where there are none, because a claim has it.
fn without_citations(text: &str, claimed: &BTreeSet<String>) -> String {
    let by_claim = |link: BrokenLink<'_>| {
        claimed.contains(link.reference.as_ref()).then_some((CowStr::Borrowed("#"), CowStr::Borrowed("")))
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let parser = Parser::new_with_broken_link_callback(text, options, Some(by_claim));
    let mut cut: Vec<Range<usize>> = parser
        .reference_definitions()
        .iter()
        .filter(|(label, _)| is_number(label))
        .map(|(_, it)| it.span.clone())
        .collect();
    for (event, place) in parser.into_offset_iter() {
        let Event::Start(Tag::Link { link_type, id, .. }) = event else { continue };
        let is_badge = match link_type {
            LinkType::Shortcut | LinkType::ShortcutUnknown => is_number(&id),
            // Two badges that touch: Markdown takes the second for the label of the first.
            LinkType::ReferenceUnknown => {
                let written = text.get(place.clone()).unwrap_or_default();
                written.bytes().all(|byte| byte.is_ascii_digit() || b"[]".contains(&byte))
            }
            LinkType::Inline
            | LinkType::Reference
            | LinkType::Collapsed
            | LinkType::CollapsedUnknown
            | LinkType::Autolink
            | LinkType::Email
            | LinkType::WikiLink { .. } => false,
        };
        if is_badge {
            cut.push(with_what_leads_to_it(text, place));
        }
    }
    cut.sort_by_key(|place| place.start);
    let (mut kept, mut at) = (String::with_capacity(text.len()), 0);
    for place in cut {
        kept.push_str(text.get(at..place.start).unwrap_or_default());
        at = place.end.max(at);
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept.truncate(kept.trim_end().len());
    kept
}

/// A badge with the blank or the separator before it.
fn with_what_leads_to_it(text: &str, place: Range<usize>) -> Range<usize> {
    let before = &text[..place.start];
    let kept = before.strip_suffix('\u{200b}').or_else(|| before.strip_suffix(' ')).unwrap_or(before);
    kept.len()..place.end
}

fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::channels::azure_bot::auth::Caller;
    use crate::channels::azure_bot::{ConnectorRecords, ConversationReference, SubmittedFeedback};
    use crate::clock::SystemClock;
    use crate::store::{SqliteStore, StoreLimits};

    #[tokio::test]
    async fn a_conversation_behind_azure_has_a_history_like_any_other() {
        let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await;
        let store = Arc::new(store.expect("a store"));
        let records = ConnectorRecords::new(Arc::clone(&store) as Arc<dyn ConversationStore>);
        let mut reference = ConversationReference::new(json!({"id": "a:1"}), "msteams", Caller::Channel);
        reference.user = Some(json!({"id": "29:ann"}));
        let id = records.meet(&reference).await.expect("a store");
        let heard = async |text: &str, service_id: &str| {
            let heard = records.heard(&id, &reference, Activity::message(text), Some(service_id)).await;
            heard.expect("a store").expect("known").recorded[0].watermark
        };
        heard("How long is leave?", "1700").await;
        let question = heard("And who says so?", "1702").await;
        heard("Hello?", "1703").await;
        // The first answer came while the second question waited, and feedback is nothing that was said.
        let claims = json!([{"type": "https://schema.org/Message", "citation": [{"@type": "Claim", "position": 1}]}]);
        let mut answer = Activity::message("30 days [1].");
        answer.entities = Some(serde_json::from_value(claims).expect("entities"));
        let ids = ["1701".to_owned()];
        records.said(&id, &reference, answer, &ids, None, None).await.expect("a store").expect("known");
        records.rated(&id, SubmittedFeedback::default(), None, Some("1701"), None).await.expect("a store");
        let turns = turns(&*store, &id, question, 4_000).await.expect("a store");
        let said: Vec<_> = turns.iter().map(|turn| (turn.speaker, turn.text.as_str())).collect();
        let expected = [
            (Speaker::User, "How long is leave?"),
            (Speaker::Assistant, "30 days."),
            (Speaker::User, "And who says so?"),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn an_answer_is_remembered_without_its_numbers() {
        let text = "Leave is 30 days [1]\u{200b}[2], says `a[1]` and [the law](https://law.example) [3].\n\n- b [1]\n\n\
                    [1]: https://a.example/x \"A\"\n[2]: cite:2 \"B\"";
        let kept = "Leave is 30 days, says `a[1]` and [the law](https://law.example) [3].\n\n- b";
        assert_eq!(without_citations(text, &BTreeSet::new()), kept);
        for text in ["", "plain", "[1]", "a \u{200b}"] {
            assert_eq!(without_citations(text, &BTreeSet::new()), text.trim_end());
        }
    }

    #[test]
    fn an_answer_in_teams_is_remembered_without_the_numbers_of_its_claims() {
        let claim = |position: Value| json!({"@type": "Claim", "position": position});
        let entity = json!({"type": "https://schema.org/Message", "citation": [claim(json!(1)), claim(json!("2"))]});
        let mut answer = Activity::message(
            "Leave [1][2] is 30 days [1]\u{200b}[2], says `a[1]` and **the law** [3] \\[2].\n\n- b [2]",
        );
        answer.entities = Some(serde_json::from_value(json!([entity, 5, {"type": "x"}])).expect("entities"));
        let text = answer.text.as_deref().unwrap_or_default();
        let kept = "Leave is 30 days, says `a[1]` and **the law** [3] \\[2].\n\n- b";
        assert_eq!(without_citations(text, &claimed(&answer)), kept);
    }
}
