//! The report of an output for programs: its notes, and the account of the sources (policy P-14).

use serde_json::json;

use super::numbered::shown_uncited;
use super::{Output, document_name};
use crate::answer::Answer;
use crate::cite::{Numbering, Rules, cite};
use crate::claims::{Claims, shown_numbers, support_lines};
use crate::report::{Entry, Report};

/// The report of an answer that is written as `output`, with its usual numbers and its document names.
///
/// `records` and `assistanthub` list all sources. Open WebUI shows the cited ones, else those to list (rule N-14); the report
/// names the others.
#[must_use]
pub fn report(answer: &Answer, output: Output) -> Report {
    report_judged(answer, output, None)
}

/// Like [`report`], with the verdicts about the citations.
#[must_use]
pub fn report_judged(answer: &Answer, output: Output, judged: Option<&Claims>) -> Report {
    let numbering = if output == Output::OpenWebUi { Numbering::Dense } else { Numbering::Provider };
    report_numbered(answer, output, numbering, judged)
}

/// Like [`report_judged`], for a text that is numbered in another way.
#[must_use]
pub fn report_numbered(answer: &Answer, output: Output, numbering: Numbering, judged: Option<&Claims>) -> Report {
    let mut report = Report { complete: answer.complete, tools_invoked: answer.tools_invoked, ..Report::default() };
    report.error = answer.error.as_ref().map(|error| json!(error));
    report.scores = answer.score_lines();
    report.extend(answer.warnings.iter().cloned());
    let mut named = answer.clone();
    if output != Output::Records {
        for source in &mut named.sources {
            source.title = Some(document_name(source));
            // The name says the part already.
            source.part = None;
        }
    }
    let cited = cite(&named, &Rules { numbering, ..Rules::numbered() });
    let mut left: Vec<bool> = vec![true; answer.sources.len()];
    for index in cited.sources.iter().flat_map(|source| &source.sources) {
        left[index.0] = false;
    }
    let used = left.iter().filter(|left| !**left).count();
    report.sources.cited = cited.sources.len();
    report.sources.merged = used - cited.sources.len();
    let listed = match output {
        Output::Records | Output::AssistantHub => (0..answer.sources.len()).collect(),
        Output::OpenWebUi if cited.sources.is_empty() => shown_uncited(answer, &cited),
        Output::OpenWebUi => Vec::new(),
    };
    for place in listed {
        report.sources.listed += usize::from(std::mem::replace(&mut left[place], false));
    }
    if let Some(judged) = judged {
        report.judge(support_lines(&judged.claims, &shown_numbers(&cited.sources)), judged.uncited);
    }
    report.extend(cited.entries);
    report.sources.uncited = left.iter().filter(|left| **left).count();
    let uncited = answer.sources.iter().zip(left).filter(|(_, left)| *left);
    report.extend(
        uncited.map(|(source, _)| Entry::not_cited(source.pointer.as_str(), source.display_title().as_deref())),
    );
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Source;
    use crate::report::{Kind, SOURCES_UNREAD};

    fn answer(text: &str, titles: &[&str]) -> Answer {
        let source = |(at, title): (usize, &&str)| Source {
            pointer: format!("/sources/{at}"),
            title: Some((*title).to_owned()),
            ..Source::default()
        };
        Answer {
            text: text.to_owned(),
            complete: true,
            sources: titles.iter().enumerate().map(source).collect(),
            warnings: vec![Entry::in_input(Kind::Note, SOURCES_UNREAD, "/references/0", "unread")],
            ..Answer::default()
        }
    }

    #[test]
    fn each_output_accounts_for_every_source() {
        let answer = answer("a [2]", &["A", "B", "C"]);
        for (output, listed, uncited) in
            [(Output::Records, 2, 0), (Output::AssistantHub, 2, 0), (Output::OpenWebUi, 0, 2)]
        {
            let report = report(&answer, output);
            let counts = report.sources;
            assert_eq!((counts.cited, counts.listed, counts.uncited, counts.unread), (1, listed, uncited, 1));
            assert_eq!(report.uncited.len(), uncited);
        }
    }

    #[test]
    fn open_webui_lists_all_sources_where_nothing_is_cited() {
        let report = report(&answer("a", &["A"]), Output::OpenWebUi);
        assert_eq!((report.sources.listed, report.sources.uncited, report.uncited.len()), (1, 0, 0));
    }
}
