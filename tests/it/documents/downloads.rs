//! `GET /v1/documents/{id}/download`.

use std::sync::Arc;

use chrono::Duration;
use citewire::assistant::{AssistantRegistry, Assistants, LinkMode};
use citewire::clock::Clock;
use citewire::document::{DocumentId, DownloadKey, Library, PublicLinks, SignedLinks};
use citewire::secret::Secret;
use citewire::url::WebUrl;
use reqwest::{Method, RequestBuilder, StatusCode, header};
use serde_json::json;
use tempfile::TempDir;

use super::{assistant, folder, library};
use crate::app::{API_KEY, DIRECT_LINE_SECRET, TestApp, answer};

const HR_SECRET: &str = "the-secret-of-hr-1234";

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

const LEAVE: &str = "# Leave\n\nLeave is 30 days.\n";

/// A server with an assistant for each link mode, all with the same documents, and one without any.
struct Hub {
    app: TestApp,
    folder: TempDir,
    library: Arc<Library>,
}

impl Hub {
    async fn start() -> Self {
        let odd = "Ein \"böser\" Name\r\nX-Evil: 1 😀.txt";
        let folder = folder(&[("hr/leave.md", LEAVE), (odd, "odd"), ("empty.txt", "")]);
        let library = library(&folder).await;
        let empty = super::folder::<&str, &str>(&[]);
        let nothing = super::library(&empty).await;
        let app = TestApp::with(|setup| {
            let team = [
                assistant("public", LinkMode::Public, &library),
                assistant("it.help", LinkMode::Public, &library),
                assistant("authenticated", LinkMode::Authenticated, &library),
                assistant("hr", LinkMode::Authenticated, &library).with_secret(Some(secret(HR_SECRET))),
                assistant("closed", LinkMode::None, &library),
                assistant("empty", LinkMode::Public, &nothing),
            ];
            let of_channel = Some("authenticated".to_owned());
            setup.assistants = Some(Arc::new(Assistants::new(AssistantRegistry::new(team, of_channel))));
        });
        Self { app, folder, library }
    }

    fn path(assistant: &str, document: &str) -> String {
        format!("/v1/documents/{assistant}.{}/download", DocumentId::of_path(document))
    }

    /// The path and query of a public address, as answers have it.
    fn signed(&self, assistant: &str, document: &str, lifetime: Duration) -> String {
        let server: WebUrl = self.app.url.parse().expect("an address");
        let key = DownloadKey::new(&secret(DIRECT_LINE_SECRET));
        let links: Arc<dyn PublicLinks> = Arc::new(SignedLinks::new(key, server.clone(), lifetime));
        let clock = Arc::clone(&self.app.clock) as Arc<dyn Clock>;
        let links = LinkMode::Public.links(assistant, &server, &links, &clock);
        let document = self.library.document(&DocumentId::of_path(document)).expect("a document");
        let mut source = citewire::answer::Source::default();
        source.metadata.insert("document_id".to_owned(), json!(document.id.as_str()));
        let mut sources = [source];
        links.fill_in(&mut sources);
        let url = sources[0].url.as_ref().expect("an address").as_str();
        url.strip_prefix(&self.app.url).expect("an address of this server").to_owned()
    }

    fn open(&self, path: &str) -> RequestBuilder {
        self.app.request(Method::GET, path)
    }
}

async fn refusal(request: RequestBuilder) -> (u16, String) {
    let (status, problem) = answer(request).await;
    assert_eq!(problem["status"], status.as_u16(), "{problem}");
    (status.as_u16(), problem["code"].as_str().expect("a code").to_owned())
}

fn is(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_document_is_downloaded_with_the_key_or_the_token_of_a_conversation() {
    let hub = Hub::start().await;
    let conversation = hub.app.conversation().await;
    for (assistant, bearer) in
        [("authenticated", API_KEY), ("authenticated", &conversation.token), ("public", API_KEY), ("it.help", API_KEY)]
    {
        let response = hub.app.get(&Hub::path(assistant, "hr/leave.md"), bearer).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK, "{assistant}");
        let headers = response.headers();
        assert_eq!(headers[header::CONTENT_TYPE], "text/markdown; charset=utf-8");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(
            headers[header::CONTENT_DISPOSITION],
            "attachment; filename=\"leave.md\"; filename*=UTF-8''leave.md"
        );
        assert_eq!(response.bytes().await.expect("a body"), LEAVE);
    }
}

