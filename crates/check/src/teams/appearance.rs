//! Checks the appearance of a claim.

use super::super::address::Scheme;
use super::super::code;
use super::super::findings::Findings;
use super::super::place::{Place, excerpt};
use super::card;
use super::label::MessageLabel;
use super::length::utf16;
use citewire_core::graph::ICONS;

const MAX_NAME: usize = 80;
const ADVISED_ABSTRACT: usize = 160;
const MAX_ABSTRACT: usize = 480;
const MAX_KEYWORDS: usize = 3;
const MAX_KEYWORD: usize = 28;

/// Checks the appearance of a claim.
pub(super) fn check(claim: &Place<'_>, label: &MessageLabel<'_>, findings: &mut Findings) {
    let appearance = claim.member("appearance");
    let has_members = |place: &Place<'_>| place.object().is_some_and(|object| !object.is_empty());
    let Some(appearance) = appearance.filter(has_members) else {
        findings.add(
            code::TEAMS_APPEARANCE_EMPTY,
            &claim.at,
            "Teams refuses a claim without `appearance`, or with an empty one, with 400: users see nothing. Give it \
             \"@type\": \"DigitalDocument\" and a `name`.",
        );
        return;
    };
    if appearance.member("@type").is_none_or(|kind| kind.value != "DigitalDocument") {
        findings.add(
            code::TEAMS_APPEARANCE_TYPE_WRONG,
            &appearance.at,
            "Teams cannot parse this citation. Write \"@type\": \"DigitalDocument\".",
        );
    }
    check_name(&appearance, findings);
    check_abstract(&appearance, findings);
    check_keywords(&appearance, findings);
    check_image(&appearance, findings);
    check_url(&appearance, findings);
    card::check(&appearance, findings);
    label.check_claim(&appearance, findings);
}

fn check_name(appearance: &Place<'_>, findings: &mut Findings) {
    let name = appearance.member("name").and_then(|name| name.value.as_str()).unwrap_or_default();
    if name.trim().is_empty() {
        findings.add(
            code::TEAMS_NAME_MISSING,
            &appearance.at,
            "Teams refuses a citation without `name` with 400, \"Error while parsing citation entity\": users see \
             nothing. Send the title, the file name, or the host.",
        );
    } else if utf16(name) > MAX_NAME {
        findings.add(
            code::TEAMS_NAME_TOO_LONG,
            &appearance.at.key("name"),
            format!("{} characters, and {MAX_NAME} is the documented limit. Cut it at a word.", utf16(name)),
        );
    }
}

fn check_abstract(appearance: &Place<'_>, findings: &mut Findings) {
    let Some(written) = appearance.member("abstract") else { return };
    let length = written.value.as_str().map(utf16);
    match length {
        Some(length) if length > MAX_ABSTRACT => findings.add(
            code::TEAMS_ABSTRACT_TOO_LONG,
            &written.at,
            format!(
                "{length} characters: above {MAX_ABSTRACT} Teams refuses the whole message with 400, and users see nothing. \
                 Cut it at a word."
            ),
        ),
        Some(length) if length > ADVISED_ABSTRACT => findings.add(
            code::TEAMS_ABSTRACT_LONG,
            &written.at,
            format!(
                "{length} characters: the documented limit is {ADVISED_ABSTRACT}. The service has taken up to \
                 {MAX_ABSTRACT}, which it may stop doing."
            ),
        ),
        Some(_) => {}
        None => findings.add(code::TEAMS_ABSTRACT_TOO_LONG, &written.at, "`abstract` must be a string of characters."),
    }
}

fn check_keywords(appearance: &Place<'_>, findings: &mut Findings) {
    let Some(written) = appearance.member("keywords") else { return };
    let keywords = appearance.many("keywords");
    if keywords.len() > MAX_KEYWORDS {
        findings.add(
            code::TEAMS_KEYWORDS_TOO_MANY,
            &written.at,
            format!("{} key words: Teams refuses a message with more than {MAX_KEYWORDS} on a claim.", keywords.len()),
        );
    }
    for keyword in keywords {
        if keyword.value.as_str().is_none_or(|word| utf16(word) > MAX_KEYWORD) {
            findings.add(
                code::TEAMS_KEYWORD_TOO_LONG,
                &keyword.at,
                format!("A key word is a text of at most {MAX_KEYWORD} characters; Teams refuses others."),
            );
        }
    }
}

fn check_image(appearance: &Place<'_>, findings: &mut Findings) {
    let Some(image) = appearance.member("image") else { return };
    let typed = image.member("@type").is_some_and(|kind| kind.value == "ImageObject");
    let known = image.member("name").is_some_and(|name| ICONS.iter().any(|icon| name.value == *icon));
    if !(typed && known) {
        findings.add(
            code::TEAMS_ICON_UNKNOWN,
            &image.at,
            "An icon is {\"@type\": \"ImageObject\", \"name\": …} with a name from Teams' list, such as \"PDF\" or \
             \"Microsoft Word\"; users see none of this one, and the message may be refused.",
        );
    }
}

fn check_url(appearance: &Place<'_>, findings: &mut Findings) {
    let Some(url) = appearance.member("url") else { return };
    let address = url.value.as_str().unwrap_or_default();
    let is_web = ["http://", "https://"]
        .iter()
        .any(|scheme| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    if !is_web || Scheme::of(address) == Scheme::Dangerous {
        findings.add(
            code::TEAMS_URL_NOT_WEB,
            &url.at,
            format!(
                "{:?} is no absolute http(s) address, so the title leads nowhere. Leave `url` out.",
                excerpt(address)
            ),
        );
    }
}
