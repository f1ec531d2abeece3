//! Writes findings for a terminal, and for programs that read SARIF or JUnit.

mod junit;
mod sarif;

use std::fmt::Write as _;

pub use junit::junit;
pub use sarif::sarif;

use super::{Finding, Severity};
use citewire_core::text::in_terminal;

/// Options of [`render`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether to color severities with ANSI escapes. Default `false`.
    pub color: bool,
}

/// Writes one line for each finding (severity, code, pointer, effect for users) and a last line with counts.
///
/// The text ends with a newline. Lines are not wrapped.
#[must_use]
pub fn render(findings: &[Finding], style: Style) -> String {
    let mut report = String::new();
    for finding in findings {
        let (start, end) = escapes(finding.severity, style);
        let pointer = if finding.pointer.is_empty() { "(whole document)" } else { &finding.pointer };
        let message = in_terminal(&finding.message);
        let pointer = in_terminal(pointer);
        // Writing to a string cannot fail.
        let _ = writeln!(report, "{start}{}{end} {} {pointer}: {message}", finding.severity, finding.code);
    }
    report.push_str(&summary(findings));
    report.push('\n');
    report
}

fn summary(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let counts = [
        (count(Severity::Error), "error", "errors"),
        (count(Severity::Warning), "warning", "warnings"),
        (count(Severity::Note), "note", "notes"),
    ];
    let parts: Vec<_> = counts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    if parts.is_empty() { "All good: nothing to mend.".to_owned() } else { format!("{}.", parts.join(", ")) }
}

fn escapes(severity: Severity, style: Style) -> (&'static str, &'static str) {
    if !style.color {
        return ("", "");
    }
    let start = match severity {
        Severity::Error => "\u{1b}[1;31m",
        Severity::Warning => "\u{1b}[1;33m",
        Severity::Note => "\u{1b}[36m",
    };
    (start, "\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(severity: Severity, message: &str) -> Finding {
        Finding { code: "text-html", severity, pointer: "/text".into(), message: message.into() }
    }

    #[test]
    fn nothing_found_is_one_friendly_line() {
        assert_eq!(render(&[], Style::default()), "All good: nothing to mend.\n");
    }

    #[test]
    fn each_finding_is_one_line_and_counts_come_last() {
        let findings = [
            finding(Severity::Error, "Broken."),
            finding(Severity::Note, "Two\nlines."),
            finding(Severity::Note, "Fine."),
        ];
        assert_eq!(
            render(&findings, Style::default()),
            "error text-html /text: Broken.\nnote text-html /text: Two\\nlines.\nnote text-html /text: Fine.\n\
             1 error, 2 notes.\n"
        );
    }

    #[test]
    fn colour_is_optional_and_never_comes_from_the_document() {
        let findings = [finding(Severity::Warning, "\u{1b}[2Jgone")];
        assert!(!render(&findings, Style::default()).contains('\u{1b}'));
        let coloured = render(&findings, Style { color: true });
        assert!(coloured.starts_with("\u{1b}[1;33mwarning\u{1b}[0m text-html"), "{coloured}");
        assert!(!coloured.contains("[2J") || coloured.contains("\\u{1b}[2J"), "{coloured}");
    }

    #[test]
    fn a_finding_on_the_whole_document_says_so() {
        let mut whole = finding(Severity::Error, "No.");
        whole.pointer = String::new();
        assert!(render(&[whole], Style::default()).contains("(whole document)"));
    }
}
