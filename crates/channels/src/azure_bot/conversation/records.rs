//! The stored records of conversations behind Azure Bot Service.

use std::sync::Arc;

use serde_json::Value;

use super::reference::account;
use super::{ConversationReference, SubmittedFeedback};
use crate::activity::{Activity, ChannelAccount, ConversationId, Role, Watermark};
use crate::keyed_mutex::{KeyedGuard, KeyedMutex};
use crate::store::{Appended, Batch, ConversationStore, Created, EndOfTurn, Feedback, StoreError};

/// The member for the id that the service gave to an activity, beside its id in the store.
const SERVICE_ID: &str = "serviceId";

/// Under which key a greeting is recorded, of which a conversation has one.
pub const GREETING: &str = "greeting";

/// Keeps what is said in conversations behind Azure Bot Service, so that assistants know what was said before, answers can
/// come later, and feedback finds the answer that it is about. Clones are the same.
#[derive(Clone, Debug)]
pub struct ConnectorRecords {
    store: Arc<dyn ConversationStore>,
    lines: Arc<KeyedMutex>,
}

/// The exclusive right to write in a conversation, until it is dropped.
#[derive(Debug)]
#[must_use = "dropped, it lets the next one speak"]
pub struct Line {
    _turn: KeyedGuard,
}

impl ConnectorRecords {
    /// Records in this store.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>) -> Self {
        Self { store, lines: Arc::default() }
    }

    /// Where they are.
    pub(crate) fn store(&self) -> &Arc<dyn ConversationStore> {
        &self.store
    }

    /// Waits until every answer that began before in this conversation has ended. The service shows activities in the order of
    /// the calls, and takes one stream at a time.
    pub async fn line(&self, id: &ConversationId) -> Line {
        Line { _turn: self.lines.take(id.as_str()).await }
    }

    /// The conversation with which an activity came. It is there from now on, and so is where it is; what is known already is
    /// not written again.
    ///
    /// # Errors
    /// When the store fails or is full.
    pub async fn meet(&self, reference: &ConversationReference) -> Result<ConversationId, StoreError> {
        let id = reference.name().id();
        let known = match self.store.find(&id).await? {
            Some(known) => known,
            None => match self.store.create(&id, reference.user_account()).await? {
                Created::New(known) | Created::Existing(known) => known,
            },
        };
        let is_stored = known.reference.as_ref().is_some_and(|stored| reference.is_stored_in(stored));
        if !is_stored {
            self.store.refer(&id, reference.to_stored()).await?;
        }
        Ok(id)
    }

    /// Lets an activity come again whose sender has no answer and waits no more. `name` is that of its turn.
    pub(crate) async fn let_come_again(&self, id: &ConversationId, name: &str) {
        if let Err(error) = self.store.forget_name(id, name).await {
            tracing::warn!(conversation.id = %id, %error, "an activity that was not answered cannot come again");
        }
    }

    /// Where a conversation is; `None` when the conversation does not exist, or none that is behind Azure Bot Service.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn reference(&self, id: &ConversationId) -> Result<Option<ConversationReference>, StoreError> {
        let Some(stored) = self.store.find(id).await?.and_then(|found| found.reference) else { return Ok(None) };
        ConversationReference::from_stored(&stored).map(Some).map_err(StoreError::failed)
    }

    /// Records what a user has said, under the id that the service gave it where it did. What was recorded under this id before
    /// is returned, and nothing is recorded.
    ///
    /// # Errors
    /// When the store fails or is full.
    pub async fn heard(
        &self,
        id: &ConversationId,
        reference: &ConversationReference,
        mut said: Activity,
        service_id: Option<&str>,
    ) -> Result<Option<Appended>, StoreError> {
        // Without a sender of ours it would be nobody's in the history.
        said.from = Some(speaker(reference.user_account(), Role::User));
        said.channel_id = Some(reference.channel_id.clone());
        let key = service_id.map(by_service);
        self.store.append(id, Batch::new(vec![with_service_id(said, service_id)]).keyed(key)).await
    }

    /// Records what the bot has said, under the ids that the service gave it, and under a key of the caller. A turn that it answers
    /// ends with that.
    ///
    /// # Errors
    /// When the store fails or is full.
    pub async fn said(
        &self,
        id: &ConversationId,
        reference: &ConversationReference,
        mut said: Activity,
        service_ids: &[String],
        key: Option<&str>,
        end: Option<EndOfTurn>,
    ) -> Result<Option<Appended>, StoreError> {
        said.from = Some(speaker(reference.bot_account(), Role::Bot));
        said.channel_id = Some(reference.channel_id.clone());
        let names = service_ids.iter().map(|id| by_service(id)).collect();
        let said = with_service_id(said, service_ids.last().map(String::as_str));
        self.store.append(id, Batch::new(vec![said]).keyed(key.map(by_caller)).named(names).ending(end)).await
    }

    /// The bot's message under this key of a caller, if there is one.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn recall(&self, id: &ConversationId, key: &str) -> Result<Option<Appended>, StoreError> {
        self.store.recall(id, &by_caller(key)).await
    }

    /// Keeps feedback with the answer that the service calls `reply_to_id`. Without that, or when there is no such answer any
    /// more, it is kept with the conversation alone. What comes again under a name is not kept again. Says whether the conversation is there.
    ///
    /// # Errors
    /// When the store fails or is full.
    pub async fn rated(
        &self,
        id: &ConversationId,
        submitted: SubmittedFeedback,
        from: Option<&Value>,
        reply_to_id: Option<&str>,
        name: Option<&str>,
    ) -> Result<bool, StoreError> {
        let about = match reply_to_id {
            Some(reply_to_id) => find_said(&*self.store, id, reply_to_id).await?,
            None => None,
        };
        let SubmittedFeedback { reaction, text, details } = submitted;
        let feedback = Feedback {
            about,
            reply_to_id: reply_to_id.map(str::to_owned),
            from: account(from, Role::User),
            reaction,
            text,
            details,
        };
        self.store.keep_feedback(id, feedback, name.map(by_reader)).await
    }
}

