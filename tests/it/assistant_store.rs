use std::pin::Pin;
use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use citewire::clock::{Clock, ManualClock};
use citewire::document::{Library, UploadOptions, read_upload};
use citewire::store::{
    AssistantStore, DeleteAssistant, DocumentChanges, DocumentKey, DocumentLimits, DocumentLoss, DocumentPart,
    DocumentState, Expected, NamedDocument, Publication, PutAssistant, SqliteStore, StoreLimits,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::postgres::{Database, node};

struct Fixture {
    store: Arc<dyn AssistantStore>,
    _folder: Option<TempDir>,
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(ManualClock::at("2026-01-01T00:00:00.000700Z".parse().expect("a time")))
}

fn memory() -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let store = SqliteStore::in_memory(StoreLimits::in_memory(), clock()).await.expect("a store");
        Fixture { store: Arc::new(store), _folder: None }
    })
}

fn sqlite() -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("citewire.db");
        let store = SqliteStore::open(&path, StoreLimits::in_memory(), clock()).await.expect("a store");
        Fixture { store: Arc::new(store), _folder: Some(folder) }
    })
}

fn postgres() -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let store = node(&Database::new().await, StoreLimits::in_memory(), clock()).await;
        Fixture { store: Arc::new(store), _folder: None }
    })
}

fn two_nodes() -> Pin<Box<dyn Future<Output = Fixture>>> {
    Box::pin(async move {
        let store = crate::postgres::two_nodes(&Database::new().await, StoreLimits::in_memory(), clock()).await;
        Fixture { store: Arc::new(store), _folder: None }
    })
}

macro_rules! backend {
    ($name:ident: $($promise:ident),* $(,)?) => {
        mod $name {
            $(#[tokio::test]
            async fn $promise() {
                let fixture = super::$name().await;
                super::promises::$promise(&*fixture.store).await;
            })*
        }
    };
}

macro_rules! backends {
    ($($backend:ident),*) => {
        $(backend!($backend:
            settings_are_kept_with_a_version_that_grows,
            a_change_that_expects_another_version_changes_nothing,
            a_version_is_never_used_twice,
            a_draft_is_invisible_until_it_is_published,
            pieces_come_back_byte_for_byte_and_in_order,
            a_new_upload_replaces_the_document_of_its_name,
            documents_larger_than_the_limit_are_refused_and_leave_the_old_one,
            more_documents_than_the_limit_are_refused_however_many_come_at_once,
            drafts_to_which_nothing_comes_are_deleted,
            what_is_read_has_a_state_and_the_rest_waits,
            documents_go_with_their_assistant,
            every_change_is_seen_in_the_revision,
            a_key_belongs_to_an_assistant_and_goes_with_it,
            one_assistant_is_chosen_for_the_channel,
            newer_members_of_settings_come_back,
            what_is_unknown_is_told,
            documents_are_read_on_from_a_revision,
            one_document_is_found_by_its_key_and_by_its_name,
        );)*
    };
}

backends!(memory, sqlite, postgres, two_nodes);

fn settings(greeting: &str) -> Map<String, Value> {
    let Value::Object(settings) = json!({"greeting": greeting, "documents": {}}) else { unreachable!("an object") };
    settings
}

const fn limits(max_bytes: u64) -> DocumentLimits {
    DocumentLimits { max_bytes, max_documents: 100 }
}

async fn put(store: &dyn AssistantStore, name: &str) {
    store.put_assistant(name, settings("hi"), Expected::Anything).await.expect("stored");
}

async fn upload(store: &dyn AssistantStore, assistant: &str, name: &str, pieces: &[&[u8]]) -> DocumentKey {
    let key = store.draft_document(assistant, name).await.expect("a store").expect("an assistant");
    for piece in pieces {
        assert!(store.add_piece(key, DocumentPart::File, piece.to_vec()).await.expect("added"));
    }
    assert_eq!(store.publish_document(key, limits(1_000)).await.expect("a store"), Publication::Published);
    key
}

mod promises {
    use super::*;

