//! Addresses of documents for the readers of a conversation: a browser that opens one sends no credential.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::Duration;
use citewire::activity::ConversationId;
use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry, Assistants, LinkMode};
use citewire::clock::Clock;
use citewire::convert;
use citewire::document::{DocumentId, DownloadKey, Library, PublicLinks, SignedLinks};
use citewire::secret::Secret;
use citewire::upstream::{Local, LocalOptions};
use citewire::url::WebUrl;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{clock, folder, library};
use crate::app::{API_KEY, Conversation, DIRECT_LINE_SECRET, TestApp, answer};

/// Where readers find the server, as the configuration says.
const SERVER: &str = "https://bot.example/chat";
const HR_SECRET: &str = "the-secret-of-hr-1234";

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

/// An assistant that quotes these documents, and gives them addresses: those of the files.
pub(crate) fn linked(name: &str, mode: LinkMode, library: &Arc<Library>) -> Assistant {
    linked_with(name, mode, library, convert::Options { sentence_links: Some(false), ..convert::Options::default() })
}

/// An assistant that quotes these documents, and gives them addresses.
pub(crate) fn linked_with(name: &str, mode: LinkMode, library: &Arc<Library>, convert: convert::Options) -> Assistant {
    let server: WebUrl = SERVER.parse().expect("an address");
    let key = DownloadKey::new(&secret(DIRECT_LINE_SECRET));
    let public: Arc<dyn PublicLinks> = Arc::new(SignedLinks::new(key, server.clone(), Duration::days(7)));
    let clock = clock() as Arc<dyn Clock>;
    let links = mode.links(name, &server, &public, &clock);
    let local = Local::new(Arc::clone(library), LocalOptions::default(), clock).with_links(links.clone());
    let options = AssistantOptions { link_mode: mode, convert, ..AssistantOptions::default() };
    Assistant::new(name, options, Arc::new(local), Arc::default()).with_library(Arc::clone(library)).with_links(links)
}

/// A server with a handbook. The assistant `staff` answers on the channel, `hr` in conversations of its own.
struct Handbook {
    app: TestApp,
    library: Arc<Library>,
    assistants: Arc<Assistants>,
    _folder: TempDir,
}

const LEAVE: &str = "# Leave\n\nAnnual leave is 30 days.\n";

impl Handbook {
    async fn start() -> Self {
        let folder = folder(&[("hr/leave.md", LEAVE), ("pay.md", "# Pay\n\nWages are paid on the 28th.\n")]);
        let library = library(&folder).await;
        let hr = linked("hr", LinkMode::Authenticated, &library).with_secret(Some(secret(HR_SECRET)));
        let team = [linked("staff", LinkMode::Authenticated, &library), linked("all", LinkMode::Public, &library), hr];
        let assistants = Arc::new(Assistants::new(AssistantRegistry::new(team, Some("staff".to_owned()))));
        let given = Arc::clone(&assistants);
        let app = TestApp::with(|setup| setup.assistants = Some(given));
        Self { app, library, assistants, _folder: folder }
    }

    /// The address of a document without a signature.
    fn locked(assistant: &str) -> String {
        format!("{SERVER}/v1/documents/{assistant}.{}/download", DocumentId::of_path("hr/leave.md"))
    }

    /// The path of an address of this server.
    fn path(url: &str) -> &str {
        url.strip_prefix(SERVER).expect("an address of this server")
    }

    /// Opens an address as a browser does that follows a link.
    async fn open(&self, url: &str) -> (u16, String) {
        let response = self.app.request(Method::GET, Self::path(url)).send().await.expect("an answer");
        let status = response.status().as_u16();
        let body = response.text().await.expect("a body");
        let code =
            serde_json::from_str::<Value>(&body).ok().and_then(|problem| problem["code"].as_str().map(str::to_owned));
        (status, code.unwrap_or(body))
    }

    /// Asks, and returns everything that readers see of the answer.
    async fn ask(&self, conversation: &Conversation) -> Vec<Value> {
        let mut socket = self.app.open(conversation).await;
        socket.ping().await;
        self.app.post_text(conversation, "How long is annual leave?").await;
        let mut seen = Vec::new();
        loop {
            let activity = socket.activity().await;
            if activity["from"]["role"] == "user" {
                continue;
            }
            let is_last = activity["type"] == "message";
            seen.push(activity);
            if is_last {
                return seen;
            }
        }
    }

