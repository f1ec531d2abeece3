//! Cites a text that arrives in pieces (policy P-12).

use super::read::{LOOK_AHEAD, decided};
use super::rewrite::{Given, Rewrite};
use crate::answer::{Answer, Interpreter, MarkerGrammar, SensitivityLabel, Source, SourceIndex};
use crate::cite::bibliography::Bibliography;
use crate::cite::place::place_or_first;
use crate::cite::resolve::Resolver;
use crate::cite::{CitedPlace, CitedText, Opaque, Rules, definition};

/// The bytes that a text may be read again besides, so that a short block is read with each of its pieces.
const FREE: usize = 20 * 1024;

/// The bytes that may be read again for each that arrives. A long block is then read when half of it is new, so that a stream takes
/// at most four times the work of the whole answer. Without a limit, a long block in short pieces would take quadratic time.
const AGAIN: usize = 2;

/// The longest open block, in bytes, that is read again for a look at the text.
const LOOKED_AT: usize = 16 * 1024;

/// Cites a text while it arrives: deltas in, appended text out.
///
/// [`push`](Self::push) never takes text back: its results, joined, are the beginning of the text that
/// [`finish`](Self::finish) returns. That text equals the result of [`cite()`](super::cite()) for the whole answer, wherever
/// the deltas were cut. Text whose meaning may still change is held back, and returned by `finish` at the latest.
///
/// A push reads the open block again, of a list its last item. It holds back blanks at the end, and at most 4 KiB of the
/// block (8 KiB of a list of references); in most answers only a few bytes. Behind the first 20 KiB of such reading, all pushes
/// together read at most twice as many bytes as have arrived, so that a long block is read again when half of it is new, which holds
/// that back too: any text costs at most a fixed multiple of the whole answer.
#[derive(Debug)]
pub struct Incremental {
    /// The text so far, and its sources.
    answer: Answer,
    rules: Rules,
    resolver: Resolver,
    bibliography: Bibliography,
    rewrite: Rewrite,
    /// Pairs `(offset, count)`, in order: before this offset of the text, only the first `count` sources were known.
    arrivals: Vec<(usize, usize)>,
    /// How far the text was read, and the offset from which that reading held text back.
    read: usize,
    held: usize,
    /// The bytes that may be read again now.
    budget: usize,
    /// The results of `push`, joined.
    shown: String,
}

impl Incremental {
    /// Creates the state of a text before anything has arrived.
    #[must_use]
    pub fn new(grammar: MarkerGrammar, rules: &Rules) -> Self {
        Self {
            answer: Answer { grammar, ..Answer::default() },
            rules: rules.clone(),
            resolver: Resolver::default(),
            bibliography: Bibliography::default(),
            rewrite: Rewrite::new(rules),
            arrivals: Vec::new(),
            read: 0,
            held: 0,
            budget: FREE,
            shown: String::new(),
        }
    }

    /// Appends sources to the known ones. Markers in text that is no longer held back do not resolve to them.
    pub fn add_sources(&mut self, sources: impl IntoIterator<Item = Source>) {
        if self.held > 0 {
            self.arrivals.push((self.held, self.answer.sources.len()));
        }
        self.answer.sources.extend(sources);
        self.resolver.forget();
    }

    /// Takes the next piece of the answer. Returns the text to append to what was shown; it may be empty.
    pub fn push(&mut self, delta: &str) -> &str {
        self.answer.text.push_str(delta);
        let open = self.answer.text.len() - self.rewrite.settled();
        // The limit keeps short blocks from saving up for many readings of a long block behind them.
        self.budget = (self.budget + AGAIN * delta.len()).min(open.max(FREE));
        if open > self.budget {
            return "";
        }
        self.budget -= open;
        let from = self.shown.len();
        self.read_on();
        &self.shown[from..]
    }

