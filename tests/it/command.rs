use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::app::{Serving, citewire};

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = citewire(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    // A command that does not want its input may be gone before it is written.
    child.stdin.take().expect("a pipe").write_all(input).ok();
    child.wait_with_output().expect("the command ends")
}

fn leave() -> Vec<u8> {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]})
        .to_string()
        .into_bytes()
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The only line on stderr.
fn line(output: &Output) -> String {
    let words = words(&output.stderr);
    assert_eq!(words.lines().count(), 1, "{words}");
    words
}

#[test]
fn convert_prints_the_activity_and_nothing_else() {
    let output = run(&["convert"], &leave());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output.stderr));
    let activity: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(activity["type"], "message");
    assert!(output.stdout.ends_with(b"\n") && output.stderr.is_empty());
}

#[test]
fn convert_reads_a_file_a_dash_and_stdin_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("answer.json");
    std::fs::write(&file, leave()).expect("written");
    let by_file = run(&["convert", file.to_str().expect("a path"), "--from", "citewire", "--to", "directline"], b"");
    assert_eq!(by_file.status.code(), Some(0), "{}", words(&by_file.stderr));
    assert_eq!(by_file.stdout, run(&["convert", "-"], &leave()).stdout);
    assert_eq!(by_file.stdout, run(&["convert"], &leave()).stdout);
}

#[test]
fn convert_takes_files_from_windows() {
    let mut input = b"\xef\xbb\xbf".to_vec();
    input.extend(words(&leave()).replace(",\"", ",\r\n\"").bytes());
    let output = run(&["convert"], &input);
    assert_eq!((output.status.code(), output.stdout), (Some(0), run(&["convert"], &leave()).stdout));
}

#[test]
fn convert_reports_on_stderr_in_words() {
    let output = run(&["convert", "--report"], &leave());
    assert_eq!(output.status.code(), Some(0));
    let report = words(&output.stderr);
    assert!(report.lines().any(|line| line.starts_with("cited: ")), "{report}");
    assert_eq!(output.stdout, run(&["convert"], &leave()).stdout);
}

#[test]
fn convert_takes_a_stream_and_prints_its_message_alone() {
    let text = "Leave is 30 days [1].";
    let source = json!({"title": "Leave policy", "url": "https://hr.example/leave"});
    let mut events = vec![json!({"sources": [source]}), json!({"delta": &text[..9]}), json!({"delta": &text[9..]})];
    let as_events = |events: &[Value]| events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect::<String>();
    let as_lines = |events: &[Value]| events.iter().map(|event| format!("{event}\n")).collect::<String>();
    let cut_off = run(&["convert", "--report"], as_events(&events).as_bytes());
    events.push(json!({"error": {"message": "overloaded"}}));
    let failed = run(&["convert", "--report"], as_lines(&events).as_bytes());
    events[3] = json!({"done": true});
    let done = run(&["convert", "--from", "citewire", "--report"], as_lines(&events).as_bytes());
    let expected = run(&["convert"], &leave());
    for (output, incomplete) in [(&cut_off, true), (&failed, true), (&done, false)] {
        assert_eq!((output.status.code(), &output.stdout), (Some(0), &expected.stdout));
        assert_eq!(words(&output.stderr).starts_with("incomplete: "), incomplete, "{}", words(&output.stderr));
    }
    assert!(words(&failed.stderr).contains("overloaded"));
    let teams = run(&["convert", "--to", "teams"], as_lines(&events).as_bytes());
    assert!(!words(&teams.stdout).contains("streaminfo"), "{}", words(&teams.stdout));
    // The other name of the option is the one of `check` and of the HTTP routes.
    let channel = run(&["convert", "--channel", "teams"], as_lines(&events).as_bytes());
    assert_eq!((channel.status.code(), channel.stdout), (Some(0), teams.stdout));
}

