//! Finds streams whose updates hold pieces of the answer: Web Chat draws the newest one alone.

use super::activity::Activity;
use super::code;
use super::findings::Findings;
use super::stream_info::Phase;

/// Reports a stream of pieces once, at the second piece.
pub(super) fn check(members: &[&Activity<'_>], findings: &mut Findings) {
    let of = |phase: Phase| {
        let is_meant =
            move |activity: &&&Activity<'_>| activity.stream.as_ref().is_some_and(|info| info.phase == phase);
        members.iter().filter(is_meant).filter_map(|activity| Some((&activity.at, activity.text?)))
    };
    let pieces: Vec<_> = of(Phase::Streaming).filter(|(_, text)| !text.trim().is_empty()).collect();
    let [(_, first), later @ ..] = &pieces[..] else { return };
    let Some((second, _)) = later.first() else { return };
    // A text so far begins with the one before it, unless its author took something back.
    let begins_anew = pieces.windows(2).all(|pair| !letters(pair[1].1).starts_with(&letters(pair[0].1)));
    let whole = of(Phase::Final).next_back().map(|(_, text)| letters(text));
    let joined: String = pieces.iter().map(|(_, text)| letters(text)).collect();
    let goes_on = |text: &str| text.starts_with(char::is_whitespace);
    let is_joined = whole.is_some_and(|whole| whole.starts_with(&joined));
    if begins_anew && (is_joined || !goes_on(first) && later.iter().any(|(_, text)| goes_on(text))) {
        findings.add(
            code::STREAM_CHUNK_DELTA,
            &second.key("text"),
            "This goes on where the text before it ends, and Web Chat draws it alone: users read the end of the answer without its \
             beginning. Each update carries the whole text so far.",
        );
    }
}

/// A text without its blanks, which are lost or added at the seams.
fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::example::found;

    fn stream(texts: &[&str]) -> Value {
        let activity = |(index, text): (usize, &&str)| {
            let is_last = index + 1 == texts.len();
            let mut info = json!({"streamType": if is_last { "final" } else { "streaming" }, "streamId": "s0"});
            if !is_last {
                info["streamSequence"] = json!(index + 1);
            }
            json!({"type": if is_last { "message" } else { "typing" }, "id": format!("s{index}"), "text": text,
                   "timestamp": format!("2026-01-01T00:00:00.{index:03}Z"), "channelData": info})
        };
        Value::Array(texts.iter().enumerate().map(activity).collect())
    }

    #[test]
    fn pieces_are_told_once() {
        for texts in [
            &["Keep the", " receipt", "Keep the receipt."][..],
            &["Keep", "the", "receipt", "Keep the receipt."],
            &["Keep the", " receipt", "."],
        ] {
            assert_eq!(found(&stream(texts)), [("stream-chunk-delta", "/1/text".to_owned())], "{texts:?}");
        }
        let mut running = stream(&["Keep the", " receipt", "Keep the receipt."]);
        running.as_array_mut().expect("a list").pop();
        let codes: Vec<_> = found(&running).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["stream-without-final", "stream-chunk-delta"]);
    }

    #[test]
    fn texts_that_grow_or_change_are_none() {
        for texts in [
            &["Keep the", "Keep the receipt", "Keep the receipt."][..],
            &["Searching", "Keep the", "Keep the receipt."],
            &["Keep it", "Keep the receipt."],
            &["a", "a", "a"],
        ] {
            assert_eq!(found(&stream(texts)), [], "{texts:?}");
        }
    }
}
