//! Shared access signatures of Azure for one blob
//! (<https://learn.microsoft.com/en-us/rest/api/storageservices/create-service-sas>).
//!
//! `object_store` signs the percent-encoded path of a blob where the service expects the decoded one, so that its signatures fail for
//! names with blanks or umlauts.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat, Utc};
use url::Url;

use super::options::BucketFault;

/// The version whose string to sign this is.
const VERSION: &str = "2022-11-02";

/// The key of a storage account.
#[derive(Clone)]
pub(super) struct AccountKey {
    account: String,
    key: hmac::Key,
}

impl std::fmt::Debug for AccountKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountKey").field("account", &self.account).finish_non_exhaustive()
    }
}

impl AccountKey {
    pub(super) fn new(account: &str, key: &str) -> Result<Self, BucketFault> {
        let key = STANDARD.decode(key).map_err(|_| {
            BucketFault::new("bucket_key_env", "the key of a storage account is base64: copy it from *Access keys*")
        })?;
        Ok(Self { account: account.to_owned(), key: hmac::Key::new(hmac::HMAC_SHA256, &key) })
    }

    /// The address of a blob, with the right to read it until `end`. The link has no start, so that a clock that is
    /// behind refuses no reader.
    pub(super) fn sign(&self, mut address: Url, container: &str, blob: &str, end: DateTime<Utc>) -> Url {
        let end = end.to_rfc3339_opts(SecondsFormat::Secs, true);
        let resource = format!("/blob/{}/{container}/{blob}", self.account);
        // Empty: start; identifier, address, protocol; then snapshot, encryption scope and five response headers.
        let text = format!("r\n\n{end}\n{resource}\n\n\n\n{VERSION}\nb\n\n\n\n\n\n\n");
        let signature = STANDARD.encode(hmac::sign(&self.key, text.as_bytes()));
        address
            .query_pairs_mut()
            .append_pair("sv", VERSION)
            .append_pair("se", &end)
            .append_pair("sr", "b")
            .append_pair("sp", "r")
            .append_pair("sig", &signature);
        address
    }
}
