//! Names a sentence of a passage as a [text directive](https://wicg.github.io/scroll-to-text-fragment/#syntax), by which a browser
//! finds and marks it on its page.

use std::ops::Range;

use citewire_support::MAX_PASSAGE_BYTES;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_segmentation::UnicodeSegmentation as _;

use super::passage_block::{PassageBlock, Writing, passage_blocks};
use super::sentence_bounds::first_sentence;
use crate::url::{DIRECTIVE_PARTING, MAX_DIRECTIVE_BYTES};

/// The longest sentence, in characters, that is named as a whole. A longer one is named by its ends.
const MAX_WHOLE_CHARS: usize = 120;

/// The words at each end of a sentence that name it.
const END_WORDS: usize = 5;

/// The characters at each end, in scripts without blanks.
const END_CHARS: usize = 8;

/// From this number of words on, one that may have been cut is left out.
const LEAST_WORDS: usize = 4;

/// Every other byte may mean something: `-` `,` and `&` in a directive, `(` `)` `*` `!` `~` `'` in Markdown.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_');

/// The bytes of a passage in which sentences are looked for: more than are held against an answer.
const MOST_READ: usize = MAX_PASSAGE_BYTES + 4 * 1024;

/// A passage whose blocks are read, once for all that cite it.
pub(super) struct ReadPassage<'p> {
    text: &'p str,
    blocks: Vec<PassageBlock>,
}

/// Whole sentences of one block of a passage. Finding them takes longer than what is done with them.
#[derive(Clone, Debug)]
pub(super) struct Sentences {
    block: usize,
    /// Their range in the text of the block.
    shown: Range<usize>,
}

impl<'p> ReadPassage<'p> {
    pub(super) fn new(passage: &'p str) -> Self {
        let text = &passage[..passage.floor_char_boundary(MOST_READ)];
        Self { text, blocks: passage_blocks(text, Writing::Markdown) }
    }

    /// The sentences around a part of the passage; `None` where no words stand there.
    pub(super) fn sentences(&self, part: &Range<usize>) -> Option<Sentences> {
        sentences(&self.blocks, part).map(|(block, shown)| Sentences { block, shown })
    }

    /// The text directive, without `text=`, of sentences; `None` if they have no words. Where their marks may be signs that the page
    /// shows, a second directive names them with these: a browser marks what it finds.
    pub(super) fn directive(&self, sentences: &Sentences) -> Option<String> {
        let Self { text: passage, blocks } = self;
        let Sentences { block: at, shown: sentence } = sentences.clone();
        let block = &blocks[at];
        let is_last = at + 1 == blocks.len() && block.text[sentence.end..].trim().is_empty();
        let cut = (may_begin_cut(at, block, &sentence), is_last && may_end_cut(passage));
        let without = named(&block.text[sentence.clone()], cut)?;
        let with = block.doubtful_source(&sentence).and_then(|source| named(with_joined(passage, source), cut));
        let both = with.filter(|with| *with != without).map(|with| format!("{without}{DIRECTIVE_PARTING}{with}"));
        Some(both.filter(|both| both.len() <= MAX_DIRECTIVE_BYTES).unwrap_or(without))
    }

    /// Whether one part of the passage follows another one, with no word between them.
    pub(super) fn follow(&self, one: &Range<usize>, next: &Range<usize>) -> bool {
        next.start <= one.end
            || self.text.get(one.end..next.start).is_some_and(|between| !between.contains(char::is_alphanumeric))
    }

    /// The range of the passage in which sentences stand.
    pub(super) fn source(&self, sentences: &Sentences) -> Option<Range<usize>> {
        self.blocks[sentences.block].source(&sentences.shown)
    }
}

/// The directive of sentences: their words as a whole, or their ends. Of the first and the last word, either may have been cut.
fn named(sentences: &str, (cut_start, cut_end): (bool, bool)) -> Option<String> {
    let text = folded(sentences);
    let words = whole_words(&text, cut_start, cut_end)?;
    let whole = encoded(words);
    let is_whole = words.chars().count() <= MAX_WHOLE_CHARS && whole.len() <= MAX_DIRECTIVE_BYTES;
    Some(if is_whole { whole } else { ends(words) })
}

/// A part of a passage with the `_` around it: browsers take them for parts of a word.
fn with_joined(passage: &str, part: Range<usize>) -> &str {
    let start = passage[..part.start].trim_end_matches('_').len();
    let behind = &passage[part.end..];
    &passage[start..part.end + behind.len() - behind.trim_start_matches('_').len()]
}