    /// Whether [`catch_up`](Self::catch_up) would read text that the pushes left for later.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        let length = self.answer.text.len();
        self.read < length && length - self.rewrite.settled() <= LOOKED_AT
    }

    /// Reads all text that has arrived, if its open block has at most 16 KiB, so that [`shown`](Self::shown) is up to date.
    /// Each call may read those again: call it a few times a second, before readers are shown the text.
    pub fn catch_up(&mut self) {
        if self.is_behind() {
            self.read_on();
        }
    }

    fn read_on(&mut self) {
        let Self { answer, rules, resolver, bibliography, rewrite, arrivals, .. } = self;
        self.read = answer.text.len();
        let visible = bibliography.read(&answer.text, false, &answer.sources, resolver);
        let to = decided(&answer.text[..visible]).max(self.held);
        let given = Given { answer, rules, resolver, arrivals };
        self.held = rewrite.read(&given, to, Some(self.held));
        // Hold back blanks and these signs at the end: the next character decides whether they stay, and what they mean.
        let signs = if rules.markdown { " \t\r\n!\\#<\u{200b}" } else { " \t\r\n!" };
        let written = rewrite.so_far.output.text();
        let (far, near) = written.split_at(written.floor_char_boundary(written.len().saturating_sub(LOOK_AHEAD)));
        let told = match near.trim_end_matches(|c| signs.contains(c)).len() {
            0 => far.trim_end_matches([' ', '\t', '\r', '\n']).len(),
            told => far.len() + told,
        };
        let written = &written[..told];
        debug_assert!(
            written.starts_with(&self.shown) || self.shown.starts_with(written),
            "{:?} was shown, and is {written:?} now",
            self.shown
        );
        self.shown.push_str(written.get(self.shown.len()..).unwrap_or_default());
    }

    /// Cites sources at the end of the text so far, for formats whose citations come with a block of text. The sources may
    /// be added later, but before the next piece of text.
    pub fn cite_here(&mut self, sources: Vec<SourceIndex>) {
        let text = &self.answer.text;
        self.rewrite.so_far.decisions.places.cite_at(place_or_first(text, text.len()), sources.into());
    }

    /// The text shown so far: the results of [`push`](Self::push), joined.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The text shown so far, complete in itself: with the definitions of the numbers in it and of no others, and with a
    /// code fence closed where the definitions would stand in it. Held-back text is missing, so the part before the
    /// definitions is the beginning of the result of [`finish`](Self::finish), apart from a closing fence.
    #[must_use]
    pub fn so_far(&self) -> CitedText {
        let sources = self.rewrite.sources(&self.answer);
        let mut text = self.shown.clone();
        if let Some(fence) =
            self.rewrite.so_far.output.open_fence().filter(|_| self.rules.close_fence && !sources.is_empty())
        {
            text.push_str(fence);
        }
        if self.rules.definitions {
            definition::append(&mut text, &sources);
        }
        CitedText { text, sources, ..CitedText::default() }
    }

    /// The answer so far: its text, sources, label and interpreter. [`so_far`](Self::so_far) refers to these sources by
    /// index.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Sets the sensitivity label and the interpreter of the answer. Neither changes the text.
    pub fn describe(&mut self, label: Option<SensitivityLabel>, interpreter: Option<Interpreter>) {
        self.answer.label = label;
        self.answer.interpreter = interpreter;
    }

    /// The badges in the text shown so far, in order. Empty unless [`Rules::only_markers`] is set.
    #[must_use]
    pub fn places(&self) -> &[CitedPlace] {
        if !self.rules.only_markers {
            return &[];
        }
        let places = self.rewrite.places();
        &places[..places.partition_point(|place| place.range.end <= self.shown.len())]
    }

    /// Where a bracket of the text shown so far is no text, in order. Empty unless [`Rules::only_markers`] is set.
    #[must_use]
    pub fn opaque(&self) -> &[Opaque] {
        let opaque = self.rewrite.opaque();
        &opaque[..opaque.partition_point(|part| part.range.start < self.shown.len())]
    }

    /// Whether a marker has arrived that names none of the sources known so far.
    #[must_use]
    pub fn has_unresolved(&self) -> bool {
        !self.rewrite.so_far.decisions.unresolved.is_empty()
    }

    /// Ends the text. Returns all of it, with its definitions; it begins with the text that was shown.
    #[must_use]
    pub fn finish(self) -> CitedText {
        let Self { answer, rules, resolver, mut bibliography, rewrite, arrivals, .. } = self;
        let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
        let given = Given { answer: &answer, rules: &rules, resolver: &resolver, arrivals: &arrivals };
        rewrite.finish(&given, &bibliography, visible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Citation;
    use crate::cite::cite;
    use crate::text::Span;

    fn source() -> Source {
        Source { title: Some("Leave policy".into()), url: "https://x.example/a".parse().ok(), ..Source::default() }
    }

    /// The result for a text as a whole, and for the same text in pieces.
    fn whole_and_in_pieces<'p>(pieces: impl IntoIterator<Item = &'p str>) -> (CitedText, CitedText) {
        let mut incremental = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
        incremental.add_sources([source()]);
        let mut text = String::new();
        for piece in pieces {
            text.push_str(piece);
            incremental.push(piece);
        }
        let answer = Answer { text, sources: vec![source()], ..Answer::default() };
        (cite(&answer, &Rules::web_chat()), incremental.finish())
    }

    /// A paragraph of 48 KiB, letter by letter, once took eight seconds because each letter read it again.
    #[test]
    fn a_long_paragraph_is_not_read_with_each_letter() {
        let text = "Light travels at 299,792,458 m/s [1] in vacuum. ".repeat(130);
        let mut incremental = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
        incremental.add_sources([source()]);
        let mut spent = 0;
        let grew: Vec<bool> = text
            .split_inclusive(|_| true)
            .map(|letter| {
                let open = incremental.answer.text.len() + letter.len() - incremental.rewrite.settled();
                let grew = !incremental.push(letter).is_empty();
                spent += if incremental.read == incremental.answer.text.len() { open } else { 0 };
                grew
            })
            .collect();
        let count = |part: &[bool]| part.iter().filter(|grew| **grew).count();
        assert!(count(&grew[..300]) > 150, "a short one grows with each letter but those that wait for the next");
        let late = count(&grew[400..6_000]);
        assert!((4..12).contains(&late), "{late}");
        assert!(spent <= FREE + AGAIN * text.len(), "{spent}");
        assert_eq!(incremental.finish().text, cite(&one(&text), &Rules::web_chat()).text);
    }

    fn one(text: &str) -> Answer {
        Answer { text: text.into(), sources: vec![source()], ..Answer::default() }
    }

    #[test]
    fn letters_that_nobody_sees_go_alike_wherever_the_text_is_cut() {
        let letters =
            ["a", "\u{202e}", "\u{2067}", "\u{e0041}", "🏴", "\u{e0067}\u{e007f}", "\u{200b}", "\u{fe0f}", " "];
        let marks = ["[1]", "]", "(", "`", "&#x202e;", "**", "\n", "!", "|", "https://x/"];
        let pieces: Vec<&str> = letters.iter().chain(&marks).copied().collect();
        let mut state = 1_usize;
        for _ in 0..2_000 {
            let chosen: Vec<&str> = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    pieces[(state >> 33) % pieces.len()]
                })
                .collect();
            let (whole, finished) = whole_and_in_pieces(chosen.iter().copied());
            assert_eq!(finished, whole, "{chosen:?}");
            assert!(!whole.text.contains(['\u{202e}', '\u{2067}', '\u{e0041}']), "{:?}", whole.text);
        }
    }

    /// A footnote that readers had seen once gave way to a source that came later, and the end of the answer was empty.
    #[test]
    fn a_source_that_comes_late_takes_back_nothing_that_was_shown() {
        let texts = [
            "One [^1].\n\n[^1]: Handbook, page 3, and on\n\nMore [^1] here.",
            "[^1]: 【1】[0]https://x.example/a",
            "[^8]: [^9]: see [1]\n[^8]: 1. `a`\n\n[1]: word[1]\n[^2]: b",
            "[^1]: Handbook\n    and its second line\n\n> [^2]: Form",
            "One [a].\n\n[a]: https://x.example/a\n[1]: https://x.example/b\n[2]: <https://x.example/c> \"d\"\n\nTwo [a] [1].",
            "One [1](https://x.example/a) and [see](https://x.example/a), [2](https://x.example/b) ![3](https://x.example/c) more",
            "One [1], [2] 【3】 \\[1\\] $a[1]$ `[1]` <b>[1]</b> [1]: x more",
            "One [1].\n\nSources:\n\n1. [Leave policy](https://x.example/a)\n2. Handbook\n[1] Leave policy\n",
            "| a [1] | b |\n|---|---|\n| [2] | [^1] |\n\nMore [1] here",
            "turn0file0 and (turn0search1) [doc1]^1^ ##0$$ more \u{e200}cite\u{e202}turn0search0\u{e201} text",
        ];
        for (rules, text) in [Rules::web_chat(), Rules::plain(), Rules::numbered()]
            .iter()
            .flat_map(|rules| texts.map(|text| (rules, text)))
        {
            for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                let mut incremental = Incremental::new(MarkerGrammar::ALL, rules);
                for letter in text[..cut].split_inclusive(|_| true) {
                    incremental.push(letter);
                }
                incremental.add_sources(vec![source(); 3]);
                for letter in text[cut..].split_inclusive(|_| true) {
                    incremental.push(letter);
                }
                let shown = incremental.shown().to_owned();
                let finished = incremental.finish().text;
                assert!(finished.starts_with(&shown), "{text:?} cut at {cut}: {shown:?} {finished:?}");
            }
        }
    }

    /// The tag was shown as text in the paragraph, and was to be a tag again in the heading that the paragraph became.
    #[test]
    fn a_tag_is_text_in_a_paragraph_that_becomes_a_heading() {
        let (whole, finished) = whole_and_in_pieces(["a [1] </details>", " b", "\n=", "=="]);
        assert_eq!(finished, whole);
    }

    /// The badge of a removed line once stood between two pieces of that line, with a separator before the second piece.
    #[test]
    fn a_place_in_a_line_that_goes_is_cited_alike_wherever_the_line_is_cut() {
        let blocks = ["\n[^1]: A note\nword[1]\n3) ", "[doc1][1-3][1]"];
        let text = blocks.concat();
        let mut answer = Answer { text: text.as_str().into(), sources: vec![source(); 3], ..Answer::default() };
        answer.grammar = MarkerGrammar::ALL;
        let span = Span::new(&text, 0..blocks[0].len()).expect("a span");
        answer.citations.push(Citation::new(span, vec![SourceIndex(0)]));
        let mut incremental = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
        incremental.add_sources(vec![source(); 3]);
        incremental.push(blocks[0]);
        incremental.cite_here(vec![SourceIndex(0)]);
        for piece in ["[", "doc1]", "[1-3]", "[1]"] {
            incremental.push(piece);
        }
        assert_eq!(incremental.finish().text, cite(&answer, &Rules::web_chat()).text);
    }

    /// With a line of text behind the definitions, the badge once stood in a paragraph behind them; in a stream it stood
    /// where the definition had been.
    #[test]
    fn a_place_in_definitions_that_go_is_cited_behind_the_last_of_them() {
        for (behind, body) in [("\nb", "[1]\n\nb"), (".", "[1]\n\n.")] {
            let pieces =
                ["[a]: https://x.example/a\n", "[b]: https://x.example/a-longer-address\n", "[c]: https://x/c\n"];
            let text = pieces.concat() + behind;
            let mut answer = Answer { text: text.as_str().into(), sources: vec![source()], ..Answer::default() };
            let span = Span::new(&text, 0..pieces[0].trim_end().len()).expect("a span");
            answer.citations.push(Citation::new(span, vec![SourceIndex(0)]));
            let whole = cite(&answer, &Rules::web_chat()).text;
            assert!(whole.starts_with(body), "{whole:?}");
            let mut incremental = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
            incremental.add_sources([source()]);
            incremental.push(pieces[0]);
            incremental.cite_here(vec![SourceIndex(0)]);
            for piece in [pieces[1], pieces[2], behind] {
                incremental.push(piece);
            }
            assert_eq!(incremental.finish().text, whole);
        }
    }

    /// A stream once decided too early that some text was no list of references: a heading with half of its line end, a
    /// heading with many blanks, an entry with an unusual blank. It could not take this back.
    #[test]
    fn a_list_of_references_is_known_wherever_it_is_cut() {
        let wide = format!("Sources{}\n[1] Leave policy\n", " ".repeat(100));
        for list in [
            "Sources\r\n[1] Leave policy\r\n",
            "Sources\r\r[1] Leave policy\r",
            &wide,
            "- \u{a0}[1] Leave policy\n* \u{2003}[1] Leave policy",
        ] {
            let text = format!("30 days [1].\n{list}");
            for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                let (whole, finished) = whole_and_in_pieces([&text[..cut], &text[cut..]]);
                assert_eq!(finished, whole, "{text:?} cut at {cut}");
            }
        }
    }

    /// At the end of a piece, the sign once counted as the end of the text, where a badge could follow.
    #[test]
    fn a_sign_at_the_end_of_a_piece_is_not_at_the_end_of_the_text() {
        let (whole, finished) = whole_and_in_pieces(["`e`<g =", "y [1]"]);
        assert!(whole.text.starts_with("`e`&lt;g =y [1]"), "{}", whole.text);
        assert_eq!(finished, whole);
    }

    /// A byte order mark before a definition once decided whether the blank line behind the definition stays.
    #[test]
    fn a_mark_at_the_beginning_counts_for_nothing() {
        let text = "\u{feff}[a]: https://x.example/a\n\nb [1] and c";
        let (whole, finished) = whole_and_in_pieces(text.split_inclusive(|_| true));
        assert!(whole.text.starts_with("b [1]"), "{}", whole.text);
        assert_eq!(finished.text, whole.text);
    }

    /// Where a piece began with the blank behind it, a lone `://` once counted as an address that goes on.
    #[test]
    fn a_blank_ends_an_address_wherever_the_text_is_cut() {
        for text in ["a https:// `b[]` [1]", "www. `b[]` [1]", "https://x.example/a `b[]` [1]"] {
            for cut in 0..text.len() {
                let (whole, finished) = whole_and_in_pieces([&text[..cut], &text[cut..]]);
                assert_eq!(finished, whole, "{text:?} cut at {cut}");
            }
        }
    }

    /// The report once quoted only the part of a tag that had arrived.
    #[test]
    fn the_report_is_that_of_the_whole_answer_as_well() {
        let (whole, finished) = whole_and_in_pieces("a [1]\n\n<?x and more> [1] b".split_inclusive(|_| true));
        assert_eq!(finished, whole);
        assert!(finished.entries.iter().any(|entry| entry.message == "<?x and more> is shown as text"), "{finished:?}");
    }
}
