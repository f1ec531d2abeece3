//! A refresh whose caller goes away takes nothing with it.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use chrono::{DateTime, Utc};
use serde_json::Map;

use super::{
    AssistantManager, AssistantOptions, AssistantPlan, Assistants, BackEnd, Configured, DocumentsPlan, DocumentsSource,
};
use crate::clock::{CountingIds, SystemClock};
use crate::document::{DownloadAddress, PublicLinks, UploadOptions, read_upload};
use crate::store::{AssistantStore, DocumentLimits, DocumentPart, Expected, SqliteStore, StoreLimits};
use crate::url::WebUrl;

#[derive(Debug)]
struct NoLinks;

impl PublicLinks for NoLinks {
    fn link(&self, _: &DownloadAddress, _: Option<u64>, _: DateTime<Utc>) -> Option<WebUrl> {
        None
    }
}

fn plan(name: &str) -> AssistantPlan {
    let source = DocumentsSource::Uploads(UploadOptions::default());
    AssistantPlan {
        name: name.to_owned(),
        options: AssistantOptions::default(),
        secret: None,
        back_end: BackEnd::Local,
        documents: Some(DocumentsPlan { source, passages: 5, min_score: None, embeddings: None, reranker: None }),
        section: toml::Table::new(),
        warnings: Vec::new(),
    }
}

/// Drops a future at one of its waits, counted from 0; whether it had ended before.
async fn ended_before(wait: usize, future: impl Future<Output = ()>) -> bool {
    let (mut future, mut waits) = (pin!(future), 0);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending if waits == wait => Poll::Ready(false),
        Poll::Pending => {
            waits += 1;
            Poll::Pending
        }
    })
    .await
}

async fn upload(store: &dyn AssistantStore) {
    let key = store.draft_document("hr", "leave.md").await.expect("a store").expect("a draft");
    store.add_piece(key, DocumentPart::File, b"Leave is 30 days.".to_vec()).await.expect("a piece");
    let limits = DocumentLimits { max_bytes: 1_000, max_documents: 10 };
    store.publish_document(key, limits).await.expect("published");
    let unread = store.unread_documents(10).await.expect("a store");
    let (_, document) = unread.first().expect("one to be read");
    let read = read_upload(store, document, None).await.expect("read");
    read.store(store, document, 0, 1_000).await.expect("stored");
}

#[tokio::test]
async fn a_deleted_document_is_not_quoted_on_wherever_the_caller_went_away() {
    let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store");
    let store: Arc<dyn AssistantStore> = Arc::new(store);
    store.put_assistant("hr", Map::new(), Expected::Nothing).await.expect("an assistant");
    let assistants = Arc::new(Assistants::default());
    let manager = AssistantManager::new(Arc::clone(&assistants), Arc::clone(&store), |name, _, _| Ok(plan(name)));
    let server = "https://bot.example".parse().expect("an address");
    let configured =
        Configured::new(server, Arc::new(NoLinks), Arc::new(SystemClock), Arc::new(CountingIds::default()));
    manager.configure(configured).await.expect("configured");
    let searched = || manager.library("hr").map(|library| library.len());
    for wait in 0.. {
        upload(&*store).await;
        manager.refresh().await;
        assert_eq!(searched(), Some(1));
        assert!(store.delete_document("hr", "leave.md").await.expect("a store"));
        let has_ended = ended_before(wait, manager.refresh()).await;
        manager.refresh().await;
        assert_eq!(searched(), Some(0), "dropped at wait {wait}");
        if has_ended {
            assert!(wait > 1, "it never waited for the store");
            break;
        }
    }
}
