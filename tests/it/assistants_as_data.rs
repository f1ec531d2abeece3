use std::path::Path;

use reqwest::header::{ACCEPT, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use crate::app::{API_KEY, Serving, answer, citewire};

const CONFIG: &str = "[secrets]
hr-line = { env = 'SECRET_OF_HR' }
model = { env = 'MODEL_KEY', hosts = ['models.example'] }
plain = { env = 'MODEL_KEY' }
bucket = { env = 'BUCKET_KEY', hosts = ['*.amazonaws.com'] }

[assistants.fixed]
greeting = 'from the file'
documents = { folder = 'FOLDER' }
";

/// The longest wait for an event that must come.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// A server whose assistants are data.
struct Server {
    folder: TempDir,
    serving: Option<Serving>,
    client: Client,
    /// Hosts that may be called although they are not public.
    allowed: String,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let documents = folder.path().join("documents");
        std::fs::create_dir(&documents).expect("a folder");
        let config = CONFIG.replace("FOLDER", &documents.display().to_string());
        std::fs::write(folder.path().join("citewire.toml"), config).expect("written");
        let mut server = Self {
            folder,
            serving: None,
            client: Client::builder().build().expect("a client"),
            allowed: String::new(),
        };
        server.restart();
        server
    }

    /// Starts again, and may call these hosts.
    fn allow(&mut self, hosts: &str) {
        hosts.clone_into(&mut self.allowed);
        self.restart();
    }

    fn restart(&mut self) {
        self.restart_with("none");
    }

    /// Restarts the server with this assistant on the channel itself.
    fn restart_with(&mut self, of_channel: &str) {
        if let Some(serving) = self.serving.take() {
            assert_eq!(serving.interrupt(), Some(0));
        }
        let config = self.path().join("citewire.toml").display().to_string();
        let environment = [
            ("CITEWIRE_API_KEY", API_KEY),
            ("CITEWIRE_CONFIG", config.as_str()),
            ("CITEWIRE_ASSISTANT", of_channel),
            ("SECRET_OF_HR", "the-secret-of-hr-1234"),
            ("MODEL_KEY", "sk-of-the-model"),
            ("BUCKET_KEY", "b2YgdGhlIGJ1Y2tldA=="),
            ("CITEWIRE_DIRECT_LINE_SECRET", "the-secret-of-the-channel"),
            ("FILE_LINE", "the-secret-of-the-file"),
            ("REPORTS", "the-key-of-the-reports"),
            ("CITEWIRE_EGRESS_ALLOW_HOSTS", self.allowed.as_str()),
            ("NOT_NAMED", "of the environment"),
        ];
        self.serving = Some(Serving::start(self.path(), &environment));
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = &self.serving.as_ref().expect("a server").url;
        self.client.request(method, format!("{url}{path}")).bearer_auth(API_KEY)
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        answer(self.request(Method::GET, path)).await
    }

    async fn put(&self, path: &str, settings: &Value) -> (StatusCode, Value) {
        answer(self.request(Method::PUT, path).json(settings)).await
    }

    async fn upload(&self, path: &str, bytes: impl Into<reqwest::Body>) -> (StatusCode, Value) {
        answer(self.request(Method::PUT, path).body(bytes)).await
    }

    async fn delete(&self, path: &str) -> StatusCode {
        answer(self.request(Method::DELETE, path)).await.0
    }

    async fn ask(&self, assistant: &str, question: &str) -> String {
        let body = json!({"model": assistant, "messages": [{"role": "user", "content": question}]});
        let (status, answered) = answer(self.request(Method::POST, "/v1/chat/completions").json(&body)).await;
        assert_eq!(status, 200, "{answered}");
        answered["choices"][0]["message"]["content"].as_str().expect("a text").to_owned()
    }

    async fn etag(&self, path: &str) -> String {
        let response = self.request(Method::GET, path).send().await.expect("an answer");
        response.headers()[ETAG].to_str().expect("a tag").to_owned()
    }
}

const HR: &str = "/v1/assistants/hr";
const LEAVE: &str = "/v1/assistants/hr/documents/leave.md";

