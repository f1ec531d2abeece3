//! The way back from the writer.

use tokio::sync::oneshot;

use crate::store::StoreError;

/// The channel for the result.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;