#[test]
fn convert_says_in_one_line_where_a_stream_is_wrong() {
    for (input, named) in [
        (&b"data: {\"delta\":\"a\"}\n\ndata: {\"delta\":[]}\n\n"[..], "event 2 at line 3: /delta"),
        (b"data: {\"error\":{\"message\":\"overloaded\"}}\n\n", "overloaded"),
        (b"data: nonsense\n\n", "event 1 at line 1"),
        (b"event: x\n\n", "before any text"),
    ] {
        let output = run(&["convert"], input);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()));
        let line = line(&output);
        assert!(line.contains("stdin") && line.contains(named), "{line}");
    }
}

#[test]
fn convert_says_in_one_line_where_the_input_is_wrong() {
    let output = run(&["convert", "--from", "citewire"], br#"{"text":5}"#);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()));
    let line = line(&output);
    assert!(line.contains("stdin") && line.contains("/text"), "{line}");
}

#[test]
fn convert_refuses_what_cannot_be_an_answer() {
    for input in [&b"nonsense"[..], b"", b"{", b"null", b"{\"text\":\"\xff\"}", b"5", b"{}"] {
        let output = run(&["convert"], input);
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(input));
        line(&output);
    }
}

#[test]
fn convert_exits_with_1_when_required_grounding_is_missing() {
    for flag in ["--require-grounding", "--require-grounding=any", "--require-grounding=anchored"] {
        let output = run(&["convert", flag], br#"{"text":"Believe me."}"#);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()), "{flag}");
        assert!(line(&output).contains("grounding"));
        assert_eq!(run(&["convert", flag], &leave()).status.code(), Some(0), "{flag}");
    }
}

#[test]
fn arguments_that_mean_nothing_exit_with_2() {
    for arguments in [
        &["convert", "--from", "nonsense"][..],
        &["convert", "--to", "nonsense"],
        &["convert", "--require-grounding=perhaps"],
        &["convert", "/no/such/file"],
        &["convert", "--no-such-flag"],
        &["no-such-command"],
        &["serve", "--bind", "nowhere"],
        &["serve", "--config", "/no/such/file"],
        &[],
    ] {
        let output = run(arguments, &leave());
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_answer_becomes_what_other_programs_read() {
    let written = |to: &str| -> Value {
        let output = run(&["convert", "--to", to], &leave());
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()), "{to}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    assert_eq!(written("open-webui")["events"][0]["type"], "source");
    assert_eq!(written("assistanthub")["citations"]["sources"][0]["index"], 1);
    assert_eq!(written("records")["cited"][0], 1);
}

#[test]
fn other_outputs_are_written_as_the_caller_wishes() {
    let azure = include_bytes!("../../samples/answers/azure-oyd/scores/input.json");
    let written = |arguments: &[&str], input: &[u8]| -> Value {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", line(&output));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let links = written(&["convert", "--to", "open-webui", "--citations", "links"], azure);
    assert_eq!(links["events"][0]["type"], "citation");
    assert!(
        links["content"].as_str().is_some_and(|text| text.contains("[[doc1]](https://docs.contoso.com/gateway.md)"))
    );
    let score = |arguments: &[&str]| {
        let arguments = [&["convert", "--to", "records", "--from", "azure-oyd"], arguments].concat();
        written(&arguments, azure)["sources"][0]["score"].clone()
    };
    assert_eq!((score(&[]), score(&["--rerank-max", "32"])), (json!(0.8), json!(0.1)));
    let hub = include_bytes!("../../samples/answers/assistanthub/basic/input.json");
    let arguments = ["convert", "--to", "assistanthub", "--download-links", "public"];
    let arguments = [&arguments[..], &["--download-base", "https://hub.example/", "--assistant", "a 1"]].concat();
    let public = written(&arguments, hub);
    let expected = "https://hub.example/v1.0/assistants/a%201/documents/adoc_1/download";
    assert_eq!(public["citations"]["sources"][0]["download_url"], expected);
    for (wrong, told) in [
        (&["--to", "assistanthub", "--download-links", "public"][..], "--assistant"),
        (&["--to", "records", "--prefer-rerank"], "--from azure-oyd"),
        (&["--rerank-max", "5"], "an activity has no scores"),
        (&["--to", "teams", "--citations", "links"], "--to open-webui"),
        (&["--to", "records", "--from", "azure-oyd", "--bm25-max", "0"], "--bm25-max"),
    ] {
        let output = run(&[&["convert"], wrong].concat(), azure);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(told), "{wrong:?}");
    }
}

#[test]
fn help_and_version_are_no_failure() {
    for arguments in [&["--help"][..], &["--version"], &["convert", "--help"], &["serve", "--help"]] {
        let output = run(arguments, b"");
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()), "{arguments:?}");
        assert!(!output.stdout.is_empty());
    }
}

#[tokio::test]
async fn serve_makes_its_secrets_once_and_says_them_and_where_it_listens() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(folder.path(), &[]);
    assert_eq!(serving.said.len(), 7, "{:?}", serving.said);
    let file = folder.path().join("citewire.db");
    assert_eq!(serving.said[2], format!("conversations are kept in {}", file.display()));
    let key = serving.secret("CITEWIRE_API_KEY");
    let client = reqwest::Client::builder().build().expect("a client");
    let unknown = client.post(format!("{}/v1/conversations/unknown/answers", serving.url)).bearer_auth(&key).send();
    assert_eq!(unknown.await.expect("an answer").status(), 404, "the key opens the door");
    assert_eq!(serving.interrupt(), Some(0));
    let again = Serving::start(folder.path(), &[]);
    assert_eq!((again.secret("CITEWIRE_API_KEY"), again.said.len()), (key, 7));
}