#[tokio::test]
async fn an_assistant_is_made_asked_changed_and_deleted_without_a_file_on_the_server() {
    let mut server = Server::start();
    let settings = json!({"greeting": "Grüß Gott 😀", "documents": {}});
    let (status, stored) = server.put(HR, &settings).await;
    assert_eq!((status, &stored), (StatusCode::CREATED, &settings));
    assert_eq!(server.get(HR).await, (StatusCode::OK, settings));
    let (status, document) = server.upload(LEAVE, "# Leave\n\nLeave is 30 days a year.\n").await;
    assert_eq!((status, &document["state"], &document["passages"]), (StatusCode::CREATED, &json!("ready"), &json!(1)));
    let answered = server.ask("hr", "How many days of leave are there?").await;
    assert!(answered.contains("30 days a year") && answered.contains("[1]"), "{answered}");
    // The settings hold from the next question on.
    let (status, _) = server.put(HR, &json!({"documents": {}, "enable_citations": false})).await;
    assert_eq!(status, StatusCode::OK);
    let answered = server.ask("hr", "How many days of leave are there?").await;
    assert!(answered.contains("30 days a year") && !answered.contains("[1]"), "{answered}");
    server.restart();
    let answered = server.ask("hr", "How many days of leave are there?").await;
    assert!(answered.contains("30 days a year"), "after a restart: {answered}");
    // A new upload takes the place of the old one.
    server.upload(LEAVE, "# Leave\n\nLeave is 28 days a year.\n").await;
    let answered = server.ask("hr", "How many days of leave are there?").await;
    assert!(answered.contains("28 days a year") && !answered.contains("30"), "{answered}");
    assert_eq!(server.delete(LEAVE).await, StatusCode::NO_CONTENT);
    assert_eq!(server.delete(LEAVE).await, StatusCode::NOT_FOUND);
    let answered = server.ask("hr", "How many days of leave are there?").await;
    assert!(!answered.contains("28 days"), "{answered}");
    assert_eq!(server.delete(HR).await, StatusCode::NO_CONTENT);
    assert_eq!(server.get(HR).await.0, StatusCode::NOT_FOUND);
    assert_eq!(server.delete(HR).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn two_people_who_save_at_once_lose_nothing() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    let read = server.etag(HR).await;
    let save = |greeting: &str, tag: &str| {
        let request = server.request(Method::PUT, HR).header(IF_MATCH, tag);
        answer(request.json(&json!({"greeting": greeting, "documents": {}})))
    };
    let (status, _) = save("Ann's", &read).await;
    assert_eq!(status, StatusCode::OK);
    let (status, problem) = save("Bob's", &read).await;
    assert_eq!((status, &problem["code"]), (StatusCode::PRECONDITION_FAILED, &json!("assistant_changed")));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("read it again")), "{problem}");
    assert_eq!(server.get(HR).await.1["greeting"], "Ann's");
    let (status, _) = save("Bob's", &server.etag(HR).await).await;
    assert_eq!(status, StatusCode::OK);
    for tag in [read.as_str(), "\"x\"", "W/\"1\""] {
        let status = answer(server.request(Method::DELETE, HR).header(IF_MATCH, tag)).await.0;
        assert_eq!(status, StatusCode::PRECONDITION_FAILED, "{tag}");
    }
    let only_new = server.request(Method::PUT, HR).header(IF_NONE_MATCH, "*").json(&json!({"documents": {}}));
    assert_eq!(answer(only_new).await.0, StatusCode::PRECONDITION_FAILED);
    let nobody =
        server.request(Method::PUT, "/v1/assistants/new").header(IF_MATCH, "*").json(&json!({"documents": {}}));
    assert_eq!(answer(nobody).await.0, StatusCode::PRECONDITION_FAILED);
}

