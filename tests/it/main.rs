//! Black-box tests: a real server on a free port, real sockets, the real command.
#![expect(clippy::panic, reason = "that is how the words of these tests say that an expectation failed")]

// ---- What tests are given
/// The server under test, and its users, bots and back ends.
mod app;
/// Certificates of servers that the tests start.
mod certificates;
/// Answers as `expected.json` describes them.
#[path = "../../crates/check/tests/messages/described.rs"]
mod described;
/// A PostgreSQL server, and nodes that share it.
mod postgres;
/// A Redis server.
mod redis;
/// The samples of `samples/answers`.
#[path = "../../crates/core/tests/answers/samples.rs"]
mod samples;

// ---- Answers over HTTP and on the command line
/// `POST /v1/activities` and the delivery of answers into conversations.
mod answers;
/// `POST /v1/check` and `citewire check`.
mod checking;
/// The command: exit codes and streams.
mod command;
/// Assistants as models, for clients of OpenAI, Open WebUI and AssistantHub.
mod completions;
/// `citewire eval`.
mod eval;
/// Markers that speak of sources of an earlier answer.
mod follow_up;
/// Mappings of formats that citewire does not know.
mod formats;
/// Calls in the process of others, held against HTTP and the command.
mod in_process;
/// Agents that speak the Model Context Protocol.
mod mcp;
/// The routes and the streams of outputs that are no activities.
mod outputs;
/// `citewire prompt`.
mod prompt;
/// Scores of search services, from the options of a request to every output.
mod raw_scores;
/// Programs that read the sources of an answer.
mod records;

// ---- Web Chat and Direct Line
/// A bot behind the embedded channel.
mod bot;
/// The operator's routes to conversations.
mod conversations;
/// The embedded Direct Line channel, as its clients see it.
mod direct_line;
/// Posting to another Direct Line: another citewire, and upstreams that misbehave by a script.
mod direct_line_client;
/// The page that other sites embed: its answers, figures and what it may ask.
mod embed;
/// Answers that readers see while they are sent.
mod live;
/// The page and its session.
mod page;

// ---- Azure Bot Service
/// An agent of the Agents SDK that calls citewire as a skill.
mod agents;
/// The bot behind Azure Bot Service, from what is posted to what is answered.
mod azure_bot;
/// A bot's calls to the Bot Connector, and answers through it.
mod connector;
/// The tokens of those who call the bot behind Azure Bot Service.
mod connector_auth;
/// Answers that come later, behind Azure Bot Service.
mod proactive;

// ---- Assistants and documents
/// Questions that users type, and the answers of assistants.
mod assistants;
/// Assistants that are made over HTTP: settings, documents and tokens.
mod assistants_as_data;
/// Keys of back ends that are entered over HTTP, trials, and assistants that visitors may choose.
mod back_end_keys;
/// Documents in a folder: answers that quote them, and downloads.
mod documents;
/// Words for users and lines of the log when the back end of an assistant misbehaves.
mod outcomes;
/// Assistants of the configuration file.
mod reload;
/// Passages that are found by their vectors, reranked, or not good enough.
mod retrieval;
/// The back ends that are called over HTTP, against a server that plays their part.
mod upstreams;

// ---- Stores and nodes
/// The contract of stores of assistants and documents.
mod assistant_store;
/// Several processes that serve one set of conversations.
mod cluster;
/// Servers that are killed while they are written to.
mod crash;
/// Deletions that reach the files, too.
mod erasure;
/// One behavioural suite for every store.
mod store;
/// `citewire store`.
mod store_command;
/// Files of stores that outlive a process, and files that are no stores.
mod store_files;
/// Stores against a plain model.
mod store_model;
/// Disks that are full or fail.
mod store_outage;
mod support;
/// The contract of stores for turns: questions that wait for an answer.
mod turns;

// ---- Operation and security
/// The log for auditors.
mod audit;
/// Input that no route may stumble over.
mod bad_input;
/// Host names, proxies, and how often a caller may come.
mod door;
/// Limits that keep one caller from what others need.
mod fair_shares;
/// From the start of the command to the first cited answer.
mod first_minute;
/// Start, expiry, shutdown.
mod lifecycle;
/// The figures at `/metrics`.
mod metrics;
/// Every route and its callers.
mod routes;

// ---- The repository
/// The settings of the image and of `compose.yaml`.
mod container;
/// The Kubernetes manifests, and the compose file for several nodes.
mod deployments;
/// The claims of the documentation about citewire.
mod documentation;
/// The table of imports, and circles of files.
mod imports;
/// The OpenAPI document and its viewer.
mod openapi;
/// The packages for Teams and Copilot Studio.
mod packages;