    pub(super) async fn settings_are_kept_with_a_version_that_grows(store: &dyn AssistantStore) {
        let first = store.put_assistant("hr", settings("a 😀"), Expected::Nothing).await.expect("stored");
        let PutAssistant::Created(first) = first else { panic!("{first:?}") };
        let second = store.put_assistant("hr", settings("b"), Expected::Version(first)).await.expect("stored");
        let PutAssistant::Replaced(second) = second else { panic!("{second:?}") };
        assert!(second > first);
        put(store, "a").await;
        let stored = store.assistants().await.expect("a store");
        let names: Vec<&str> = stored.iter().map(|assistant| assistant.name.as_str()).collect();
        assert_eq!(names, ["a", "hr"]);
        assert_eq!((&stored[1].settings, stored[1].version), (&settings("b"), second));
        assert_eq!(stored[1].changed.to_rfc3339(), "2026-01-01T00:00:00+00:00");
    }

    pub(super) async fn a_change_that_expects_another_version_changes_nothing(store: &dyn AssistantStore) {
        let something = store.put_assistant("hr", settings("x"), Expected::Something).await;
        assert_eq!(something.expect("a store"), PutAssistant::Conflict);
        assert_eq!(store.assistants().await.expect("a store"), []);
        put(store, "hr").await;
        for expected in [Expected::Nothing, Expected::Version(4711)] {
            let conflict = store.put_assistant("hr", settings("x"), expected).await.expect("a store");
            assert_eq!(conflict, PutAssistant::Conflict);
            let conflict = store.delete_assistant("hr", expected).await.expect("a store");
            assert_eq!(conflict, DeleteAssistant::Conflict);
        }
        assert_eq!(store.assistants().await.expect("a store")[0].settings, settings("hi"));
    }

    pub(super) async fn a_version_is_never_used_twice(store: &dyn AssistantStore) {
        let mut versions = Vec::new();
        for _ in 0..3 {
            put(store, "hr").await;
            versions.push(store.assistants().await.expect("a store")[0].version);
            versions.push(upload(store, "hr", "a.txt", &[b"a"]).await.0);
            let deleted = store.delete_assistant("hr", Expected::Anything).await.expect("a store");
            assert_eq!(deleted, DeleteAssistant::Deleted);
        }
        assert!(versions.is_sorted_by(|before, after| before < after), "{versions:?}");
    }

    pub(super) async fn a_draft_is_invisible_until_it_is_published(store: &dyn AssistantStore) {
        put(store, "hr").await;
        let key = store.draft_document("hr", "a.txt").await.expect("a store").expect("a draft");
        store.add_piece(key, DocumentPart::File, b"a".to_vec()).await.expect("added");
        assert_eq!(store.documents("hr").await.expect("a store"), []);
        assert_eq!(store.unread_documents(9).await.expect("a store"), []);
        assert!(!store.set_document_state(key, DocumentState::Reading).await.expect("a store"));
        store.discard_draft(key).await.expect("a store");
        assert_eq!(store.publish_document(key, limits(9)).await.expect("a store"), Publication::Unknown);
        assert!(!store.add_piece(key, DocumentPart::File, b"a".to_vec()).await.expect("a store"));
        assert_eq!(store.documents("hr").await.expect("a store"), []);
    }

    pub(super) async fn pieces_come_back_byte_for_byte_and_in_order(store: &dyn AssistantStore) {
        put(store, "hr").await;
        let key = upload(store, "hr", "a.bin", &[b"\x00\xff", b"", b"c"]).await;
        store.add_piece(key, DocumentPart::Passages, b"text".to_vec()).await.expect("added");
        let mut pieces = Vec::new();
        while let Some(piece) =
            store.piece(key, DocumentPart::File, u32::try_from(pieces.len()).expect("few")).await.expect("a store")
        {
            pieces.push(piece);
        }
        assert_eq!(pieces, [&b"\x00\xff"[..], b"", b"c"]);
        assert_eq!(store.documents("hr").await.expect("a store")[0].bytes, 3, "of the file alone");
        store.clear_part(key, DocumentPart::Passages).await.expect("a store");
        assert_eq!(store.piece(key, DocumentPart::Passages, 0).await.expect("a store"), None);
        assert_eq!(store.piece(key, DocumentPart::File, 2).await.expect("a store").as_deref(), Some(&b"c"[..]));
    }