    /// The one address in an answer, which its claims and its definitions agree on.
    fn address(seen: &[Value]) -> String {
        let mut urls = BTreeSet::new();
        for activity in seen {
            for claim in activity["entities"][0]["citation"].as_array().into_iter().flatten() {
                let url = claim["appearance"]["url"].as_str().expect("an address").to_owned();
                let text = activity["text"].as_str().expect("a text");
                assert!(text.contains(&format!("]: {url} ")), "letter by letter: {text}");
                urls.insert(url);
            }
        }
        assert_eq!(urls.len(), 1, "{seen:?}");
        urls.into_iter().next().expect("an address")
    }

    fn id(conversation: &Conversation) -> ConversationId {
        conversation.id.parse().expect("an id")
    }
}

fn is(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// A badge of Web Chat opened a page with a JSON problem: the address needed a header that no link sends.
#[tokio::test]
async fn readers_open_what_an_answer_cites_as_long_as_their_conversation_is_there() {
    let handbook = Handbook::start().await;
    let conversation = handbook.app.conversation().await;
    let seen = handbook.ask(&conversation).await;
    let url = Handbook::address(&seen);
    assert!(url.starts_with(&format!("{}?conversation={}&", Handbook::locked("staff"), conversation.id)), "{url}");
    assert_eq!(handbook.open(&url).await, is(200, LEAVE));
    // A history that is opened again: no token of that time is good any more.
    handbook.app.clock.advance(Duration::days(60));
    assert_eq!(handbook.open(&url).await, is(200, LEAVE));
    let idle_since = handbook.app.clock.now() - Duration::days(59);
    assert_eq!(handbook.app.store.expire(idle_since).await.expect("a store"), 1, "the retention ends");
    assert_eq!(handbook.open(&url).await, is(403, "address_expired"));
}

#[tokio::test]
async fn an_address_ends_with_its_conversation_and_does_not_come_back_with_its_id() {
    let handbook = Handbook::start().await;
    let conversation = handbook.app.conversation().await;
    let url = Handbook::address(&handbook.ask(&conversation).await);
    let path = format!("/v1/conversations/{}", conversation.id);
    let deleted = handbook.app.request(Method::DELETE, &path).bearer_auth(API_KEY).send().await.expect("an answer");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    assert_eq!(handbook.open(&url).await, is(403, "address_expired"));
    handbook.app.clock.advance(Duration::milliseconds(1));
    handbook.app.start_as(&conversation.token, json!({})).await;
    assert!(handbook.app.store.find(&Handbook::id(&conversation)).await.expect("a store").is_some());
    assert_eq!(handbook.open(&url).await, is(403, "address_expired"), "another conversation under the same id");
}

#[tokio::test]
async fn an_address_ends_with_its_assistant() {
    let handbook = Handbook::start().await;
    let url = Handbook::address(&handbook.ask(&handbook.app.conversation().await).await);
    let staff = |mode| linked("staff", mode, &handbook.library);
    let hr = linked("hr", LinkMode::Authenticated, &handbook.library);
    for (team, expected) in [
        // Another one answers on the channel by now, but this one still has the document.
        (AssistantRegistry::new([staff(LinkMode::Authenticated), hr], Some("hr".to_owned())), is(200, LEAVE)),
        (AssistantRegistry::new([staff(LinkMode::Public)], None), is(200, LEAVE)),
        (AssistantRegistry::new([staff(LinkMode::None)], None), is(404, "unknown_document")),
        (AssistantRegistry::new([], None), is(404, "unknown_document")),
    ] {
        handbook.assistants.replace(team);
        assert_eq!(handbook.open(&url).await, expected);
    }
}

#[tokio::test]
async fn a_signature_is_good_for_its_document_assistant_and_conversation_alone() {
    let handbook = Handbook::start().await;
    let conversation = handbook.app.conversation().await;
    let url = Handbook::address(&handbook.ask(&conversation).await);
    let other = handbook.app.conversation().await;
    let pay = DocumentId::of_path("pay.md");
    let begun = url.split("begun=").nth(1).and_then(|rest| rest.split('&').next()).expect("a time");
    let signature = url.split("signature=").nth(1).expect("a signature");
    let public = url.replace(&format!("conversation={}&begun={begun}", conversation.id), "expires=99999999999");
    for forged in [
        url.replace("/staff.", "/hr."),
        url.replace("/staff.", "/nobody."),
        url.replace(DocumentId::of_path("hr/leave.md").as_str(), pay.as_str()),
        url.replace(DocumentId::of_path("hr/leave.md").as_str(), DocumentId::of_path("not/there.md").as_str()),
        url.replace(&conversation.id, &other.id),
        url.replace(&conversation.id, "nobody-knows-it"),
        url.replace(begun, "0"),
        url.replace(begun, "soon"),
        url.replace(&format!("&begun={begun}"), ""),
        url.replace(signature, ""),
        url.replace(signature, &signature[1..]),
        public,
    ] {
        assert_ne!(forged, url);
        // To strangers, what is there and what is not are the same.
        assert_eq!(handbook.open(&forged).await, is(403, "address_forged"), "{forged}");
    }
}

#[tokio::test]
async fn answers_that_are_posted_lead_their_readers_to_documents_they_may_open() {
    let handbook = Handbook::start().await;
    let conversation = handbook.app.conversation().await;
    let path = format!("/v1/conversations/{}/answers", conversation.id);
    let sources = json!([
        {"title": "Leave", "url": Handbook::locked("staff"), "content": "30 days."},
        {"title": "Other", "url": Handbook::locked("hr"), "content": "Of another assistant."},
        {"title": "Page", "url": "https://docs.example/a"},
    ]);
    let text = "A [1]. B [2]. C [3].";
    let (status, body) =
        answer(handbook.app.post(&path, API_KEY).json(&json!({"text": text, "sources": sources}))).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!(body["report"]["notes"][0]["code"], "address-needs-credential", "{body}");
    let events = format!("data: {}\n\ndata: {}\n\n", json!({"sources": sources}), json!({"delta": text, "done": true}));
    let request = handbook.app.post(&path, API_KEY).header(header::CONTENT_TYPE, "text/event-stream").body(events);
    assert_eq!(answer(request).await.0, StatusCode::CREATED);
    let history = handbook.app.history(&conversation, "").await;
    let activities = history["activities"].as_array().expect("activities");
    assert_eq!(activities.len(), 2);
    for activity in activities {
        let claims = activity["entities"][0]["citation"].as_array().expect("claims").iter();
        let urls: Vec<_> = claims.map(|claim| claim["appearance"]["url"].as_str()).collect();
        let [Some(mine), None, Some("https://docs.example/a")] = urls[..] else { panic!("{activity}") };
        assert_eq!(handbook.open(mine).await, is(200, LEAVE));
    }
    // The readers of the activities of this route are unknown.
    let body = json!({"text": text, "sources": sources});
    let (status, body) = answer(handbook.app.post("/v1/activities", API_KEY).json(&body)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let claims = &body["activities"][0]["entities"][0]["citation"];
    assert_eq!((claims[0]["appearance"].get("url"), claims[1]["appearance"].get("url")), (None, None), "{body}");
    assert_eq!(claims[0]["appearance"]["abstract"], "30 days.", "the passage is there");
}

#[tokio::test]
async fn clients_of_chat_completions_download_by_the_id_and_the_address_of_a_source() {
    let handbook = Handbook::start().await;
    let question = json!({"model": "hr", "messages": [{"role": "user", "content": "How long is annual leave?"}]});
    let (status, body) = answer(handbook.app.post("/v1/chat/completions", API_KEY).json(&question)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let source = &body["citations"]["sources"][0];
    assert_eq!(source["download_url"], Handbook::locked("hr"));
    let path = format!("/v1/documents/{}/download", source["document_id"].as_str().expect("an id"));
    assert_eq!(Handbook::path(&Handbook::locked("hr")), path);
    let response = handbook.app.get(&path, API_KEY).send().await.expect("an answer");
    assert_eq!(response.text().await.expect("a body"), LEAVE);
}

#[tokio::test]
async fn a_page_of_another_origin_may_fetch_a_document() {
    let handbook = Handbook::start().await;
    let conversation = handbook.app.conversation().await;
    let path = Handbook::path(&Handbook::locked("staff")).to_owned();
    let origin = "https://intranet.example";
    let preflight = handbook.app.request(Method::OPTIONS, &path).header(header::ORIGIN, origin);
    let preflight = preflight
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "GET")
        .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "authorization");
    let response = preflight.send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    let allowed = response.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().expect("text").to_lowercase();
    assert!(allowed.contains("authorization"), "{allowed}");
    for (bearer, status) in [(conversation.token.as_str(), 200), ("not-a-credential", 403)] {
        let request = handbook.app.get(&path, bearer).header(header::ORIGIN, origin);
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*", "errors included");
        let exposed = response.headers()[header::ACCESS_CONTROL_EXPOSE_HEADERS].to_str().expect("text").to_lowercase();
        assert!(exposed.contains("content-disposition"), "{exposed}");
    }
    let missing = handbook.app.request(Method::GET, &path).header(header::ORIGIN, origin).send().await;
    let missing = missing.expect("an answer");
    assert_eq!(missing.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(missing.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
}
