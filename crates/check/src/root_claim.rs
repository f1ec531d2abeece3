//! Judges claims that are entities of their own, an old form. Web Chat reads one where its `@id` is the address of a definition and the
//! Message thing has no claim for it.

use std::collections::{BTreeMap, BTreeSet};

use super::address::Scheme;
use super::code;
use super::findings::Findings;
use super::markdown::Markdown;
use super::place::Place;

/// The `type` of a claim that is an entity of its own.
pub(super) const ROOT_CLAIM: &str = "https://schema.org/Claim";

/// The scheme whose definitions open the dialog of a root claim.
const DIALOG: &str = "cite:";

/// Reports the root claims of an activity. `claimed` are the labels for which the Message thing has claims. Returns the addresses that
/// open the dialog of a root claim.
pub(super) fn check<'v>(
    activity: &Place<'v>,
    markdown: &Markdown,
    claimed: &BTreeSet<String>,
    findings: &mut Findings,
) -> BTreeSet<&'v str> {
    let entities = activity.many("entities");
    let mut opened = BTreeSet::new();
    let mut defined = BTreeMap::new();
    for found in markdown.listed().filter(|found| !found.loser && !claimed.contains(&found.label)) {
        defined.entry(found.url.as_str()).or_insert(found);
    }
    for (index, claim) in entities.iter().enumerate().filter(|(_, entity)| entity.text("type") == Some(ROOT_CLAIM)) {
        let id = claim.some_text("@id").unwrap_or_default();
        match defined.get(id) {
            Some(_) if id.starts_with(DIALOG) => {
                opened.insert(id);
                deprecate(claim, findings);
            }
            Some(found) if matches!(Scheme::of(id), Scheme::Web | Scheme::Program) => findings.add(
                code::ROOT_CLAIM_DEAD,
                &claim.at,
                format!(
                    "In the list of references of 4.18.1, [{}] is a button that does nothing, because a claim that is an entity \
                     of its own has its address. Move it into `citation` of the Message thing.",
                    found.label
                ),
            ),
            // The status line takes the interpreter of the first claim, of this form too.
            None if index == 0 && claim.member("claimInterpreter").is_some() => deprecate(claim, findings),
            Some(_) | None => findings.add(
                code::CLAIM_AT_ROOT,
                &claim.at,
                "Nobody reads this claim: one that is an entity of its own is for a definition whose address is its `@id`, and that \
                 the Message thing does not describe. Move it into `citation` of the Message thing.",
            ),
        }
    }
    opened
}

fn deprecate(claim: &Place<'_>, findings: &mut Findings) {
    findings.add(
        code::ROOT_ENTITY_DEPRECATED,
        &claim.at,
        "A claim as an entity of its own is an old form, which still works with a warning in the console; main will drop it in \
         2027. Move it into `citation` of the Message thing.",
    );
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::example::found;

    fn claim(id: &str) -> Value {
        json!({"type": "https://schema.org/Claim", "@context": "https://schema.org", "@type": "Claim", "@id": id, "name": "A",
               "text": "The passage."})
    }

    fn message(text: &str, claim: &Value) -> Value {
        json!({"type": "message", "text": text, "entities": [claim]})
    }

    /// Both versions of Web Chat open the dialog of the first; the second was drawn as a dead button by 4.18.1.
    #[test]
    fn the_address_of_a_root_claim_decides_what_it_does() {
        let passage = message("a[3].\n\n[3]: cite:1 \"A\"", &claim("cite:1"));
        assert_eq!(found(&passage), [("root-entity-deprecated", "/entities/0".into())]);
        let page = message("a[3].\n\n[3]: https://a.example/ \"A\"", &claim("https://a.example/"));
        assert_eq!(found(&page), [("root-claim-dead", "/entities/0".into())]);
        let other = found(&message("a[3].\n\n[3]: cite:2 \"A\"", &claim("cite:1")));
        assert_eq!(other, [("claim-at-root", "/entities/0".into()), ("citation-unopenable", "/text".into())]);
    }

    #[test]
    fn an_interpreter_of_a_root_claim_is_drawn() {
        let mut first = claim("cite:0");
        first["claimInterpreter"] = json!({"@type": "Organization", "slogan": "Surfaced with ABC"});
        assert_eq!(found(&message("a", &first)), [("root-entity-deprecated", "/entities/0".into())]);
    }
}