/// The block that has most of a part of the passage, and the sentences around it there: a sentence is found within one block only.
fn sentences(blocks: &[PassageBlock], part: &Range<usize>) -> Option<(usize, Range<usize>)> {
    let shown = blocks.iter().enumerate().filter_map(|(at, block)| Some((at, block.shown(part)?)));
    let (at, part) = shown.max_by_key(|(at, part)| (part.len(), usize::MAX - at))?;
    let text = &blocks[at].text;
    let sentence = sentences_around(text, &part);
    let end = sentence.start + text[sentence.clone()].trim_end().len();
    Some((at, sentence.start..end))
}

/// The whole sentences (UAX #29) that a part of a text touches.
fn sentences_around(text: &str, part: &Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (part.start, part.end);
    let mut at = known_beginning(text, part.start);
    while at < text.len() && at <= part.end {
        let sentence_end = at + first_sentence(&text[at..]);
        if at <= part.start && part.start < sentence_end {
            start = at;
        }
        if at < part.end && part.end <= sentence_end {
            end = sentence_end;
        }
        at = sentence_end;
    }
    start..end
}

/// The last byte up to a place at which a sentence begins whatever stands around it, and 0 without one: a capital behind a stop and a
/// blank, which only the rule SB11 of UAX #29 fits. Sentences are looked for from there, because finding them takes most of the time.
fn known_beginning(text: &str, place: usize) -> usize {
    let begun = &text.as_bytes()[..text.len().min(place + 1)];
    let known = begun.windows(3).rposition(|three| matches!(three, [b'.' | b'!' | b'?', b' ', b'A'..=b'Z']));
    known.map_or(0, |at| at + 2)
}

