//! What was said before, as a back end is told.

use std::cmp::Ordering;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::activity::{Activity, ConversationId, Role, Watermark};
use crate::store::{ConversationStore, StoreError};
use crate::upstream::{Speaker, Turn};

/// So far back the history of a conversation is looked at.
const LOOK_BACK: u64 = 200;

/// So much of what was recorded behind a question is looked at, while it waited.
const LOOK_AHEAD: u64 = 200;

/// What was said before the question at this place is answered, which comes last. Answers to questions before it that were
/// given while it waited are among it; what users have said behind it in the meantime are questions of their own.
///
/// # Errors
/// When the store fails.
pub(super) async fn turns(
    store: &dyn ConversationStore,
    id: &ConversationId,
    question: Watermark,
) -> Result<Vec<Turn>, StoreError> {
    let after = question.index().checked_sub(LOOK_BACK).map(Watermark::from_index);
    let Some(page) = store.read(id, after, (LOOK_BACK + LOOK_AHEAD) as usize).await? else {
        return Ok(Vec::new());
    };
    let (mut before, mut asked) = (Vec::new(), None);
    for recorded in &page.recorded {
        let Some(turn) = turn(&recorded.activity) else { continue };
        match recorded.watermark.cmp(&question) {
            Ordering::Equal => asked = Some(turn),
            Ordering::Greater if turn.speaker == Speaker::User => {}
            Ordering::Less | Ordering::Greater => before.push(turn),
        }
    }
    before.extend(asked);
    Ok(before)
}

fn turn(activity: &Activity) -> Option<Turn> {
    let text = activity.text.as_deref().filter(|text| !text.trim().is_empty())?;
    if activity.kind != "message" {
        return None;
    }
    match activity.from.as_ref()?.role.as_ref()? {
        Role::User => Some(Turn::new(Speaker::User, text)),
        Role::Bot => Some(Turn::new(Speaker::Assistant, without_citations(text))),
        Role::Other(_) => None,
    }
}

/// The text of an answer without its badges and definitions. The numbers of one answer mean nothing in the next: a model
/// that saw them would use them again, for other sources.
fn without_citations(text: &str) -> String {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut cut: Vec<Range<usize>> = parser
        .reference_definitions()
        .iter()
        .filter(|(label, _)| is_number(label))
        .map(|(_, it)| it.span.clone())
        .collect();
    for (event, place) in parser.into_offset_iter() {
        if let Event::Start(Tag::Link { link_type: LinkType::Shortcut, id, .. }) = event
            && is_number(&id)
        {
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
    use super::*;

    #[test]
    fn an_answer_is_remembered_without_its_numbers() {
        let text = "Leave is 30 days [1]\u{200b}[2], says `a[1]` and [the law](https://law.example) [3].\n\n- b [1]\n\n\
                    [1]: https://a.example/x \"A\"\n[2]: cite:2 \"B\"";
        let kept = "Leave is 30 days, says `a[1]` and [the law](https://law.example) [3].\n\n- b";
        assert_eq!(without_citations(text), kept);
        for text in ["", "plain", "[1]", "a \u{200b}"] {
            assert_eq!(without_citations(text), text.trim_end());
        }
    }
}
