//! Checks definitions: their addresses, repetitions and order in Web Chat's reference list.

use std::collections::BTreeMap;

use super::address::{Scheme, first_odd_character};
use super::code;
use super::definition::Definition;
use super::findings::Findings;
use super::markdown::Markdown;
use super::place::excerpt;
use super::pointer::Pointer;

/// Checks the definitions of a text, including repetitions without effect.
pub(super) fn check(markdown: &Markdown, at: &Pointer, findings: &mut Findings) {
    let winners: BTreeMap<&str, &Definition> =
        markdown.definitions.iter().filter(|found| !found.loser).map(|found| (found.label.as_str(), found)).collect();
    let mut by_url: BTreeMap<&str, &Definition> = BTreeMap::new();
    let mut last_number = 0;
    let mut in_order = true;
    for definition in &markdown.definitions {
        check_address(definition, at, findings);
        if definition.nested && !is_number(&definition.label) {
            // It serves a link of the text and not a source, so the reference list need not show it.
            continue;
        }
        if definition.nested {
            findings.add(
                code::DEFINITION_NESTED,
                at,
                format!(
                    "The definition of [{}] (byte {}) stands inside a list or quote: its links work, but are no \
                     badges, and the reference list lacks it. Move it to the end, after a blank line.",
                    definition.written, definition.span.start
                ),
            );
            continue;
        }
        if definition.loser {
            if let Some(winner) = winners.get(definition.label.as_str()) {
                check_loser(definition, winner, at, findings);
            }
            continue;
        }
        if let Ok(number) = definition.label.parse::<u32>() {
            in_order &= number >= last_number;
            last_number = number;
        }
        if let Some(first) = by_url.get(definition.url.as_str()) {
            check_duplicate(first, definition, at, findings);
        } else {
            by_url.insert(&definition.url, definition);
        }
    }
    if !in_order {
        findings.add(
            code::DEFINITIONS_OUT_OF_ORDER,
            at,
            "The reference list shows the sources in the order of the definitions. Sort them by number.",
        );
    }
}

fn check_address(definition: &Definition, at: &Pointer, findings: &mut Findings) {
    let (label, url) = (&definition.written, &definition.url);
    if label.starts_with('^') {
        findings.add(
            code::DEFINITION_LABEL_CARET,
            at,
            format!("[{label}] is a footnote in newer versions and breaks the message there. Use bare numbers."),
        );
    }
    match Scheme::of(url) {
        Scheme::Dangerous => {
            findings.add(
                code::DEFINITION_SCHEME_UNSAFE,
                at,
                format!(
                    "The definition of [{label}] leads to {:?}: users see the marker and the definition as raw text, and \
                     the reference list of 4.18.1 carries it as a live link. Send `http` or `https` only.",
                    excerpt(url)
                ),
            );
            return;
        }
        Scheme::Program => findings.add(
            code::DEFINITION_SCHEME_UNUSUAL,
            at,
            format!("Pressing [{label}] opens another program for {:?}.", excerpt(url)),
        ),
        Scheme::Web => {
            if let Err(error) = url::Url::parse(url) {
                findings.add(
                    code::IRI_INVALID,
                    at,
                    format!("[{label}] leads nowhere: {:?} is no URL ({error}).", excerpt(url)),
                );
                return;
            }
        }
        Scheme::Dialog => {}
    }
    if let Some(odd) = first_odd_character(url) {
        findings.add(
            code::DEFINITION_URL_CHARACTERS,
            at,
            format!(
                "The URL of [{label}] contains {odd}: 4.18.1 draws its citations without brackets, as plain links, \
                 and a button does not open. Percent-encode it, and write hosts in punycode; the same in the claim."
            ),
        );
    }
}

fn check_loser(definition: &Definition, first: &Definition, at: &Pointer, findings: &mut Findings) {
    let (start, url) = (first.span.start, first.url.as_str());
    findings.add(
        code::DEFINITION_DUPLICATE_LABEL,
        at,
        format!(
            "[{}] is defined twice (bytes {start} and {}): the badge leads to the first address, {:?}, and the \
             reference list shows both under the title of the claim. Remove definitions that came with the answer.",
            definition.written,
            definition.span.start,
            excerpt(url)
        ),
    );
}

fn check_duplicate(first: &Definition, second: &Definition, at: &Pointer, findings: &mut Findings) {
    let (one, two, url) = (&first.written, &second.written, excerpt(&first.url));
    if Scheme::of(&first.url) == Scheme::Dialog {
        findings.add(
            code::DEFINITION_DUPLICATE_PASSAGE,
            at,
            format!("[{one}] and [{two}] share {url:?}: both badges open the first passage. Number them apart."),
        );
    } else {
        findings.add(
            code::DEFINITION_DUPLICATE_URL,
            at,
            format!(
                "[{one}] and [{two}] lead to one URL, {url:?}: the second is drawn without brackets, as a plain \
                 link. Make them one source, or add a fragment to the second."
            ),
        );
    }
}

fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::example::{assert_text_finds, assert_text_is_fine};

    #[test]
    fn dangerous_and_unusual_schemes_are_told_apart() {
        assert_text_finds("a[1].\n\n[1]: javascript:alert(1)\n", "definition-scheme-unsafe");
        assert_text_finds("a[1].\n\n[1]: data:text/html,x\n", "definition-scheme-unsafe");
        assert_text_finds("a[1].\n\n[1]: mailto:a@docs.example\n", "definition-scheme-unusual");
        assert_text_is_fine("a[1].\n\n[1]: https://docs.example/a%20b?c=d&e#f\n");
    }

    #[test]
    fn addresses_outside_ascii_or_without_host_are_found() {
        for url in ["https://docs.example/ü", "https://müller.example/", "https://docs.example/a|b", "https://a/100%"]
        {
            assert_text_finds(&format!("a[1].\n\n[1]: {url}\n"), "definition-url-characters");
        }
        assert_text_finds("a[1].\n\n[1]: https://:80/\n", "iri-invalid");
        assert_text_finds("a[1].\n\n[1]: <https://docs.example/(b>\n", "definition-url-characters");
        assert_text_is_fine("a[1].\n\n[1]: https://docs.example/a_(b)\n");
    }

    #[test]
    fn only_the_first_definition_of_a_label_or_an_address_counts() {
        let twice = "a[1].\n\n[1]: https://evil.example/\n[1]: https://docs.example/\n";
        assert_text_finds(twice, "definition-duplicate-label");
        let same = "a[1] b[2].\n\n[1]: https://docs.example/\n[2]: https://docs.example/\n";
        assert_text_finds(same, "definition-duplicate-url");
        assert_text_is_fine("a[1] b[2].\n\n[1]: https://docs.example/\n[2]: https://docs.example/#2\n");
    }

    #[test]
    fn order_place_and_label_of_definitions_matter() {
        let reversed = "a[1] b[2].\n\n[2]: https://docs.example/2\n[1]: https://docs.example/1\n";
        assert_text_finds(reversed, "definitions-out-of-order");
        assert_text_finds("a[1].\n\n- x\n\n  [1]: https://docs.example/1\n", "definition-nested");
        assert_text_finds("a[^1].\n\n[^1]: https://docs.example/1\n", "definition-label-caret");
    }
}
