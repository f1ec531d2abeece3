//! How much of a text that arrives in pieces is held back at most.

use citewire_core::answer::{Answer, MarkerGrammar, Source};
use citewire_core::cite::{Incremental, Rules, cite};

fn source() -> Source {
    Source { title: Some("Leave policy".into()), url: "https://x.example/a".parse().ok(), ..Source::default() }
}

/// The most that was held back of a text that came in deltas of so many bytes, against what it would be without an end.
fn held(text: &str, delta: usize) -> usize {
    let rules = Rules { definitions: false, ..Rules::web_chat() };
    let mut incremental = Incremental::new(MarkerGrammar::ALL, &rules);
    incremental.add_sources([source()]);
    let (mut at, mut most, mut measured) = (0, 0, 0);
    while at < text.len() {
        let end = text.ceil_char_boundary((at + delta).min(text.len()));
        incremental.push(&text[at..end]);
        at = end;
        if at >= measured + 8 * 1024 {
            measured = at;
            let so_far = Answer { text: text[..at].into(), sources: vec![source()], ..Answer::default() };
            let written = cite(&so_far, &rules).text;
            most = most.max(written.trim_end().len().saturating_sub(incremental.shown().len()));
        }
    }
    most
}

#[test]
fn little_is_ever_held_back() {
    let entries = "[1] Leave policy, of which much can be said\n";
    for piece in [
        "a", "[", "![", "](", "[a](", "<", "<a ", "<!--", "`", "~", "$", "|", "\\", "> ", "- ", "#", "=", "-", "*",
        "_", "!", "[1]", "[doc9]", "【", "\u{e200}", "\u{200b}", "a|", "[1]: x\n", entries, "1",
    ] {
        for before in ["", "a\n", "a [", "```\n", "> [x](\"", "a\n\nSources\n"] {
            let text = format!("{before}{}", piece.repeat(40_000 / piece.len()));
            let held = held(&text, 4_093);
            // Waited for are 4 KiB and the newest piece, and of a block that was read often enough its last half. Signs that
            // are written in more bytes count as often.
            let written = cite(&Answer { text: text.clone(), ..Answer::default() }, &Rules::web_chat()).text.len();
            let most = (2 * 4 * 1024 + text.len() / 2) * written.div_ceil(text.len()).max(1);
            assert!(held <= most, "{held} bytes of {before:?} and many {piece:?}");
        }
    }
}
