//! Places for uploads: the bytes that are taken in at one time are limited, so that a slow upload keeps no others from
//! theirs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::limits::{LimitError, LimitOptions, network};
use crate::activity::ConversationId;
use crate::channels::direct_line::DirectLineOptions;
use crate::metrics::{Limit, Metrics, Open as OpenUpload};

/// The bytes of an upload that need no room.
pub(crate) const FREE_BYTES: usize = 64 * 1024;

/// An upload that finds no room is refused after this time.
const ROOM_WITHIN: Duration = Duration::from_secs(15);

/// The caller who uploads.
#[derive(Clone, Debug)]
pub(crate) enum Uploader {
    /// The holder of a key or of a Direct Line secret.
    Key,
    /// The holder of the token of a conversation, at an address.
    Token(ConversationId, IpAddr),
}

/// The uploads that are on their way.
#[derive(Debug)]
pub(crate) struct UploadSlots {
    per_conversation: usize,
    per_address: usize,
    /// Room in KiB, for holders of keys and for all others each.
    room: usize,
    keys: Arc<Semaphore>,
    tokens: Arc<Semaphore>,
    open: Mutex<OpenUploads>,
    metrics: Metrics,
}

#[derive(Debug, Default)]
struct OpenUploads {
    conversations: BTreeMap<ConversationId, usize>,
    addresses: BTreeMap<IpAddr, AddressUploads>,
}

/// The uploads from an address.
#[derive(Debug)]
struct AddressUploads {
    uploads: usize,
    /// The share of an address in the room.
    room: Arc<Semaphore>,
}

/// An upload on its way. Dropped, it makes room.
#[derive(Debug)]
pub(crate) struct UploadSlot {
    uploads: Arc<UploadSlots>,
    uploader: Uploader,
    room: Vec<OwnedSemaphorePermit>,
    _open: OpenUpload,
}

impl UploadSlots {
    pub(crate) fn new(limits: LimitOptions, options: &DirectLineOptions, metrics: Metrics) -> Arc<Self> {
        let room = kib(options.max_upload_bytes).saturating_mul(options.max_uploads.max(1)).min(Semaphore::MAX_PERMITS);
        let semaphore = || Arc::new(Semaphore::new(room));
        let count = |count: u32| if count == 0 { usize::MAX } else { usize::try_from(count).unwrap_or(usize::MAX) };
        Arc::new(Self {
            per_conversation: count(limits.uploads_per_conversation),
            per_address: count(limits.uploads_per_address),
            room,
            keys: semaphore(),
            tokens: semaphore(),
            open: Mutex::default(),
            metrics,
        })
    }

    fn open(&self) -> MutexGuard<'_, OpenUploads> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an upload.
    ///
    /// # Errors
    /// When the conversation or the address has too many on their way.
    pub(crate) fn begin(self: &Arc<Self>, uploader: Uploader) -> Result<UploadSlot, LimitError> {
        if let Uploader::Token(conversation, client) = &uploader {
            let mut open = self.open();
            let address = network(*client);
            let refused = |of, setting| Err(LimitError::new(Limit::Uploads, of, setting, Duration::from_secs(1)));
            if open.conversations.get(conversation).is_some_and(|count| *count >= self.per_conversation) {
                return refused(
                    "uploads into this conversation at one time",
                    "limits.uploads_per_conversation (CITEWIRE_LIMITS_UPLOADS_PER_CONVERSATION)",
                );
            }
            if open.addresses.get(&address).is_some_and(|of| of.uploads >= self.per_address) {
                return refused(
                    "uploads from your address at one time",
                    "limits.uploads_per_address (CITEWIRE_LIMITS_UPLOADS_PER_ADDRESS)",
                );
            }
            *open.conversations.entry(conversation.clone()).or_default() += 1;
            // One address leaves half of the room to others.
            let share = || AddressUploads { uploads: 0, room: Arc::new(Semaphore::new(self.room.div_ceil(2))) };
            open.addresses.entry(address).or_insert_with(share).uploads += 1;
        }
        Ok(UploadSlot { uploads: Arc::clone(self), uploader, room: Vec::new(), _open: self.metrics.upload() })
    }
}

