//! Mends the definitions of a text, and the claims that they belong to.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::entity::percent_encoded;
use super::pointers::{activity, claim, claims, position};
use crate::address::{Scheme, first_odd_character, has_balanced_parentheses, is_same};
use crate::claim::is_card;
use crate::definition::Definition;
use crate::finding::Finding;
use crate::link_label::is_number;
use crate::markdown::Markdown;

/// Mends `finding`, and tells the change.
pub(super) fn mend(document: &mut Value, finding: &Finding) -> Option<String> {
    let owner = activity(&finding.pointer).to_owned();
    let activity = document.pointer_mut(&owner)?;
    match finding.code {
        "definition-literal" => rewritten(activity, blank_line, "put a blank line before the definitions"),
        "definition-malformed" => rewritten(activity, well_formed, "escaped title and address of a definition"),
        "definition-nested" => rewritten(activity, moved, "moved a definition to the end"),
        "definition-duplicate-label" => rewritten(activity, once, "removed the repetition of a definition"),
        "definitions-out-of-order" => rewritten(activity, sorted, "sorted the definitions by number"),
        "definition-url-characters" => readdressed(activity, plain_address, "encoded the address of a source"),
        "definition-duplicate-url" => readdressed(activity, with_fragment, "gave an address a fragment of its own"),
        "definition-duplicate-passage" => readdressed(activity, own_passage, "gave a passage an address of its own"),
        "url-differs" => {
            let url = finding.pointer.strip_prefix(owner.as_str())?.to_owned();
            same_address(activity, &url)
        }
        "claim-without-definition" => {
            let claim = claim(&finding.pointer)?.strip_prefix(owner.as_str())?.to_owned();
            defined(activity, &claim)
        }
        _ => None,
    }
}

/// Rewrites the text with a remedy. A text with fewer definitions than before is not taken.
fn rewritten(activity: &mut Value, remedy: fn(&str, &Markdown) -> Option<String>, told: &str) -> Option<String> {
    let before = activity.get("text")?.as_str()?.to_owned();
    let text = remedy(&before, &Markdown::read(&before))?;
    let count = |text: &str| {
        let found = Markdown::read(text).definitions;
        found.iter().filter(|definition| !definition.loser).count()
    };
    (count(&text) >= count(&before)).then(|| activity["text"] = json!(text))?;
    Some(told.to_owned())
}

fn blank_line(text: &str, markdown: &Markdown) -> Option<String> {
    let attempt = markdown.attempts.iter().find(|attempt| attempt.continued)?;
    let start = attempt.start;
    let rewritten = if attempt.behind {
        format!("{}\n\n{}", text[..start].trim_end(), &text[start..])
    } else {
        let line = text[..start].rfind('\n')? + 1;
        format!("{}\n{}", &text[..line], &text[line..])
    };
    let defined = |text: &str| Markdown::read(text).definitions.len();
    (defined(&rewritten) > defined(text)).then_some(rewritten)
}

fn well_formed(text: &str, markdown: &Markdown) -> Option<String> {
    let start = markdown.attempts.iter().find(|attempt| !attempt.continued)?.start;
    let line = text.get(start..)?.lines().next()?;
    let (label, rest) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    let rest = rest.trim();
    let (address, title) = match (rest.find(" \""), rest.ends_with('"')) {
        (Some(at), true) if at + 2 < rest.len() => (&rest[..at], Some(&rest[at + 2..rest.len() - 1])),
        // The blanks of `https://a.example/ A title` do not tell where the address ends.
        _ if rest.contains(char::is_whitespace) && !(rest.starts_with('<') && rest.ends_with('>')) => return None,
        _ => (rest, None),
    };
    let title = title.map(|title| title.replace("\\\"", "\""));
    let written = written(label, &plain(address.trim().trim_matches(['<', '>']))?, title.as_deref());
    let rewritten = format!("{}{written}{}", &text[..start], &text[start + line.len()..]);
    let defined = |text: &str| Markdown::read(text).definitions.len();
    (defined(&rewritten) > defined(text)).then_some(rewritten)
}

fn moved(text: &str, markdown: &Markdown) -> Option<String> {
    let definition = markdown.definitions.iter().find(|found| found.nested && is_number(&found.label))?;
    let rest = without_item(text, &definition.span);
    let line = written(&definition.written, &definition.url, definition.title.as_deref());
    let rewritten = appended(&rest, &line);
    let is_listed = Markdown::read(&rewritten).listed().any(|found| found.label == definition.label);
    is_listed.then_some(rewritten)
}

/// Removes a repetition that says the same as the definition that wins.
fn once(text: &str, markdown: &Markdown) -> Option<String> {
    let wins = |loser: &Definition| {
        let winner = markdown.definitions.iter().find(|found| !found.loser && found.label == loser.label);
        winner.is_some_and(|winner| winner.url == loser.url && (loser.title.is_none() || winner.title == loser.title))
    };
    let loser = markdown.definitions.iter().find(|found| found.loser && wins(found))?;
    Some(without(text, &loser.span))
}

