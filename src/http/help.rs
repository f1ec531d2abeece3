//! `GET /help`: the documentation of citewire, as this program was built with it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actix_web::http::header::{self, CACHE_CONTROL, LOCATION};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use super::help_pages::{HELP, escaped, page_text};
use super::page::html_with_search;
use super::query::Query;
use super::{ApiError, State, help_search, markdown};
use crate::assistant::{documentation_file, documentation_pages};

const FRAME: &str = include_str!("../../web/help.html");

/// The address of the search, below that.
const SEARCH: &str = "search";

/// The page that names the others.
const FIRST: &str = "README.md";

/// The folders of the contents, in their order, and their names for readers. Pages of other folders are reached by links.
const FOLDERS: [(&str, &str); 5] = [
    ("start", "Start"),
    ("guides", "Guides"),
    ("reference", "Reference"),
    ("operate", "Operation"),
    ("inside", "Inside"),
];

/// The titles of all pages, by their paths.
static TITLES: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    documentation_pages().into_iter().filter_map(|path| Some((path, title(page_text(path)?)))).collect()
});

/// Redirects to the first page, because pages name each other relative to their folder.
pub(crate) async fn to_first() -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, format!("{HELP}{FIRST}"))).finish()
}

/// A page, a file that pages show, or the list of the pages in a folder.
pub(crate) async fn show(
    state: Data<State>,
    request: HttpRequest,
    path: Path<String>,
) -> Result<HttpResponse, ApiError> {
    let path = path.trim_end_matches('/');
    if path.is_empty() {
        return Ok(to_first().await);
    }
    if path == SEARCH {
        let query = Query::of(&request);
        let words = query.get("q").unwrap_or_default();
        let body = help_search::results(words).await.map_err(|error| ApiError::Unwritable(error.into()))?;
        return Ok(framed(&state, &request, &Shown { path, title: "Search", words, body: &body }));
    }
    if let Some(text) = page_text(path) {
        let body = markdown::page(text, |address| led(path, address));
        return Ok(framed(&state, &request, &Shown { path, title: title(text), words: "", body: &body }));
    }
    if let Some((media_type, file)) = media_type(path).zip(documentation_file(path)) {
        return Ok(HttpResponse::Ok()
            .content_type(media_type)
            .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .insert_header((CACHE_CONTROL, "no-cache"))
            .body(file));
    }
    let listed = list(&format!("{path}/")).ok_or(ApiError::UnknownRoute)?;
    let title = path.rsplit('/').next().unwrap_or(path);
    let body = format!("<h1>{}</h1>\n{listed}", escaped(title));
    Ok(framed(&state, &request, &Shown { path, title, words: "", body: &body }))
}

/// The first heading of a page.
fn title(text: &'static str) -> &'static str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("citewire")
}

/// The media type of a file that pages lead to or show.
fn media_type(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "png" => Some("image/png"),
        "json" => Some("application/json"),
        _ => None,
    }
}

/// Where an address in a page leads: to the web, or to what is served here; not to files beside the documentation.
fn led(page: &str, address: &str) -> Option<String> {
    if address.starts_with("https://") || address.starts_with("http://") || address.starts_with('#') {
        return Some(address.to_owned());
    }
    let (file, place) = address.split_once('#').map_or((address, None), |(file, place)| (file, Some(place)));
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    let is_served = page_text(&path).is_some()
        || media_type(&path).is_some() && documentation_file(&path).is_some()
        || list(&format!("{path}/")).is_some();
    let place = place.map(|place| format!("#{place}")).unwrap_or_default();
    is_served.then(|| format!("{HELP}{path}{place}"))
}

/// The pages of a folder, as a list of links; `None` when it has none.
fn list(folder: &str) -> Option<String> {
    let pages = TITLES.iter().filter(|(path, _)| path.starts_with(folder) && path.len() > folder.len());
    let items: Vec<String> = pages.map(|(path, title)| item(path, title, false)).collect();
    (!items.is_empty() && folder.len() > 1).then(|| format!("<ul>\n{}</ul>\n", items.concat()))
}

fn item(path: &str, title: &str, is_here: bool) -> String {
    let here = if is_here { " aria-current=\"page\"" } else { "" };
    format!("<li><a href=\"{HELP}{path}\"{here}>{}</a></li>\n", escaped(&title.replace('`', "")))
}

/// The contents beside a page: the first page, then the pages of each folder, but not of folders in it.
fn contents(here: &str) -> String {
    let mut out = format!("<ul>\n{}</ul>\n", item(FIRST, "Overview", here == FIRST));
    for (folder, name) in FOLDERS {
        let pages = TITLES.iter().filter(|(path, _)| {
            path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).is_some_and(|name| {
                !name.contains('/') || name.ends_with("/README.md") && name.matches('/').count() == 1
            })
        });
        let items: String = pages.map(|(path, title)| item(path, title, *path == here)).collect();
        let open = if here.starts_with(folder) { " open" } else { "" };
        out.push_str(&format!("<details{open}><summary>{name}</summary>\n<ul>\n{items}</ul></details>\n"));
    }
    out
}

/// A page that is shown.
struct Shown<'a> {
    path: &'a str,
    title: &'a str,
    /// The words in the field of the search.
    words: &'a str,
    /// HTML.
    body: &'a str,
}

fn framed(state: &State, request: &HttpRequest, shown: &Shown<'_>) -> HttpResponse {
    let Shown { path, title, words, body } = *shown;
    let admin = if state.options.admin_schema.is_some() { "" } else { "hidden" };
    html_with_search(state, request, |nonce| {
        FRAME
            .replace("{{nonce}}", nonce)
            .replace("{{admin}}", admin)
            .replace("{{title}}", &escaped(&title.replace('`', "")))
            .replace("{{contents}}", &contents(path))
            // The last ones, because words and the text of a page may show such a name.
            .replace("{{words}}", &escaped(words).replace("{{", "&#123;&#123;"))
            .replace("{{body}}", body)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_what_is_served_and_to_nothing_else() {
        for (page, address, expected) in [
            ("README.md", "start/run.md", Some("/help/start/run.md")),
            ("start/run.md", "../guides/teams.md#in-teams-itself", Some("/help/guides/teams.md#in-teams-itself")),
            ("start/run.md", "../pictures/live-light.png", Some("/help/pictures/live-light.png")),
            ("README.md", "inside/decisions", Some("/help/inside/decisions")),
            ("start/faq.md", "../../LICENSE-MIT", None),
            ("README.md", "../Cargo.toml", None),
            ("README.md", "javascript:alert(1)", None),
            ("README.md", "start/nothing.md", None),
            ("README.md", "https://x.example/a", Some("https://x.example/a")),
        ] {
            assert_eq!(led(page, address).as_deref(), expected, "{page}: {address}");
        }
    }

    #[test]
    fn every_page_is_named_in_the_contents_or_in_a_list() {
        let all = contents(FIRST);
        for path in TITLES.keys().filter(|path| path.matches('/').count() == 1) {
            assert!(all.contains(&format!("{HELP}{path}\"")), "{path}");
        }
        assert!(list("inside/decisions/").is_some_and(|list| list.contains("0004-text-of-a-claim.md")));
    }
}
