//! Builds the prompt: the list of sources that fit into the budget.

use super::identity::numbers_of_ids;
use super::instructions::preamble;
use super::name::{numbered_name, tag_name};
use super::passage::{below_heading, between_rules, inside_tag, passage};
use super::{Budget, Style};
use crate::answer::Source;

/// How to list sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The form of the list.
    pub style: Style,
    /// The maximum length of [`Prompt::text`], including instructions.
    pub budget: Budget,
    /// Whether instructions for citing stand before the list. Without them, the caller must instruct the model.
    pub instructions: bool,
}

impl Options {
    /// A list in this style, with instructions and without a limit.
    #[must_use]
    pub fn new(style: Style) -> Self {
        Self { style, budget: Budget::Unlimited, instructions: true }
    }
}

/// The list of sources for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The context for [`inject`](super::inject), without a final line end; empty when no source is listed.
    pub text: String,
    /// Number and fate of each source, in the order of the input.
    pub sources: Vec<Numbered>,
}

/// The number of a source, and whether it is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The `n` in `[n]` that cites it, from 1. In the tags style, several sources may share a number.
    pub number: usize,
    /// Whether it is in the text. Sources that are not in it are always the last ones.
    pub listed: bool,
}

impl Prompt {
    /// Number of sources in the text. They are the first ones of the input.
    #[must_use]
    pub fn listed(&self) -> usize {
        self.sources.iter().filter(|source| source.listed).count()
    }
}

/// Lists sources for a model, in the order given, which should be the order of their rank.
///
/// The first source that does not fit into the budget is left out with all sources behind it; none is cut. Numbers do not
/// depend on the budget.
#[must_use]
pub fn build(sources: &[Source], options: &Options) -> Prompt {
    let Options { style, budget, instructions } = *options;
    let numbers = match style {
        Style::Numbered | Style::Plain => (1..=sources.len()).collect(),
        Style::Tags => numbers_of_ids(sources),
    };
    let (mut body, mut highest, mut listed) = (String::new(), 0, 0);
    // `cost` is that of the list with its end. The preamble is measured again only when `highest` gets another digit.
    let mut cost = budget.cost(end(style));
    let mut preamble_cost = budget.cost(&preamble(style, 0, instructions));
    for (source, &number) in sources.iter().zip(&numbers) {
        let before = separator(style, !instructions && body.is_empty());
        let entry = entry(source, number, style);
        cost += budget.cost(before) + budget.cost(&entry);
        let next = highest.max(number);
        if next.checked_ilog10() != highest.checked_ilog10() {
            preamble_cost = budget.cost(&preamble(style, next, instructions));
        }
        if !budget.allows(preamble_cost + cost) {
            break;
        }
        body.extend([before, &entry]);
        (highest, listed) = (next, listed + 1);
    }
    let sources = numbers.into_iter().enumerate();
    let sources = sources.map(|(at, number)| Numbered { number, listed: at < listed }).collect();
    if listed == 0 {
        return Prompt { text: String::new(), sources };
    }
    Prompt { text: preamble(style, highest, instructions) + &body + end(style), sources }
}

/// The separator before a source. `opens` is true for the first source of a list without instructions.
fn separator(style: Style, opens: bool) -> &'static str {
    match (style, opens) {
        // `Sources:` always stands before the first source.
        (Style::Numbered, _) => "\n\n",
        (Style::Tags, false) => "\n",
        (Style::Tags, true) => "",
        (Style::Plain, false) => "\n---\n",
        (Style::Plain, true) => "---\n",
    }
}

/// The text of one source, without a final line end.
fn entry(source: &Source, number: usize, style: Style) -> String {
    let passage = passage(source);
    match style {
        Style::Numbered => {
            let name = numbered_name(source);
            let line_end = if passage.is_empty() { "" } else { "\n" };
            format!("[{number}] (Source: \"{name}\"){line_end}{}", below_heading(passage))
        }
        Style::Tags => {
            let name = tag_name(source).map(|name| format!(" name=\"{name}\"")).unwrap_or_default();
            format!("<source id=\"{number}\"{name}>{}</source>", inside_tag(passage))
        }
        Style::Plain => between_rules(passage).into_owned(),
    }
}

/// The text behind the last source.
fn end(style: Style) -> &'static str {
    match style {
        Style::Numbered | Style::Tags => "",
        Style::Plain => "\n---",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(id: &str, title: &str, content: &str) -> Source {
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Source { id: filled(id), title: filled(title), content: filled(content), ..Source::default() }
    }

    fn bare(style: Style) -> Options {
        Options { instructions: false, ..Options::new(style) }
    }

    #[test]
    fn each_chunk_stands_under_its_number_and_name_in_the_order_of_its_rank() {
        let sources = [source("b", "Leave \"policy\"", "30 days.\n"), source("a", "", "Ask\r\nearly.")];
        let prompt = build(&sources, &bare(Style::Numbered));
        let expected =
            "Sources:\n\n[1] (Source: \"Leave 'policy'\")\n30 days.\n\n[2] (Source: \"Unknown Document\")\nAsk\nearly.";
        assert_eq!(prompt.text, expected);
        assert_eq!(prompt.listed(), 2);
    }

    #[test]
    fn the_instructions_come_first_and_name_the_highest_number_that_is_listed() {
        let sources = vec![source("", "Leave", "30 days."); 12];
        let whole = build(&sources, &Options::new(Style::Numbered));
        assert!(whole.text.starts_with("Answer from the numbered sources"));
        assert!(whole.text.contains("the highest is 12."));
        let budget = Budget::Bytes(whole.text.len() - 1);
        let cut = build(&sources, &Options { budget, ..Options::new(Style::Numbered) });
        assert_eq!(cut.listed(), 11);
        assert!(cut.text.contains("the highest is 11."));
    }

    #[test]
    fn without_citations_chunks_stand_between_lines_of_dashes_without_numbers() {
        let sources = [source("", "Leave", "30 days."), source("", "Rules", "Ask early.\n---\nx")];
        assert_eq!(build(&sources, &bare(Style::Plain)).text, "---\n30 days.\n---\nAsk early.\n> ---\n> x\n---");
        let whole = build(&sources, &Options::new(Style::Plain)).text;
        assert!(whole.ends_with("\n---\n30 days.\n---\nAsk early.\n> ---\n> x\n---"), "{whole}");
    }

    #[test]
    fn items_are_tags_with_the_number_of_their_id_and_an_optional_name() {
        let sources = [source("x", "A & B", "one"), source("y", "", "two"), source("x", "C", "three")];
        let prompt = build(&sources, &bare(Style::Tags));
        let expected = "<source id=\"1\" name=\"A &amp; B\">one</source>\n<source id=\"2\">two</source>\n\
                        <source id=\"1\" name=\"C\">three</source>";
        assert_eq!(prompt.text, expected);
        assert_eq!(prompt.sources.iter().map(|source| source.number).collect::<Vec<_>>(), [1, 2, 1]);
    }

    #[test]
    fn without_sources_there_is_nothing_to_say() {
        for style in Style::ALL {
            assert_eq!(build(&[], &Options::new(style)), Prompt::default());
            let options = Options { budget: Budget::Bytes(10), ..Options::new(style) };
            let prompt = build(&[source("", "Leave", "30 days.")], &options);
            assert_eq!((prompt.text.as_str(), prompt.listed()), ("", 0));
        }
    }
}
