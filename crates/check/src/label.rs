//! Checks sensitivity labels: the nodes behind `usageInfo`.

use super::code;
use super::color::Color;
use super::findings::Findings;
use super::place::{Place, excerpt};

/// The keyword for which Web Chat draws a lock.
const LOCK: &str = "encrypted-content";

/// The letters of keywords that were meant for it. The second was Web Chat's keyword before.
const MEANS_LOCK: [&str; 4] = ["encryptedcontent", "hasencryption", "encrypted", "isencrypted"];

/// Checks one label at the place of its description. Reports each place once, even if several nodes refer to it.
pub(super) fn check(label: &Place<'_>, findings: &mut Findings) {
    if let Some(id) = label.value.get("@id").and_then(|id| id.as_str())
        && !id.starts_with("_:")
        && label.object().is_some_and(|object| object.keys().all(|key| key.starts_with('@')))
    {
        findings.add_once(
            code::LABEL_ID_NOT_BLANK,
            &label.at.key("@id"),
            format!(
                "{id:?} is never looked up, so users see no label, and there is no error. Blank nodes start with `_:`, \
                 at the reference and at the description."
            ),
        );
        return;
    }
    if !label.is_thing("the sensitivity label", findings) {
        return;
    }
    if label.some_text("name").is_none() {
        findings.add_once(
            code::LABEL_NAME_MISSING,
            &label.at,
            "The label has no `name`: users see a bare shield beside the message, or nothing beside a source. Add it.",
        );
    }
    check_lock(label, findings);
    if let Some(pattern) = label.one("pattern") {
        check_pattern(&pattern, findings);
    }
}

fn check_lock(label: &Place<'_>, findings: &mut Findings) {
    let mut keywords = Vec::new();
    for keyword in label.many("keywords") {
        keywords.extend(keyword.value.as_str().or_else(|| keyword.text("name")));
    }
    let means_lock = |keyword: &&str| {
        let letters: String = keyword.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
        MEANS_LOCK.contains(&letters.as_str())
    };
    if keywords.iter().any(means_lock) && !keywords.contains(&LOCK) {
        findings.add_once(
            code::LABEL_LOCK_MISSING,
            &label.at.key("keywords"),
            format!("No version studied draws the lock for these keywords. Add {LOCK:?} beside them."),
        );
    }
}

fn check_pattern(pattern: &Place<'_>, findings: &mut Findings) {
    if !pattern.is_thing("the colour of the label", findings) {
        return;
    }
    let set = "https://www.w3.org/TR/css-color-4/";
    let wrong = if pattern.text("inDefinedTermSet") != Some(set) {
        Some(("inDefinedTermSet", set))
    } else if pattern.text("name") != Some("color") {
        Some(("name", "color"))
    } else {
        None
    };
    if let Some((key, value)) = wrong {
        findings.add_once(
            code::LABEL_PATTERN_INVALID,
            &pattern.at,
            format!("The shield is drawn without colour, as an outline: `{key}` is not exactly {value:?}."),
        );
    }
    let Some(color) = pattern.text("termCode") else {
        findings.add_once(
            code::LABEL_PATTERN_INVALID,
            &pattern.at,
            "The shield is drawn without colour, as an outline: there is no string `termCode`.",
        );
        return;
    };
    match Color::of(color) {
        Color::Plain => {}
        Color::Dangerous => findings.add_once(
            code::LABEL_COLOR_DANGEROUS,
            &pattern.at.key("termCode"),
            format!(
                "{:?} is copied unchecked into the drawing of the shield: it can make every reader's browser fetch an \
                 address. Send a colour of CSS Color 4, such as \"orange\" or \"#ffa500\".",
                excerpt(color)
            ),
        ),
        Color::Unknown => findings.add_once(
            code::LABEL_COLOR_UNKNOWN,
            &pattern.at.key("termCode"),
            format!(
                "{:?} is no colour of CSS Color 4; browsers may draw the shield black or not at all.",
                excerpt(color)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited_with, cited_without};

    const LABEL: &str = "/entities/0/citation/0/appearance/usageInfo";

    #[test]
    fn labels_need_a_name_and_a_blank_node() {
        assert_finds(&cited_without(&format!("{LABEL}/name")), "label-name-missing", LABEL);
        let message = "/entities/0/usageInfo";
        assert_finds(&cited_with(message, json!({"@id": "s1"})), "label-id-not-blank", "/entities/0/usageInfo/@id");
        assert_finds(&cited_with(message, json!({"@id": "_:s2"})), "label-dangling", message);
        assert_finds(&cited_with(message, json!("_:s1")), "nested-not-object", message);
    }

    #[test]
    fn the_lock_needs_its_own_keyword() {
        let keywords = format!("{LABEL}/keywords");
        for odd in [
            json!("HasEncryption"),
            json!("EncryptedContent"),
            json!(["Encrypted-Content"]),
            json!([{"name": "EncryptedContent"}]),
        ] {
            assert_finds(&cited_with(&keywords, odd), "label-lock-missing", &keywords);
        }
    }

    #[test]
    fn patterns_are_read_exactly() {
        let pattern = format!("{LABEL}/pattern");
        let set = format!("{pattern}/inDefinedTermSet");
        assert_finds(&cited_with(&set, json!("https://www.w3.org/TR/css-color-4")), "label-pattern-invalid", &pattern);
        assert_finds(&cited_with(&format!("{pattern}/name"), json!("Color")), "label-pattern-invalid", &pattern);
        assert_finds(&cited_without(&format!("{pattern}/termCode")), "label-pattern-invalid", &pattern);
        assert_finds(&cited_without(&format!("{pattern}/@type")), "nested-type-missing", &pattern);
    }

    #[test]
    fn colours_come_from_a_safe_list() {
        let color = format!("{LABEL}/pattern/termCode");
        assert_finds(&cited_with(&color, json!("url(https://docs.example/)")), "label-color-dangerous", &color);
        assert_finds(&cited_with(&color, json!("banana")), "label-color-unknown", &color);
    }
}
