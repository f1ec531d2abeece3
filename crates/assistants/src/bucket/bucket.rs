//! A bucket of documents.

use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::signer::{Method, Signer};
use object_store::{
    BackoffConfig, Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt as _, RetryConfig,
};
use tokio::time::timeout;
use url::Url;

use super::azure_sas::AccountKey;
use super::options::{BucketFault, BucketKind, BucketOptions};
use super::rules::{self, LONGEST_KEY};
use super::transport::{BucketCallError, Transport};
use crate::document::{RemoteDocument, RemoteDocuments, RemoteDocumentsError, is_supported};
use crate::egress::{Client, EgressOptions};
use crate::secret_source::SecretSource;
use crate::url::WebUrl;

/// A call is made again this often, and no later than after this time.
const RETRIES: usize = 2;
const RETRY_WITHIN: Duration = Duration::from_secs(20);

/// The largest response: a document, or a page of a list.
const MAX_ANSWER_BYTES: usize = 80 * 1024 * 1024;

/// The longest time for a whole listing.
const LIST_WITHIN: Duration = Duration::from_secs(60);

/// The maximum number of objects to look at in a bucket or its folder, whatever they are.
const MOST_KEYS: usize = 100_000;

/// The longest mark at which a list goes on.
const LONGEST_TOKEN: usize = 16 * 1024;

/// The maximum number of characters of a key in the log.
const SHOWN: usize = 80;

/// The words for a panic in `object_store`; its message has gone to stderr.
const BUG: &str = "the library for buckets failed because of a bug";

/// A bucket of documents, or a folder in one.
pub struct Bucket {
    /// The bucket and folder, for messages: `s3://docs/hr`.
    address: String,
    folder: Path,
    store: Arc<dyn ObjectStore>,
    /// `store`, as it lists its objects.
    pages: Arc<dyn PaginatedListStore>,
    signer: Links,
    link_lifetime: Duration,
    /// The left-out objects that the log has named.
    told: Mutex<LeftOut>,
}

/// Objects that are no documents because of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    count: usize,
    /// The beginning of the first key.
    first: String,
}

impl LeftOut {
    fn push(&mut self, key: &Path) {
        if self.count == 0 {
            self.first = key.as_ref().chars().take(SHOWN).collect();
        }
        self.count += 1;
    }
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bucket").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Bucket {
    /// A bucket with these options. Nothing is called yet.
    ///
    /// # Errors
    /// When a setting is impossible, or its secret is not there: with everything that is wrong.
    pub fn open(
        options: &BucketOptions,
        secrets: &SecretSource,
        egress: &EgressOptions,
        may_call_private_hosts: bool,
    ) -> Result<Self, Vec<BucketFault>> {
        let mut faults = rules::faults(options);
        let mut egress = EgressOptions { max_answer_bytes: MAX_ANSWER_BYTES, ..egress.clone() };
        let endpoint = options.endpoint.as_deref().and_then(|endpoint| rules::endpoint(endpoint).ok());
        if let Some(endpoint) = endpoint.as_ref().filter(|_| may_call_private_hosts) {
            egress.allow.add_written(endpoint);
        }
        if options.kind == BucketKind::S3 && options.key_id.is_some() != options.key_env.is_some() {
            faults.push(BucketFault::new("bucket_key_id", "set bucket_key_id and bucket_key_env together"));
        }
        let host =
            endpoint.as_ref().map_or_else(|| Some(options.usual_host()), |url| url.host_str().map(str::to_owned));
        let secret = options.key_env.as_deref().map(|name| secret(name, secrets, host.as_deref())).transpose();
        let secret = secret.unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        if !faults.is_empty() {
            return Err(faults);
        }
        let client = Client::new(egress).map_err(|error| vec![BucketFault::new("bucket", error.to_string())])?;
        let build = || built(options, endpoint, secret, Transport(client));
        let built = catch_unwind(AssertUnwindSafe(build)).unwrap_or_else(|_| Err(BucketFault::new("bucket", BUG)));
        let (store, pages, signer) = built.map_err(|fault| vec![fault])?;
        let scheme = match &options.kind {
            BucketKind::S3 => "s3://".to_owned(),
            BucketKind::Azure { account } => format!("az://{account}/"),
            BucketKind::Google => "gs://".to_owned(),
        };
        let address = format!("{scheme}{}/{}", options.name, options.folder);
        let folder =
            Path::parse(&options.folder).map_err(|error| vec![BucketFault::new("bucket", error.to_string())])?;
        let link_lifetime = options.link_lifetime;
        let told = Mutex::default();
        Ok(Self {
            address: address.trim_end_matches('/').to_owned(),
            folder,
            store,
            pages,
            signer,
            link_lifetime,
            told,
        })
    }