    pub(super) async fn a_new_upload_replaces_the_document_of_its_name(store: &dyn AssistantStore) {
        put(store, "hr").await;
        put(store, "it").await;
        let first = upload(store, "hr", "a.txt", &[b"one"]).await;
        let elsewhere = upload(store, "it", "a.txt", &[b"other"]).await;
        let second = upload(store, "hr", "a.txt", &[b"second"]).await;
        let documents = store.documents("hr").await.expect("a store");
        assert_eq!((documents.len(), documents[0].key, documents[0].bytes), (1, second, 6));
        assert_eq!(store.piece(first, DocumentPart::File, 0).await.expect("a store"), None);
        assert!(!store.set_document_state(first, DocumentState::Reading).await.expect("a store"));
        assert!(store.piece(elsewhere, DocumentPart::File, 0).await.expect("a store").is_some());
    }

    pub(super) async fn documents_are_read_on_from_a_revision(store: &dyn AssistantStore) {
        let changes = async |since| store.document_changes("hr", since).await.expect("a store");
        let keys = |changes: &DocumentChanges| {
            let mut keys: Vec<DocumentKey> = changes.documents.iter().map(|document| document.key).collect();
            keys.sort_unstable();
            keys
        };
        let ready = DocumentState::Ready { pages: None, passages: 1, loss: None };
        put(store, "hr").await;
        put(store, "it").await;
        let none = changes(None).await;
        assert_eq!((keys(&none), none.count), (Vec::new(), 0));
        let read = upload(store, "hr", "a.txt", &[b"1"]).await;
        let waiting = upload(store, "hr", "b.txt", &[b"2"]).await;
        upload(store, "it", "c.txt", &[b"3"]).await;
        assert!(store.set_document_state(read, ready.clone()).await.expect("a store"));
        let both = changes(Some(none.revision)).await;
        assert_eq!((keys(&both), both.count), (vec![read, waiting], 2));
        assert_eq!(both.documents.iter().find(|document| document.key == read).map(|read| &read.state), Some(&ready));
        let same = changes(Some(both.revision)).await;
        assert_eq!((keys(&same), same.count), (vec![waiting], 2), "one that is being read is always there");
        assert!(store.set_document_state(waiting, ready.clone()).await.expect("a store"));
        assert_eq!(keys(&changes(Some(same.revision)).await), [waiting]);
        let revision = changes(Some(same.revision)).await.revision;
        let again = upload(store, "hr", "a.txt", &[b"4"]).await;
        let replaced = changes(Some(revision)).await;
        assert_eq!((keys(&replaced), replaced.count), (vec![again], 2));
        assert!(store.delete_document("hr", "b.txt").await.expect("a store"));
        let fewer = changes(Some(replaced.revision)).await;
        assert_eq!((keys(&fewer), fewer.count), (vec![again], 1));
        assert!(fewer.revision > replaced.revision);
        assert_eq!(keys(&changes(None).await), [again]);
    }

    pub(super) async fn one_document_is_found_by_its_key_and_by_its_name(store: &dyn AssistantStore) {
        put(store, "hr").await;
        put(store, "it").await;
        let replaced = upload(store, "hr", "\u{fc}\0.txt", &[b"one"]).await;
        let kept = upload(store, "hr", "\u{fc}\0.txt", &[b"two"]).await;
        upload(store, "hr", "b.txt", &[b"other"]).await;
        let draft = store.draft_document("hr", "c.txt").await.expect("a store").expect("an assistant");
        assert_eq!(store.document(replaced).await.expect("a store"), None);
        assert_eq!(store.document(draft).await.expect("a store"), None);
        let found = store.document(kept).await.expect("a store").expect("it is there");
        assert_eq!((found.key, found.name.as_str(), found.bytes), (kept, "\u{fc}\0.txt", 3));
        let named = async |assistant, name| store.named_document(assistant, name).await.expect("a store");
        assert_eq!(named("hr", "\u{fc}\0.txt").await, NamedDocument { document: Some(found), count: 2 });
        for name in ["c.txt", "B.txt", "u\u{308}\0.txt"] {
            assert_eq!(named("hr", name).await, NamedDocument { document: None, count: 2 }, "{name}");
        }
        assert_eq!(named("it", "b.txt").await, NamedDocument { document: None, count: 0 });
    }

