//! Keys of back ends that are entered over HTTP, trials of back ends, and assistants that visitors may choose.

#![expect(clippy::disallowed_methods, reason = "the tasks and the calls of a test end with it")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::{ACCEPT, ETAG, IF_MATCH};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::app::{API_KEY, DIRECT_LINE_SECRET, Request, Serving, answer, respond};
use crate::postgres::Database;

/// The longest wait for what another node has to see.
const PATIENCE: Duration = Duration::from_secs(20);

const KEY: &str = "sk-of-the-tests-0123456789-xyz1";

const HR: &str = "/v1/assistants/hr";
const HR_KEY: &str = "/v1/assistants/hr/key";

/// A service with chat completions that wants a key and has one model.
struct Model {
    url: String,
    seen: Arc<Mutex<Vec<Option<String>>>>,
}

impl Model {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
        let calls = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = Request::read(&mut stream).await else { continue };
                let bearer = request.bearer().map(str::to_owned);
                let (status, body) = answered(&request, bearer.as_deref());
                calls.lock().expect("no panic").push(bearer);
                respond(&mut stream, status, "content-type: application/json", &body.to_string()).await;
            }
        });
        Self { url, seen }
    }

    /// The credentials that came since the last look.
    fn seen(&self) -> Vec<Option<String>> {
        std::mem::take(&mut *self.seen.lock().expect("no panic"))
    }

    fn host(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/v1")
    }

    fn settings(&self) -> Value {
        json!({"upstream": {"kind": "openai", "url": self.url, "model": "tiny"}})
    }
}

fn answered(request: &Request, bearer: Option<&str>) -> (u16, Value) {
    if bearer != Some(KEY) {
        let said = format!("Incorrect API key provided: {}", bearer.unwrap_or("none"));
        return (401, json!({"error": {"message": said}}));
    }
    if request.method == "GET" {
        return (200, json!({"data": [{"id": "tiny"}, {"id": "large"}]}));
    }
    match request.json()["model"].as_str() {
        Some("tiny") => (200, json!({"choices": [{"message": {"role": "assistant", "content": "yes"}}]})),
        _ => (404, json!({"error": {"message": "model \"absent\" not found, try pulling it first"}})),
    }
}

/// A server whose assistants are data.
struct Server {
    folder: TempDir,
    serving: Option<Serving>,
    client: Client,
}

impl Server {
    fn start(allowed: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Self { folder, serving: None, client: Client::new() };
        server.restart(&[("CITEWIRE_EGRESS_ALLOW_HOSTS", allowed)]);
        server
    }

    fn restart(&mut self, more: &[(&str, &str)]) {
        if let Some(serving) = self.serving.take() {
            assert_eq!(serving.interrupt(), Some(0));
        }
        let all = [("CITEWIRE_API_KEY", API_KEY), ("CITEWIRE_DIRECT_LINE_SECRET", DIRECT_LINE_SECRET)];
        self.serving = Some(Serving::start(self.folder.path(), &[&all, more].concat()));
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = &self.serving.as_ref().expect("a server").url;
        self.client.request(method, format!("{url}{path}")).bearer_auth(API_KEY)
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        answer(self.request(Method::GET, path)).await
    }

    async fn put(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        answer(self.request(Method::PUT, path).json(body)).await
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        answer(self.request(Method::POST, path).json(body)).await
    }

    async fn status(&self, method: Method, path: &str) -> StatusCode {
        self.request(method, path).send().await.expect("an answer").status()
    }

    async fn ask(&self, assistant: &str) -> (StatusCode, Value) {
        let body = json!({"model": assistant, "messages": [{"role": "user", "content": "Is it there?"}]});
        self.post("/v1/chat/completions", &body).await
    }
}

fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// A model could be used only by somebody who writes the configuration file.
#[tokio::test]
async fn a_key_is_entered_used_and_never_read_back() {
    let model = Model::start().await;
    let server = Server::start(model.host());
    assert_eq!(server.put(HR, &model.settings()).await.0, StatusCode::CREATED);
    let (status, state) = server.get(HR_KEY).await;
    assert_eq!((status, &state["set"], &state["fault"]), (StatusCode::OK, &json!(false), &Value::Null));
    assert_eq!(server.ask("hr").await.0, StatusCode::BAD_GATEWAY);
    assert_eq!(model.seen(), [None]);

    let (status, state) = server.put(HR_KEY, &json!({"key": format!(" {KEY}\n")})).await;
    assert_eq!(status, StatusCode::OK, "{state}");
    let origin = model.url.trim_end_matches("/v1");
    assert_eq!((&state["set"], &state["ends_in"], &state["origin"]), (&json!(true), &json!("xyz1"), &json!(origin)));
    assert!(state["since"].is_string());
    // It holds from the next question.
    let (status, answered) = server.ask("hr").await;
    assert_eq!((status, &answered["choices"][0]["message"]["content"]), (StatusCode::OK, &json!("yes")));
    assert_eq!(model.seen(), [Some(KEY.to_owned())]);

    let toml = server.request(Method::GET, "/v1/assistants").header(ACCEPT, "application/toml");
    let exported = toml.send().await.expect("an answer").text().await.expect("text");
    let read = [server.get(HR).await.1, server.get("/v1/assistants").await.1, server.get(HR_KEY).await.1];
    for text in read.iter().map(Value::to_string).chain([exported]) {
        assert!(!text.contains("sk-of-the-tests"), "{text}");
    }
    assert_eq!(files_with(server.folder.path(), "sk-of-the-tests"), Vec::<String>::new());

    // Settings with the same address keep it, also after a restart.
    let mut settings = model.settings();
    settings["greeting"] = json!("Hello");
    assert_eq!(server.put(HR, &settings).await.0, StatusCode::OK);
    let mut server = server;
    server.restart(&[("CITEWIRE_EGRESS_ALLOW_HOSTS", model.host())]);
    assert_eq!(server.ask("hr").await.0, StatusCode::OK);
    assert_eq!(server.status(Method::DELETE, HR_KEY).await, StatusCode::NO_CONTENT);
    assert_eq!(server.status(Method::DELETE, HR_KEY).await, StatusCode::NOT_FOUND);
    model.seen();
    assert_eq!(server.ask("hr").await.0, StatusCode::BAD_GATEWAY);
    assert_eq!(model.seen(), [None]);
}

#[tokio::test]
async fn a_key_goes_to_the_address_alone_for_which_it_was_entered() {
    let (model, other) = (Model::start().await, Model::start().await);
    let server = Server::start(&format!("{},{}", model.host(), other.host()));
    server.put(HR, &model.settings()).await;
    server.put(HR_KEY, &json!({"key": KEY})).await;
    assert_eq!(server.put(HR, &other.settings()).await.0, StatusCode::OK);
    let (_, state) = server.get(HR_KEY).await;
    assert_eq!(state["set"], json!(false));
    let fault = state["fault"].as_str().expect("words");
    assert!(fault.contains(model.host()) && fault.contains("enter the key again"), "{fault}");
    assert_eq!(server.ask("hr").await.0, StatusCode::BAD_GATEWAY);
    assert_eq!(other.seen(), [None]);
    // It is gone, not put aside.
    server.put(HR, &model.settings()).await;
    assert_eq!(server.get(HR_KEY).await.1["set"], json!(false));
    // A trial of settings that are not stored sends it nowhere else either, nor does a list of models.
    server.put(HR_KEY, &json!({"key": KEY})).await;
    let (_, tried) = server.post("/v1/assistants/hr/try", &json!({"settings": other.settings()})).await;
    assert_eq!((&tried["works"], &tried["problem"]), (&json!(false), &json!("key")), "{tried}");
    server.post("/v1/assistants/hr/models", &json!({"url": other.url})).await;
    assert_eq!(other.seen(), [None, None]);
    let (_, listed) = server.post("/v1/assistants/hr/models", &json!({"url": model.url})).await;
    assert_eq!(listed["models"], json!(["large", "tiny"]));
}

