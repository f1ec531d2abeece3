//! The bot's back end, which answers everything at once with the same recorded answer, and its Connector.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use actix_web::web::{Bytes, Data, Json, Path};
use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

/// When each message was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    at: Vec<OnceLock<Instant>>,
    count: AtomicUsize,
    /// Answers that nobody waits for: second ones, and such that cite nothing.
    odd: AtomicUsize,
}

impl Answered {
    pub(crate) fn new(count: usize) -> Self {
        Self { at: (0..count).map(|_| OnceLock::new()).collect(), count: AtomicUsize::new(0), odd: AtomicUsize::new(0) }
    }

    pub(crate) fn at(&self, number: usize) -> Option<Instant> {
        self.at.get(number)?.get().copied()
    }

    /// Waits until each has been answered once.
    pub(crate) async fn all(&self, patience: Duration) -> anyhow::Result<()> {
        let (mut seen, mut since) = (0, Instant::now());
        while seen < self.at.len() {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let now = self.count.load(Ordering::Acquire);
            if now > seen {
                (seen, since) = (now, Instant::now());
            }
            ensure!(since.elapsed() < patience, "only {seen} of {} messages were answered", self.at.len());
        }
        let odd = self.odd.load(Ordering::Acquire);
        ensure!(odd == 0, "{odd} answers came twice or without citations");
        Ok(())
    }

    fn record(&self, activity: &str, cites: bool) {
        let number: Option<usize> = activity.strip_prefix('a').and_then(|number| number.parse().ok());
        let first = number.and_then(|number| self.at.get(number)).is_some_and(|at| at.set(Instant::now()).is_ok());
        if first && cites {
            self.count.fetch_add(1, Ordering::AcqRel);
        } else {
            self.odd.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// Listens from now on, until the program ends.
#[expect(clippy::disallowed_methods, reason = "it ends with the measurement")]
pub(crate) fn listen(address: &str, answered: Arc<Answered>) -> anyhow::Result<()> {
    let answered = Data::from(answered);
    let recorded = Bytes::from(recorded().to_string());
    let server = HttpServer::new(move || {
        let recorded = recorded.clone();
        App::new()
            .app_data(answered.clone())
            .route("/answer", web::post().to(move |body: Bytes| answer(body, recorded.clone())))
            .route("/connector/v3/conversations/{conversation}/activities/{activity}", web::post().to(reply))
    })
    .workers(1)
    .disable_signals()
    .bind(address)
    .context("LISTEN")?;
    actix_web::rt::spawn(server.run());
    Ok(())
}

async fn answer(question: Bytes, recorded: Bytes) -> HttpResponse {
    drop(question);
    HttpResponse::Ok().content_type("application/json").body(recorded)
}

async fn reply(path: Path<(String, String)>, activity: Json<Value>, answered: Data<Answered>) -> HttpResponse {
    if activity["type"] == "message" {
        let cites = activity["entities"][0]["citation"].as_array().is_some_and(|claims| claims.len() == 3);
        answered.record(&path.1, cites);
    }
    HttpResponse::Created().json(json!({"id": "1"}))
}

/// An answer of some length, in the native format.
fn recorded() -> Value {
    let said = "Employees of Contoso get 30 days of annual leave, to be asked for in writing. ";
    let text = format!("{}[1]\n\n{}[3]\n\n{}[2] [1]", said.repeat(4), said.repeat(6), said.repeat(3));
    let sources: Vec<Value> = (1..=5)
        .map(|number| {
            json!({
                "title": format!("Leave policy, part {number}"),
                "url": format!("https://hr.contoso.example/leave/{number}"),
                "content": "Unused leave expires after one year. ".repeat(8),
            })
        })
        .collect();
    json!({"text": text, "sources": sources})
}
