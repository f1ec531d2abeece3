//! `/v1/conversations`: the stored conversations, for operators.

use std::sync::Arc;

use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, TimeZone as _, Utc};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;
use utoipa::ToSchema;

use super::convert::json;
use super::query::{ParameterError, Query};
use super::{ApiError, State};
use crate::activity::{Activity, ChannelAccount, ConversationId, Watermark};
use crate::channels::DeliveryError;
use crate::channels::azure_bot::{ConversationReference, find};
use crate::store::{Conversation, ConversationStore, ListCursor, Recorded, Summary};

/// The default page size.
const DEFAULT_LIMIT: usize = 50;

/// The largest page size.
const MAX_LIMIT: usize = 1_000;

/// The number of activities that an export reads from the store at a time.
const EXPORT_PAGE: usize = 200;

/// A conversation in the list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedConversation<'a> {
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// For a conversation behind Azure Bot Service: the channel and the channel's conversation id.
    #[schema(example = "msteams:19:abc@thread.tacv2")]
    name: Option<String>,
    /// The user for whom the conversation was started, if known.
    #[schema(value_type = Option<Object>)]
    user: Option<&'a ChannelAccount>,
    /// The number of recorded activities.
    activities: u64,
    /// When the conversation was created.
    #[schema(value_type = String, format = DateTime)]
    created: DateTime<Utc>,
    /// When the last activity was recorded.
    #[schema(value_type = String, format = DateTime)]
    active: DateTime<Utc>,
}

impl<'a> ListedConversation<'a> {
    fn of(summary: &'a Summary) -> Self {
        let Summary { conversation, activities, created, active, .. } = summary;
        Self {
            id: &conversation.id,
            name: name(conversation),
            user: conversation.user.as_ref(),
            activities: *activities,
            created: *created,
            active: *active,
        }
    }
}

/// One page of the list of conversations.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationList<'a> {
    /// The conversations, most recently active first.
    conversations: Vec<ListedConversation<'a>>,
    /// The cursor of the next page: send it as `after`. Null on the last page.
    next: Option<String>,
}

/// One page of a conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationHistory<'a> {
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// For a conversation behind Azure Bot Service: the channel and the channel's conversation id. The activities then have
    /// `serviceId`, their id in the channel.
    name: Option<String>,
    /// The user for whom the conversation was started, if known.
    #[schema(value_type = Option<Object>)]
    user: Option<&'a ChannelAccount>,
    /// The activities, oldest first.
    #[schema(value_type = Vec<Object>)]
    activities: Vec<&'a Activity>,
    /// The watermark of the last activity on this page: send it as `watermark` for the next page. Null if there is none.
    #[schema(value_type = Option<String>)]
    watermark: Option<Watermark>,
}

/// A line of an export, as `citewire store export` writes it.
#[derive(Serialize)]
struct ExportLine<'a> {
    conversation: &'a ConversationId,
    watermark: Watermark,
    activity: &'a Activity,
}

