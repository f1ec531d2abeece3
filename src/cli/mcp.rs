//! `citewire mcp`: the Model Context Protocol on stdin and stdout, one message a line, answered by `/mcp` of a server.

use std::io::{self, BufRead as _, Write as _};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use url::Url;

use super::Outcome;
use super::args::McpArgs;
use super::causes::with_causes;
use super::healthcheck::on_this_machine;
use super::input::print;
use crate::config::{ConfigSources, caller_access};
use crate::secret::Secret;

/// The messages that are answered at one time; those behind them wait.
const AT_ONCE: usize = 16;

/// The longest wait for an answer: models take their time.
const WITHIN: Duration = Duration::from_secs(300);

/// The code of JSON-RPC for a server that does not answer as it should.
const UNANSWERED: i32 = -32000;

/// Passes messages on until stdin ends, and all of them are answered.
pub(super) fn run(args: &McpArgs) -> anyhow::Result<Outcome> {
    let (bind, key) = caller_access(&ConfigSources::of_this_process(args.config.clone()))?;
    let url = match &args.url {
        Some(url) => url.join("/mcp").context("--url")?,
        None => on_this_machine(bind, "/mcp")?,
    };
    let key =
        key.context("there is no API key: set CITEWIRE_API_KEY, or start `citewire serve` on this machine first")?;
    // The operator names the server, so it may be one of this machine.
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(WITHIN);
    let server = Server { client: client.build()?, url, key };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(pass_on(&server))?;
    Ok(Outcome::Done)
}

/// The server that answers.
struct Server {
    client: reqwest::Client,
    url: Url,
    key: Secret,
}

async fn pass_on(server: &Server) -> anyhow::Result<()> {
    let lines = stream::unfold(stdin_lines(), async |mut lines| Some((lines.recv().await?, lines)));
    let mut answers = std::pin::pin!(lines.map(|line| server.answer(line)).buffer_unordered(AT_ONCE));
    while let Some(answer) = answers.next().await {
        if let Some(mut answer) = answer {
            answer.push('\n');
            print(answer.as_bytes())?;
        }
    }
    Ok(())
}

/// The lines of stdin, which only a thread of its own can wait for.
fn stdin_lines() -> mpsc::Receiver<String> {
    let (tell, lines) = mpsc::channel(AT_ONCE);
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            match line {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => {
                    if tell.blocking_send(line).is_err() {
                        return;
                    }
                }
                Err(error) => {
                    writeln!(io::stderr(), "citewire: stdin: {error}").ok();
                    return;
                }
            }
        }
    });
    lines
}

impl Server {
    /// The response to a message; `None` for a notification.
    async fn answer(&self, line: String) -> Option<String> {
        let id = serde_json::from_str::<Value>(&line).ok().and_then(|message| message.get("id").cloned());
        match self.send(line).await {
            Ok(answer) => answer,
            Err(error) => {
                let reason = format!("{}: {}", self.url, with_causes(&error));
                writeln!(io::stderr(), "citewire: {reason}").ok();
                let fault = || json!({"jsonrpc": "2.0", "id": id, "error": {"code": UNANSWERED, "message": reason}});
                id.as_ref().map(|_| fault().to_string())
            }
        }
    }

    async fn send(&self, line: String) -> anyhow::Result<Option<String>> {
        let request = self.client.post(self.url.clone()).bearer_auth(self.key.expose());
        let request = request.header("content-type", "application/json").body(line);
        let answer = request.send().await.map_err(reqwest::Error::without_url)?;
        let status = answer.status();
        let body = answer.text().await.map_err(reqwest::Error::without_url)?;
        if body.is_empty() && status.is_success() {
            return Ok(None);
        }
        let value: Value = serde_json::from_str(&body).with_context(|| format!("the server answered {status}"))?;
        if value.get("jsonrpc").is_some() {
            return Ok(Some(value.to_string()));
        }
        let detail = value.get("detail").and_then(Value::as_str).unwrap_or_default();
        anyhow::bail!("the server answered {status}: {detail}")
    }
}