#[tokio::test]
async fn invalid_settings_are_refused_with_every_fault_and_its_place() {
    let server = Server::start();
    let model = |more: Value| {
        let mut upstream = json!({"kind": "openai", "url": "https://models.example/v1", "model": "m"});
        upstream.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({ "upstream": upstream })
    };
    for (settings, expected) in [
        (json!({}), &["documents: ", "set documents to {}"][..]),
        (json!({"documents": {}, "greting": "x"}), &["greting: unknown field `greting`"]),
        (json!({"documents": {}, "greeting": 5}), &["greeting: invalid type"]),
        (json!({"documents": {}, "greeting": null}), &["greeting: null is not allowed"]),
        (json!({"documents": {"folder": "/etc"}}), &["documents.folder: only the configuration file"]),
        (json!({"documents": {}, "secret_file": "/etc/passwd"}), &["secret_file: only the configuration file"]),
        (json!({"documents": {}, "secret_env": "NOT_NAMED"}), &["secret_env: ", "no secret NOT_NAMED", "[secrets]"]),
        (model(json!({"key_env": "NOT_NAMED"})), &["key_env: ", "no secret NOT_NAMED"]),
        (
            model(json!({"key_env": "plain"})),
            &["key_env: ", "does not say to which hosts", "hosts = [\"models.example\"]"],
        ),
        (model(json!({"key_env": "hr-line"})), &["key_env: ", "does not say to which hosts"]),
        (
            model(json!({"key_env": "model", "url": "https://evil.example"})),
            &["key_env: ", "may not go to the host \"evil.example\""],
        ),
        (model(json!({"key_env": "model", "url": "https://models.example@evil.example"})), &["url"]),
        (
            model(json!({"key_env": "model", "url": "https://models.example.evil.example"})),
            &["key_env: ", "may not go to"],
        ),
        (
            model(json!({"headers_env": {"X-Key": "model"}, "url": "https://evil.example"})),
            &["headers_env.X-Key: ", "may not go to"],
        ),
        (
            json!({"documents": {"embeddings": {"url": "https://evil.example", "model": "m", "key_env": "model"}}}),
            &["documents.embeddings: ", "key_env: ", "may not go to"],
        ),
        (
            json!({"documents": {"reranker": {"url": "https://evil.example", "model": "m", "key_env": "model"}}}),
            &["documents.reranker: ", "key_env: ", "may not go to"],
        ),
        (
            json!({"documents": {"bucket": "s3://docs", "bucket_key_id": "AKIA", "bucket_key_env": "bucket", "bucket_endpoint": "https://evil.example"}}),
            &["documents.bucket_key_env: ", "may not go to"],
        ),
        (
            json!({"documents": {"bucket": "az://contoso/docs", "bucket_key_env": "bucket"}}),
            &["documents.bucket_key_env: ", "may not go to the host \"contoso.blob.core.windows.net\""],
        ),
        (model(json!({"kind": "nothing"})), &["upstream.kind: unknown kind"]),
        (model(json!({"headers": {"Authorization": "Bearer x"}})), &["do not write keys into"]),
        (json!({"documents": {}, "EnableCitations": true, "enable_citations": true}), &["EnableCitations: "]),
        (json!({"upstream": {"kind": "openai"}, "documents": {}}), &["upstream: missing field"]),
    ] {
        let (status, problem) = server.put(HR, &settings).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("invalid_settings")),
            "{settings}"
        );
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(expected.iter().all(|words| detail.contains(words)), "{settings}: {detail}");
        assert!(!detail.contains("of the environment"), "{detail}");
    }
    for (name, body, status) in [
        ("hr", "[]", StatusCode::UNPROCESSABLE_ENTITY),
        ("hr", "{", StatusCode::BAD_REQUEST),
        ("Not%20a%20name", "{\"documents\": {}}", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let request = server.request(Method::PUT, &format!("/v1/assistants/{name}")).body(body);
        assert_eq!(answer(request).await.0, status, "{body}");
    }
    let all = server.get("/v1/assistants").await.1;
    assert_eq!(all["assistants"].as_array().map(Vec::len), Some(1), "nothing was stored: {all}");
    // With secrets that the file names, both are fine.
    let (status, problem) = server.put(HR, &model(json!({"key_env": "model"}))).await;
    assert_eq!(status, StatusCode::CREATED, "{problem}");
}

#[tokio::test]
async fn assistants_of_the_configuration_are_shown_and_cannot_be_changed() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    let (_, all) = server.get("/v1/assistants").await;
    let all = all["assistants"].as_array().expect("a list");
    let seen: Vec<_> = all.iter().map(|one| (one["name"].as_str(), one["origin"].as_str())).collect();
    assert_eq!(seen, [(Some("fixed"), Some("configuration")), (Some("hr"), Some("store"))]);
    assert_eq!(server.get("/v1/assistants/fixed").await.1["greeting"], "from the file");
    for (method, path) in [
        (Method::PUT, "/v1/assistants/fixed"),
        (Method::DELETE, "/v1/assistants/fixed"),
        (Method::PUT, "/v1/assistants/docs"),
        (Method::PUT, "/v1/assistants/fixed/documents/a.md"),
    ] {
        let (status, problem) = answer(server.request(method, path).body("{\"documents\": {}}")).await;
        assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("assistant_configured")), "{path}");
    }
    let stranger = server.client.get(format!("{}{HR}", server.serving.as_ref().expect("a server").url));
    assert_eq!(answer(stranger).await.0, StatusCode::UNAUTHORIZED);
}

/// An assistant of the store can answer on the channel itself. One that a setting names cannot go away: the next start would fail.
#[tokio::test]
async fn settings_of_the_server_may_name_assistants_of_the_store() {
    let mut server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    server.restart_with("hr");
    let (status, problem) = answer(server.request(Method::DELETE, HR)).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("assistant_named")));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("the setting assistant")), "{problem}");
    server.restart();
    assert_eq!(server.delete(HR).await, StatusCode::NO_CONTENT);
    drop(server.serving.take());
    let mut command = citewire(&["serve", "--bind", "127.0.0.1:0"]);
    let ended =
        command.env("CITEWIRE_DATA_DIR", server.path()).env("CITEWIRE_ASSISTANT", "hr").output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        !ended.status.success() && said.contains("assistant: hr: this assistant does not exist; known: docs"),
        "{said}"
    );
}

