//! Finds the passages for a question, with the earlier messages in mind.

use super::{Ask, Speaker, Turn, UpstreamError};
use crate::document::{Found, Library, LibraryError, Question};

/// A question with no more telling words may lean on the one before it: *And in Germany?*
const FEW_WORDS: usize = 2;

/// So many passages are looked at to see which of them have words of a short question.
const MANY: usize = 200;

/// The passages that fit what is asked, the best first. A question of few words is read together with the user's question before
/// it, but finds only what has something of its own words, if it has any.
///
/// # Errors
/// When the documents cannot be searched.
pub async fn retrieve(library: &Library, ask: &Ask, limit: usize) -> Result<Vec<Found>, UpstreamError> {
    let question = ask.question();
    let own_words = Question::parse(question).telling_words();
    let search = async |text: &str, limit| library.search(text, limit).await.map_err(unsearchable);
    match question_before(&ask.turns) {
        Some(before) if own_words == 0 => search(before, limit).await,
        Some(before) if own_words <= FEW_WORDS => {
            let mut own = search(question, MANY).await?;
            let mut both = search(&format!("{question}\n{before}"), MANY).await?;
            both.retain_mut(|found| {
                let own = own.iter().find(|own| is_same(own, found));
                found.is_about |= own.is_some_and(|own| own.is_about);
                own.is_some()
            });
            let found = if both.is_empty() { &mut own } else { &mut both };
            found.truncate(limit);
            Ok(std::mem::take(found))
        }
        Some(_) | None => search(question, limit).await,
    }
}

/// What the user said before the question.
fn question_before(turns: &[Turn]) -> Option<&str> {
    let (_, before) = turns.split_last()?;
    before.iter().rev().find(|turn| turn.speaker == Speaker::User).map(|turn| turn.text.as_str())
}

fn is_same(one: &Found, other: &Found) -> bool {
    one.document.id == other.document.id && one.passage.place == other.passage.place
}

fn unsearchable(error: LibraryError) -> UpstreamError {
    UpstreamError::Search(Box::new(error))
}