impl UploadSlot {
    /// Waits for room for this number of bytes; more than the whole room is never asked for.
    ///
    /// # Errors
    /// When there is none soon.
    pub(crate) async fn take(&mut self, bytes: usize) -> Result<(), LimitError> {
        let uploads = &self.uploads;
        let from = match &self.uploader {
            Uploader::Key => vec![(Arc::clone(&uploads.keys), uploads.room)],
            Uploader::Token(_, client) => {
                let share = uploads.open().addresses.get(&network(*client)).map(|of| Arc::clone(&of.room));
                let share = share.map(|share| (share, uploads.room.div_ceil(2)));
                share.into_iter().chain([(Arc::clone(&uploads.tokens), uploads.room)]).collect()
            }
        };
        let acquire = async {
            let mut room = Vec::new();
            for (semaphore, most) in from {
                let wanted = u32::try_from(kib(bytes).min(most)).unwrap_or(u32::MAX);
                room.push(semaphore.acquire_many_owned(wanted).await);
            }
            room.into_iter().collect::<Result<Vec<_>, _>>()
        };
        if let Ok(Ok(room)) = timeout(ROOM_WITHIN, acquire).await {
            self.room.extend(room);
            return Ok(());
        }
        let setting = "direct_line.max_uploads (CITEWIRE_DIRECT_LINE_MAX_UPLOADS)";
        Err(LimitError::new(Limit::Uploads, "large uploads at one time", setting, Duration::from_secs(5)))
    }
}

impl Drop for UploadSlot {
    fn drop(&mut self) {
        let Uploader::Token(conversation, client) = &self.uploader else { return };
        let (mut open, address) = (self.uploads.open(), network(*client));
        if let Some(count) = open.conversations.get_mut(conversation) {
            *count -= 1;
            if *count == 0 {
                open.conversations.remove(conversation);
            }
        }
        if let Some(of) = open.addresses.get_mut(&address) {
            of.uploads -= 1;
            if of.uploads == 0 {
                open.addresses.remove(&address);
            }
        }
    }
}

fn kib(bytes: usize) -> usize {
    bytes.div_ceil(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uploads(limits: LimitOptions) -> Arc<UploadSlots> {
        let options =
            DirectLineOptions { max_upload_bytes: 1024 * 1024, max_uploads: 4, ..DirectLineOptions::default() };
        UploadSlots::new(limits, &options, Metrics::new())
    }

    fn token(conversation: &str, address: &str) -> Uploader {
        Uploader::Token(conversation.parse().expect("an id"), address.parse().expect("an address"))
    }

    #[test]
    fn a_conversation_and_an_address_have_their_shares_and_give_them_back() {
        let uploads = uploads(LimitOptions { uploads_per_address: 3, ..LimitOptions::default() });
        let first = uploads.begin(token("a", "192.0.2.1")).expect("a slot");
        let second = uploads.begin(token("a", "192.0.2.1")).expect("a slot");
        assert!(uploads.begin(token("a", "192.0.2.1")).is_err(), "a third one of the conversation");
        let third = uploads.begin(token("b", "192.0.2.1")).expect("a slot");
        let refused = uploads.begin(token("c", "192.0.2.1")).expect_err("a fourth one of the address");
        assert!(refused.to_string().contains("limits.uploads_per_address"), "{refused}");
        let elsewhere = uploads.begin(token("c", "192.0.2.2")).expect("a slot");
        drop((first, second, third, elsewhere));
        assert!(uploads.open().conversations.is_empty() && uploads.open().addresses.is_empty());
        let slots: Vec<_> = (0..100).map(|_| uploads.begin(Uploader::Key).expect("a slot")).collect();
        assert_eq!(slots.len(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_leaves_room_to_others_and_all_of_them_to_keys() {
        let uploads = uploads(LimitOptions::NONE);
        let mib = 1024 * 1024;
        let mut held = Vec::new();
        for (address, takes) in [("192.0.2.1", 2), ("192.0.2.2", 2), ("192.0.2.3", 0)] {
            for slot in 0..=takes {
                let mut upload = uploads.begin(token("a", address)).expect("a slot");
                assert_eq!(upload.take(mib).await.is_ok(), slot < takes, "{slot} of {address}");
                held.push(upload);
            }
        }
        let mut key = uploads.begin(Uploader::Key).expect("a slot");
        key.take(100 * mib).await.expect("room");
        held.clear();
        let mut upload = uploads.begin(token("a", "192.0.2.3")).expect("a slot");
        upload.take(mib).await.expect("room");
    }
}
