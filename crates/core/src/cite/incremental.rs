//! A text that arrives piece by piece (policy P-12).

use super::read::{LOOK_AHEAD, decided};
use super::rewrite::{Given, Rewrite};
use crate::answer::{Answer, Interpreter, MarkerGrammar, SensitivityLabel, Source, SourceIndex};
use crate::cite::bibliography::Bibliography;
use crate::cite::place::place_or_first;
use crate::cite::resolve::Resolver;
use crate::cite::{CitedPlace, CitedText, Rules, definition};

/// How many bytes may be read of a text of so many. A block is read again with each piece of it; of a long one in short pieces, that
/// would take time that grows as the square of its length.
fn may_read(length: usize) -> usize {
    1024 * length.min(16 * 1024) + 256 * length.min(64 * 1024).saturating_sub(16 * 1024)
}

/// Where that is used up, an open block is read again when it has grown by this part of its length.
const PART: usize = 16;

/// Cites a text while it arrives: deltas in, appended text out.
///
/// [`push`](Self::push) never takes text back: its pieces, joined, are the beginning of the text that
/// [`finish`](Self::finish) returns, and that text is the one that [`cite()`](super::cite()) makes of the whole answer,
/// wherever the deltas were cut. Text whose meaning may still change is held back, and returned by `finish` at the
/// latest.
///
/// With each piece, the block that is open is read again. Beside blanks at the end, at most 4 KiB of it are held back, and a few
/// bytes of most answers; of a list of references, up to 8 KiB. A long block in short pieces is read less often: a 1,024th of it is held
/// back in addition, past 16 KiB of text a 256th, past 64 KiB a sixteenth.
#[derive(Debug)]
pub struct Incremental {
    /// The text so far, and its sources.
    answer: Answer,
    rules: Rules,
    resolver: Resolver,
    bibliography: Bibliography,
    rewrite: Rewrite,
    /// Places before each of which only the first so many sources were known.
    arrivals: Vec<(usize, usize)>,
    /// How far the text was read, and where what was held back then begins.
    read: usize,
    held: usize,
    /// How many bytes were read for that, some of them again and again.
    spent: usize,
    /// The pieces that `push` returned, joined.
    shown: String,
}