fn sorted(text: &str, markdown: &Markdown) -> Option<String> {
    let mut found: Vec<&Definition> =
        markdown.listed().filter(|found| !found.loser && is_number(&found.label)).collect();
    let spans: Vec<Range<usize>> = found.iter().map(|definition| definition.span.clone()).collect();
    found.sort_by_key(|definition| definition.label.parse::<u32>().unwrap_or(u32::MAX));
    let mut rewritten = text.to_owned();
    for (span, definition) in spans.iter().zip(found).rev() {
        rewritten.replace_range(span.clone(), text.get(definition.span.clone())?);
    }
    Some(rewritten)
}

/// Gives a definition and the claims with its address another one.
fn readdressed(
    activity: &mut Value,
    address: fn(&Markdown) -> Option<(Definition, String)>,
    told: &str,
) -> Option<String> {
    let text = activity.get("text")?.as_str()?.to_owned();
    let (definition, address) = address(&Markdown::read(&text))?;
    let line = written(&definition.written, &address, definition.title.as_deref());
    let mut rewritten = text.clone();
    rewritten.replace_range(definition.span.clone(), &line);
    let is_read = Markdown::read(&rewritten).definitions.iter().any(|found| found.url == address);
    is_read.then(|| activity["text"] = json!(rewritten))?;
    let is_described = |claim: &&mut Map<String, Value>| position(claim).as_deref() == Some(definition.label.as_str());
    for claim in claims(activity).into_iter().filter(is_described) {
        let appearance = claim.get_mut("appearance").and_then(Value::as_object_mut);
        let url = appearance.and_then(|appearance| appearance.get_mut("url"));
        let is_same = |url: &&mut Value| {
            url.as_str().is_some_and(|url| url == definition.url || plain(url).as_ref() == Some(&address))
        };
        if let Some(url) = url.filter(is_same) {
            *url = json!(address);
        }
        if let Some(id) = claim.get_mut("@id").filter(|id| **id == definition.url) {
            *id = json!(address);
        }
    }
    Some(told.to_owned())
}

fn plain_address(markdown: &Markdown) -> Option<(Definition, String)> {
    let is_odd =
        |found: &&Definition| Scheme::of(&found.url) != Scheme::Dangerous && first_odd_character(&found.url).is_some();
    let definition = markdown.definitions.iter().find(is_odd)?;
    Some((definition.clone(), plain(&definition.url)?))
}

/// Writes the address of a claim like that of its definition, if both are one address in two spellings.
fn same_address(activity: &mut Value, at: &str) -> Option<String> {
    let label = position(activity.pointer(claim(at)?)?.as_object()?)?;
    let text = activity.get("text")?.as_str()?;
    let definitions = Markdown::read(text).definitions;
    let definition = definitions.into_iter().find(|found| !found.loser && found.label == label)?;
    let url = activity.pointer_mut(at)?;
    let without_parentheses = |url: &str| Some(plain(url)?.replace('(', "%28").replace(')', "%29"));
    let is_same = without_parentheses(url.as_str()?)? == without_parentheses(&definition.url)?;
    is_same.then(|| *url = json!(definition.url))?;
    Some("wrote the address like that of the definition".into())
}

/// An address with the signs that all Markdown engines of Web Chat read alike.
fn plain(address: &str) -> Option<String> {
    let address = match Scheme::of(address) {
        Scheme::Web => url::Url::parse(&percent_encoded(address)).ok()?.to_string(),
        Scheme::Dangerous => return None,
        Scheme::Program | Scheme::Dialog => percent_encoded(address),
    };
    let balanced = has_balanced_parentheses(&address);
    let mut plain = String::with_capacity(address.len());
    for (index, c) in address.char_indices() {
        let is_odd = match c {
            '(' | ')' => !balanced,
            '%' => first_odd_character(address.get(index..index + 3).unwrap_or("%")).is_some(),
            c => first_odd_character(c.encode_utf8(&mut [0; 4])).is_some(),
        };
        if is_odd {
            c.to_string().bytes().for_each(|byte| plain.push_str(&format!("%{byte:02X}")));
        } else {
            plain.push(c);
        }
    }
    Some(plain)
}

/// The second of two definitions with one address.
fn second(markdown: &Markdown) -> Option<&Definition> {
    let listed: Vec<_> = markdown.listed().filter(|found| !found.loser).collect();
    let is_second =
        |(index, found): &(usize, &&Definition)| listed[..*index].iter().any(|first| first.url == found.url);
    listed.iter().enumerate().find(is_second).map(|(_, found)| *found)
}

fn with_fragment(markdown: &Markdown) -> Option<(Definition, String)> {
    let definition = second(markdown).filter(|found| Scheme::of(&found.url) == Scheme::Web)?;
    let address = format!("{}#{}", definition.url, definition.label);
    let is_free = !definition.url.contains('#') && is_number(&definition.label);
    (is_free && markdown.definitions.iter().all(|found| found.url != address)).then(|| (definition.clone(), address))
}