#[tokio::test]
async fn settings_go_out_as_a_section_of_the_file_and_come_back() {
    let server = Server::start();
    let settings =
        json!({"greeting": "a \"b\"\nc", "options": {"require_grounding": "any"}, "documents": {"passages": 4}});
    let (status, problem) = server.put(HR, &settings).await;
    assert_eq!(status, StatusCode::CREATED, "{problem}");
    let exported = server.request(Method::GET, HR).header(ACCEPT, "application/toml").send().await.expect("an answer");
    let exported = exported.text().await.expect("a text");
    assert!(exported.contains("[assistants.hr]"), "{exported}");
    for (name, body) in [("hr", exported.as_str()), ("other", "greeting = 'x'\n[documents]\n")] {
        let request = server.request(Method::PUT, &format!("/v1/assistants/{name}"));
        let (status, problem) = answer(request.header(CONTENT_TYPE, "application/toml").body(body.to_owned())).await;
        assert!(status.is_success(), "{problem}");
    }
    assert_eq!(server.get(HR).await.1, settings);
    let broken = server.request(Method::PUT, HR).header(CONTENT_TYPE, "application/toml").body("a = ");
    let (status, problem) = answer(broken).await;
    assert_eq!((status, &problem["code"]), (StatusCode::BAD_REQUEST, &json!("not_toml")));
    // AssistantHub's names have the same meaning.
    let hub = json!({"EnableCitations": false, "SystemPrompt": "Be brief.", "EnableRag": true, "RetrievalTopK": 3});
    let (status, problem) = server.put("/v1/assistants/hub", &hub).await;
    assert_eq!(status, StatusCode::CREATED, "{problem}");
}

#[tokio::test]
async fn a_file_that_cannot_be_taken_is_refused_with_the_reason_and_changes_nothing() {
    let server = Server::start();
    server
        .put(HR, &json!({"documents": {"max_document_bytes": 100, "max_total_bytes": 150, "max_documents": 3}}))
        .await;
    server
        .put("/v1/assistants/plain", &json!({"upstream": {"kind": "openai", "url": "https://x.example", "model": "m"}}))
        .await;
    server.upload(LEAVE, "Leave is 30 days a year.").await;
    for (path, bytes, status, code) in [
        ("hr/documents/a.exe", 5, 415, "unsupported_document"),
        ("hr/documents/noending", 5, 415, "unsupported_document"),
        ("hr/documents/a%2Fb.md", 5, 422, "invalid_document_name"),
        ("hr/documents/a%0Ab.md", 5, 422, "invalid_document_name"),
        ("hr/documents/%20.md", 5, 422, "invalid_document_name"),
        ("hr/documents/long.md", 101, 413, "body_too_long"),
        ("plain/documents/a.md", 5, 409, "no_documents"),
        ("nobody/documents/a.md", 5, 404, "unknown_assistant"),
    ] {
        let (answered, problem) = server.upload(&format!("/v1/assistants/{path}"), vec![b'a'; bytes]).await;
        assert_eq!((answered.as_u16(), problem["code"].as_str()), (status, Some(code)), "{path}: {problem}");
    }
    assert_eq!(server.upload("/v1/assistants/hr/documents/b.md", vec![b'b'; 100]).await.0, StatusCode::CREATED);
    let (status, problem) = server.upload("/v1/assistants/hr/documents/c.md", vec![b'c'; 60]).await;
    assert_eq!((status, &problem["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("documents_too_large")));
    assert_eq!(server.upload("/v1/assistants/hr/documents/c.md", "c").await.0, StatusCode::CREATED);
    let (status, problem) = server.upload("/v1/assistants/hr/documents/d.md", "d").await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("too_many_documents")));
    // A file that is no text is kept and listed with the reason.
    let (status, document) = server.upload("/v1/assistants/hr/documents/c.md", vec![0xff, 0xfe, 0x00]).await;
    assert_eq!((status, &document["state"]), (StatusCode::CREATED, &json!("unreadable")));
    assert!(document["reason"].as_str().is_some_and(|reason| reason.contains("UTF-8")), "{document}");
    let (_, all) = server.get("/v1/assistants/hr/documents").await;
    let names: Vec<_> = all["documents"].as_array().expect("a list").iter().map(|one| one["name"].as_str()).collect();
    assert_eq!(names, [Some("b.md"), Some("c.md"), Some("leave.md")]);
    assert_eq!((&all["bytes"], &all["max_bytes"]), (&json!(127), &json!(150)));
    assert!(server.ask("hr", "How many days of leave are there?").await.contains("30 days"));
}

/// A PDF of one page that shows four letters of a font without letters, and then `words`. Its table of objects is missing.
fn half_lost_pdf(words: &str) -> Vec<u8> {
    let stream =
        |more: &str, content: &str| format!("<< /Length {}{more} >>\nstream\n{content}\nendstream", content.len());
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 7 0 R >> >> >>".to_owned(),
        stream("", &format!("BT /F1 12 Tf 50 700 Td <C8C8C8C8> Tj ET BT /F2 12 Tf 50 600 Td ({words}) Tj ET")),
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] \
         /CharProcs << /x1 6 0 R >> /Encoding << /Type /Encoding /Differences [200 /x1] >> \
         /FirstChar 200 /LastChar 200 /Widths [1000] >>"
            .to_owned(),
        stream("", "1000 0 0 0 750 750 d1 0 0 750 750 re f"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    for (number, object) in (1..).zip(objects) {
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    (file + "trailer\n<< /Root 1 0 R /Size 8 >>\n%%EOF\n").into_bytes()
}

// A form that had lost nearly all of its text was ready.
#[tokio::test]
async fn an_uploaded_document_says_what_of_it_could_not_be_read() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    for (words, state, percent) in [("Leave is thirty days.", "ready", "16 %"), ("so", "partial", "66 %")] {
        let (_, document) = server.upload("/v1/assistants/hr/documents/form.pdf", half_lost_pdf(words)).await;
        assert_eq!(document["state"], state, "{document}");
        let loss = format!("page 1: {percent} of its letters could not be read");
        assert_eq!((&document["loss"], &document["reason"]), (&json!(loss), &Value::Null), "{document}");
        let (_, read) = server.get("/v1/assistants/hr/documents/form.pdf").await;
        assert_eq!(read, document);
    }
    let (_, whole) = server.upload("/v1/assistants/hr/documents/whole.md", "# Leave\n\nIt is 30 days.").await;
    assert_eq!((&whole["state"], &whole["loss"]), (&json!("ready"), &Value::Null));
}

#[tokio::test]
async fn an_answer_that_finds_nothing_says_what_was_not_searched() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    let question = "How many days of leave are there?";
    assert_eq!(server.ask("hr", question).await, "There are no documents to search.");
    server.upload("/v1/assistants/hr/documents/urlaub.txt", b"30 Tage Urlaub f\xfcr alle.".to_vec()).await;
    server.upload("/v1/assistants/hr/documents/food.md", "# Food\n\nThe canteen opens at noon.").await;
    let nothing = "The documents say nothing about this. One document could not be read.";
    assert_eq!(server.ask("hr", question).await, nothing);
    assert_eq!(server.delete("/v1/assistants/hr/documents/urlaub.txt").await, StatusCode::NO_CONTENT);
    assert_eq!(server.ask("hr", question).await, "The documents say nothing about this.");
}

