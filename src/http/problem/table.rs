//! The table of all problems: the status, the code and the title of each.

use std::time::Duration;

use actix_web::http::StatusCode;

/// A type of problem (RFC 9457). The detail of the response names the individual cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProblemType {
    pub(crate) status: StatusCode,
    /// Stable code for programs, on citewire's own routes and those of OpenAI.
    pub(crate) code: &'static str,
    pub(crate) title: &'static str,
    /// The header `Retry-After`, in seconds.
    pub(crate) retry_after: Option<u32>,
    /// The code in the format of the Bot Framework, where it differs from the code of the status.
    bot_code: Option<&'static str>,
    /// The credential is valid but does not allow the request.
    is_insufficient: bool,
}

impl ProblemType {
    const fn new(status: StatusCode, code: &'static str, title: &'static str) -> Self {
        Self { status, code, title, retry_after: None, bot_code: None, is_insufficient: false }
    }

    /// Adds the header `Retry-After`, in seconds.
    pub(crate) const fn after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    const fn bot_code(self, code: &'static str) -> Self {
        Self { bot_code: Some(code), ..self }
    }

    const fn insufficient(self) -> Self {
        Self { is_insufficient: true, ..self }
    }

    /// A request that the web framework refuses with this status before it reaches a handler.
    pub(super) const fn foreign(status: StatusCode) -> Self {
        Self::new(status, "bad_request", "The request is malformed").bot_code("BadArgument")
    }

    /// The code in the format of the Bot Framework.
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

    /// The header `WWW-Authenticate`, which names the expected credential.
    pub(super) fn challenge(&self) -> Option<&'static str> {
        match self.status {
            StatusCode::UNAUTHORIZED => Some("Bearer"),
            // RFC 6750, section 3.1.
            _ if self.is_insufficient => Some("Bearer error=\"insufficient_scope\""),
            _ => None,
        }
    }
}

