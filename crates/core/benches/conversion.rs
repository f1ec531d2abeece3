//! The cost of each step of a conversion, against a bare parse of the same text, and its growth with the answer.
//!
//!     cargo bench --package citewire-core --bench conversion
//!
//! Results and their reading are in `docs/inside/performance.md`.

use std::hint::black_box;

use citewire_core::answer::MarkerGrammar;
use citewire_core::cite::{Incremental, Rules, cite};
use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use citewire_core::graph::{GraphRules, build};
use citewire_core::ingest::ingest;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pulldown_cmark::{Options, Parser};
use serde_json::json;

/// About 1.5 kB, as a model writes: a list, code, a table, a quote, ten places with citations.
const PARAGRAPHS: &str = "\
Employees in Germany are entitled to **30 days** of paid leave a year [1], which is more than the law asks for [2][3]. \
Leave that is not taken by the end of March of the next year is lost, unless the employer failed to point it out [1].

## How to ask for leave

1. Open the portal and choose *Absence* [4].
2. Enter the dates, at least four weeks ahead [4, 5].
3. Wait for the answer of your manager; without one after ten days, write to the team of human resources [5].

The portal also has an interface for programs:

```python
days = [d for d in calendar if d.free][1]
portal.request(days, reason=\"leave\")
```

| Contract | Days | Source |
|---|---|---|
| full time | 30 | agreement of 2023 [1] |
| part time, four days | 24 | agreement of 2023 [1] |
| apprentices | 32 | collective agreement [3] |

> \"Leave serves to recover; whoever falls ill during it gets the days back\" [2], as the handbook says.

Special leave of one to three days is given for weddings, births and moving house [5], and `paid_special_leave` shows how \
many are left. Unpaid leave of up to a year can be agreed on, and does not end the employment; contributions to social \
insurance are then paid for the first month only [2][5]. Questions are answered by the team, best by mail.

";

fn body(repeats: usize) -> Vec<u8> {
    body_of(&PARAGRAPHS.repeat(repeats), 5)
}

fn body_of(text: &str, sources: usize) -> Vec<u8> {
    let sources: Vec<_> = (1..=sources)
        .map(|n| {
            json!({
                "id": format!("doc-{n}"), "title": format!("Leave policy, part {n}"),
                "url": format!("https://hr.contoso.example/policies/leave-{n}.html"),
                "content": "Every employee is entitled to thirty days of paid leave in a calendar year, to be taken by March.",
            })
        })
        .collect();
    json!({"text": text, "sources": sources}).to_string().into_bytes()
}

fn steps(criterion: &mut Criterion) {
    let body = body(1);
    let answer = ingest(&body, None).expect("an answer");
    let mut without_sources = answer.clone();
    without_sources.sources.clear();
    let rules = Rules::web_chat();
    let cited = cite(&answer, &rules);
    let graph_rules = GraphRules::web_chat();
    let conversion = Conversion::to(Dialect::WebChat);
    let activity = convert(&body, &conversion).expect("an activity").activities.remove(0);

    let mut group = criterion.benchmark_group("step");
    group.bench_function("parse (the floor)", |b| {
        b.iter(|| Parser::new_ext(black_box(&answer.text), Options::ENABLE_TABLES).into_offset_iter().count());
    });
    group.bench_function("ingest", |b| b.iter(|| ingest(black_box(&body), None)));
    group.bench_function("find (no marker resolves)", |b| b.iter(|| cite(black_box(&without_sources), &rules)));
    group.bench_function("find and rewrite", |b| b.iter(|| cite(black_box(&answer), &rules)));
    group.bench_function("graph", |b| {
        b.iter(|| build(black_box(&answer), cited.sources.clone(), &graph_rules, &mut Vec::new()));
    });
    group.bench_function("serialise", |b| b.iter(|| serde_json::to_vec(black_box(&activity))));
    group.bench_function("convert, bytes to bytes", |b| {
        b.iter(|| {
            let converted = convert(black_box(&body), &conversion).expect("an activity");
            serde_json::to_vec(&(&converted.activities, &converted.report))
        });
    });
    group.finish();
}

fn growth(criterion: &mut Criterion) {
    let conversion = Conversion::to(Dialect::WebChat);
    let mut group = criterion.benchmark_group("growth");
    group.sample_size(20);
    for repeats in [1, 10, 100, 1_000] {
        let body = body(repeats);
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(repeats * PARAGRAPHS.len()), &body, |b, body| {
            b.iter(|| convert(black_box(body), &conversion));
        });
    }
    group.finish();
}

/// The sum of all pieces of a stream, four bytes each, against the whole; and what follows when an answer is long.
fn streams(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("stream");
    let rules = Rules::web_chat();
    for repeats in [1, 100] {
        let answer = ingest(&body(repeats), None).expect("an answer");
        let length = answer.text.len();
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_with_input(BenchmarkId::new("whole", length), &answer, |b, answer| {
            b.iter(|| cite(black_box(answer), &rules));
        });
        group.bench_with_input(BenchmarkId::new("pieces of 4 bytes", length), &answer, |b, answer| {
            b.iter(|| {
                let mut incremental = Incremental::new(MarkerGrammar::ALL, &rules);
                incremental.add_sources(answer.sources.iter().cloned());
                let mut at = 0;
                while at < length {
                    let end = answer.text.ceil_char_boundary((at + 4).min(length));
                    black_box(incremental.push(&answer.text[at..end]));
                    at = end;
                }
                incremental.finish()
            });
        });
    }
    group.finish();
}

/// Replaces markers as SDKs do: by a regular expression over the whole text, code and links and all.
fn replacement(text: &str) -> String {
    static MARKER: std::sync::LazyLock<regex::Regex> =
        std::sync::LazyLock::new(|| regex::Regex::new(r"\[(\d+)\]").expect("a pattern"));
    MARKER.replace_all(text, "[$1]").into_owned()
}

/// Answers of other shapes, each against the bare parse of the same text.
fn shapes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shape");
    group.sample_size(20);
    let rules = Rules::web_chat();
    let markers: String = (0..500).map(|n| format!("{} [{}] ", "word ".repeat(38), n % 20 + 1)).collect();
    let many = |piece: &str| piece.repeat(100_000 / piece.len());
    let shapes = [
        ("1.3 kB, 5 sources", PARAGRAPHS.to_owned(), 5),
        ("1.3 kB, 20 sources", PARAGRAPHS.to_owned(), 20),
        ("100 kB, 500 markers", markers, 20),
        ("100 kB of [", many("["), 5),
        ("100 kB of backticks in runs that never close", (1..440).map(|n| format!("{} ", "`".repeat(n))).collect(), 5),
        ("100 kB of backticks", many("`"), 5),
        ("10,000 definitions", many("[a]: b\n\n"), 5),
        ("deep quotes", many("> "), 5),
        ("100 kB of <a ", many("<a "), 5),
        ("100 kB of [a](", many("[a]("), 5),
    ];
    for (name, text, sources) in shapes {
        let answer = ingest(&body_of(&text, sources), None).expect("an answer");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{name}: bare parse"), |b| {
            b.iter(|| Parser::new_ext(black_box(&answer.text), Options::ENABLE_TABLES).into_offset_iter().count());
        });
        group
            .bench_function(format!("{name}: regular expression"), |b| b.iter(|| replacement(black_box(&answer.text))));
        group.bench_function(format!("{name}: cite"), |b| b.iter(|| cite(black_box(&answer), &rules)));
    }
    group.finish();
}

criterion_group!(benches, steps, growth, streams, shapes);
criterion_main!(benches);
