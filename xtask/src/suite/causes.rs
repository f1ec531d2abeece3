//! The part of a step's output that says why it failed. It is repeated below the table, where a reader of a long log looks.

/// The lines of a part: those beyond it are in the step's own output.
const MOST_LINES: usize = 60;

/// The lines with which the failures of a program of tests begin, and where they end.
const FAILURES: [(&str, &str); 2] = [("failures:", "test result:"), ("✖ failing tests:", "$ ")];

/// The failures that the output lists, or its last lines where it lists none.
pub(super) fn causes(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let begins = |at: usize| FAILURES.iter().find(|(begin, _)| lines[at] == *begin);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((_, end)) = begins(at) else {
            at += 1;
            continue;
        };
        let until = lines[at..].iter().position(|line| line.starts_with(end)).map_or(lines.len(), |lasts| at + lasts);
        found.extend_from_slice(&lines[at..until]);
        at = until;
    }
    if found.is_empty() {
        return lines[lines.len().saturating_sub(MOST_LINES)..].join("\n");
    }
    let left_out = found.len().saturating_sub(MOST_LINES);
    found.truncate(MOST_LINES);
    let mut text = found.join("\n");
    if left_out > 0 {
        text.push_str(&format!("\n({left_out} more lines above)"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::causes;

    #[test]
    fn failures_of_rust_and_node_are_found_between_what_passed() {
        let rust = "test one ... ok\ntest two ... FAILED\n\nfailures:\n\n---- two stdout ----\nleft: 1\n\nfailures:\n    two\n\n\
                    test result: FAILED. 1 passed\n$ next\ntest three ... ok\n";
        assert_eq!(causes(rust), "failures:\n\n---- two stdout ----\nleft: 1\n\nfailures:\n    two\n");
        let node = "✔ one (3 ms)\n✖ two (5 ms)\nℹ tests 2\n\n✖ failing tests:\n\ntest at two.mjs:1:1\n✖ two (5 ms)\n  Error: odd";
        assert_eq!(causes(node), "✖ failing tests:\n\ntest at two.mjs:1:1\n✖ two (5 ms)\n  Error: odd");
    }

    #[test]
    fn the_last_lines_stand_for_a_step_without_tests() {
        let lines: Vec<String> = (0..200).map(|number| format!("line {number}")).collect();
        assert_eq!(causes(&lines.join("\n")), lines[140..].join("\n"));
        assert_eq!(causes(""), "");
    }

    #[test]
    fn many_failures_are_cut_with_a_word() {
        let text = format!("failures:\n{}", "one\n".repeat(100));
        assert!(causes(&text).ends_with("one\n(41 more lines above)"));
    }
}