/// The place of what the service calls `service_id`. An answer is recorded a little later than users can see it, so whoever finds
/// nothing may find it later.
///
/// # Errors
/// When the store fails.
pub async fn find_said(
    store: &dyn ConversationStore,
    id: &ConversationId,
    service_id: &str,
) -> Result<Option<Watermark>, StoreError> {
    let said = store.recall(id, &by_service(service_id)).await?;
    Ok(said.and_then(|said| said.recorded.last().map(|recorded| recorded.watermark)))
}

/// Names of the service and keys of callers share one space in the store.
fn by_service(id: &str) -> String {
    format!("id:{id}")
}

fn by_reader(name: &str) -> String {
    format!("feedback:{name}")
}

fn by_caller(key: &str) -> String {
    format!("key:{key}")
}

fn speaker(known: Option<ChannelAccount>, role: Role) -> ChannelAccount {
    known.unwrap_or_else(|| ChannelAccount { role: Some(role), ..ChannelAccount::default() })
}

fn with_service_id(mut activity: Activity, service_id: Option<&str>) -> Activity {
    if let Some(service_id) = service_id {
        activity.extra.insert(SERVICE_ID.to_owned(), Value::String(service_id.to_owned()));
    }
    activity
}

#[cfg(test)]
mod tests {
    use futures_util::poll;
    use serde_json::json;

    use super::*;
    use crate::azure_bot::auth::Caller;
    use crate::clock::SystemClock;
    use crate::store::{SqliteStore, StoreLimits};

    async fn records() -> ConnectorRecords {
        let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await;
        ConnectorRecords::new(Arc::new(store.expect("a store")))
    }

    fn reference() -> ConversationReference {
        let mut reference = ConversationReference::new(json!({"id": "a:1"}), "msteams", Caller::Channel);
        reference.user = Some(json!({"id": "29:ann", "name": "Ann"}));
        reference.bot = Some(json!({"id": "28:bot"}));
        reference.service_url = Some("https://smba.trafficmanager.net/emea/".to_owned());
        reference
    }