    /// The documents in the folder, at most `limit`.
    async fn listed(&self, limit: usize) -> Result<Vec<RemoteDocument>, RemoteDocumentsError> {
        // The key of an object in a folder has a `/` behind it.
        let prefix = Some(format!("{}/", self.folder)).filter(|_| !self.folder.as_ref().is_empty());
        let (mut documents, mut keys, mut token) = (Vec::new(), 0, None::<String>);
        let (mut tokens, mut left_out) = (BTreeSet::new(), LeftOut::default());
        loop {
            let options = PaginatedListOptions { page_token: token.take(), ..PaginatedListOptions::default() };
            let page = self.pages.list_paginated(prefix.as_deref(), options).await;
            let page = page.map_err(|error| self.failed(&error))?;
            for object in page.result.objects {
                keys += 1;
                if keys > MOST_KEYS {
                    let address = &self.address;
                    return Err(RemoteDocumentsError(format!(
                        "the bucket {address} has more than {MOST_KEYS} objects: name a folder with the documents"
                    )));
                }
                if object.location.as_ref().len() > LONGEST_KEY {
                    left_out.push(&object.location);
                    continue;
                }
                documents.extend(self.document(object));
                if documents.len() >= limit {
                    return Ok(documents);
                }
            }
            match page.page_token {
                None => {
                    self.tell(&left_out);
                    return Ok(documents);
                }
                Some(next) if next.len() <= LONGEST_TOKEN && tokens.insert(next.clone()) => token = Some(next),
                Some(_) => return Err(self.broken("its list comes back to where it was, and would never end")),
            }
        }
    }

    /// An object as a document, if it is one.
    fn document(&self, object: ObjectMeta) -> Option<RemoteDocument> {
        let inside = object.location.prefix_match(&self.folder)?;
        let path = inside.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/");
        let is_document = is_supported(&path) && !path.split('/').any(|part| part.starts_with('.'));
        is_document.then(|| RemoteDocument::new(path, object.size, object.e_tag, object.last_modified))
    }

    /// Says which objects were left out, when they are others than in the list before.
    fn tell(&self, left_out: &LeftOut) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told == *left_out {
            return;
        }
        if let LeftOut { count: objects @ 1.., first } = left_out {
            let bucket = &self.address;
            tracing::warn!(bucket, objects, first, "objects are left out: no key has more than {LONGEST_KEY} bytes");
        }
        told.clone_from(left_out);
    }

    fn broken(&self, reason: &str) -> RemoteDocumentsError {
        RemoteDocumentsError(format!("the bucket {} cannot be read: {reason}", self.address))
    }

    /// The result of a call to the library. A panic in it is an error like others.
    async fn caught<T>(
        &self,
        call: impl Future<Output = Result<T, RemoteDocumentsError>>,
    ) -> Result<T, RemoteDocumentsError> {
        AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|_| Err(self.broken(BUG)))
    }

    /// The key of a document in the bucket.
    fn place(&self, path: &str) -> Result<Path, RemoteDocumentsError> {
        let inside = Path::parse(path).map_err(|error| RemoteDocumentsError(format!("{}: {error}", self.address)))?;
        Ok(self.folder.parts().chain(inside.parts()).collect())
    }

    fn failed(&self, error: &Error) -> RemoteDocumentsError {
        let address = &self.address;
        RemoteDocumentsError(match cause(error) {
            Some(BucketCallError::NoBucket) => {
                format!("the bucket {address} does not exist: check documents.bucket, and its region or endpoint")
            }
            Some(BucketCallError::Refused) => format!(
                "the bucket {address} refuses the key: check documents.bucket_key_env, and let the key list the bucket \
                 and read its objects"
            ),
            Some(BucketCallError::Egress(error)) => format!("the bucket {address} cannot be read: {error}"),
            None => format!("the bucket {address} cannot be read: {}", reason(error)),
        })
    }
}

type Built = (Arc<dyn ObjectStore>, Arc<dyn PaginatedListStore>, Links);

/// The signer of links.
#[derive(Debug)]
enum Links {
    /// No signer: the bucket is read without a credential.
    None,
    /// The signer of `object_store`.
    Signer(Arc<dyn Signer>),
    /// The key of an Azure account.
    Azure {
        key: Box<AccountKey>,
        /// The address of the container.
        container: Url,
        name: String,
    },
}

