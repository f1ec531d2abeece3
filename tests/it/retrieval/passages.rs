//! Passages that are found in a folder of documents, with each service and without.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta};
use citewire::clock::{Clock, CountingIds, ManualClock, SystemClock};
use citewire::document::{HybridSearch, Library, LibraryOptions, Measure, Search};
use citewire::egress::EgressOptions;
use citewire::secret_source::SecretSource;
use citewire::upstream::{Ask, ChatMessage, EmbeddingsOptions, RerankerOptions, Retriever, Speaker, Surroundings};
use tempfile::TempDir;

use super::meaning::Meaning;

const FILES: [(&str, &str); 4] = [
    ("leave.md", "# Annual leave\n\nEmployees get 30 days of leave a year.\n"),
    ("baby.md", "# Parental matters\n\nParents take 16 weeks after a birth.\n"),
    ("food.md", "# Food\n\nThe canteen opens at noon.\n"),
    ("it.md", "# Network\n\nThe VPN needs a certificate.\n"),
];

/// A folder of documents and the services of a test.
struct Scene {
    _folder: TempDir,
    library: Arc<Library>,
    meaning: Meaning,
}

impl Scene {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in FILES {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let library = Library::open(LibraryOptions::new(folder.path())).await.expect("a library");
        Self { _folder: folder, library: Arc::new(library), meaning: Meaning::begin().await }
    }

    fn options<T: serde::de::DeserializeOwned>(&self, behavior: &str, more: &str) -> T {
        let url = &self.meaning.url;
        toml::from_str(&format!("url = '{url}/{behavior}/v1'\nmodel = 'm'\nkey_env = 'KEY'\n{more}")).expect("options")
    }

    /// The search by words and vectors, when all vectors are there.
    async fn hybrid(&self, behavior: &str) -> Arc<dyn Search> {
        let options: EmbeddingsOptions = self.options(behavior, "batch = 3");
        let embedder = surrounded(|surroundings| options.open(surroundings).expect("an embedder"));
        let search = HybridSearch::begin("hr", Arc::clone(&self.library), embedder, Arc::new(SystemClock));
        search.embedded().await;
        Arc::new(search)
    }

    fn words(&self) -> Arc<dyn Search> {
        Arc::clone(&self.library) as Arc<_>
    }

    fn reranked(&self, search: Arc<dyn Search>, behavior: &str) -> Retriever {
        self.reranked_at(Arc::new(SystemClock), search, behavior)
    }

    fn reranked_at(&self, clock: Arc<dyn Clock>, search: Arc<dyn Search>, behavior: &str) -> Retriever {
        let options: RerankerOptions = self.options(behavior, "");
        let open = |surroundings: &Surroundings<'_>| {
            let surroundings = Surroundings { clock, ..surroundings.clone() };
            options.open(&surroundings).expect("a reranker")
        };
        let reranker = surrounded(open);
        Retriever::new(search).with_reranker(Some(reranker))
    }
}