#[test]
fn serve_ends_well_when_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(Serving::start(folder.path(), &[]).interrupt(), Some(0));
}

#[test]
fn serve_says_nothing_of_secrets_that_are_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = [
        ("CITEWIRE_API_KEY", "sixteen-or-more-characters"),
        ("CITEWIRE_DIRECT_LINE_SECRET", "another-sixteen-characters"),
        ("CITEWIRE_STORE_URL", "memory:"),
        ("CITEWIRE_LOG", "trace"),
    ];
    let serving = Serving::start(folder.path(), &set);
    assert!(!serving.said.concat().contains("sixteen"), "{:?}", serving.said);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is kept");
}

#[test]
fn serve_refuses_other_addresses_without_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = citewire(&["serve", "--bind", "0.0.0.0:0"]);
    let output = command.env("CITEWIRE_DATA_DIR", folder.path()).output().expect("the command ends");
    assert_eq!(output.status.code(), Some(2));
    let line = line(&output);
    assert!(line.contains("CITEWIRE_API_KEY") && line.contains("CITEWIRE_DIRECT_LINE_SECRET"), "{line}");
}

/// A secret that one node makes opens nothing on another one, and the address at which it was called is not where the others are.
#[test]
fn serve_refuses_a_database_without_what_all_nodes_need_and_names_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |more: &[(&str, &str)]| {
        let mut command = citewire(&["serve", "--bind", "127.0.0.1:0"]);
        // Nothing listens there: what is missing is said before anything is reached.
        command.env("CITEWIRE_STORE_URL", "postgres://citewire:hunter2@127.0.0.1:1/citewire");
        command.env("CITEWIRE_DATA_DIR", folder.path()).envs(more.iter().copied());
        let output = command.output().expect("the command ends");
        assert_eq!(output.status.code(), Some(2));
        line(&output)
    };
    let named = [
        "api_key (CITEWIRE_API_KEY)",
        "direct_line.secret (CITEWIRE_DIRECT_LINE_SECRET)",
        "bot.secret (CITEWIRE_BOT_SECRET)",
        "public_url (CITEWIRE_PUBLIC_URL)",
    ];
    let said = refused(&[("CITEWIRE_BOT_ENDPOINT", "http://127.0.0.1:3979/api/messages")]);
    assert!(named.iter().all(|name| said.contains(name)) && !said.contains("hunter2"), "{said}");
    let said = refused(&[("CITEWIRE_BIND", "0.0.0.0:0")]);
    assert!(named[0..2].iter().all(|name| said.contains(name)) && !said.contains("bot.secret"), "{said}");
    let secrets = [
        ("CITEWIRE_API_KEY", "sixteen-or-more-characters"),
        ("CITEWIRE_DIRECT_LINE_SECRET", "another-sixteen-characters"),
    ];
    let said = refused(&secrets);
    assert!(said.ends_with("; set public_url (CITEWIRE_PUBLIC_URL) first\n"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "no secret is made");
    let said = refused(&[&secrets[..], &[("CITEWIRE_PUBLIC_URL", "https://chat.example"), PATIENCE]].concat());
    assert!(said.contains("postgres://citewire@127.0.0.1:1/citewire cannot be reached"), "{said}");
}