#[tokio::test]
async fn a_long_document_is_stored_in_pieces_and_downloaded_as_it_was() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}, "citation_link_mode": "authenticated"})).await;
    let text =
        "# Leave\n\nLeave is 30 days a year. 😀\n\n".to_owned() + &"Something else is said here.\n\n".repeat(100_000);
    let (status, document) = server.upload("/v1/assistants/hr/documents/long%20%C3%BC.md", text.clone()).await;
    assert!(status.is_success() && document["name"] == "long ü.md", "{document}");
    let body = json!({"model": "hr", "messages": [{"role": "user", "content": "How many days of leave are there?"}], "form": "assistanthub"});
    let mut seen = Value::Null;
    while seen.is_null() {
        let (_, state) = server.get("/v1/assistants/hr/documents/long%20%C3%BC.md").await;
        if state["state"] == "ready" {
            seen = answer(server.request(Method::POST, "/v1/chat/completions").json(&body)).await.1;
        }
    }
    let path = seen.to_string();
    let at = path.find("/v1/documents/").expect("a download");
    let path = path[at..].split(['"', ')', ' ', '\\']).next().expect("a path").to_owned();
    let file = server.request(Method::GET, &path).send().await.expect("an answer").bytes().await.expect("a body");
    assert!(file == text.as_bytes(), "{} bytes", file.len());
    let get = async |method: Method, header: (&str, &str)| {
        let response = server.request(method, &path).header(header.0, header.1).send().await.expect("an answer");
        let tag = response.headers()[ETAG].to_str().expect("text").to_owned();
        let length = response.headers().get("content-length").map(|length| length.to_str().expect("text").to_owned());
        (response.status().as_u16(), tag, length, response.bytes().await.expect("a body"))
    };
    let (status, tag, length, body) = get(Method::HEAD, ("accept", "*/*")).await;
    assert_eq!((status, length, body.len()), (200, Some(text.len().to_string()), 0));
    // The pieces of the store have 1 MiB.
    let mib = 1024 * 1024;
    for (first, last) in [(0, 0), (mib - 3, mib + 2), (mib, mib), (2 * mib - 1, text.len() - 1), (5, text.len() - 1)] {
        let (status, tag_of_part, _, body) = get(Method::GET, ("range", &format!("bytes={first}-{last}"))).await;
        assert_eq!((status, &tag_of_part), (206, &tag), "{first}-{last}");
        assert!(body == text.as_bytes()[first..=last], "{first}-{last}");
    }
    assert_eq!(get(Method::GET, ("if-none-match", &tag)).await.0, 304);
    server.upload("/v1/assistants/hr/documents/long%20%C3%BC.md", text.clone()).await;
    assert_eq!(get(Method::GET, ("if-none-match", &tag)).await.0, 200, "another upload");
}

