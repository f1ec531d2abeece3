//! Writes SARIF 2.1.0, which code scanning reads.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{Finding, Severity, rules};

/// The findings of the file `name` as a SARIF log, with the rules that they break. The pointer is the logical location.
#[must_use]
pub fn sarif(findings: &[Finding], name: &str) -> Value {
    let uri = uri(name);
    let broken = rules().iter().filter(|rule| findings.iter().any(|finding| finding.code == rule.code));
    let broken: Vec<Value> = broken
        .map(|rule| {
            json!({"id": rule.code, "shortDescription": {"text": rule.meaning},
                   "defaultConfiguration": {"level": level(rule.severity)}})
        })
        .collect();
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "ruleId": finding.code, "level": level(finding.severity), "message": {"text": finding.message},
                "locations": [{
                    "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}},
                    "logicalLocations": [{"fullyQualifiedName": finding.pointer}],
                }],
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "citewire check", "version": env!("CARGO_PKG_VERSION"), "rules": broken}},
            "results": results,
        }],
    })
}

/// A path as a relative or absolute reference of RFC 3986.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, check};

    #[test]
    fn the_address_of_the_file_is_one() {
        for (path, expected) in [
            ("answer.json", "answer.json"),
            ("out/a b#1?.json", "out/a%20b%231%3F.json"),
            ("/tmp/ü:[1].json", "/tmp/%C3%BC%3A%5B1%5D.json"),
        ] {
            assert_eq!(uri(path), expected);
            assert!(url::Url::parse("file:///x/").and_then(|base| base.join(expected)).is_ok());
        }
    }

    #[test]
    fn each_result_has_its_rule_level_and_place() {
        let document =
            json!({"type": "message", "text": "a[1][2].\n\n[1]: https://a.example/\n[2]: https://b.example/"});
        let findings = check(&document, Channel::WebChat);
        let log = sarif(&findings, "answer.json");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let results = run["results"].as_array().expect("results");
        assert_eq!(results.len(), findings.len());
        for result in results {
            let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
            assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
            assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "answer.json");
        }
        assert_eq!(results[0]["ruleId"], "markers-fused");
        assert_eq!(results[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "/text");
        assert_eq!(sarif(&[], "a")["runs"][0]["results"], json!([]));
    }
}
