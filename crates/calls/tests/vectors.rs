//! Calls every sample, whole and in cuts: a stream ends with the message of the whole answer.
//!
//!     cargo test --package citewire-calls --test vectors -- FILE [GENERATED]
//!
//! also writes the calls and their results, one a line, by which other processes are held against this one, and GENERATED ones with
//! faulty answers. A body that is not UTF-8 is in base64.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use citewire_calls::{Call, CallError, Stream};
use serde_json::{Value, json};

/// The dialects of the samples: one that streams with claims, one that streams without, one without Markdown, one of blocks.
const CHANNELS: [&str; 4] = ["web-chat", "teams", "plain", "slack-blocks"];

/// The lengths in which an answer arrives.
const CUTS: [usize; 3] = [1, 7, 64];

/// Answers above this are called whole alone.
const CUT_BYTES: usize = 4 * 1024;

/// Pieces of markers, JSON and characters that answers are spoilt with.
const PIECES: [&str; 18] = [
    "[1]",
    "[2",
    "]",
    "【3†a】",
    "[^1]",
    "\\n\\n",
    "```",
    "$",
    "|",
    "\"",
    "{",
    "}",
    "\u{fe0f}",
    "😀",
    "\\ud83d",
    "\n\n",
    "data: ",
    "<b>",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.file_stem().is_some_and(|stem| stem == "input") {
            found.push(path);
        }
    }
}

/// Numbers that look random and are the same each time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// An answer with some faults.
fn spoilt(answer: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = answer.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len() + 1);
        let end = bytes.len().min(at + numbers.below(24));
        match numbers.below(8) {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.splice(at..at, [numbers.below(256) as u8])),
            2 | 3 => drop(bytes.drain(at..end)),
            4 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => drop(bytes.splice(at..at, PIECES[numbers.below(PIECES.len())].bytes())),
        }
    }
    bytes
}

fn text(result: Result<Vec<u8>, CallError>) -> (String, bool) {
    let (bytes, failed) = match result {
        Ok(bytes) => (bytes, false),
        Err(error) => (error.to_json(), true),
    };
    (String::from_utf8(bytes).expect("JSON is text"), failed)
}

struct Vectors<W> {
    out: W,
}

impl<W: Write> Vectors<W> {
    fn write(&mut self, mut vector: Value, body: &[u8]) {
        match std::str::from_utf8(body) {
            Ok(text) => vector["body"] = json!(text),
            Err(_) => vector["base64"] = json!(BASE64_STANDARD.encode(body)),
        }
        writeln!(self.out, "{vector}").expect("written");
    }

    /// A call; the result is given back, where there is one.
    fn call(&mut self, name: &str, call: Call, body: &[u8], parameters: &Value) -> Option<Vec<u8>> {
        let result = call.run(body, parameters.to_string().as_bytes());
        let kept = result.as_ref().ok().cloned();
        let (result, failed) = text(result);
        let vector =
            json!({"name": name, "call": call.name(), "parameters": parameters, "result": result, "failed": failed});
        self.write(vector, body);
        kept
    }

    /// A stream in pieces of one length: each update, and the end, which is that of the whole answer.
    fn stream(&mut self, name: &str, body: &[u8], cut: usize, parameters: &Value) {
        let mut stream = Stream::begin(parameters.to_string().as_bytes()).expect("parameters");
        let mut updates = Vec::new();
        let pushed = body.chunks(cut).try_for_each(|piece| {
            updates.extend(stream.push(piece)?.map(|update| String::from_utf8(update).expect("JSON is text")));
            Ok(())
        });
        let (end, failed) = text(pushed.and_then(|()| stream.finish()));
        let mut whole = parameters.clone();
        whole["options"] = json!({"updates": 0});
        let (whole, whole_failed) = text(Call::Convert.run(body, whole.to_string().as_bytes()));
        assert_eq!(failed, whole_failed, "{name}: {end} {whole}");
        if !failed {
            let [end, whole] = [&end, &whole].map(|json| serde_json::from_str::<Value>(json).expect("JSON"));
            assert_eq!(end["message"], whole["activities"][0], "{name} in pieces of {cut}");
            assert_eq!(end["report"], whole["report"], "{name} in pieces of {cut}");
        }
        let vector = json!({
            "name": name, "call": "stream", "parameters": parameters, "cut": cut,
            "updates": updates, "result": end, "failed": failed,
        });
        self.write(vector, body);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let out: Box<dyn Write> = match arguments.next() {
        Some(file) => Box::new(BufWriter::new(File::create(file).expect("a file"))),
        None => Box::new(io::sink()),
    };
    let generated: usize = arguments.next().map_or(0, |count| count.parse().expect("a number"));
    let mut inputs = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/answers"), &mut inputs);
    assert!(inputs.len() > 100, "only {} samples were found", inputs.len());
    let samples: Vec<(String, Vec<u8>)> =
        inputs.iter().map(|path| (path.display().to_string(), fs::read(path).expect("a sample"))).collect();
    let mut vectors = Vectors { out };
    for (name, body) in &samples {
        for channel in CHANNELS {
            let converted = vectors.call(name, Call::Convert, body, &json!({"channel": channel}));
            let message = converted.and_then(|converted| {
                let answer: Value = serde_json::from_slice(&converted).expect("JSON");
                answer["activities"].as_array()?.last().map(|message| message.to_string().into_bytes())
            });
            if let Some(message) = message.filter(|_| ["web-chat", "teams"].contains(&channel)) {
                vectors.call(name, Call::Check, &message, &json!({"channel": channel}));
                vectors.call(name, Call::Fix, &message, &json!({"channel": channel}));
            }
        }
        vectors.call(name, Call::Records, body, &json!({}));
        vectors.call(name, Call::Prompt, body, &json!({"options": {"max_bytes": 2000}}));
        for cut in CUTS.into_iter().filter(|_| body.len() <= CUT_BYTES) {
            vectors.stream(name, body, cut, &json!({"channel": if cut == 7 { "teams" } else { "web-chat" }}));
        }
        vectors.stream(name, body, body.len().max(1), &json!({}));
    }
    let (_, body) = &samples[0];
    let faults = [
        json!({"channel": "fax"}),
        json!({"from": "nobody"}),
        json!({"from": 5}),
        json!({"chanel": "teams"}),
        json!({"options": {"nonsense": 1}}),
        json!({"report": "no"}),
        json!({"options": {"require_grounding": "anchored"}}),
        json!({"report": false}),
    ];
    for parameters in faults {
        vectors.call("parameters", Call::Convert, body, &parameters);
    }
    for (body, parameters) in [("{", json!({})), ("{}", json!({"channel": "fax"})), ("5", json!({"profile": "none"}))] {
        vectors.call("bad activities", Call::Check, body.as_bytes(), &parameters);
        vectors.call("bad activities", Call::Fix, body.as_bytes(), &parameters);
    }
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for number in 0..generated {
        let (name, sample) = &samples[numbers.below(samples.len())];
        let body = spoilt(sample, &mut numbers);
        let parameters = json!({"channel": CHANNELS[numbers.below(CHANNELS.len())]});
        let name = format!("generated {number}: {name}");
        if number % 4 == 3 {
            let cut = 1 + numbers.below(200);
            vectors.stream(&name, &body, cut, &parameters);
        } else {
            vectors.call(&name, Call::Convert, &body, &parameters);
        }
    }
}
