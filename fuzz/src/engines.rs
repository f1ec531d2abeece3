//! What markdown-it and micromark, the engines of Web Chat, draw of a text.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};

/// `crates/core/tests/engines/judge.mjs`, started when it is first asked; it ends with this process, which ends its input.
static JUDGE: LazyLock<Mutex<Judge>> = LazyLock::new(|| Mutex::new(Judge::start()));

/// What an engine draws that could do harm.
#[derive(Debug)]
pub(crate) enum Drawn {
    /// A link, and where it leads.
    Link(String),
    /// An image, and its address.
    Image(String),
    /// A piece of HTML.
    Html(String),
}

/// What these engines draw, by their names in `judge.mjs`.
pub(crate) fn draw(text: &str, engines: &[&str]) -> Vec<Drawn> {
    JUDGE.lock().unwrap_or_else(PoisonError::into_inner).draw(text, engines)
}

struct Judge {
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Judge {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/core/tests/engines");
        assert!(folder.join("node_modules").exists(), "run `npm ci --ignore-scripts` in crates/core/tests/engines first");
        let mut command = Command::new("node");
        command.arg("judge.mjs").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("`node` starts: Node.js 20 or newer must be on PATH");
        let questions = process.stdin.take().expect("its input");
        Self { questions, answers: BufReader::new(process.stdout.take().expect("its output")) }
    }

    fn draw(&mut self, text: &str, engines: &[&str]) -> Vec<Drawn> {
        writeln!(self.questions, "{}", json!([{"text": text, "markers": false}])).expect("the judge listens");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the judge answers");
        let answers: Value = serde_json::from_str(&line).expect("its answer");
        // Without the links that they make of bare addresses; nothing, where an engine itself fails.
        let flows = engines.iter().map(|engine| &answers[0]["engines"][*engine]["flow"]);
        flows.filter_map(Value::as_array).flatten().filter_map(drawn).collect()
    }
}

fn drawn(item: &Value) -> Option<Drawn> {
    let part = |at: usize| item[at].as_str().unwrap_or_default().to_owned();
    match item[0].as_str()? {
        "a" => Some(Drawn::Link(part(2))),
        "img" => Some(Drawn::Image(part(2))),
        "html" => Some(Drawn::Html(part(1))),
        _ => None,
    }
}