fn own_passage(markdown: &Markdown) -> Option<(Definition, String)> {
    let definition = second(markdown).filter(|found| Scheme::of(&found.url) == Scheme::Dialog)?;
    let address = format!("cite:{}", definition.label);
    let is_free = is_number(&definition.label) && markdown.definitions.iter().all(|found| found.url != address);
    is_free.then(|| (definition.clone(), address))
}

/// Appends the definition of a claim that has none.
fn defined(activity: &mut Value, claim: &str) -> Option<String> {
    let from_zero = claims(activity).iter().any(|claim| position(claim).is_some_and(|label| label.trim() == "0"));
    let claim = activity.pointer(claim)?.as_object()?;
    let label = position(claim).filter(|label| is_number(label))?;
    let appearance = claim.get("appearance")?;
    let address = match appearance.get("url").and_then(Value::as_str) {
        Some(url) if Scheme::of(url) == Scheme::Web => url.to_owned(),
        Some(_) => return None,
        None => {
            appearance.get("text")?.as_str().filter(|text| !text.trim().is_empty() && !is_card(text))?;
            format!("cite:{label}")
        }
    };
    let title = claim.get("name").or(appearance.get("name")).and_then(Value::as_str).filter(|title| !title.is_empty());
    let written_text = activity.get("text")?.as_str()?;
    // Where another number has the address already, claims and text count differently.
    let is_known = |found: &Definition| is_same(&found.url, &address);
    let markdown = Markdown::read(written_text);
    if markdown.definitions.iter().any(is_known) || from_zero && !cites_zero(&markdown) {
        return None;
    }
    let text = &without_listing(written_text, &markdown, &label, &address, title)?;
    let rewritten = appended(text, &written(&label, &address, title));
    let before = markdown.definitions.len();
    let after = Markdown::read(&rewritten);
    let is_listed = after.listed().any(|found| found.label == label && found.url == address);
    (is_listed && after.definitions.len() == before + 1).then(|| activity["text"] = json!(rewritten))?;
    Some(format!("defined [{label}] as its claim says"))
}

/// Whether a text has the marker `[0]`: claims that count from 0 beside others belong to markers that count from 1.
fn cites_zero(markdown: &Markdown) -> bool {
    markdown.loose.iter().any(|loose| loose.label == "0") || markdown.links.iter().any(|link| link.label == "0")
}

/// The text without the lines that list a source as text, such as `[1] https://a.example/`; `None` if one says something else.
fn without_listing(text: &str, markdown: &Markdown, label: &str, address: &str, title: Option<&str>) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_code = markdown.code.iter().any(|code| code.contains(&start));
        start += line.len();
        match listed(line, label).filter(|_| !is_code) {
            None => kept.push_str(line),
            Some(entry) => {
                let (written, rest) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
                let rest = rest.trim().trim_matches(['"', '\'', '(', ')']);
                let says_same = written.trim_matches(['<', '>']) == address && (rest.is_empty() || title == Some(rest));
                says_same.then_some(())?;
            }
        }
    }
    Some(kept)
}

/// The address and the title behind `[label]` in a line of a list of sources; `None` for a line without label or address.
fn listed<'l>(line: &'l str, label: &str) -> Option<&'l str> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-*>".contains(c));
    let rest = line.strip_prefix('[')?.strip_prefix(label)?.strip_prefix(']')?;
    Some(rest.trim_start_matches(':').trim()).filter(|rest| rest.contains("://"))
}

/// A definition on one line.
fn written(label: &str, address: &str, title: Option<&str>) -> String {
    let Some(title) = title else { return format!("[{label}]: {address}") };
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = title.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{label}]: {address} \"{title}\"")
}

fn appended(text: &str, definition: &str) -> String {
    let text = text.trim_end();
    let ends_in_definition = Markdown::read(text).listed().any(|found| found.span.end == text.len());
    format!("{text}{}{definition}\n", if ends_in_definition { "\n" } else { "\n\n" })
}

/// The text without a definition and the signs of its list or quote, when nothing else stands on the line.
fn without_item(text: &str, span: &Range<usize>) -> String {
    let line = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let signs = &text[line..span.start];
    let is_sign = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+>.)".contains(c);
    let is_alone = text[span.end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
    let start = if signs.chars().all(is_sign) && is_alone { line } else { span.start };
    without(text, &(start..span.end))
}

/// The text without a definition, and without its line when nothing else stands on it.
pub(super) fn without(text: &str, span: &Range<usize>) -> String {
    let before = &text[..span.start];
    let after = &text[span.end..];
    let is_own_line = before.is_empty() || before.ends_with('\n');
    let after = if is_own_line { after.strip_prefix('\n').unwrap_or(after) } else { after };
    format!("{before}{after}")
}
