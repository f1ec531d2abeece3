//! Bytes to a case.

use citewire_core::answer::{Answer, Citation, MarkerGrammar, Source, SourceIndex};
use citewire_core::cite::{Numbering, Pages, Rules};
use citewire_core::text::Span;

/// How many bytes choose rules, grammar and sources, before the lengths or citations and the text.
pub const HEAD: usize = 6;

/// A longer text is cut.
const MAX_TEXT: usize = 48 * 1024;

/// An answer, the rules it is cited by, and numbers for whatever else a target varies.
#[derive(Debug)]
pub struct Case {
    pub answer: Answer,
    pub rules: Rules,
    /// At most 15, at least one.
    pub numbers: Vec<u8>,
}

impl Case {
    /// Any bytes are a case; too few are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (&[rules, grammar, sources, turn, repeat, count], rest) = bytes.split_first_chunk::<HEAD>()?;
        let count = usize::from(count % 16).max(1);
        if rest.len() < count {
            return None;
        }
        let (numbers, text) = rest.split_at(count);
        let text = String::from_utf8_lossy(text);
        // Long texts out of short inputs: limits are thousands of bytes away.
        let times = if repeat < 247 { 1 } else { 1 << (repeat - 246) };
        let times = times.min(MAX_TEXT / text.len().max(1)).max(1);
        let mut answer = Answer::default();
        answer.text = text.repeat(times);
        answer.sources = self::sources(usize::from(sources), usize::from(turn));
        answer.grammar = self::grammar(grammar);
        Some(Self { answer, rules: self::rules(rules, grammar), numbers: numbers.to_vec() })
    }

    /// Citations beside the text, two numbers and more each: where, how long, of what.
    pub fn cite_spans(&mut self) {
        let text = &self.answer.text;
        let mut spans = Vec::new();
        for triple in self.numbers[1..].chunks_exact(3) {
            let &[from, length, source] = triple else { continue };
            let from = text.floor_char_boundary(text.len() * usize::from(from) / 255);
            let end = text.ceil_char_boundary((from + usize::from(length)).min(text.len()));
            if self.answer.sources.is_empty() {
                continue;
            }
            let source = SourceIndex(usize::from(source) % self.answer.sources.len());
            if let Ok(span) = Span::new(text, from..end) {
                spans.push(Citation::new(span, vec![source]));
            }
        }
        self.answer.citations = spans;
    }
}

fn rules(byte: u8, other: u8) -> Rules {
    let mut rules = match byte % 4 {
        0 | 1 => Rules::web_chat(),
        2 => Rules::teams(),
        _ => Rules::plain(),
    };
    if byte & 0x04 != 0 {
        rules.numbering = Numbering::Provider;
    }
    if byte & 0x08 != 0 {
        rules.pages = Pages::Split;
    }
    rules.hard_breaks = byte & 0x10 != 0;
    rules.close_fence |= byte & 0x20 != 0 && rules.markdown;
    if byte & 0x40 != 0 {
        rules.image_hosts.insert("x".into());
    }
    if other & 0x80 != 0 {
        rules.max_claims = rules.max_claims.map(|_| 2);
    }
    rules
}

fn grammar(byte: u8) -> MarkerGrammar {
    match byte % 8 {
        0 => MarkerGrammar::NONE,
        1 => MarkerGrammar::AZURE_ON_YOUR_DATA,
        2 => {
            let mut grammar = MarkerGrammar::NONE;
            grammar.numbers = true;
            grammar
        }
        3 => {
            let mut grammar = MarkerGrammar::ALL;
            grammar.names = false;
            grammar
        }
        _ => MarkerGrammar::ALL,
    }
}

/// Sources of every kind: with and without address, id, file, page and marker, two of one document, one with a hostile name.
fn sources(count: usize, turn: usize) -> Vec<Source> {
    let kinds = || -> [Source; 8] {
        std::array::from_fn(|kind| {
            let mut source = Source::default();
            source.pointer = format!("/sources/{kind}");
            let named = |name: &str| Some(name.to_owned());
            match kind {
                0 => {
                    source.title = named("Alpha paper");
                    source.url = "https://x/a".parse().ok();
                    source.filepath = named("a.pdf");
                }
                1 => {
                    source.title = named("The \"Beta\" & co\\");
                    source.url = "https://x/b?q=1&copy;=2".parse().ok();
                }
                2 => {
                    source.url = "https://x/f(1).pdf".parse().ok();
                    source.page = std::num::NonZeroU32::new(2);
                    source.id = named("f1");
                }
                3 => source.content = named("A passage [1] <b>without</b> address"),
                4 => {
                    source.marker = named("【4:0†c】");
                    source.filepath = named("dir/c.pdf");
                }
                5 => {
                    source.title = named("Alpha paper again");
                    source.url = "https://x/a?utm_source=y".parse().ok();
                    source.page = std::num::NonZeroU32::new(3);
                }
                6 => {
                    source.title = named("x](javascript:1) \"\n\n[1]: https://evil \"<script>");
                    source.id = named("turn0search1");
                }
                _ => {
                    source.title = named("x".repeat(400).as_str());
                    source.url = "https://user:secret@www.y.example/%ff/\u{e4}".parse().ok();
                    source.id = named("[1]");
                }
            }
            source
        })
    };
    // Mostly few; sometimes more than a Teams message can show.
    let count = if count >= 250 { 30 } else { count % 9 };
    let kinds = kinds();
    (0..count)
        .map(|at| {
            let mut source = kinds[(at + turn) % kinds.len()].clone();
            if at >= kinds.len() {
                source.url = format!("https://x/{at}").parse().ok();
                source.id = Some(format!("id{at}"));
                source.marker = None;
            }
            source
        })
        .collect()
}