/// The longest wait of a start for a database in these tests.
const PATIENCE: (&str, &str) = ("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", "1");

#[test]
fn serve_says_all_that_is_wrong_with_its_configuration_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("citewire.toml");
    std::fs::write(&file, "workers = 'many'\nbnid = 1\n[store]\nurl = 'mysql:x'\n").expect("written");
    let output = run(&["serve", "--config", file.to_str().expect("a path")], b"");
    assert_eq!(output.status.code(), Some(2));
    let words = words(&output.stderr);
    for name in ["workers", "bnid", "store.url"] {
        assert!(words.contains(name), "{words}");
    }
}

/// The report of an output had the numbers and the names of another one.
#[test]
fn the_report_speaks_of_the_output_that_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("answer.json");
    let answer =
        r#"{"text": "a [2] b [3]", "sources": [{"title": "One"}, {"url": "https://x.example/files/two.pdf"}, {}]}"#;
    std::fs::write(&file, answer).expect("written");
    for (output, expected) in [
        ("web-chat", ["[1] is \"two.pdf\"", "[2] is \"Document 2\""]),
        ("open-webui", ["[1] is \"two.pdf\"", "[2] is \"Unknown Document\""]),
        ("assistanthub", ["[2] is \"two.pdf\"", "[3] is \"Unknown Document\""]),
    ] {
        let run = citewire(&["convert", "--to", output, "--report"]).arg(&file).output().expect("it runs");
        let report = String::from_utf8_lossy(&run.stderr).into_owned();
        for words in expected {
            assert!(report.contains(words), "{output}: {report}");
        }
    }
}

#[test]
fn healthcheck_says_in_one_line_whether_a_server_is_ready() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(folder.path(), &[]);
    let bind = serving.url.strip_prefix("http://").expect("an address").to_owned();
    let check = |arguments: &[&str]| {
        let mut command = citewire(&[&["healthcheck"], arguments].concat());
        command.env("CITEWIRE_BIND", &bind).env("HTTP_PROXY", "http://127.0.0.1:9").output().expect("the command runs")
    };
    let ready = check(&[]);
    assert_eq!(
        (ready.status.code(), line_of(&ready.stdout)),
        (Some(0), format!("citewire is ready: http://{bind}/readyz"))
    );
    let elsewhere = check(&["--url", &format!("{}/nowhere", serving.url)]);
    assert_eq!(elsewhere.status.code(), Some(1));
    assert!(line(&elsewhere).contains("the server answered 404"), "{}", line(&elsewhere));
    assert_eq!(serving.interrupt(), Some(0));
    let gone = check(&[]);
    assert_eq!(gone.status.code(), Some(1));
    assert!(line(&gone).starts_with(&format!("citewire is not ready: http://{bind}/readyz: ")), "{}", line(&gone));
    assert!(line(&gone).contains("refused"), "{}", line(&gone));
}

/// The only line on stdout, without its end.
fn line_of(stdout: &[u8]) -> String {
    let words = words(stdout);
    assert_eq!(words.lines().count(), 1, "{words}");
    words.trim_end().to_owned()
}

#[test]
fn healthcheck_does_not_wait_for_a_server_that_says_nothing() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/readyz", silent.local_addr().expect("an address"));
    let output = citewire(&["healthcheck", "--url", &url]).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(line(&output).contains("no answer within 3 seconds"), "{}", line(&output));
}

#[test]
fn healthcheck_refuses_an_address_that_is_no_server() {
    let output = citewire(&["healthcheck"]).env("CITEWIRE_BIND", "nowhere").output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(line(&output).contains("CITEWIRE_BIND"), "{}", line(&output));
}