/// The client of the kind of the bucket. Credentials of the machine are never used.
fn built(
    options: &BucketOptions,
    endpoint: Option<Url>,
    secret: Option<String>,
    transport: Transport,
) -> Result<Built, BucketFault> {
    let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: RETRY_WITHIN };
    let is_open = secret.is_none();
    let impossible = |error: Error| BucketFault::new("bucket", reason(&error));
    let allow_http = endpoint.as_ref().is_some_and(|endpoint| endpoint.scheme() == "http");
    let address = endpoint.as_ref().map(|endpoint| endpoint.as_str().trim_end_matches('/').to_owned());
    match &options.kind {
        BucketKind::S3 => {
            let mut builder = AmazonS3Builder::new()
                .with_bucket_name(&options.name)
                .with_region(&options.region)
                .with_allow_http(allow_http)
                .with_skip_signature(is_open)
                .with_retry(retry)
                .with_http_connector(transport);
            if let Some(address) = address {
                builder = builder.with_endpoint(address);
            } else {
                builder = builder.with_virtual_hosted_style_request(!options.name.contains('.'));
            }
            if let Some((id, secret)) = options.key_id.as_ref().zip(secret) {
                builder = builder.with_access_key_id(id).with_secret_access_key(secret);
            }
            let store = Arc::new(builder.build().map_err(impossible)?);
            let links = if is_open { Links::None } else { Links::Signer(Arc::clone(&store) as _) };
            Ok((Arc::clone(&store) as _, store, links))
        }
        BucketKind::Azure { account } => {
            let mut builder = MicrosoftAzureBuilder::new()
                .with_account(account)
                .with_container_name(&options.name)
                .with_allow_http(allow_http)
                .with_skip_signature(is_open)
                .with_retry(retry)
                .with_http_connector(transport);
            if let Some(address) = address {
                builder = builder.with_endpoint(address);
            }
            let mut links = Links::None;
            if let Some(secret) = secret {
                let usual = || rules::endpoint(&format!("https://{account}.blob.core.windows.net"));
                let mut container = endpoint.map_or_else(usual, Ok)?;
                if let Ok(mut path) = container.path_segments_mut() {
                    path.pop_if_empty().push(&options.name);
                }
                links = Links::Azure {
                    key: Box::new(AccountKey::new(account, &secret)?),
                    container,
                    name: options.name.clone(),
                };
                builder = builder.with_access_key(secret);
            }
            let store = Arc::new(builder.build().map_err(impossible)?);
            Ok((Arc::clone(&store) as _, store, links))
        }
        BucketKind::Google => {
            let mut builder = GoogleCloudStorageBuilder::new()
                .with_bucket_name(&options.name)
                .with_skip_signature(is_open)
                .with_retry(retry)
                .with_http_connector(transport);
            if let Some(address) = address {
                builder = builder.with_base_url(&address);
            }
            if let Some(secret) = secret {
                builder = builder.with_service_account_key(secret);
            }
            let store = Arc::new(builder.build().map_err(impossible)?);
            let links = if is_open { Links::None } else { Links::Signer(Arc::clone(&store) as _) };
            Ok((Arc::clone(&store) as _, store, links))
        }
    }
}

fn secret(name: &str, secrets: &SecretSource, host: Option<&str>) -> Result<String, BucketFault> {
    let wrong = |reason: String| BucketFault::new("bucket_key_env", reason);
    let text = secrets.find(name).map_err(|error| wrong(error.to_string()))?;
    let text = text.ok_or_else(|| wrong(secrets.missing(name)))?;
    secrets.may_go_to(name, host).map_err(wrong)?;
    Ok(text.trim().to_owned())
}

/// The cause of a failed call, if there was a call.
fn cause(error: &Error) -> Option<&BucketCallError> {
    let mut cause: &dyn std::error::Error = error;
    loop {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        cause = cause.source()?;
    }
}

