//! Collects findings during a check.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::code::{self, Rule};
use super::pointer::{Pointer, document_order};

/// The maximum number of findings kept per code; further ones are counted.
const MAX_PER_CODE: usize = 100;

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    kept: Vec<Finding>,
    seen: BTreeMap<&'static str, usize>,
    once: BTreeSet<(&'static str, String)>,
}

impl Findings {
    /// Reports a violation of `rule` at `at`.
    pub(super) fn add(&mut self, rule: Rule, at: &Pointer, message: impl Into<String>) {
        let seen = self.seen.entry(rule.code).or_default();
        *seen += 1;
        if *seen <= MAX_PER_CODE {
            self.kept.push(Finding {
                code: rule.code,
                severity: rule.severity,
                pointer: at.as_str().to_owned(),
                message: message.into(),
            });
        }
    }

    /// Like [`add`](Self::add), but only once for each rule and place, because nodes with several references are checked
    /// several times.
    pub(super) fn add_once(&mut self, rule: Rule, at: &Pointer, message: impl Into<String>) {
        if self.once.insert((rule.code, at.as_str().to_owned())) {
            self.add(rule, at, message);
        }
    }

    /// The findings in document order, with a note for each code that exceeded the maximum.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        // The sort is stable, so findings at one place keep the order of the text.
        self.kept.sort_by(|left, right| document_order(&left.pointer, &right.pointer));
        for (code, seen) in self.seen {
            if seen > MAX_PER_CODE {
                self.kept.push(Finding {
                    code: code::FINDINGS_CAPPED.code,
                    severity: code::FINDINGS_CAPPED.severity,
                    pointer: String::new(),
                    message: format!(
                        "{} more findings with the code {code} are not listed. Mend the first ones and check again.",
                        seen - MAX_PER_CODE
                    ),
                });
            }
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_come_out_in_document_order() {
        let mut findings = Findings::default();
        findings.add(code::TEXT_HTML, &Pointer::default().index(10).key("text"), "late");
        findings.add(code::TEXT_HTML, &Pointer::default().index(2).key("text"), "early");
        let pointers: Vec<_> = findings.finish().into_iter().map(|finding| finding.pointer).collect();
        assert_eq!(pointers, ["/2/text", "/10/text"]);
    }

    #[test]
    fn a_flood_of_one_code_is_capped_and_counted() {
        let mut findings = Findings::default();
        for _ in 0..350 {
            findings.add(code::MARKERS_FUSED, &Pointer::default().key("text"), "again");
        }
        let findings = findings.finish();
        assert_eq!(findings.len(), MAX_PER_CODE + 1);
        let last = findings.last().expect("a closing note");
        assert_eq!(last.code, "findings-capped");
        assert!(last.message.starts_with("250 more"), "{}", last.message);
    }

    #[test]
    fn a_thing_that_is_looked_at_twice_is_reported_once() {
        let mut findings = Findings::default();
        let at = Pointer::default().key("label");
        findings.add_once(code::LABEL_NAME_MISSING, &at, "no name");
        findings.add_once(code::LABEL_NAME_MISSING, &at, "no name");
        assert_eq!(findings.finish().len(), 1);
    }
}
