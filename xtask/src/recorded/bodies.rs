//! The bodies in a folder, and the formats that their names tell.

use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// How the name of a body ends.
pub(super) const EXTENSIONS: [&str; 4] = ["json", "jsonl", "ndjson", "sse"];

/// The name of the file of expectations, directly in the folder: it is no body.
pub(super) const EXPECTATIONS: &str = "expected.json";

/// One body.
pub(super) struct Body {
    pub(super) path: PathBuf,
    /// Its path below the folder, with `/`.
    pub(super) name: String,
}

/// The contents of a folder.
pub(super) struct Found {
    /// Sorted by name.
    pub(super) bodies: Vec<Body>,
    /// How many files are no bodies by their names.
    pub(super) others: usize,
}

/// Finds the bodies in a folder and in the folders below it; hidden ones are left out.
pub(super) fn find(folder: &Path) -> Result<Found> {
    if !folder.is_dir() {
        bail!("{} is a file: give the folder that it is in", folder.display());
    }
    let mut found = Found { bodies: Vec::new(), others: 0 };
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("{} cannot be read", next.display()))? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // A link to a folder is not followed, so that no circle of links is endless.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                let name = name(folder, &path);
                if name == EXPECTATIONS {
                    continue;
                }
                if is_body(&path) { found.bodies.push(Body { path, name }) } else { found.others += 1 }
            }
        }
    }
    if found.bodies.is_empty() {
        bail!("{} holds no bodies: their names end in .{}", folder.display(), EXTENSIONS.join(", ."));
    }
    found.bodies.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn name(folder: &Path, file: &Path) -> String {
    let parts = file.strip_prefix(folder).unwrap_or(file).components();
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

fn is_body(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// The format that a name tells: that of the innermost folder that is called like one (`cohere/a.json`), else the one that
/// the file's own name begins with (`cohere-2.json`).
pub(super) fn format_in<'a>(name: &str, formats: &'a [String]) -> Option<&'a str> {
    let (folders, file) = name.rsplit_once('/').unwrap_or(("", name));
    let folder = folders.rsplit('/').find_map(|folder| formats.iter().find(|format| *format == folder));
    let told = |format: &&String| {
        let rest = file.strip_prefix(format.as_str());
        rest.is_some_and(|rest| rest.starts_with(['-', '.', '_', ' ']))
    };
    // The longest one: `perplexity-agent.json` is no answer of `perplexity`.
    folder.or_else(|| formats.iter().filter(told).max_by_key(|format| format.len())).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str) -> Option<String> {
        let formats = ["gemini", "gemini-interactions", "openai-chat"].map(str::to_owned);
        format_in(name, &formats).map(str::to_owned)
    }

    #[test]
    fn a_folder_or_the_name_of_a_file_tells_the_format() {
        assert_eq!(told("gemini/plain.json").as_deref(), Some("gemini"));
        assert_eq!(told("gemini.json").as_deref(), Some("gemini"));
        assert_eq!(told("2026/openai-chat/with blanks/a.sse").as_deref(), Some("openai-chat"));
        assert_eq!(told("openai-chat/2026/gemini-2.json").as_deref(), Some("openai-chat"));
        assert_eq!(told("gemini/openai-chat/a.json").as_deref(), Some("openai-chat"));
        assert_eq!(told("geminis/plain.json"), None);
        assert_eq!(told("plain.json"), None);
    }

    #[test]
    fn the_longest_format_counts() {
        assert_eq!(told("gemini-interactions/a.json").as_deref(), Some("gemini-interactions"));
        assert_eq!(told("gemini-interactions-2.json").as_deref(), Some("gemini-interactions"));
    }

    #[test]
    fn bodies_are_found_in_folders_below_and_told_from_other_files() {
        let folder = std::env::temp_dir().join(format!("xtask-recorded-{}", std::process::id()));
        fs::create_dir_all(folder.join("cohere/.hidden")).unwrap();
        for file in ["expected.json", "b.SSE", "cohere/a.json", "cohere/notes.txt", "cohere/.hidden/c.json"] {
            fs::write(folder.join(file), "{}").unwrap();
        }
        let found = find(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let names: Vec<&str> = found.bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["b.SSE", "cohere/a.json"]);
        assert_eq!(found.others, 1);
    }
}