/// A text with one blank in place of each row of white space, and without characters that nobody sees.
fn folded(text: &str) -> String {
    let is_unseen = |c: char| {
        matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
    };
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a sentence at the start of a passage may begin inside a word.
fn may_begin_cut(block: usize, first: &PassageBlock, sentence: &Range<usize>) -> bool {
    let before = &first.text[..sentence.start];
    block == 0 && before.trim().is_empty() && first.text.trim_start().starts_with(char::is_lowercase)
}

/// Whether a passage may end inside a word: no stop stands behind it, or dots that show a cut.
fn may_end_cut(passage: &str) -> bool {
    let passage = passage.trim_end();
    let shortened = passage.trim_end_matches(['…', '.']);
    let dots = passage.len() - shortened.len();
    shortened.ends_with(char::is_alphanumeric) && (dots == 0 || dots >= 3)
}

/// The text from its first word to its last one, without words that may have been cut; `None` if it has no word.
fn whole_words(text: &str, cut_start: bool, cut_end: bool) -> Option<&str> {
    let mut kept = trimmed(text);
    let mut left = if cut_start || cut_end { kept.unicode_words().count() } else { 0 };
    if cut_start && left >= LEAST_WORDS {
        kept = kept.unicode_word_indices().nth(1).map_or(kept, |(at, _)| &kept[at..]);
        left -= 1;
    }
    if cut_end && left >= LEAST_WORDS {
        kept = kept.unicode_word_indices().next_back().map_or(kept, |(at, _)| &kept[..at]);
    }
    let kept = trimmed(kept);
    (!kept.is_empty()).then_some(kept)
}

/// The text without what stands before its first letter or digit and behind its last one. Marks above and below a letter belong to
/// it, and so do the `_` that join it.
fn trimmed(text: &str) -> &str {
    let has_letter = |(_, cluster): &(usize, &str)| cluster.contains(char::is_alphanumeric);
    let Some((start, _)) = text.grapheme_indices(true).find(has_letter) else { return "" };
    let last = text.grapheme_indices(true).rev().find(has_letter);
    let end = last.map_or(text.len(), |(at, cluster)| at + cluster.len());
    with_joined(text, start..end)
}

/// The ends of a long text: `start,end`.
fn ends(text: &str) -> String {
    let (start, end) = if is_without_blanks(text) {
        let clusters: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
        let many = END_CHARS.min(clusters.len() / 2).max(1);
        let start = clusters.get(many).map_or(text.len(), |(at, _)| *at);
        let end = clusters.get(clusters.len().saturating_sub(many)).map_or(0, |(at, _)| *at);
        (&text[..start], &text[end..])
    } else {
        let words: Vec<usize> = std::iter::once(0).chain(text.match_indices(' ').map(|(at, _)| at + 1)).collect();
        let many = END_WORDS.min(words.len() / 2).max(1);
        (&text[..words.get(many).copied().unwrap_or(text.len())], &text[words[words.len() - many]..])
    };
    let (start, end) = (trimmed(start), trimmed(end));
    if start.is_empty() || end.is_empty() || start.len() + end.len() >= text.len() {
        return encoded(text);
    }
    format!("{},{}", encoded(start), encoded(end))
}

/// Whether most letters are of scripts that write no blanks between words.
fn is_without_blanks(text: &str) -> bool {
    let is_such = |c: &char| {
        matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
    };
    text.chars().filter(is_such).count() * 2 > text.chars().filter(|c| c.is_alphanumeric()).count()
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    use super::*;

    fn directive(read: &ReadPassage<'_>, part: Range<usize>) -> Option<String> {
        read.directive(&read.sentences(&part)?)
    }

    fn of(passage: &str, part: &str) -> Option<String> {
        let at = passage.find(part).expect("a part of the passage");
        directive(&ReadPassage::new(passage), at..at + part.len())
    }

    fn read(passage: &str, part: &str) -> String {
        let directive = of(passage, part).expect("a directive");
        percent_decode_str(&directive).decode_utf8().expect("UTF-8").into_owned()
    }

    #[test]
    fn the_whole_sentence_of_the_passage_is_named_without_marks() {
        let passage =
            "# Leave\n\nSome words before. **Leave** is  30\ndays [a year](https://x), 1.5 a month! And more.";
        assert_eq!(read(passage, "30"), "Leave is 30 days a year, 1.5 a month");
        assert_eq!(of(passage, "30\ndays").as_deref(), Some("Leave%20is%2030%20days%20a%20year%2C%201.5%20a%20month"));
        assert_eq!(read("- (one) item_of two-three;\n- other", "item"), "one) item_of two-three");
        assert_eq!(of("**!** \u{2014} ?", "!"), None);
        assert_eq!(of("![only](x.png)", "only"), None);
    }

    #[test]
    fn signs_that_may_be_marks_are_named_without_them_and_with_them() {
        for (passage, part, without, with) in [
            (r"Set PS1='\$' and PS2 there.", "Set", "Set PS1='$' and PS2 there", r"Set PS1='\$' and PS2 there"),
            (
                "In `unstable', and also in `stable'.",
                "also",
                "In unstable', and also in stable",
                "In `unstable', and also in `stable",
            ),
            ("Give <package> a name.", "name", "Give a name", "Give <package> a name"),
            ("Call __init__ of it.", "Call", "Call init of it", "Call __init__ of it"),
            ("__init__ is run.", "run", "init is run", "__init__ is run"),
            ("It is 2*3*4 then.", "then", "It is 234 then", "It is 2*3*4 then"),
            (
                "See <https://x.example> for it.",
                "See",
                "See https://x.example for it",
                "See <https://x.example> for it",
            ),
        ] {
            assert_eq!(read(passage, part), format!("{without}&text={with}"), "{passage}");
        }
        // These are marks of Markdown, or stand around all of it.
        for passage in ["**Leave** is *new* `here`.", "<b>Leave is new here</b>", "~~Leave~~ is new [here](https://x)"]
        {
            assert_eq!(read(passage, "new").matches("&text=").count(), 0, "{passage}");
        }
        let long = format!(r"The home \$HOME {} of the user \$USER is here.", "is a very long one".repeat(7));
        let without = "The home $HOME is a,the user $USER is here";
        assert_eq!(read(&long, "user"), format!("{without}&text={}", without.replace('$', r"\$")));
    }

    #[test]
    fn a_long_sentence_is_named_by_its_ends() {
        let long = "Employees of the company who have worked here for more than five years, and those who came from one of \
                    its other companies before, have thirty days of leave.";
        assert_eq!(read(long, "five"), "Employees of the company who,have thirty days of leave");
        let passage = "休暇は年間三十日で、翌年の三月末までに五日まで繰り越すことができますが、それ以降は失効しますのでご注意ください";
        let long = format!("{}。", passage.repeat(3));
        assert_eq!(read(&long, "失効"), "休暇は年間三十日,でご注意ください");
    }

    #[test]
    fn a_word_that_may_have_been_cut_is_left_out() {
        assert_eq!(read("ployees have thirty days of lea", "thirty"), "have thirty days of");
        assert_eq!(read("Employees have thirty days of lea…", "thirty"), "Employees have thirty days of");
        assert_eq!(read("Employees have thirty days of leave.", "thirty"), "Employees have thirty days of leave");
        assert_eq!(
            read("Employees have thirty days of leave.\n\nMore", "thirty"),
            "Employees have thirty days of leave"
        );
    }

    #[test]
    fn the_sentences_around_a_part_are_a_range_of_the_passage() {
        let passage = "One. Leave is **30 days** a `year`. Two.";
        let at = passage.find("30").expect("there");
        let read = ReadPassage::new(passage);
        let sentence = read.sentences(&(at..at + 2)).and_then(|found| read.source(&found)).expect("a sentence");
        assert_eq!(&passage[sentence], "Leave is **30 days** a `year`.");
    }

    #[test]
    fn parts_follow_each_other_where_no_word_stands_between_them() {
        let read = ReadPassage::new("One.\n\n- Two.\n- Three.");
        assert!(read.follow(&(0..4), &(8..12)) && read.follow(&(0..9), &(8..12)));
        assert!(!read.follow(&(0..4), &(15..21)));
    }

    #[test]
    fn of_a_long_passage_only_the_part_that_is_judged_is_read() {
        let passage = format!("Leave is thirty days. {}", "年".repeat(MOST_READ));
        let read = ReadPassage::new(&passage);
        assert!(read.text.len() <= MOST_READ);
        assert_eq!(directive(&read, 0..5).as_deref(), Some("Leave%20is%20thirty%20days"));
        assert_eq!(directive(&read, MOST_READ..MOST_READ + 9), None);
    }

    #[test]
    fn a_part_of_several_blocks_is_named_where_most_of_it_stands() {
        let passage = "## Annual leave\n\nEmployees have thirty days of leave.";
        assert_eq!(read(passage, "leave\n\nEmployees have"), "Employees have thirty days of leave");
    }

    proptest! {
        #[test]
        fn sentences_are_those_that_are_found_from_the_start_of_the_text(
            text in proptest::collection::vec(
                proptest::sample::select(vec!["word", "Word", "A", "z", " ", " ", ". ", "! ", ".", "?", ", ", "\"", ")", "3", "\n", "\r",
                    "é", "\u{301}", "年", "。", "…", "\u{a0}", "Ü", ":", "e.g. "]), 1..60),
            from in 0.0..1.0_f64, length in 0..20_usize,
        ) {
            let text = text.concat();
            let start = text.floor_char_boundary((text.len() as f64 * from) as usize);
            let end = text.floor_char_boundary((start + length).min(text.len()));
            let all: Vec<_> = text.split_sentence_bound_indices().map(|(at, sentence)| at..at + sentence.len()).collect();
            let first = all.iter().find(|sentence| sentence.contains(&start)).map_or(start, |sentence| sentence.start);
            let last = all.iter().find(|sentence| sentence.start < end && end <= sentence.end).map_or(end, |sentence| sentence.end);
            prop_assert_eq!(sentences_around(&text, &(start..end)), first..last);
        }

        #[test]
        fn a_directive_is_found_in_its_passage_and_cannot_mean_anything_else(
            passage in proptest::collection::vec(
                proptest::sample::select(vec!["word", "Ünï", " ", " ", ". ", ", ", "-", "&", "*", "_", "(", "é\u{301}", "年", "\n\n",
                    "- ", "<b>", "[x](y)", "`c`", "\u{200b}", "123", "!"]), 1..80),
            from in 0.0..1.0_f64, length in 1..60_usize,
        ) {
            let passage = passage.concat();
            let start = passage.floor_char_boundary((passage.len() as f64 * from) as usize);
            let end = passage.floor_char_boundary((start + length).min(passage.len()));
            let Some(directive) = directive(&ReadPassage::new(&passage), start..end) else { return Ok(()) };
            let blocks: Vec<String> =
                passage_blocks(&passage, Writing::Markdown).iter().map(|block| folded(&block.text)).collect();
            let written = [folded(&passage)];
            let readings: Vec<&str> = directive.split(DIRECTIVE_PARTING).collect();
            prop_assert!(readings.len() <= 2, "{directive}");
            for (reading, texts) in readings.iter().zip([&blocks[..], &written]) {
                prop_assert!(reading.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._%,".contains(&byte)));
                prop_assert!(reading.matches(',').count() <= 1 && !reading.is_empty());
                let ends: Vec<String> =
                    reading.split(',').map(|end| percent_decode_str(end).decode_utf8_lossy().into_owned()).collect();
                prop_assert!(texts.iter().any(|text| {
                    let first = text.find(&ends[0]);
                    first.is_some_and(|at| ends.get(1).is_none_or(|last| text[at + ends[0].len()..].contains(last.as_str())))
                }), "{directive} {texts:?}");
            }
        }
    }
}
