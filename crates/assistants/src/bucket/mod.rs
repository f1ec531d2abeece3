//! Documents in buckets: Amazon S3 and what speaks like it, Azure Blob Storage, Google Cloud Storage.
//!
//! `object_store` knows the protocols and signs; its calls go through `egress`.

mod azure_sas;
mod bucket;
mod options;
mod rules;
mod transport;

pub use bucket::Bucket;
pub use options::{BucketFault, BucketKind, BucketOptions};
