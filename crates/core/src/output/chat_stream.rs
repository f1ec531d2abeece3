//! Streams an answer to clients of chat completions (policy P-12).

use super::chat::Chat;
use super::chat_options::{ChatForm, ChatOptions};
use super::chat_text::Wording;
use super::open_webui_text::NumberedText;
use crate::answer::{Answer, MarkerGrammar, Source, SourceIndex};
use crate::cite::{CitedPlace, CitedText, Incremental, Rules, cite};

/// Writes an answer while it arrives. It takes deltas and sources, returns text that will not change, and returns the rest
/// at the end.
///
/// The pieces joined are [`Chat::content`]. They equal the text that [`chat`](super::chat()) writes for the same whole
/// answer, except if a source arrives after text that it would have changed. Then the text stays as shown, and a source that
/// it therefore fails to cite still gets its card.
#[derive(Debug)]
pub struct ChatStream {
    options: ChatOptions,
    rules: Rules,
    chat_text: Wording,
    rewrite: Option<Incremental>,
    grammar: MarkerGrammar,
    /// The text so far.
    text: String,
    /// How many bytes of `text` the rewrite has got.
    passed: usize,
    sources: Vec<Source>,
    /// Whether all further text waits for the end.
    is_held: bool,
    /// How many bytes of the output were returned.
    given: usize,
}

/// The end of a streamed answer.
#[derive(Clone, Debug)]
pub struct ChatUpdate {
    /// The answer.
    pub chat: Chat,
    /// The part of its text that was not returned before.
    pub rest: String,
}

impl ChatStream {
    /// A stream without any text or sources.
    #[must_use]
    pub fn new(options: ChatOptions) -> Self {
        Self {
            chat_text: Wording::new(options.form),
            rules: Rules { without_bibliography: options.form != ChatForm::Uncited, ..Rules::numbered() },
            options,
            rewrite: None,
            grammar: MarkerGrammar::default(),
            text: String::new(),
            passed: 0,
            sources: Vec::new(),
            is_held: false,
            given: 0,
        }
    }

    /// Appends a piece of the text. Its markers have this grammar.
    pub fn add_text(&mut self, delta: &str, grammar: MarkerGrammar) {
        self.text.push_str(delta);
        self.grammar = grammar;
        if !self.is_held {
            self.pass();
            self.write();
        }
    }

    /// Appends sources to the known ones.
    pub fn add_sources(&mut self, sources: Vec<Source>) {
        if sources.is_empty() {
            return;
        }
        let are_first = self.sources.is_empty();
        self.sources.extend(sources.iter().cloned());
        let Some(rewrite) = &mut self.rewrite else { return };
        if are_first && rewrite.has_unresolved() {
            // Markers of the text so far may name these sources. The text before the first of these markers is the only
            // output yet, so the text is read again with the sources.
            let read = self.chat_text.read();
            let mut again = Incremental::new(self.grammar, &self.rules);
            again.add_sources(sources.iter().cloned());
            again.push(&self.text[..self.passed]);
            let [new, old] = [&again, &*rewrite].map(|rewrite| (rewrite.shown(), rewrite.places()));
            if begins_like(new, old, read) {
                *rewrite = again;
                self.write();
                return;
            }
        }
        rewrite.add_sources(sources);
        self.write();
    }

    /// Cites sources at the end of the text so far, for formats that attach citations to a block of text.
    pub fn cite_here(&mut self, sources: Vec<SourceIndex>) {
        match &mut self.rewrite {
            Some(rewrite) if !self.is_held => {
                rewrite.cite_here(sources);
                self.write();
            }
            _ => self.hold(),
        }
    }

    /// Returns no more text until the end, because only the whole answer determines it.
    pub fn hold(&mut self) {
        self.is_held = true;
    }

    /// The output that is new since the last call; `None` if there is none.
    pub fn news(&mut self) -> Option<&str> {
        let written = self.chat_text.written();
        if written.len() == self.given {
            return None;
        }
        let from = std::mem::replace(&mut self.given, written.len());
        Some(&written[from..])
    }

    /// Ends the stream. `answer` is the whole answer that arrived this way.
    #[must_use]
    pub fn finish(mut self, answer: &Answer) -> ChatUpdate {
        let mut cited = cite(answer, &self.rules);
        let mut missed = Vec::new();
        if !self.is_continued_by(&cited) {
            self.pass();
            let whole = std::mem::take(&mut cited);
            cited = self.rewrite.take().map(Incremental::finish).unwrap_or_default();
            missed = places(&whole);
            let kept = places(&cited);
            missed.retain(|place| !kept.contains(place));
        }
        self.chat_text.advance(NumberedText::of(&cited), &answer.sources, true);
        let content = self.chat_text.written().to_owned();
        let order = self.chat_text.order();
        let chat = Chat::of(answer, &cited, content, order, &missed, &self.options);
        ChatUpdate { rest: chat.content[self.given..].to_owned(), chat }
    }

