//! Documents that a process of its own reads: PDF, Word and others.

use std::io::{Cursor, Write as _};
use std::path::Path;
use std::time::Duration;

use citewire::document::{DocumentReader, FileOutcome, Library, LibraryOptions};
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::folder;
use crate::app::{API_KEY, Serving, citewire};

const PROGRAM: &str = env!("CARGO_BIN_EXE_citewire");

/// A PDF whose pages draw a drawing as often as a page may. It takes minutes.
#[cfg(unix)]
fn slow_pdf(number: usize) -> Vec<u8> {
    let pages = 4..1_000;
    let kids: String = pages.clone().map(|page| format!("{page} 0 R ")).collect();
    let (page, drawing) = ("/X Do ".repeat(19_000), "0 0 m 1 1 l S ".repeat(40));
    let stream =
        |parts: &str, content: &str| format!("<< {parts} /Length {} >>\nstream\n{content}\nendstream", content.len());
    let list = format!("<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 600 80{number}] >>", pages.len());
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned(), list, stream("", &page)];
    for _ in pages {
        let resources = "/Resources << /XObject << /X 1000 0 R >> >>";
        objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents 3 0 R {resources} >>"));
    }
    objects.push(stream("/Type /XObject /Subtype /Form", &drawing));
    of_objects(&objects)
}

/// A PDF with a page for each text.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 4 + page * 2)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 600 800] >>", pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (at, text) in pages.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 50 700 Td ({text}) Tj ET");
        let contents = 5 + at * 2;
        let fonts = "/Resources << /Font << /F1 3 0 R >> >>";
        objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R {fonts} >>"));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    of_objects(&objects)
}

/// A PDF of these objects, numbered from 1, of which the first is the catalog.
pub(super) fn of_objects<T: AsRef<[u8]>>(objects: &[T]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = String::new();
    for (number, object) in (1..).zip(objects) {
        places.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object.as_ref());
        file.extend(b"\nendobj\n");
    }
    let (start, count) = (file.len(), objects.len() + 1);
    let trailer = format!("trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n{places}{trailer}").bytes());
    file
}

/// A Word file with one paragraph.
fn docx(text: &str) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("word/document.xml", SimpleFileOptions::default()).expect("a part");
    write!(writer, "<w:document><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>")
        .expect("written");
    writer.finish().expect("an archive").into_inner()
}

fn handbook() -> tempfile::TempDir {
    folder(&[
        ("leave.pdf", pdf(&["About this handbook.", "Employees of Contoso get 30 days of annual leave."])),
        ("travel.docx", docx("Trips by train are booked in the portal.")),
        ("fake.pdf", b"no PDF".to_vec()),
        ("latin.txt", b"Gr\xfc\xdfe".to_vec()),
        ("old.doc", b"x".to_vec()),
    ])
}

pub(super) async fn library(folder: &Path, set: impl Fn(&mut DocumentReader)) -> Library {
    let mut options = LibraryOptions::new(folder);
    let mut reader = DocumentReader::new(PROGRAM);
    set(&mut reader);
    options.reader = Some(reader);
    Library::open(options).await.expect("a library")
}

fn reasons(library: &Library) -> Vec<(String, String)> {
    library.unreadable().into_iter().map(|(path, reason)| (path, reason.to_string())).collect()
}

#[tokio::test]
async fn documents_of_all_kinds_are_searched_and_those_that_cannot_be_read_are_listed() {
    let folder = handbook();
    let library = library(folder.path(), |_| {}).await;
    let found = library.search("annual leave of employees", 5).await.expect("a search");
    assert_eq!((found[0].document.path.as_str(), found[0].passage.page), ("leave.pdf", Some(2)));
    assert_eq!((found[0].document.media_type, found[0].document.pages), ("application/pdf", Some(2)));
    let found = library.search("trips by train", 5).await.expect("a search");
    assert_eq!((found[0].document.path.as_str(), found[0].passage.page), ("travel.docx", None));
    assert_eq!(
        reasons(&library),
        [
            ("fake.pdf".to_owned(), "it is no PDF file, as its name says: give it the right ending".to_owned()),
            ("latin.txt".to_owned(), "it is not UTF-8: save it as UTF-8".to_owned()),
        ]
    );
    assert_eq!(library.files()["old.doc"], FileOutcome::Skipped);
    assert_eq!(
        library.files()["leave.pdf"],
        FileOutcome::Ready { pages: Some(2), passages: 2, loss: None, left_out: 0 }
    );
}

