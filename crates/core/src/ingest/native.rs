//! citewire's own manifest: `{ "text", "sources", "annotations", "label", "interpreter", "code" }` (`docs/reference/manifest.md`).

use serde::Deserialize;
use serde_json::Value;

use super::format::Format;
use super::json::{self, list};
use super::manifest::{Annotation, Faultless, WireCode, WireInterpreter, WireLabel, WireSource, citations, has_lists};
use super::native_events::NativeEvents;
use super::{IngestError, Provider, activity, cohere, known_members};
use crate::answer::{Answer, Source};

const MEMBERS: &[&str] = &["annotations", "code", "interpreter", "label", "sources", "text"];

pub(super) const FORMAT: Format = Format {
    provider: Provider::Native,
    sign: "`text`",
    members: &[MEMBERS],
    is_whole: |members| {
        // In OpenAI Responses, `text` is an object with options. The `text` of Cohere and of an activity is a string, beside
        // other members.
        let is_others = cohere::is_first_version(members) || activity::is_activity(members);
        members.get("text").is_some_and(Value::is_string) && (!is_others || has_lists(members))
    },
    // `error` stands in events of other formats too. Taking it is harmless, because an error ends every stream.
    is_event: |members| {
        ["delta", "sources", "annotations", "label", "interpreter", "done"]
            .iter()
            .any(|name| members.contains_key(*name))
            || members.get("error").is_some_and(json::is_error)
    },
    parse,
    reader: || Box::new(NativeEvents::default()),
};

#[derive(Deserialize)]
struct Manifest {
    text: Option<String>,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<Option<WireSource>>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Annotation>,
    label: Option<WireLabel>,
    interpreter: Option<WireInterpreter>,
    code: Option<WireCode>,
}

/// [`Manifest`], but `text` is required and unknown members are refused: a body with unknown members may have another format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultlessManifest {
    text: String,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<Option<Faultless<WireSource>>>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Faultless<Annotation>>,
    label: Option<Faultless<WireLabel>>,
    interpreter: Option<Faultless<WireInterpreter>>,
    code: Option<Faultless<WireCode>>,
}

pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let (manifest, unknown) = known_members::read::<Manifest>(body)?;
    let missing = || {
        let reason = "missing; the text of the answer is required";
        let reason = match unknown.names_at_top().as_str() {
            "" => reason.to_owned(),
            names => {
                format!("{reason}; a manifest has no {names}: if this is another format, name it with `from` or map it")
            }
        };
        IngestError::member("/text", reason)
    };
    let mut answer = manifest.into_answer().ok_or_else(missing)?;
    answer.warnings.extend(unknown.notes(""));
    Ok(answer)
}

/// Reads a manifest without unknown members or wrong types, in one pass; `None` for any other body, without a reason.
pub(super) fn parse_faultless(body: &str) -> Option<Answer> {
    let FaultlessManifest { text, sources, annotations, label, interpreter, code } = serde_json::from_str(body).ok()?;
    let manifest = Manifest {
        text: Some(text),
        sources: sources.into_iter().map(|source| source.map(|Faultless(source)| source)).collect(),
        annotations: annotations.into_iter().map(|Faultless(annotation)| annotation).collect(),
        label: label.map(|Faultless(label)| label),
        interpreter: interpreter.map(|Faultless(interpreter)| interpreter),
        code: code.map(|Faultless(code)| code),
    };
    manifest.into_answer()
}

