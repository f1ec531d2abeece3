//! An agent of the Agents SDK that passes questions on to citewire, as Copilot Studio calls a skill, and reads the answers with
//! the schema of the SDK: `tests/bot/agent.mjs`. It plays Entra as well: all tokens are signed, and both sides check them.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::app::Serving;

const TENANT: &str = "3f2b6c1e-5f0a-4c8e-9f57-0c1d2e3f4a5b";
const AGENT: &str = "a1b2c3d4-1111-4222-8333-444455556666";
const CITEWIRE: &str = "7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1";
const CITEWIRE_SECRET: &str = "the-secret-of-citewire-in-entra";
const QUESTION: &str = "How many days of annual leave are there?";

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// The agent as a child process, which ends with the value.
struct Agent {
    url: String,
    /// The certificate of its https, as PEM.
    certificate: String,
    commands: ChildStdin,
    told: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Agent {
    async fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bot");
        assert!(
            folder.join("node_modules/.package-lock.json").exists(),
            "the agent is not installed: run `npm ci --ignore-scripts` in {}, or `cargo xtask test tests`, which does it",
            folder.display()
        );
        let settings = json!({
            "tenant": TENANT,
            "agent": {"id": AGENT, "secret": "the-secret-of-the-agent-in-entra"},
            "citewire": {"id": CITEWIRE, "secret": CITEWIRE_SECRET},
        });
        let mut command = Command::new("node");
        command.arg("agent.mjs").arg(settings.to_string()).current_dir(&folder).env_remove("NODE_ENV");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("node runs");
        let commands = child.stdin.take().expect("its input");
        let told = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut agent = Self { url: String::new(), certificate: String::new(), commands, told, _child: child };
        let begun = agent.told().await;
        agent.url = begun["url"].as_str().expect("an address").to_owned();
        agent.certificate = begun["certificate"].as_str().expect("a certificate").to_owned();
        agent
    }

    async fn told(&mut self) -> Value {
        let line = timeout(PATIENCE, self.told.next_line()).await.expect("a line in time").expect("its output");
        serde_json::from_str(&line.expect("a line")).expect("JSON")
    }

    /// Runs a command, and returns the next message of the agent.
    async fn run(&mut self, command: &Value) -> Value {
        self.commands.write_all(format!("{command}\n").as_bytes()).await.expect("written");
        self.told().await
    }

    /// A citewire in the same tenant, which answers from a folder and lets these agents call.
    fn citewire(&self, allowed_callers: &str) -> (Serving, TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(
            folder.path().join("leave.md"),
            "# Leave policy\n\nEmployees of Contoso get 30 days of annual leave.\n",
        )
        .expect("written");
        let file = folder.path().join("citewire.toml");
        let documents = folder.path().display();
        let text = format!("assistant = \"handbook\"\n[assistants.handbook.documents]\nfolder = \"{documents}\"\n");
        std::fs::write(&file, text).expect("written");
        let certificates = folder.path().join("certificates.pem");
        std::fs::write(&certificates, &self.certificate).expect("written");
        let metadata = format!("{}/{TENANT}/v2.0/.well-known/openid-configuration", self.url);
        let serving = Serving::start(
            &folder.path().join("data"),
            &[
                ("CITEWIRE_CONFIG", file.to_str().expect("a path")),
                ("CITEWIRE_ASSISTANT", ""),
                ("CITEWIRE_AZURE_BOT_APP_ID", CITEWIRE),
                ("CITEWIRE_AZURE_BOT_APP_SECRET", CITEWIRE_SECRET),
                ("CITEWIRE_AZURE_BOT_TENANT", TENANT),
                ("CITEWIRE_AZURE_BOT_ALLOWED_CALLERS", allowed_callers),
                ("CITEWIRE_AZURE_BOT_SERVICE_HOSTS", "127.0.0.1"),
                ("SSL_CERT_FILE", certificates.to_str().expect("a path")),
                ("CITEWIRE_AZURE_BOT_CHANNEL_METADATA", &metadata),
                ("CITEWIRE_AZURE_BOT_ENTRA_METADATA", &metadata),
                ("CITEWIRE_AZURE_BOT_LOGIN", &self.url),
            ],
        );
        (serving, folder)
    }
}

