//! Sends activities as server-sent events in the response to the call (`deliveryMode: stream`).

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{ActivitySink, Refusal, RefusalCause};
use crate::activity::{Activity, ActivityId};
use crate::azure_bot::conversation::Address;
use crate::clock::IdSource;
use crate::sse;

/// The number of events that wait for a slow reader. Then the writer waits.
const WAITING: usize = 16;

/// Writes activities as server-sent events. Nothing goes through the Connector.
///
/// Clones write into the same body. Dropping the last one ends the body, which ends the turn for the reader.
#[derive(Clone, Debug)]
pub struct EventSink {
    address: Address,
    events: Sender<Bytes>,
    ids: Arc<dyn IdSource>,
}

impl EventSink {
    /// An sink, and the body that the caller reads.
    #[must_use]
    pub fn new(address: Address, ids: Arc<dyn IdSource>) -> (Self, Receiver<Bytes>) {
        let (events, body) = channel(WAITING);
        (Self { address, events, ids }, body)
    }
}

#[async_trait]
impl ActivitySink for EventSink {
    /// A stream that has no name yet gets one, which is returned: there is no channel that could give it.
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        let (activity, id) = if is_unnamed_stream(&activity) {
            let id = self.ids.fresh().simple().to_string();
            (activity.with_stream_id(&ActivityId::from(id.clone())), Some(id))
        } else {
            (activity, None)
        };
        let wire = Value::Object(self.address.sign(&activity));
        self.events.send(sse::named_event("activity", &wire)).await.map_err(|_| RefusalCause::Gone)?;
        Ok(id)
    }

    async fn replace(&mut self, _id: &str, _activity: Activity) -> Result<(), Refusal> {
        Err(RefusalCause::HandedOver.into())
    }

    fn can_stream(&self) -> bool {
        true
    }
}

fn is_unnamed_stream(activity: &Activity) -> bool {
    let data = activity.channel_data.as_ref();
    let has = |member: &str| data.and_then(|data| data.get(member)).is_some();
    has("streamType") && !has("streamId")
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use serde_json::json;

    use super::*;
    use crate::activity::StreamInfo;
    use crate::clock::CountingIds;

    fn sink() -> (EventSink, Receiver<Bytes>) {
        let address = Address::new(json!({"id": "c1"})).expect("a conversation");
        EventSink::new(address, Arc::new(CountingIds::default()))
    }

    #[tokio::test]
    async fn an_activity_is_one_event_and_a_stream_is_named_from_its_first() {
        let (mut sink, mut body) = sink();
        let mut chunk = Activity::new("typing").with_stream_info(StreamInfo::Informative { sequence: NonZeroU32::MIN });
        chunk.text = Some("Looking\nit up".to_owned());
        let id = sink.send(chunk).await.expect("taken").expect("a name");
        assert!(matches!(sink.send(Activity::message("hi")).await, Ok(None)));
        drop(sink);
        let first = String::from_utf8(body.recv().await.expect("an event").to_vec()).expect("text");
        let data = first.strip_prefix("event: activity\r\ndata: ").and_then(|rest| rest.strip_suffix("\r\n\r\n"));
        let data: Value = serde_json::from_str(data.expect("one event")).expect("JSON on one line");
        assert_eq!((&data["entities"][0]["streamId"], &data["channelData"]["streamId"]), (&json!(id), &json!(id)));
        assert_eq!(data["text"], "Looking\nit up");
        assert!(body.recv().await.is_some());
        assert_eq!(body.recv().await, None);
    }

    #[tokio::test]
    async fn a_reader_that_has_gone_is_told_of_and_nothing_can_be_replaced() {
        let (mut sink, body) = sink();
        assert!(sink.replace("1", Activity::message("two")).await.is_err());
        drop(body);
        let refusal = sink.send(Activity::message("hi")).await.expect_err("nobody reads");
        assert!(matches!(refusal.cause, RefusalCause::Gone));
    }
}
