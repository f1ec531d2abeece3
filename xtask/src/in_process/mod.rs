//! The core in the processes of others does there what it does here: its packages, tried with vectors.

pub(crate) mod dotnet;
pub(crate) mod node;
pub(crate) mod python;

use crate::process;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// The answers with faults that are called beside the samples.
const GENERATED: &str = "500";

/// Has a test program write the vectors.
fn write_vectors(mut writer: Command, file: &Path) -> Result<()> {
    process::run(writer.arg(file).arg(GENERATED))
}

/// The first block of a text in this language.
fn example<'t>(text: &'t str, language: &str) -> Option<&'t str> {
    let (_, block) = text.split_once(&format!("```{language}\n"))?;
    Some(block.split_once("```")?.0)
}

#[cfg(test)]
mod tests {
    use super::example;

    #[test]
    fn an_example_is_the_first_block_of_its_language() {
        let text = "a\n```sh\nno\n```\n```js\none\n```\n```js\ntwo\n```\n";
        assert_eq!(example(text, "js"), Some("one\n"));
        assert_eq!(example(text, "py"), None);
    }
}
