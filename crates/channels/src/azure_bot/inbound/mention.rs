//! Removes mentions of the bot and channel markup from the text of a message.

use std::borrow::Cow;

use serde_json::Value;

use super::members::text_of;

/// The longest name of a character reference, `&quot;` or `&#x10FFFF;`, without the ampersand.
const LONGEST_REFERENCE: usize = 9;

/// The text without the mentions of the bot, each of which an entity tells. Of others who are mentioned their names stay.
pub(super) fn strip<'a>(text: &'a str, entities: &[Value], bot: Option<&str>) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for entity in entities {
        let is_mention = text_of(Some(entity), "type").is_some_and(|kind| kind.eq_ignore_ascii_case("mention"));
        let Some(mentioned) = entity.get("mentioned").filter(|_| is_mention) else { continue };
        let name = text_of(Some(mentioned), "name").unwrap_or_default();
        let written = match text_of(Some(entity), "text") {
            Some(written) => Cow::Borrowed(written),
            None => Cow::Owned(format!("<at>{name}</at>")),
        };
        // One entity, one place: the same words may come again as words.
        let Some(at) = text.find(&*written) else { continue };
        let is_bot = bot.is_some() && text_of(Some(mentioned), "id") == bot;
        let instead = if is_bot { "" } else { inner(&written) };
        text = Cow::Owned([&text[..at], instead, &text[at + written.len()..]].concat());
    }
    text
}

/// The text between `<at>` and `</at>`.
fn inner(written: &str) -> &str {
    let open = written.strip_prefix("<at").and_then(|rest| rest.split_once('>')).map_or(written, |(_, rest)| rest);
    open.strip_suffix("</at>").unwrap_or(open)
}

/// The text with its character references resolved: Teams writes `&nbsp;` behind a mention, and `&lt;` for what a user typed.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let (mut decoded, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let end = after.bytes().take(LONGEST_REFERENCE + 1).position(|byte| byte == b';');
        match end.and_then(|end| Some((character(&after[..end])?, end))) {
            Some((character, end)) => {
                decoded.push(character);
                rest = &after[end + 1..];
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

fn character(reference: &str) -> Option<char> {
    match reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let digits = reference.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => digits.parse(),
            };
            // A non-breaking space by its number is a blank as well.
            number.ok().and_then(char::from_u32).map(|found| if found == '\u{a0}' { ' ' } else { found })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(text: &str, entities: &Value) -> String {
        let entities = entities.as_array().expect("a list");
        decode(&strip(text, entities, Some("28:bot"))).trim().to_owned()
    }

    #[test]
    fn the_mention_of_the_bot_goes_and_names_of_others_stay() {
        let bot = json!({"type": "mention", "mentioned": {"id": "28:bot", "name": "HR"}, "text": "<at>HR</at>"});
        let ann =
            json!({"type": "mention", "mentioned": {"id": "29:ann", "name": "Ann"}, "text": "<at id=\"0\">Ann</at>"});
        let both = json!([{"type": "clientInfo"}, bot, ann]);
        let said = "<at>HR</at>&nbsp;what did <at id=\"0\">Ann</at> ask &lt;b&gt;?";
        assert_eq!(words(said, &both), "what did Ann ask <b>?");
        let twice = json!([bot, bot]);
        assert_eq!(words("<at>HR</at> <at>HR</at> hi", &twice), "hi");
        assert_eq!(words("<at>HR</at> quotes <at>HR</at>", &json!([bot])), "quotes <at>HR</at>");
    }

    #[test]
    fn a_mention_without_its_words_is_found_by_the_name() {
        let bot = json!([{"type": "Mention", "mentioned": {"id": "28:bot", "name": "HR"}}]);
        assert_eq!(words("<at>HR</at> hi", &bot), "hi");
        assert_eq!(words("hi", &bot), "hi", "an entity may speak of nothing");
        assert_eq!(words("hi", &json!([5, {"type": "mention"}, {"type": "mention", "mentioned": "x"}])), "hi");
    }

    #[test]
    fn character_references_are_resolved_once_and_everything_else_stays() {
        for (text, read) in [
            ("a &amp;lt; b", "a &lt; b"),
            ("&#39;x&#x27; &#160;y", "'x'  y"),
            ("R&D & more; &unknown; &", "R&D & more; &unknown; &"),
            ("&#xD800; &#99999999999; &é;", "&#xD800; &#99999999999; &é;"),
        ] {
            assert_eq!(decode(text), read, "{text}");
        }
    }
}
