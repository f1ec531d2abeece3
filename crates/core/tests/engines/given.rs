//! Generated answers as they arrive, and what becomes of them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use citewire_core::answer::{Answer, Citation, MarkerGrammar, Source, SourceIndex};
use citewire_core::cite::{Rules, cite};
use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use citewire_core::text::Span;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases::{Case, Verdict};
use super::generator::{manifest, sources};
use super::judge::{Judge, Readings};

/// The forms that markers have in what a provider sends; citewire's own format, which knows all of them, first.
const FORMATS: [(&str, MarkerGrammar); 7] = [
    ("citewire", MarkerGrammar::ALL),
    ("Azure OpenAI On Your Data", MarkerGrammar::AZURE_ON_YOUR_DATA),
    ("Perplexity", MarkerGrammar::BRACKETED_NUMBERS),
    ("AssistantHub", MarkerGrammar::ASSISTANT_HUB),
    ("OpenAI", MarkerGrammar::ANNOTATED),
    ("Azure AI Search", MarkerGrammar::REFERENCES),
    ("Gemini", MarkerGrammar::NONE),
];

/// One of the formats.
#[derive(Clone, Copy)]
pub(super) struct Format(usize);

impl Format {
    pub(super) const OWN: Self = Self(0);

    /// Any of the others.
    pub(super) fn of_a_provider() -> impl Strategy<Value = Self> {
        (1..FORMATS.len()).prop_map(Self)
    }

    pub(super) fn grammar(self) -> MarkerGrammar {
        FORMATS[self.0].1
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FORMATS[self.0].0)
    }
}

impl Case for Format {
    fn without(&self, _at: usize) -> Option<Self> {
        None
    }
}

/// Text before an answer whose provider cites it beside the text. It cites the first source.
pub(super) const ATTESTED: &str = "Attested.";

/// An answer as it arrives.
pub(super) struct Given {
    pub(super) text: String,
    pub(super) grammar: MarkerGrammar,
    /// Where a span ends that is cited beside the text, and by which source.
    cited: Option<(usize, SourceIndex)>,
}

impl Given {
    /// In citewire's own format.
    pub(super) fn native(text: String) -> Self {
        Self { text, grammar: MarkerGrammar::ALL, cited: None }
    }

    /// In a format whose citations also come beside the text.
    pub(super) fn attested(grammar: MarkerGrammar, text: &str) -> Self {
        Self { text: format!("{ATTESTED}\n\n{text}"), grammar, cited: Some((ATTESTED.len(), SourceIndex(0))) }
    }

    /// Without markers, and with its third source cited for what stands before a place.
    pub(super) fn cited_before(text: String, at: usize) -> Self {
        Self { text, grammar: MarkerGrammar::NONE, cited: Some((at, SourceIndex(2))) }
    }

    /// Where the text ends that is cited beside it.
    pub(super) fn place(&self) -> Option<usize> {
        self.cited.map(|(end, _)| end)
    }

    /// The text for Web Chat.
    fn converted(&self) -> Result<String, String> {
        let Some((end, source)) = self.cited else { return converted(&self.text, &manifest(&[1, 2, 3])) };
        let span = Span::new(&self.text, 0..end).expect("a span");
        let mut answer = Answer::default();
        answer.text.clone_from(&self.text);
        answer.sources = documents();
        answer.grammar = self.grammar;
        answer.citations = vec![Citation::new(span, vec![source])];
        without_panic(&self.text, || cite(&answer, &Rules::web_chat()).text)
    }
}

/// The sources of every generated answer, as they are once an answer was read.
pub(super) fn documents() -> Vec<Source> {
    let source = |(url, title): &(Option<&str>, &str)| Source {
        title: Some((*title).to_owned()),
        url: url.and_then(|url| url.parse().ok()),
        ..Source::default()
    };
    let mut all: Vec<Source> = sources().all.iter().map(source).collect();
    all[2].marker = Some("【4:0†a】".into());
    all[2].filepath = Some("c.pdf".into());
    all
}

/// The text of the activity that an answer becomes.
pub(super) fn converted(text: &str, sources: &[Value]) -> Result<String, String> {
    activity(&json!({"text": text, "sources": sources}))
}

/// Converts an answer in citewire's own format, and returns the text of its activity.
pub(super) fn activity(answer: &Value) -> Result<String, String> {
    without_panic(&answer.to_string(), || {
        let converted = convert(answer.to_string().as_bytes(), &Conversion::to(Dialect::WebChat)).expect("an activity");
        converted.activities[0].text.clone().unwrap_or_default()
    })
}

fn without_panic(given: &str, convert: impl FnOnce() -> String) -> Result<String, String> {
    catch_unwind(AssertUnwindSafe(convert)).map_err(|_| format!("it panics at {given:?}"))
}

/// Has answers read before and after, and tells what is demanded of each.
pub(super) fn judge_all(
    judge: &mut Judge,
    answers: &[Given],
    demand: impl Fn(&Given, &Readings, &Readings, &str) -> Result<Verdict, String>,
) -> Vec<Verdict> {
    let before = judge.read_all(&answers.iter().map(|given| &given.text).collect::<Vec<_>>(), true);
    let texts: Vec<_> = answers.iter().map(Given::converted).collect();
    let written: Vec<&str> = texts.iter().map(|text| text.as_deref().unwrap_or_default()).collect();
    let after = judge.read_all(&written, false);
    let verdict = |((given, text), (before, after)): ((&Given, &Result<String, String>), _)| {
        let verdict = match (text, before, after) {
            (Err(panic), ..) => Err(panic.clone()),
            (_, None, _) => Ok(Verdict::Discarded),
            (_, _, None) => Err("an engine fails at it".into()),
            (Ok(text), Some(before), Some(after)) => demand(given, &before, &after, text),
        };
        verdict.unwrap_or_else(|what| Verdict::Fails(format!("{what}\n given {:?}\n  gave {text:?}", given.text)))
    };
    answers.iter().zip(&texts).zip(before.into_iter().zip(after)).map(verdict).collect()
}
