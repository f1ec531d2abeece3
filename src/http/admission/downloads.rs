//! Places for downloads: how many files are on their way at one time.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::limits::{LimitError, LimitOptions, network};
use crate::metrics::{Limit, Metrics, Open};

/// A download that finds no slot is refused after this time.
const SLOT_WITHIN: Duration = Duration::from_secs(10);

/// The downloads that are on their way.
#[derive(Debug)]
pub(crate) struct DownloadSlots {
    per_address: usize,
    /// The slots of holders of keys, who take none of others.
    keys: Arc<Semaphore>,
    others: Arc<Semaphore>,
    addresses: Mutex<BTreeMap<IpAddr, AddressDownloads>>,
    metrics: Metrics,
}

/// The downloads to an address, with those that wait.
#[derive(Debug)]
struct AddressDownloads {
    downloads: usize,
    slots: Arc<Semaphore>,
}

/// A download on its way. Dropped, it gives its slot back.
#[derive(Debug)]
pub(crate) struct DownloadSlot {
    _counted: Option<Counted>,
    _slots: Vec<OwnedSemaphorePermit>,
    _open: Open,
}

/// Counts a download to an address, until it is dropped.
#[derive(Debug)]
struct Counted(Arc<DownloadSlots>, IpAddr);

impl DownloadSlots {
    pub(crate) fn new(limits: LimitOptions, metrics: Metrics) -> Arc<Self> {
        let slots = |count: u32| match count {
            0 => Semaphore::MAX_PERMITS,
            count => usize::try_from(count).unwrap_or(Semaphore::MAX_PERMITS).min(Semaphore::MAX_PERMITS),
        };
        let semaphore = || Arc::new(Semaphore::new(slots(limits.downloads)));
        Arc::new(Self {
            per_address: slots(limits.downloads_per_address),
            keys: semaphore(),
            others: semaphore(),
            addresses: Mutex::default(),
            metrics,
        })
    }

    fn addresses(&self) -> MutexGuard<'_, BTreeMap<IpAddr, AddressDownloads>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot for a download to an address, or, with none, to the holder of a key. What is held in memory as a whole
    /// takes several slots.
    ///
    /// # Errors
    /// When there is none soon.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        client: Option<IpAddr>,
        slots: u32,
    ) -> Result<DownloadSlot, LimitError> {
        let counted = client.map(|client| self.count(network(client)));
        let from = match &counted {
            None => vec![Arc::clone(&self.keys)],
            Some((_, of_address)) => vec![Arc::clone(of_address), Arc::clone(&self.others)],
        };
        let acquire = async {
            let mut taken = Vec::new();
            for semaphore in from {
                taken.push(semaphore.acquire_many_owned(slots).await);
            }
            taken.into_iter().collect::<Result<Vec<_>, _>>()
        };
        let Ok(Ok(taken)) = timeout(SLOT_WITHIN, acquire).await else {
            let setting = "limits.downloads_per_address (CITEWIRE_LIMITS_DOWNLOADS_PER_ADDRESS) or limits.downloads";
            let of = "downloads at one time";
            return Err(LimitError::new(Limit::Downloads, of, setting, Duration::from_secs(5)));
        };
        let counted = counted.map(|(counted, _)| counted);
        Ok(DownloadSlot { _counted: counted, _slots: taken, _open: self.metrics.download() })
    }

    fn count(self: &Arc<Self>, address: IpAddr) -> (Counted, Arc<Semaphore>) {
        let mut addresses = self.addresses();
        let slots = || AddressDownloads { downloads: 0, slots: Arc::new(Semaphore::new(self.per_address)) };
        let of = addresses.entry(address).or_insert_with(slots);
        of.downloads += 1;
        (Counted(Arc::clone(self), address), Arc::clone(&of.slots))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut addresses = self.0.addresses();
        if let Some(of) = addresses.get_mut(&self.1) {
            of.downloads -= 1;
            if of.downloads == 0 {
                addresses.remove(&self.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_address_leaves_slots_to_others_and_all_of_them_to_keys() {
        let limits = LimitOptions { downloads: 3, downloads_per_address: 2, ..LimitOptions::default() };
        let downloads = DownloadSlots::new(limits, Metrics::new());
        let begin = async |address: &str| downloads.begin(Some(address.parse().expect("an address")), 1).await;
        let (first, second) = (begin("192.0.2.1").await.expect("a slot"), begin("192.0.2.1").await.expect("a slot"));
        assert!(begin("192.0.2.1").await.is_err(), "a third one to the address");
        let third = begin("192.0.2.2").await.expect("a slot");
        let refused = begin("192.0.2.3").await.expect_err("a fourth one");
        assert_eq!(refused.retry_after(), 5);
        let keys: Vec<_> = [downloads.begin(None, 2).await, downloads.begin(None, 1).await].into();
        assert!(keys.iter().all(Result::is_ok));
        drop((first, second, third));
        assert!(downloads.addresses().is_empty());
        begin("192.0.2.3").await.expect("a slot");
    }
}
