//! citewire's own documentation, built into the program.

use include_dir::{Dir, DirEntry, include_dir};

/// The folder `docs` as it was when the program was built.
static DOCS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../docs");

/// A file of the folder, such as a page or a picture.
#[must_use]
pub fn documentation_file(path: &str) -> Option<&'static [u8]> {
    DOCS.get_file(path).map(include_dir::File::contents)
}

/// The paths of all pages, in order, also of those that the assistant does not search.
#[must_use]
pub fn documentation_pages() -> Vec<&'static str> {
    let mut paths: Vec<&'static str> = all_pages().map(|(path, _)| path).collect();
    paths.sort_unstable();
    paths
}

/// Pages for maintainers, or for one other system: their sentences crowd out the answers that users look for.
const ASIDE: [&str; 5] = ["guides/agents/", "guides/clients/", "guides/middleware/", "guides/moving/", "inside/"];

fn is_for_users(path: &str) -> bool {
    !ASIDE.iter().any(|aside| path.starts_with(aside))
}

/// Paths and texts of its pages, those for users.
pub(super) fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    all_pages().filter(|(path, _)| is_for_users(path))
}

fn all_pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut entries: Vec<&'static DirEntry<'static>> = DOCS.entries().iter().collect();
    let mut pages = Vec::new();
    while let Some(entry) = entries.pop() {
        match entry {
            DirEntry::Dir(folder) => entries.extend(folder.entries()),
            DirEntry::File(file) => pages.extend(file.path().to_str().zip(file.contents_utf8())),
        }
    }
    pages.into_iter().filter(|(path, _)| path.ends_with(".md"))
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::clock::SystemClock;
    use crate::document::{Library, LibraryOptions, plain_text};
    use crate::upstream::{Ask, ChatMessage, Local, LocalOptions, Speaker, Upstream as _};

    /// `question => fact | the same fact in other words`, and behind `# off topic` questions about something else.
    const QUESTIONS: &str = include_str!("../../../../tests/fixtures/newcomers.txt");

    /// The words where nothing was found.
    const NOTHING: &str = "Nothing about this.";

    async fn said(local: &Local, question: &str) -> String {
        let ask = Ask::new(vec![ChatMessage::new(Speaker::User, question.to_owned())]);
        let mut events = local.ask(ask).await.expect("an answer").events;
        while let Some(part) = events.next().await {
            part.expect("events");
        }
        plain_text(&events.finish().expect("an answer").text)
    }

    /// Whether an answer names a fact, whatever the case.
    fn names(answer: &str, facts: &str) -> bool {
        facts.split(" | ").any(|fact| answer.to_lowercase().contains(&fact.trim().to_lowercase()))
    }

    /// The questions of newcomers name their facts, and questions about something else are declined. Of thirty questions sixteen
    /// did, and *Who wrote Hamlet?* was answered.
    ///
    /// `CITEWIRE_QUESTIONS=file CITEWIRE_DOCUMENTS=folder` asks other questions of other documents, so that nothing is tuned to
    /// these.
    #[tokio::test]
    async fn newcomers_get_the_facts_and_nobody_an_answer_about_something_else() {
        let questions = env::var("CITEWIRE_QUESTIONS").map(|path| fs::read_to_string(path).expect("questions"));
        let questions = questions.unwrap_or_else(|_| QUESTIONS.to_owned());
        let library = match env::var("CITEWIRE_DOCUMENTS") {
            Ok(folder) => Library::open(LibraryOptions::new(folder)).await,
            Err(_) => Library::built_in(pages()).await,
        };
        let pace = std::time::Duration::ZERO;
        let options = LocalOptions { pace, nothing: NOTHING.to_owned(), ..LocalOptions::default() };
        let local = Local::new(Arc::new(library.expect("a library")), options, Arc::new(SystemClock));
        let (on_topic, off_topic) = questions.split_once("# off topic").expect("two parts");
        let (mut asked, mut missed) = (0, Vec::new());
        for line in on_topic.lines().filter(|line| !line.starts_with('#')) {
            let Some((question, facts)) = line.split_once("=>") else { continue };
            let answer = said(&local, question.trim()).await;
            asked += 1;
            if !names(&answer, facts) {
                missed.push(format!("{line}\n    {answer}"));
            }
        }
        let (mut strange, mut answered) = (0, Vec::new());
        for question in off_topic.lines().filter(|line| !line.trim().is_empty()) {
            let answer = said(&local, question).await;
            strange += 1;
            if answer != NOTHING {
                answered.push(format!("{question}\n    {answer}"));
            }
        }
        let told = format!(
            "{} of {asked} without their fact:\n{}\n{} of {strange} answered:\n{}",
            missed.len(),
            missed.join("\n"),
            answered.len(),
            answered.join("\n")
        );
        assert!(asked >= 60 && strange >= 20 || env::var_os("CITEWIRE_QUESTIONS").is_some(), "{asked} {strange}");
        assert!(missed.len() * 10 <= asked && answered.len() * 20 <= strange, "{told}");
        println!("{told}");
    }
}