#[tokio::test]
async fn a_key_that_cannot_be_entered_is_refused_without_being_repeated() {
    let model = Model::start().await;
    let server = Server::start(model.host());
    assert_eq!(server.put(HR_KEY, &json!({"key": KEY})).await.0, StatusCode::NOT_FOUND);
    server.put(HR, &json!({"documents": {}})).await;
    let (status, refused) = server.put(HR_KEY, &json!({"key": KEY})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("no_back_end")));
    server.put(HR, &model.settings()).await;
    for (body, status, code) in [
        (json!({"key": "two words-of-a-key"}), 422, "invalid_key"),
        (json!({"key": ""}), 422, "invalid_key"),
        (json!({"key": "words-of-a-key".repeat(400)}), 422, "invalid_key"),
        (json!({"words-of-a-key": 1}), 422, "invalid_key"),
    ] {
        let (told, refused) = server.put(HR_KEY, &body).await;
        assert_eq!((told.as_u16(), &refused["code"]), (status, &json!(code)));
        assert!(!refused.to_string().contains("words-of-a-key"), "{refused}");
    }
    let broken = server.request(Method::PUT, HR_KEY).body("{\"key\": words-of-a-key");
    let (status, refused) = answer(broken).await;
    assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("not_json")));
    assert!(!refused.to_string().contains("words-of-a-key"), "{refused}");
    for (method, path) in [(Method::GET, "/key"), (Method::PUT, "/key"), (Method::POST, "/try")] {
        let url = format!("{}{HR}{path}", server.serving.as_ref().expect("a server").url);
        let status = server.client.request(method, url).send().await.expect("an answer").status();
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn another_secret_of_the_server_makes_a_fault_that_says_what_to_do() {
    let model = Model::start().await;
    let mut server = Server::start(model.host());
    server.put(HR, &model.settings()).await;
    server.put(HR_KEY, &json!({"key": KEY})).await;
    let next = ("CITEWIRE_DIRECT_LINE_SECRET", "the-next-secret-of-the-tests");
    let allowed = ("CITEWIRE_EGRESS_ALLOW_HOSTS", model.host());
    // In two steps, the key stays readable; without the old secret it does not.
    server.restart(&[next, ("CITEWIRE_DIRECT_LINE_SECOND_SECRET", DIRECT_LINE_SECRET), allowed]);
    assert_eq!(server.ask("hr").await.0, StatusCode::OK);
    server.restart(&[next, allowed]);
    let (_, list) = server.get("/v1/assistants").await;
    let fault = list["assistants"][0]["fault"].as_str().expect("words");
    assert!(fault.contains("direct_line_secret") && fault.contains("enter the key again"), "{fault}");
    assert_eq!(server.get(HR_KEY).await.1["fault"], json!(fault));
    let (_, tried) = server.post("/v1/assistants/hr/try", &json!({})).await;
    assert_eq!((&tried["problem"], &tried["reason"]), (&json!("key"), &json!(fault)));
    assert_eq!(server.put(HR_KEY, &json!({"key": KEY})).await.0, StatusCode::OK);
    assert_eq!(server.ask("hr").await.0, StatusCode::OK);
}

/// The chat said only that the back end cannot be reached, and the reason stood in the log.
#[tokio::test]
async fn a_trial_says_in_words_why_the_model_does_not_answer() {
    let model = Model::start().await;
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    let plain = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let unencrypted = plain.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = plain.accept().await {
            respond(&mut stream, 400, "content-type: text/plain", "This is no TLS.").await;
        }
    });
    let server = Server::start(&format!("{},{free},{unencrypted}", model.host()));
    server.put(HR, &model.settings()).await;
    let tried = async |body: Value| server.post("/v1/assistants/hr/try", &body).await.1;
    let without = tried(json!({})).await;
    assert_eq!(without["problem"], json!("key"), "{without}");
    let wrong = tried(json!({"key": "sk-another-key-altogether"})).await;
    let words = wrong["reason"].as_str().expect("words");
    assert!(words.contains(model.host()) && words.contains("refuses the key (401)"), "{words}");
    assert!(!words.contains("sk-another"), "{words}");
    let works = tried(json!({"key": KEY})).await;
    assert_eq!((&works["works"], &works["answer"], &works["reason"]), (&json!(true), &json!("yes"), &Value::Null));
    assert_eq!(server.get(HR_KEY).await.1["set"], json!(false), "a trial stores nothing");

    let with = |url: &str, name: &str| json!({"kind": "openai", "url": url, "model": name});
    for (upstream, problem, part) in [
        (with(&model.url, "absent"), "model", "does not have the model \"absent\" (404)".to_owned()),
        (with(&format!("http://{free}/v1"), "tiny"), "unreachable", format!("nobody answers at {free}")),
        (with(&format!("https://{unencrypted}/v1"), "tiny"), "tls", format!("to {unencrypted} failed")),
        (with("http://nowhere.invalid/v1", "tiny"), "unreachable", "nowhere.invalid cannot be found".to_owned()),
    ] {
        let tried = tried(json!({"settings": {"upstream": upstream}, "key": KEY})).await;
        let words = tried["reason"].as_str().expect("words");
        assert_eq!(tried["problem"], json!(problem), "{words}");
        assert!(words.contains(&part), "{words}");
    }
    // The named key would have been tried in place of the given one.
    let mut named = model.settings();
    named["upstream"]["key_env"] = json!("OPENAI");
    let (status, refused) = server.post("/v1/assistants/hr/try", &json!({"settings": named, "key": KEY})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("key_named")));
    server.put(HR, &json!({"documents": {}})).await;
    let (status, refused) = server.post("/v1/assistants/hr/try", &json!({})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("no_back_end")));
}