/// A name says nothing of the owner of a document: another user may make an assistant and a document of the same names.
#[tokio::test]
async fn a_public_address_ends_with_its_upload_and_its_assistant() {
    let server = Server::start();
    let settings = json!({"documents": {}, "citation_link_mode": "public"});
    let address = async |text: &'static str| {
        server.put(HR, &settings).await;
        server.upload(LEAVE, text).await;
        let body =
            json!({"model": "hr", "messages": [{"role": "user", "content": "How many days of leave are there?"}]});
        let said = answer(server.request(Method::POST, "/v1/chat/completions").json(&body)).await.1.to_string();
        let at = said.find("/v1/documents/").expect("an address");
        said[at..].split(['"', ')', ' ', '\\', '#']).next().expect("a path").to_owned()
    };
    let open = async |path: &str| {
        let url = &server.serving.as_ref().expect("a server").url;
        let response = server.client.get(format!("{url}{path}")).send().await.expect("an answer");
        (response.status().as_u16(), response.text().await.expect("a body"))
    };
    let first = address("Leave is 30 days a year.").await;
    assert_eq!(open(&first).await, (200, "Leave is 30 days a year.".to_owned()));
    let second = address("Leave is 28 days a year.").await;
    assert_eq!((open(&first).await.0, open(&second).await.0), (404, 200), "it was replaced");
    server.delete(HR).await;
    assert_eq!(open(&second).await.0, 404);
    let third = address("Leave is a secret of others, 7 days.").await;
    assert_eq!((open(&second).await.0, open(&third).await.0), (404, 200), "the assistant is another one");
    let edition = third.split_once("edition=").and_then(|(_, rest)| rest.split('&').next()).expect("an edition");
    let edition_of_second = second.split_once("edition=").and_then(|(_, rest)| rest.split('&').next()).expect("one");
    assert_eq!(open(&second.replace(edition_of_second, edition)).await.0, 403, "the edition is signed");
    let bare = third.replace(&format!("edition={edition}&"), "");
    assert_eq!(open(&bare).await.0, 403);
}

#[tokio::test]
async fn uploads_at_once_are_no_more_than_the_limit_allows() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {"max_documents": 5}})).await;
    let uploads = (0..16).map(|number| {
        let path = format!("/v1/assistants/hr/documents/{number}.md");
        let server = &server;
        async move { server.upload(&path, "Leave is 30 days a year.").await.0 }
    });
    let statuses = futures_util::future::join_all(uploads).await;
    let stored = statuses.iter().filter(|status| status.is_success()).count();
    let refused = statuses.iter().filter(|status| **status == StatusCode::CONFLICT).count();
    assert_eq!((stored, refused), (5, 11), "{statuses:?}");
    let (_, all) = server.get("/v1/assistants/hr/documents").await;
    assert_eq!(all["documents"].as_array().map(Vec::len), Some(5));
}

/// The rest of a broken upload would count against the limit of the store.
#[tokio::test]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    let url = &server.serving.as_ref().expect("a server").url;
    let address = url.strip_prefix("http://").expect("an address");
    let mut connection = tokio::net::TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "PUT {LEAVE} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {API_KEY}\r\ncontent-length: 3000000\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).await.expect("sent");
    connection.write_all(&vec![b'x'; 2_000_000]).await.expect("sent");
    let file = std::fs::read_dir(server.path()).expect("a folder").filter_map(Result::ok);
    let file = file.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|ending| ending == "db"));
    let file = SqliteConnectOptions::new().filename(file.expect("a store")).read_only(true);
    let mut store = file.connect().await.expect("a connection");
    let mut drafts = async |count: i64| {
        let counted = "SELECT count(*) FROM document WHERE draft = 1 AND bytes > 0";
        while sqlx::query_scalar::<_, i64>(counted).fetch_one(&mut store).await.expect("read") != count {
            tokio::task::yield_now().await;
        }
    };
    let patience = std::time::Duration::from_secs(20);
    tokio::time::timeout(patience, drafts(1)).await.expect("a draft");
    drop(connection);
    tokio::time::timeout(patience, drafts(0)).await.expect("no draft");
}

#[tokio::test]
async fn a_token_opens_a_conversation_with_the_assistant() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}, "secret_env": "hr-line"})).await;
    server.upload(LEAVE, "Leave is 30 days a year.").await;
    let (status, granted) = answer(server.request(Method::POST, "/v1/assistants/hr/tokens")).await;
    assert_eq!(status, StatusCode::OK, "{granted}");
    assert!(granted["conversationId"].as_str().is_some_and(|id| id.starts_with("hr.")), "{granted}");
    let (status, _) = answer(server.request(Method::POST, "/v1/assistants/nobody/tokens")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    // The secret that the file names opens the same conversations.
    let url = &server.serving.as_ref().expect("a server").url;
    let generate = server.client.post(format!("{url}/v3/directline/tokens/generate"));
    let (status, granted) = answer(generate.bearer_auth("the-secret-of-hr-1234")).await;
    assert!(status.is_success() && granted["conversationId"].as_str().is_some_and(|id| id.starts_with("hr.")));
}

