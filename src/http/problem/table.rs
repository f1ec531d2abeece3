//! Every problem that is answered with: its status, its code for programs, and its title.

use std::time::Duration;

use actix_web::http::StatusCode;

/// A problem of one type (RFC 9457). What is wrong in particular is told beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProblemType {
    pub(crate) status: StatusCode,
    /// For programs, on citewire's own routes and those of OpenAI.
    pub(crate) code: &'static str,
    pub(crate) title: &'static str,
    /// In how many seconds it is worth trying again.
    pub(crate) retry_after: Option<u32>,
    /// What clients of the Bot Framework tell it by, where that is not what all problems of its status have.
    bot_code: Option<&'static str>,
    /// A token is good, and for something else.
    is_insufficient: bool,
}

impl ProblemType {
    const fn new(status: StatusCode, code: &'static str, title: &'static str) -> Self {
        Self { status, code, title, retry_after: None, bot_code: None, is_insufficient: false }
    }

    /// The same, where it is known when it is worth trying again.
    pub(crate) const fn after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    const fn bot_code(self, code: &'static str) -> Self {
        Self { bot_code: Some(code), ..self }
    }

    const fn insufficient(self) -> Self {
        Self { is_insufficient: true, ..self }
    }

    /// What the web framework itself refuses with this status, before a handler of ours sees it.
    pub(super) const fn foreign(status: StatusCode) -> Self {
        Self::new(status, "bad_request", "The request cannot be understood").bot_code("BadArgument")
    }

    /// What clients of the Bot Framework tell it by.
    pub(super) fn code_of_bot_framework(&self) -> &'static str {
        self.bot_code.unwrap_or(match self.status {
            StatusCode::UNAUTHORIZED => "Unauthorized",
            StatusCode::FORBIDDEN => "Forbidden",
            StatusCode::NOT_FOUND => "NotFound",
            StatusCode::METHOD_NOT_ALLOWED => "MethodNotAllowed",
            StatusCode::REQUEST_TIMEOUT => "RequestTimeout",
            StatusCode::PAYLOAD_TOO_LARGE => "MessageSizeTooBig",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "UnsupportedMediaType",
            StatusCode::TOO_MANY_REQUESTS => "TooManyRequests",
            StatusCode::NOT_IMPLEMENTED => "NotImplemented",
            StatusCode::SERVICE_UNAVAILABLE => "ServiceUnavailable",
            status if status.is_server_error() => "ServiceError",
            _ => "BadArgument",
        })
    }

    /// What credential is wanted: the header `WWW-Authenticate`.
    pub(super) fn challenge(&self) -> Option<&'static str> {
        match self.status {
            StatusCode::UNAUTHORIZED => Some("Bearer"),
            // RFC 6750, section 3.1.
            _ if self.is_insufficient => Some("Bearer error=\"insufficient_scope\""),
            _ => None,
        }
    }
}

/// A wait as the header `Retry-After` tells it.
pub(crate) fn whole_seconds(wait: Duration) -> u32 {
    u32::try_from(wait.as_secs().max(1)).unwrap_or(u32::MAX)
}

macro_rules! problems {
    ($($status:ident { $($name:ident $code:literal $title:literal $(.$more:ident($given:literal))? $(+ $flag:ident)?;)* })*) => {
        $($(
            pub(crate) const $name: ProblemType =
                ProblemType::new(StatusCode::$status, $code, $title)$(.$more($given))?$(.$flag())?;
        )*)*

        #[cfg(test)]
        const ALL: &[ProblemType] = &[$($($name,)*)*];
    };
}

