//! Assistants of the configuration file, at the start of the command and when the file changes.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::app::{API_KEY, DIRECT_LINE_SECRET, answer, citewire};

/// The longest wait for a line of the server, which looks at its files every two seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// The lines of a command's stderr, until it ends.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let stderr = child.stderr.take().expect("a pipe");
    let (tell, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            drop(tell.send(line));
        }
    });
    lines
}

/// A server with a configuration file, and what it says on its standard error.
struct Configured {
    folder: TempDir,
    child: Child,
    lines: Receiver<String>,
    url: String,
}

fn documents(folder: &Path) -> String {
    let documents = folder.join("documents");
    std::fs::create_dir_all(&documents).expect("a folder");
    std::fs::write(documents.join("leave.md"), "# Leave\n\nLeave is 30 days a year.\n").expect("written");
    documents.display().to_string()
}

/// An assistant that quotes the documents.
fn section(name: &str, documents: &str) -> String {
    format!(
        "[assistants.{name}]\nsecret_env = 'SECRET_OF_{name}'\n[assistants.{name}.documents]\nfolder = '{documents}'\n"
    )
}

impl Configured {
    fn start(config: impl FnOnce(&str) -> String) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("citewire.toml");
        std::fs::write(&file, config(&documents(folder.path()))).expect("written");
        let mut command = citewire(&["serve", "--bind", "127.0.0.1:0", "--config"]);
        command.arg(&file).env("CITEWIRE_DATA_DIR", folder.path().join("data")).env("CITEWIRE_STORE_URL", "memory:");
        command.env("CITEWIRE_API_KEY", API_KEY).env("CITEWIRE_DIRECT_LINE_SECRET", DIRECT_LINE_SECRET);
        command.env("SECRET_OF_hr", "the-secret-of-hr-1234").env("SECRET_OF_it", "the-secret-of-it-1234");
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
        let lines = lines_of(&mut child);
        let mut configured = Self { folder, child, lines, url: String::new() };
        let line = configured.said("citewire is listening on ");
        configured.url = line.trim_start_matches("citewire is listening on ").to_owned();
        configured
    }

    /// The next line that begins with this.
    fn said(&self, beginning: &str) -> String {
        let mut passed = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("the server says nothing like {beginning:?}: {passed:#?}"));
            if line.starts_with(beginning) {
                return line;
            }
            passed.push(line);
        }
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("citewire.toml")
    }

    fn write(&self, config: &str) {
        // Another file takes its place at once, as editors do.
        let new = self.folder.path().join("new.toml");
        std::fs::write(&new, config).expect("written");
        std::fs::rename(new, self.file()).expect("renamed");
    }

    fn hang_up(&self) {
        let sent = std::process::Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    async fn models(&self) -> Vec<String> {
        let client = reqwest::Client::builder().build().expect("a client");
        let (_, list) = answer(client.get(format!("{}/v1/models", self.url)).bearer_auth(API_KEY)).await;
        let models = list["data"].as_array().expect("models");
        models.iter().map(|model| model["id"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// The revision that the server answers with, as soon as it differs from the one before.
async fn other_revision(server: &Configured, before: &str) -> String {
    let client = reqwest::Client::builder().build().expect("a client");
    let changed = async {
        loop {
            let (_, health) = answer(client.get(format!("{}/readyz", server.url))).await;
            let revision = health["revision"].as_str().expect("a revision");
            // Documents are read behind the start, and change the revision.
            if health.get("reading").is_none() && revision != before {
                let figures = client.get(format!("{}/metrics", server.url)).bearer_auth(API_KEY).send().await;
                let figures = figures.expect("an answer").text().await.expect("a text");
                let of_revision: Vec<_> = figures.lines().filter(|l| l.starts_with("citewire_revision_info")).collect();
                assert_eq!(of_revision, [format!("citewire_revision_info{{revision=\"{revision}\"}} 1")]);
                return revision.to_owned();
            }
        }
    };
    timeout(PATIENCE, changed).await.expect("it changes in time")
}

impl Drop for Configured {
    fn drop(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }
}

#[tokio::test]
async fn a_changed_file_and_a_hangup_change_the_assistants_and_a_wrong_one_does_not() {
    let server = Configured::start(|documents| section("hr", documents));
    assert_eq!(server.models().await, ["hr"]);
    let documents = documents(server.folder.path());
    let both = section("hr", &documents) + &section("it", &documents);
    server.write(&both);
    let line = server.said("the configuration was read again");
    assert_eq!(line, "the configuration was read again: the assistants hr, it answer");
    assert_eq!(server.models().await, ["hr", "it"]);

    server.write("[assistants.hr.upstream]\nkind = 'oracle'\n");
    server.said("the configuration is invalid, so the assistants stay unchanged");
    let line = server.said("assistants.hr.upstream.kind in the configuration file");
    assert!(line.contains("local") && line.contains("openai"), "{line}");
    assert_eq!(server.models().await, ["hr", "it"]);

    std::fs::write(server.file(), section("it", &documents)).expect("written");
    server.hang_up();
    server.said("the configuration was read again: the assistant it answers");
    assert_eq!(server.models().await, ["it"]);
}

/// Nodes have files of their own, so that a change arrives at different times.
#[tokio::test]
async fn nodes_show_the_same_revision_when_they_answer_with_the_same() {
    let shared = tempfile::tempdir().expect("a folder");
    let folder = documents(shared.path());
    let config = section("hr", &folder);
    let [one, other] = [Configured::start(|_| config.clone()), Configured::start(|_| config.clone())];
    let first = other_revision(&one, "").await;
    assert_eq!(other_revision(&other, "").await, first);
    assert_eq!(first.len(), 12, "{first}");

    let document = shared.path().join("documents/leave.md");
    std::fs::write(&document, "# Leave\n\nLeave is 28 days a year.\n").expect("written");
    let second = other_revision(&one, &first).await;
    assert_eq!(other_revision(&other, &first).await, second);

    one.write(&format!("{config}[[labels]]\nname = 'Secret'\n"));
    let labelled = other_revision(&one, &second).await;
    one.write(&config.replace("[assistants.hr]\n", "[assistants.hr]\ngreeting = 'Hello'\n"));
    let greeting = other_revision(&one, &labelled).await;
    assert_ne!(greeting, second);
    one.write(&config);
    assert_eq!(other_revision(&one, &greeting).await, second);
}

#[tokio::test]
async fn an_assistant_of_the_file_answers_from_its_documents() {
    let server = Configured::start(|documents| section("hr", documents));
    let question = json!({"model": "hr", "messages": [{"role": "user", "content": "How many days of leave?"}]});
    let client = reqwest::Client::builder().build().expect("a client");
    let request = client.post(format!("{}/v1/chat/completions", server.url)).bearer_auth(API_KEY).json(&question);
    let (_, body): (_, Value) = answer(request).await;
    let text = body["choices"][0]["message"]["content"].as_str().unwrap_or_default();
    assert!(text.contains("Leave is 30 days a year. [1]"), "{body}");
}

/// The error of the command for a configuration that it refuses.
fn refused(config: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("citewire.toml");
    std::fs::write(&file, config).expect("written");
    std::fs::write(folder.path().join("a.md"), "A document.").expect("written");
    let mut command = citewire(&["serve", "--bind", "127.0.0.1:0", "--config"]);
    command.arg(&file).env("CITEWIRE_DATA_DIR", folder.path().join("data")).env("SHORT", "short");
    command.env("LONG", "the-secret-of-two-1234").env("CITEWIRE_DIRECT_LINE_SECRET", DIRECT_LINE_SECRET);
    command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    let lines = lines_of(&mut child);
    let mut said = String::new();
    let ended = loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if line.starts_with("citewire is listening") => break false,
            Ok(line) => said = said + &line + "\n",
            Err(RecvTimeoutError::Disconnected) => break true,
            Err(RecvTimeoutError::Timeout) => break false,
        }
    };
    if !ended {
        child.kill().expect("killed");
    }
    let status = child.wait().expect("it has ended");
    assert!(ended && status.code() == Some(2), "{config:?} is taken: {said}");
    said
}

#[test]
fn what_is_wrong_with_an_assistant_is_said_with_its_place() {
    for (config, words) in [
        ("assistants = 1", "assistants in the configuration file: sections are required"),
        ("[assistants.HR]", "assistants.HR in the configuration file: the name of an assistant"),
        ("[assistants.hr]", "assistants.hr.documents in the configuration file: documents are required"),
        ("[assistants.hr]\ngreting = 'x'", "assistants.hr.greting in the configuration file"),
        ("[assistants.hr]\nhistory_tokens = 'x'", "assistants.hr.history_tokens in the configuration file"),
        ("[assistants.hr.options]\nnumberings = 'x'", "assistants.hr.options.numberings in the configuration file"),
        ("[assistants.hr]\nsecret_env = 'ABSENT'", "the environment variable ABSENT is not set"),
        ("[assistants.hr]\nsecret_env = 'SHORT'", "SHORT in the environment: a secret has at least 16"),
        ("[assistants.hr]\nupstream = 'x'", "assistants.hr.upstream in the configuration file: a section is required"),
        (
            "[assistants.hr.upstream]\nurl = 'x'",
            "assistants.hr.upstream.kind in the configuration file: a kind is required",
        ),
        ("[assistants.hr.upstream]\nkind = 'local'\nurl = 'x'", "assistants.hr.upstream.url in the configuration file"),
        ("[assistants.hr.upstream]\nkind = 'openai'", "assistants.hr.upstream in the configuration file"),
        (
            "[assistants.hr.documents]\nfolder = '/nowhere'",
            "assistants.hr.documents: the folder of documents /nowhere cannot",
        ),
        (
            "[assistants.hr.documents]\nfolder = '.'\nmax_documents = 0",
            "move some out of the folder of documents, or raise max_documents",
        ),
        (
            "[assistants.a]\nsecret_env = 'LONG'\n[assistants.a.documents]\nfolder = '.'\n\
             [assistants.b]\nsecret_env = 'LONG'\n[assistants.b.documents]\nfolder = '.'",
            "assistants.a and assistants.b have the same secret; use a different secret for each",
        ),
        (
            "[assistants.a]\nsecret_env = 'CITEWIRE_DIRECT_LINE_SECRET'\n[assistants.a.documents]\nfolder = '.'",
            "direct_line.secret and assistants.a have the same secret; use a different secret for each",
        ),
        (
            "[assistants.hr]\ndocuments = 'x'",
            "assistants.hr.documents in the configuration file: invalid type: string \"x\", expected a section",
        ),
        ("[assistants.hr.documents]\nfolder = '.'\nurl = 'x'", "assistants.hr.documents.url in the configuration file"),
        ("assistant = 'nobody'", "this assistant does not exist; known: docs"),
        ("assistant = 'docs'\n[bot]\nendpoint = 'http://127.0.0.1:1/'", "a bot already answers on the channel"),
        (
            "[assistants.a.documents]\nfolder = '.'\n[assistants.b.documents]\nfolder = '.'",
            "choose the assistant of the channel with assistant = \"…\": a, b, docs, or none",
        ),
    ] {
        let said = refused(config);
        assert!(said.contains(words) && !said.contains("panicked"), "{config:?}: {said}");
    }
}

/// A changed file that named an unknown assistant was refused, as it has to be, and took the assistants of the store away from their
/// manager: from then on every change over HTTP was answered with 503.
#[tokio::test]
async fn a_refused_file_leaves_the_assistants_of_the_store_changeable() {
    let server = Configured::start(|documents| section("hr", documents));
    let put = |greeting: &str| {
        let client = reqwest::Client::builder().build().expect("a client");
        let request = client.put(format!("{}/v1/assistants/it", server.url)).bearer_auth(API_KEY);
        answer(request.json(&json!({"documents": {}, "greeting": greeting})))
    };
    assert_eq!(put("before").await.0, 201);
    let config = std::fs::read_to_string(server.file()).expect("the file");
    server.write(&format!("[embed]\norigins = ['https://a.example']\nassistants = ['nobody']\n{config}"));
    server.said("the configuration is invalid");
    server.said("embed.assistants: nobody: this assistant does not exist; known: docs, hr, it");
    let (status, problem) = put("after").await;
    assert_eq!(status, 200, "{problem}");
}
