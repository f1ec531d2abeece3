//! `GET /v1/documents/{id}/passage`: the page that a badge opens.

use std::sync::Arc;

use citewire::assistant::{AssistantRegistry, Assistants, LinkMode};
use citewire::convert;
use citewire::document::{DocumentId, Library};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use tempfile::TempDir;

use super::readers::linked_with;
use super::{folder, library};
use crate::app::{API_KEY, Conversation, TestApp};

const SERVER: &str = "https://bot.example/chat";
const LEAVE: &str =
    "# Leave <i>\n\nBefore it.\n\n## Annual\n\nAnnual leave is **30 days** a year & more.\n\n## Other\n\nNothing.\n";

struct Handbook {
    app: TestApp,
    folder: TempDir,
    library: Arc<Library>,
}

impl Handbook {
    async fn start() -> Self {
        let folder = folder(&[("leave.md", LEAVE)]);
        let library = library(&folder).await;
        let staff = linked_with("staff", LinkMode::Authenticated, &library, convert::Options::default());
        let assistants = Arc::new(Assistants::new(AssistantRegistry::new([staff], Some("staff".to_owned()))));
        let app = TestApp::with(|setup| setup.assistants = Some(assistants));
        Self { app, folder, library }
    }

    /// Asks, and returns the address of the one badge of the message.
    async fn ask(&self, conversation: &Conversation) -> String {
        let mut socket = self.app.open(conversation).await;
        socket.ping().await;
        self.app.post_text(conversation, "How long is annual leave?").await;
        loop {
            let activity = socket.activity().await;
            let claim = &activity["entities"][0]["citation"][0];
            let url = claim["appearance"]["url"].as_str();
            if activity["from"]["role"] == "user" || url.is_none() {
                continue;
            }
            let url = url.expect("an address").to_owned();
            let text = activity["text"].as_str().expect("a text");
            assert!(text.contains(&format!("]: {url} ")), "letter by letter: {text}");
            assert_eq!(claim["@id"], Value::from(url.as_str()));
            if activity["type"] == "message" {
                return url;
            }
            // While the answer grows, its badge opens the document.
            assert!(url.contains("/download?"), "{url}");
        }
    }

    async fn open(&self, url: &str) -> (StatusCode, String) {
        let path = url.strip_prefix(SERVER).expect("an address of this server");
        let response = self.app.request(Method::GET, path).send().await.expect("an answer");
        (response.status(), response.text().await.expect("a body"))
    }
}

#[tokio::test]
async fn a_badge_opens_the_page_with_the_cited_words_marked() {
    let handbook = Handbook::start().await;
    let url = handbook.ask(&handbook.app.conversation().await).await;
    assert!(url.contains("/passage?place=") && url.ends_with("#passage"), "{url}");
    let path = url.strip_prefix(SERVER).expect("an address of this server");
    let response = handbook.app.request(Method::GET, path).send().await.expect("an answer");
    let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(header("content-type"), "text/html; charset=utf-8");
    let policy = header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-") && policy.contains("sandbox allow-downloads;")
    );
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert_eq!(header("cache-control"), "private, no-cache");
    assert_eq!(header("x-robots-tag"), "noindex");
    let page = response.text().await.expect("a page");
    assert!(page.contains("<mark id=\"passage\">Annual leave is 30 days a year &amp; more.</mark>"), "{page}");
    assert!(page.contains("Leave</h1>") && page.contains("Before it.") && !page.contains("<i>"), "{page}");
    let file = page.split("href=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a link to the file");
    let file = file.replace("&amp;", "&");
    let id = DocumentId::of_path("leave.md");
    assert_eq!(
        handbook.open(&format!("{SERVER}/v1/documents/staff.{id}/{file}")).await,
        (StatusCode::OK, LEAVE.to_owned())
    );
    // Callers with a key need no signature.
    let open = format!("/v1/documents/staff.{id}/passage?place=1");
    let response = handbook.app.get(&open, API_KEY).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        handbook.app.request(Method::GET, &open).send().await.expect("an answer").status(),
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn an_address_opens_nothing_else_and_ends_with_its_conversation() {
    let handbook = Handbook::start().await;
    let conversation = handbook.app.conversation().await;
    let url = handbook.ask(&conversation).await;
    let other = handbook.app.conversation().await;
    for forged in [
        url.replace("place=", "place=1"),
        url.replace("from=", "from=1"),
        url.replace("to=", "to=1"),
        url.replace("words=", "words=1"),
        url.replace("version=", "version=A"),
        url.replace("signature=", "signature=A"),
        url.replace("begun=", "begun=1"),
        url.replace(&conversation.id, &other.id),
        url.replace("/passage?", "/download?"),
        url.replace(DocumentId::of_path("leave.md").as_str(), DocumentId::of_path("none.md").as_str()),
    ] {
        assert_ne!(forged, url);
        let (status, body) = handbook.open(&forged).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{forged}");
        assert!(!body.contains("30 days"), "{body}");
        assert!(forged.contains("/download?") || body.contains("This link does not open the document"), "{body}");
    }
    let path = format!("/v1/conversations/{}", conversation.id);
    let deleted = handbook.app.request(Method::DELETE, &path).bearer_auth(API_KEY).send().await.expect("an answer");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    assert_eq!(handbook.open(&url).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_document_that_has_changed_says_so_and_one_that_is_gone_is_not_there() {
    let handbook = Handbook::start().await;
    let url = handbook.ask(&handbook.app.conversation().await).await;
    let file = handbook.folder.path().join("leave.md");
    for (text, says, is_marked) in [
        (LEAVE.replace("Before it.", "Something else before it."), "are still in it", true),
        (LEAVE.replace("30 days", "25 days of paid leave"), "no longer has the cited words", false),
    ] {
        std::fs::write(&file, text).expect("written");
        handbook.library.refresh().await.expect("read");
        let (status, page) = handbook.open(&url).await;
        assert_eq!(status, StatusCode::OK);
        assert!(
            page.contains(says) && page.contains("<mark") == is_marked && page.contains("id=\"passage\""),
            "{page}"
        );
    }
    std::fs::remove_file(&file).expect("removed");
    handbook.library.refresh().await.expect("read");
    let (status, page) = handbook.open(&url).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(page.contains("This document is not here"), "{page}");
}
