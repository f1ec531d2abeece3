//! A bucket of documents.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::signer::{Method, Signer};
use object_store::{BackoffConfig, Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt as _, RetryConfig};
use url::Url;

use super::azure_sas::AccountKey;
use super::options::{BucketFault, BucketOptions, Kind, LONGEST_LINK};
use super::transport::{CallError, Transport};
use crate::document::{RemoteDocument, RemoteDocuments, RemoteError, is_supported};
use crate::egress::{Client, EgressOptions};
use crate::secret_source::SecretSource;
use crate::url::WebUrl;

/// A call is made again this often, and no later than after this time.
const RETRIES: usize = 2;
const RETRY_WITHIN: Duration = Duration::from_secs(20);

/// The largest response: a document, or a page of a list.
const MAX_ANSWER_BYTES: usize = 80 * 1024 * 1024;

/// A bucket of documents, or a folder in one.
#[derive(Debug)]
pub struct Bucket {
    /// For messages: `s3://docs/hr`.
    address: String,
    folder: Path,
    store: Arc<dyn ObjectStore>,
    signer: Links,
    link_lifetime: Duration,
}

impl Bucket {
    /// A bucket with these options. Nothing is called yet.
    ///
    /// # Errors
    /// When a setting is impossible, or its secret is not there.
    pub fn open(
        options: &BucketOptions,
        secrets: &SecretSource,
        egress: &EgressOptions,
        may_call_private_hosts: bool,
    ) -> Result<Self, BucketFault> {
        let mut egress = EgressOptions { max_answer_bytes: MAX_ANSWER_BYTES, ..egress.clone() };
        if let Some(endpoint) = &options.endpoint {
            let url = endpoint
                .parse()
                .map_err(|_| BucketFault::new("bucket_endpoint", "an address with http or https is required"))?;
            if may_call_private_hosts {
                egress.allow.add_written(&url);
            }
        }
        if options.link_lifetime.is_zero() || options.link_lifetime > LONGEST_LINK {
            return Err(BucketFault::new("bucket_link_seconds", "1 to 604800 (7 days) are possible"));
        }
        let secret = options.key_env.as_deref().map(|name| secret(name, secrets)).transpose()?;
        let client = Client::new(egress).map_err(|error| BucketFault::new("bucket", error.to_string()))?;
        let (store, signer) = built(options, secret, Transport(client))?;
        let scheme = match &options.kind {
            Kind::S3 => "s3://".to_owned(),
            Kind::Azure { account } => format!("az://{account}/"),
            Kind::Google => "gs://".to_owned(),
        };
        let address = format!("{scheme}{}/{}", options.name, options.folder);
        let folder = Path::parse(&options.folder).map_err(|error| BucketFault::new("bucket", error.to_string()))?;
        let link_lifetime = options.link_lifetime;
        Ok(Self { address: address.trim_end_matches('/').to_owned(), folder, store, signer, link_lifetime })
    }

    /// Where a document is in the bucket.
    fn place(&self, path: &str) -> Result<Path, RemoteError> {
        let inside = Path::parse(path).map_err(|error| RemoteError(format!("{}: {error}", self.address)))?;
        Ok(self.folder.parts().chain(inside.parts()).collect())
    }

    fn failed(&self, error: &Error) -> RemoteError {
        let address = &self.address;
        RemoteError(match cause(error) {
            Some(CallError::NoBucket) => {
                format!("the bucket {address} does not exist: check documents.bucket, and its region or endpoint")
            }
            Some(CallError::Refused) => format!(
                "the bucket {address} refuses the key: check documents.bucket_key_env, and let the key list the bucket \
                 and read its objects"
            ),
            Some(CallError::Egress(error)) => format!("the bucket {address} cannot be read: {error}"),
            None => format!("the bucket {address} cannot be read: {}", reason(error)),
        })
    }
}

type Built = (Arc<dyn ObjectStore>, Links);

/// What signs links.
#[derive(Debug)]
enum Links {
    /// Nothing: the bucket is read without a credential.
    None,
    /// `object_store`.
    Signer(Arc<dyn Signer>),
    /// The key of an Azure account.
    Azure {
        key: Box<AccountKey>,
        /// Where the container is.
        container: Url,
        name: String,
    },
}

