//! Writes JUnit's XML, which servers that build software read.

use std::fmt::Write as _;

use crate::{Finding, Severity};

/// The findings of the file `name` as JUnit's XML: errors and warnings fail, notes are skipped, and a file without findings is
/// one case that passes.
#[must_use]
pub fn junit(findings: &[Finding], name: &str) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let notes = count(Severity::Note);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        xml,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{notes}\">",
        escaped(name),
        findings.len().max(1),
        findings.len() - notes
    );
    if findings.is_empty() {
        let _ = writeln!(xml, "  <testcase classname=\"{}\" name=\"check\"/>", escaped(name));
    }
    for finding in findings {
        let element = if finding.severity == Severity::Note { "skipped" } else { "failure" };
        let _ = writeln!(
            xml,
            "  <testcase classname=\"{}\" name=\"{} {}\">\n    <{element} message=\"{}: {}\"/>\n  </testcase>",
            escaped(name),
            finding.code,
            escaped(&finding.pointer),
            finding.severity,
            escaped(&finding.message)
        );
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// A text in an attribute. XML cannot have most control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_cases_and_nothing_breaks_the_xml() {
        let finding = |severity, message: &str| Finding {
            code: "text-html",
            severity,
            pointer: "/a<\"b\"".into(),
            message: message.into(),
        };
        let findings = [finding(Severity::Error, "a & \u{1}b\nc"), finding(Severity::Note, "d")];
        assert_eq!(
            junit(&findings, "a&b.json"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"a&amp;b.json\" tests=\"2\" failures=\"1\" skipped=\"1\">\n  \
             <testcase classname=\"a&amp;b.json\" name=\"text-html /a&lt;&quot;b&quot;\">\n    <failure message=\"error: a &amp; \u{fffd}b c\"/>\n  </testcase>\n  \
             <testcase classname=\"a&amp;b.json\" name=\"text-html /a&lt;&quot;b&quot;\">\n    <skipped message=\"note: d\"/>\n  </testcase>\n</testsuite>\n"
        );
        assert!(junit(&[], "a").contains("tests=\"1\" failures=\"0\""));
    }
}