/// Names that look alike are one document, and bytes that are no text are no name.
#[tokio::test]
async fn a_name_is_utf_8_and_the_same_however_its_letters_are_composed() {
    let server = Server::start();
    server.put(HR, &json!({"documents": {}})).await;
    let (composed, taken_apart) =
        ("/v1/assistants/hr/documents/Z%C3%BCge.md", "/v1/assistants/hr/documents/Zu%CC%88ge.md");
    let (_, stored) = server.upload(taken_apart, "One.").await;
    assert_eq!(stored["name"], "Züge.md");
    let (_, stored) = server.upload(composed, "Two, of trains.").await;
    assert_eq!(stored["bytes"], 15);
    let (_, all) = server.get("/v1/assistants/hr/documents").await;
    assert_eq!(all["documents"].as_array().map(Vec::len), Some(1), "{all}");
    assert_eq!(server.get(taken_apart).await.1, server.get(composed).await.1);
    assert_eq!(server.delete(taken_apart).await, StatusCode::NO_CONTENT);
    assert_eq!(server.get(composed).await.0, StatusCode::NOT_FOUND);
    for name in ["a%ff.md", "a%c3%28.md", "%ed%a0%80.md"] {
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let request = server.request(method, &format!("/v1/assistants/hr/documents/{name}")).body("x");
            let (status, problem) = answer(request).await;
            assert_eq!(
                (status, &problem["code"]),
                (StatusCode::UNPROCESSABLE_ENTITY, &json!("invalid_name")),
                "{name}"
            );
        }
    }
    for path in ["/v1/assistants/a%ff", "/v1/models/a%ff", "/v1/conversations/a%ff", "/v1/users/a%ff/export"] {
        assert_eq!(server.get(path).await.0, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    }
}

/// One wrong setting of a bucket was the end of the process, and of each later start.
#[tokio::test]
async fn wrong_settings_of_a_bucket_are_refused_with_their_names() {
    let server = Server::start();
    let bucket = |members: Value| json!({ "documents": members });
    let mut wrong = Vec::new();
    for address in ["s3://docs", "gs://docs", "az://contoso/docs"] {
        for region in ["eu central-1", "eu\ncentral-1", &"x".repeat(70_000)] {
            wrong.push((bucket(json!({"bucket": address, "bucket_region": region})), vec!["bucket_region"]));
        }
        for endpoint in [
            "file:///etc/passwd",
            "unix:///run/minio.sock",
            "http:x",
            "mailto:a@b.example",
            "http://a.example\r\nX: y",
            "http://bücher.example",
        ] {
            let settings = json!({"bucket": address, "bucket_endpoint": endpoint, "bucket_region": "EU"});
            wrong.push((bucket(settings), vec!["bucket_endpoint", "bucket_region"]));
        }
    }
    for address in ["s3://a%20b/x", "s3://a\"b/x", "gs://A", "az://con-toso/docs", "az://contoso/a--b"] {
        wrong.push((bucket(json!({ "bucket": address })), vec!["bucket"]));
    }
    let id = json!({"bucket": "s3://docs", "bucket_key_id": "AKIA\nx", "bucket_key_env": "bucket"});
    wrong.push((bucket(id), vec!["bucket_key_id"]));
    wrong.push((bucket(json!({"bucket": "gs://docs", "bucket_key_env": "bucket"})), vec!["bucket_key_env"]));
    for (settings, members) in wrong {
        let (status, problem) = server.put(HR, &settings).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{settings}: {problem}");
        let detail = problem["detail"].as_str().expect("a detail");
        for member in members {
            assert!(detail.contains(&format!("documents.{member}: ")), "{settings}: {detail}");
        }
    }
    assert_eq!(server.get("/healthz").await.0, StatusCode::OK);
}

/// Whatever a row of the store holds, the server starts, and others answer.
#[tokio::test]
async fn a_row_of_the_store_that_cannot_be_used_is_a_fault_of_its_assistant() {
    let mut server = Server::start();
    for name in ["good", "region", "endpoint", "cut", "list", "deep"] {
        server.put(&format!("/v1/assistants/{name}"), &json!({"documents": {}})).await;
    }
    server.upload("/v1/assistants/good/documents/leave.md", "# Leave\n\nLeave is 30 days a year.\n").await;
    let serving = server.serving.take().expect("a server");
    assert_eq!(serving.interrupt(), Some(0));
    let rows = [
        (
            "region",
            r#"{"documents":{"bucket":"s3://docs","bucket_region":"eu central-1"}}"#.to_owned(),
            "bucket_region",
        ),
        (
            "endpoint",
            r#"{"documents":{"bucket":"gs://docs","bucket_endpoint":"file:///x"}}"#.to_owned(),
            "bucket_endpoint",
        ),
        ("cut", r#"{"documents":{"#.to_owned(), "its settings in the store cannot be read"),
        ("list", "[1]".to_owned(), "its settings in the store cannot be read"),
        ("deep", format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000)), "cannot be read"),
    ];
    let file = format!("sqlite://{}", server.path().join("citewire.db").display());
    let mut database = sqlx::SqliteConnection::connect(&file).await.expect("the database");
    for (name, settings, _) in &rows {
        let update = sqlx::query("UPDATE assistant SET settings = ?, version = version + 100 WHERE name = ?");
        update.bind(settings).bind(name).execute(&mut database).await.expect("written");
    }
    database.close().await.expect("closed");
    server.restart();
    let all = server.get("/v1/assistants").await.1;
    for (name, _, reason) in &rows {
        let listed = all["assistants"].as_array().expect("a list").iter().find(|one| one["name"] == *name);
        let fault = listed.expect("it is listed")["fault"].as_str().unwrap_or_default();
        assert!(fault.contains(reason), "{name}: {fault}");
    }
    assert!(server.ask("good", "How many days of leave are there?").await.contains("30 days"));
    // They are mended by the same calls as others.
    assert_eq!(server.put("/v1/assistants/cut", &json!({"documents": {}})).await.0, StatusCode::OK);
    assert_eq!(server.delete("/v1/assistants/deep").await, StatusCode::NO_CONTENT);
}

