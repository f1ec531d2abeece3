//! Extracts the texts of the files of a folder, and shows each as soon as it is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::{Instant, sleep_until};

use super::folder::ListedFile;
use super::library::DocumentOrigin;
use super::{Library, LibraryError, file};

/// The time for reading files for each part of it that making them found takes.
const READING_EACH: u32 = 4;

impl Library {
    /// Extracts the texts of the files of the folder that wait for it. Each is found as soon as it is read.
    ///
    /// # Errors
    /// When a file cannot be opened, or what reads it cannot be started; it waits on.
    pub async fn extract(&self) -> Result<(), LibraryError> {
        let DocumentOrigin::Folder(options) = &self.from else { return Ok(()) };
        let mut begun: BTreeSet<ListedFile> = BTreeSet::new();
        let mut running = FuturesUnordered::new();
        let mut changes = self.changes();
        let mut failure = None;
        let mut extracted = Vec::new();
        let mut publish_at = Instant::now();
        loop {
            let snapshot = Arc::clone(&changes.borrow_and_update());
            for listed in &snapshot.pending {
                if begun.insert(listed.clone()) {
                    let (options, listed) = (options.clone(), listed.clone());
                    running.push(async move { (listed.clone(), file::read(options, listed).await) });
                }
            }
            let first = tokio::select! {
                // Files that were read are shown before more are begun.
                biased;
                first = running.next() => first,
                () = sleep_until(publish_at), if !extracted.is_empty() => None,
                _ = changes.changed() => continue,
            };
            let mut next = first;
            while let Some((listed, read)) = next {
                match read {
                    Ok(read) => {
                        begun.remove(&listed);
                        extracted.push((listed, read));
                    }
                    // The others are read all the same.
                    Err(error) => failure = Some(error),
                }
                next = running.next().now_or_never().flatten();
            }
            if !extracted.is_empty() && (running.is_empty() || publish_at <= Instant::now()) {
                let begun_at = Instant::now();
                let _alone = self.refreshing.lock().await;
                let snapshot = self.snapshot().with_extracted(options, std::mem::take(&mut extracted)).await?;
                self.publish(snapshot);
                // A snapshot costs what all documents do: those that are read soon after come with the next one.
                publish_at = Instant::now() + begun_at.elapsed() * READING_EACH;
            } else if running.is_empty() {
                return failure.map_or(Ok(()), Err);
            }
        }
    }
}