fn surrounded<T>(open: impl FnOnce(&Surroundings<'_>) -> T) -> T {
    let secrets = SecretSource::of_environment(BTreeMap::from([("KEY".to_owned(), "sk-of-the-test".to_owned())]));
    let egress = EgressOptions::default();
    open(&Surroundings {
        formats: citewire::ingest::Mappings::default(),
        secrets: &secrets,
        may_call_private_hosts: true,
        egress: &egress,
        clock: Arc::new(SystemClock),
        ids: Arc::new(CountingIds::default()),
    })
}

/// Paths, scores in percent and what they measure, and whether a passage may answer.
async fn found(retriever: &Retriever, question: &str) -> Vec<(String, i64, Measure, bool)> {
    let ask = Ask::new(vec![ChatMessage::new(Speaker::User, question)]);
    let found = retriever.retrieve(&ask, 3).await.expect("a search");
    let shown = found.into_iter().map(|found| {
        let percent = (found.score * 100.0).round() as i64;
        (found.document.path.clone(), percent, found.measure, found.is_about)
    });
    shown.collect()
}

async fn paths(retriever: &Retriever, question: &str) -> Vec<String> {
    found(retriever, question).await.into_iter().map(|(path, ..)| path).collect()
}

const PARAPHRASE: &str = "How long is my vacation?";

#[tokio::test]
async fn a_paraphrase_that_words_miss_is_found_by_its_vector() {
    let scene = Scene::new().await;
    assert_eq!(paths(&Retriever::new(scene.words()), PARAPHRASE).await, [""; 0]);
    let hybrid = Retriever::new(scene.hybrid("fine").await);
    let best = found(&hybrid, PARAPHRASE).await.remove(0);
    assert_eq!((best.0.as_str(), best.2, best.3), ("leave.md", Measure::Vector, false), "{best:?}");
    assert!(best.1 > 90, "{best:?}");
    // With words it is the same passage, and about the question by itself.
    let best = found(&hybrid, "How many days of leave do employees get?").await.remove(0);
    assert_eq!((best.0.as_str(), best.2, best.3), ("leave.md", Measure::Vector, true), "{best:?}");
    // Stop words alone name no subject.
    let calls = scene.meaning.calls().len();
    assert_eq!(paths(&hybrid, "What is this?").await, [""; 0]);
    assert_eq!(scene.meaning.calls().len(), calls);
    let call = scene.meaning.calls().remove(0);
    assert_eq!((call.path.as_str(), call.bearer.as_deref()), ("/fine/v1/embeddings", Some("sk-of-the-test")));
    assert_eq!(call.body["encoding_format"], "float");
    assert_eq!(call.body["input"].as_array().map(Vec::len), Some(3), "as many as a batch has: {}", call.body);
    assert_eq!(call.body["input"][0], "Parental matters\n\nParents take 16 weeks after a birth.");
}

#[tokio::test]
async fn what_is_below_the_threshold_is_not_used_and_what_is_above_may_answer() {
    let scene = Scene::new().await;
    let hybrid = Retriever::new(scene.hybrid("fine").await).with_min_score(Some(0.9));
    let all = found(&hybrid, PARAPHRASE).await;
    assert_eq!(all.iter().map(|one| (one.0.as_str(), one.3)).collect::<Vec<_>>(), [("leave.md", true)]);
    assert_eq!(paths(&hybrid, "How many moons does Mars have?").await, [""; 0]);
    let words = |score| Retriever::new(scene.words()).with_min_score(Some(score));
    assert_eq!(paths(&words(0.7), "leave of employees").await, ["leave.md"]);
    assert_eq!(paths(&words(0.99), "leave, moons, boats and canteens of employees").await, [""; 0]);
    let judged = scene.reranked(scene.words(), "fine").with_min_score(Some(0.5));
    assert_eq!(paths(&judged, "employees or parents").await, ["baby.md"]);
}

#[tokio::test]
async fn a_reranker_gives_passages_their_order_and_scores() {
    let scene = Scene::new().await;
    let question = "leave of employees, parents";
    assert_eq!(paths(&Retriever::new(scene.words()), question).await, ["leave.md", "baby.md"]);
    let judged = found(&scene.reranked(scene.words(), "fine"), question).await;
    let shown: Vec<_> = judged.iter().map(|one| (one.0.as_str(), one.1, one.2)).collect();
    assert_eq!(shown, [("baby.md", 90, Measure::Reranker), ("leave.md", 10, Measure::Reranker)]);
    let call = scene.meaning.calls().remove(0);
    assert_eq!(call.path, "/fine/v1/rerank");
    assert_eq!((&call.body["query"], &call.body["top_n"]), (&question.into(), &2.into()));
    // A score that is not between 0 and 1 is a logit.
    let judged = found(&scene.reranked(scene.words(), "logits"), question).await;
    assert_eq!(judged.iter().map(|one| one.1).collect::<Vec<_>>(), [4, 2]);
    for behavior in ["throttled", "malformed", "page", "fewer", "cut"] {
        let kept = found(&scene.reranked(scene.words(), behavior), question).await;
        assert_eq!(
            kept.iter().map(|one| (one.0.as_str(), one.2)).collect::<Vec<_>>(),
            [("leave.md", Measure::Words), ("baby.md", Measure::Words)]
        );
    }
}

#[tokio::test]
async fn a_service_that_has_failed_is_left_alone_for_half_a_minute() {
    let scene = Scene::new().await;
    let clock = Arc::new(ManualClock::at(DateTime::UNIX_EPOCH));
    let retriever = scene.reranked_at(Arc::clone(&clock) as Arc<_>, scene.words(), "fine");
    let first = async || paths(&retriever, "leave of employees, parents").await.remove(0);
    scene.meaning.break_down(true);
    assert_eq!((first().await.as_str(), scene.meaning.calls().len()), ("leave.md", 1));
    scene.meaning.break_down(false);
    clock.advance(TimeDelta::seconds(29));
    assert_eq!((first().await.as_str(), scene.meaning.calls().len()), ("leave.md", 1));
    clock.advance(TimeDelta::seconds(1));
    assert_eq!((first().await.as_str(), scene.meaning.calls().len()), ("baby.md", 2));
}

#[tokio::test]
async fn a_question_without_a_vector_is_answered_by_words() {
    let scene = Scene::new().await;
    for behavior in ["throttled", "malformed", "page", "fewer", "wide", "cut", "silent"] {
        let hybrid = Retriever::new(scene.hybrid(behavior).await);
        let found = found(&hybrid, "Leave of employees?").await;
        let shown: Vec<_> = found.iter().map(|one| (one.0.as_str(), one.2)).collect();
        assert_eq!(shown, [("leave.md", Measure::Words)], "{behavior}");
    }
}

#[tokio::test]
async fn a_passage_that_the_server_refuses_is_found_by_words_alone() {
    let scene = Scene::new().await;
    let hybrid = Retriever::new(scene.hybrid("choosy").await);
    assert_eq!(paths(&hybrid, PARAPHRASE).await.first().map(String::as_str), Some("leave.md"));
    let all = found(&hybrid, "lunch").await;
    assert!(all.iter().all(|one| one.0 != "food.md"), "{all:?}");
    let food = found(&hybrid, "When does the place for food open?").await;
    assert_eq!(food.iter().find(|one| one.0 == "food.md").map(|one| one.2), Some(Measure::Words), "{food:?}");
}

#[tokio::test]
async fn documents_that_change_have_vectors_again_and_those_that_go_have_none() {
    let scene = Scene::new().await;
    let options: EmbeddingsOptions = scene.options("fine", "");
    let embedder = surrounded(|surroundings| options.open(surroundings).expect("an embedder"));
    let search = HybridSearch::begin("hr", Arc::clone(&scene.library), embedder, Arc::new(SystemClock));
    search.embedded().await;
    let folder = scene._folder.path();
    std::fs::write(folder.join("new.md"), "# Rest\n\nHolidays are shut days.\n").expect("written");
    std::fs::remove_file(folder.join("leave.md")).expect("removed");
    assert!(scene.library.refresh().await.expect("refreshed"));
    search.embedded().await;
    let found = search.search(PARAPHRASE, 10).await.expect("a search");
    let paths: Vec<&str> = found.iter().map(|found| found.document.path.as_str()).collect();
    assert_eq!((paths[0], paths.contains(&"leave.md")), ("new.md", false));
    let passages = scene.meaning.passages("m");
    assert_eq!(passages.len(), 5, "only the new one was computed: {passages:?}");
}
