//! Lists passages in the prompt of a model that does not search by itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Ask;
use super::numbered::one_for_each_number;
use crate::answer::Source;
use crate::prompt::{self, Budget, Style};

/// How citewire lists passages in the prompt: the table `sources` of an upstream.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Listing {
    /// The style of the list.
    pub style: ListingStyle,
    /// The token budget for the citation instructions and the list, as `citewire prompt` estimates tokens. The first passage
    /// that does not fit and all later ones are left out.
    pub max_tokens: usize,
}

impl Default for Listing {
    fn default() -> Self {
        Self { style: ListingStyle::default(), max_tokens: 8_000 }
    }
}

/// The style of a list of passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListingStyle {
    /// The best style for the kind of back end: documents for Anthropic, numbers for all others.
    #[default]
    Auto,
    /// `[1] (Source: "name")`.
    Numbered,
    /// `<source id="1" name="…">`.
    Tags,
}

/// The system prompt for a model, and the sources that it can cite.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listed {
    /// The text before the first message; empty where there is nothing to say.
    pub(super) system: String,
    /// The sources behind the numbers that were given out, from 1. Empty where the model is not to cite.
    pub(super) sources: Vec<Source>,
}

/// The passages of a question behind its instructions (rule AH-10).
pub(super) fn listed(ask: &Ask, listing: &Listing) -> Listed {
    let style = match listing.style {
        _ if !ask.citations => Style::Plain,
        ListingStyle::Auto | ListingStyle::Numbered => Style::Numbered,
        ListingStyle::Tags => Style::Tags,
    };
    let mut options = prompt::Options::new(style);
    options.budget = Budget::Tokens(listing.max_tokens);
    let prompt = prompt::build(&ask.sources, &options);
    let system = behind(ask.instructions.as_deref().unwrap_or_default(), &prompt.text);
    let sources = if ask.citations {
        let numbered = prompt.sources.iter().zip(&ask.sources).filter(|(became, _)| became.listed);
        one_for_each_number(numbered.map(|(became, source)| (became.number, source.clone())))
    } else {
        Vec::new()
    };
    Listed { system, sources }
}

/// The first passages that fit into the budget, for models that take them as documents. What is empty is none.
pub(super) fn documents(ask: &Ask, listing: &Listing) -> Vec<Source> {
    let passages = ask.sources.iter().filter(|source| !prompt::passage(source).trim().is_empty());
    let mut left = listing.max_tokens;
    let fits = |source: &&Source| {
        let cost = prompt::estimate_tokens(&prompt::passage(source));
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    };
    passages.take_while(fits).cloned().collect()
}

/// Two texts with a blank line between them.
fn behind(first: &str, second: &str) -> String {
    let first = first.trim_end();
    let between = if first.is_empty() || second.is_empty() { "" } else { "\n\n" };
    format!("{first}{between}{second}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::{ChatMessage, Speaker};

    fn source(id: &str, content: &str) -> Source {
        Source { id: Some(id.to_owned()), content: Some(content.to_owned()), ..Source::default() }
    }

    fn ask(sources: &[Source]) -> Ask {
        let mut ask = Ask::new(vec![ChatMessage::new(Speaker::User, "Leave?")]);
        ask.instructions = Some("Be kind.\n".to_owned());
        ask.sources = sources.to_vec();
        ask
    }

    fn ids(sources: &[Source]) -> Vec<&str> {
        sources.iter().filter_map(|source| source.id.as_deref()).collect()
    }

    #[test]
    fn the_list_goes_behind_the_instructions() {
        let given = ask(&[source("a", "30 days.")]);
        let listed = listed(&given, &Listing::default());
        assert!(listed.system.starts_with("Be kind.\n\nAnswer from the numbered sources"), "{}", listed.system);
        assert!(listed.system.ends_with("[1] (Source: \"Unknown Document\")\n30 days."), "{}", listed.system);
        assert_eq!(ids(&listed.sources), ["a"]);
        assert_eq!(
            super::listed(&ask(&[]), &Listing::default()),
            Listed { system: "Be kind.".to_owned(), sources: vec![] }
        );
    }

    #[test]
    fn without_citations_there_are_no_numbers_and_no_sources() {
        let mut ask = ask(&[source("a", "30 days.")]);
        ask.citations = false;
        let listed = listed(&ask, &Listing::default());
        assert!(listed.system.ends_with("---\n30 days.\n---"), "{}", listed.system);
        assert_eq!(listed.sources, []);
    }

    #[test]
    fn only_what_is_listed_can_be_cited() {
        let long = "word ".repeat(2_000);
        let ask = ask(&[source("a", "30 days."), source("b", &long), source("c", "short")]);
        let listing = Listing { max_tokens: 1_000, ..Listing::default() };
        assert_eq!(ids(&listed(&ask, &listing).sources), ["a"]);
        assert_eq!(ids(&documents(&ask, &listing)), ["a"]);
    }

    #[test]
    fn sources_that_share_a_tag_are_one() {
        let ask = ask(&[source("a", "one"), source("b", "two"), source("a", "three")]);
        let listing = Listing { style: ListingStyle::Tags, ..Listing::default() };
        let listed = listed(&ask, &listing);
        assert_eq!(ids(&listed.sources), ["a", "b"]);
        assert_eq!(listed.sources[0].content.as_deref(), Some("one\n\nthree"));
    }

    #[test]
    fn an_empty_document_is_none() {
        assert_eq!(ids(&documents(&ask(&[source("a", " \n"), source("b", "two")]), &Listing::default())), ["b"]);
    }
}
