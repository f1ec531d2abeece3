//! The reader page as HTML: no script, no font, nothing from elsewhere.

use std::ops::Range;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder};

use super::text::{push_passage, shown};
use crate::document::{Passage, ShownPassage};

const STYLE: &str = include_str!("../../../web/passage.css");

/// The digest of the style names it in the policy, so that no other style is drawn. Files may be saved; nothing else is allowed to a
/// page whose text others have written.
const POLICY: &str = "default-src 'none'; style-src 'sha256-wyMm+4IfajHWnY2BkU9KtW/Fhl22pyCkzf1QMO3nEaM='; \
                      sandbox allow-downloads; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The passages that are shown before and behind the cited one.
pub(super) const AROUND: usize = 20;

/// The links of the page.
pub(super) struct Leads {
    pub(super) file: String,
    pub(super) earlier: Option<String>,
    pub(super) later: Option<String>,
}

/// The response with a page.
pub(super) fn response(mut response: HttpResponseBuilder, page: String) -> HttpResponse {
    let mut response = response.body(page);
    protect(response.headers_mut());
    response
}

/// The headers of a page.
fn protect(headers: &mut HeaderMap) {
    let robots = HeaderName::from_static("x-robots-tag");
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The address may be a credential.
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (robots, "noindex"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The page of a passage.
pub(super) fn page(passage: &ShownPassage, leads: &Leads) -> String {
    let document = &passage.document;
    let mut out = head(&document.title);
    let file = shown(document.file_name());
    out.push_str(&format!("<header>\n<h1 dir=\"auto\">{}</h1>\n", shown(&document.title)));
    out.push_str(&format!(
        "<p class=\"file\"><bdi>{file}</bdi> <a href=\"{}\">Open the file</a></p>\n",
        shown(&leads.file)
    ));
    out.push_str("</header>\n");
    match (passage.has_changed, &passage.part) {
        (true, Some(_)) => {
            notice(
                &mut out,
                "This document has changed since the answer was written. The cited words are still in it.",
            );
        }
        (true, None) => notice(
            &mut out,
            "This document has changed since the answer was written, and no longer has the cited words. This is the place where they were.",
        ),
        (false, _) => {}
    }
    let first = passage.place.saturating_sub(AROUND);
    let last = (passage.place + AROUND + 1).min(passage.passages.len());
    lead(&mut out, leads.earlier.as_deref(), "Earlier in this document");
    out.push_str("<main>\n");
    push_passages(&mut out, passage, first..last);
    out.push_str("</main>\n");
    lead(&mut out, leads.later.as_deref(), "Later in this document");
    out.push_str("</body>\n</html>\n");
    out
}

fn push_passages(out: &mut String, shown_passage: &ShownPassage, range: Range<usize>) {
    let ShownPassage { document, passages, place, part, .. } = shown_passage;
    let word = if document.media_type.contains("presentation") { "Slide" } else { "Page" };
    let mut before: Option<&Passage> = None;
    for at in range {
        let passage = &*passages[at];
        if let Some(page) = passage.page.filter(|_| before.is_none_or(|before| before.page != passage.page)) {
            out.push_str(&format!("<p class=\"page\">{word} {page}</p>\n"));
        }
        if before.is_none_or(|before| before.headings != passage.headings) && !passage.headings.is_empty() {
            // The first letter of the first heading says in which direction the line runs.
            let headings: Vec<String> = passage.headings.iter().map(|heading| shown(heading)).collect();
            out.push_str(&format!("<h2 dir=\"auto\">{}</h2>\n", headings.join(" <span>›</span> ")));
        }
        let is_cited = at == *place;
        out.push_str(match (is_cited, part) {
            (true, Some(_)) => "<section class=\"cited\">\n",
            (true, None) => "<section id=\"passage\">\n",
            (false, _) => "<section>\n",
        });
        push_passage(out, passage, part.as_ref().filter(|_| is_cited));
        out.push_str("</section>\n");
        before = Some(passage);
    }
}

/// The page about a fault, with its headers.
pub(crate) fn fault(headers: &mut HeaderMap, status: StatusCode) -> Vec<u8> {
    protect(headers);
    let (title, text) = match status {
        StatusCode::NOT_FOUND => (
            "This document is not here",
            "It was removed or renamed since the answer was written, or it is not for the readers of this conversation.",
        ),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (
            "This link does not open the document",
            "The link has expired or is incomplete. Ask the question again to get a new one.",
        ),
        StatusCode::TOO_MANY_REQUESTS => ("Too many requests", "Wait a minute, then open the link again."),
        _ => ("The document cannot be shown", "Open the link again later."),
    };
    format!("{}<header>\n<h1>{title}</h1>\n</header>\n<main>\n<p>{text}</p>\n</main>\n</body>\n</html>\n", head(title))
        .into()
}

/// The page for people who followed a link to nothing, with the places of this server that they may look for.
pub(crate) fn not_found(headers: &mut HeaderMap, places: &[(&str, &str)]) -> Vec<u8> {
    protect(headers);
    let title = "There is no page here";
    let links: String = places.iter().map(|(path, name)| format!("<li><a href=\"{path}\">{name}</a></li>\n")).collect();
    let links = if links.is_empty() { links } else { format!("<p>This server has:</p>\n<ul>\n{links}</ul>\n") };
    format!(
        "{}<header>\n<h1>{title}</h1>\n</header>\n<main>\n<p>Nothing exists at this address (404). Check it for mistakes.</p>\n\
         {links}</main>\n</body>\n</html>\n",
        head(title)
    )
    .into()
}

fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        shown(title)
    )
}

fn notice(out: &mut String, text: &str) {
    out.push_str(&format!("<p class=\"notice\" role=\"note\">{text}</p>\n"));
}

fn lead(out: &mut String, to: Option<&str>, text: &str) {
    if let Some(to) = to {
        out.push_str(&format!("<nav><a href=\"{}\">{text}</a></nav>\n", shown(to)));
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::digest::{SHA256, digest};
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn the_policy_names_the_style_and_no_other() {
        let digest = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
        assert!(POLICY.contains(&format!("style-src 'sha256-{digest}';")), "the digest of the style is {digest}");
        assert!(!STYLE.contains('<') && !STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn text_cannot_become_anything_else() {
        assert_eq!(shown("<b a=\"x\">&\u{202e}\u{0}\n"), "&lt;b a=&quot;x&quot;&gt;&amp;\n");
    }
}
