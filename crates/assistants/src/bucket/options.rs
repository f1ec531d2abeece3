//! The options of a bucket.

use std::time::Duration;

use url::Url;

/// The longest that a signed address is valid: the limit of Signature Version 4, and of Google.
pub(super) const LONGEST_LINK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A bucket, and how to get at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketOptions {
    /// The kind of its service.
    pub kind: BucketKind,
    /// The bucket; in Azure the container.
    pub name: String,
    /// The folder in it; empty for all of it.
    pub folder: String,
    /// The address of the service, if it is not the usual one.
    pub endpoint: Option<String>,
    /// The region of an S3 bucket.
    pub region: String,
    /// The id of the access key of an S3 bucket.
    pub key_id: Option<String>,
    /// The name of the secret: of an S3 bucket the secret access key, of Azure the account key, of Google the JSON of a service
    /// account. Without it, the bucket is read without a credential.
    pub key_env: Option<String>,
    /// The lifetime of signed addresses.
    pub link_lifetime: Duration,
}

/// The kind of service that holds a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BucketKind {
    /// Amazon S3 and services with its interface: `s3://bucket/folder`.
    S3,
    /// Azure Blob Storage: `az://account/container/folder`.
    Azure {
        /// The storage account.
        account: String,
    },
    /// Google Cloud Storage: `gs://bucket/folder`.
    Google,
}

/// An error in the options of a bucket: the setting and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct BucketFault {
    /// The setting.
    pub setting: &'static str,
    /// The reason why it is refused.
    pub reason: String,
}

impl BucketFault {
    pub(super) fn new(setting: &'static str, reason: impl Into<String>) -> Self {
        Self { setting, reason: reason.into() }
    }
}

impl BucketOptions {
    /// The host of the service at its usual address.
    pub(super) fn usual_host(&self) -> String {
        let Self { name, region, .. } = self;
        match &self.kind {
            BucketKind::S3 if name.contains('.') => format!("s3.{region}.amazonaws.com"),
            BucketKind::S3 => format!("{name}.s3.{region}.amazonaws.com"),
            BucketKind::Azure { account } => format!("{account}.blob.core.windows.net"),
            BucketKind::Google => "storage.googleapis.com".to_owned(),
        }
    }

    /// The bucket at an address such as `s3://bucket/folder`.
    ///
    /// # Errors
    /// When the address names no bucket.
    pub fn parse(address: &str) -> Result<Self, BucketFault> {
        let wrong = || {
            let forms = "s3://bucket/folder, az://account/container/folder or gs://bucket/folder";
            BucketFault::new("bucket", format!("the address of a bucket is required: {forms}"))
        };
        let url = Url::parse(address).map_err(|_| wrong())?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?.to_owned();
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.port().is_some() {
            return Err(wrong());
        }
        let path = percent_encoding::percent_decode_str(url.path()).decode_utf8().map_err(|_| wrong())?;
        let path = path.trim_matches('/');
        let (kind, name, folder) = match url.scheme() {
            "s3" => (BucketKind::S3, host, path),
            "gs" => (BucketKind::Google, host, path),
            "az" => {
                let (container, folder) = path.split_once('/').unwrap_or((path, ""));
                if container.is_empty() {
                    return Err(wrong());
                }
                (BucketKind::Azure { account: host }, container.to_owned(), folder)
            }
            _ => return Err(wrong()),
        };
        Ok(Self {
            kind,
            name,
            folder: folder.to_owned(),
            endpoint: None,
            region: "us-east-1".to_owned(),
            key_id: None,
            key_env: None,
            link_lifetime: LONGEST_LINK,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_bucket_and_a_folder_in_it() {
        let parsed =
            |address: &str| BucketOptions::parse(address).map(|options| (options.kind, options.name, options.folder));
        let pair = |kind, name: &str, folder: &str| Ok((kind, name.to_owned(), folder.to_owned()));
        assert_eq!(parsed("s3://docs"), pair(BucketKind::S3, "docs", ""));
        assert_eq!(parsed("s3://docs/hr/%C3%BCber/"), pair(BucketKind::S3, "docs", "hr/über"));
        assert_eq!(parsed("gs://docs/hr"), pair(BucketKind::Google, "docs", "hr"));
        let azure = || BucketKind::Azure { account: "contoso".to_owned() };
        assert_eq!(parsed("az://contoso/docs"), pair(azure(), "docs", ""));
        assert_eq!(parsed("az://contoso/docs/hr/x"), pair(azure(), "docs", "hr/x"));
        for wrong in ["docs", "s3://", "az://contoso", "https://x.example/docs", "s3://docs?x=1", "s3://key@docs"] {
            assert_eq!(parsed(wrong).expect_err(wrong).setting, "bucket", "{wrong}");
        }
    }
}
