//! The way back from the writer.

use tokio::sync::oneshot;

use crate::store::StoreError;

/// The channel for the result.
pub(in crate::store) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;