/// List the conversations.
///
/// The most recently active conversation comes first. If a conversation gets an activity while you page through the list, it
/// moves to the front, and later pages do not contain it. Conversations behind Azure Bot Service have a `name` besides their
/// id; the routes of `/v1` accept either.
#[utoipa::path(
    get, path = "/v1/conversations", tag = "conversations", operation_id = "listConversations",
    params(
        ("limit" = Option<usize>, Query, description = "The page size: 1 to 1000, 50 when absent"),
        ("after" = Option<String>, Query, description = "The value of `next` in the previous page"),
    ),
    responses(
        (status = 200, description = "One page of the list", body = ConversationList),
        (status = 400, description = "A query parameter is invalid"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn list(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let query = Query::of(&request);
    let after = query.get("after").filter(|after| !after.is_empty()).map(place).transpose()?;
    let listing = state.store.list(after, limit(&query)?).await?;
    let conversations = listing.conversations.iter().map(ListedConversation::of).collect();
    json(HttpResponse::Ok(), &ConversationList { conversations, next: listing.next.as_ref().map(cursor) })
}

/// Read a conversation.
///
/// The response contains the activities after `watermark`, oldest first. Repeat the call with the returned watermark until the
/// response contains no activities.
#[utoipa::path(
    get, path = "/v1/conversations/{id}", tag = "conversations", operation_id = "readConversation",
    params(
        ("id" = String, Path, description = "The id of the conversation, or its name, percent-encoded"),
        ("limit" = Option<usize>, Query, description = "The page size: 1 to 1000, 50 when absent"),
        ("watermark" = Option<String>, Query, description = "The watermark of the last activity that you have; only \
            later activities are returned"),
    ),
    responses(
        (status = 200, description = "One page of activities", body = ConversationHistory),
        (status = 400, description = "A query parameter is invalid"),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read(state: Data<State>, id: Path<String>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let query = Query::of(&request);
    let (limit, after) = (limit(&query)?, query.watermark()?);
    let conversation = known(&state, &id).await?;
    let page = state.store.read(&conversation.id, after, limit).await?.ok_or(DeliveryError::UnknownConversation)?;
    let activities = page.recorded.iter().map(|recorded| &*recorded.activity).collect();
    let history = ConversationHistory {
        id: &conversation.id,
        name: name(&conversation),
        user: conversation.user.as_ref(),
        activities,
        watermark: page.reached,
    };
    json(HttpResponse::Ok(), &history)
}

/// Delete a conversation.
///
/// The server also deletes its activities and files, and closes its streams.
#[utoipa::path(
    delete, path = "/v1/conversations/{id}", tag = "conversations", operation_id = "deleteConversation",
    params(("id" = String, Path, description = "The id of the conversation, or its name, percent-encoded")),
    responses(
        (status = 204, description = "The conversation was deleted"),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn delete(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    if state.store.delete(&known(&state, &id).await?.id).await? {
        Ok(HttpResponse::NoContent().finish())
    } else {
        Err(DeliveryError::UnknownConversation.into())
    }
}

/// Export a conversation.
///
/// The response has one JSON object per activity and line, oldest first: `conversation`, `watermark`, `activity`.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/export", tag = "conversations", operation_id = "exportConversation",
    params(("id" = String, Path, description = "The id of the conversation, or its name, percent-encoded")),
    responses(
        (status = 200, description = "One activity per line", body = String, content_type = "application/x-ndjson"),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn export(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let lines = lines(Arc::clone(&state.store), known(&state, &id).await?.id);
    Ok(HttpResponse::Ok().content_type("application/x-ndjson").streaming(lines))
}

/// The reason why an export is broken off.
type ExportError = Box<dyn std::error::Error>;

/// All activities, a page at a time, so that a long conversation is never held whole. A failure half-way breaks the
/// response off, which its reader can tell from an end.
fn lines(store: Arc<dyn ConversationStore>, id: ConversationId) -> impl Stream<Item = Result<Bytes, ExportError>> {
    stream::try_unfold((store, id, None), async |(store, id, after)| {
        let page = store.read(&id, after, EXPORT_PAGE).await?.ok_or(Gone)?;
        if page.recorded.is_empty() {
            return Ok(None);
        }
        let mut text = Vec::new();
        for Recorded { watermark, activity, .. } in &page.recorded {
            serde_json::to_writer(&mut text, &ExportLine { conversation: &id, watermark: *watermark, activity })?;
            text.push(b'\n');
        }
        Ok(Some((Bytes::from(text), (store, id, page.reached))))
    })
}

/// All activities of all conversations to which a user belongs, a page at a time. A conversation that is deleted meanwhile
/// is left out.
pub(super) fn lines_of_user(
    store: Arc<dyn ConversationStore>,
    user: String,
) -> impl Stream<Item = Result<Bytes, ExportError>> {
    let pages = stream::try_unfold((Arc::clone(&store), user, None), async |(store, user, after)| {
        let ids = store.conversations_of(&user, after.as_ref(), EXPORT_PAGE).await?;
        let Some(last) = ids.last().cloned() else { return Ok::<_, ExportError>(None) };
        Ok(Some((stream::iter(ids.into_iter().map(Ok::<_, ExportError>)), (store, user, Some(last)))))
    });
    let left_out =
        |line: &Result<Bytes, ExportError>| std::future::ready(!line.as_ref().is_err_and(|error| error.is::<Gone>()));
    pages.try_flatten().map_ok(move |id| lines(Arc::clone(&store), id).filter(left_out)).try_flatten()
}

/// The conversation was deleted while it was read.
#[derive(Debug, thiserror::Error)]
#[error("the conversation was deleted")]
struct Gone;

/// The conversation of this id or name.
pub(super) async fn known(state: &State, called: &str) -> Result<Conversation, ApiError> {
    Ok(find(&*state.store, called).await?.ok_or(DeliveryError::UnknownConversation)?)
}

/// The channel and the channel's conversation id, for a conversation behind Azure Bot Service.
fn name(conversation: &Conversation) -> Option<String> {
    let reference = ConversationReference::from_stored(conversation.reference.as_ref()?).ok()?;
    Some(reference.name().to_string())
}

pub(super) fn limit(query: &Query) -> Result<usize, ParameterError> {
    let Some(text) = query.get("limit") else { return Ok(DEFAULT_LIMIT) };
    text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit)).ok_or(ParameterError::Limit { max: MAX_LIMIT })
}

/// A place in the list as its readers carry it around.
fn cursor(place: &ListCursor) -> String {
    format!("{}.{}", place.active.timestamp_millis(), place.id)
}

fn place(cursor: &str) -> Result<ListCursor, ParameterError> {
    let parts = cursor.split_once('.').and_then(|(millis, id)| {
        let active = Utc.timestamp_millis_opt(millis.parse().ok()?).single()?;
        Some(ListCursor { active, id: id.parse().ok()? })
    });
    parts.ok_or(ParameterError::Cursor)
}