/// A bucket that did not answer kept all others from being read.
#[tokio::test]
async fn a_bucket_that_does_not_answer_holds_up_no_other() {
    let mut server = Server::start();
    let buckets = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").expect("a port"));
    let address = |at: usize| format!("http://{}", buckets[at].local_addr().expect("an address"));
    let allowed = buckets.each_ref().map(|bucket| bucket.local_addr().expect("an address").to_string());
    server.allow(&allowed.join(","));
    let bucket = |at: usize| json!({"documents": {"bucket": "s3://docs", "bucket_endpoint": address(at)}});
    let asked = |at: usize| {
        let listener = buckets[at].try_clone().expect("a listener");
        tokio::task::spawn_blocking(move || listener.accept().expect("a call"))
    };
    assert_eq!(server.put("/v1/assistants/first", &bucket(0)).await.0, StatusCode::CREATED);
    // Its call is open, and has no answer.
    let _open = timeout(PATIENCE, asked(0)).await.expect("in time");
    assert_eq!(server.put("/v1/assistants/second", &bucket(1)).await.0, StatusCode::CREATED);
    timeout(PATIENCE, asked(1)).await.expect("in time").expect("a call");
}

/// An assistant with the secret of another one got the tokens of its programs.
#[tokio::test]
async fn an_assistant_cannot_take_a_secret_that_is_in_use() {
    let mut server = Server::start();
    let file = server.path().join("citewire.toml");
    let config = std::fs::read_to_string(&file).expect("the file");
    let secrets = "[secrets]\nkey = { env = 'CITEWIRE_API_KEY' }\nchannel = { env = 'CITEWIRE_DIRECT_LINE_SECRET' }\n\
                   file-line = { env = 'FILE_LINE' }\nreports = { env = 'REPORTS' }\n";
    let config =
        config.replace("[secrets]\n", secrets).replace("greeting = 'from the file'", "secret_env = 'FILE_LINE'");
    let config = config + "\n[keys.reports]\nsecret_env = 'REPORTS'\nscopes = ['metrics']\n";
    std::fs::write(&file, config).expect("written");
    server.restart();
    let line = |secret: &str| json!({"documents": {}, "secret_env": secret});
    assert_eq!(server.put(HR, &line("hr-line")).await.0, StatusCode::CREATED);
    assert_eq!(server.put(HR, &line("hr-line")).await.0, StatusCode::OK, "it is its own");
    for (secret, owner) in [
        ("hr-line", "the assistant hr"),
        ("file-line", "the assistant fixed"),
        ("key", "the key api_key"),
        ("reports", "the key reports"),
        ("channel", "the channel"),
    ] {
        let (status, problem) = server.put("/v1/assistants/aaa", &line(secret)).await;
        assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("secret_taken")), "{secret}: {problem}");
        let detail = problem["detail"].as_str().expect("a detail");
        assert!(detail.contains("secret_env: ") && detail.contains(owner), "{detail}");
    }
    // A row of an older version, which was stored without a check.
    server.put("/v1/assistants/aaa", &json!({"documents": {}})).await;
    assert_eq!(server.serving.take().expect("a server").interrupt(), Some(0));
    let file = format!("sqlite://{}", server.path().join("citewire.db").display());
    let mut database = sqlx::SqliteConnection::connect(&file).await.expect("the database");
    let update = sqlx::query("UPDATE assistant SET settings = ? WHERE name = 'aaa'");
    update.bind(line("hr-line").to_string()).execute(&mut database).await.expect("written");
    database.close().await.expect("closed");
    server.restart();
    let all = server.get("/v1/assistants").await.1;
    let fault = |name: &str| {
        let listed = all["assistants"].as_array().expect("a list").iter().find(|one| one["name"] == name);
        listed.expect("it is listed")["fault"].clone()
    };
    assert_eq!(fault("hr"), Value::Null);
    assert!(fault("aaa").as_str().is_some_and(|words| words.contains("the assistant hr")), "{all}");
    // A secret that is free again can be taken.
    assert_eq!(server.delete(HR).await, StatusCode::NO_CONTENT);
    assert_eq!(server.put("/v1/assistants/aaa", &line("hr-line")).await.0, StatusCode::OK);
}
