//! What must hold of bytes that were read as an answer, or were not.

use std::collections::BTreeSet;

use citewire_core::answer::Answer;
use citewire_core::cite::{Numbering, Pages, Rules, cite};
use citewire_core::convert::{Conversion, ConvertError, Converted, Grounding, convert_answer};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::IngestError;
use citewire_core::output::Output;
use citewire_core::report::At;
use serde_json::Value;

use crate::harmless::check_harmless;

/// Converts to every dialect, with options chosen by a byte, and to every other output; panics when an outcome breaks a
/// promise.
pub fn check_answer(answer: &Answer, options: u8) {
    check_parts(answer);
    check_outputs(answer);
    for dialect in Dialect::ALL {
        let mut conversion = Conversion::to(dialect);
        let wishes = &mut conversion.options;
        wishes.numbering = if options & 1 != 0 { Numbering::Provider } else { Numbering::Dense };
        wishes.pages = if options & 2 != 0 { Pages::Split } else { Pages::Merge };
        wishes.hard_breaks = options & 4 != 0;
        wishes.feedback = options & 8 != 0;
        wishes.self_contained = options & 16 != 0;
        wishes.withhold_encrypted = options & 32 != 0;
        wishes.require_grounding = if options & 64 != 0 { Grounding::Anchored } else { Grounding::NotRequired };
        if options & 128 != 0 {
            wishes.image_hosts = BTreeSet::from(["X".to_owned()]);
            wishes.abstract_max = Some(7);
        }
        match convert_answer(answer.clone(), &conversion) {
            Ok(converted) => check_converted(answer, &converted, dialect, &conversion),
            Err(ConvertError::GroundingNoTools | ConvertError::GroundingNoCitations) => {
                assert_eq!(conversion.options.require_grounding, Grounding::Anchored);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn check_parts(answer: &Answer) {
    for citation in &answer.citations {
        assert!(answer.text.get(citation.span.range()).is_some(), "{citation:?} is no part of the text");
        assert!(!citation.sources.is_empty());
        assert!(citation.sources.iter().all(|source| source.0 < answer.sources.len()));
    }
    for entry in &answer.warnings {
        match &entry.at {
            At::Pointer(pointer) => check_pointer(pointer),
            At::Offset(at) => assert!(answer.text.is_char_boundary(*at)),
        }
    }
}

fn check_outputs(answer: &Answer) {
    let numbered = cite(answer, &Rules::numbered());
    for place in &numbered.places {
        assert_eq!(numbered.text.get(place.range.clone()), Some(format!("[{}]", place.position).as_str()));
    }
    for output in Output::ALL {
        let written = output.write(answer, &[]).expect("an output serialises");
        serde_json::from_slice::<Value>(&written).expect("what was serialised is JSON");
    }
}

fn check_converted(answer: &Answer, converted: &Converted, dialect: Dialect, conversion: &Conversion) {
    let written = serde_json::to_string(&(&converted.activities, &converted.report)).expect("an outcome serialises");
    let read: Value = serde_json::from_str(&written).expect("what was serialised is JSON");
    let [activity] = converted.activities.as_slice() else { panic!("a whole answer is one activity") };
    assert_eq!(read[0][0]["type"], "message");
    let text = activity.text.as_deref().unwrap_or_default();
    if matches!(dialect, Dialect::WebChat | Dialect::Teams | Dialect::M365Copilot) {
        check_harmless(text, !conversion.options.image_hosts.is_empty(), dialect == Dialect::WebChat);
    }
    for (_, list) in converted.report.lists() {
        for entry in list {
            match &entry.at {
                At::Pointer(pointer) => check_pointer(pointer),
                At::Offset(at) => assert!(answer.text.is_char_boundary(*at), "{entry:?}"),
            }
        }
    }
}

/// The error says what is wrong, and where.
pub fn check_error(error: &IngestError, body: &[u8]) {
    assert!(!error.to_string().contains('\n'), "one line: {error}");
    match error {
        IngestError::NotUtf8 { offset } => assert!(*offset < body.len()),
        IngestError::NotJson { reason, line, column } => {
            let lines = body.split(|byte| *byte == b'\n').count();
            assert!(!reason.is_empty() && (1..=lines).contains(line) && *column <= body.len(), "{error}");
        }
        IngestError::Member { pointer, reason } => {
            assert!(!reason.is_empty());
            check_pointer(pointer);
            let text = String::from_utf8_lossy(body);
            let text = text.trim_start_matches('\u{feff}').trim_ascii();
            if let Ok(document) = serde_json::from_str::<Value>(text)
                && let Some((parent, _)) = pointer.rsplit_once('/')
            {
                // Of what is missing, more may be missing than its last part.
                let is_place = document.pointer(parent).is_some() || reason.starts_with("missing");
                assert!(is_place, "{pointer} is no place of {text}");
            }
        }
        IngestError::Event { place, source } => {
            assert!(place.event > 0 && place.line > 0, "{error}");
            assert!(!matches!(**source, IngestError::Event { .. }), "{error}");
            source.pointer().into_iter().for_each(check_pointer);
        }
        other => assert!(!other.to_string().is_empty()),
    }
}

fn check_pointer(pointer: &str) {
    assert!(pointer.is_empty() || pointer.starts_with('/'), "{pointer:?} is no JSON pointer");
    for part in pointer.split('~').skip(1) {
        assert!(part.starts_with(['0', '1']), "{pointer:?} is no JSON pointer");
    }
}