/// A local model was stored, and then every question failed.
#[tokio::test]
async fn a_private_host_that_is_not_allowed_is_refused_with_what_the_operator_has_to_allow() {
    let server = Server::start("127.0.0.1:1234");
    server.put(HR, &json!({"documents": {}})).await;
    for (url, host) in [
        ("http://127.0.0.1:11434/v1", "127.0.0.1:11434"),
        ("http://localhost:11434/v1", "localhost:11434"),
        ("http://10.1.2.3/v1", "10.1.2.3:80"),
        ("http://[::1]:11434/v1", "[::1]:11434"),
    ] {
        let settings = json!({"documents": {}, "upstream": {"kind": "openai", "url": url, "model": "tiny"}});
        let (status, refused) = server.put(HR, &settings).await;
        let detail = refused["detail"].as_str().expect("words");
        assert_eq!((status, &refused["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("invalid_settings")));
        assert!(detail.starts_with("upstream"), "{detail}");
        for part in [&format!("allow_hosts = \"{host}\""), &format!("CITEWIRE_EGRESS_ALLOW_HOSTS={host}")] {
            assert!(detail.contains(part.as_str()), "{detail}");
        }
        let (_, listed) = server.post("/v1/assistants/hr/models", &json!({"url": url})).await;
        assert_eq!(listed["problem"], json!("not_allowed"), "{listed}");
    }
    assert_eq!(server.get(HR).await.1, json!({"documents": {}}), "nothing was stored");
    let allowed = json!({"upstream": {"kind": "openai", "url": "http://127.0.0.1:1234/v1", "model": "tiny"}});
    assert_eq!(server.put(HR, &allowed).await.0, StatusCode::OK);
}

impl Server {
    /// The session that the page gets, with the assistant that its link names.
    async fn session(&self, assistant: Option<&str>) -> (StatusCode, Value) {
        let url = &self.serving.as_ref().expect("a server").url;
        let body = assistant.map_or_else(|| json!({}), |name| json!({"assistant": name}));
        let request = self.client.post(format!("{url}/page/session")).header("origin", url.as_str()).json(&body);
        answer(request).await
    }

    /// The assistant that the list says is on the page.
    async fn on_page(&self) -> Value {
        self.get("/v1/assistants").await.1["page"].clone()
    }
}

/// An assistant reached its readers only through the configuration and a restart.
#[tokio::test]
async fn an_assistant_answers_the_page_as_soon_as_it_is_chosen() {
    let mut server = Server::start("");
    server.restart(&[("CITEWIRE_ASSISTANT", "docs")]);
    let named = |name: &str| json!({"documents": {}, "display_name": name});
    server.put(HR, &named("Human Resources")).await;
    server.put("/v1/assistants/it", &named("情報システム")).await;
    assert_eq!(server.on_page().await["assistant"], json!("docs"));
    assert_eq!(server.session(None).await.1["title"], Value::Null);
    let page = |name: &str| format!("/v1/assistants/{name}/page");
    assert_eq!(server.status(Method::PUT, &page("nobody")).await, StatusCode::NOT_FOUND);
    for (name, title) in [("hr", "Human Resources"), ("it", "情報システム")] {
        assert_eq!(server.status(Method::PUT, &page(name)).await, StatusCode::NO_CONTENT);
        let expected =
            json!({"served": true, "assistant": name, "configured": "docs", "chosen": true, "taken_by": null});
        assert_eq!(server.on_page().await, expected);
        let (_, session) = server.session(None).await;
        assert_eq!((&session["title"], &session["answered"]), (&json!(title), &json!(true)));
    }
    // The choice outlives a restart, wins over the configuration, and ends with its assistant.
    server.restart(&[("CITEWIRE_ASSISTANT", "hr")]);
    assert_eq!(server.on_page().await["assistant"], json!("it"));
    assert_eq!(server.status(Method::DELETE, &page("hr")).await, StatusCode::NO_CONTENT, "it is not the chosen one");
    assert_eq!(server.on_page().await["assistant"], json!("it"));
    assert_eq!(server.status(Method::DELETE, "/v1/assistants/it").await, StatusCode::NO_CONTENT);
    assert_eq!(server.on_page().await["assistant"], json!("hr"));
    assert_eq!(server.status(Method::PUT, &page("hr")).await, StatusCode::NO_CONTENT);
    assert_eq!(server.status(Method::DELETE, &page("hr")).await, StatusCode::NO_CONTENT);
    let expected = json!({"served": true, "assistant": "hr", "configured": "hr", "chosen": false, "taken_by": null});
    assert_eq!(server.on_page().await, expected);

    // The choice does not hold where a bot answers.
    assert_eq!(server.status(Method::PUT, &page("hr")).await, StatusCode::NO_CONTENT);
    server.restart(&[("CITEWIRE_BOT_ENDPOINT", "http://127.0.0.1:9/api/messages")]);
    let expected =
        json!({"served": true, "assistant": null, "configured": null, "chosen": false, "taken_by": "bot.endpoint"});
    assert_eq!(server.on_page().await, expected);
    let (status, refused) = answer(server.request(Method::PUT, &page("hr"))).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("page_taken")));
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("bot.endpoint")), "{refused}");
}