impl Manifest {
    /// Returns `None` when `text` is missing.
    fn into_answer(self) -> Option<Answer> {
        let text = self.text?;
        let mut warnings = Vec::new();
        let sources: Vec<Source> = self
            .sources
            .into_iter()
            .enumerate()
            .map(|(at, source)| source.unwrap_or_default().into_source(format!("/sources/{at}"), &mut warnings))
            .collect();
        let annotations = self.annotations.into_iter().enumerate();
        let annotations = annotations.map(|(at, annotation)| (format!("/annotations/{at}"), annotation)).collect();
        let citations = citations(&text, &sources, annotations, &mut warnings);
        Some(Answer {
            citations,
            label: self.label.map(|label| label.into_label("/label", &mut warnings)),
            interpreter: self
                .interpreter
                .and_then(|interpreter| interpreter.into_interpreter("/interpreter", &mut warnings)),
            code: self.code.and_then(|code| code.into_code("/code", &mut warnings)),
            complete: true,
            sources,
            warnings,
            text,
            ..Answer::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{SourceCode, SourceIndex};

    #[test]
    fn everything_but_the_text_is_optional_and_null_is_absent() {
        let nulls = r#"{"text": "a", "sources": [null, {"id": null, "title": " ", "keywords": null, "metadata": null}],
            "annotations": null, "label": null, "interpreter": null}"#;
        let answer = parse(nulls).expect("an answer");
        assert_eq!(answer.sources.len(), 2);
        assert_eq!(answer.sources[1].title, None);
        assert_eq!(parse(r#"{"text": "a"}"#).expect("an answer").sources, []);
    }

    #[test]
    fn code_is_read_whole_and_as_an_event_and_told_without_a_program() {
        let code = serde_json::json!({"text": "print(1)", "language": "Python"});
        let body = serde_json::json!({"text": "a", "code": code}).to_string();
        let expected = SourceCode { text: "print(1)".into(), language: Some("Python".into()) };
        assert_eq!(parse(&body).expect("an answer").code, Some(expected.clone()));
        assert_eq!(parse_faultless(&body).expect("an answer").code, Some(expected.clone()));
        let stream =
            format!("data: {{\"delta\": \"a\"}}\n\ndata: {{\"code\": {code}}}\n\ndata: {{\"done\": true}}\n\n");
        let answer = crate::ingest::ingest(stream.as_bytes(), None).expect("an answer");
        assert_eq!(answer.code, Some(expected));
        let answer = parse(r#"{"text": "a", "code": {"language": "Python"}}"#).expect("an answer");
        assert_eq!(answer.code, None);
        assert_eq!(answer.warnings.iter().map(|entry| entry.code).collect::<Vec<_>>(), ["code"]);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        for (body, message) in [
            (r#"{"text": 5}"#, "/text: invalid type: integer `5`, expected a string"),
            (r#"{"text": "a", "sources": {}}"#, "/sources: invalid type: map, expected a sequence"),
            (
                r#"{"text": "a", "sources": [{}, {"title": []}]}"#,
                "/sources/1/title: invalid type: sequence, expected a string",
            ),
            (r#"{"text": "a", "sources": [{"page": "ii"}]}"#, "/sources/0/page: \"ii\" is not a whole number"),
        ] {
            assert_eq!(parse(body).expect_err(body).to_string(), message);
        }
    }

    /// PHP writes `[]` for an empty object; the whole answer was once refused because of it.
    #[test]
    fn metadata_that_is_no_object_does_not_cost_the_answer() {
        let body = r#"{"text": "a", "sources": [{"metadata": []}, {"metadata": {"x": [1]}}, {"metadata": "y"}, {"metadata": null}]}"#;
        let answer = parse(body).expect("an answer");
        let members: Vec<usize> = answer.sources.iter().map(|source| source.metadata.len()).collect();
        assert_eq!(members, [0, 1, 0, 0]);
        assert_eq!(answer.warnings.len(), 1);
        assert_eq!(answer.warnings[0].at, crate::report::At::Pointer("/sources/2/metadata".into()));
    }

    #[test]
    fn an_address_that_is_none_is_a_file_name_and_a_dangerous_one_is_dropped() {
        let answer = parse(r#"{"text": "", "sources": [{"url": "a/leave.pdf"}, {"url": "javascript:alert(1)"}]}"#)
            .expect("an answer");
        assert_eq!(answer.sources[0].file_name().as_deref(), Some("leave.pdf"));
        assert_eq!(answer.sources[1], Source { pointer: "/sources/1".into(), ..Source::default() });
        let codes: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!(codes, ["url-is-file-name", "url-scheme"]);
    }

    #[test]
    fn an_annotation_is_read_in_its_unit_and_names_sources_by_id_or_place() {
        let body = r#"{"text": "Süß 😀 fein.", "sources": [{"id": "A"}, {}], "annotations": [
            {"start": 0, "end": 5, "unit": "char", "sources": ["A", 2]},
            {"start": 7, "end": 11, "unit": "utf16", "sources": ["2"]},
            {"start": 3, "end": 3, "sources": ["A"]},
            {"start": 0, "end": 1, "sources": ["nobody"]}]}"#;
        let answer = parse(body).expect("an answer");
        let found: Vec<_> =
            answer.citations.iter().map(|c| (&answer.text[c.span.range()], c.sources.clone())).collect();
        assert_eq!(found, [("Süß 😀", vec![SourceIndex(0), SourceIndex(1)]), ("fein", vec![SourceIndex(1)])]);
        let codes: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!(codes, ["annotation-unanchored", "annotation-source"]);
    }

    #[test]
    fn a_span_that_is_a_marker_only_in_another_unit_is_read_in_that_unit() {
        let body = r#"{"text": "é【1】", "sources": [{}], "annotations": [{"start": 1, "end": 4, "unit": "utf8", "sources": [1]}]}"#;
        let answer = parse(body).expect("an answer");
        assert_eq!(&answer.text[answer.citations[0].span.range()], "【1】");
    }
}
