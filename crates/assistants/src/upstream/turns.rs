//! The messages of a conversation in the form that models need.

use super::{ChatMessage, Speaker};

/// The separator of messages that one speaker sent one after the other.
const BETWEEN: &str = "\n\n";

/// The turns in the order in which all models take them: they begin with a user's, and no speaker has two in a row. What
/// follows something of the same speaker joins it, and what says nothing is left out, since some interfaces refuse both.
pub(super) fn alternating(turns: &[ChatMessage]) -> Vec<ChatMessage> {
    let said = turns.iter().filter(|turn| !turn.text.trim().is_empty());
    let said = said.skip_while(|turn| turn.speaker == Speaker::Assistant);
    let mut merged: Vec<ChatMessage> = Vec::new();
    for turn in said {
        match merged.last_mut().filter(|last| last.speaker == turn.speaker) {
            Some(last) => last.text.extend([BETWEEN, &turn.text]),
            None => merged.push(turn.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use Speaker::{Assistant, User};

    fn merged(turns: &[(Speaker, &str)]) -> Vec<(Speaker, String)> {
        let turns: Vec<_> = turns.iter().map(|(speaker, text)| ChatMessage::new(*speaker, *text)).collect();
        alternating(&turns).into_iter().map(|turn| (turn.speaker, turn.text)).collect()
    }

    #[test]
    fn a_speaker_never_has_two_turns_in_a_row() {
        let turns = [(User, "a"), (User, "b"), (Assistant, "c"), (Assistant, " "), (Assistant, "d"), (User, "e")];
        let expected = [(User, "a\n\nb"), (Assistant, "c\n\nd"), (User, "e")];
        assert_eq!(merged(&turns), expected.map(|(speaker, text)| (speaker, text.to_owned())));
    }

    #[test]
    fn the_first_turn_is_a_users() {
        let turns = [(Assistant, "Hello!"), (Assistant, "Ask."), (User, "a")];
        assert_eq!(merged(&turns), [(User, "a".to_owned())]);
        assert_eq!(merged(&[(Assistant, "Hello!")]), []);
    }
}