    pub(super) async fn documents_larger_than_the_limit_are_refused_and_leave_the_old_one(store: &dyn AssistantStore) {
        put(store, "hr").await;
        let old = upload(store, "hr", "a.txt", &[b"12345"]).await;
        upload(store, "hr", "b.txt", &[b"12345"]).await;
        for (name, bytes, expected) in [
            ("c.txt", &b"1"[..], Publication::TooLarge),
            ("a.txt", b"123456", Publication::TooLarge),
            ("a.txt", b"54321", Publication::Published),
        ] {
            assert_eq!(store.documents("hr").await.expect("a store")[0].key, old);
            let key = store.draft_document("hr", name).await.expect("a store").expect("a draft");
            store.add_piece(key, DocumentPart::File, bytes.to_vec()).await.expect("added");
            assert_eq!(store.publish_document(key, limits(10)).await.expect("a store"), expected, "{name}");
            assert_eq!(store.publish_document(key, limits(10)).await.expect("a store"), Publication::Unknown);
        }
        assert_eq!(store.documents("hr").await.expect("a store").len(), 2);
    }

    pub(super) async fn more_documents_than_the_limit_are_refused_however_many_come_at_once(
        store: &dyn AssistantStore,
    ) {
        put(store, "hr").await;
        let few = DocumentLimits { max_bytes: 1_000, max_documents: 2 };
        let mut published = Vec::new();
        for name in ["a.txt", "b.txt", "c.txt", "a.txt"] {
            let key = store.draft_document("hr", name).await.expect("a store").expect("a draft");
            store.add_piece(key, DocumentPart::File, b"1".to_vec()).await.expect("added");
            published.push(key);
        }
        let mut outcomes = Vec::new();
        for key in published {
            outcomes.push(store.publish_document(key, few).await.expect("a store"));
        }
        let (published, refused) = (Publication::Published, Publication::TooMany);
        assert_eq!(outcomes, [published, published, refused, published], "the last one takes the place of the first");
        assert_eq!(store.documents("hr").await.expect("a store").len(), 2);
    }

    pub(super) async fn drafts_to_which_nothing_comes_are_deleted(store: &dyn AssistantStore) {
        put(store, "hr").await;
        let kept = upload(store, "hr", "a.txt", &[b"1"]).await;
        let draft = store.draft_document("hr", "b.txt").await.expect("a store").expect("a draft");
        store.add_piece(draft, DocumentPart::File, b"1".to_vec()).await.expect("added");
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        assert_eq!(store.discard_drafts(now).await.expect("a store"), 0, "as old as it is");
        assert_eq!(store.discard_drafts(now + Duration::seconds(1)).await.expect("a store"), 1);
        assert!(!store.add_piece(draft, DocumentPart::File, b"2".to_vec()).await.expect("a store"));
        assert_eq!(store.documents("hr").await.expect("a store")[0].key, kept);
    }

    pub(super) async fn what_is_read_has_a_state_and_the_rest_waits(store: &dyn AssistantStore) {
        put(store, "hr").await;
        let keys = [
            upload(store, "hr", "c.pdf", &[b"1"]).await,
            upload(store, "hr", "b.pdf", &[b"2"]).await,
            upload(store, "hr", "a.pdf", &[b"3"]).await,
        ];
        let unread = store.unread_documents(2).await.expect("a store");
        let unread: Vec<_> = unread.iter().map(|(assistant, document)| (assistant.as_str(), document.key)).collect();
        assert_eq!(unread, [("hr", keys[0]), ("hr", keys[1])], "the oldest first");
        let loss = DocumentLoss { words: "page 3 could not be read".to_owned(), is_partial: true };
        let ready = DocumentState::Ready { pages: Some(12), passages: 40, loss: Some(loss) };
        let unreadable = DocumentState::Unreadable { reason: "the file is encrypted".to_owned() };
        assert!(store.set_document_state(keys[0], ready.clone()).await.expect("a store"));
        assert!(store.set_document_state(keys[1], unreadable.clone()).await.expect("a store"));
        let documents = store.documents("hr").await.expect("a store");
        let states: Vec<_> = documents.iter().map(|document| document.state.clone()).collect();
        assert_eq!(states, [DocumentState::Reading, unreadable, ready]);
        assert_eq!(store.unread_documents(9).await.expect("a store").len(), 1);
    }