#[tokio::test]
async fn a_part_of_a_document_is_downloaded_and_none_that_the_reader_has() {
    let hub = Hub::start().await;
    let path = Hub::path("public", "hr/leave.md");
    let get = |headers: &[(header::HeaderName, &str)]| {
        let request = hub.app.get(&path, API_KEY);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
        async move {
            let response = request.send().await.expect("an answer");
            let headers = response.headers().clone();
            let range = headers.get(header::CONTENT_RANGE).map(|range| range.to_str().expect("text").to_owned());
            (response.status().as_u16(), range, headers, response.text().await.expect("a body"))
        }
    };
    let (status, _, headers, body) = get(&[]).await;
    assert_eq!(
        (status, body.as_str(), &headers[header::ACCEPT_RANGES]),
        (200, LEAVE, &"bytes".parse().expect("a value"))
    );
    let tag = headers[header::ETAG].to_str().expect("text").to_owned();
    let last = LEAVE.len() - 1;
    for (range, first, end) in [
        ("bytes=2-6", 2, 6),
        ("bytes=0-0", 0, 0),
        ("bytes=9-", 9, last),
        ("bytes=9-9999", 9, last),
        ("bytes=-3", last - 2, last),
        ("bytes=-9999", 0, last),
    ] {
        let (status, content_range, headers, body) = get(&[(header::RANGE, range)]).await;
        assert_eq!((status, body.as_str()), (206, &LEAVE[first..=end]), "{range}");
        assert_eq!(content_range, Some(format!("bytes {first}-{end}/{}", LEAVE.len())), "{range}");
        assert_eq!(
            headers[header::CONTENT_LENGTH].to_str().ok(),
            Some((end - first + 1).to_string().as_str()),
            "{range}"
        );
        assert_eq!(headers[header::ETAG], tag.as_str(), "{range}");
    }
    // Several parts, another unit, and nothing that is a range: everything.
    for range in ["bytes=0-1,4-5", "lines=1-2", "bytes=", "bytes=a-b", "bytes=6-2", "nonsense"] {
        let (status, content_range, _, body) = get(&[(header::RANGE, range)]).await;
        assert_eq!((status, content_range, body.as_str()), (200, None, LEAVE), "{range}");
    }
    for range in ["bytes=9999-", "bytes=-0"] {
        let (status, content_range, _, body) = get(&[(header::RANGE, range)]).await;
        assert_eq!((status, content_range), (416, Some(format!("bytes */{}", LEAVE.len()))), "{range}");
        assert!(body.contains("out_of_range") && body.contains(&format!("has {} bytes", LEAVE.len())), "{body}");
    }
    let date = "Wed, 21 Oct 2015 07:28:00 GMT";
    for (version, expected) in
        [(tag.as_str(), 206), ("\"other\"", 200), (&format!("W/{tag}"), 200), (date, 200), ("?", 200)]
    {
        let status = get(&[(header::RANGE, "bytes=2-6"), (header::IF_RANGE, version)]).await.0;
        assert_eq!(status, expected, "{version}");
    }
    for (version, expected) in
        [(tag.as_str(), 304), (&format!("\"other\", W/{tag}"), 304), ("*", 304), ("\"other\"", 200)]
    {
        let status = get(&[(header::IF_NONE_MATCH, version)]).await.0;
        assert_eq!(status, expected, "{version}");
    }
}

/// The token of a conversation was good for the documents of all assistants: a reader who may ask one could read what
/// another keeps for its own readers. The unsigned addresses of assistants with public links were left open when that
/// was mended.
#[tokio::test]
async fn a_token_opens_the_documents_of_its_own_assistant_alone() {
    let hub = Hub::start().await;
    let of_channel = hub.app.conversation().await.token;
    let request = hub.app.request(Method::POST, "/v3/directline/tokens/generate").bearer_auth(HR_SECRET);
    let (status, grant) = answer(request.json(&json!({"user": {"id": "dl_ann"}}))).await;
    assert_eq!(status, StatusCode::OK, "{grant}");
    let of_hr = grant["token"].as_str().expect("a token");
    for (assistant, token, is_open) in [
        ("authenticated", of_channel.as_str(), true),
        ("authenticated", of_hr, false),
        ("hr", of_hr, true),
        ("hr", &of_channel, false),
        // The token of a conversation, of another assistant: public is what has a signature.
        ("public", of_hr, false),
        ("public", &of_channel, false),
    ] {
        let path = Hub::path(assistant, "hr/leave.md");
        let response = hub.app.get(&path, token).send().await.expect("an answer");
        let expected = if is_open { StatusCode::OK } else { StatusCode::NOT_FOUND };
        assert_eq!(response.status(), expected, "{assistant}");
    }
}

#[tokio::test]
async fn each_refusal_says_why() {
    let hub = Hub::start().await;
    let path = Hub::path("authenticated", "hr/leave.md");
    assert_eq!(refusal(hub.open(&path)).await, is(401, "unauthenticated"));
    assert_eq!(refusal(hub.app.get(&path, "not-a-credential")).await, is(403, "bad_token"));
    assert_eq!(refusal(hub.app.get(&path, DIRECT_LINE_SECRET)).await, is(403, "bad_token"));
    let conversation = hub.app.conversation().await;
    hub.app.clock.advance(Duration::days(1));
    assert_eq!(refusal(hub.app.get(&path, &conversation.token)).await, is(403, "token_expired"));

    let known = DocumentId::of_path("hr/leave.md");
    for id in [
        format!("authenticated.{}", DocumentId::of_path("hr/other.md")),
        format!("nobody.{known}"),
        format!("closed.{known}"),
        format!("empty.{known}"),
        known.to_string(),
        format!("authenticated.{}", DocumentId::of_path("empty.txt")),
        "authenticated.hr%2Fleave.md".to_owned(),
        "..%2F..%2Fetc%2Fpasswd".to_owned(),
        "authenticated.".to_owned(),
    ] {
        let path = format!("/v1/documents/{id}/download");
        assert_eq!(refusal(hub.app.get(&path, API_KEY)).await, is(404, "unknown_document"), "{id}");
    }
    std::fs::remove_file(hub.folder.path().join("hr/leave.md")).expect("removed");
    assert_eq!(refusal(hub.app.get(&path, API_KEY)).await, is(404, "unknown_document"));
}

