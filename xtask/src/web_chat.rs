//! Web Chat's one script, taken from its npm package and nothing of its dependency tree.
//!
//! `dist/webchat.js` is self-contained; the package's dependencies would be hundreds of megabytes that nobody runs.

use crate::repository::Repository;
use crate::{npm, process};
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the script for the service, which hands it to the page.
pub(crate) const VARIABLE: &str = "CITEWIRE_WEBCHAT_JS";

const PACKAGE: &str = "botframework-webchat";
const SCRIPT: &str = "package/dist/webchat.js";

/// A published version and the hash that its archive must have.
pub(crate) struct Version {
    pub(crate) number: &'static str,
    integrity: &'static str,
}

/// The version that the page shows.
pub(crate) const RELEASE: Version = Version {
    number: "4.18.1",
    integrity: "sha512-7jpEUJ7olT62Xm+8eh7BhhIcXVfU2xD4pZDaeBt8K4XcNy6K/83UGIxE9BFkXmHMZ4hDEVOzs5cre07GWuaXzg==",
};

/// A prerelease whose Markdown engine is another one; rendering is tested on both.
pub(crate) const PRERELEASE: Version = Version {
    number: "4.18.1-main.20251101.54e519d",
    integrity: "sha512-+SG3EI5RijXB7+zMMid1x7PEjMIwbKklY2DSubIMzuJQIU2IYQ+W80AcyDSWZdN0PuWoieXCchfOHf1poZ5nAw==",
};

/// Every version that is fetched for the tests.
pub(crate) const VERSIONS: [&Version; 2] = [&RELEASE, &PRERELEASE];

/// The path of the script, which is fetched when it is not there yet.
pub(crate) fn ensure(repository: &Repository, version: &Version) -> Result<PathBuf> {
    let home = repository.target("web-chat");
    let script = home.join(version.number).join("webchat.js");
    if script.is_file() {
        return Ok(script);
    }
    // Two steps may want it, and whoever comes second finds it there.
    let _alone = process::alone(&repository.path("Cargo.lock"))?;
    if !script.is_file() {
        let folder = home.join(version.number);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let file = fetch(version, &folder).with_context(|| format!("cannot fetch {PACKAGE} {}", version.number))?;
        fs::rename(file, &script).with_context(|| format!("cannot write {}", script.display()))?;
    }
    Ok(script)
}

fn fetch(version: &Version, work: &Path) -> Result<PathBuf> {
    let specification = format!("{PACKAGE}@{}", version.number);
    println!("fetching {specification}");
    let text = process::output(
        npm::command()
            .args(["pack", "--json", "--ignore-scripts", "--loglevel=error", "--no-update-notifier", &specification])
            .current_dir(work),
    )?;
    let (file, integrity) = described(&text)?;
    if integrity != version.integrity {
        bail!("its archive has the hash {integrity}, but {} is pinned", version.integrity);
    }
    process::run(Command::new("tar").args(["-xzf", &file, SCRIPT]).current_dir(work))?;
    fs::remove_file(work.join(&file)).with_context(|| format!("cannot remove {file}"))?;
    Ok(work.join(SCRIPT))
}

/// File name and hash from what `npm pack --json` wrote: one object, alone or in a list or a map by name.
fn described(text: &str) -> Result<(String, String)> {
    let value: Value = serde_json::from_str(text).context("`npm pack` wrote something that is no JSON")?;
    let archive = match &value {
        Value::Array(list) => list.first(),
        Value::Object(map) if map.contains_key("filename") => Some(&value),
        Value::Object(map) => map.values().next(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    let field = |name: &str| {
        archive
            .and_then(|archive| archive[name].as_str())
            .map(str::to_owned)
            .with_context(|| format!("`npm pack` did not tell the archive's {name}"))
    };
    Ok((field("filename")?, field("integrity")?))
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn the_archive_is_found_in_every_shape_npm_uses() {
        let expected = ("a.tgz".to_owned(), "sha512-x".to_owned());
        for text in [
            r#"[{"filename":"a.tgz","integrity":"sha512-x"}]"#,
            r#"{"filename":"a.tgz","integrity":"sha512-x"}"#,
            r#"{"botframework-webchat":{"filename":"a.tgz","integrity":"sha512-x"}}"#,
        ] {
            assert_eq!(described(text).expect(text), expected);
        }
    }

    #[test]
    fn an_archive_without_a_hash_is_refused() {
        let error = described(r#"[{"filename":"a.tgz"}]"#).expect_err("no hash");
        assert_eq!(error.to_string(), "`npm pack` did not tell the archive's integrity");
    }
}