    pub(super) async fn documents_go_with_their_assistant(store: &dyn AssistantStore) {
        put(store, "hr").await;
        let key = upload(store, "hr", "a.txt", &[b"1"]).await;
        let draft = store.draft_document("hr", "b.txt").await.expect("a store").expect("a draft");
        store.delete_assistant("hr", Expected::Something).await.expect("a store");
        assert_eq!(store.piece(key, DocumentPart::File, 0).await.expect("a store"), None);
        assert_eq!(store.publish_document(draft, limits(9)).await.expect("a store"), Publication::Unknown);
        put(store, "hr").await;
        assert_eq!(store.documents("hr").await.expect("a store"), []);
    }

    pub(super) async fn every_change_is_seen_in_the_revision(store: &dyn AssistantStore) {
        let mut seen = store.revision().await.expect("a store");
        let mut has_grown = async |what: &str| {
            let now = store.revision().await.expect("a store");
            assert!(now > seen, "{what}");
            seen = now;
        };
        put(store, "hr").await;
        has_grown("put").await;
        let key = upload(store, "hr", "a.txt", &[b"1"]).await;
        has_grown("published").await;
        store
            .set_document_state(key, DocumentState::Ready { pages: None, passages: 1, loss: None })
            .await
            .expect("a store");
        has_grown("read").await;
        assert!(store.delete_document("hr", "a.txt").await.expect("a store"));
        has_grown("document deleted").await;
        store.delete_assistant("hr", Expected::Anything).await.expect("a store");
        has_grown("deleted").await;
    }

    pub(super) async fn a_key_belongs_to_an_assistant_and_goes_with_it(store: &dyn AssistantStore) {
        let put_key = async |sealed: Option<&[u8]>, origin| {
            let before = store.revision().await.expect("a store");
            let put = store.put_assistant_key("hr", sealed.map(<[u8]>::to_vec), origin).await.expect("a store");
            assert!(!put || store.revision().await.expect("a store") > before, "the others see it");
            put
        };
        assert!(!put_key(Some(b"sealed"), "https://a.example").await, "there is no such assistant");
        put(store, "hr").await;
        assert!(put_key(Some(&[0, 255, 1]), "https://a.example").await);
        assert!(put_key(Some(&[0, 254, 1]), "https://a.example").await);
        let keys = store.assistant_keys().await.expect("a store");
        let [key] = keys.as_slice() else { panic!("{keys:?}") };
        assert_eq!((key.assistant.as_str(), key.sealed.as_deref()), ("hr", Some([0, 254, 1].as_slice())));
        assert_eq!(
            (key.origin.as_str(), key.changed.to_rfc3339().as_str()),
            ("https://a.example", "2026-01-01T00:00:00+00:00")
        );
        // New settings leave it alone.
        put(store, "hr").await;
        assert_eq!(store.assistant_keys().await.expect("a store"), keys);
        assert!(put_key(None, "https://a.example").await);
        assert_eq!(store.assistant_keys().await.expect("a store")[0].sealed, None);
        assert!(store.delete_assistant_key("hr").await.expect("a store"));
        assert!(!store.delete_assistant_key("hr").await.expect("a store"));
        assert!(put_key(Some(b"sealed"), "https://a.example").await);
        store.delete_assistant("hr", Expected::Anything).await.expect("a store");
        assert_eq!(store.assistant_keys().await.expect("a store"), []);
    }

    pub(super) async fn one_assistant_is_chosen_for_the_channel(store: &dyn AssistantStore) {
        let chosen = async || store.channel_assistant().await.expect("a store");
        assert_eq!(chosen().await, None);
        put(store, "hr").await;
        for name in ["docs", "hr"] {
            let before = store.revision().await.expect("a store");
            store.choose_channel_assistant(Some(name)).await.expect("a store");
            assert_eq!(chosen().await.as_deref(), Some(name));
            assert!(store.revision().await.expect("a store") > before);
        }
        put(store, "it").await;
        store.delete_assistant("it", Expected::Anything).await.expect("a store");
        assert_eq!(chosen().await.as_deref(), Some("hr"));
        store.delete_assistant("hr", Expected::Anything).await.expect("a store");
        assert_eq!(chosen().await, None, "it goes with its assistant");
        store.choose_channel_assistant(Some("docs")).await.expect("a store");
        store.choose_channel_assistant(None).await.expect("a store");
        assert_eq!(chosen().await, None);
    }

