//! What must hold of a cited text.

use citewire_core::answer::{Answer, Source};
use citewire_core::cite::{CitedText, Numbering, Rules, cite};
use citewire_core::report::{At, Kind};
use pulldown_cmark::Parser;

use crate::harmless::{OPTIONS, check_harmless, with_line_feeds};

/// Panics when the outcome breaks a promise.
pub fn check_cited(answer: &Answer, rules: &Rules, cited: &CitedText) {
    let body = body(cited, rules);
    for pair in cited.sources.windows(2) {
        assert!(pair[0].position < pair[1].position, "numbers in order, each once");
    }
    for source in &cited.sources {
        let badge = format!("[{}]", source.position);
        assert!(body.contains(&badge), "{badge} is cited and does not appear in {body:?}");
        assert!(!source.sources.is_empty() && !source.title.trim().is_empty());
        assert!(!source.title.contains(['\n', '\r']), "a title is one line");
    }
    for entry in &cited.entries {
        if let At::Offset(at) = entry.at {
            assert!(answer.text.is_char_boundary(at), "{entry:?} is no place of the text");
        }
        assert!(!entry.message.is_empty());
    }
    if rules.markdown {
        check_harmless(&cited.text, !rules.image_hosts.is_empty(), rules.definitions);
    }
    if rules.definitions {
        check_definitions(cited);
    }
    check_again(answer, rules, cited);
}

/// The text without the definitions at its end.
fn body<'c>(cited: &'c CitedText, rules: &Rules) -> &'c str {
    let Some(first) = cited.sources.first().filter(|_| rules.definitions) else { return &cited.text };
    let start = cited.text.rfind(&format!("\n[{}]: {} ", first.position, first.definition_url()));
    start.map_or(&cited.text, |start| &cited.text[..start])
}

/// A parser finds every source under its number.
fn check_definitions(cited: &CitedText) {
    let text = with_line_feeds(&cited.text);
    let parser = Parser::new_ext(&text, OPTIONS);
    let definitions = parser.reference_definitions();
    for source in &cited.sources {
        let label = source.position.to_string();
        let found = definitions.get(&label);
        let url = source.definition_url();
        let read = found.map(|definition| definition.dest.as_ref());
        assert_eq!(read, Some(url.as_str()), "the definition of {} in {:?}", source.position, cited.text);
        let title = found.and_then(|definition| definition.title.as_deref()).unwrap_or_default();
        let shown: String = source.title.chars().take(300).collect();
        assert!(title.starts_with(&shown), "the title {title:?} is not {shown:?}");
    }
}

/// Converted again, with the sources in the order of their numbers, the text stays as it is, when nothing in the report
/// says that anything but markers was changed.
fn check_again(answer: &Answer, rules: &Rules, cited: &CitedText) {
    let is_calm = cited.entries.iter().all(|entry| entry.kind == Kind::Cited);
    let is_web_chat = rules.markdown && rules.definitions && rules.numbering == Numbering::Dense;
    // What is too far away to be decided is nearer the second time, or the other way round; and a span that is cited puts a
    // bracket where none was.
    if !answer.citations.is_empty()
        || cited.text.len() > 4_000
        || !is_calm
        || !is_web_chat
        || !answer.grammar.numbers
        || cited.sources.iter().any(|one| one.sources.len() > 1)
    {
        return;
    }
    let mut again = Answer::default();
    again.text.clone_from(&cited.text);
    again.grammar = answer.grammar;
    let order = cited.sources.iter().map(|one| one.sources[0].0);
    let rest = (0..answer.sources.len()).filter(|at| !cited.sources.iter().any(|one| one.sources[0].0 == *at));
    again.sources = order.chain(rest).map(|at| unnamed(&answer.sources[at])).collect();
    let twice = cite(&again, rules);
    // A carriage return before the definitions may go (docs/reference/citations.md).
    let comparable = |text: &str| text.trim_end().replace("\r\n\n", "\n\n");
    assert_eq!(comparable(&twice.text), comparable(&cited.text), "changed again, from {:?}", answer.text);
}

/// A name of a source could be the number of another.
fn unnamed(source: &Source) -> Source {
    let mut source = source.clone();
    source.marker = None;
    source
}
