//! What must hold of a text that arrives in pieces.

use citewire_core::answer::{Answer, Citation, SourceIndex};
use citewire_core::cite::{Incremental, Rules, cite};
use citewire_core::text::Span;

/// How many bytes a stream may keep to itself (see `Incremental`).
const MAX_HELD: usize = 26 * 1024;

/// Panics unless the text, cut in pieces of these lengths again and again, becomes what it becomes as a whole.
pub fn check_pieces(answer: &mut Answer, rules: &Rules, numbers: &[u8]) {
    let (how, lengths) = numbers.split_first().expect("one number or more");
    let lengths: Vec<usize> = lengths.iter().map(|byte| length(*byte)).collect();
    // A place at the end of a block of code is decided before the blank lines behind it, and may come too late.
    let holds_code = ["```", "~~~", "    ", "\t", "<"].iter().any(|code| answer.text.contains(code));
    let cites_places = how % 4 == 3 && !answer.sources.is_empty() && !holds_code;
    let measures = how % 8 == 4;
    let text = answer.text.clone();
    let mut incremental = Incremental::new(answer.grammar, rules);
    incremental.add_sources(answer.sources.iter().cloned());
    let mut shown = String::new();
    let (mut at, mut measured) = (0, 0);
    for piece in 0.. {
        if at >= text.len() {
            break;
        }
        let length = if lengths.is_empty() { 1 } else { lengths[piece % lengths.len()] };
        let end = text.ceil_char_boundary((at + length).min(text.len()));
        shown.push_str(incremental.push(&text[at..end]));
        at = end;
        assert_eq!(incremental.shown().len(), shown.len(), "pieces are only ever appended");
        if measures && at >= measured + text.len() / 4 {
            measured = at;
            check_held(answer, rules, &text[..at], &shown);
        }
        if cites_places && piece % 3 == 2 && !text[..at].trim().is_empty() {
            let source = SourceIndex(piece % answer.sources.len());
            incremental.cite_here(vec![source]);
            let place = text[..at].trim_end().len();
            let span = Span::new(&text, place..place).expect("a place");
            answer.citations.push(Citation::new(span, vec![source]));
        }
    }
    assert_eq!(incremental.shown(), shown, "pieces are only ever appended");
    let finished = incremental.finish();
    let whole = cite(answer, rules);
    assert!(finished.text.starts_with(&shown), "showed {shown:?}\n ended {:?}", finished.text);
    assert_eq!(finished.text, whole.text, "in pieces, and as a whole, of {:?}", answer.text);
    assert_eq!(finished.sources, whole.sources);
    assert_eq!(finished.entries, whole.entries);
}

/// Compared with what would be shown were this the end, little is held back.
fn check_held(answer: &Answer, rules: &Rules, arrived: &str, shown: &str) {
    let mut so_far = Answer::default();
    so_far.text = arrived.to_owned();
    so_far.sources.clone_from(&answer.sources);
    so_far.grammar = answer.grammar;
    let mut rules = rules.clone();
    // The definitions come at the end in any case.
    rules.definitions = false;
    let text = cite(&so_far, &rules).text;
    let text = text.trim_end_matches([' ', '\t', '\r', '\n', '\u{200b}', '\u{200a}']);
    let held = text.len().saturating_sub(shown.len());
    assert!(held <= MAX_HELD, "{held} bytes are held back of {arrived:?}");
}

fn length(byte: u8) -> usize {
    match byte {
        0..200 => usize::from(byte % 16) + 1,
        200..250 => usize::from(byte) - 180,
        _ => (usize::from(byte) - 249) * 1024,
    }
}