    /// They have a column of their own, for nodes of the version before.
    pub(super) async fn newer_members_of_settings_come_back(store: &dyn AssistantStore) {
        let Value::Object(named) = json!({"documents": {}, "display_name": "Grüße 😀\u{0}", "shared": true}) else {
            unreachable!("an object")
        };
        store.put_assistant("hr", named.clone(), Expected::Anything).await.expect("stored");
        assert_eq!(store.assistants().await.expect("a store")[0].settings, named);
        put(store, "hr").await;
        assert_eq!(store.assistants().await.expect("a store")[0].settings, settings("hi"));
    }

    pub(super) async fn what_is_unknown_is_told(store: &dyn AssistantStore) {
        assert_eq!(store.draft_document("hr", "a.txt").await.expect("a store"), None);
        assert_eq!(store.documents("hr").await.expect("a store"), []);
        assert!(!store.delete_document("hr", "a.txt").await.expect("a store"));
        let deleted = store.delete_assistant("hr", Expected::Anything).await.expect("a store");
        assert_eq!(deleted, DeleteAssistant::Unknown);
        store.discard_draft(DocumentKey(7)).await.expect("a store");
        store.clear_part(DocumentKey(7), DocumentPart::File).await.expect("a store");
    }
}

/// A process that ends during an upload leaves a draft, which would take room for ever.
#[tokio::test]
async fn drafts_of_a_process_before_are_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("citewire.db");
    let store = SqliteStore::open(&path, StoreLimits::in_memory(), clock()).await.expect("a store");
    put(&store, "hr").await;
    let kept = upload(&store, "hr", "a.txt", &[b"1"]).await;
    let draft = store.draft_document("hr", "b.txt").await.expect("a store").expect("a draft");
    store.add_piece(draft, DocumentPart::File, b"2".to_vec()).await.expect("added");
    citewire::store::ConversationStore::close(&store).await.expect("closed");
    let store = SqliteStore::open(&path, StoreLimits::in_memory(), clock()).await.expect("a store");
    assert_eq!(store.piece(draft, DocumentPart::File, 0).await.expect("a store"), None);
    assert!(store.piece(kept, DocumentPart::File, 0).await.expect("a store").is_some());
    assert_eq!(store.assistants().await.expect("a store").len(), 1);
}

/// A node of the version before notes no revision, neither for a document that it publishes nor for one that it has read.
#[tokio::test]
async fn documents_of_a_node_of_the_version_before_are_searched() {
    let database = Database::new().await;
    let store: Arc<dyn AssistantStore> = Arc::new(node(&database, StoreLimits::in_memory(), clock()).await);
    store.put_assistant("hr", Map::new(), Expected::Nothing).await.expect("an assistant");
    let library = Library::uploaded(Arc::clone(&store), "hr", UploadOptions::default()).await.expect("a library");
    let found = async || {
        library.refresh().await.expect("refreshed");
        let found = library.search("leave", 9).await.expect("a search");
        found.iter().map(|found| found.passage.text.clone()).collect::<Vec<_>>()
    };
    let upload = async |text: &str| {
        let key = store.draft_document("hr", "leave.md").await.expect("a store").expect("a draft");
        store.add_piece(key, DocumentPart::File, text.as_bytes().to_vec()).await.expect("a piece");
        let limits = DocumentLimits { max_bytes: 1_000, max_documents: 10 };
        store.publish_document(key, limits).await.expect("published");
        database.run("UPDATE document SET revised = NULL").await;
        let before = found().await;
        let (_, document) = store.unread_documents(1).await.expect("a store").remove(0);
        let read = read_upload(&*store, &document, None).await.expect("read");
        read.store(&*store, &document, 0, 1_000).await.expect("stored");
        database.run("UPDATE document SET revised = NULL").await;
        before
    };
    assert_eq!(upload("Leave is 30 days.").await, [""; 0]);
    assert_eq!(found().await, ["Leave is 30 days."]);
    assert_eq!(upload("Leave is 28 days.").await, ["Leave is 30 days."]);
    database.run("UPDATE document SET revised = 0").await;
    assert_eq!(found().await, ["Leave is 28 days."], "it was being read, and is not any more");
}
