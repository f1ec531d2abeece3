//! `/v1/conversations`: the conversations that are kept, for those who run the server.

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

/// So many conversations or activities are a page, where the caller does not say.
const DEFAULT_LIMIT: usize = 50;

/// The most that a page may hold.
const MAX_LIMIT: usize = 1_000;

/// So many activities are read at a time for an export.
const EXPORT_PAGE: usize = 200;

/// A conversation in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedConversation<'a> {
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// What the world calls it, where it is behind Azure Bot Service: the channel and the channel's id of it.
    #[schema(example = "msteams:19:abc@thread.tacv2")]
    name: Option<String>,
    /// The user for whom it was started, where one is known.
    #[schema(value_type = Option<Object>)]
    user: Option<&'a ChannelAccount>,
    /// How many activities are recorded in it.
    activities: u64,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    created: DateTime<Utc>,
    /// When something was recorded in it last.
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

/// A page of the list of conversations.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationList<'a> {
    /// The one in which something was recorded last comes first.
    conversations: Vec<ListedConversation<'a>>,
    /// Give it as `after` for the next page; null where there is none.
    next: Option<String>,
}

/// A page of a conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationHistory<'a> {
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// What the world calls it, where it is behind Azure Bot Service. Its activities then have `serviceId`, what the service calls
    /// them.
    name: Option<String>,
    /// The user for whom it was started, where one is known.
    #[schema(value_type = Option<Object>)]
    user: Option<&'a ChannelAccount>,
    /// Oldest first.
    #[schema(value_type = Vec<Object>)]
    activities: Vec<&'a Activity>,
    /// Where the next page starts; null where nothing is recorded.
    #[schema(value_type = Option<String>)]
    watermark: Option<Watermark>,
}

/// A line of an export, as `citewire store export` writes it.
#[derive(Serialize)]
struct Line<'a> {
    conversation: &'a ConversationId,
    watermark: Watermark,
    activity: &'a Activity,
}

/// List the conversations.
///
/// The one in which something was recorded last comes first. A conversation that grows meanwhile moves to the front, where
/// a later page does not come. Conversations behind Azure Bot Service are among them, and have a name besides their id; wherever
/// an id of a conversation is asked for, the name will do.
#[utoipa::path(
    get, path = "/v1/conversations", tag = "conversations", operation_id = "listConversations",
    params(
        ("limit" = Option<usize>, Query, description = "The most that are wanted: 1 to 1000, 50 when absent"),
        ("after" = Option<String>, Query, description = "`next` of the page before"),
    ),
    responses(
        (status = 200, description = "A page of the list", body = ConversationList),
        (status = 400, description = "A parameter is unusable"),    ),
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
/// Activities come oldest first, after `watermark`; repeat the call with the watermark returned until none comes.
#[utoipa::path(
    get, path = "/v1/conversations/{id}", tag = "conversations", operation_id = "readConversation",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("limit" = Option<usize>, Query, description = "The most that are wanted: 1 to 1000, 50 when absent"),
        ("watermark" = Option<String>, Query, description = "The last activity already seen"),
    ),
    responses(
        (status = 200, description = "A page of its activities", body = ConversationHistory),
        (status = 400, description = "A parameter is unusable"),
        (status = 404, description = "No such conversation"),
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
/// Its activities and files go with it, and its streams are closed.
#[utoipa::path(
    delete, path = "/v1/conversations/{id}", tag = "conversations", operation_id = "deleteConversation",
    params(("id" = String, Path, description = "The conversation")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such conversation"),
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
/// One JSON object a line, oldest first: `conversation`, `watermark`, `activity`.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/export", tag = "conversations", operation_id = "exportConversation",
    params(("id" = String, Path, description = "The conversation")),
    responses(
        (status = 200, description = "Its activities, one a line", body = String, content_type = "application/x-ndjson"),
        (status = 404, description = "No such conversation"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn export(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let lines = lines(Arc::clone(&state.store), known(&state, &id).await?.id);
    Ok(HttpResponse::Ok().content_type("application/x-ndjson").streaming(lines))
}

/// Why an export is broken off.
type Broken = Box<dyn std::error::Error>;

/// All activities, a page at a time, so that a long conversation is never held whole. A failure half-way breaks the
/// response off, which its reader can tell from an end.
fn lines(store: Arc<dyn ConversationStore>, id: ConversationId) -> impl Stream<Item = Result<Bytes, Broken>> {
    stream::try_unfold((store, id, None), async |(store, id, after)| {
        let page = store.read(&id, after, EXPORT_PAGE).await?.ok_or(Gone)?;
        if page.recorded.is_empty() {
            return Ok(None);
        }
        let mut text = Vec::new();
        for Recorded { watermark, activity, .. } in &page.recorded {
            serde_json::to_writer(&mut text, &Line { conversation: &id, watermark: *watermark, activity })?;
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
) -> impl Stream<Item = Result<Bytes, Broken>> {
    let pages = stream::try_unfold((Arc::clone(&store), user, None), async |(store, user, after)| {
        let ids = store.conversations_of(&user, after.as_ref(), EXPORT_PAGE).await?;
        let Some(last) = ids.last().cloned() else { return Ok::<_, Broken>(None) };
        Ok(Some((stream::iter(ids.into_iter().map(Ok::<_, Broken>)), (store, user, Some(last)))))
    });
    let left_out =
        |line: &Result<Bytes, Broken>| std::future::ready(!line.as_ref().is_err_and(|error| error.is::<Gone>()));
    pages.try_flatten().map_ok(move |id| lines(Arc::clone(&store), id).filter(left_out)).try_flatten()
}

/// The conversation was deleted while it was read.
#[derive(Debug, thiserror::Error)]
#[error("the conversation is gone")]
struct Gone;

/// The conversation that somebody calls so.
pub(super) async fn known(state: &State, called: &str) -> Result<Conversation, ApiError> {
    Ok(find(&*state.store, called).await?.ok_or(DeliveryError::UnknownConversation)?)
}

/// What the world calls a conversation that is behind Azure Bot Service.
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
