//! An error with its causes, in one line.

/// The words of an error and of its causes. Some errors repeat their cause in their own words; it is not said twice.
pub(super) fn with_causes(error: &anyhow::Error) -> String {
    let mut line = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !line.ends_with(&cause) {
            line.push_str(": ");
            line.push_str(&cause);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_that_was_said_already_is_not_said_again() {
        let error = anyhow!("no disk").context("cannot write: no disk").context("the store failed");
        assert_eq!(with_causes(&error), "the store failed: cannot write: no disk");
        assert_eq!(with_causes(&anyhow!("one").context("two")), "two: one");
    }
}