fn question(kind: &str, serving: &Serving, channel: &Value) -> Value {
    let activity = json!({"text": QUESTION, "channelId": channel["channelId"]});
    let endpoint = format!("{}/api/messages", serving.url);
    json!({"do": kind, "endpoint": endpoint, "activity": activity, "conversationType": channel.get("conversationType")})
}

/// The claims of a message, by number and name.
fn claims(activity: &Value) -> Vec<(Value, Value)> {
    let message = activity["entities"].as_array().into_iter().flatten().find(|entity| entity["@type"] == "Message");
    let claims = message.and_then(|message| message["citation"].as_array()).into_iter().flatten();
    claims.map(|claim| (claim["position"].clone(), claim["appearance"]["name"].clone())).collect()
}

#[tokio::test]
async fn an_agent_of_the_sdk_delegates_a_question_and_passes_the_cited_answer_on_to_its_user() {
    let mut agent = Agent::start().await;
    let (serving, _folder) = agent.citewire(AGENT);
    // Whatever the channel of the user can do: there is another agent between.
    for channel in [json!({"channelId": "webchat"}), json!({"channelId": "msteams", "conversationType": "personal"})] {
        let taken = agent.run(&question("say", &serving, &channel)).await;
        assert_eq!(taken, json!({"status": "Accepted"}));
        let told = agent.run(&json!({"do": "wait"})).await;
        // The answer that the SDK let through to its user: it has checked the token of each call, and read each
        // activity.
        let [answer] = told["forwarded"].as_array().expect("a list").as_slice() else { panic!("{told}") };
        assert_eq!(answer["type"], "message", "{answer}");
        let text = answer["text"].as_str().expect("a text");
        assert!(text.contains("30 days of annual leave. [1]"), "{answer}");
        // A caller that drops entities still names its sources.
        assert!(text.trim_end().lines().last().is_some_and(|line| line.contains("Leave policy")), "{answer}");
        let [(_, name)] = claims(answer).try_into().unwrap_or_else(|_| panic!("{answer}"));
        assert_eq!(name, "Leave policy");
        assert_eq!(told["ended"]["code"], "completedSuccessfully", "{told}");
        let received = told["received"].as_array().expect("a list");
        assert_eq!(received.last().map(|last| &last["type"]), Some(&json!("endOfConversation")), "{told}");
    }
}

#[tokio::test]
async fn an_agent_of_the_sdk_that_expects_replies_reads_all_of_them() {
    let mut agent = Agent::start().await;
    let (serving, _folder) = agent.citewire("*");
    let told = agent.run(&question("expectReplies", &serving, &json!({"channelId": "webchat"}))).await;
    assert_eq!(told["status"], 200, "{told}");
    let activities = told["activities"].as_array().unwrap_or_else(|| panic!("{told}"));
    let kinds: Vec<_> = activities.iter().map(|activity| activity["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["message", "endOfConversation"], "{told}");
    assert!(activities[0]["text"].as_str().is_some_and(|text| text.contains("30 days of annual leave. [1]")), "{told}");
    assert_eq!(claims(&activities[0]).len(), 1, "{told}");
}

#[tokio::test]
async fn an_agent_that_is_not_on_the_list_is_refused() {
    let mut agent = Agent::start().await;
    let (serving, _folder) = agent.citewire("00000000-1111-4222-8333-444455556666");
    let told = agent.run(&question("expectReplies", &serving, &json!({"channelId": "webchat"}))).await;
    assert_eq!(told["status"], 403, "{told}");
    assert!(!told["body"].as_str().unwrap_or_default().contains("eyJ"), "the token is repeated");
}
