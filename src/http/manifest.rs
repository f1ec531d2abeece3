//! Reads the sources of a bot's answer in the same way as the bodies of `/v1/activities`.

use std::error::Error;
use std::sync::Arc;

use serde_json::Value;

use super::query::Query;
use crate::activity::Activity;
use crate::answer::LabelCatalog;
use crate::calls::Request;
use crate::channels::direct_line::bot::Citer;
use crate::convert::convert;
use crate::dialect::Dialect;

/// The citation pipeline.
#[derive(Debug)]
pub(crate) struct Pipeline {
    labels: Arc<LabelCatalog>,
}

/// The conversion gave nothing.
#[derive(Debug, thiserror::Error)]
#[error("the conversion produced no message")]
struct NoMessage;

impl Pipeline {
    pub(crate) fn new(labels: Arc<LabelCatalog>) -> Self {
        Self { labels }
    }
}

impl Citer for Pipeline {
    /// Whatever dialect the manifest names, the readers of the channel have Web Chat.
    fn cite(&self, manifest: &Value) -> Result<Activity, Box<dyn Error + Send + Sync>> {
        let body = serde_json::to_vec(manifest)?;
        let mut request = Request::parse(&body, &Query::default().named())?;
        request.conversion.to = Dialect::WebChat;
        request.conversion.labels = Arc::clone(&self.labels);
        request.conversion.options.updates = Some(0);
        let converted = convert(&request.answer, &request.conversion)?;
        Ok(converted.activities.into_iter().next_back().ok_or(NoMessage)?)
    }
}