    /// Whether the text of the whole answer continues the text that was read so far.
    fn is_continued_by(&self, whole: &CitedText) -> bool {
        let Some(rewrite) = &self.rewrite else { return true };
        let read = self.chat_text.read();
        begins_like((&whole.text, &whole.places), (rewrite.shown(), rewrite.places()), read)
    }

    /// Passes the rewrite the text that it has not got yet.
    fn pass(&mut self) {
        if self.passed == self.text.len() {
            return;
        }
        let rewrite = self.rewrite.get_or_insert_with(|| {
            let mut rewrite = Incremental::new(self.grammar, &self.rules);
            rewrite.add_sources(self.sources.iter().cloned());
            rewrite
        });
        rewrite.push(&self.text[self.passed..]);
        self.passed = self.text.len();
    }

    /// Writes the text that later input cannot change.
    fn write(&mut self) {
        let Some(rewrite) = self.rewrite.as_ref().filter(|_| !self.is_held) else { return };
        // While no source is known, a marker may name a later one.
        if self.sources.is_empty() && rewrite.has_unresolved() {
            return;
        }
        let text = rewrite.shown();
        // A link cannot be added later, so the text waits from the first bracket on. In the form with badges, the `Wording`
        // waits.
        let waits = self.options.form == ChatForm::Links && self.sources.is_empty();
        let end = text.find('[').filter(|_| waits).unwrap_or(text.len());
        let numbered = NumberedText { text: &text[..end], cited: rewrite.places(), opaque: rewrite.opaque() };
        self.chat_text.advance(numbered, &self.sources, false);
    }
}

/// Whether two texts have the same first `length` bytes, and the same numbers of sources in them.
fn begins_like(a: (&str, &[CitedPlace]), b: (&str, &[CitedPlace]), length: usize) -> bool {
    let places = |places: &[CitedPlace]| places.partition_point(|place| place.range.start < length);
    a.0.is_char_boundary(length)
        && a.0.as_bytes().get(..length) == b.0.as_bytes().get(..length)
        && a.1[..places(a.1)] == b.1[..places(b.1)]
}

/// The places of the cited sources in their list, counted from 0.
fn places(cited: &CitedText) -> Vec<usize> {
    cited.sources.iter().filter_map(|cited| cited.sources.first()).map(|index| index.0).collect()
}

