//! Buckets: each is looked into over and over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::AssistantManager;
use crate::document::Library;
use crate::supervision::supervise;

/// How often buckets are listed.
const LOOK_INTO_BUCKETS_EVERY: Duration = Duration::from_secs(60);

/// A bucket that is looked into over and over, until this is dropped.
struct Bucket {
    library: Arc<Library>,
    _watching: AbortOnDropHandle<()>,
}

impl AssistantManager {
    /// Takes over what changes in buckets. Each has a task of its own, so that none keeps another waiting. Never ends by itself.
    pub async fn watch_buckets(self: Arc<Self>) {
        let (tasks, mut watched) = (TaskTracker::new(), BTreeMap::<String, Bucket>::new());
        loop {
            // No assistant is kept alive while this waits: its vectors would be computed on.
            {
                let all = self.assistants.all();
                let with_library = all.iter().filter_map(|assistant| Some((assistant.name(), assistant.library()?)));
                let open: BTreeMap<&str, &Arc<Library>> =
                    with_library.filter(|(_, library)| library.is_remote()).collect();
                watched.retain(|name, bucket| {
                    open.get(name.as_str()).is_some_and(|open| Arc::ptr_eq(open, &bucket.library))
                });
                for (name, library) in open {
                    watched.entry(name.to_owned()).or_insert_with(|| {
                        let (library, never) = (Arc::clone(library), CancellationToken::new());
                        let state = (Arc::clone(&self), name.to_owned(), Arc::clone(&library));
                        let watching = supervise("bucket", never, state, |(manager, name, library)| {
                            manager.watch_bucket(name, library).boxed()
                        });
                        Bucket { library, _watching: AbortOnDropHandle::new(tasks.spawn(watching)) }
                    });
                }
            }
            self.opened.notified().await;
        }
    }

    async fn watch_bucket(&self, name: &str, library: &Library) {
        loop {
            self.refresh_library(name, library).await;
            sleep(LOOK_INTO_BUCKETS_EVERY).await;
        }
    }
}
