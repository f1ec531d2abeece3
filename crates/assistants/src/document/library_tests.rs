//! Tests of libraries as a whole.

use std::fs;
use std::path::Path;

use citewire_documents::Unreadable;

use super::links::HEADING;
use super::{DOCUMENT_ID, DocumentId, Library, LibraryOptions};

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("written");
    }
}

async fn library(files: &[(&str, &str)]) -> (tempfile::TempDir, Library) {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), files);
    let library = Library::open(LibraryOptions::new(folder.path())).await.expect("a library");
    (folder, library)
}

async fn paths(library: &Library, question: &str) -> Vec<String> {
    let found = library.search(question, 10).await.expect("a search");
    found.into_iter().map(|found| found.document.path.clone()).collect()
}

const HANDBOOK: &[(&str, &str)] = &[
    (
        "hr/leave.md",
        "# Leave policy\n\n## Annual leave\n\nEmployees of Contoso get 30 days of leave.\n\n## Parental leave\n\nParents at Contoso take 16 weeks.",
    ),
    ("it/vpn.md", "# VPN\n\nContoso staff connect with the client. The certificate expires after a year."),
    ("de/kuendigung.md", "# Kündigung\n\nDie Kündigungsfrist bei Contoso beträgt drei Monate zum Quartalsende."),
    ("zh/nianjia.md", "# 年假\n\n员工每年享有十天带薪年假。未休的年假可以顺延到下一年。"),
    ("notes.txt", "The canteen of Contoso opens at noon."),
];

#[tokio::test]
async fn the_passage_that_is_about_the_question_comes_first() {
    let (_folder, library) = library(HANDBOOK).await;
    for (question, path) in [
        ("How many days of annual leave do employees get?", "hr/leave.md"),
        ("When does my certificate expire?", "it/vpn.md"),
        ("Wie lang ist die Kundigungsfrist?", "de/kuendigung.md"),
        ("Welche Kündigungsfristen gelten?", "de/kuendigung.md"),
        ("年假有多少天？", "zh/nianjia.md"),
        ("canteen", "notes.txt"),
    ] {
        assert_eq!(paths(&library, question).await.first().map(String::as_str), Some(path), "{question}");
    }
    let found = library.search("parental leave", 10).await.expect("a search");
    assert_eq!(found[0].passage.headings, ["Leave policy", "Parental leave"]);
    assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.score)), "{found:?}");
    assert_eq!(library.search("leave", 1).await.expect("a search").len(), 1);
}

#[tokio::test]
async fn what_no_document_is_about_finds_nothing() {
    let (_folder, library) = library(HANDBOOK).await;
    for question in
        ["", "?", "What is this?", "How many moons does Mars have?", "火星有几个月亮？", "xyzzy", "\"\" OR ()", "AND"]
    {
        assert_eq!(paths(&library, question).await, [""; 0], "{question}");
    }
}

#[tokio::test]
async fn a_word_that_nearly_all_passages_have_does_not_count() {
    let files: Vec<(String, String)> =
        (0..20).map(|number| (format!("{number}.md"), format!("Contoso has product{number} on sale."))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_folder, library) = library(&files).await;
    for question in ["Contoso", "Does Contoso sell boats?", "Which boats are on sale?"] {
        assert_eq!(paths(&library, question).await, [""; 0], "{question}");
    }
    assert_eq!(paths(&library, "What about product7 of Contoso?").await, ["7.md"]);
}

#[tokio::test]
async fn stop_words_alone_are_found_as_they_stand() {
    let (_folder, library) = library(&[("a.md", "To be, or not to be."), ("b.md", "Not to be, or to be.")]).await;
    assert_eq!(paths(&library, "to be or not to be?").await, ["a.md"]);
}

