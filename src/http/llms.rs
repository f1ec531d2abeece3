//! `GET /llms.txt`: the documentation for programs that read before they write, after <https://llmstxt.org>.
//!
//! Links lead to the pages as Markdown, below `/llms/`.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use actix_web::web::Path;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::ApiError;
use super::help_pages::page_text;
use crate::assistant::documentation_pages;

/// The address below which the pages are as Markdown.
const PAGES: &str = "/llms/";

/// The heads of the list, each with the pages below these paths.
const SECTIONS: [(&str, &[&str]); 5] = [
    ("Start", &["start/", "guides/agents/"]),
    ("Guides", &["guides/"]),
    ("Reference", &["reference/", "glossary.md"]),
    ("Operation", &["operate/"]),
    // Readers in a hurry leave out a section of this name.
    ("Optional", &["inside/"]),
];

const SUMMARY: &str = "citewire turns the answers of retrieval back ends into messages with working citations, for Web Chat, Teams, \
                       Microsoft 365 Copilot, Slack, Google Chat, e-mail and SMS. It is a service, a command and a Rust library.";

/// A page of the documentation.
struct Page {
    path: &'static str,
    text: &'static str,
}

static PAGE_LIST: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let page = |path: &'static str| Some(Page { path, text: page_text(path)? });
    documentation_pages().into_iter().filter_map(page).collect()
});

static INDEX: LazyLock<String> = LazyLock::new(index);

static FULL: LazyLock<String> = LazyLock::new(full);

/// The list of all pages.
pub(crate) async fn show_index() -> HttpResponse {
    sent("text/plain; charset=utf-8", INDEX.as_str())
}

/// All pages for users in one text.
pub(crate) async fn show_full() -> HttpResponse {
    sent("text/plain; charset=utf-8", FULL.as_str())
}

/// A page as Markdown.
pub(crate) async fn show_page(path: Path<String>) -> Result<HttpResponse, ApiError> {
    let text = page_text(&path).ok_or(ApiError::UnknownRoute)?;
    Ok(sent("text/markdown; charset=utf-8", text))
}

fn sent(media_type: &'static str, text: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(text)
}

/// The place of a page: its section, and its rank among the paths of that.
fn place(path: &str) -> Option<(usize, usize)> {
    let places = SECTIONS.iter().enumerate().flat_map(|(section, (_, starts))| {
        let longest = |start: &&str| path.starts_with(start).then_some(start.len());
        starts.iter().enumerate().filter_map(move |(rank, start)| Some((longest(start)?, section, rank)))
    });
    places.max_by_key(|(length, ..)| *length).map(|(_, section, rank)| (section, rank))
}

/// The pages of each section.
fn sections() -> Vec<(&'static str, Vec<&'static Page>)> {
    let of = |section: usize| {
        let mut pages: Vec<(usize, &'static Page)> = PAGE_LIST
            .iter()
            .filter_map(|page| Some((place(page.path).filter(|(of, _)| *of == section)?.1, page)))
            .collect();
        pages.sort_by_key(|(rank, page)| (*rank, page.path));
        pages.into_iter().map(|(_, page)| page).collect()
    };
    SECTIONS.iter().enumerate().map(|(at, (name, _))| (*name, of(at))).collect()
}

fn index() -> String {
    let mut out = format!(
        "# citewire\n\n> {SUMMARY}\n\nAll pages for users in one text: [llms-full.txt](/llms-full.txt). The routes: [openapi.json](/openapi.json).\n"
    );
    for (name, pages) in sections() {
        out.push_str(&format!("\n## {name}\n\n"));
        for page in pages {
            let (title, about) = title_and_about(page.text);
            out.push_str(&format!("- [{title}]({PAGES}{}): {about}\n", page.path));
        }
    }
    out
}

fn full() -> String {
    let for_users = sections().into_iter().filter(|(name, _)| *name != "Optional");
    let pages = for_users.flat_map(|(_, pages)| pages);
    let texts = pages.map(|page| format!("<!-- {PAGES}{} -->\n\n{}\n", page.path, page.text.trim()));
    format!("# citewire\n\n> {SUMMARY}\n\n{}", texts.collect::<Vec<_>>().join("\n"))
}

/// The title of a page and its first sentence, as plain text.
fn title_and_about(text: &str) -> (String, String) {
    let title = first_text(text, |tag| matches!(tag, Tag::Heading { .. }));
    let mut about = first_text(text, |tag| matches!(tag, Tag::Paragraph | Tag::Item));
    let end = about.find(". ").map_or(about.len(), |end| end + 1);
    about.truncate(end);
    (title, about.trim_end_matches(':').to_owned())
}

/// The text of the first block that begins so.
fn first_text(text: &str, begins: impl Fn(&Tag<'_>) -> bool) -> String {
    let events = Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
    let block = events
        .skip_while(|event| !matches!(event, Event::Start(tag) if begins(tag)))
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item)));
    let mut out = String::new();
    for event in block {
        if let Event::Text(part) | Event::Code(part) = event {
            out.push_str(&part);
        } else if matches!(event, Event::SoftBreak | Event::HardBreak) {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_listed_once_with_what_it_is_about() {
        let index = index();
        for page in PAGE_LIST.iter().filter(|page| page.path != "README.md") {
            let lines: Vec<&str> =
                index.lines().filter(|line| line.contains(&format!("({PAGES}{})", page.path))).collect();
            let [line] = lines.as_slice() else { panic!("{}: {lines:?}", page.path) };
            let (name, about) = line.split_once("): ").expect("a description");
            assert!(name.starts_with("- [") && !name.contains("[]") && about.len() > 10, "{line}");
        }
        assert_eq!(index.matches("\n## ").count(), SECTIONS.len());
    }

    #[test]
    fn the_full_text_has_every_page_for_users_and_no_other() {
        let full = full();
        for page in PAGE_LIST.iter().filter(|page| page.path != "README.md") {
            assert_eq!(full.contains(page.text.trim()), !page.path.starts_with("inside/"), "{}", page.path);
        }
    }

    #[test]
    fn a_page_is_about_what_its_first_sentence_says() {
        let text =
            "# Plain *text*\n\n```\ncode\n```\n\nThe [dialect](a.md) `plain`\nputs all into `text`. More.\n\nOther.";
        let (title, about) = title_and_about(text);
        assert_eq!((title.as_str(), about.as_str()), ("Plain text", "The dialect plain puts all into text."));
    }
}
