use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn prompt(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_citewire"));
    command.arg("prompt").args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    // A command that does not want its input may be gone before it is written.
    child.stdin.take().expect("a pipe").write_all(input).ok();
    child.wait_with_output().expect("the command ends")
}

/// The stdout and stderr of a run that went well.
fn said(arguments: &[&str], input: &[u8]) -> (String, String) {
    let output = prompt(arguments, input);
    let words = |bytes| String::from_utf8(bytes).expect("text");
    let (out, err) = (words(output.stdout), words(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    (out, err)
}

fn leave() -> Vec<u8> {
    let sources = json!([
        {"id": "a", "title": "Leave policy", "content": "Leave is 30 days."},
        {"id": "b", "title": "Handbook", "content": "Ask in writing."},
        {"id": "a", "title": "Leave policy", "content": "It expires in March."},
    ]);
    json!({ "sources": sources }).to_string().into_bytes()
}

#[test]
fn the_context_is_printed_and_nothing_is_said() {
    let (out, err) = said(&[], &leave());
    assert!(out.starts_with("Answer from the numbered sources") && err.is_empty(), "{out}{err}");
    assert!(out.ends_with("\n\n[3] (Source: \"Leave policy\")\nIt expires in March.\n"), "{out}");
    let (tags, err) = said(&["--style", "tags", "--sources-only"], &leave());
    assert!(tags.starts_with("<source id=\"1\" name=\"Leave policy\">Leave is 30 days.</source>\n"), "{tags}");
    assert!(err.lines().count() == 1 && err.contains("share a number"), "{err}");
    let (plain, _) = said(&["--style", "plain", "--sources-only"], &leave());
    assert_eq!(plain, "---\nLeave is 30 days.\n---\nAsk in writing.\n---\nIt expires in March.\n---\n");
}

#[test]
fn a_file_a_dash_windows_line_ends_and_a_list_are_read_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sources.json");
    let text = String::from_utf8(leave()).expect("text");
    std::fs::write(&file, format!("\u{feff}{}\r\n", text.replace(",\"", ",\r\n\""))).expect("written");
    let expected = said(&["-"], &leave());
    assert_eq!(said(&[file.to_str().expect("a path")], b""), expected);
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(said(&[], manifest["sources"].to_string().as_bytes()), expected);
}

#[test]
fn what_does_not_fit_is_left_out_whole_and_named() {
    let (whole, _) = said(&[], &leave());
    let (out, err) = said(&["--max-bytes", &whole.len().to_string()], &leave());
    assert_eq!((out.as_str(), err.as_str()), (whole.as_str(), ""), "the line end is counted");
    let less = (whole.len() - 1).to_string();
    let (out, err) = said(&["--max-bytes", &less], &leave());
    assert!(out.len() < whole.len() && out.ends_with("Ask in writing.\n"), "{out}");
    assert_eq!(err, format!("citewire: stdin: source 3 of 3 is left out: it does not fit into {less} bytes\n"));
    let (out, err) = said(&["--max-tokens", "30", "--sources-only"], &leave());
    assert!(out.ends_with("Leave is 30 days.\n"), "{out}");
    assert_eq!(err, "citewire: stdin: sources 2 to 3 of 3 are left out: they do not fit into 30 tokens\n");
    let (out, err) = said(&["--max-bytes", "9"], &leave());
    assert_eq!((out.as_str(), err.lines().count()), ("", 1));
    assert!(err.contains("not even the first of 3 sources fits into 9 bytes"), "{err}");
}

#[test]
fn without_sources_nothing_is_printed_and_that_is_said() {
    for input in [&b"[]"[..], b"{\"sources\": []}", b"{\"text\": \"a\"}"] {
        let (out, err) = said(&[], input);
        let expected = "citewire: stdin: there are no sources, so there is nothing to inject\n";
        assert_eq!((out.as_str(), err.as_str()), ("", expected));
    }
    assert_eq!(said(&["--system", "Be kind."], b"[]").0, "Be kind.\n");
}

#[test]
fn the_context_goes_behind_the_system_prompt() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("system.txt");
    std::fs::write(&file, "\u{feff}Be kind.\r\nBe brief.\r\n").expect("written");
    let at_file = format!("@{}", file.to_str().expect("a path"));
    let (context, _) = said(&[], &leave());
    assert_eq!(said(&["--system", &at_file], &leave()).0, format!("Be kind.\nBe brief.\n\n{context}"));
    assert_eq!(said(&["--system", "Be kind."], &leave()).0, format!("Be kind.\n\n{context}"));
}

