//! `POST /v1/check`: checks an activity against the rules of a channel.

use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::convert::{LARGE_BYTES, json};
use super::error::CheckError;
use super::query::{ParameterError, Query};
use super::{ApiError, State, body};
use crate::check::{Change, Channel, Finding, Mended, Profile, check, check_profile, mend};

/// An activity to check.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: the members are read one by one, to name the wrong one")]
struct CheckRequest {
    /// The channel to check for.
    #[schema(example = "web-chat", default = "web-chat")]
    channel: Option<String>,
    /// An activity, an ActivitySet, an array of activities, or a schema.org `Message` entity.
    #[schema(value_type = Object)]
    activity: Value,
}

/// The result of a check.
#[derive(Serialize, ToSchema)]
pub(crate) struct CheckAnswer {
    /// The findings, in the order of the document.
    findings: Vec<Finding>,
    /// The activity with everything mended whose remedy is known; only with `fix=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    activity: Option<Value>,
    /// The changes to the activity, in their order; only with `fix=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Change>>,
}

/// Check an activity against the rules of a channel.
#[utoipa::path(
    post, path = "/v1/check", tag = "answers", operation_id = "checkActivity",
    params(
        ("fix" = Option<bool>, Query, description = "`true` also mends the activity"),
        ("profile" = Option<String>, Query, description = "`copilot-store` or `teams-extended`: demands beyond those of Teams"),
    ),
    request_body(content = CheckRequest, description = "The activity, and the channel to check it for"),
    responses(
        (status = 200, description = "The findings, in the order of the document", body = CheckAnswer),
        (status = 400, description = "The request body is invalid"),
        (status = 401, description = "The API key is missing or wrong"),
        (status = 413, description = "The request body is too large"),
        (status = 422, description = "With `fix=true`: this is not an activity"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn check_activity(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let query = Query::of(&request);
    let wanted = Wanted { fix: query.switch("fix", false)?, profile: profile(&query)? };
    let body = body::read(&request, payload, state.options.max_body_bytes, state.options.body_timeout).await?;
    let answer =
        if body.len() < LARGE_BYTES { run(&body, wanted)? } else { web::block(move || run(&body, wanted)).await?? };
    json(HttpResponse::Ok(), &answer)
}

/// The parameters of the query.
#[derive(Clone, Copy)]
struct Wanted {
    fix: bool,
    profile: Option<Profile>,
}

fn profile(query: &Query) -> Result<Option<Profile>, ParameterError> {
    query.get("profile").map(str::parse).transpose().map_err(ParameterError::Profile)
}

/// The findings about the activity in a body.
pub(super) fn check_body(body: &Bytes) -> Result<Vec<Finding>, CheckError> {
    Ok(run(body, Wanted { fix: false, profile: None })?.findings)
}

fn run(body: &Bytes, wanted: Wanted) -> Result<CheckAnswer, CheckError> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut members = match serde_json::from_slice(body)? {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(member("", "an object with activity and channel is required"));
        }
    };
    let channel = channel(&members, wanted.profile)?;
    let activity = members.remove("activity").filter(|activity| !activity.is_null());
    let activity = activity.ok_or_else(|| member("/activity", "an activity is required"))?;
    if let Some(name) = members.keys().find(|name| *name != "channel") {
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        return Err(CheckError::Member { pointer, reason: "unknown member; the members are activity and channel" });
    }
    let found = |activity: &Value| match wanted.profile {
        Some(profile) => check_profile(activity, profile),
        None => check(activity, channel),
    };
    if !wanted.fix {
        return Ok(CheckAnswer { findings: found(&activity), activity: None, changes: None });
    }
    let Mended { document, changes, .. } = mend(&activity, channel)?;
    Ok(CheckAnswer { findings: found(&document), activity: Some(document), changes: Some(changes) })
}

fn channel(members: &Map<String, Value>, profile: Option<Profile>) -> Result<Channel, CheckError> {
    let of_profile = profile.map(Profile::channel);
    match members.get("channel") {
        None | Some(Value::Null) => Ok(of_profile.unwrap_or(Channel::WebChat)),
        Some(Value::String(name)) => {
            let channel = name.parse()?;
            match of_profile.filter(|of_profile| *of_profile != channel) {
                Some(_) => Err(member("/channel", "the profile belongs to another channel; leave one of them out")),
                None => Ok(channel),
            }
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(member("/channel", "text is required"))
        }
    }
}

fn member(pointer: &str, reason: &'static str) -> CheckError {
    CheckError::Member { pointer: pointer.to_owned(), reason }
}