/// A reader that never ends.
#[cfg(unix)]
fn endless(folder: &Path) -> std::path::PathBuf {
    script(folder, "echo read >> \"$0.log\"\nexec sleep 600")
}

#[cfg(unix)]
#[tokio::test]
async fn a_document_that_takes_too_long_is_tried_twice_given_up_and_remembered() {
    let folder = folder(&[("docs/slow.pdf", pdf(&["One thing."])), ("docs/a.md", b"# A\n\nText.".to_vec())]);
    let program = endless(folder.path());
    let docs = folder.path().join("docs");
    let open = async || {
        library(&docs, |reader| {
            reader.program.clone_from(&program);
            reader.short = Duration::from_millis(200);
            reader.longest = Duration::from_secs(1);
        })
        .await
    };
    let expected = ("slow.pdf".to_owned(), "reading it took more than 1 seconds: split it".to_owned());
    let attempts = || std::fs::read_to_string(program.with_extension("sh.log")).expect("a log").lines().count();
    for _ in 0..2 {
        let library = open().await;
        assert_eq!((reasons(&library), library.len(), attempts()), (vec![expected.clone()], 1, 2));
    }
    // Another content is another document, by whatever name.
    std::fs::rename(docs.join("slow.pdf"), docs.join("renamed.pdf")).expect("renamed");
    assert_eq!((reasons(&open().await).len(), attempts()), (1, 2));
    std::fs::write(docs.join("renamed.pdf"), pdf(&["Another thing."])).expect("written");
    assert_eq!((reasons(&open().await).len(), attempts()), (1, 4));
}

#[cfg(unix)]
#[tokio::test]
async fn text_is_found_while_other_files_of_the_folder_are_read_without_end() {
    let slow: Vec<(String, Vec<u8>)> =
        (0..4).map(|number| (format!("docs/{number}.pdf"), pdf(&[&format!("Thing {number}.")]))).collect();
    let folder = folder(&slow);
    let mut options = LibraryOptions::new(folder.path().join("docs"));
    let mut reader = DocumentReader::new(endless(folder.path()));
    (reader.short, reader.longest) = (Duration::from_secs(600), Duration::from_secs(600));
    options.reader = Some(reader);
    let library = Library::folder(options).await.expect("a library");
    assert_eq!((library.pending(), library.len()), (1, 0));
    assert!(library.refresh().await.expect("refreshed"));
    assert_eq!((library.pending(), library.len()), (4, 0));
    let extracting = library.extract();
    let meanwhile = async {
        std::fs::write(folder.path().join("docs/a.md"), "# A\n\nThe canteen opens at noon.").expect("written");
        std::fs::remove_file(folder.path().join("docs/0.pdf")).expect("removed");
        assert!(library.refresh().await.expect("refreshed"));
        assert_eq!((library.pending(), library.len()), (3, 1));
        assert_eq!(library.files().len(), 1);
    };
    tokio::select! {
        read = extracting => panic!("{read:?}"),
        () = meanwhile => {}
    }
}

/// Attempts of a parser that was taken over by its document.
#[cfg(target_os = "linux")]
#[test]
fn a_reader_can_read_no_file_open_no_connection_and_start_nothing() {
    let folder = folder(&[("api-key", "secret")]);
    let key = folder.path().join("api-key");
    for file in [key.display().to_string(), format!("/proc/{}/environ", std::process::id())] {
        assert!(std::fs::read(&file).is_ok(), "{file}");
        let mut reader = std::process::Command::new(PROGRAM)
            .args(["read-document", "--format", "pdf", "--memory", "1073741824", "--seconds", "10", "--size", "1"])
            .args(["--escape", &file])
            .env("MIMALLOC_ARENA_RESERVE", "64MiB")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("a reader");
        let mut input = reader.stdin.take().expect("its input");
        input.write_all(b"x").expect("written");
        let said = reader.wait_with_output().expect("its output");
        drop(input);
        let refused: Value = serde_json::from_slice(&said.stdout).expect("JSON");
        let tried = ["connect", "list", "read", "start a program", "start a thread", "write"];
        assert_eq!(refused, Value::Object(tried.map(|tried| (tried.to_owned(), true.into())).into_iter().collect()));
    }
}

