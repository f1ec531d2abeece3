//! `POST /v1/check`: checks an activity against the rules of a channel.

use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use utoipa::ToSchema;

use super::convert::{LARGE_BYTES, json};
use super::query::{ParameterError, Query};
use super::{ApiError, State, body};
use crate::calls::{CheckAnswer, CheckError, CheckRequest};
use crate::check::{Finding, Profile};

/// An activity to check.
#[derive(ToSchema)]
#[schema(as = CheckRequest)]
#[expect(dead_code, reason = "only the shape: the members are read one by one, to name the wrong one")]
struct Asked {
    /// The channel to check for.
    #[schema(example = "web-chat", default = "web-chat")]
    channel: Option<String>,
    /// An activity, an ActivitySet, an array of activities, or a schema.org `Message` entity.
    #[schema(value_type = Object)]
    activity: Value,
}

/// Check an activity against the rules of a channel.
#[utoipa::path(
    post, path = "/v1/check", tag = "answers", operation_id = "checkActivity",
    params(
        ("fix" = Option<bool>, Query, description = "`true` also mends the activity"),
        ("profile" = Option<String>, Query, description = "`copilot-store` or `teams-extended`: demands beyond those of Teams"),
    ),
    request_body(content = Asked, description = "The activity, and the channel to check it for"),
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
    let request = CheckRequest::parse(body, wanted.profile)?;
    if wanted.fix { request.fix() } else { Ok(request.check()) }
}
