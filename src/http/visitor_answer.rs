//! Takes in the answers that visitors of the page send.

use actix_web::HttpRequest;
use actix_web::web::{Bytes, Payload};

use super::auth::PageCaller;
use super::{ApiError, State, body};

/// Takes in an answer that a visitor of the page sends, if they may. Anybody may start a session, so it takes no more room than what a
/// visitor types.
pub(super) async fn read(
    state: &State,
    caller: &PageCaller,
    request: &HttpRequest,
    payload: Payload,
) -> Result<Bytes, ApiError> {
    if !state.options.page_answers {
        return Err(ApiError::NoPageAnswers);
    }
    state.limits.post(&caller.0)?;
    let limit = state.direct_line.options().max_activity_bytes;
    Ok(body::read(request, payload, limit, state.options.body_timeout).await?)
}