/// Writes a whole answer. A bibliography at the end that repeats the sources is removed (rule AH-04).
#[must_use]
pub fn chat(answer: &Answer, options: &ChatOptions) -> Chat {
    ChatStream::new(options.clone()).finish(answer).chat
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::output::{OpenWebUiOptions, chat, open_webui};

    /// Pieces around markers and lookalikes that readers of Markdown once read differently.
    const PIECES: &[&str] = &[
        "[1]",
        "[2]",
        "[9]",
        "[2, 1]",
        "[1, 9]",
        "[3#p]",
        "[0]",
        "arr[0]",
        "[^1]",
        "\\[1\\]",
        "\\[9\\]",
        "\\",
        "!",
        "`a[0]`",
        "`",
        "\n\n",
        "\n",
        " ",
        "a ",
        "word",
        "- ",
        "> ",
        "# ",
        "(https://x.example)",
        ": ",
        "[9]: ",
        "https://x.example/a",
        "www.x.example",
        "[text](https://ok.example/[0])",
        "[7](https://ok.example)",
        "**",
        "*",
        "$5 ",
        "<b>",
        "< ",
        ".",
        "…",
        "中文",
        "```\n",
        "[doc1]",
        "[doc9]",
        "【1】",
        "【9†x】",
        "$",
        "$a[0]$",
        "~~",
        "_",
        "\r\n",
        "    ",
        "[a]: ",
        "[^1]: ",
        "\"",
        "<https://x.example/[0]>",
        "![a [0]](u[0])",
        "| a |\n|---|\n| ",
        "\n\nReferences:\n[1] A\n[2] B\n",
    ];

    const FORMS: [ChatForm; 5] = ChatForm::ALL;

    fn sources() -> Vec<Source> {
        let source = |name: &str| Source {
            title: Some(name.into()),
            url: format!("https://docs.example/{name}").parse().ok(),
            ..Source::default()
        };
        ["A", "B", "C"].map(source).into()
    }

    fn options(form: ChatForm) -> ChatOptions {
        ChatOptions { form, ..ChatOptions::default() }
    }

    fn answer(text: &str) -> Answer {
        Answer { text: text.into(), sources: sources(), grammar: MarkerGrammar::ALL, ..Answer::default() }
    }

    /// The pieces that the stream returns and its end, if the sources arrive before the piece with this index.
    fn grown(pieces: &[&str], sources_before: usize, form: ChatForm) -> (Vec<String>, ChatUpdate) {
        let answer = answer(&pieces.concat());
        let mut growing = ChatStream::new(options(form));
        let mut given = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            if at == sources_before {
                growing.add_sources(answer.sources.clone());
            }
            growing.add_text(piece, answer.grammar);
            given.extend(growing.news().map(str::to_owned));
        }
        if sources_before >= pieces.len() {
            growing.add_sources(answer.sources.clone());
        }
        (given, growing.finish(&answer))
    }

    #[test]
    fn text_is_given_out_as_it_comes_and_a_marker_only_whole() {
        let (given, grown) = grown(&["One [", "2", "]. Two", " words", " [1", "], more"], 0, ChatForm::Badges);
        assert_eq!(given, ["One", " [1]. Two", " words", " [2], more"]);
        assert_eq!((grown.rest.as_str(), grown.chat.content.as_str()), ("", "One [1]. Two words [2], more"));
    }

    #[test]
    fn markers_wait_for_the_first_source_and_no_longer() {
        let (given, grown) = grown(&["One", " [doc2]. Two", " three", " four"], 3, ChatForm::Badges);
        assert_eq!(given, ["One", " [1]. Two three four"]);
        assert_eq!(grown.chat.events[0].data.source.name, "B");
    }

    #[test]
    fn a_source_that_comes_too_late_has_its_card_all_the_same() {
        let answer = answer("");
        let mut growing = ChatStream::new(options(ChatForm::Badges));
        growing.add_sources(answer.sources[..2].to_vec());
        growing.add_text("One [2]. Two [3].\n\n", answer.grammar);
        growing.add_text("And so it goes on", answer.grammar);
        let given = growing.news().expect("a text").to_owned();
        growing.add_sources(answer.sources[2..].to_vec());
        let answer = Answer { text: "One [2]. Two [3].\n\nAnd so it goes on".into(), ..answer };
        let ChatUpdate { chat, rest } = growing.finish(&answer);
        assert_eq!(given + &rest, chat.content);
        assert_eq!(chat.content, "One [1]. Two [\u{2060}3].\n\nAnd so it goes on");
        let names: Vec<_> = chat.events.iter().map(|event| event.data.source.name.as_str()).collect();
        assert_eq!(names, ["B", "C"]);
    }

    #[test]
    fn what_is_held_is_given_out_at_the_end_as_the_whole_answer_has_it() {
        let answer = answer("One. Two [2].");
        let mut growing = ChatStream::new(options(ChatForm::Badges));
        growing.add_text("One.", answer.grammar);
        assert_eq!(growing.news(), Some("One."));
        growing.hold();
        growing.add_text(" Two [2].", answer.grammar);
        assert_eq!(growing.news(), None);
        assert_eq!(growing.finish(&answer).rest, " Two [1].");
    }

    #[test]
    fn trap_3_numbers_that_name_nothing_are_broken_only_where_there_are_sources() {
        let content = |text: &str, sources: Vec<Source>| {
            chat(&Answer { sources, ..answer(text) }, &options(ChatForm::Badges)).content.replace('\u{2060}', "~")
        };
        assert_eq!(content("a[0] [9] `b[0]`\n\n\\[1\\]", sources()), "a[~0] [~9] `b[0]`\n\n[~1~]");
        assert_eq!(content("a[0] [9] [1, 2]", Vec::new()), "a[0] [9] [1, 2]");
    }

    proptest! {
        #[test]
        fn the_pieces_joined_are_the_whole_answer_wherever_it_is_cut(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 1..24),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
            at_once in any::<bool>(),
        ) {
            let text = pieces.concat();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            let answer = answer(&text);
            for form in FORMS {
                let whole = chat(&answer, &options(form));
                let (given, grown) = grown(&pieces, 0, form);
                prop_assert_eq!(given.concat() + &grown.rest, whole.content.as_str());
                prop_assert_eq!(&grown.chat, &whole);
                // Late sources change no text that was returned.
                let (given, grown) = self::grown(&pieces, if at_once { pieces.len() } else { pieces.len() / 2 }, form);
                prop_assert_eq!(given.concat() + &grown.rest, grown.chat.content.as_str());
            }
        }

        #[test]
        fn badges_are_those_of_the_output_for_open_webui(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..PIECES.len() - 1]), 1..16),
        ) {
            let answer = answer(&pieces.concat());
            let reference = open_webui(&answer, &OpenWebUiOptions::default());
            let chat = chat(&answer, &options(ChatForm::Badges));
            // This output drops a bibliography and the other keeps it; without cards, the other also leaves brackets alone.
            let ends_in_list = {
                let rules = Rules { without_bibliography: true, ..Rules::numbered() };
                cite(&answer, &rules) != cite(&answer, &Rules::numbered())
            };
            if !reference.events.is_empty() && !ends_in_list {
                prop_assert_eq!(chat.content, reference.content);
                prop_assert_eq!(chat.events, reference.events);
            }
        }
    }
}