    #[tokio::test]
    async fn a_conversation_is_met_once_and_followed_to_where_it_goes() {
        let records = records().await;
        let id = records.meet(&reference()).await.expect("a store");
        assert_eq!(records.meet(&reference()).await.expect("a store"), id);
        assert_eq!(records.reference(&id).await.expect("a store"), Some(reference()));
        let mut moved = reference();
        moved.service_url = Some("https://smba.trafficmanager.net/amer/".to_owned());
        records.meet(&moved).await.expect("a store");
        assert_eq!(records.reference(&id).await.expect("a store"), Some(moved));
        let user = records.store.find(&id).await.expect("a store").expect("known").user;
        assert_eq!(user.and_then(|user| user.name).as_deref(), Some("Ann"));
    }

    #[tokio::test]
    async fn what_was_said_has_a_speaker_and_both_ids() {
        let records = records().await;
        let id = records.meet(&reference()).await.expect("a store");
        let mut question = Activity::message("How long is leave?");
        question.from = Some(ChannelAccount::new("28:bot", Role::Bot));
        for repeated in [false, true] {
            let heard = records.heard(&id, &reference(), question.clone(), Some("1700")).await;
            assert_eq!(heard.expect("a store").expect("known").repeated, repeated);
        }
        let answer = Activity::message("30 days [1].");
        let ids = ["1701".to_owned(), "1702".to_owned()];
        records.said(&id, &reference(), answer, &ids, Some("1700"), None).await.expect("a store").expect("known");
        let page = records.store.read(&id, None, 9).await.expect("a store").expect("known");
        let read: Vec<Value> =
            page.recorded.iter().map(|one| serde_json::to_value(&*one.activity).expect("JSON")).collect();
        let of =
            |one: &Value| [&one["id"], &one["serviceId"], &one["from"]["id"], &one["from"]["role"]].map(Value::clone);
        assert_eq!(of(&read[0]), [json!(format!("{id}|0000000")), json!("1700"), json!("29:ann"), json!("user")]);
        assert_eq!(of(&read[1]), [json!(format!("{id}|0000001")), json!("1702"), json!("28:bot"), json!("bot")]);
        assert_eq!(read.len(), 2);
        let recalled = records.recall(&id, "1700").await.expect("a store").expect("recorded");
        assert_eq!(recalled.recorded[0].watermark.index(), 1, "a key is no id of the service");
    }

    #[tokio::test]
    async fn feedback_finds_its_answer_by_any_id_of_the_service() {
        let records = records().await;
        let id = records.meet(&reference()).await.expect("a store");
        let ids = ["1701".to_owned(), "1702".to_owned()];
        records
            .said(&id, &reference(), Activity::message("hi"), &ids, None, None)
            .await
            .expect("a store")
            .expect("known");
        for reply_to_id in [Some("1701"), Some("1702"), Some("gone"), None] {
            let submitted = SubmittedFeedback { reaction: Some("like".to_owned()), ..SubmittedFeedback::default() };
            let kept = records.rated(&id, submitted, reference().user.as_ref(), reply_to_id, None).await;
            assert!(kept.expect("a store"));
        }
        let page = records.store.feedback(&id, None, 9).await.expect("a store").expect("known");
        let about: Vec<_> = page.feedback.iter().map(|noted| noted.feedback.about.map(Watermark::index)).collect();
        assert_eq!(about, [Some(0), Some(0), None, None]);
        let named = page.feedback[2].feedback.reply_to_id.as_deref();
        assert_eq!(named, Some("gone"), "what the channel said is kept");
        let unknown = "azure:msteams:unknown".parse().expect("an id");
        assert!(!records.rated(&unknown, SubmittedFeedback::default(), None, None, None).await.expect("a store"));
    }

    #[tokio::test]
    async fn answers_in_one_conversation_go_one_after_the_other() {
        let records = records().await;
        let (one, other) = ("azure:a:1".parse().expect("an id"), "azure:a:2".parse().expect("an id"));
        let first = records.line(&one).await;
        drop(records.line(&other).await);
        let (mut second, mut third) = (Box::pin(records.line(&one)), Box::pin(records.line(&one)));
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        drop(first);
        assert!(poll!(&mut third).is_pending(), "who came first goes first");
        let second = second.await;
        assert!(poll!(&mut third).is_pending());
        drop(second);
        drop(third.await);
    }
}