/// A wait in whole seconds, for the header `Retry-After`.
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
        BROKEN_BODY "broken_body" "The request body could not be read";
        NOT_JSON "not_json" "The request body is not valid JSON";
        NOT_TOML "not_toml" "The request body is not valid TOML";
        INVALID_MEMBER "invalid_member" "A member of the request body is missing or invalid";
        INVALID_VALUE "invalid_value" "A member of the request body is missing or invalid";
        INVALID_PARAMETER "invalid_parameter" "A query parameter is invalid";
        INVALID_WATERMARK "invalid_watermark" "The watermark is invalid";
        INVALID_UPLOAD "invalid_upload" "The upload is malformed";
        INVALID_USER "invalid_user" "The user id is not allowed";
        INVALID_ANSWER "invalid_answer" "The answer does not match its format";
        UNKNOWN_FORMAT "unknown_format" "The answer format is unknown";
        UNKNOWN_CHANNEL "unknown_channel" "The channel is unknown";
        UNKNOWN_EVENTS "unknown_events" "The value of `events` is unknown";
        UNKNOWN_CITATIONS "unknown_citations" "The citation form is unknown";
        NOT_A_WEBSOCKET "not_a_websocket" "This route needs a WebSocket upgrade";
    }
    UNAUTHORIZED {
        UNAUTHENTICATED "unauthenticated" "The request has no credential";
        NO_GOOD_TOKEN "unauthenticated" "The token is missing or invalid";
        MALFORMED_CREDENTIAL "malformed_credential" "The Authorization header has the wrong form";
        NOT_THE_BOT "not_the_bot" "The credential is not the bot's";
        WRONG_KEY "wrong_key" "The API key is wrong";
    }
    FORBIDDEN {
        FORBIDDEN "forbidden" "The caller is not allowed to send this request" + insufficient;
        LACKS_SCOPE "lacks_scope" "The API key lacks the scope for this route" + insufficient;
        SECRET_REQUIRED "secret_required" "This route needs the bot's secret";
        TOKEN_EXPIRED "token_expired" "The token has expired".bot_code("TokenExpired");
        BAD_TOKEN "bad_token" "The token is invalid or does not allow this request".bot_code("BadToken");
        PAGE_ELSEWHERE "wrong_origin" "The request comes from another page".bot_code("BadArgument");
        WRONG_ORIGIN "wrong_origin" "This site may not embed the chat";
        EMBED_NEEDS_TOKEN "embed_needs_token" "The embedded chat needs a token";
        ASSISTANT_NOT_OFFERED "assistant_not_offered" "Embedding sites may not choose this assistant";
        NO_PAGE_ANSWERS "no_page_answers" "The page may not send answers";
        DOCUMENT_NOT_PUBLIC "document_not_public" "The document is not public";
        ADDRESS_EXPIRED "address_expired" "The download link has expired";
        ADDRESS_FORGED "address_forged" "The signature of the download link is invalid";
    }
    NOT_FOUND {
        UNKNOWN_ROUTE "unknown_route" "Nothing exists at this address";
        UNKNOWN_CONVERSATION "unknown_conversation" "The conversation does not exist";
        UNKNOWN_MEMBER "unknown_member" "The conversation has no such member";
        UNKNOWN_ASSISTANT "unknown_assistant" "The assistant does not exist";
        UNKNOWN_KEY "unknown_key" "No key is stored for the back end";
        UNKNOWN_DOCUMENT "unknown_document" "The document does not exist";
        MODEL_NOT_FOUND "model_not_found" "The model does not exist";
        NO_WEB_CHAT "no_web_chat" "Web Chat is not installed";
        NO_BOT_HERE "no_azure_bot" "No Azure bot is configured";
        EMBED_OFF "embed_off" "Embedding is turned off";
    }
    METHOD_NOT_ALLOWED {
        WRONG_METHOD "wrong_method" "The route does not accept this method";
        UNSUPPORTED_BY_CHANNEL "unsupported_by_channel" "The channel does not support this operation";
    }
    REQUEST_TIMEOUT {
        BODY_TOO_SLOW "body_too_slow" "The request body did not arrive in time";
    }
    CONFLICT {
        ASSISTANT_CONFIGURED "assistant_configured" "The assistant is part of the configuration file";
        ASSISTANT_NAMED "assistant_named" "A setting of the server names the assistant";
        SECRET_TAKEN "secret_taken" "The secret is that of somebody else";
        NO_BACK_END "no_back_end" "The assistant calls no back end";
        KEY_NAMED "key_named" "The settings of the assistant name a key";
        PAGE_TAKEN "page_taken" "A bot answers on the page";
        NO_DOCUMENTS "no_documents" "The assistant has no documents";
        TOO_MANY_DOCUMENTS "too_many_documents" "The assistant has too many documents";
        NO_AZURE_BOT "no_azure_bot" "No Azure bot is configured";
        NO_SERVICE_URL "no_service_url" "The conversation has no service URL";
        SERVICE_URL_UNTRUSTED "service_url_untrusted" "The service URL of the conversation is not trusted";
        UNREADABLE_REFERENCE "unreadable_reference" "The stored conversation reference is unreadable";
    }
    PRECONDITION_FAILED {
        ASSISTANT_CHANGED "assistant_changed" "The assistant was changed meanwhile";
    }
    PAYLOAD_TOO_LARGE {
        DOCUMENTS_TOO_LARGE "documents_too_large" "The documents are too large";
        BODY_TOO_LONG "body_too_long" "The request body is too large";
        EVENT_TOO_LONG "event_too_long" "An event of the stream is too large";
    }
    UNSUPPORTED_MEDIA_TYPE {
        UNSUPPORTED_DOCUMENT "unsupported_document" "Files of this type cannot be read";
        UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "The Content-Type is not application/json";
    }
    RANGE_NOT_SATISFIABLE {
        OUT_OF_RANGE "out_of_range" "The document ends before the range";
    }
    MISDIRECTED_REQUEST {
        WRONG_HOST "wrong_host" "This server does not serve that host name";
    }
    UNPROCESSABLE_ENTITY {
        INVALID_KEY "invalid_key" "The text cannot be a key";
        INVALID_SETTINGS "invalid_settings" "A setting of the assistant is invalid";
        NOT_AN_ACTIVITY "not_an_activity" "This is not an activity, so there is nothing to mend";
        INVALID_NAME "invalid_name" "A name in the address is not UTF-8";
        INVALID_DOCUMENT_NAME "invalid_document_name" "The file name is invalid";
        GROUNDING_NO_TOOLS "grounding_no_tools" "The answer lacks the required grounding";
        GROUNDING_NO_CITATIONS "grounding_no_citations" "The answer lacks the required grounding";
        SUPPORT_CONFLICT "support_conflict" "The sources contradict the answer";
        EMPTY_ANSWER "empty_answer" "The answer is empty, and the channel accepts no empty message";
        TOO_LONG_FOR_CHANNEL "activity_too_long" "The message is too large for its channel".bot_code("MessageSizeTooBig");
        TOO_LONG_FOR_DIRECT_LINE "activity_too_long" "The message is too large for Direct Line".bot_code("MessageSizeTooBig");
    }
    TOO_MANY_REQUESTS {
        TOO_MANY_CALLS "too_many_requests" "Too many requests";
        TOO_MANY_SOCKETS "too_many_sockets" "Too many streams are open on this conversation".after(10);
        RATE_LIMIT_EXCEEDED "rate_limit_exceeded" "The assistant or its back end is busy";
        STORE_FULL "store_full" "The store is full".after(60);
        CONVERSATION_FULL "conversation_full" "The conversation is full";
        STORE_BUSY "store_busy" "The store is busy".after(1);
        CONNECTOR_BUSY "connector_busy" "The Bot Connector throttles requests".after(10);
    }
    INTERNAL_SERVER_ERROR {
        INTERNAL "internal" "The server failed";
    }
    NOT_IMPLEMENTED {
        UNKNOWN_INVOKE "unknown_invoke" "The bot handles no invoke of this name";
    }
    BAD_GATEWAY {
        UPSTREAM_UNREACHABLE "upstream_unreachable" "The back end cannot be reached";
        UPSTREAM_REFUSED "upstream_refused" "The back end refused the request";
        UPSTREAM_UNUSABLE "upstream_unusable" "The back end sent an unusable answer";
        UPSTREAM_FAILED "upstream_failed" "The back end reported an error";
        UPSTREAM_BROKE_OFF "upstream_broke_off" "The answer of the back end broke off";
        SEARCH_FAILED "search_failed" "The document search failed";
        DIRECT_LINE_REFUSED "direct_line_refused" "The other Direct Line refused the request";
        DIRECT_LINE_MISUNDERSTOOD "direct_line_misunderstood" "The other Direct Line sent an unexpected response";
        DIRECT_LINE_UNREACHABLE "direct_line_unreachable" "The other Direct Line cannot be reached";
        CONNECTOR_NO_TOKEN "connector_no_token" "The login service issued no token for the Bot Connector";
        CONNECTOR_UNAVAILABLE "connector_unavailable" "The Bot Connector is unavailable";
        CONNECTOR_DOUBTFUL "connector_doubtful" "The Bot Connector may have delivered the answer";
        CONNECTOR_REFUSED "connector_refused" "The Bot Connector refused the request";
    }
    SERVICE_UNAVAILABLE {
        SHUTTING_DOWN "shutting_down" "The server is shutting down".after(5);
        TOO_MANY_CONNECTIONS "too_many_connections" "The server has no place for more connections".after(5);
        NO_KEYS "no_keys" "The keys that sign tokens cannot be fetched".after(5);
        QUEUE_FULL "queue_full" "The queue for incoming activities is full".after(2);
        CONVERSATION_BUSY "conversation_busy" "Other answers in the conversation have not ended".after(5);
        STORE_NO_SPACE "store_no_space" "The disk of the store is full".after(60);
        STORE_DOUBTFUL "store_doubtful" "It is not known whether this was recorded".after(1);
        STORE_FAILED "store_failed" "The store failed".after(10);
    }
    GATEWAY_TIMEOUT {
        UPSTREAM_TIMEOUT "upstream_timeout" "The back end did not answer in time";
        DIRECT_LINE_TIMEOUT "direct_line_timeout" "The other Direct Line did not answer in time";
        CONNECTOR_TIMEOUT "connector_timeout" "The Bot Connector did not answer in time";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs compare codes, so a code has the same status on every route.
    #[test]
    fn a_code_has_one_status() {
        for problem in ALL {
            let same = ALL.iter().filter(|other| other.code == problem.code);
            let statuses: Vec<StatusCode> = same.map(|other| other.status).collect();
            // 404 on the route of the Azure bot, 409 where an answer should go through that bot.
            assert!(
                problem.code == "no_azure_bot" || statuses.iter().all(|status| *status == problem.status),
                "{statuses:?}"
            );
        }
    }
}
