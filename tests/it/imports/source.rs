//! The imports of one file, read from its text.
//!
//! A module within a file counts as a part of it, and `super` in it as that of the file.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Source {
    /// The modules that it declares in files of their own.
    pub(super) children: BTreeSet<String>,
    /// Each name that a `use` brings in, and the path it stands for.
    pub(super) uses: BTreeMap<String, Vec<String>>,
    /// The paths that the code names otherwise.
    pub(super) paths: BTreeSet<Vec<String>>,
}

/// Reads a file without its comments, strings and tests.
pub(super) fn read(text: &str) -> Source {
    let tokens = without_tests(&tokens(text));
    let mut source = Source::default();
    let mut rest = tokens.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        rest = match (*first, behind) {
            ("use", _) => {
                let end = behind.iter().position(|token| *token == ";").unwrap_or(behind.len());
                used(&mut behind[..end].iter(), &[], &mut source.uses);
                &behind[end..]
            }
            ("mod", [name, ";", ..]) => {
                source.children.insert((*name).to_owned());
                &behind[1..]
            }
            (name, _) if is_name(name) => {
                let mut path = vec![name.to_owned()];
                let mut behind = behind;
                while let ["::", name, rest @ ..] = behind
                    && is_name(name)
                {
                    path.push((*name).to_owned());
                    behind = rest;
                }
                source.paths.insert(path);
                behind
            }
            _ => behind,
        };
    }
    source
}

/// Reads what stands behind `use`, up to its end or that of a brace.
fn used<'a>(
    tokens: &mut impl Iterator<Item = &'a &'a str>,
    prefix: &[String],
    found: &mut BTreeMap<String, Vec<String>>,
) {
    let mut path = prefix.to_vec();
    let mut renamed = None;
    loop {
        let token = tokens.next().copied().unwrap_or("}");
        match token {
            "::" => {}
            "{" => {
                used(tokens, &path, found);
                path.clear();
            }
            "as" => renamed = tokens.next().copied(),
            "," | "}" => {
                if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                    path.pop();
                }
                if path.len() >= prefix.len().max(1)
                    && let Some(name) = renamed.or(path.last().map(String::as_str))
                {
                    found.insert(name.to_owned(), path.clone());
                }
                if token == "}" {
                    return;
                }
                (path, renamed) = (prefix.to_vec(), None);
            }
            name => path.push(name.to_owned()),
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Leaves out each item behind `#[cfg(test)]`, up to its `;` or the end of its braces.
fn without_tests<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut rest = tokens;
    while let Some((first, behind)) = rest.split_first() {
        rest = if let ["#", "[", "cfg", "(", "test", ")", "]", item @ ..] = rest {
            let mut depth = 0;
            let end = item.iter().position(|token| {
                depth += i32::from(["{", "(", "["].contains(token)) - i32::from(["}", ")", "]"].contains(token));
                depth == 0 && [";", "}"].contains(token)
            });
            end.map_or(&[], |end| &item[end + 1..])
        } else {
            kept.push(*first);
            behind
        };
    }
    kept
}

/// Cuts a text into names, `::` and single characters, and leaves out comments and strings.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = literal(rest) {
            length
        } else {
            let end = |part: &str| part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
            let length = if rest.starts_with("::") { 2 } else { end(rest).max(first.len_utf8()) };
            if !first.is_whitespace() {
                tokens.push(&rest[..length]);
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the string or character with which a text begins, in bytes.
fn literal(text: &str) -> Option<usize> {
    let raw = text.strip_prefix("br").or(text.strip_prefix('r'));
    let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
    if raw.is_some_and(|raw| raw[hashes..].starts_with('"')) {
        let begin = text.find('"')? + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        return text[begin..].find(&end).map(|length| begin + length + end.len());
    }
    let quote = text.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let mut escaped = false;
    let end = text[1..].find(|c: char| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    // A quote with more than one character behind it is a lifetime.
    let is_lifetime = quote == '\'' && !text.starts_with("'\\") && text[1..=end].chars().count() != 1;
    (!is_lifetime).then_some(end + 2)
}
