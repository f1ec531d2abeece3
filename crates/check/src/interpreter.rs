//! Checks interpreters: the line beside the time that names the service behind an answer.

use super::address::Scheme;
use super::code;
use super::findings::Findings;
use super::place::{Place, excerpt};
use super::plain_markup;

/// Checks one interpreter, whether it is shown or not.
pub(super) fn check(place: &Place<'_>, findings: &mut Findings) {
    if !place.is_thing("the line about who wrote the answer", findings) {
        return;
    }
    if place.some_text("slogan").is_none() && place.some_text("name").is_none() {
        findings.add_once(
            code::INTERPRETER_WITHOUT_NAME,
            &place.at,
            "Without `slogan` and `name` the status line gets an empty, invisible link. Add a `slogan`.",
        );
    }
    let shown = ["slogan", "name"].into_iter().find_map(|key| Some((key, place.some_text(key)?)));
    if let Some((key, text)) = shown.filter(|(_, text)| plain_markup::find(text).is_some()) {
        findings.add_once(
            code::INTERPRETER_MARKUP,
            &place.at.key(key),
            format!(
                "The status line shows plain text, and users see the signs of {:?}. Leave them out.",
                excerpt(text)
            ),
        );
    }
    if let Some(url) = place.some_text("url")
        && Scheme::of(url) != Scheme::Web
    {
        findings.add_once(
            code::INTERPRETER_SCHEME_UNSAFE,
            &place.at.key("url"),
            format!(
                "4.18.1 puts {:?} into a link of the status line as it stands; newer versions draw plain text. Send \
                 `http` or `https` only.",
                excerpt(url)
            ),
        );
    }
}

/// Checks which interpreter Web Chat shows. `interpreters` holds each with the index of its claim.
pub(super) fn check_shown(interpreters: &[(usize, Place<'_>)], findings: &mut Findings) {
    let Some(((first, shown), others)) = interpreters.split_first() else { return };
    if *first > 0 {
        findings.add(
            code::INTERPRETER_NOT_FIRST,
            &shown.at,
            "Only the first claim's `claimInterpreter` is shown, and the first claim has none: users do not see who \
             wrote the answer. Put it into the first claim.",
        );
    } else if let Some((_, other)) = others.iter().find(|(_, other)| other.value != shown.value) {
        findings.add(
            code::INTERPRETER_DIFFERS,
            &other.at,
            "Only the first claim's `claimInterpreter` is shown; this different one never is.",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited, cited_with, cited_without};

    #[test]
    fn interpreters_are_shown_for_the_first_claim_only_and_must_be_safe() {
        let interpreter = "/entities/0/citation/0/claimInterpreter";
        assert_finds(&cited_without(&format!("{interpreter}/slogan")), "interpreter-without-name", interpreter);
        let slogan = format!("{interpreter}/slogan");
        assert_finds(&cited_with(&slogan, json!("Surfaced with **HR**")), "interpreter-markup", &slogan);
        let url = format!("{interpreter}/url");
        assert_finds(&cited_with(&url, json!("javascript:x")), "interpreter-scheme-unsafe", &url);
        let other = "/entities/0/citation/1/claimInterpreter";
        let project = json!({"@type": "Project", "name": "Another"});
        assert_finds(&cited_with(other, project.clone()), "interpreter-differs", other);
        let mut moved = cited();
        let claims = &mut moved["entities"][0]["citation"];
        claims[0].as_object_mut().expect("a claim").remove("claimInterpreter");
        claims[1]["claimInterpreter"] = project;
        assert_finds(&moved, "interpreter-not-first", other);
    }
}