impl Incremental {
    /// A text of which nothing has arrived.
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
            spent: 0,
            shown: String::new(),
        }
    }

    /// Adds sources behind those that are known. A marker that came before its source names nothing.
    pub fn add_sources(&mut self, sources: impl IntoIterator<Item = Source>) {
        if self.held > 0 {
            self.arrivals.push((self.held, self.answer.sources.len()));
        }
        self.answer.sources.extend(sources);
        self.resolver.forget();
    }

    /// Takes a piece of the answer; returns what can be shown in addition, which may be nothing.
    pub fn push(&mut self, delta: &str) -> &str {
        self.answer.text.push_str(delta);
        let from = self.shown.len();
        let open = self.answer.text.len() - self.rewrite.settled();
        if self.spent + open <= may_read(self.answer.text.len()) || self.answer.text.len() - self.read > open / PART {
            self.spent += open;
            self.read_on();
        }
        &self.shown[from..]
    }

    fn read_on(&mut self) {
        let Self { answer, rules, resolver, bibliography, rewrite, arrivals, .. } = self;
        self.read = answer.text.len();
        let visible = bibliography.read(&answer.text, false, &answer.sources, resolver);
        let to = decided(&answer.text[..visible]).max(self.held);
        let given = Given { answer, rules, resolver, arrivals };
        self.held = rewrite.read(&given, to, Some(self.held));
        // The next character decides about blanks and these signs at the end: whether they stay, and what they mean.
        let signs = if rules.markdown { " \t\r\n!\\#<\u{200b}" } else { " \t\r\n!" };
        let written = rewrite.so_far.output.text();
        let told = written.trim_end_matches(|c| signs.contains(c)).len();
        let near = written.floor_char_boundary(written.len().saturating_sub(LOOK_AHEAD));
        let written = &written[..told.max(written[..near].trim_end_matches([' ', '\t', '\r', '\n']).len())];
        debug_assert!(
            written.starts_with(&self.shown) || self.shown.starts_with(written),
            "{:?} was shown, and is {written:?} now",
            self.shown
        );
        self.shown.push_str(written.get(self.shown.len()..).unwrap_or_default());
    }

    /// Cites sources at the end of the text so far (formats whose citations come with a block of text). They are added before the next
    /// piece of text at the latest.
    pub fn cite_here(&mut self, sources: Vec<SourceIndex>) {
        let text = &self.answer.text;
        self.rewrite.so_far.decisions.places.cite_at(place_or_first(text, text.len()), sources.into());
    }

    /// All that can be shown so far: the pieces that [`push`](Self::push) returned, joined.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The text to show so far, as if it ended there: with the definitions of the numbers in it and of no others, and with a fence
    /// closed that they would stand in. Text that is held back is not in it, so that all before the definitions is the
    /// beginning of what [`finish`](Self::finish) returns, but for a fence that was closed.
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

    /// The text that has arrived, its sources, and what was said of the whole: what [`so_far`](Self::so_far) refers to.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Says what the whole answer is labelled with, and who stands behind it. Neither changes the text.
    pub fn describe(&mut self, label: Option<SensitivityLabel>, interpreter: Option<Interpreter>) {
        self.answer.label = label;
        self.answer.interpreter = interpreter;
    }

    /// Where the numbers of the sources stand in what can be shown so far, in order. Known only under
    /// [`Rules::only_markers`].
    #[must_use]
    pub fn places(&self) -> &[CitedPlace] {
        if !self.rules.only_markers {
            return &[];
        }
        let places = self.rewrite.places();
        &places[..places.partition_point(|place| place.range.end <= self.shown.len())]
    }

    /// Whether a marker has arrived that names none of the sources known so far.
    #[must_use]
    pub fn has_unresolved(&self) -> bool {
        !self.rewrite.so_far.decisions.unresolved.is_empty()
    }

    /// The text as a whole, with its definitions. It begins with what has been shown.
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

    /// What becomes of a text that comes as a whole, and in pieces.
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

    /// Forty-eight KiB of one paragraph, letter by letter, took eight seconds: it was read again with each letter.
    #[test]
    fn a_long_paragraph_is_not_read_with_each_letter() {
        let text = "Light travels at 299,792,458 m/s [1] in vacuum. ".repeat(130);
        let mut incremental = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
        incremental.add_sources([source()]);
        let grew: Vec<bool> =
            text.split_inclusive(|_| true).map(|letter| !incremental.push(letter).is_empty()).collect();
        let count = |part: &[bool]| part.iter().filter(|grew| **grew).count();
        assert!(count(&grew[..1_500]) > 750, "a short one grows with each letter but those that wait for the next");
        let late = count(&grew[4_000..6_000]);
        assert!((200..600).contains(&late), "{late}");
        assert!(incremental.spent <= may_read(text.len()));
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

    /// The badge stood between two pieces of a line that goes, and was kept apart from the second one.
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

    /// A line further on, the badge stood in a paragraph behind them; in a stream it stood where the definition had been.
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

    /// Of a heading with half of its line end, with many blanks, or of an entry with another blank, it was decided too early that
    /// it was none, which could not be taken back.
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

    /// At the end of what had arrived, the sign looked like one at the end of the text, which a badge could follow.
    #[test]
    fn a_sign_at_the_end_of_a_piece_is_not_at_the_end_of_the_text() {
        let (whole, finished) = whole_and_in_pieces(["`e`<g =", "y [1]"]);
        assert!(whole.text.starts_with("`e`&lt;g =y [1]"), "{}", whole.text);
        assert_eq!(finished, whole);
    }

    /// The blank line behind a definition stayed, or went, with the mark before it.
    #[test]
    fn a_mark_at_the_beginning_counts_for_nothing() {
        let text = "\u{feff}[a]: https://x.example/a\n\nb [1] and c";
        let (whole, finished) = whole_and_in_pieces(text.split_inclusive(|_| true));
        assert!(whole.text.starts_with("b [1]"), "{}", whole.text);
        assert_eq!(finished.text, whole.text);
    }

    /// Where a piece began with the blank behind it, a lone `://` was taken for an address that goes on.
    #[test]
    fn a_blank_ends_an_address_wherever_the_text_is_cut() {
        for text in ["a https:// `b[]` [1]", "www. `b[]` [1]", "https://x.example/a `b[]` [1]"] {
            for cut in 0..text.len() {
                let (whole, finished) = whole_and_in_pieces([&text[..cut], &text[cut..]]);
                assert_eq!(finished, whole, "{text:?} cut at {cut}");
            }
        }
    }

    /// The report named as much of a tag as had arrived.
    #[test]
    fn the_report_is_that_of_the_whole_answer_as_well() {
        let (whole, finished) = whole_and_in_pieces("a [1]\n\n<?x and more> [1] b".split_inclusive(|_| true));
        assert_eq!(finished, whole);
        assert!(finished.entries.iter().any(|entry| entry.message == "<?x and more> is shown as text"), "{finished:?}");
    }
}