/// The innermost cause of an error.
fn reason(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[async_trait]
impl RemoteDocuments for Bucket {
    async fn list(&self, limit: usize) -> Result<Vec<RemoteDocument>, RemoteDocumentsError> {
        let listed = timeout(LIST_WITHIN, self.caught(self.listed(limit))).await;
        let slow = |_| Err(self.broken("its list took more than 60 s: name a folder with fewer objects"));
        let mut documents = listed.unwrap_or_else(slow)?;
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(documents)
    }

    async fn read(&self, path: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, RemoteDocumentsError> {
        let read = async {
            let found = match self.store.get(&self.place(path)?).await {
                Ok(found) => found,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(self.failed(&error)),
            };
            if found.meta.size > max_bytes {
                let size = found.meta.size;
                return Err(RemoteDocumentsError(format!(
                    "{}/{path} has {size} bytes, more than {max_bytes}",
                    self.address
                )));
            }
            let bytes = found.bytes().await.map_err(|error| self.failed(&error))?;
            Ok(Some(bytes.to_vec()))
        };
        self.caught(read).await
    }

    async fn find(&self, path: &str) -> Result<Option<RemoteDocument>, RemoteDocumentsError> {
        let found = async {
            match self.store.head(&self.place(path)?).await {
                Ok(object) => {
                    Ok(Some(RemoteDocument::new(path.to_owned(), object.size, object.e_tag, object.last_modified)))
                }
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(self.failed(&error)),
            }
        };
        self.caught(found).await
    }

    async fn read_range(
        &self,
        document: &RemoteDocument,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, RemoteDocumentsError> {
        let options = GetOptions {
            if_match: document.tag.clone(),
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let read = async {
            let found = match self.store.get_opts(&self.place(&document.path)?, options).await {
                Ok(found) => found,
                Err(Error::NotFound { .. } | Error::Precondition { .. }) => return Ok(None),
                Err(error) => return Err(self.failed(&error)),
            };
            let bytes = found.bytes().await.map_err(|error| self.failed(&error))?;
            Ok(Some(bytes.to_vec()))
        };
        self.caught(read).await
    }

    fn signed(&self, path: &str, now: DateTime<Utc>) -> Option<WebUrl> {
        let place = self.place(path).ok()?;
        let signer = match &self.signer {
            Links::None => return None,
            Links::Signer(signer) => signer,
            Links::Azure { key, container, name } => {
                let mut address = container.clone();
                address.path_segments_mut().ok()?.extend(place.parts().map(|part| part.as_ref().to_owned()));
                let signed = key.sign(address, name, place.as_ref(), now + self.link_lifetime);
                return signed.as_str().parse().ok();
            }
        };
        // The key is here, so that nothing has to be waited for.
        let signing = AssertUnwindSafe(signer.signed_url(Method::GET, &place, self.link_lifetime)).catch_unwind();
        let Ok(signed) = signing.now_or_never()? else {
            tracing::warn!(bucket = self.address, error = BUG, "a document has no signed address");
            return None;
        };
        match signed {
            Ok(url) => url.as_str().parse().ok(),
            Err(error) => {
                tracing::warn!(bucket = self.address, %error, "a document has no signed address");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// A service that answers each list with the same page, and counts them.
    async fn service(page: String) -> (Bucket, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let calls = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&calls);
        #[expect(clippy::disallowed_methods, reason = "it ends with the test")]
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let mut head = vec![0; 16 * 1024];
                let _ = stream.read(&mut head).await.expect("a request");
                counted.fetch_add(1, Ordering::Relaxed);
                let length = page.len();
                let answer = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{page}");
                stream.write_all(answer.as_bytes()).await.expect("written");
            }
        });
        let mut options = BucketOptions::parse("s3://docs/hr").expect("a bucket");
        options.endpoint = Some(format!("http://{address}"));
        let bucket = Bucket::open(&options, &SecretSource::default(), &EgressOptions::default(), true);
        (bucket.expect("a bucket"), calls)
    }

    fn page(keys: &[&str], more: &str) -> String {
        let objects: String = keys
            .iter()
            .map(|key| {
                format!(
                    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>\"x\"</ETag>\
                     <Size>5</Size></Contents>"
                )
            })
            .collect();
        format!("<?xml version=\"1.0\"?><ListBucketResult><Name>docs</Name>{objects}{more}</ListBucketResult>")
    }

    /// The service was once asked for ever, and all other buckets waited.
    #[tokio::test]
    async fn a_list_that_comes_back_to_where_it_was_ends() {
        for keys in [&[][..], &["hr/picture.png"], &["hr/leave.md"]] {
            let more = "<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>";
            let (bucket, calls) = service(page(keys, more)).await;
            let error = bucket.list(1000).await.expect_err("no end").to_string();
            assert!(error.contains("s3://docs/hr") && error.contains("would never end"), "{error}");
            assert_eq!(calls.load(Ordering::Relaxed), 2);
        }
    }

    /// A key of 1 MB was the end of the process.
    #[tokio::test]
    async fn a_key_that_no_object_can_have_is_left_out() {
        let long = format!("hr/{}.md", "x".repeat(1024 * 1024));
        let (bucket, _) =
            service(page(&["hr/leave.md", &long, "hr/a/b.txt", "hr/.hidden/c.md", "other/d.md"], "")).await;
        let listed = bucket.list(1000).await.expect("a list");
        assert_eq!(listed.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["a/b.txt", "leave.md"]);
    }
}
