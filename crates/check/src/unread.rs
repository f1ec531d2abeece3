//! Gathers the claims that Web Chat does not read: those that it drops, and those of a Message thing that it ignores. Their sources
//! are lost as well, unless the text defines them.

use serde_json::Value;

use super::blank_nodes::BlankNodes;
use super::claim;
use super::findings::Findings;
use super::lost_claim::Unread;
use super::message::{is_message_type, is_read};
use super::misplaced::{has_parts, is_claim};
use super::place::Place;
use super::terms;
use super::wrapped;

/// Checks the claims of the Message things that are not the one which is read, so that no finding waits until they are.
pub(super) fn gather<'v>(entities: &[Place<'v>], nodes: &BlankNodes<'v>, findings: &mut Findings) -> Vec<Unread> {
    let ours = entities.iter().position(|entity| is_read(entity.value));
    let mut unread = Vec::new();
    for entity in entities.iter().filter(|entity| is_meant(entity.value)) {
        for key in entity.object().into_iter().flat_map(|object| object.keys()).filter(|key| means_citation(key)) {
            let claims = entity.many(key);
            unread.extend(
                claims.iter().filter(|claim| is_claim(claim.value)).map(|claim| Unread::of(claim.value, &claim.at)),
            );
        }
    }
    for (index, entity) in entities.iter().enumerate().filter(|(index, _)| Some(*index) != ours) {
        if is_meant(entity.value) {
            let claims = claim::check(entity, nodes, findings);
            unread.extend(claims.read.into_iter().map(|claim| {
                let url = claim.appearance.and_then(|appearance| appearance.url).map(ToOwned::to_owned);
                Unread { at: claim.at, position: claim.position, url }
            }));
            unread.extend(claims.dropped);
        }
        for thing in wrapped::unwrapped(entity.value).into_iter().flatten().filter(is_meant) {
            let of_one = |claim: &Value| Unread::of(claim, &entities[index].at);
            match thing.get("citation") {
                Some(Value::Array(claims)) => unread.extend(claims.iter().map(of_one)),
                claim => unread.extend(claim.map(of_one)),
            }
        }
    }
    unread
}

/// Whether a member is a misspelt `citation`.
fn means_citation(key: &str) -> bool {
    !terms::is_known(key) && terms::meant(key) == Some("citation")
}

/// Whether an entity is a Message thing, however it is written.
fn is_meant(entity: &Value) -> bool {
    let is_named = |key: &str| entity.get(key).and_then(Value::as_str).is_some_and(is_message_type);
    is_named("type") || is_named("@type") || has_parts(entity)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited, cited_without, found};

    /// Once, the check told of the Message only, and of its lost sources after it was mended.
    #[test]
    fn the_sources_of_a_message_that_is_not_read_are_told_at_once() {
        for lost in ["/entities/0/@id", "/entities/0/type", "/entities/0/@type"] {
            let mut document = cited_without(lost);
            document["text"] = json!("Keep it[1]\u{200b}[2].");
            let codes: Vec<_> = found(&document).into_iter().map(|(code, _)| code).collect();
            for code in ["claim-without-definition", "marker-without-definition"] {
                assert_eq!(codes.iter().filter(|found| **found == code).count(), 2, "{lost} {codes:?}");
            }
        }
        let mut wrapped = cited();
        wrapped["text"] = json!("Keep it[1]\u{200b}[2].");
        wrapped["entities"] = json!([wrapped["entities"][0].to_string()]);
        assert_finds(&wrapped, "claim-without-definition", "/entities/0");
    }

    /// Once, an error came to light after the first mend.
    #[test]
    fn a_claim_without_a_position_or_under_another_name_is_one() {
        for lost in ["/entities/0/@id", "/entities/0/@type"] {
            let mut document = cited_without(lost);
            document["text"] = json!("Keep it[1].");
            for claim in document["entities"][0]["citation"].as_array_mut().expect("claims") {
                claim.as_object_mut().expect("a claim").remove("position");
            }
            assert_finds(&document, "marker-without-definition", "/text");
        }
        for name in ["citatio", "citations", "sources"] {
            let mut document = cited();
            document["text"] = json!("Keep it[1].");
            document["entities"][0][name] = document["entities"][0]["citation"].take();
            assert_finds(&document, "marker-without-definition", "/text");
            assert_finds(&document, "claim-without-definition", &format!("/entities/0/{name}/1"));
        }
    }

    #[test]
    fn the_faults_of_its_claims_are_told_as_well() {
        let mut active = cited_without("/entities/0/@id");
        let text = "/entities/0/citation/1/appearance/text";
        *active.pointer_mut(text).expect("a text") = json!("<div>x</div>");
        assert_finds(&active, "passage-active", text);
    }

    #[test]
    fn a_dropped_claim_is_told_where_the_text_does_not_define_it() {
        let mut dropped = cited_without("/entities/0/citation/1/@type");
        assert!(found(&dropped).iter().all(|(code, _)| *code != "claim-without-definition"));
        dropped["text"] = json!("Keep it[1]\u{200b}[2].\n\n[1]: https://docs.example/1 \"One\"");
        assert_finds(&dropped, "claim-without-definition", "/entities/0/citation/1");
    }

    #[test]
    fn a_message_whose_definitions_stand_has_no_lost_sources() {
        assert_eq!(found(&cited_without("/entities/0/@id")), [("message-id-missing", "/entities/0".to_owned())]);
    }
}
