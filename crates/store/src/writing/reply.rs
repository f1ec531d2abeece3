//! The way back from the writer.

use tokio::sync::oneshot;

use crate::StoreError;

/// The channel for the result.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;