#[tokio::test]
async fn a_public_address_is_good_without_a_credential_for_its_time() {
    let hub = Hub::start().await;
    let path = hub.signed("it.help", "hr/leave.md", Duration::days(30));
    let response = hub.open(&path).send().await.expect("an answer");
    assert_eq!(
        (response.status(), response.bytes().await.expect("a body").as_ref()),
        (StatusCode::OK, LEAVE.as_bytes())
    );
    hub.app.clock.advance(Duration::days(7) - Duration::seconds(1));
    assert_eq!(hub.open(&path).send().await.expect("an answer").status(), StatusCode::OK);
    hub.app.clock.advance(Duration::seconds(1));
    assert_eq!(refusal(hub.open(&path)).await, is(403, "address_expired"));
    // A caller with a credential needs no signature.
    assert_eq!(hub.app.get(&path, API_KEY).send().await.expect("an answer").status(), StatusCode::OK);
    assert_eq!(refusal(hub.app.get(&path, "not-a-credential")).await, is(403, "bad_token"));
}

#[tokio::test]
async fn a_public_address_is_good_for_nothing_else() {
    let hub = Hub::start().await;
    let good = hub.signed("public", "hr/leave.md", Duration::days(1));
    let (path, query) = good.split_once('?').expect("a query");
    let of = |assistant: &str, document: &str| format!("{}?{query}", Hub::path(assistant, document));
    let later = query.replacen("expires=1", "expires=2", 1);
    assert_ne!(later, query);
    let signature = query.split_once("signature=").expect("a signature").1;
    let expires = query.split('&').next().expect("a time");
    let odd = hub.library.document(&DocumentId::of_path("empty.txt")).expect("a document");
    for forged in [
        of("it.help", "hr/leave.md"),
        of("public", &odd.path),
        of("public", "not/there.md"),
        format!("{path}?{later}"),
        format!("{path}?{expires}"),
        format!("{path}?signature={signature}"),
        format!("{path}?{expires}&signature="),
        format!("{path}?{expires}&signature=%00%ff"),
        format!("{path}?{expires}&signature={}", signature.to_uppercase()),
        format!("{path}?expires=99999999999999999999&signature={signature}"),
    ] {
        assert_eq!(refusal(hub.open(&forged)).await, is(403, "address_forged"), "{forged}");
    }
    for (assistant, expected) in [
        ("authenticated", is(403, "document_not_public")),
        ("closed", is(403, "document_not_public")),
        ("nobody", is(404, "unknown_document")),
    ] {
        let path = hub.signed(assistant, "hr/leave.md", Duration::days(1));
        assert_eq!(refusal(hub.open(&path)).await, expected, "{assistant}");
    }
    let path = hub.signed("empty", "hr/leave.md", Duration::days(1));
    assert_eq!(refusal(hub.open(&path)).await, is(404, "unknown_document"));
}

#[tokio::test]
async fn a_name_with_quotes_line_ends_and_emoji_stays_in_its_header() {
    let hub = Hub::start().await;
    let name = "Ein \"böser\" Name\r\nX-Evil: 1 😀.txt";
    let response = hub.app.get(&Hub::path("public", name), API_KEY).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    let disposition = response.headers()[header::CONTENT_DISPOSITION].to_str().expect("text");
    let (plain, extended) = disposition.split_once("; filename*=UTF-8''").expect("both names");
    assert_eq!(plain, "attachment; filename=\"Ein _b_ser_ Name__X-Evil: 1 _.txt\"");
    let decoded = url::form_urlencoded::parse(format!("name={}", extended.replace('+', "%2B")).as_bytes())
        .next()
        .map(|(_, value)| value.into_owned());
    assert_eq!(decoded.as_deref(), Some(name));
    assert_eq!(response.headers().get("x-evil"), None);
}

#[tokio::test]
async fn a_head_request_gets_the_headers_alone() {
    let hub = Hub::start().await;
    let path = Hub::path("authenticated", "hr/leave.md");
    let response = hub.app.request(Method::HEAD, &path).bearer_auth(API_KEY).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONTENT_LENGTH], LEAVE.len().to_string());
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/markdown; charset=utf-8");
    assert_eq!(response.bytes().await.expect("no body"), "");
    let signed = hub.signed("public", "hr/leave.md", Duration::days(1));
    let response = hub.app.request(Method::HEAD, &signed).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
}