/// Nothing else tells it: no signal, and no end of the group of processes.
#[test]
fn a_reader_ends_when_its_server_is_gone() {
    let text = "<p>x".repeat(2_000_000);
    let mut reader = std::process::Command::new(PROGRAM)
        .args(["read-document", "--format", "html", "--memory", "8589934592", "--seconds", "600"])
        .args(["--size", &text.len().to_string()])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a reader");
    let mut input = reader.stdin.take().expect("its input");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    let said = reader.wait_with_output().expect("its end");
    assert_eq!((said.status.code(), said.stdout.len()), (Some(1), 0));
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_starts_at_once_whatever_lies_in_its_folders() {
    let slow: Vec<(String, Vec<u8>)> = (0..4).map(|number| (format!("slow/{number}.pdf"), slow_pdf(number))).collect();
    let folder = folder(&slow);
    std::fs::create_dir(folder.path().join("good")).expect("a folder");
    std::fs::write(folder.path().join("good/a.md"), "# Canteen\n\nThe canteen of Contoso opens at noon.")
        .expect("written");
    let data = tempfile::tempdir().expect("a folder");
    let config = data.path().join("citewire.toml");
    let section =
        |name: &str| format!("[assistants.{name}.documents]\nfolder = '{}'\n", folder.path().join(name).display());
    std::fs::write(&config, section("slow") + &section("good")).expect("written");
    let config = config.display().to_string();
    let begun = std::time::Instant::now();
    let server = Serving::start(data.path(), &[("CITEWIRE_CONFIG", &config), ("CITEWIRE_API_KEY", API_KEY)]);
    let client = reqwest::Client::builder().build().expect("a client");
    let ready = client.get(format!("{}/readyz", server.url)).send().await.expect("an answer");
    let ready: Value = ready.json().await.expect("JSON");
    assert!(ready["reading"].as_u64().is_some_and(|reading| reading > 0), "{ready}");
    let ask =
        json!({"model": "good", "messages": [{"role": "user", "content": "When does the canteen of Contoso open?"}]});
    let url = format!("{}/v1/chat/completions", server.url);
    let answer = client.post(url).bearer_auth(API_KEY).json(&ask).send().await.expect("an answer");
    let answer = answer.text().await.expect("text");
    assert!(answer.contains("opens at noon"), "{answer}");
    // A file alone would take ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[cfg(unix)]
#[tokio::test]
async fn uploads_of_text_wait_for_no_others_and_text_has_a_limit() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Serving::start(data.path(), &[("CITEWIRE_API_KEY", API_KEY)]);
    let client = reqwest::Client::builder().build().expect("a client");
    let put = async |path: &str, body: Vec<u8>| {
        let request = client.put(format!("{}/v1/assistants/{path}", server.url)).bearer_auth(API_KEY).body(body);
        let response = request.header("content-type", "application/json").send().await.expect("an answer");
        (response.status().as_u16(), response.json::<Value>().await.expect("JSON"))
    };
    let limited = json!({"documents": {"max_text_bytes": 100}}).to_string();
    for (name, settings) in [("slow", r#"{"documents": {}}"#.to_owned()), ("good", limited)] {
        assert_eq!(put(name, settings.into_bytes()).await.0, 201);
    }
    let slow = futures_util::future::join_all((0..4).map(async |number| {
        let (status, document) = put(&format!("slow/documents/{number}.pdf"), slow_pdf(number)).await;
        (status, document["state"].clone())
    }));
    assert_eq!(slow.await, vec![(202, Value::from("reading")); 4]);
    for path in ["good/documents/a.md", "slow/documents/a.md"] {
        let (status, document) = put(path, b"# A\n\nSome words.".to_vec()).await;
        assert_eq!((status, &document["state"]), (201, &Value::from("ready")), "{document}");
    }
    let (_, document) = put("good/documents/b.md", b"words ".repeat(20)).await;
    assert_eq!(document["state"], "unreadable");
    assert!(document["reason"].as_str().is_some_and(|reason| reason.contains("max_text_bytes")), "{document}");
    // A document that takes the place of another may have as much text as that had.
    let (_, document) = put("good/documents/a.md", b"words ".repeat(15)).await;
    assert_eq!(document["state"], "ready");
}

#[tokio::test]
async fn a_document_that_takes_too_much_memory_or_crashes_its_reader_harms_nothing_else() {
    let folder = folder(&[("big.docx", docx(&"a".repeat(100 << 20))), ("small.docx", docx("Some words."))]);
    let confined = library(folder.path(), |reader| reader.memory = 256 << 20).await;
    let expected = "reading it took too much memory: split it";
    assert_eq!(reasons(&confined), [("big.docx".to_owned(), expected.to_owned())]);
    assert_eq!(confined.len(), 1);
    let crashing = library(folder.path(), |reader| reader.program = "false".into()).await;
    let expected = "reading it crashed: open it, and save it again";
    assert_eq!(reasons(&crashing).iter().filter(|(_, reason)| reason == expected).count(), 2);
    let mut options = LibraryOptions::new(folder.path());
    options.reader = Some(DocumentReader::new("/nowhere/citewire"));
    let error = Library::open(options).await.expect_err("no program").to_string();
    assert!(error.contains("/nowhere/citewire") && error.contains("restart the server"), "{error}");
}

/// A program that writes something down before it does what citewire does.
#[cfg(unix)]
fn script(folder: &Path, first: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let script = folder.join("reader.sh");
    std::fs::write(&script, format!("#!/bin/sh\n{first}\nexec {PROGRAM} \"$@\"\n")).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    script
}

#[cfg(unix)]
#[tokio::test]
async fn a_reader_does_not_begin_with_all_the_memory_that_it_may_take() {
    let folder = folder(&[("docs/a.pdf", pdf(&["One thing."]))]);
    let log = folder.path().join("log");
    let script = script(folder.path(), &format!("echo \"$MIMALLOC_ARENA_RESERVE\" >> {}", log.display()));
    let library = library(&folder.path().join("docs"), |reader| reader.program.clone_from(&script)).await;
    assert_eq!((library.len(), std::fs::read_to_string(&log).expect("a log").trim()), (1, "64MiB"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_as_it_was_is_not_read_again() {
    let folder = folder(&[("docs/a.pdf", pdf(&["One thing."])), ("docs/fake.pdf", b"no PDF".to_vec())]);
    let log = folder.path().join("log");
    let script = script(folder.path(), &format!("echo read >> {}", log.display()));
    let docs = folder.path().join("docs");
    let library = library(&docs, |reader| reader.program.clone_from(&script)).await;
    let count = || std::fs::read_to_string(&log).expect("a log").lines().count();
    assert_eq!(count(), 2);
    std::fs::write(docs.join("b.pdf"), pdf(&["Another thing."])).expect("written");
    assert!(library.refresh().await.expect("refreshed"));
    library.extract().await.expect("extracted");
    assert_eq!((count(), library.len(), library.unreadable().len()), (3, 2, 1));
}

#[test]
fn the_command_says_what_came_of_each_file() {
    let folder = handbook();
    let check = |more: &[&str]| {
        let path = folder.path().display().to_string();
        let output = citewire(&[&["documents", "check", &path], more].concat()).output().expect("the command runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let expected = "\
fake.pdf     unreadable  it is no PDF file, as its name says: give it the right ending
latin.txt    unreadable  it is not UTF-8: save it as UTF-8
leave.pdf    ready       2 pages, 2 passages
old.doc      skipped     no format of documents
travel.docx  ready       1 passage
2 ready, 2 unreadable, 1 skipped
";
    assert_eq!(check(&[]), (Some(1), expected.to_owned()));
    let listed: Value = serde_json::from_str(&check(&["--json"]).1).expect("JSON");
    assert_eq!(listed["files"][2], json!({"path": "leave.pdf", "state": "ready", "pages": 2, "passages": 2}));
    for name in ["fake.pdf", "latin.txt"] {
        std::fs::remove_file(folder.path().join(name)).expect("removed");
    }
    assert_eq!(check(&[]).0, Some(0));
}

#[tokio::test]
async fn an_answer_leads_to_the_page_and_the_browser_shows_it() {
    let folder = handbook();
    let data = tempfile::tempdir().expect("a folder");
    let config = data.path().join("citewire.toml");
    let documents = folder.path().display();
    let text = format!(
        "assistant = 'handbook'\n[assistants.handbook]\ncitation_link_mode = 'public'\n\
         [assistants.handbook.documents]\nfolder = '{documents}'\n"
    );
    std::fs::write(&config, text).expect("written");
    let config = config.display().to_string();
    let server = Serving::start(data.path(), &[("CITEWIRE_CONFIG", &config), ("CITEWIRE_API_KEY", API_KEY)]);
    let ask = json!({"model": "handbook", "messages": [{"role": "user", "content": "annual leave of employees"}]});
    let client = reqwest::Client::builder().build().expect("a client");
    let url = format!("{}/v1/chat/completions", server.url);
    let answer = client.post(url).bearer_auth(API_KEY).json(&ask).send().await.expect("an answer");
    let answer: Value = answer.json().await.expect("JSON");
    let text = answer.to_string();
    let place = text.find("/v1/documents/").expect("an address");
    let address: String = text[place..].chars().take_while(|c| !"\"\\)> ".contains(*c)).collect();
    assert!(address.contains("signature=") && address.ends_with("#page=2"), "{text}");
    let download = client.get(format!("{}{address}", server.url)).send().await.expect("a document");
    assert_eq!(download.status(), 200, "{address}");
    let header = |name: &str| download.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(header("content-type"), "application/pdf");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(header("content-disposition").starts_with("inline; filename=\"leave.pdf\""));
    let policy = header("content-security-policy");
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("sandbox"), "{policy}");
}

#[tokio::test]
async fn a_document_that_was_read_in_part_is_counted_and_its_source_is_named_by_its_page() {
    let whole = pdf(&["Employees of Contoso get 30 days of annual leave.", "Lunch is at noon."]);
    // The content of the second page is not where the page says.
    let damaged = String::from_utf8(whole).expect("text").replace("/Contents 7 0 R /R", "/Contents 77 0 R/R");
    let folder = folder(&[("leave.pdf", damaged.into_bytes())]);
    let data = tempfile::tempdir().expect("a folder");
    let config = data.path().join("citewire.toml");
    let documents = folder.path().display();
    let text = format!(
        "assistant = 'handbook'\n[assistants.handbook]\n[assistants.handbook.documents]\nfolder = '{documents}'\n"
    );
    std::fs::write(&config, text).expect("written");
    let config = config.display().to_string();
    let server = Serving::start(data.path(), &[("CITEWIRE_CONFIG", &config), ("CITEWIRE_API_KEY", API_KEY)]);
    let ask = json!({"model": "handbook", "messages": [{"role": "user", "content": "annual leave of employees"}]});
    let client = reqwest::Client::builder().build().expect("a client");
    let url = format!("{}/v1/chat/completions", server.url);
    let answer = client.post(url).bearer_auth(API_KEY).json(&ask).send().await.expect("an answer");
    let answer = answer.text().await.expect("text");
    assert!(answer.contains("leave.pdf, page 1"), "{answer}");
    let metrics = client.get(format!("{}/metrics", server.url)).bearer_auth(API_KEY).send().await.expect("metrics");
    let metrics = metrics.text().await.expect("text");
    assert!(metrics.contains("citewire_documents_partial{assistant=\"handbook\"} 1"), "{metrics}");
}