problems! {
    BAD_REQUEST {
        BROKEN_BODY "broken_body" "The body could not be read";
        NOT_JSON "not_json" "The body is not JSON";
        INVALID_MEMBER "invalid_member" "A member of the body is missing or wrong";
        INVALID_VALUE "invalid_value" "A member of the body is missing or wrong";
        INVALID_PARAMETER "invalid_parameter" "A parameter of the URL cannot be read";
        INVALID_WATERMARK "invalid_watermark" "The watermark cannot be read";
        INVALID_UPLOAD "invalid_upload" "The upload cannot be read";
        INVALID_USER "invalid_user" "The id of the user cannot be used";
        INVALID_ANSWER "invalid_answer" "The answer is not what its format promises";
        UNKNOWN_FORMAT "unknown_format" "The format is not known";
        UNKNOWN_CHANNEL "unknown_channel" "The channel is not known";
        UNKNOWN_EVENTS "unknown_events" "The form of events is not known";
        UNKNOWN_CITATIONS "unknown_citations" "A member of the body is missing or wrong";
        NOT_A_WEBSOCKET "not_a_websocket" "An upgrade is needed";
    }
    UNAUTHORIZED {
        UNAUTHENTICATED "unauthenticated" "A credential is needed";
        NO_GOOD_TOKEN "unauthenticated" "A good token is needed";
        MALFORMED_CREDENTIAL "malformed_credential" "A credential is needed";
        NOT_THE_BOT "not_the_bot" "A credential is needed";
        WRONG_KEY "wrong_key" "A credential is needed";
    }
    FORBIDDEN {
        FORBIDDEN "forbidden" "The caller may not do this" + insufficient;
        LACKS_SCOPE "lacks_scope" "The key is for something else" + insufficient;
        SECRET_REQUIRED "secret_required" "This needs the secret of the bot";
        TOKEN_EXPIRED "token_expired" "The token has expired".bot_code("TokenExpired");
        BAD_TOKEN "bad_token" "The token is not good for this".bot_code("BadToken");
        PAGE_ELSEWHERE "wrong_origin" "The page is somewhere else".bot_code("BadArgument");
        WRONG_ORIGIN "wrong_origin" "This page may not use the chat";
        EMBED_NEEDS_TOKEN "embed_needs_token" "The chat needs a token";
        ASSISTANT_NOT_OFFERED "assistant_not_offered" "This assistant is not offered";
        NO_PAGE_ANSWERS "no_page_answers" "The page takes no answers";
        DOCUMENT_NOT_PUBLIC "document_not_public" "The document is not public";
        ADDRESS_EXPIRED "address_expired" "The address has expired";
        ADDRESS_FORGED "address_forged" "The address is not good";
    }
    NOT_FOUND {
        UNKNOWN_ROUTE "unknown_route" "There is nothing here";
        UNKNOWN_CONVERSATION "unknown_conversation" "There is no such conversation";
        UNKNOWN_MEMBER "unknown_member" "There is no such member";
        UNKNOWN_DOCUMENT "unknown_document" "There is no such document";
        MODEL_NOT_FOUND "model_not_found" "There is no such model";
        NO_WEB_CHAT "no_web_chat" "Web Chat is not installed";
        NO_BOT_HERE "no_azure_bot" "There is no bot of Azure here";
        EMBED_OFF "embed_off" "Other pages cannot have the chat";
    }
    METHOD_NOT_ALLOWED {
        WRONG_METHOD "wrong_method" "This method is not offered here";
        UNSUPPORTED_BY_CHANNEL "unsupported_by_channel" "The channel does not offer this";
    }
    REQUEST_TIMEOUT {
        BODY_TOO_SLOW "body_too_slow" "The body did not arrive in time";
    }
    CONFLICT {
        NO_AZURE_BOT "no_azure_bot" "There is no bot behind Azure Bot Service";
        NO_SERVICE_URL "no_service_url" "The conversation cannot be called";
        SERVICE_URL_UNTRUSTED "service_url_untrusted" "The service of the conversation is not trusted";
        UNREADABLE_REFERENCE "unreadable_reference" "Where the conversation is cannot be read";
    }
    PAYLOAD_TOO_LARGE {
        BODY_TOO_LONG "body_too_long" "The body is too long";
        EVENT_TOO_LONG "event_too_long" "An event of the stream is too long";
    }
    UNSUPPORTED_MEDIA_TYPE {
        UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "The body is not JSON by its media type";
    }
    MISDIRECTED_REQUEST {
        WRONG_HOST "wrong_host" "This server does not answer for that host";
    }
    UNPROCESSABLE_ENTITY {
        GROUNDING_NO_TOOLS "grounding_no_tools" "The answer is not grounded";
        GROUNDING_NO_CITATIONS "grounding_no_citations" "The answer is not grounded";
        EMPTY_ANSWER "empty_answer" "The answer says nothing, and the channel takes no such message";
        TOO_LONG_FOR_CHANNEL "activity_too_long" "The message is longer than its channel takes".bot_code("MessageSizeTooBig");
        TOO_LONG_FOR_DIRECT_LINE "activity_too_long" "The message is longer than a Direct Line takes".bot_code("MessageSizeTooBig");
    }
    TOO_MANY_REQUESTS {
        TOO_MANY_CALLS "too_many_requests" "Too many requests";
        TOO_MANY_SOCKETS "too_many_sockets" "Too many sockets".after(10);
        RATE_LIMIT_EXCEEDED "rate_limit_exceeded" "The back end did not answer";
        STORE_FULL "store_full" "The store is full".after(60);
        CONVERSATION_FULL "conversation_full" "The conversation is full";
        STORE_BUSY "store_busy" "The store is busy".after(1);
        CONNECTOR_BUSY "connector_busy" "The Connector wants to be left alone for a while".after(10);
    }
    INTERNAL_SERVER_ERROR {
        INTERNAL "internal" "Something went wrong on our side";
    }
    NOT_IMPLEMENTED {
        UNKNOWN_INVOKE "unknown_invoke" "Nobody knows an invoke of this name";
    }
    BAD_GATEWAY {
        UPSTREAM_UNREACHABLE "upstream_unreachable" "The back end did not answer";
        UPSTREAM_REFUSED "upstream_refused" "The back end did not answer";
        UPSTREAM_UNUSABLE "upstream_unusable" "The back end gave no usable answer";
        UPSTREAM_FAILED "upstream_failed" "The back end failed";
        UPSTREAM_BROKE_OFF "upstream_broke_off" "The back end failed";
        SEARCH_FAILED "search_failed" "The back end did not answer";
        DIRECT_LINE_REFUSED "direct_line_refused" "The other Direct Line has refused";
        DIRECT_LINE_MISUNDERSTOOD "direct_line_misunderstood" "The other Direct Line answered in an unknown way";
        DIRECT_LINE_UNREACHABLE "direct_line_unreachable" "The other Direct Line cannot be reached";
        CONNECTOR_NO_TOKEN "connector_no_token" "The login service gives no token for the Connector";
        CONNECTOR_UNAVAILABLE "connector_unavailable" "The Connector cannot be reached";
        CONNECTOR_DOUBTFUL "connector_doubtful" "Nobody knows whether the Connector has taken the answer";
        CONNECTOR_REFUSED "connector_refused" "The Connector has refused";
    }
    SERVICE_UNAVAILABLE {
        SHUTTING_DOWN "shutting_down" "The server is shutting down".after(5);
        NO_KEYS "no_keys" "No token can be checked at the moment".after(5);
        QUEUE_FULL "queue_full" "Too much waits already".after(2);
        STORE_NO_SPACE "store_no_space" "The store has no room on its disk".after(60);
        STORE_FAILED "store_failed" "The store cannot do this at present".after(10);
    }
    GATEWAY_TIMEOUT {
        UPSTREAM_TIMEOUT "upstream_timeout" "The back end did not answer";
        DIRECT_LINE_TIMEOUT "direct_line_timeout" "The other Direct Line cannot be reached";
        CONNECTOR_TIMEOUT "connector_timeout" "The Connector did not answer in time";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs go by the code: it means the same wherever it comes from.
    #[test]
    fn a_code_has_one_status() {
        for problem in ALL {
            let same = ALL.iter().filter(|other| other.code == problem.code);
            let statuses: Vec<StatusCode> = same.map(|other| other.status).collect();
            // The bot is missing on the route of the bot, and where an answer should go through it.
            assert!(
                problem.code == "no_azure_bot" || statuses.iter().all(|status| *status == problem.status),
                "{statuses:?}"
            );
        }
    }
}
