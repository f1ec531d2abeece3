//! Scratch.
use citewire::answer::MarkerGrammar;
use citewire::cite::{Incremental, Rules, cite};
use citewire::ingest::ingest;
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let body = std::fs::read("benches/load.json").unwrap();
    let answer = ingest(&body, None).unwrap();
    let rules = Rules::web_chat();
    for _ in 0..n {
        match mode.as_str() {
            "whole" => {
                std::hint::black_box(cite(&answer, &rules));
            }
            "parse" => {
                std::hint::black_box(
                    pulldown_cmark::Parser::new_ext(&answer.text, pulldown_cmark::Options::all()).count(),
                );
            }
            "convert" => {
                std::hint::black_box(
                    citewire::convert::convert(
                        &body,
                        &citewire::convert::Conversion::to(citewire::dialect::Dialect::WebChat),
                    )
                    .unwrap(),
                );
            }
            _ => {
                let length = answer.text.len();
                let mut i = Incremental::new(MarkerGrammar::ALL, &rules);
                i.add_sources(answer.sources.iter().cloned());
                let mut at = 0;
                while at < length {
                    let end = answer.text.ceil_char_boundary((at + 4).min(length));
                    std::hint::black_box(i.push(&answer.text[at..end]));
                    at = end;
                }
                std::hint::black_box(i.finish());
            }
        }
    }
}