/// The client of the kind of the bucket. Credentials of the machine are never used.
fn built(options: &BucketOptions, secret: Option<String>, transport: Transport) -> Result<Built, BucketFault> {
    let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: RETRY_WITHIN };
    let is_open = secret.is_none();
    let impossible = |error: Error| BucketFault::new("bucket", reason(&error));
    let allow_http = options.endpoint.as_ref().is_some_and(|endpoint| endpoint.starts_with("http:"));
    match &options.kind {
        Kind::S3 => {
            if options.key_id.is_some() == is_open {
                return Err(BucketFault::new("bucket_key_id", "set bucket_key_id and bucket_key_env together"));
            }
            let mut builder = AmazonS3Builder::new()
                .with_bucket_name(&options.name)
                .with_region(&options.region)
                .with_allow_http(allow_http)
                .with_skip_signature(is_open)
                .with_retry(retry)
                .with_http_connector(transport);
            if let Some(endpoint) = &options.endpoint {
                builder = builder.with_endpoint(endpoint);
            } else {
                builder = builder.with_virtual_hosted_style_request(!options.name.contains('.'));
            }
            if let Some((id, secret)) = options.key_id.as_ref().zip(secret) {
                builder = builder.with_access_key_id(id).with_secret_access_key(secret);
            }
            let store = Arc::new(builder.build().map_err(impossible)?);
            Ok((Arc::clone(&store) as _, if is_open { Links::None } else { Links::Signer(store) }))
        }
        Kind::Azure { account } => {
            let mut builder = MicrosoftAzureBuilder::new()
                .with_account(account)
                .with_container_name(&options.name)
                .with_allow_http(allow_http)
                .with_skip_signature(is_open)
                .with_retry(retry)
                .with_http_connector(transport);
            if let Some(endpoint) = &options.endpoint {
                builder = builder.with_endpoint(endpoint.clone());
            }
            let mut links = Links::None;
            if let Some(secret) = secret {
                let usual = format!("https://{account}.blob.core.windows.net");
                let endpoint = options.endpoint.as_deref().unwrap_or(&usual);
                let mut container = Url::parse(endpoint)
                    .map_err(|_| BucketFault::new("bucket_endpoint", "an address with http or https is required"))?;
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
            Ok((Arc::new(builder.build().map_err(impossible)?), links))
        }
        Kind::Google => {
            let mut builder = GoogleCloudStorageBuilder::new()
                .with_bucket_name(&options.name)
                .with_skip_signature(is_open)
                .with_retry(retry)
                .with_http_connector(transport);
            if let Some(endpoint) = &options.endpoint {
                builder = builder.with_base_url(endpoint);
            }
            if let Some(secret) = secret {
                builder = builder.with_service_account_key(secret);
            }
            let store = Arc::new(builder.build().map_err(impossible)?);
            Ok((Arc::clone(&store) as _, if is_open { Links::None } else { Links::Signer(store) }))
        }
    }
}

fn secret(name: &str, secrets: &SecretSource) -> Result<String, BucketFault> {
    let wrong = |reason: String| BucketFault::new("bucket_key_env", reason);
    let text = secrets.find(name).map_err(|error| wrong(error.to_string()))?;
    let text = text.ok_or_else(|| wrong(secrets.missing(name)))?;
    Ok(text.trim().to_owned())
}

/// Why a call failed, if one did.
fn cause(error: &Error) -> Option<&CallError> {
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
    async fn list(&self, limit: usize) -> Result<Vec<RemoteDocument>, RemoteError> {
        let folder = Some(&self.folder).filter(|folder| !folder.as_ref().is_empty());
        let objects = self.store.list(folder).map_err(|error| self.failed(&error));
        let documents = objects.try_filter_map(async |object| {
            let Some(inside) = object.location.prefix_match(&self.folder) else { return Ok(None) };
            let path = inside.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/");
            let is_document = is_supported(&path) && !path.split('/').any(|part| part.starts_with('.'));
            let document = RemoteDocument::new(path, object.size, object.e_tag, object.last_modified);
            Ok(is_document.then_some(document))
        });
        let mut documents: Vec<RemoteDocument> = documents.take(limit).try_collect().await?;
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(documents)
    }

    async fn read(&self, path: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, RemoteError> {
        let found = match self.store.get(&self.place(path)?).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(self.failed(&error)),
        };
        if found.meta.size > max_bytes {
            let size = found.meta.size;
            return Err(RemoteError(format!("{}/{path} has {size} bytes, more than {max_bytes}", self.address)));
        }
        let bytes = found.bytes().await.map_err(|error| self.failed(&error))?;
        Ok(Some(bytes.to_vec()))
    }

    async fn find(&self, path: &str) -> Result<Option<RemoteDocument>, RemoteError> {
        match self.store.head(&self.place(path)?).await {
            Ok(object) => {
                Ok(Some(RemoteDocument::new(path.to_owned(), object.size, object.e_tag, object.last_modified)))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(&error)),
        }
    }

    async fn read_range(&self, document: &RemoteDocument, range: Range<u64>) -> Result<Option<Vec<u8>>, RemoteError> {
        let options = GetOptions {
            if_match: document.tag.clone(),
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let found = match self.store.get_opts(&self.place(&document.path)?, options).await {
            Ok(found) => found,
            Err(Error::NotFound { .. } | Error::Precondition { .. }) => return Ok(None),
            Err(error) => return Err(self.failed(&error)),
        };
        let bytes = found.bytes().await.map_err(|error| self.failed(&error))?;
        Ok(Some(bytes.to_vec()))
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
        let signed = signer.signed_url(Method::GET, &place, self.link_lifetime).now_or_never()?;
        match signed {
            Ok(url) => url.as_str().parse().ok(),
            Err(error) => {
                tracing::warn!(bucket = self.address, %error, "a document has no signed address");
                None
            }
        }
    }
}
