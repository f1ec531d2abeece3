//! The engines, as one child process: a line of JSON with questions in, a line of JSON with answers out.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use super::flow::{Flow, Item};

/// The readings of one text by all engines.
#[derive(Debug, Deserialize)]
pub(super) struct Readings {
    /// By the name of the engine.
    pub(super) engines: BTreeMap<String, Reading>,
    /// The links and images of an answer as markdown-it finds them when the model's own definitions of markers take effect.
    links: Vec<Vec<String>>,
    /// The links and images as markdown-it finds them when no definition takes effect.
    links_without_definitions: Vec<Vec<String>>,
}

impl Readings {
    pub(super) fn links(&self) -> Flow {
        self.links.iter().map(|item| Item::read(item)).collect()
    }

    pub(super) fn links_without_definitions(&self) -> Flow {
        self.links_without_definitions.iter().map(|item| Item::read(item)).collect()
    }
}

/// The reading of one text by one engine.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Reading {
    flow: Vec<Vec<String>>,
    /// Label, address, title.
    pub(super) definitions: Vec<(String, String, String)>,
    /// The links, images and code with bare addresses as links too: as the page draws them.
    drawn: Vec<Vec<String>>,
}

impl Reading {
    pub(super) fn flow(&self) -> Flow {
        self.flow.iter().map(|item| Item::read(item)).collect()
    }

    pub(super) fn drawn(&self) -> Vec<Item> {
        self.drawn.iter().map(|item| Item::read(item)).collect()
    }

    /// Whether the page draws every link, image and piece of code that is read, badges aside: a bare address can swallow them.
    pub(super) fn draws_what_is_read(&self) -> bool {
        let drawn = self.drawn();
        let is_badge =
            |item: &Item| matches!(item, Item::Link { text, .. } if text.bytes().all(|byte| byte.is_ascii_digit()));
        let is_drawn = |item: &Item| matches!(item, Item::Link { .. } | Item::Image { .. } | Item::Code(_));
        self.flow().iter().filter(|item| is_drawn(item) && !is_badge(item)).all(|item| drawn.contains(item))
    }

    pub(super) fn has_table(&self) -> bool {
        self.flow.iter().any(|item| item[..] == ["<", "table"])
    }
}

pub(super) struct Judge {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Judge {
    pub(super) fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines");
        assert!(
            folder.join("node_modules/.package-lock.json").exists(),
            "the Markdown engines are not installed: run `npm ci --ignore-scripts` in {}, or `cargo xtask test tests`, which does it",
            folder.display()
        );
        let mut process = Command::new("node")
            .arg("judge.mjs")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`node` starts: Node.js 20 or newer must be on PATH");
        let questions = process.stdin.take().expect("its input");
        let answers = BufReader::new(process.stdout.take().expect("its output"));
        Self { process, questions, answers }
    }

    /// Has the engines read each text; `None` for one at which an engine fails. With `markers`, definitions that a
    /// marker could mean take no effect.
    pub(super) fn read_all<T: AsRef<str>>(&mut self, texts: &[T], markers: bool) -> Vec<Option<Readings>> {
        if texts.is_empty() {
            return Vec::new();
        }
        let ask = |text: &T| json!({"text": text.as_ref(), "markers": markers});
        let questions = texts.iter().map(ask).collect::<Vec<_>>();
        // One line for all, so that neither side waits for the other to read.
        writeln!(self.questions, "{}", Value::from(questions)).expect("the judge listens");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the judge answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the judge failed: {error}"))
    }

    /// Has the engines read one text. Panics if one of them fails at it.
    pub(super) fn read(&mut self, text: &str, markers: bool) -> BTreeMap<String, Reading> {
        let readings = self.read_all(&[text], markers).pop().flatten();
        readings.unwrap_or_else(|| panic!("the engines fail at {text:?}")).engines
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
