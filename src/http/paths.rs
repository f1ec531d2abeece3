//! Path rules: the error format of a route, and its authentication.

/// Prefix of the protocols of the Bot Framework, whose errors have their own shape.
pub(crate) const BOT_FRAMEWORK: &str = "/v3/";
/// Path to which Azure Bot Service and other agents post; its errors have that shape as well.
pub(crate) const MESSAGES: &str = "/api/messages";
/// Prefix of Direct Line; its clients are given the address up to here.
pub(crate) const DIRECT_LINE: &str = "/v3/directline";
/// The routes for clients of OpenAI, whose errors have their own shape as well.
pub(crate) const OPENAI: [&str; 2] = ["/v1/chat/", "/v1/models"];
/// The routes that take a token of the page.
pub(crate) const PAGE_ANSWERS: &str = "/page/answers";
pub(crate) const PAGE_PREVIEWS: &str = "/page/previews";

/// Path at which sign-in cards get a session id: the one route of Direct Line that browsers call with cookies.
pub(crate) const SESSION_ID: &str = "/v3/directline/session/getsessionid";

/// A route that takes a key, a token of Direct Line, or an address that is a credential itself.
pub(crate) const DOWNLOAD: &str = "/v1/documents/{id}/download";

/// The page that shows a passage of a document, with the same credentials.
pub(crate) const PASSAGE: &str = "/v1/documents/{id}/passage";

/// Whether the path is that of a page that shows a passage, which people read.
pub(crate) fn is_reader_page(path: &str) -> bool {
    path.starts_with("/v1/documents/") && path.ends_with("/passage")
}

/// Path at which pages of other sites get a session; browsers ask first whether they may (CORS).
pub(crate) const EMBED_SESSION: &str = "/embed/session";

/// The path of the metrics, which programs on this machine get without a key when no other machine reaches the server.
pub(crate) const METRICS: &str = "/metrics";

/// The pattern of the route that a request has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached(pub(crate) &'static str);

/// The route of the Model Context Protocol.
pub(crate) const MCP: &str = "/mcp";

/// The routes that are called without a credential; all others need one.
///
/// The stream has its credential in its URL and checks it itself. The address of a file cannot be guessed. A session of the page goes to its own origin only, and one
/// of an embedded chat to the origins that are set.
/// The token of Azure is checked together with the activity that it comes with.
pub const OPEN: &[&str] = &[
    "/",
    "/page/{file}",
    "/page/webchat.js",
    "/page/samples",
    "/page/session",
    "/admin",
    "/admin/schema.json",
    "/admin/{file}",
    "/embed.js",
    "/embed/webchat.js",
    EMBED_SESSION,
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/docs",
    "/docs/{file:.*}",
    "/help",
    "/help/{path:.*}",
    "/llms.txt",
    "/llms-full.txt",
    "/llms/{path:.*}",
    "/v3/directline/conversations/{id}/stream",
    "/v3/directline/conversations/{id}/stream/multimodal",
    "/v3/directline/conversations/connect",
    "/v3/directline/conversations/{id}/attachments/{attachment}",
    "/v3/directline/session/getsessionid",
    MESSAGES,
];

/// Whether the path is of the page, the documentation or the settings page, which are served without a credential.
pub(crate) fn is_page(path: &str) -> bool {
    path == "/" || path.starts_with("/page/") || is_help(path) || is_admin(path)
}

/// Whether the path is of the documentation, for people or for programs.
fn is_help(path: &str) -> bool {
    path == "/help" || path.starts_with("/help/") || path.starts_with("/llms")
}

/// Whether the path is of the settings page.
pub(crate) fn is_admin(path: &str) -> bool {
    path == "/admin" || path.starts_with("/admin/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_page_is_served_where_the_page_is() {
        for path in [
            "/",
            "/page/page.js",
            "/admin",
            "/admin/admin.js",
            "/admin/schema.json",
            "/help",
            "/help/start/run.md",
            "/llms.txt",
            "/llms/start/run.md",
        ] {
            assert!(is_page(path), "{path}");
        }
        for path in ["/administrators", "/v1/assistants", "/pages", "/helper"] {
            assert!(!is_page(path), "{path}");
        }
    }
}