#[tokio::test]
async fn visitors_chat_by_a_link_with_a_shared_assistant_alone() {
    let mut server = Server::start("");
    let site = "https://www.contoso.example";
    server.restart(&[("CITEWIRE_EMBED_ORIGINS", site), ("CITEWIRE_EMBED_ANONYMOUS", "true")]);
    server.put(HR, &json!({"documents": {}, "display_name": "Human Resources"})).await;
    let embedded = async |server: &Server| {
        let url = &server.serving.as_ref().expect("a server").url;
        let request = server.client.post(format!("{url}/embed/session")).header("origin", site);
        answer(request.json(&json!({"assistant": "hr"}))).await
    };
    for name in ["hr", "nobody", "Human Resources"] {
        let (status, refused) = server.session(Some(name)).await;
        assert_eq!((status, &refused["code"]), (StatusCode::FORBIDDEN, &json!("assistant_not_offered")), "{name}");
    }
    assert_eq!(embedded(&server).await.0, StatusCode::FORBIDDEN);
    server.put(HR, &json!({"documents": {}, "display_name": "Human Resources", "shared": true})).await;
    for (status, session) in [server.session(Some("hr")).await, embedded(&server).await] {
        assert_eq!(status, StatusCode::OK, "{session}");
        assert_eq!((&session["title"], &session["answered"]), (&json!("Human Resources"), &json!(true)));
        assert!(session["conversationId"].as_str().is_some_and(|id| id.starts_with("hr.")), "{session}");
    }
    let (_, list) = server.get("/v1/assistants").await;
    let entry = &list["assistants"][0];
    assert_eq!((&entry["display_name"], &entry["shared"]), (&json!("Human Resources"), &json!(true)));
    assert_eq!(list["embed"], json!({"origins": [site], "anonymous": true}));
    let (_, models) = server.get("/v1/models").await;
    assert_eq!((&models["data"][0]["id"], &models["data"][0]["name"]), (&json!("hr"), &json!("Human Resources")));
    // The link ends with the next question.
    server.put(HR, &json!({"documents": {}})).await;
    assert_eq!(server.session(Some("hr")).await.0, StatusCode::FORBIDDEN);
    for name in ["", "a\nb", &"x".repeat(81)] {
        let (status, refused) = server.put(HR, &json!({"documents": {}, "display_name": name})).await;
        assert_eq!((status, &refused["pointer"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("/display_name")));
    }
}

#[tokio::test]
async fn all_nodes_of_a_database_use_a_key_and_the_choice_for_the_page() {
    let (model, database) = (Model::start().await, Database::new().await);
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let nodes = folders.map(|folder| {
        let mut node = Server { folder, serving: None, client: Client::new() };
        let url = ("CITEWIRE_STORE_URL", database.url.as_str());
        let public = ("CITEWIRE_PUBLIC_URL", "https://chat.example");
        node.restart(&[url, public, ("CITEWIRE_EGRESS_ALLOW_HOSTS", model.host())]);
        node
    });
    let [one, other] = &nodes;
    one.put(HR, &model.settings()).await;
    let etag = one.request(Method::GET, HR).send().await.expect("an answer").headers()[ETAG].clone();
    let mut settings = model.settings();
    settings["display_name"] = json!("Leave");
    assert_eq!(answer(one.request(Method::PUT, HR).header(IF_MATCH, etag).json(&settings)).await.0, StatusCode::OK);
    assert_eq!(one.put(HR_KEY, &json!({"key": KEY})).await.0, StatusCode::OK);
    assert_eq!(one.status(Method::PUT, "/v1/assistants/hr/page").await, StatusCode::NO_CONTENT);
    let seen = async {
        while other.on_page().await["assistant"] != json!("hr") {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, seen).await.expect("the other node sees it");
    assert_eq!(other.get(HR_KEY).await.1["ends_in"], json!("xyz1"));
    assert_eq!(other.get(HR).await.1, settings);
    assert_eq!(other.ask("hr").await.0, StatusCode::OK);
    assert_eq!(model.seen().last(), Some(&Some(KEY.to_owned())));
}
