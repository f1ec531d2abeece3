//! Streams against whole answers, for every sample of every format, however its bytes are cut.

use std::collections::BTreeSet;

use citewire::cite::{Rules, cite};
use citewire::ingest::{AnswerStream, StreamEvent, ingest, is_stream};
use citewire::output::{ChatForm, ChatOptions, ChatStream, chat};

use crate::described::LATE_WITHOUT_A_SIGN;
use crate::samples::{input, samples};

/// The events of a body that comes in pieces of `step` bytes, and the whole answer in the end.
fn told(body: &[u8], step: usize, form: ChatForm) -> (String, citewire::output::Chat) {
    let mut stream = AnswerStream::new(None);
    let mut growing = ChatStream::new(ChatOptions { form, ..ChatOptions::default() });
    let mut told = String::new();
    for piece in body.chunks(step) {
        let events = stream.push(piece).expect("events");
        let grammar = stream.grammar().unwrap_or_default();
        for event in events {
            match event {
                StreamEvent::Text(delta) => growing.add_text(&delta, grammar),
                StreamEvent::Sources(sources) => growing.add_sources(sources),
                StreamEvent::Cited(sources) => growing.cite_here(sources),
                StreamEvent::Late => growing.hold(),
                StreamEvent::Label(_)
                | StreamEvent::Interpreter(_)
                | StreamEvent::Code(_)
                | StreamEvent::Note(_)
                | StreamEvent::Error(_)
                | StreamEvent::Done => {}
            }
        }
        told.extend(growing.news());
    }
    let answer = stream.finish().expect("an answer");
    let grown = growing.finish(&answer);
    (told + &grown.rest, grown.chat)
}

#[test]
fn every_streamed_sample_says_joined_what_it_says_whole() {
    let (mut seen, mut told_later, mut without_card) = (0, Vec::new(), Vec::new());
    for case in samples() {
        let body = input(&case);
        if !is_stream(&body) {
            continue;
        }
        seen += 1;
        let name = case.display();
        let answer = ingest(&body, None).expect("an answer");
        for form in ChatForm::ALL {
            let whole = chat(&answer, &ChatOptions { form, ..ChatOptions::default() });
            for step in [1, 7, 64, body.len()] {
                let (told, chat) = told(&body, step, form);
                assert_eq!(told, chat.content, "{name} {form} in pieces of {step}");
                // A source that is known too late for its badge still has its card.
                let cards = |chat: &citewire::output::Chat| -> BTreeSet<String> {
                    chat.events.iter().map(|event| event.data.source.name.clone()).collect()
                };
                if cards(&chat) != cards(&whole) {
                    without_card.push(format!("{name} {form}: {:?} are {:?}", cards(&chat), cards(&whole)));
                }
                if chat != whole && !LATE_WITHOUT_A_SIGN.iter().any(|late| case.ends_with(late)) {
                    told_later.push(format!("{name} {form}: {:?} is {:?}", chat.content, whole.content));
                }
                // No marker that only a machine reads is ever shown.
                assert!(
                    !told.contains(['【', '\u{e200}']) || !cite(&answer, &Rules::numbered()).unresolved.is_empty(),
                    "{name}: {told}"
                );
            }
        }
    }
    assert!(seen >= 16, "only {seen} samples are streams");
    // Clients that learn of citations behind the text that they belong to cannot put them in any more.
    told_later.dedup();
    assert!(without_card.is_empty(), "{}", without_card.join("\n"));
    assert!(told_later.is_empty(), "{}", told_later.join("\n"));
}
