//! Judges pairs: a JSON object `{"id", "sentence", "passages", "title"}` a line in, `{"id", "verdict", "reasons"}` a line out.

use std::io::{self, BufRead as _, Write as _};

use citewire_support::{Cited, Passage, judge};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout());
    for line in io::stdin().lock().lines() {
        let pair: Value = serde_json::from_str(&line?)?;
        let text = |name: &str| pair[name].as_str().unwrap_or_default();
        let passage = pair["passages"][0].as_str().unwrap_or_default();
        let passage_read = Passage::read(passage);
        let judgement =
            judge(text("sentence"), Cited { passage: &passage_read, headings: text("title"), is_teaser: false });
        let reasons: Vec<String> = judgement
            .reasons
            .iter()
            .map(|reason| format!("{} {}", reason.code.code(), &text("sentence")[reason.range.clone()]))
            .collect();
        let place = judgement.place.map(|place| &passage[place]);
        let verdict = judgement.verdict.code();
        writeln!(out, "{}", json!({"id": text("id"), "verdict": verdict, "reasons": reasons, "place": place}))?;
    }
    out.flush()
}