#[tokio::test]
async fn a_passage_becomes_a_source() {
    let (folder, library) = library(HANDBOOK).await;
    let source = library.passages("annual leave", 1).await.expect("a search").remove(0);
    let id = DocumentId::of_path("hr/leave.md");
    assert_eq!(source.title.as_deref(), Some("Leave policy"));
    assert_eq!(source.filepath.as_deref(), Some("hr/leave.md"));
    assert_eq!(source.content.as_deref(), Some("Employees of Contoso get 30 days of leave."));
    assert_eq!(source.media_type.as_deref(), Some("text/markdown"));
    assert_eq!(source.metadata[DOCUMENT_ID], id.as_str());
    assert_eq!(source.metadata[HEADING], "Leave policy > Annual leave");
    let file = library.open_file(&id).await.expect("opened").expect("a file");
    assert_eq!((file.bytes(), file.edition()), (HANDBOOK[0].1.len() as u64, None));
    assert_eq!(file.part(2).await.expect("read"), &HANDBOOK[0].1.as_bytes()[2..]);
    assert_eq!(file.part(file.bytes()).await.expect("read"), "");
    fs::remove_file(folder.path().join("hr/leave.md")).expect("removed");
    assert!(library.open_file(&id).await.expect("opened").is_none());
    let mut options = LibraryOptions::new(folder.path());
    options.base_url = "https://x.example/docs".parse().ok();
    let public = Library::open(options).await.expect("a library");
    let source = public.passages("canteen", 1).await.expect("a search").remove(0);
    assert_eq!(source.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://x.example/docs/notes.txt"));
    assert_eq!(source.filepath, None);
}

#[tokio::test]
async fn a_refresh_reads_what_has_changed_and_nothing_else() {
    let (folder, library) = library(HANDBOOK).await;
    assert!(!library.refresh().await.expect("refreshed"));
    write(folder.path(), &[("new.md", "The garage is closed."), ("latin.txt", "")]);
    fs::write(folder.path().join("latin.txt"), b"Gr\xfc\xdfe aus der Garage").expect("written");
    assert!(library.refresh().await.expect("refreshed"));
    assert_eq!((paths(&library, "garage").await, library.len()), (vec!["new.md".to_owned()], 6));
    assert_eq!(library.unreadable(), [("latin.txt".to_owned(), Unreadable::NotUtf8)]);
    fs::remove_file(folder.path().join("new.md")).expect("removed");
    assert!(library.refresh().await.expect("refreshed"));
    assert_eq!(paths(&library, "garage").await, [""; 0]);
    // The documents stay when the folder has become unusable.
    fs::rename(folder.path().join("hr"), folder.path().with_extension("moved")).expect("renamed");
    fs::remove_dir_all(folder.path()).expect("removed");
    assert!(library.refresh().await.is_err());
    assert_eq!(paths(&library, "canteen").await, ["notes.txt"]);
    fs::remove_dir_all(folder.path().with_extension("moved")).expect("removed");
}

#[tokio::test]
async fn a_thousand_documents_are_searched() {
    let files: Vec<(String, String)> = (0..1000)
        .map(|number| {
            let text = format!("# Part {number}\n\nPart number {number} is kept in room {}.\n\n", number % 50);
            (format!("{}/{number}.md", number % 10), text + &"More words about parts of all kinds. ".repeat(40))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_folder, library) = library(&files).await;
    assert_eq!(library.len(), 1000);
    assert_eq!(paths(&library, "Where is part number 777 kept?").await.first().map(String::as_str), Some("7/777.md"));
}

/// The passages that a search finds, with their scores.
async fn found(library: &Library, question: &str) -> Vec<(String, usize, f64)> {
    let found = library.search(question, 20).await.expect("a search");
    found.into_iter().map(|found| (found.document.path.clone(), found.passage.place, found.score)).collect()
}

const QUESTIONS: [&str; 5] = ["leave", "staff of Contoso", "room red", "item four", "annual leave days"];

/// The library that was changed step by step finds what one does that reads everything at once.
async fn is_as_new(library: &Library, folder: &Path) {
    let new = Library::open(LibraryOptions::new(folder)).await.expect("a library");
    assert_eq!((library.digest(), library.len()), (new.digest(), new.len()));
    for question in QUESTIONS {
        assert_eq!(found(library, question).await, found(&new, question).await, "{question}");
    }
}

#[tokio::test]
async fn a_library_that_changes_step_by_step_finds_what_a_new_one_does() {
    let (folder, library) = library(HANDBOOK).await;
    // Equal texts are ranked by their paths, so that their order in the index shows.
    let words = ["leave", "room", "red", "item", "four", "staff", "days"];
    let text = |seed: usize| {
        let words: Vec<&str> = (0..9).map(|at| words[(seed * 7 + at * at * (seed % 5 + 1)) % words.len()]).collect();
        format!("# Part {}\n\nContoso {}.", seed % 4, words.join(" "))
    };
    for step in 0..60_usize {
        let path = folder.path().join(format!("{}.md", step * 37 % 41));
        if step % 5 == 4 && path.exists() {
            fs::remove_file(&path).expect("removed");
        } else {
            fs::write(&path, text(step / 2) + &" ".repeat(step)).expect("written");
        }
        library.refresh().await.expect("refreshed");
        if step % 6 == 5 {
            is_as_new(&library, folder.path()).await;
        }
    }
    // Many small changes, one behind the other: the parts of the index are joined.
    for step in 0..40 {
        fs::write(folder.path().join(format!("{}a.md", "5".repeat(41 - step))), text(3)).expect("written");
        library.refresh().await.expect("refreshed");
    }
    is_as_new(&library, folder.path()).await;
}

#[tokio::test]
async fn the_text_of_all_documents_has_a_limit_and_what_did_not_fit_may_fit_later() {
    let (folder, _) = library(&[("a.md", "four"), ("b.md", "more words"), ("c.md", "five!")]).await;
    let mut options = LibraryOptions::new(folder.path());
    options.max_text_bytes = 12;
    let library = Library::open(options).await.expect("a library");
    let reason = Unreadable::TooMuchTextTogether { limit: 12 };
    assert_eq!((library.unreadable(), library.len()), (vec![("b.md".to_owned(), reason.clone())], 2));
    assert!(reason.to_string().contains("max_text_bytes"));
    fs::remove_file(folder.path().join("a.md")).expect("removed");
    fs::remove_file(folder.path().join("c.md")).expect("removed");
    assert!(library.refresh().await.expect("refreshed"));
    assert_eq!((library.unreadable().len(), library.len()), (0, 1));
}