#[test]
fn the_context_goes_into_the_messages() {
    let mut input: Value = serde_json::from_slice(&leave()).expect("JSON");
    let user = json!({"role": "user", "content": "How long is leave?"});
    input["messages"] = json!([{"role": "system", "content": "Be kind."}, user]);
    let json = |arguments: &[&str], input: &Value| {
        let (out, err) = said(arguments, input.to_string().as_bytes());
        (serde_json::from_str::<Value>(&out).expect("JSON"), err)
    };
    let (context, _) = said(&[], &leave());
    let expected = json!([{"role": "system", "content": format!("Be kind.\n\n{}", context.trim_end())}, user]);
    let (out, err) = json(&["--json"], &input);
    assert_eq!((&out["messages"], err.as_str()), (&expected, ""));
    assert_eq!(out["sources"][2], json!({"place": 3, "number": 3, "listed": true}));
    let (out, err) = json(&["--json", "--system", "Be brief.", "--style", "tags", "--max-bytes", "1400"], &input);
    assert!(err.contains("--system is ignored"), "{err}");
    assert_eq!(out["sources"][2], json!({"place": 3, "number": 1, "listed": true}));
    input["messages"] = json!([user]);
    let (out, _) = json(&["--json", "--system", "Be kind."], &input);
    assert_eq!(out["messages"], expected);
    input["sources"] = json!(null);
    assert_eq!(json(&["--json"], &input).0, json!({"messages": [user], "sources": []}));
}

#[test]
fn what_cannot_be_read_is_named_in_one_line() {
    for (arguments, input, named) in [
        (&[][..], &b"{}"[..], "stdin: /sources: missing"),
        (&[], b"nonsense", "stdin: not JSON"),
        (&[], b"", "stdin: the document: empty"),
        (&[], b"[{\"title\": []}]", "stdin: /0/title: "),
        (&[], b"[\"\xff\"]", "stdin: not UTF-8"),
        (
            &["--json"],
            b"{\"sources\": [{}], \"messages\": [{\"role\": \"system\", \"content\": 5}]}",
            "/messages/0/content",
        ),
        (&["--style", "nonsense"], b"[]", "known styles: numbered, tags, plain"),
        (&["--system", "@/no/such/file"], b"[]", "/no/such/file"),
        (&["/no/such/file"], b"[]", "/no/such/file"),
    ] {
        let output = prompt(arguments, input);
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(2), b"".as_slice()),
            "{arguments:?} {input:?}"
        );
        let words = String::from_utf8(output.stderr).expect("text");
        assert!(words.lines().count() == 1 && words.contains(named), "{words}");
    }
    assert_eq!(prompt(&["--max-bytes", "9", "--max-tokens", "9"], b"[]").status.code(), Some(2));
    assert_eq!(prompt(&["--max-bytes", "-1"], b"[]").status.code(), Some(2));
}

/// A model that does as it is told writes numbers which the conversion resolves to the sources it saw.
#[test]
fn the_numbers_of_the_list_are_those_of_the_manifest() {
    let mut manifest: Value = serde_json::from_slice(&leave()).expect("JSON");
    let (context, _) = said(&["--sources-only"], &leave());
    assert!(context.contains("[2] (Source: \"Handbook\")"));
    manifest["text"] = json!("It is asked for in writing [2].");
    let mut convert = Command::new(env!("CARGO_BIN_EXE_citewire"));
    convert.arg("convert").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = convert.spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(manifest.to_string().as_bytes()).expect("read");
    let output = child.wait_with_output().expect("the command ends");
    let activity: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(activity["entities"][0]["citation"][0]["appearance"]["name"], "Handbook");
}
